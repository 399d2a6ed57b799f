//! What a loop adds to several neighbours of its own element, where there are some, it collects instead, with room at both ends for
//! neighbours that there are none of: `for j { if j >= 1 { x[j - 1] += h[0]*g; } x[j] += h[1]*g; if j + 1 < n { x[j + 1] += h[2]*g; } }`.
//!
//! The reverse of a convolution over the border of a grid has such a loop. One addition waits for the one before, at a place that overlaps
//! with its own; terms that differ in a factor only are collected once ([`super::taps`]). What comes to a row is added up before it is
//! added to that, so this rounds differently, if not more: not in strict functions, and not what decides.

use super::{interchange, scan};
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Dim, Func, Inst, Kind, Loop, Op, Region, Scalar, Span, Type, Value, ValueData};
use rustc_hash::FxHashSet;

/// Iterations, at least: fewer do not fill a vector.
const FEWEST: i64 = 8;
/// Neighbours, at least, for each number that their terms are made of, and how far apart they are at most.
const TERMS: usize = 3;
const WIDEST: i64 = 32;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| any = Borders { f, known: &known, ranges: &ranges, deciding }.region(body));
    any
}

struct Borders<'a> {
    f: &'a mut Func,
    known: &'a Known,
    ranges: &'a Ranges,
    deciding: &'a Deciding,
}

/// An addition to a neighbour: a product of a number of the loop's body with one that does not change.
struct Added {
    /// The operands of the product, of which `root` is the number of the body.
    factors: [Value; 2],
    root: usize,
    /// The row, how far away the neighbour is, and what else has to hold, which is the same in all iterations.
    rows: Vec<Dim>,
    away: i64,
    conditions: Vec<Value>,
    /// The instruction that adds gives this.
    result: Value,
}

/// What a loop adds to an array that it carries.
struct Found {
    carry: usize,
    added: Vec<Added>,
    /// Branches that give the array, and its place among what they give.
    branches: Vec<(usize, usize)>,
    turns: i64,
    size: i64,
}

/// The body of a loop, or a branch in it, as instructions that define values.
struct Scope<'r> {
    regions: Vec<&'r Region>,
}

impl<'r> Scope<'r> {
    fn made(&self, v: Value) -> Option<&'r Inst> {
        self.regions.iter().flat_map(|r| &r.insts).find(|i| i.results.contains(&v))
    }
}

