//! Where a program is not smooth, observed in a run: every op, reduction and matrix routine that has a kink, a jump, a
//! branch cut or an edge records which side of it the run was on, and at what distance.
//!
//! The interpreter runs the program with the functions of compiled code, so all decisions are those of compiled code.
//! Integers and booleans have no margins; the comparison or conversion that they come from has. Absent: what extern
//! functions do.

mod guards;
mod matrices;
mod table;
#[cfg(test)]
mod tests;

use adc_ir::datum::Datum;
use adc_ir::interp::{ArrayVal, Interp, Limits, Location, Val, Watch};
use adc_ir::{FuncId, LinalgOp, Module, Op, ReduceOp, RuntimeError, Span};
use adc_jit::{Externs, RuntimeMath};
use guards::Guards;
use num_complex::Complex64;
use smallvec::SmallVec;
use std::cell::RefCell;

/// Events of one run that are kept.
const MAX_EVENTS: usize = 1 << 16;

/// The kind of a point where something is not smooth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    /// A kink: the value is continuous, the derivative is not.
    Kink,
    /// The value jumps, or an integer that it selects does.
    Jump,
    /// A branch cut of a complex function, its end included.
    Cut,
    /// The end of a domain, also of a declared one, or a pole.
    Edge,
    /// The threshold of a comparison: beyond it, everything that depends on the comparison changes.
    Choice,
}

/// What the event belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Op(Op),
    Reduce(ReduceOp),
    Linalg(LinalgOp),
}

impl What {
    /// Its name in IR text.
    pub(crate) fn name(self) -> &'static str {
        match self {
            What::Op(op) => op.name(),
            What::Reduce(op) => op.name(),
            What::Linalg(op) => op.name(),
        }
    }
}

/// One execution of an op that has a point where it is not smooth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub span: Span,
    pub what: What,
    pub kind: EventKind,
    /// The side it was on: two runs with the same number have no such point between them. For comparisons it is their
    /// result; otherwise it has no further meaning.
    pub branch: i32,
    /// The distance from that point, in units of the operands; 0 at the point itself. Its sign distinguishes the sides of
    /// one point. Infinite if there is none for these operands, NaN if one of them is NaN.
    pub margin: f64,
    /// Scalar operands; of a reduction the winner and the best of the others, of matrices the smallest pivot.
    pub operands: SmallVec<[Complex64; 3]>,
}

/// What a table entry states about an event.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    kind: EventKind,
    branch: i32,
    margin: f64,
}

/// Runs a function and lists its events in order of execution; for very long runs the first ones. Loops take at most
/// `iterations` iterations together. `f` has no dimensions other than those its arguments determine, and `externs` are bound.
pub(crate) fn trace(
    m: &Module,
    externs: &Externs,
    f: FuncId,
    inputs: &[Datum],
    iterations: u64,
) -> Result<Vec<Event>, RuntimeError> {
    let tracer = Tracer::default();
    let limits = Limits { fuel: iterations, ..Limits::default() };
    let interp = Interp { limits, watch: Some(&tracer), ..Interp::new(m, &RuntimeMath, externs) };
    let args: Vec<Val<f64>> = inputs.iter().map(Datum::to_val).collect();
    interp.call(f, &args)?;
    Ok(tracer.events.into_inner())
}

/// The position of the first event that is on another side in the second run, or belongs to another op. If one run is a
/// prefix of the other, its length.
pub(crate) fn diverging(a: &[Event], b: &[Event]) -> Option<usize> {
    let parted = a.iter().zip(b).position(|(a, b)| apart(a, b));
    parted.or((a.len() != b.len()).then_some(a.len().min(b.len())))
}

/// The event closest to where it is not smooth, the first of several.
pub(crate) fn nearest(events: &[Event]) -> Option<&Event> {
    let known = events.iter().filter(|e| !e.margin.is_nan());
    known.min_by(|a, b| a.margin.abs().total_cmp(&b.margin.abs()))
}

/// Whether two executions of one op have a point between them where it is not smooth.
fn apart(a: &Event, b: &Event) -> bool {
    if (a.span, a.what, a.kind) != (b.span, b.what, b.kind) {
        return true;
    }
    if a.branch == b.branch {
        return false;
    }
    match (a.what, a.kind) {
        // The sides of a cut are connected around its end; side 0 means that there is no cut.
        (What::Op(op), EventKind::Cut) if !a.margin.is_nan() && !b.margin.is_nan() => {
            a.branch != 0 && b.branch != 0 && table::crosses(op, &a.operands, &b.operands)
        }
        _ => true,
    }
}

/// Records events.
#[derive(Default)]
struct Tracer {
    events: RefCell<Vec<Event>>,
    guards: RefCell<Guards>,
}

impl Tracer {
    fn add(&self, at: Location<'_>, what: What, side: Side, operands: impl IntoIterator<Item = Complex64>) {
        let mut events = self.events.borrow_mut();
        if events.len() < MAX_EVENTS {
            let Side { kind, branch, margin } = side;
            let operands = operands.into_iter().collect();
            events.push(Event { span: at.inst.span, what, kind, branch, margin, operands });
        }
    }
}

impl Watch<f64> for Tracer {
    fn op(&self, at: Location<'_>, op: Op, args: &[&Val<f64>], result: &Val<f64>) {
        for mut side in table::sides(op, args, result) {
            // A comparison that only assertions use is a domain.
            if side.kind == EventKind::Choice && self.guards.borrow_mut().is_guard(at) {
                side.kind = EventKind::Edge;
            }
            self.add(at, What::Op(op), side, args.iter().map(|x| number(x)));
        }
    }

    fn extremum(&self, at: Location<'_>, op: ReduceOp, terms: &[Val<f64>]) {
        let what = What::Reduce(op);
        let numbers: Option<Vec<f64>> = terms.iter().map(real).collect();
        if let Some((side, operands)) = numbers.and_then(|x| table::extremum(op, &x)) {
            self.add(at, what, side, operands.map(Complex64::from));
        }
    }

    fn linalg(&self, at: Location<'_>, op: LinalgOp, matrix: &ArrayVal<f64>) {
        for (side, pivot) in matrices::sides(op, matrix) {
            self.add(at, What::Linalg(op), side, [pivot]);
        }
    }
}

fn real(v: &Val<f64>) -> Option<f64> {
    match v {
        Val::Real(x) => Some(*x),
        Val::Bool(_) | Val::I64(_) | Val::Complex(_) | Val::Array(_) => None,
    }
}

fn number(v: &Val<f64>) -> Complex64 {
    match v {
        Val::Bool(b) => Complex64::from(f64::from(*b)),
        Val::I64(n) => Complex64::from(*n as f64),
        Val::Real(x) => Complex64::from(*x),
        Val::Complex(z) => *z,
        Val::Array(_) => unreachable!("operands of scalar ops"),
    }
}
