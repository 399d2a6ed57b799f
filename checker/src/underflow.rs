//! Numbers so small that double-doubles lose the digits of their low part.
//!
//! In a run without such numbers, a shadow has a relative error of some 2⁻¹⁰⁴. If a run meets some and scales them up
//! again, the shadow is no better than the double-precision program, and nothing in its results shows that.

use adc_ir::interp::{ArrayVal, Interp, Limits, Location, Val, Watch};
use adc_ir::*;
use adc_jit::{Externs, RuntimeMath};
use std::cell::Cell;

/// Below this the low part of a pair is not a normal number: 2⁻⁹⁶⁹.
const SMALLEST_PAIR: f64 = f64::MIN_POSITIVE * (1u64 << 53) as f64;

/// Whether a number is one of these.
pub(crate) fn is_lossy(x: f64) -> bool {
    x != 0.0 && x.abs() < SMALLEST_PAIR
}

/// Whether a run of a function meets such numbers, or fails. Loops take at most `iterations` iterations together.
pub(crate) fn meets(m: &Module, externs: &Externs, f: FuncId, inputs: &[Datum], iterations: u64) -> bool {
    let watch = Smallest::default();
    let limits = Limits { fuel: iterations, ..Limits::default() };
    let interp = Interp { limits, watch: Some(&watch), ..Interp::new(m, &RuntimeMath, externs) };
    let args: Vec<Val<f64>> = inputs.iter().map(Datum::to_val).collect();
    interp.call(f, &args).is_err() || watch.met.get()
}

#[derive(Default)]
struct Smallest {
    met: Cell<bool>,
}

impl Watch<f64> for Smallest {
    fn op(&self, _: Location<'_>, _: Op, _: &[&Val<f64>], result: &Val<f64>) {
        let met = match result {
            Val::Real(x) => is_lossy(*x),
            Val::Complex(z) => is_lossy(z.re) || is_lossy(z.im),
            Val::Bool(_) | Val::I64(_) | Val::Array(_) => false,
        };
        self.met.set(self.met.get() || met);
    }

    fn extremum(&self, _: Location<'_>, _: ReduceOp, _: &[Val<f64>]) {}

    fn linalg(&self, _: Location<'_>, _: LinalgOp, _: &ArrayVal<f64>) {}
}
