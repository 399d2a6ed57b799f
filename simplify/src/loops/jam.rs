//! Several iterations of a loop become one, if the loops inside them become one: what all of them read is read once, and what all of them
//! add to is loaded and stored once (unroll and jam: Callahan, Carr and Kennedy, *Improving register allocation for subscripted
//! variables*, 1990).
//!
//! Sums are taken in another order, so this rounds differently, if not more: not in strict functions, and not what decides. Arrays are added
//! to in the same order as before.

use super::{cycles, merge, scan, together, transposed};
use crate::decisions::Deciding;
use adc_ir::dce::Asserting;
use adc_ir::dims::Known;
use adc_ir::{Const, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Span, Value};

/// Iterations that become one, by how many instructions each has at most.
const TOGETHER: [(usize, i64); 2] = [(64, 4), (800, 2)];
/// Iterations of the outer loop, at least: fewer do not pay for the code.
const FEWEST: i64 = 16;
/// The same of one with sums: no term goes through more additions then than in one sum of all.
const FEWEST_OF_SUMS: i64 = 96;
/// Iterations of loops inside, at least: shorter ones do not run in lanes, but the outer loop may.
const LANES: i64 = 16;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding, asserting: &Asserting) -> bool {
    let mut known = Known::of(f);
    let mut any = false;
    scan::edit(f, |body, f| any = Jammer { f, known: &mut known, deciding, asserting }.region(body));
    any
}

/// The iterations of a loop, and how many of them are taken together.
#[derive(Clone, Copy)]
struct Turns {
    lo: i64,
    hi: i64,
    together: i64,
}

struct Jammer<'a> {
    f: &'a mut Func,
    known: &'a mut Known,
    deciding: &'a Deciding,
    asserting: &'a Asserting,
}

