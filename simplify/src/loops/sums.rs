//! Sums that a loop carries become sums of its terms: `s += e`, where nothing else in the loop needs `s`.
//!
//! A carried sum adds one term after the other; a sum of terms has sixteen partial sums, which run side by side, and in reverse
//! mode nothing of it has to be stored. No partial sum has more terms than the whole one had, so that the bound of its rounding
//! does not grow. So do sums of integers of which no partial sum can overflow. A sum that compensates for its own rounding (Kahan) uses `s` twice and stays. So does one in a loop that carries
//! anything else: its iterations run one after the other in any case. And one that decides something.
//!
//! A sum of small arrays, which are added up one after the other, too, becomes a sum for each element.

use super::{scalars, scan};
use crate::decisions::Deciding;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Loop, Op, ReduceOp, Region, Scalar, Value, Values};
use rustc_hash::FxHashMap;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let mut any = scalars::sums(f, deciding);
    let ranges = Ranges::of(f);
    scan::edit(f, |body, f| {
        let mut uses = vec![0; f.values.len()];
        body.count_uses(&mut uses);
        let mut s = Sums { f, deciding, ranges, uses, consts: FxHashMap::default(), any };
        s.region(body);
        any = s.any;
    });
    any
}

/// What has to be known of a function to find the sums of its loops.
pub(super) struct Sums<'a> {
    pub f: &'a mut Func,
    pub deciding: &'a Deciding,
    pub ranges: Ranges,
    /// By value.
    pub uses: Vec<u32>,
    pub consts: FxHashMap<Value, Const>,
    pub any: bool,
}

