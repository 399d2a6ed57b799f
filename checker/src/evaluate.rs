//! Evaluation of one point of a check, and of many on several threads.

use crate::coordinates::{index_text, indices};
use crate::extent;
use crate::observe::point_report;
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::random::number_of;
use crate::report::{Ended, Endless, Outcome, PointReport};
use crate::slots::finite;
use crate::text;
use crate::unit::Unit;
use adc_ir::*;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The result at a point.
pub(crate) enum Evaluation {
    /// The function has no finite value there.
    Rejected(Option<RuntimeError>),
    /// A loop did not end within its budget.
    GivenUp(Endless),
    Ended(Ended),
    Seen(Box<Seen>),
}

pub(crate) struct Seen {
    pub outcome: Outcome,
    pub point: PointReport,
    /// Iterations of the function.
    pub iterations: u64,
    pub backends: Option<Diagnostic>,
    /// Whether Jacobians were compared entry by entry, if that is done at all, and whether every program was interpreted.
    pub whole: bool,
    pub interpreted: bool,
    /// Per unit and entry (probe): whether it was compared.
    pub covered: Vec<(Vec<bool>, bool)>,
}

/// A point that takes longer is worth its own thread. Threads do not change the report.
pub(crate) const WORTH_THREADS: Duration = Duration::from_millis(2);

/// Runs everything at one point. The function may take `fuel` iterations.
pub(crate) fn examine(
    prepared: &mut Prepared,
    func: &Func,
    fuel: u64,
    origin: Origin,
    inputs: &[Datum],
) -> Evaluation {
    prepared.engine.limits.fuel = fuel;
    let value = match outside(func, inputs) {
        Some(error) => Err(error),
        None => prepared.value(inputs),
    };
    let value = match value {
        Ok(value) if value.iter().all(finite) => value,
        Ok(_) => return Evaluation::Rejected(None),
        Err(error) if error.trap == Trap::OutOfFuel => {
            return Evaluation::GivenUp(Endless { span: endless(prepared, error.span), fuel: Some(fuel) });
        }
        Err(error) => return Evaluation::Rejected(Some(error)),
    };
    let nth = extent::number(&prepared.request, origin);
    let whole = prepared.is_whole(nth);
    let outcome = match prepared.run_nth_point(inputs, number_of(inputs), nth) {
        Ok(outcome) => outcome,
        Err((_, error)) if error.trap == Trap::OutOfFuel => {
            return Evaluation::GivenUp(Endless { span: endless(prepared, error.span), fuel: None });
        }
        Err((order, error)) => {
            let point = Box::new(PointReport::bare(origin, inputs, value));
            return Evaluation::Ended(Ended { error, order, point });
        }
    };
    let covered = |u: &Unit| {
        let entries = u.entries.iter().map(|e| e.comparison.is_some_and(|c| c.status.compared())).collect();
        (entries, u.probes.iter().any(|p| p.comparison.status.compared()))
    };
    let covered = prepared.units.iter().map(covered).collect();
    let (backends, interpreted) = prepared.compare_backends(inputs, nth);
    prepared.settle_extent();
    let point = point_report(prepared, origin, inputs, value);
    let iterations = prepared.engine.primal_iterations();
    Evaluation::Seen(Box::new(Seen { outcome, point, iterations, backends, whole, interpreted, covered }))
}

/// Evaluates points on several threads, each with its own programs. The results are in the order of the points; `done` is
/// called for each.
pub(crate) fn spread(
    workers: &mut [Prepared],
    func: &Func,
    fuel: u64,
    points: &[(Origin, Vec<Datum>)],
    done: &(dyn Fn() + Sync),
) -> Vec<Evaluation> {
    let next = AtomicUsize::new(0);
    // Points take unequal times: each thread takes the next one that is left.
    let visits = |prepared: &mut Prepared| -> Vec<(usize, Evaluation)> {
        let mut seen = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some((origin, x)) = points.get(k) else { return seen };
            seen.push((k, examine(prepared, func, fuel, *origin, x)));
            done();
        }
    };
    let mut seen: Vec<(usize, Evaluation)> = workers.par_iter_mut().flat_map_iter(visits).collect();
    seen.sort_unstable_by_key(|(k, _)| *k);
    seen.into_iter().map(|(_, evaluation)| evaluation).collect()
}

/// An argument outside its declared domain.
pub(crate) fn outside(func: &Func, inputs: &[Datum]) -> Option<RuntimeError> {
    func.params.iter().zip(inputs).find_map(|(p, x)| {
        let domain = p.domain?;
        let at = x.elements().position(|c| !domain.contains(c.to_c128()))?;
        let (name, index) = (&p.name, index_text(&indices(x.shape(), at)));
        let trap = Trap::Domain(format!("`{name}{index}` is {}", text::show(x.get(at))));
        Some(RuntimeError { trap, span: p.span })
    })
}

/// The loop to report if a run exceeded its fuel in the loop at `span`: the innermost `while` around it, since only these
/// may not end, else the loop itself.
fn endless(prepared: &Prepared, span: Span) -> Span {
    fn find(r: &Region, span: Span, around: Option<Span>) -> Option<Span> {
        r.insts.iter().filter(|i| i.kind.is_loop() || !i.regions.is_empty()).find_map(|i| {
            let around = if matches!(i.kind, Kind::While(_)) { Some(i.span) } else { around };
            match i.kind.is_loop() && i.span == span {
                true => Some(around.unwrap_or(span)),
                false => i.regions.iter().find_map(|r| find(r, span, around)),
            }
        })
    }
    let m = &prepared.module;
    let reached = m.reachable(prepared.request.func);
    reached.iter().find_map(|f| find(m.func(*f).region()?, span, None)).unwrap_or(span)
}
