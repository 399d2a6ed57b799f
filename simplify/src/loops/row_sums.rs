//! Sums over a matrix that two loops take row by row are taken over several rows at once, in loops of their own.
//!
//! The reverse of a convolution with a few taps has a sum for each of them. At the end of each row, all partial sums are added up, which
//! for short rows takes longer than the row; and there are more partial sums than registers. What the terms have in common, as the cotangent
//! of an element, is stored; terms of several rows are added before they go into a sum, so that there are fewer ends of rows.
//!
//! Sums are taken in another order, so this rounds differently, if not more: not in strict functions, and not what decides.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::{
    Const, Dim, Func, Inst, Kind, Loop, Op, PARTIALS, Region, Scalar, Span, Type, Value, ValueData, Values,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Sums, at least: few fit into registers.
const FEWEST: usize = 6;
/// Sums, at least, for each matrix that is stored for them.
const SUMS: usize = 3;
/// Elements of a row, at least: fewer do not fill a vector.
const ROW: i64 = 8;
/// Rows that are taken together, at most, and terms that these have in all.
const TOGETHER: i64 = 8;
const TERMS: i64 = 240;
/// Elements of a matrix that is stored, at most.
const ELEMENTS: i64 = 1 << 20;
/// Operations from what is stored to a term, at most.
const STEPS: usize = 4;
/// How far away from a term what is common is looked for.
const DEPTH: usize = 4;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let known = Known::of(f);
    let mut any = false;
    scan::edit(f, |body, f| any = RowSums { f, known: &known, deciding }.region(body));
    any
}

struct RowSums<'a> {
    f: &'a mut Func,
    known: &'a Known,
    deciding: &'a Deciding,
}

/// Sums that leave two loops.
struct Found {
    /// The loop inside.
    at: usize,
    /// The sums: their places among what the loops give.
    sums: Vec<[usize; 2]>,
    /// Numbers and truth values of the loop inside that are stored.
    stored: Vec<Value>,
    /// Rows, elements of one, and rows that are taken together.
    rows: i64,
    row: i64,
    together: i64,
}

/// The bodies of both loops.
struct Bodies<'r> {
    outer: &'r Region,
    inner: &'r Region,
    /// By result: what makes it.
    made: FxHashMap<Value, &'r Inst>,
    inside: FxHashSet<Value>,
}

impl<'r> Bodies<'r> {
    fn of(outer: &'r Region, inner: &'r Region) -> Bodies<'r> {
        let all = outer.insts.iter().chain(&inner.insts);
        let made = all.flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        let inside = inner.insts.iter().flat_map(|i| i.results.iter().copied()).collect();
        Bodies { outer, inner, made, inside }
    }

    /// What computes a value again, if that is cheap and reads nothing that changes.
    fn again(&self, v: Value, f: &Func) -> Option<&'r Inst> {
        let inst = *self.made.get(&v)?;
        let plain = match inst.kind {
            Kind::Const(_) => true,
            Kind::Index => {
                let array = inst.args[0];
                let fixed = !self.made.contains_key(&array)
                    && !self.outer.params.contains(&array)
                    && !self.inner.params.contains(&array);
                fixed && !f.ty(v).is_array()
            }
            Kind::Op(op) => scan::is_cheap(op) && matches!(f.ty(v), Type::F64 | Type::I64 | Type::BOOL),
            _ => false,
        };
        plain.then_some(inst)
    }

    /// Whether it is an index, or comes from outside.
    fn is_given(&self, v: Value) -> bool {
        let index = v == self.outer.params[0] || v == self.inner.params[0];
        let param = self.outer.params.contains(&v) || self.inner.params.contains(&v);
        index || (!param && !self.made.contains_key(&v))
    }

    fn is_step(&self, v: Value, f: &Func) -> bool {
        let op = self.made.get(&v).is_some_and(|i| matches!(i.kind, Kind::Op(_)));
        op && self.inside.contains(&v) && matches!(f.ty(v), Type::F64 | Type::BOOL)
    }

    /// Numbers and truth values near a term, each once.
    fn near(&self, v: Value, depth: usize, f: &Func, seen: &mut FxHashSet<Value>) {
        if depth == 0 || !self.is_step(v, f) || !seen.insert(v) {
            return;
        }
        self.made[&v].args.iter().for_each(|v| self.near(*v, depth - 1, f, seen));
    }

    /// What has to be stored for a value, and the operations from there; `None` if it cannot be had later.
    fn needs(&self, v: Value, of: &mut Needs, f: &Func) -> Option<()> {
        if self.is_given(v) || of.seen.contains(&v) {
            return Some(());
        }
        let can = self.inside.contains(&v) && matches!(f.ty(v), Type::F64 | Type::BOOL);
        let step = self.is_step(v, f);
        let again = self.again(v, f).filter(|_| !(step && of.common.contains(&v)));
        match again {
            Some(inst) => {
                of.seen.insert(v);
                of.steps += usize::from(step);
                of.arrays.extend(inst.args.first().filter(|_| inst.kind == Kind::Index));
                inst.args.iter().try_for_each(|v| self.needs(*v, of, f))
            }
            None if can => {
                of.seen.insert(v);
                of.stored.push(v);
                Some(())
            }
            None => None,
        }
    }
}