impl Sums<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out: Vec<Inst> = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            if let Kind::Const(c) = inst.kind {
                self.consts.insert(inst.results[0], c);
            }
            match inst.kind {
                Kind::For(l) => self.converted(l, inst, &mut out),
                _ => out.push(inst),
            }
        }
        r.insts = out;
    }

    /// Writes a loop, or what has no carries in its place, if all of them are sums.
    fn converted(&mut self, l: Loop, mut inst: Inst, out: &mut Vec<Inst>) {
        let carries = inst.args.len() - 3;
        let found = self.found(&inst);
        if carries == 0 || found.len() < carries {
            return out.push(inst);
        }
        self.any = true;
        let mut behind = self.taken(&mut inst, &found);
        let one = matches!(self.consts.get(&inst.args[2]), Some(Const::I64(1..)));
        inst.kind = kind(Loop { sums: l.sums + carries as u32, ..l }, 0, one);
        out.push(inst);
        out.append(&mut behind);
    }

    /// The carries of a loop that are sums.
    pub(super) fn found(&self, inst: &Inst) -> Vec<usize> {
        let is_sum = |k: &usize| {
            self.first_link(&inst.regions[0], *k, inst.results[*k]).is_some() && self.fits(inst, *k)
        };
        (0..inst.args.len() - 3).filter(is_sum).collect()
    }

    /// Makes carries of a loop its first sums, all but its kind; what adds them to what they began with comes behind it.
    pub(super) fn taken(&mut self, inst: &mut Inst, carries: &[usize]) -> Vec<Inst> {
        let span = inst.span;
        let (mut behind, mut sums) = (Vec::new(), Vec::new());
        for k in carries {
            let at = self.first_link(&inst.regions[0], *k, inst.results[*k]).expect("it is a sum");
            let op = self.take_out(&mut inst.regions[0], *k, at);
            let (mut r, init) = (inst.results[*k], inst.args[3 + k]);
            let zero = self.consts.get(&init).is_some_and(|c| c.bits() == Const::zero(c.scalar()).bits());
            if !zero || op == Op::Sub {
                let sum = self.f.fresh(self.f.data(r).clone());
                let (args, results) = (Values::from_slice(&[init, sum]), Values::from_slice(&[r]));
                behind.push(Inst { kind: Kind::Op(op), args, results, regions: Vec::new(), span });
                r = sum;
            }
            sums.push((r, inst.regions[0].yields[*k]));
        }
        let others = inst.args.len() - 3 - carries.len();
        let stays = |k: usize| !carries.contains(&k);
        let keep = |list: &[Value], first: usize| -> Vec<Value> {
            let kept = list.iter().enumerate().filter(|(at, _)| *at < first || stays(at - first));
            kept.map(|(_, v)| *v).collect()
        };
        let body = &mut inst.regions[0];
        body.params = keep(&body.params, 1);
        let [mut results, mut yields] = [keep(&inst.results, 0), keep(&body.yields, 0)];
        results.splice(others..others, sums.iter().map(|(r, _)| *r));
        yields.splice(others..others, sums.iter().map(|(_, y)| *y));
        body.yields = yields;
        inst.args = keep(&inst.args, 3).into();
        inst.results = results.into();
        behind
    }

    /// Whether no sum of some terms of carry `k` overflows, with the first value or without it.
    fn fits(&self, inst: &Inst, k: usize) -> bool {
        let (p, init) = (inst.regions[0].params[1 + k], inst.args[3 + k]);
        if self.f.ty(p).scalar().is_float() {
            return true;
        }
        let far = |v: Value| {
            let (least, most) = self.ranges.get(v);
            least.unsigned_abs().max(most.unsigned_abs())
        };
        let [(lo, _), (_, hi)] = [0, 1].map(|k| self.ranges.get(inst.args[k]));
        let turns = hi.checked_sub(lo).map(|n| n.max(0).unsigned_abs());
        let mut now = p;
        let mut sum = Some(far(init));
        for inst in inst.regions[0].insts.iter().filter(|i| matches!(i.kind, Kind::Op(Op::Add))) {
            let other = match inst.args[..] {
                [a, b] if a == now => b,
                [a, b] if b == now => a,
                _ => continue,
            };
            let terms = turns.and_then(|n| n.checked_mul(far(other)));
            sum = sum.zip(terms).and_then(|(a, b)| a.checked_add(b));
            now = inst.results[0];
        }
        sum.is_some_and(|sum| sum <= i64::MAX.unsigned_abs())
    }

    /// The instruction of a loop's body that adds to carry `k`, if the carry is a sum that decides nothing and has no other use:
    /// from there on terms are added and subtracted until it is yielded.
    fn first_link(&self, body: &Region, k: usize, result: Value) -> Option<usize> {
        let (p, y) = (body.params[1 + k], body.yields[k]);
        let ty = self.f.ty(p);
        let integer = ty == Scalar::I64.into();
        let number = !ty.is_array() && (ty.scalar().is_float() || integer);
        if !number || self.deciding.get(p) || self.deciding.get(result) {
            return None;
        }
        let (mut sum, mut first) = (p, None);
        for (at, inst) in body.insts.iter().enumerate() {
            if !inst.args.contains(&sum) {
                continue;
            }
            let other = match (&inst.kind, &inst.args[..]) {
                (Kind::Op(Op::Add), [a, b]) if *a == sum => *b,
                (Kind::Op(Op::Add), [a, b]) if *b == sum => *a,
                (Kind::Op(Op::Sub), [a, b]) if *a == sum && !integer => *b,
                _ => return None,
            };
            if self.uses.get(sum.0 as usize).is_none_or(|n| *n != 1) || self.f.ty(other) != ty {
                return None;
            }
            first.get_or_insert(at);
            sum = inst.results[0];
        }
        // Yielded once, and that is its only use.
        first.filter(|_| sum == y && self.uses.get(y.0 as usize) == Some(&1))
    }

    /// Leaves the carry out of what is added to it: the loop yields the terms. Says whether their sum is added to the first value, or
    /// subtracted.
    fn take_out(&mut self, body: &mut Region, k: usize, at: usize) -> Op {
        let p = body.params[1 + k];
        let (old, args) = (body.insts[at].results[0], body.insts[at].args.clone());
        let other = if args[0] == p { args[1] } else { args[0] };
        let subtracted = body.insts[at].kind == Kind::Op(Op::Sub);
        let only = body.yields[k] == old;
        if subtracted && !only {
            body.insts[at].kind = Kind::Op(Op::Neg);
            body.insts[at].args = Values::from_slice(&[other]);
            return Op::Add;
        }
        body.insts.remove(at);
        let to: FxHashMap<Value, Value> = [(old, other)].into_iter().collect();
        scan::rename(body, self.f, &to);
        if subtracted { Op::Sub } else { Op::Add }
    }
}

/// What a loop is with so many carries, whose step is at least 1 or not: one that does nothing but add up has a kind of its own.
pub(super) fn kind(l: Loop, carries: usize, counts: bool) -> Kind {
    match (carries, l.sums, l.collects) {
        (0, 1, 0) if counts => Kind::Reduce(ReduceOp::Sum),
        _ => Kind::For(l),
    }
}
