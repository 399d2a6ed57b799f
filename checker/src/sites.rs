//! The deciding op at a point: the program itself tells where it is not smooth.

use crate::coordinates::{Coordinate, index_text, indices};
use crate::margins::{Event, EventKind, What, diverging, nearest};
use crate::oracle::{STEP, scale};
use crate::prepare::Prepared;
use crate::report::{Order, Site};
use crate::slots::{get, set};
use crate::text;
use crate::verdict::Verdict;
use adc_ir::*;

/// An op that was found, with its description.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub site: Site,
    /// The condition that holds there: `both operands are equal at x = 1`.
    pub text: String,
    /// Whether a tie is shared among the operands.
    pub shares: bool,
    /// Whether it is a comparison, whose branches have a derivative each.
    pub choice: bool,
}

/// A margin beyond this part of the operands is irrelevant to the point.
const NEAR: f64 = 1e-6;

/// The op that differs between the two sides of a point along one coordinate; else the one that is nearest to where it is
/// not smooth, if it is near.
pub(crate) fn find(
    prepared: &Prepared,
    (order, verdict): (Order, Verdict),
    column: Option<usize>,
    inputs: &[Datum],
) -> Option<Found> {
    let unit = prepared.units.iter().find(|u| u.order == order)?;
    let f = unit.programs.func;
    let column: Option<Coordinate> = column.and_then(|c| unit.columns.get(c).copied());
    let centre = prepared.trace(f, inputs)?;
    let aside = |sign: f64| -> Option<Vec<Event>> {
        let c = column?;
        let step = if unit.single() { STEP.sqrt() } else { STEP };
        let mut moved = inputs.to_vec();
        let z = inputs[c.index].get(c.entry).to_c128();
        let x = get(&inputs[c.index], c.entry, c.part);
        set(&mut moved[c.index], c.entry, c.part, x + sign * step * scale(z.norm()));
        prepared.trace(f, &moved)
    };
    let suits = |e: &Event| suits(verdict, e.kind);
    let parted = aside(-1.0).zip(aside(1.0)).and_then(|(left, right)| {
        let (at, event) = parted(&left, &right, suits)?;
        // At the point itself the same op gives the distance.
        Some(centre.get(at).filter(|e| same(e, event)).unwrap_or(event).clone())
    });
    let event = parted.or_else(|| {
        let list: Vec<Event> = centre.into_iter().filter(suits).collect();
        nearest(&list).filter(|e| near(e)).cloned()
    })?;
    let at = column.map_or(String::new(), |c| at(prepared.module.func(f), unit, c, inputs));
    let site = Site { verdict, op: name(event.what), span: event.span, margin: event.margin.abs() };
    let shares = matches!(event.what, What::Op(Op::Max | Op::Min | Op::Clamp) | What::Reduce(_));
    Some(Found { site, text: words(&event, &at), shares, choice: event.kind == EventKind::Choice })
}

/// The first suitable op that decides differently on the two sides; its position in both.
fn parted<'a>(
    left: &'a [Event],
    right: &'a [Event],
    suits: impl Fn(&Event) -> bool,
) -> Option<(usize, &'a Event)> {
    let mut from = 0;
    while let Some(at) = diverging(&left[from..], &right[from..]) {
        let at = from + at;
        let event = left.get(at).or(right.get(at)).filter(|e| suits(e));
        if event.is_some() {
            return event.map(|e| (at, e));
        }
        // After a different op, the events cannot be matched.
        left.get(at).zip(right.get(at)).filter(|(a, b)| same(a, b))?;
        from = at + 1;
    }
    None
}

fn same(a: &Event, b: &Event) -> bool {
    (a.span, a.what, a.kind) == (b.span, b.what, b.kind)
}

/// Whether an op of this kind can be the reason for a verdict.
fn suits(verdict: Verdict, kind: EventKind) -> bool {
    match kind {
        EventKind::Choice => true,
        EventKind::Kink => matches!(verdict, Verdict::Kink | Verdict::BadKink),
        EventKind::Jump | EventKind::Cut => !matches!(verdict, Verdict::Kink | Verdict::OutOfDomain),
        EventKind::Edge => verdict != Verdict::Discontinuous,
    }
}

/// As it is written.
fn name(what: What) -> &'static str {
    match what {
        What::Op(Op::Lt) => "<",
        What::Op(Op::Le) => "<=",
        What::Op(Op::Gt) => ">",
        What::Op(Op::Ge) => ">=",
        What::Op(Op::Eq) => "==",
        What::Op(Op::Ne) => "!=",
        What::Op(_) | What::Reduce(_) | What::Linalg(_) => what.name(),
    }
}

fn near(e: &Event) -> bool {
    let size = e.operands.iter().map(|z| z.norm()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    e.margin.abs() <= NEAR * size.max(f64::MIN_POSITIVE)
}

/// ` at x[3] = 1`
fn at(func: &Func, unit: &crate::unit::Unit, c: Coordinate, inputs: &[Datum]) -> String {
    let index = index_text(&indices(&unit.param_shapes[c.index], c.entry));
    let value = text::show(inputs[c.index].get(c.entry));
    format!(" at {}{index} = {value}", func.params[c.index].name)
}

/// The description of an event.
fn words(e: &Event, at: &str) -> String {
    let what = match (e.kind, e.what) {
        (EventKind::Choice, _) => "both sides are equal",
        (EventKind::Cut, What::Linalg(_)) => "another element of a vector takes over its sign or phase",
        (EventKind::Cut, _) => "the operand is on the branch cut",
        (EventKind::Edge, What::Op(Op::Div | Op::Mod)) => "the divisor is 0",
        (EventKind::Edge, What::Linalg(_)) => "the matrix is singular",
        (EventKind::Edge, What::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne)) => {
            "the condition changes"
        }
        (EventKind::Edge, _) => "the domain ends",
        (_, What::Linalg(LinalgOp::QrQ)) => "the columns are linearly dependent",
        (_, What::Linalg(op)) if op.is_rectangular() => "two singular values are equal, or one is 0",
        (_, What::Linalg(_)) => "two eigenvalues are equal",
        (_, What::Op(Op::Max | Op::Min)) => "both operands are equal",
        (_, What::Op(Op::Clamp)) => "the operand is at a bound",
        (_, What::Op(Op::Hypot)) => "both operands are 0",
        (_, What::Reduce(ReduceOp::Max | ReduceOp::ArgMax)) => "the two largest terms are equal",
        (_, What::Reduce(ReduceOp::Min | ReduceOp::ArgMin)) => "the two smallest terms are equal",
        (_, What::Op(Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::ToI64 | Op::Mod)) => {
            "the value has a step"
        }
        (EventKind::Kink | EventKind::Jump, _) => "the operand is 0",
    };
    match e.margin.abs() {
        0.0 => format!("{what}{at}"),
        d if d.is_finite() => format!("{what} {d:.1e} from here{at}"),
        _ => format!("not smooth{at}"),
    }
}