impl Borders<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| any |= self.region(r));
            let carries = inst.args.len().saturating_sub(3);
            let found = (0..carries).rev().filter_map(|carry| self.find(&inst, carry)).collect::<Vec<_>>();
            let mut behind = Vec::new();
            for found in found {
                any = true;
                self.change(&mut inst, &found, &mut out, &mut behind);
            }
            out.push(inst);
            out.append(&mut behind);
        }
        r.insts = out;
        any
    }

    fn find(&self, inst: &Inst, carry: usize) -> Option<Found> {
        let Kind::For(Loop { checkpoint: None, .. }) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
        let turns = hi?;
        ((lo, step) == (Some(0), Some(1)) && turns >= FEWEST).then_some(())?;
        let body = &inst.regions[0];
        let param = body.params[1 + carry];
        let real = self.f.ty(param).is_array() && self.f.ty(param).scalar() == Scalar::F64;
        let decides = self.deciding.get(param) || self.deciding.get(inst.results[carry]);
        (real && !decides && !scan::has_loop(body)).then_some(())?;
        let size = self.known.resolve(self.f.shape(param).last()?).as_const()?;
        (size <= turns.checked_mul(2)?).then_some(())?;

        let mut found = Found { carry, added: Vec::new(), branches: Vec::new(), turns, size };
        let mut array = param;
        while array != body.yields[carry] {
            let mut users = body.insts.iter().enumerate().filter(|(_, i)| {
                let mut used = false;
                scan::uses(i, self.f, &mut |v| used |= v == array);
                used
            });
            let ((at, user), None) = (users.next()?, users.next()) else { return None };
            array = match user.kind {
                Kind::AddAt => {
                    let scope = Scope { regions: vec![body] };
                    found.added.push(self.added(inst, user, array, &scope, None, &found)?);
                    user.results[0]
                }
                Kind::If => {
                    let [then, other] = &user.regions[..] else { return None };
                    let k = other.yields.iter().position(|v| *v == array)?;
                    let scope = Scope { regions: vec![body, then] };
                    let mut now = array;
                    let mut seen = 0;
                    scan::uses(user, self.f, &mut |v| seen += usize::from(v == array));
                    (seen == 2).then_some(())?;
                    while now != then.yields[k] {
                        let mut users = then.insts.iter().filter(|i| i.args.contains(&now));
                        let (add, None) = (users.next()?, users.next()) else { return None };
                        (add.kind == Kind::AddAt).then_some(())?;
                        found.added.push(self.added(inst, add, now, &scope, Some(user.args[0]), &found)?);
                        now = add.results[0];
                    }
                    found.branches.push((at, k));
                    user.results[k]
                }
                _ => return None,
            };
            // Nothing else needs what it was in between.
            (body.yields.iter().filter(|v| **v == array).count() <= 1).then_some(())?;
        }
        let aways = || found.added.iter().map(|a| a.away);
        let near = aways().max()? - aways().min()? <= WIDEST;
        let roots: FxHashSet<Value> = found.added.iter().map(|a| a.factors[a.root]).collect();
        let worth = !found.branches.is_empty() && found.added.len() >= TERMS * roots.len();
        (near && worth).then_some(found)
    }

    /// An addition to a neighbour, if the condition of its branch says no more than that there is one, and that there is its row.
    fn added(
        &self,
        of: &Inst,
        add: &Inst,
        array: Value,
        scope: &Scope,
        cond: Option<Value>,
        found: &Found,
    ) -> Option<Added> {
        let [to, term, rows @ .., last] = &add.args[..] else { return None };
        let body = &of.regions[0];
        let index = body.params[0];
        let product = scope.made(*term).filter(|i| i.kind == Kind::Op(Op::Mul))?;
        (*to == array && self.f.ty(*term) == Type::F64).then_some(())?;
        let factors = [product.args[0], product.args[1]];
        let own = |v: Value| body.insts.iter().any(|i| i.results.contains(&v)) && self.f.ty(v) == Type::F64;
        let root = (0..2).find(|k| own(factors[*k]) && self.is_fixed(factors[1 - k], body, scope))?;

        let away = self.known.dim(*last).sub(&Dim::var(index))?.as_const()?;
        let inside = |v: Value| v == index || body.params.contains(&v) || scope.made(v).is_some();
        let rows: Vec<Dim> = rows.iter().map(|v| self.known.dim(*v)).collect();
        (rows.iter().all(|d| !d.vars().any(inside))).then_some(())?;
        let (mut conditions, mut range) = (Vec::new(), [0, found.turns]);
        if let Some(cond) = cond {
            self.limits(cond, index, scope, &mut conditions, &mut range)?;
        }
        // Exactly where there is a neighbour.
        let there = [0.max(-away), found.turns.min(found.size - away)];
        (range == there).then_some(())?;
        Some(Added { factors, root, rows, away, conditions, result: add.results[0] })
    }

    /// Whether a number is the same in all iterations, and can be had before the loop.
    fn is_fixed(&self, v: Value, body: &Region, scope: &Scope) -> bool {
        let outside = |v: Value| !body.params.contains(&v) && scope.made(v).is_none();
        let read = |i: &Inst| {
            let fixed = |v: &Value| outside(*v) || self.known.number(*v).is_some();
            let total = self.ranges.inside(self.f.shape(i.args[0]), &i.args[1..]);
            i.kind == Kind::Index && outside(i.args[0]) && i.args[1..].iter().all(fixed) && total
        };
        outside(v) || scope.made(v).is_some_and(read)
    }

    /// What a condition says: iterations from this on and before that, and what does not change.
    fn limits(
        &self,
        cond: Value,
        index: Value,
        scope: &Scope,
        conditions: &mut Vec<Value>,
        range: &mut [i64; 2],
    ) -> Option<()> {
        let Some(inst) = scope.made(cond) else {
            conditions.push(cond);
            return Some(());
        };
        let (Kind::Op(op), &[a, b]) = (&inst.kind, &inst.args[..]) else { return None };
        if *op == Op::And {
            self.limits(a, index, scope, conditions, range)?;
            return self.limits(b, index, scope, conditions, range);
        }
        (self.f.ty(a) == Type::I64).then_some(())?;
        let [a, b] = [a, b].map(|v| self.known.dim(v));
        // Not negative where it holds.
        let more = match op {
            Op::Ge => a.sub(&b)?,
            Op::Gt => a.sub(&b)?.sub(&1.into())?,
            Op::Le => b.sub(&a)?,
            Op::Lt => b.sub(&a)?.sub(&1.into())?,
            _ => return None,
        };
        let index = Dim::var(index);
        if let Some(c) = more.sub(&index)?.as_const() {
            range[0] = range[0].max(c.checked_neg()?);
        } else {
            range[1] = range[1].min(more.add(&index)?.as_const()?.checked_add(1)?);
        }
        Some(())
    }

    /// Lets a loop collect what it added; instructions go in front of it and behind it.
    fn change(&mut self, inst: &mut Inst, found: &Found, before: &mut Vec<Inst>, behind: &mut Vec<Inst>) {
        let Kind::For(l) = inst.kind else { unreachable!("only such loops are looked at") };
        let span = inst.span;
        let body = &mut inst.regions[0];
        let number = || ValueData::from(Scalar::F64);
        let mut parts = Vec::new();
        for a in &found.added {
            let mut factors = a.factors;
            let fixed = &mut factors[1 - a.root];
            let all =
                body.insts.iter().chain(body.insts.iter().flat_map(|i| &i.regions).flat_map(|r| &r.insts));
            let made = all.clone().find(|i| i.results.contains(fixed)).cloned();
            if let Some(mut read) = made {
                for v in read.args.iter_mut().skip(1) {
                    if let Some(n) = self.known.number(*v) {
                        *v = scan::constant(self.f, Const::I64(n), span, before);
                    }
                }
                *fixed = self.f.fresh(number());
                read.results[0] = *fixed;
                before.push(read);
            }
            let product = Kind::Op(Op::Mul);
            let term = scan::emit(self.f, product, &factors, number(), span, &mut body.insts);
            body.yields.push(term);
            let data = ValueData::array(Scalar::F64, vec![Dim::constant(found.turns)]);
            parts.push(self.f.fresh(data));
        }
        for (at, k) in &found.branches {
            let branch = &mut body.insts[*at];
            branch.results.remove(*k);
            branch.regions.iter_mut().for_each(|r| _ = r.yields.remove(*k));
        }
        let gone: FxHashSet<Value> = found.added.iter().map(|a| a.result).collect();
        let stays = |i: &Inst| i.results.first().is_none_or(|v| !gone.contains(v));
        body.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| r.insts.retain(stays));
        body.insts.retain(stays);
        body.params.remove(1 + found.carry);
        body.yields.remove(found.carry);
        let (init, result) = (inst.args.remove(3 + found.carry), inst.results.remove(found.carry));
        inst.results.extend(parts.iter().copied());
        inst.kind = Kind::For(Loop { collects: l.collects + parts.len() as u32, ..l });

        let front = found.added.iter().map(|a| -a.away).max().expect("there are some").max(0);
        let reach = found.added.iter().map(|a| a.away + found.turns).max().expect("there are some");
        let length = front + reach.max(found.size);
        let (mut array, data) = (init, self.f.data(init).outer(&[]));
        let mut left: Vec<usize> = (0..parts.len()).collect();
        while let Some(first) = left.first().map(|k| &found.added[*k]) {
            let alike = |k: &usize| {
                let a = &found.added[*k];
                a.rows == first.rows && a.conditions == first.conditions
            };
            let (now, later): (Vec<usize>, Vec<usize>) = left.iter().partition(|k| alike(k));
            let sum = self.row(&now, found, &parts, [front, length], behind, span);
            let mut insts = Vec::new();
            let mut place: Vec<Value> =
                first.rows.iter().map(|d| interchange::linear(d, self.f, span, &mut insts)).collect();
            let mut kind = Kind::AddAt;
            if place.is_empty() {
                kind = Kind::AddSlice;
                place.push(scan::constant(self.f, Const::I64(0), span, &mut insts));
            }
            let args = [&[array, sum], &place[..]].concat();
            let new = scan::emit(self.f, kind, &args, data.clone(), span, &mut insts);
            let mut region = Region { params: Vec::new(), insts, yields: vec![new] };
            for c in first.conditions.iter().rev() {
                let other = Region { yields: vec![array], ..Region::default() };
                let y = self.f.fresh(data.clone());
                let branch = Inst { regions: vec![region, other], ..Inst::simple(Kind::If, &[*c], y, span) };
                region = Region { params: Vec::new(), insts: vec![branch], yields: vec![y] };
            }
            array = region.yields[0];
            behind.append(&mut region.insts);
            left = later;
        }
        behind.last_mut().expect("an addition").results[0] = result;
    }

    /// The sum of collected terms that come to one row.
    fn row(
        &mut self,
        terms: &[usize],
        found: &Found,
        parts: &[Value],
        [front, length]: [i64; 2],
        out: &mut Vec<Inst>,
        span: Span,
    ) -> Value {
        let data = |n: i64| ValueData::array(Scalar::F64, vec![Dim::constant(n)]);
        let zero = scan::constant(self.f, Const::F64(0.0), span, out);
        let mut sum = scan::emit(self.f, Kind::Fill, &[zero], data(length), span, out);
        for k in terms {
            let at = scan::constant(self.f, Const::I64(found.added[*k].away + front), span, out);
            sum = scan::emit(self.f, Kind::AddSlice, &[sum, parts[*k], at], data(length), span, out);
        }
        let start = scan::constant(self.f, Const::I64(front), span, out);
        scan::emit(self.f, Kind::Slice, &[sum, start], data(found.size), span, out)
    }
}
