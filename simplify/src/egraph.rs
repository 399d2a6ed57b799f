//! The e-graph pass: rewrites of straight-line runs of scalar float ops, each run at once, by the rules of
//! [`crate::rules`], and the cheapest program among all those found.
//!
//! A *window* is what a region's body computes between two assertions, up to `WINDOW` ops, in order; values from before, and
//! results of everything that is no float op, are leaves. Loops, branches, calls and reads of arrays between ops stay where
//! they are. What is needed outside a window is extracted together. Facts ([`crate::facts`]) are those that hold in the window's region.
//!
//! * Bits that decide are kept: what a comparison, a jump or a branch cut depends on ([`crate::decisions`]) is computed by the
//!   instructions of the input, so that a function and its derivatives, optimised apart, take the same branches.
//! * All limits are counts. The same program gives the same code on every machine.
//! * The result is never more expensive than the input, by [`crate::cost`]; where it is as expensive, the input stays as it is.
//! * Under `fp(fast)` sums and products are put in order before, as linear combinations and products of powers (`nary`).
//! * What contraction will make of the result ([`crate::contract`]) is part of its price.
//!
//! Measured on 2026-11-22 (`benches/egraph.rs`, `tests/counts.txt`): 2 to 3 µs per op with [`Effort::Bounded`], linear in the size of
//! the program, and 6 % less latency than the exact passes on the models' derivatives of 50 ops and more. Limits ten times larger
//! save less than another half per cent: most of what is found is found in the first rounds.
//!
//! egg's own explanations are slow. Where rewrites are asked for, each application of a rule is noted with those that made what it
//! matched (`language::Step`), so that every rewrite is known that led to what was chosen.

mod alone;
mod extract;
mod language;
mod matching;
mod nary;
mod window;

pub use matching::Limits;
pub(crate) use matching::Rewrites;

use crate::contract;
use crate::decisions::{Deciding, Decisions};
use crate::explain::{self, Explanation};
use crate::facts::Known;
use crate::pipeline::Options;
use crate::rules::Rule;
use adc_ir::ranges::Ranges;
use adc_ir::{Body, Const, FpMode, Func, FuncId, Inst, Kind, Module, Op, Region, Value, ValueData};

/// Ops of a window at most.
const WINDOW: usize = 500;
/// Functions of more instructions are rewritten by rules of at most two ops, once.
const LARGE: usize = 10_000;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// A few rounds, linear in the size of the program. For tests and benches: no level uses it.
    Bounded,
    /// Level 3: to saturation of most windows.
    Large,
}

impl Effort {
    fn limits(self) -> Limits {
        match self {
            Effort::Bounded => {
                Limits { rounds: 3, nodes_per_op: 10, nodes: 1_500, matches: 1_000, moves: 4_000 }
            }
            Effort::Large => {
                Limits { rounds: 12, nodes_per_op: 100, nodes: 20_000, matches: 20_000, moves: 400_000 }
            }
        }
    }
}

/// Rewrites those functions that `which` is true for, each in its floating-point mode, and contracts what is left. Results may
/// round differently, no more than before, unless the mode is strict; values that decide keep their bits.
///
/// The canonicaliser has to come after it.
pub fn functions(m: &mut Module, which: &[bool], effort: Effort) {
    both(m, which, effort, None);
}

fn both(m: &mut Module, which: &[bool], effort: Effort, mut explain: Option<&mut Vec<Explanation>>) {
    pass(m, which, effort, &Rewrites::new(&Options::default()), explain.as_deref_mut());
    let decisions = Decisions::of(m);
    contract::functions(m, which, &decisions, explain);
}

/// [`functions`], with the rewrites that the result shows, in order.
pub fn explained(m: &mut Module, which: &[bool], effort: Effort) -> Vec<Explanation> {
    let mut out = Vec::new();
    both(m, which, effort, Some(&mut out));
    out
}

/// [`functions`] by some rewrites only.
pub(crate) fn pass(
    m: &mut Module,
    which: &[bool],
    effort: Effort,
    rewrites: &Rewrites,
    mut explain: Option<&mut Vec<Explanation>>,
) {
    let decisions = Decisions::of(m);
    for (i, _) in which.iter().enumerate().filter(|(_, w)| **w) {
        let id = FuncId(i as u32);
        let how = How { effort, rewrites, alone: None };
        function(&mut m.funcs[i], decisions.within(id), how, id, explain.as_deref_mut());
    }
}

/// Makes every match of one rewrite its right side, whatever that costs, in the functions that `which` is true for, and does nothing
/// else: in the whole pipeline a row may be hard to reach, because what it matches is rewritten before, or its right side is not the
/// cheapest. `row` is the place among [`crate::rules::all`] of the row that the rewrite is, or stands for.
///
/// The canonicaliser has to come after it.
pub fn alone(m: &mut Module, which: &[bool], row: usize, rule: &'static Rule) {
    let decisions = Decisions::of(m);
    let rewrites = Rewrites::new(&Options::default());
    for (i, _) in which.iter().enumerate().filter(|(_, w)| **w) {
        let id = FuncId(i as u32);
        let alone = Some(matching::entry(row, rule));
        let how = How { effort: Effort::Large, rewrites: &rewrites, alone };
        function(&mut m.funcs[i], decisions.within(id), how, id, None);
    }
}

