//! The integration tests of adc, in one program: it is linked once.

mod arrays;
mod batches;
mod blame;
mod bombs;
mod cache;
mod calls;
mod cases;
mod cli;
mod closures;
mod common;
mod contact;
mod contractions;
mod costs;
mod dependencies;
mod derivatives;
mod docs;
mod ends;
mod examples;
mod gradbench;
mod json;
mod latex;
mod library;
mod machine_code;
mod models;
mod native;
mod object;
mod oracle;
#[path = "common/pages.rs"]
mod pages;
mod points;
mod programs;
mod release;
mod reports;
mod rules;
mod selftest;
mod site;
#[path = "../jit/tests/strips/reader.rs"]
mod strip_reader;
mod structure;
mod watch;
mod wide;
mod workloads;
