//! Generated code as text, for people. The text is the same on every machine of one kind.

use crate::compile::{Listing, Options, listing};
use adc_ir::{Diagnostic, FuncId, Module};
use std::fmt::Write;

/// The Cranelift IR of a function, as given to Cranelift: one function per unit.
pub fn emit_clif(module: &Module, f: FuncId) -> Result<String, Diagnostic> {
    render(module, f, |unit| &unit.clif)
}

/// The machine code of a function, in the mnemonics of Cranelift's back end.
pub fn emit_asm(module: &Module, f: FuncId) -> Result<String, Diagnostic> {
    render(module, f, |unit| &unit.assembly)
}

fn render(module: &Module, f: FuncId, text: fn(&Listing) -> &str) -> Result<String, Diagnostic> {
    let units = listing(module, f, &Options::default())?;
    let name = &module.func(f).name;
    let mut out = String::new();
    for unit in &units {
        let entry = if unit.unit as usize + 1 == units.len() { ", the entry" } else { "" };
        let _ = writeln!(out, "; `{name}`, unit {} of {}{entry}", unit.unit + 1, units.len());
        for (number, symbol) in &unit.names {
            let _ = writeln!(out, ";   {number} = {symbol}");
        }
        let _ = writeln!(out, "{}\n", text(unit).trim_end());
    }
    Ok(out)
}