impl Jammer<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            match self.turns(&inst).and_then(|turns| self.jammed(&inst, turns)) {
                Some(new) => {
                    any = true;
                    out.extend(new);
                }
                None => {
                    inst.regions.iter_mut().for_each(|r| any |= self.region(r));
                    out.push(inst);
                }
            }
        }
        r.insts = out;
        any
    }

    /// The iterations of a loop that could be taken together.
    fn turns(&self, inst: &Inst) -> Option<Turns> {
        let Kind::For(Loop { collects: 0, checkpoint: None, .. }) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| inst.args[k]).map(|v| self.known.number(v));
        let (lo, hi) = (lo?, hi?);
        let body = &inst.regions[0];
        let carried = inst.args.len() - 3;
        let array = |v: &Value| self.f.ty(*v).is_array() && self.f.ty(*v).scalar() == Scalar::F64;
        let sum = |(v, y): (&Value, &Value)| {
            self.f.ty(*v).scalar() == Scalar::F64 && !self.deciding.get(*v) && !self.deciding.get(*y)
        };
        let fewest = if inst.results.len() > carried { FEWEST_OF_SUMS } else { FEWEST };
        let size = scan::size(body);
        let (_, together) = TOGETHER.into_iter().find(|(most, _)| size <= *most)?;
        let mut sums = inst.results.iter().zip(&body.yields).skip(carried);
        let fits = step == Some(1)
            && hi.checked_sub(lo).is_some_and(|n| n >= fewest)
            && carried > 0
            && inst.args[3..].iter().all(array)
            && sums.all(sum)
            && !self.asserting.inst(inst)
            && is_around(inst, self.f, self.known, self.deciding);
        fits.then_some(Turns { lo, hi, together })
    }

    /// The loop over so many iterations together, one over those that are left, and the sums of both; `None` if loops inside stay apart.
    fn jammed(&mut self, inst: &Inst, turns: Turns) -> Option<Vec<Inst>> {
        let (body, span) = (&inst.regions[0], inst.span);
        let carried = inst.args.len() - 3;
        let Turns { lo, hi, together } = turns;
        let count = (hi - lo) / together;
        let rest = lo + count * together;
        let several = self.body(body, turns, carried, span)?;

        let mut out = Vec::new();
        let mut number = |f: &mut Func, n: i64| scan::constant(f, Const::I64(n), span, &mut out);
        let [zero, one, count] = [0, 1, count].map(|n| number(self.f, n));
        let [from, to] = [rest, hi].map(|n| number(self.f, n));
        let mut left = (rest < hi).then(|| inst.clone());
        let results = match left {
            Some(_) => self.like(&inst.results[..carried]),
            None => inst.results[..carried].to_vec(),
        };
        let sums = &inst.results[carried..];
        let parts: Vec<Vec<Value>> = (0..together).map(|_| self.like(sums)).collect();
        let all = parts.iter().flatten().copied();
        let gathered = sums.len() * together as usize;
        out.push(Inst {
            kind: Kind::For(Loop { sums: gathered as u32, ..Loop::default() }),
            args: [zero, count, one].into_iter().chain(inst.args[3..].iter().copied()).collect(),
            results: results.iter().copied().chain(all).collect(),
            regions: vec![several],
            span,
        });
        let mut parts = parts;
        if let Some(left) = &mut left {
            let own = self.like(sums);
            left.args = [from, to, one].into_iter().chain(results).collect();
            left.results = inst.results[..carried].iter().chain(&own).copied().collect();
            parts.push(own);
        }
        out.extend(left);
        for (k, y) in sums.iter().enumerate() {
            let terms: Vec<Value> = parts.iter().map(|p| p[k]).collect();
            self.add_up(&terms, *y, span, &mut out);
        }
        Some(out)
    }

    /// New values like these.
    fn like(&mut self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.f.fresh(self.f.data(*v).outer(&[]))).collect()
    }

    /// `y` is the sum of numbers, or of arrays.
    fn add_up(&mut self, terms: &[Value], y: Value, span: Span, out: &mut Vec<Inst>) {
        let rank = self.f.shape(y).len();
        let params: Vec<Value> = (0..rank).map(|_| self.f.fresh(Scalar::I64.into())).collect();
        let mut insts = Vec::new();
        let element = |(f, insts): (&mut Func, &mut Vec<Inst>), v: &Value| match rank {
            0 => *v,
            _ => scan::emit(f, Kind::Index, &[&[*v], &params[..]].concat(), Scalar::F64.into(), span, insts),
        };
        let terms: Vec<Value> = terms.iter().map(|v| element((self.f, &mut insts), v)).collect();
        let mut sum = terms[0];
        for x in &terms[1..] {
            sum = scan::emit(self.f, Kind::Op(Op::Add), &[sum, *x], Scalar::F64.into(), span, &mut insts);
        }
        if rank > 0 {
            let region = Region { params, insts, yields: vec![sum] };
            let kind = Kind::Build { rank: rank as u8 };
            out.push(Inst { regions: vec![region], ..Inst::simple(kind, &[], y, span) });
            return;
        }
        insts.last_mut().expect("there are several").results[0] = y;
        out.extend(insts);
    }

    /// So many iterations one after the other, but the loops inside them together; `None` if one has to stay apart.
    fn body(&mut self, body: &Region, turns: Turns, carried: usize, span: Span) -> Option<Region> {
        let params: Vec<Value> = body.params.iter().map(|v| self.f.fresh(self.f.data(*v).clone())).collect();
        let mut new = Region { params, ..Region::default() };
        let mut carry = new.params[1..].to_vec();
        let mut sums = Vec::new();
        // By loop inside: a result of each copy of it.
        let mut copies = vec![Vec::new(); loops(&body.insts).count()];
        // By `if`: its place, the branch that it usually takes, and a result of each copy of it.
        let all = body.insts.iter().enumerate();
        let usual = all.filter_map(|(at, i)| Some((at, together::usual(i, body, self.f)?, Vec::new())));
        let mut ifs: Vec<(usize, usize, Vec<Value>)> = usual.collect();
        for k in 0..turns.together {
            let mut index = new.params[0];
            for (op, n) in [(Op::Mul, turns.together), (Op::Add, turns.lo + k)] {
                let n = scan::constant(self.f, Const::I64(n), span, &mut new.insts);
                let args = [index, n];
                index = scan::emit(self.f, Kind::Op(op), &args, Scalar::I64.into(), span, &mut new.insts);
            }
            let (insts, mut yields) = scan::copy(body, self.f, &[&[index], &carry[..]].concat());
            copies.iter_mut().zip(loops(&insts)).for_each(|(c, i)| c.push(i.results[0]));
            ifs.iter_mut().for_each(|(at, _, copies)| copies.push(insts[*at].results[0]));
            new.insts.extend(insts);
            sums.extend(yields.split_off(carried));
            carry = yields;
        }
        new.yields = [carry, sums].concat();
        for inst in &new.insts {
            scan::each(inst, &mut |i| self.known.note(i, &self.f.values));
        }
        for (_, branch, copies) in ifs {
            together::join(&mut new, &copies, branch, self.f, self.known, self.asserting);
        }
        for copies in copies {
            if !merge_all(&mut new, &copies, self.f, self.known, self.asserting) {
                return None;
            }
        }
        Some(new)
    }
}