/// What a term needs.
#[derive(Default)]
struct Needs {
    /// What several terms have in common.
    common: FxHashSet<Value>,
    seen: FxHashSet<Value>,
    stored: Vec<Value>,
    arrays: Vec<Value>,
    steps: usize,
}

impl RowSums<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| any |= self.region(r));
            match self.find(&inst) {
                Some(found) => {
                    self.change(inst, found, &mut out);
                    any = true;
                }
                None => out.push(inst),
            }
        }
        r.insts = out;
        any
    }

    /// How many iterations there are, of a loop that counts from 0.
    fn turns(&self, inst: &Inst) -> Option<(Loop, i64)> {
        let Kind::For(l) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
        (l.checkpoint.is_none() && (lo, step) == (Some(0), Some(1))).then_some((l, hi?))
    }

    fn find(&self, inst: &Inst) -> Option<Found> {
        let (of, rows) = self.turns(inst)?;
        (of.sums as usize >= FEWEST).then_some(())?;
        let outer = &inst.regions[0];
        outer.insts.iter().enumerate().find_map(|(at, i)| self.sums(inst, of, rows, at, i))
    }

    /// The sums of a loop inside that can leave it.
    fn sums(&self, inst: &Inst, of: Loop, rows: i64, at: usize, inner: &Inst) -> Option<Found> {
        let (l, row) = self.turns(inner)?;
        let fits = row >= ROW && rows > 1 && rows.checked_mul(row).is_some_and(|n| n <= ELEMENTS);
        (fits && l.sums as usize >= FEWEST).then_some(())?;
        let bodies = Bodies::of(&inst.regions[0], &inner.regions[0]);
        let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
        let mut see = |v: Value| *uses.entry(v).or_default() += 1;
        bodies.outer.yields.iter().copied().for_each(&mut see);
        bodies.outer.insts.iter().for_each(|i| scan::uses(i, self.f, &mut see));

        let first = |inst: &Inst| inst.args.len() - 3;
        let all = first(inst)..first(inst) + of.sums as usize;
        let candidates: Vec<[usize; 2]> = all
            .filter_map(|k| {
                let v = bodies.outer.yields[k];
                let at = inner.results.iter().position(|y| *y == v)?;
                let is_sum = at >= first(inner) && at < first(inner) + l.sums as usize;
                let decides = self.deciding.get(v) || self.deciding.get(inst.results[k]);
                (is_sum && uses[&v] == 1 && self.f.ty(v) == Type::F64 && !decides).then_some([k, at])
            })
            .collect();
        let mut near: FxHashMap<Value, usize> = FxHashMap::default();
        for [_, at] in &candidates {
            let mut seen = FxHashSet::default();
            bodies.near(bodies.inner.yields[*at], DEPTH, self.f, &mut seen);
            seen.into_iter().for_each(|v| *near.entry(v).or_default() += 1);
        }
        let common: FxHashSet<Value> = near.into_iter().filter(|(_, n)| *n > 1).map(|(v, _)| v).collect();
        let (mut sums, mut stored) = (Vec::new(), Vec::new());
        for pair in candidates {
            let mut needs = Needs { common: common.clone(), ..Needs::default() };
            let later = bodies.needs(bodies.inner.yields[pair[1]], &mut needs, self.f).is_some();
            // What a sum has for itself needs no array.
            let shared = needs.stored.iter().all(|v| common.contains(v));
            if later && shared && needs.steps <= STEPS && !scan::consumed(inst, &needs.arrays) {
                sums.push(pair);
                needs.stored.into_iter().for_each(|v| {
                    if !stored.contains(&v) {
                        stored.push(v)
                    }
                });
            }
        }
        let together = together(rows, sums.len() as i64)?;
        let worth = sums.len() >= FEWEST && sums.len() >= SUMS * stored.len();
        worth.then_some(Found { at, sums, stored, rows, row, together })
    }

    /// The loops without the sums, and those that take them.
    fn change(&mut self, mut inst: Inst, found: Found, out: &mut Vec<Inst>) {
        let span = inst.span;
        let old = inst.clone();
        let mut matrices: FxHashMap<Value, Value> = FxHashMap::default();
        let size = |n: i64| Dim::constant(n);
        // What is stored is collected by both loops.
        let outer = &mut inst.regions[0];
        let inner = &mut outer.insts[found.at];
        for v in &found.stored {
            let body = &mut inner.regions[0];
            let mut element = *v;
            if self.f.ty(*v) == Type::BOOL {
                let [yes, no] =
                    [1.0, 0.0].map(|x| scan::constant(self.f, Const::F64(x), span, &mut body.insts));
                let (args, data) = ([*v, yes, no], Scalar::F64.into());
                element = scan::emit(self.f, Kind::Op(Op::Select), &args, data, span, &mut body.insts);
            }
            let row = self.f.fresh(ValueData::array(Scalar::F64, vec![size(found.row)]));
            body.yields.push(element);
            inner.results.push(row);
            outer.yields.push(row);
            let matrix = self.f.fresh(ValueData::array(Scalar::F64, vec![size(found.rows), size(found.row)]));
            inst.results.push(matrix);
            matrices.insert(*v, matrix);
        }
        let gone = |k: usize| found.sums.iter().map(move |pair| pair[k]).collect::<FxHashSet<usize>>();
        without(inner, &gone(1), found.stored.len());
        without(&mut inst, &gone(0), found.stored.len());
        out.push(inst);

        let again = Again { old: &old, found: &found, matrices: &matrices };
        let full = found.rows / found.together;
        let left = found.rows % found.together;
        let mut parts: Vec<Vec<Value>> = Vec::new();
        if full > 1 {
            let turn = self.f.fresh(Scalar::I64.into());
            let mut body = Region { params: vec![turn], ..Region::default() };
            let by = scan::constant(self.f, Const::I64(found.together), span, &mut body.insts);
            let args = [turn, by];
            let start =
                scan::emit(self.f, Kind::Op(Op::Mul), &args, Scalar::I64.into(), span, &mut body.insts);
            body.yields = self.block(&again, Some(start), 0..found.together, span, &mut body.insts);
            let [lo, hi, step] = [0, full, 1].map(|n| scan::constant(self.f, Const::I64(n), span, out));
            let results: Vec<Value> = found.sums.iter().map(|_| self.f.fresh(Scalar::F64.into())).collect();
            parts.push(results.clone());
            out.push(Inst {
                kind: Kind::For(Loop { sums: results.len() as u32, ..Loop::default() }),
                args: Values::from_slice(&[lo, hi, step]),
                results: results.into(),
                regions: vec![body],
                span,
            });
        } else {
            parts.push(self.block(&again, None, 0..found.together, span, out));
        }
        if left > 0 {
            let first = full * found.together;
            parts.push(self.block(&again, None, first..found.rows, span, out));
        }
        for (k, [at, _]) in found.sums.iter().enumerate() {
            let result = old.results[*at];
            let zero = scan::constant(self.f, Const::F64(0.0), span, out);
            let other = parts.get(1).map_or(zero, |part| part[k]);
            out.push(Inst::simple(Kind::Op(Op::Add), &[parts[0][k], other], result, span));
        }
    }

    /// A loop over the elements of rows, which are so many behind `start`; the sums.
    fn block(
        &mut self,
        of: &Again,
        start: Option<Value>,
        rows: std::ops::Range<i64>,
        span: Span,
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        let bodies = of.bodies();
        let index = self.f.fresh(Scalar::I64.into());
        let mut body = Region { params: vec![index], ..Region::default() };
        let mut terms: Vec<Vec<Value>> = of.found.sums.iter().map(|_| Vec::new()).collect();
        for row in rows {
            let mut at = scan::constant(self.f, Const::I64(row), span, out);
            if let Some(start) = start {
                at = scan::emit(self.f, Kind::Op(Op::Add), &[start, at], Scalar::I64.into(), span, out);
            }
            let mut names: FxHashMap<Value, Value> = FxHashMap::default();
            names.insert(bodies.outer.params[0], at);
            names.insert(bodies.inner.params[0], index);
            for v in &of.found.stored {
                let args = [of.matrices[v], at, index];
                let data = || ValueData::from(Scalar::F64);
                let mut x = scan::emit(self.f, Kind::Index, &args, data(), span, &mut body.insts);
                if self.f.ty(*v) == Type::BOOL {
                    let zero = scan::constant(self.f, Const::F64(0.0), span, &mut body.insts);
                    let (ne, truth) = (Kind::Op(Op::Ne), Scalar::Bool.into());
                    x = scan::emit(self.f, ne, &[x, zero], truth, span, &mut body.insts);
                }
                names.insert(*v, x);
            }
            for (terms, [_, at]) in terms.iter_mut().zip(&of.found.sums) {
                let y = bodies.inner.yields[*at];
                terms.push(self.computed(&bodies, y, &mut names, out, &mut body.insts));
            }
        }
        body.yields = terms.into_iter().map(|t| self.tree(t, span, &mut body.insts)).collect();
        let [lo, hi, step] = [0, of.found.row, 1].map(|n| scan::constant(self.f, Const::I64(n), span, out));
        let results: Vec<Value> = body.yields.iter().map(|_| self.f.fresh(Scalar::F64.into())).collect();
        out.push(Inst {
            kind: Kind::For(Loop { sums: results.len() as u32, ..Loop::default() }),
            args: Values::from_slice(&[lo, hi, step]),
            results: results.clone().into(),
            regions: vec![body],
            span,
        });
        results
    }

    /// Computes a value of the old loops again; what is the same for all elements of a row goes to `outer`.
    fn computed(
        &mut self,
        bodies: &Bodies,
        v: Value,
        names: &mut FxHashMap<Value, Value>,
        outer: &mut Vec<Inst>,
        inner: &mut Vec<Inst>,
    ) -> Value {
        if let Some(new) = names.get(&v) {
            return *new;
        }
        let Some(inst) = bodies.made.get(&v) else { return v };
        let mut new = (*inst).clone();
        for arg in new.args.iter_mut() {
            *arg = self.computed(bodies, *arg, names, outer, inner);
        }
        new.results[0] = self.f.fresh(self.f.data(v).clone());
        names.insert(v, new.results[0]);
        let result = new.results[0];
        if bodies.inside.contains(&v) {
            inner.push(new)
        } else {
            outer.push(new)
        }
        result
    }

    /// Adds up terms of several rows, as few additions deep as possible.
    fn tree(&mut self, mut terms: Vec<Value>, span: Span, out: &mut Vec<Inst>) -> Value {
        while terms.len() > 1 {
            let pairs = terms.chunks(2).map(|pair| match pair {
                &[a, b] => scan::emit(self.f, Kind::Op(Op::Add), &[a, b], Scalar::F64.into(), span, out),
                _ => pair[0],
            });
            terms = pairs.collect();
        }
        terms[0]
    }
}

