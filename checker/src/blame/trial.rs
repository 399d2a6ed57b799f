//! Experiments: an entry of a derivative of a changed program.

use super::copy::Subject;
use super::numeric::Numeric;
use super::outline::{Operands, Window, outline};
use crate::coordinates::{Coordinate, Part, sizes};
use crate::passes::Passes;
use crate::prepare::Prepared;
use crate::report::Entry;
use crate::settings::Context;
use crate::slots::{get, set};
use crate::unit::Unit;
use adc_ad::Policy;
use adc_ir::interp::{ExternCalls, Interp, Limits, Val};
use adc_ir::*;
use adc_jit::{Externs, RuntimeMath};
use adc_simplify::{OptLevel, Options};
use rustc_hash::FxHashSet;

/// Iterations of loops in one run of a derivative.
const FUEL: u64 = 1 << 20;
/// A repaired entry may have this relative error, the rounding that a right derivative is allowed.
const ROUNDING: f64 = 1e-9;
const ROUNDING_SINGLE: f64 = 1e-3;
/// Its error may not exceed this fraction of the error before.
const REPAIRED: f64 = 1e-2;

/// The wrong entry, and where.
pub(super) struct Target<'a> {
    pub entry: &'a Entry,
    pub inputs: Vec<Datum>,
    pub wrt: &'a [usize],
    pub outputs: &'a [usize],
    pub row: Coordinate,
    pub column: Coordinate,
    /// Whether it is wrong in reverse mode, else in forward mode.
    pub reverse: bool,
    /// Its value in that mode.
    pub wrong: f64,
    pub single: bool,
    pub externs: &'a Externs,
    pub passes: &'a dyn Passes,
}

impl<'a> Target<'a> {
    pub(super) fn new(
        passes: &'a dyn Passes,
        prepared: &'a Prepared,
        unit: &'a Unit,
        e: &'a Entry,
        inputs: Vec<Datum>,
    ) -> Option<Target<'a>> {
        let (row, column) = (*unit.rows.get(e.place.0)?, *unit.columns.get(e.place.1)?);
        let mut t = Target {
            entry: e,
            inputs,
            wrt: &unit.wrt,
            outputs: &unit.outputs,
            row,
            column,
            reverse: true,
            wrong: f64::NAN,
            single: unit.single(),
            externs: prepared.externs(),
            passes,
        };
        // Reverse mode, unless forward mode has the larger error.
        let off = |x: Option<f64>| x.map(|x| (x, if x.is_finite() { t.off(x) } else { f64::INFINITY }));
        (t.wrong, t.reverse) = match (off(e.vjp), off(e.jvp)) {
            (Some((_, v)), Some((x, j))) if j > v => (x, false),
            (Some((x, _)), _) => (x, true),
            (None, x) => (x?.0, false),
        };
        Some(t)
    }

    /// The error of a value.
    fn off(&self, x: f64) -> f64 {
        match (self.entry.slopes, self.entry.fd) {
            (Some((l, r)), _) => (l.min(r) - x).max(x - l.max(r)).max(0.0),
            (None, Some(fd)) => (x - fd).abs(),
            // There is no finite value and no difference to compare with: any finite value is better.
            (None, None) => {
                if x.is_finite() {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        }
    }

    /// Whether a value would have passed.
    pub(super) fn is_right(&self, x: f64) -> bool {
        let size = self.entry.fd.map_or(0.0, f64::abs);
        let was = self.off(self.wrong);
        let part = if self.single { ROUNDING_SINGLE } else { ROUNDING };
        let tol = if self.entry.tol.is_finite() { self.entry.tol } else { 0.0 };
        let rounding = if was.is_finite() { (part * size.max(was)).min(REPAIRED * was) } else { part * size };
        x.is_finite() && self.off(x) <= tol.max(rounding)
    }

    /// The entry of a program's derivative, interpreted: as differentiation makes it, or simplified.
    pub(super) fn value(&self, s: &Subject, opt: OptLevel, externs: &dyn ExternCalls<f64>) -> Option<f64> {
        let mut m = s.module.clone();
        let program = self.program(self.passes, &mut m, s.func)?;
        self.passes.simplify(&mut m, &[program], &Options { level: opt, ..Options::default() });
        self.read(&m, s.func, program, externs)
    }

    /// The derivative program of a function that has the entry.
    pub(super) fn program(&self, passes: &dyn Passes, m: &mut Module, f: FuncId) -> Option<FuncId> {
        let program = match self.reverse {
            true => passes.vjp(m, f, (self.wrt, self.outputs), false, Policy::default()),
            false => passes.jvp(m, f, self.wrt),
        };
        program.ok()
    }

    /// The entry by a derivative program of `f`.
    pub(super) fn read(
        &self,
        m: &Module,
        f: FuncId,
        program: FuncId,
        externs: &dyn ExternCalls<f64>,
    ) -> Option<f64> {
        let (func, code) = (m.func(f), m.func(program));
        let mut args = self.inputs.clone();
        for p in &code.params[args.len()..] {
            let data = code.data(p.value);
            args.push(Datum::zeros(data.ty.scalar(), &sizes(data)?));
        }
        let (list, seed) = if self.reverse { (self.outputs, self.row) } else { (self.wrt, self.column) };
        let at = self.inputs.len() + list.iter().position(|i| *i == seed.index)?;
        set(&mut args[at], seed.entry, seed.part, 1.0);
        let mut interp = Interp::new(m, &RuntimeMath, externs);
        interp.limits = Limits { fuel: FUEL, ..Limits::default() };
        let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
        let results = interp.call(program, &vals).ok()?;
        let at = match self.reverse {
            true => self.wrt.iter().position(|i| *i == self.column.index)?,
            false => {
                let list = func.differentiable_results();
                func.results.len() + list.iter().position(|k| *k == self.row.index)?
            }
        };
        let read = if self.reverse { self.column } else { self.row };
        let x = Datum::from_val(&results[at], code.results[at].ty.scalar());
        debug_assert!(read.part != Part::Whole || !x.elem().is_complex());
        Some(get(&x, read.entry, read.part))
    }

    /// The entry with derivatives by differences for what `windows` compute. `None` if it cannot be computed.
    pub(super) fn counterfactual(
        &self,
        ctx: &Context,
        s: &Subject,
        windows: &[(Window, Operands)],
        inactive: &dyn Fn(FuncId) -> FxHashSet<Value>,
        limits: &crate::settings::Request,
    ) -> Option<f64> {
        let mut m = s.module.clone();
        let mut outlined = Vec::new();
        for (w, operands) in windows {
            outlined.push(outline(&mut m, w, *operands, &inactive(w.func))?);
        }
        let mut numeric = Numeric::new(self.externs);
        for g in outlined {
            numeric.add(ctx, &mut m, g, limits)?;
        }
        debug_assert!(verify::verify(&m).is_ok(), "{:?}", verify::verify(&m));
        let s = Subject { module: m, func: s.func };
        let value = self.value(&s, OptLevel::O0, &numeric);
        value.filter(|_| !numeric.gave_up())
    }
}