/// Makes one loop of several, each the first result of one; whether that can be done.
pub(super) fn merge_all(
    r: &mut Region,
    copies: &[Value],
    f: &mut Func,
    known: &Known,
    asserting: &Asserting,
) -> bool {
    for pair in copies.windows(2) {
        let place = |v: &Value| r.insts.iter().position(|i| i.results.contains(v));
        let (Some(first), Some(second)) = (place(&pair[0]), place(&pair[1])) else { return false };
        if !merge::pair(r, [first, second], f, known, asserting) {
            return false;
        }
    }
    let last = copies.last().expect("there are several");
    let merged = r.insts.iter_mut().find(|i| i.results.contains(last)).expect("it was merged");
    interleave(merged, copies.len());
    true
}

/// Whether a loop adds to arrays by loops inside it that may run in lanes, and does not run in lanes itself.
pub(super) fn is_around(inst: &Inst, f: &Func, known: &Known, deciding: &Deciding) -> bool {
    let body = &inst.regions[0];
    body.insts.iter().any(|i| adds(i, &body.params[1..], f, known))
        && !transposed::has_columns(inst)
        && !cycles::applies(f, known, deciding, inst)
}

/// Whether a loop inside adds to what the loop around carries, and may run in lanes.
fn adds(inst: &Inst, carried: &[Value], f: &Func, known: &Known) -> bool {
    let Kind::For(_) = inst.kind else { return false };
    let turns = known.number(inst.args[1]).zip(known.number(inst.args[0]));
    let inits = &inst.args[3..];
    inits.iter().any(|v| carried.contains(v))
        && inits.iter().all(|v| f.ty(*v).is_array())
        && turns.is_some_and(|(hi, lo)| hi.saturating_sub(lo) >= LANES)
}

/// Puts arrays that a loop collects for each of the iterations next to each other: what they have in common is read for all of them.
fn interleave(merged: &mut Inst, copies: usize) {
    let Kind::For(Loop { collects, .. }) = merged.kind else { return };
    let (n, each) = (merged.results.len(), collects as usize / copies);
    let first = n - collects as usize;
    let place = |k: usize| match k.checked_sub(first) {
        Some(k) => first + k % copies * each + k / copies,
        None => k,
    };
    let results = &merged.results;
    merged.results = (0..n).map(|k| results[place(k)]).collect();
    let yields = &merged.regions[0].yields;
    merged.regions[0].yields = (0..n).map(|k| yields[place(k)]).collect();
}

/// The loops of a body that can be merged with others.
pub(super) fn loops(insts: &[Inst]) -> impl Iterator<Item = &Inst> {
    let can =
        |i: &&Inst| matches!(i.kind, Kind::For(_) | Kind::Build { rank: 1 } | Kind::Reduce(ReduceOp::Sum));
    insts.iter().filter(can).filter(|i| !i.results.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use adc_ir::PARTIALS;

    /// Additions that a term of a sum goes through, at most: into its partial sum, and from there to the end.
    fn additions(terms: i64) -> i64 {
        let partials = PARTIALS as i64;
        (terms + partials - 1) / partials + i64::from(PARTIALS.ilog2())
    }

    #[test]
    fn no_term_goes_through_more_additions() {
        for terms in FEWEST_OF_SUMS..5000 {
            for (_, together) in TOGETHER {
                let (count, rest) = (terms / together, terms % together);
                let sums = together + i64::from(rest > 0);
                let most = (additions(count) + sums - 1).max(additions(rest) + 1);
                assert!(most <= additions(terms), "{terms} terms, {together} together: {most}");
            }
        }
    }
}