/// How functions are rewritten.
#[derive(Clone, Copy)]
struct How<'a> {
    effort: Effort,
    rewrites: &'a Rewrites,
    /// The one rewrite that is applied, if it is one.
    alone: Option<&'static matching::Entry>,
}

fn function(f: &mut Func, deciding: &Deciding, how: How, id: FuncId, explain: Option<&mut Vec<Explanation>>) {
    let size = f.inst_count();
    let ranges = Ranges::of(f);
    let Body::Region(body) = &mut f.body else { return };
    let mut body = std::mem::take(body);
    if f.mode() == FpMode::Fast && how.alone.is_none() {
        nary::function(f, &mut body, deciding);
    }
    let known = Known::of(f, &ranges);
    let values = std::mem::take(&mut f.values);
    let mut uses = vec![0; values.len()];
    body.count_uses(&mut uses);
    let shapes = values.iter().map(|d| &d.shape).chain(f.results.iter().map(|r| &r.shape));
    shapes.flatten().flat_map(|d| d.vars()).for_each(|v| uses[v.0 as usize] += 1);
    let mut limits = how.effort.limits();
    if size > LARGE {
        limits.rounds = 1;
    }
    let mut walk = Walk {
        known,
        consts: vec![None; values.len()],
        replaced: (0..values.len() as u32).map(Value).collect(),
        values,
        uses,
        deciding,
        mode: f.mode(),
        limits,
        small: size > LARGE,
        alone: how.alone,
        rewrites: how.rewrites,
        explain: explain.is_some().then(Vec::new),
        func: id,
    };
    let mut body = walk.region(body);
    let Walk { mut values, replaced, explain: found, .. } = walk;
    let place = |v: Value| resolve(&replaced, v);
    body.rename_uses(&place);
    let shapes = values.iter_mut().map(|d| &mut d.shape).chain(f.results.iter_mut().map(|r| &mut r.shape));
    shapes.flatten().for_each(|dim| *dim = dim.rename(place));
    f.body = Body::Region(body);
    f.values = values;
    if let (Some(out), Some(found)) = (explain, found) {
        explain::merge(out, found);
    }
}

fn resolve(replaced: &[Value], mut v: Value) -> Value {
    // Values made by the pass stand for themselves.
    while let Some(to) = replaced.get(v.0 as usize)
        && *to != v
    {
        v = *to;
    }
    v
}

/// Whether the e-graph knows the instruction: an op with a float result.
fn is_float_op(inst: &Inst, values: &[ValueData]) -> Option<Op> {
    match inst.kind {
        Kind::Op(op) => {
            let ty = values[inst.results[0].0 as usize].ty;
            (ty.scalar().is_float() && !ty.is_array()).then_some(op)
        }
        _ => None,
    }
}

/// The walk over one function.
struct Walk<'a> {
    values: Vec<ValueData>,
    known: Known<'a>,
    consts: Vec<Option<Const>>,
    /// What stands for a value of the original program.
    replaced: Vec<Value>,
    /// Uses in the original program.
    uses: Vec<u32>,
    deciding: &'a Deciding,
    mode: FpMode,
    limits: Limits,
    /// Only rules of at most two ops.
    small: bool,
    /// The one rewrite that is applied, if it is one.
    alone: Option<&'static matching::Entry>,
    rewrites: &'a Rewrites,
    explain: Option<Vec<Explanation>>,
    func: FuncId,
}

impl Walk<'_> {
    fn region(&mut self, r: Region) -> Region {
        let mark = self.known.mark();
        let mut out = Vec::with_capacity(r.insts.len());
        let (mut pending, mut ops) = (Vec::new(), 0);
        for mut inst in r.insts {
            self.nested(&mut inst);
            self.known.learn(&inst, &self.values);
            if let Kind::Const(c) = inst.kind {
                self.consts[inst.results[0].0 as usize] = Some(c);
            }
            ops += is_float_op(&inst, &self.values).is_some() as usize;
            let asserted = matches!(inst.kind, Kind::Assert(_)).then(|| inst.args[0]);
            pending.push(inst);
            if asserted.is_some() || ops == WINDOW {
                self.window(std::mem::take(&mut pending), &mut out);
                ops = 0;
            }
            if let Some(cond) = asserted {
                self.known.assume(cond, true, &self.values);
            }
        }
        self.window(pending, &mut out);
        self.known.forget(mark);
        Region { params: r.params, insts: out, yields: r.yields }
    }

    fn nested(&mut self, inst: &mut Inst) {
        for k in 0..inst.regions.len() {
            let mark = self.known.mark();
            self.known.enter(inst, k, &self.values);
            inst.regions[k] = self.region(std::mem::take(&mut inst.regions[k]));
            self.known.forget(mark);
        }
    }
}
