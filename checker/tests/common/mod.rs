//! Helpers for tests of checks: modules from text, settings, failures with the whole report.

#![allow(dead_code, reason = "every test file uses a part")]

use adc_checker::*;
use adc_ir::text::parse_module;
use adc_ir::verify::verify;
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::OptLevel;
use num_complex::Complex64;

pub fn module(text: &str) -> Module {
    let m = parse_module(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    verify(&m).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    m
}

/// Checks function `f` of a module with a changed default block and settings.
pub fn run(
    text: &str,
    block: impl FnOnce(&mut CheckBlock, &Func),
    settings: impl FnOnce(&mut Settings),
) -> Report {
    run_with(&module(text), &Externs::new(), block, settings)
}

pub fn run_with(
    m: &Module,
    externs: &Externs,
    block: impl FnOnce(&mut CheckBlock, &Func),
    settings: impl FnOnce(&mut Settings),
) -> Report {
    let ctx = Context::new(m, externs, OptLevel::O1);
    let f = m.find("f").expect("tests check their function f");
    let func = m.func(f);
    let mut b = CheckBlock::default_for(f, func.params.len(), func.span);
    block(&mut b, func);
    let mut s = Settings::default();
    settings(&mut s);
    check(&ctx, &b, &s)
}

/// Checks `f` in one set of modes, everything else by default.
pub fn in_modes(text: &str, modes: &[Mode]) -> Report {
    run(text, |_, _| {}, |s| s.modes = Some(modes.to_vec()))
}

#[track_caller]
pub fn passes(r: &Report) {
    assert_eq!(r.status, Status::Ok, "{}", describe(r));
    assert!(r.counts.total.compared() > 0 && r.counts.total.failed() == 0, "{}", describe(r));
    assert!(r.worst_ratio <= 1.0, "{}", describe(r));
}

#[track_caller]
pub fn fails_with(r: &Report, code: Code) {
    assert_eq!(r.status, Status::Failed, "{}", describe(r));
    assert!(r.diagnostics.iter().any(|d| d.code == code), "no {code}: {}", describe(r));
}

pub fn describe(r: &Report) -> String {
    let mut text = format!("{}: {:?} {:?}\n", r.name, r.status, r.counts);
    for d in &r.diagnostics {
        text += &format!("{}: {}\n", d.code, d.message);
        d.labels.iter().for_each(|l| text += &format!("  {:?} {}\n", l.span, l.text));
        d.notes.iter().chain(&d.help).for_each(|n| text += &format!("  = {n}\n"));
    }
    if let Some(p) = &r.worst {
        text += &format!("at {:?}\n", p.inputs);
        for e in &p.entries {
            text += &format!(
                "  {:?} {} {:?} {:?} {:?} {} {:?}\n",
                e.order,
                e.name(true),
                e.vjp,
                e.jvp,
                e.fd,
                e.ratio,
                e.status
            );
        }
        p.probes.iter().for_each(|p| text += &format!("  {p:?}\n"));
    }
    text
}

pub fn real(x: f64) -> Datum {
    Const::F64(x).into()
}

pub fn c(re: f64, im: f64) -> Datum {
    Const::C128(Complex64::new(re, im)).into()
}