/// The loops as they were.
struct Again<'a> {
    old: &'a Inst,
    found: &'a Found,
    /// By value that is stored: where.
    matrices: &'a FxHashMap<Value, Value>,
}

impl Again<'_> {
    fn bodies(&self) -> Bodies<'_> {
        let outer = &self.old.regions[0];
        Bodies::of(outer, &outer.insts[self.found.at].regions[0])
    }
}

/// Takes sums out of a loop that collects more than before.
fn without(inst: &mut Inst, gone: &FxHashSet<usize>, more: usize) {
    let Kind::For(l) = inst.kind else { unreachable!("only such loops are looked at") };
    let kept = |k: &usize| !gone.contains(k);
    inst.results = (0..inst.results.len()).filter(kept).map(|k| inst.results[k]).collect();
    let yields = std::mem::take(&mut inst.regions[0].yields);
    inst.regions[0].yields = (0..yields.len()).filter(kept).map(|k| yields[k]).collect();
    let (sums, collects) = (l.sums - gone.len() as u32, l.collects + more as u32);
    inst.kind = Kind::For(Loop { sums, collects, ..l });
}

/// How many rows are taken together: a number that divides that of all, if there is one; no term may go through more additions.
fn together(rows: i64, sums: i64) -> Option<i64> {
    let most = TOGETHER.min(rows).min(TERMS / sums.max(1));
    let fits = |n: &i64| {
        let (full, left) = (rows / n, rows % n);
        let last = i64::from(left > 0);
        let now = (depth(*n) + additions(full)).max(depth(left)) + last;
        now <= additions(rows)
    };
    let whole = |n: &i64| rows % n == 0 && 2 * n > most;
    let all = || (2..=most).rev().filter(fits);
    all().find(whole).or_else(|| all().next())
}

/// Additions that round and that a term of a sum goes through, at most: partial sums begin with 0.
fn additions(terms: i64) -> i64 {
    let partials = PARTIALS as i64;
    let own = (terms + partials - 1) / partials - 1;
    own.max(0) + depth(terms.min(partials))
}

/// How deep a tree of so many is.
fn depth(terms: i64) -> i64 {
    i64::from(terms.max(1).unsigned_abs().next_power_of_two().ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_together_if_there_are_enough() {
        let all: Vec<_> = [3, 4, 16, 36, 38, 100, 1000].map(|rows| together(rows, 25)).into();
        assert_eq!(all, [3, 4, 8, 6, 8, 5, 8].map(Some));
        assert_eq!(together(1000, 100), Some(2));
        assert_eq!(together(1000, 1000), None);
    }
}
