//! Generated code as text, for people: units, each followed by its strips. The text is the same on every machine of one kind.

use super::compile::{Listing, listing};
use crate::options::Options;
use adc_ir::{Diagnostic, FuncId, Module};
use std::fmt::Write;

/// The Cranelift IR of a function, as given to Cranelift: one function per unit.
pub fn emit_clif(module: &Module, f: FuncId) -> Result<String, Diagnostic> {
    render(module, f, |out, unit| {
        for (number, symbol) in &unit.names {
            let _ = writeln!(out, ";   u0:{number} = {symbol}");
        }
        out.push_str(&unit.clif);
    })
}

/// The machine code of a function, in the mnemonics of Cranelift's back end.
pub fn emit_asm(module: &Module, f: FuncId) -> Result<String, Diagnostic> {
    render(module, f, |out, unit| {
        let mut text = unit.assembly.clone();
        // From the last one, so that `userextname1` is not found in `userextname12`.
        for (i, (_, symbol)) in unit.names.iter().enumerate().rev() {
            text = text.replace(&format!("userextname{i}+0"), symbol);
        }
        out.push_str(&text);
    })
}

fn render(module: &Module, f: FuncId, text: fn(&mut String, &Listing)) -> Result<String, Diagnostic> {
    let units = listing(module, f, &Options::default())?;
    let mut out = String::new();
    for unit in &units {
        let _ = writeln!(out, "; {}", unit.title);
        text(&mut out, unit);
        out.truncate(out.trim_end().len());
        out.push_str("\n\n");
    }
    out.truncate(out.trim_end().len() + 1);
    Ok(out)
}
