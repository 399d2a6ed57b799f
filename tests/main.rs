//! The integration tests of adc, in one program: it is linked once.

mod arrays;
mod blame;
mod bombs;
mod calls;
mod cases;
mod cli;
mod closures;
mod common;
mod contact;
mod contractions;
mod costs;
mod dependencies;
mod docs;
mod ends;
mod examples;
mod gradbench;
mod json;
mod latex;
mod library;
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
mod structure;
mod watch;
mod wide;
mod workloads;
