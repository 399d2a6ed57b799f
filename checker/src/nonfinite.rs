//! Where a NaN or an infinity comes from. The program is interpreted with numbers that record their origin ([`number`]), so
//! the operation that is named is one that the result really depends on.

mod number;
mod rewrites;
pub(crate) mod root;
#[cfg(test)]
mod tests;

use crate::coordinates::{Coordinate, Part};
use crate::prepare::Prepared;
use crate::report::{Entry, Order};
use adc_ir::datum::Datum;
use adc_ir::interp::{ArrayVal, Interp, Iteration, Limits, Location, Val, Watch};
use adc_ir::*;
use adc_jit::Externs;
use num_complex::Complex64;
use number::{Event, Math, Natives, Primal, Traced, input, log};
use root::{Birth, How, Root, Zero};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Iterations of loops that are traced.
const TRACED: u64 = 1 << 22;

/// Observes a run, for the places and iterations of events.
struct Watcher<'a> {
    /// The ops of the function, by expression; `None` if not wanted.
    ops: Option<&'a FxHashSet<(Span, Op)>>,
    seen: RefCell<FxHashMap<Span, Primal>>,
    /// Whether the first event ends the run.
    first: bool,
}

impl Watch<Traced> for Watcher<'_> {
    fn op(&self, at: Location<'_>, op: Op, args: &[&Val<Traced>], _: &Val<Traced>) {
        let span = at.inst.span;
        if !self.ops.is_some_and(|ops| ops.contains(&(span, op))) {
            return;
        }
        let mut seen = self.seen.borrow_mut();
        let count = seen.get(&span).map_or(0, |s| s.2);
        seen.insert(span, (op, args.iter().map(|x| number_of(x)).collect(), count + 1));
    }

    fn extremum(&self, _: Location<'_>, _: ReduceOp, _: &[Val<Traced>]) {}

    fn linalg(&self, _: Location<'_>, _: LinalgOp, _: &ArrayVal<Traced>) {}

    fn wants_steps(&self) -> bool {
        true
    }

    fn step(&self, at: Location<'_>) {
        log(|l| l.span = at.inst.span);
    }

    fn asks(&self) -> bool {
        log(|l| l.told < l.events.len())
    }

    fn iterations(&self, iterations: &[Iteration]) -> Result<(), Trap> {
        log(|l| {
            let mut stop = false;
            for e in &mut l.events[l.told..] {
                e.iterations = iterations.to_vec();
                e.primal = self.seen.borrow().get(&e.span).cloned();
                stop |= self.first && from_finite(e);
            }
            l.told = l.events.len();
            if stop { Err(Trap::OutOfFuel) } else { Ok(()) }
        })
    }
}

/// Whether an operation is the first one that is not finite.
fn from_finite(e: &Event) -> bool {
    let given = matches!(e.how, How::Literal | How::Input);
    !given && e.operands.iter().all(|x| x.x.is_finite())
}

fn number_of(v: &Val<Traced>) -> Complex64 {
    match v {
        Val::Bool(b) => Complex64::from(f64::from(*b)),
        Val::I64(n) => Complex64::from(*n as f64),
        Val::Real(x) => Complex64::from(x.x),
        Val::Complex(z) => Complex64::new(z.re.x, z.im.x),
        Val::Array(_) => unreachable!("operands of scalar ops"),
    }
}

/// Runs a function without dimensions on numbers that record their origin.
fn run(
    (m, externs, limits): (&Module, &Externs, Limits),
    f: FuncId,
    inputs: &[Datum],
    watcher: &Watcher,
) -> Result<Vec<Val<Traced>>, RuntimeError> {
    log(|l| *l = number::Log::new());
    let arg = |(k, d): (usize, &Datum)| d.to_val::<f64>().map(&mut |x| input(*x, k));
    let args: Vec<Val<Traced>> = inputs.iter().enumerate().map(arg).collect();
    // Arguments belong to no operation.
    log(|l| l.told = l.events.len());
    let natives = Natives(externs);
    let interp = Interp { limits, watch: Some(watcher), ..Interp::new(m, &Math, &natives) };
    interp.call(f, &args)
}

/// The first operation of a run with finite operands whose result is NaN or infinite. The run ends there.
///
/// # Errors
/// The error of a run that failed earlier.
pub fn first_nonfinite(
    m: &Module,
    externs: &Externs,
    f: FuncId,
    inputs: &[Datum],
    limits: Limits,
) -> Result<Option<Birth>, RuntimeError> {
    let watcher = Watcher { ops: None, seen: RefCell::default(), first: true };
    let result = run((m, externs, limits), f, inputs, &watcher);
    let found = log(|l| l.events.iter().find(|e| from_finite(e)).map(|e| birth(e, None)));
    match (found, result) {
        (Some(b), _) => Ok(Some(b)),
        (None, Ok(_)) => Ok(None),
        (None, Err(e)) => Err(e),
    }
}

/// The origin of a derivative that is not finite at a point; `None` if it cannot be found.
pub(crate) fn find(prepared: &Prepared, entry: &Entry, inputs: &[Datum]) -> Option<Root> {
    let unit = prepared.units.iter().find(|u| u.order == entry.order)?;
    let (row, column) = (*unit.rows.get(entry.place.0)?, *unit.columns.get(entry.place.1)?);
    // The function as it is written, whose loops are still loops; forward mode has the loops of the function.
    let mut m = prepared.module.clone();
    let f = unit.programs.func;
    let bad = |x: Option<f64>| x.is_some_and(|x| !x.is_finite());
    let forward = match bad(entry.jvp.or(entry.vjp)) {
        true => adc_ad::jvp(&mut m, f, &unit.wrt).ok(),
        false => None,
    };
    let reverse = match bad(entry.vjp) {
        true => adc_ad::vjp(&mut m, f, &unit.wrt, &unit.outputs, true).ok(),
        false => None,
    };
    let func = m.func(f);
    let tangents = func.differentiable_results();
    let tangent = |i: usize| (func.param_ty(i).scalar(), &unit.param_shapes[i]);
    let cotangent = |k: usize| (func.results[k].ty.scalar(), &unit.result_shapes[k]);
    let programs = [
        forward.map(|p| {
            let at = tangents.iter().position(|r| *r == row.index);
            (p, seeds(&unit.wrt, column, tangent), at, row)
        }),
        reverse.map(|p| {
            let at = unit.wrt.iter().position(|i| *i == column.index);
            (p, seeds(&unit.outputs, row, cotangent), at, column)
        }),
    ];
    let ops = ops_of(&m, prepared.request.func);
    let mut found: Option<Root> = None;
    for (reverse, program) in [false, true].into_iter().zip(programs) {
        let Some((p, seeds, Some(at), place)) = program else { continue };
        let watcher = Watcher { ops: Some(&ops), seen: RefCell::default(), first: false };
        let args: Vec<Datum> = inputs.iter().cloned().chain(seeds).collect();
        let limits = Limits { fuel: TRACED, ..Limits::default() };
        let Ok(results) = run((&m, &prepared.engine.externs, limits), p, &args, &watcher) else { continue };
        let value = results.get(func.results.len() + at).and_then(|v| element(v, place));
        if let Some(mut root) = value.and_then(|v| log(|l| root(l, v, reverse, &ops))) {
            for b in [Some(&mut root.born), root.met.as_mut()].into_iter().flatten() {
                // A loop that runs backwards saw other operands last, and a second derivative has operands of its own.
                if entry.order == Order::Second || (reverse && !b.iterations.is_empty()) {
                    b.at.clear();
                }
            }
            root.rewrite = rewrites::find(&m, prepared.request.func, &root);
            // An infinite derivative is more informative than 0/0.
            if root.born.result.is_infinite() {
                return Some(root);
            }
            found = found.or(Some(root));
        }
    }
    found
}

/// Tangents or cotangents that are 0 except for one part of one number.
fn seeds<'a>(
    positions: &[usize],
    one: Coordinate,
    ty: impl Fn(usize) -> (Scalar, &'a Vec<usize>),
) -> Vec<Datum> {
    let seed = |i: &usize| {
        let (elem, shape) = ty(*i);
        let mut d = Datum::zeros(elem, shape);
        if *i == one.index {
            let unit = if one.part == Part::Im { Complex64::I } else { Complex64::ONE };
            d.set(one.entry, Const::from_c128(unit, elem));
        }
        d
    };
    positions.iter().map(seed).collect()
}

fn element(v: &Val<Traced>, at: Coordinate) -> Option<Traced> {
    match v {
        Val::Array(a) => element(a.data().get(at.entry)?, at),
        Val::Real(x) => Some(*x),
        Val::Complex(z) => Some(if at.part == Part::Im { z.im } else { z.re }),
        Val::Bool(_) | Val::I64(_) => None,
    }
}

/// The ops of a function, and of those it calls, with their expressions.
fn ops_of(m: &Module, f: FuncId) -> FxHashSet<(Span, Op)> {
    fn walk(r: &Region, out: &mut FxHashSet<(Span, Op)>) {
        for i in &r.insts {
            if let Kind::Op(op) = i.kind {
                out.insert((i.span, op));
            }
            i.regions.iter().for_each(|r| walk(r, out));
        }
    }
    let mut out = FxHashSet::default();
    m.reachable_from(&[f]).into_iter().filter_map(|f| m.func(f).region()).for_each(|r| walk(r, &mut out));
    out
}

fn root(l: &number::Log, value: Traced, reverse: bool, ops: &FxHashSet<(Span, Op)>) -> Option<Root> {
    let last = l.event(value)?;
    let mut first = last;
    while let Some(before) = first.operands.iter().find_map(|x| l.event(*x)) {
        first = before;
    }
    let mut born = birth(first, Some(ops));
    born.zero = zero(l, first);
    let met = (!std::ptr::eq(first, last)).then(|| Birth { zero: zero(l, last), ..birth(last, Some(ops)) });
    Some(Root { reverse, born, met, rewrite: None })
}

fn zero(l: &number::Log, e: &Event) -> Option<Zero> {
    e.operands.iter().find_map(|x| l.zero_of(*x))
}

/// The description of an event. `ops`: those of the function, if the program is a derivative of it.
fn birth(e: &Event, ops: Option<&FxHashSet<(Span, Op)>>) -> Birth {
    let own = match e.how {
        How::Function(op) => ops.is_none_or(|ops| ops.contains(&(e.span, op))),
        _ => ops.is_none(),
    };
    let primal = e.primal.as_ref().filter(|_| !own);
    // In a loop the last execution need not be the one whose derivative this is.
    let at = primal.filter(|p| p.2 == 1 || !e.iterations.is_empty()).map_or_else(Vec::new, |p| p.1.to_vec());
    Birth {
        span: e.span,
        how: e.how,
        operands: e.operands.iter().map(|x| x.x).collect(),
        result: e.result,
        derivative_of: primal.map(|p| p.0),
        at,
        iterations: e.iterations.clone(),
        zero: None,
    }
}
