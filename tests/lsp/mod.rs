//! The language server, driven by a client over standard streams and by an editor.

mod client;
mod editors;
mod features;
mod sturdy;
