//! adc's front end: source text to typed IR

pub mod syntax;
