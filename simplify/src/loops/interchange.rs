//! A short loop inside a long one that adds to neighbours, `for i { … for k { x[i + k] += h[k]*g; s[k] += y[i + k]*g; } }`, becomes a short
//! loop around a long one: what the iterations of the long loop compute for it is stored, and for each `k` the elements of all
//! iterations are neighbours in memory, which run in lanes, and what comes to `s[k]` is a sum (loop distribution and interchange: Allen
//! and Kennedy, *Automatic translation of Fortran programs to vector form*, 1987).
//!
//! The reverse of a convolution or a filter has such loops. A condition on where the neighbour is, which cuts iterations off at the ends,
//! becomes the range of the long loop.
//!
//! Sums are taken in another order, so this rounds differently: not in strict functions, and not what decides. No element gets more
//! terms than before.

use super::{parts, scan, transposed};
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Dim, Func, Inst, Kind, Loop, Op, Region, Scalar, Span, Type, Value, ValueData, Values};
use rustc_hash::FxHashSet;

/// Iterations of the long loop, at least, and how many times as many as the short one has.
const LONG: i64 = 32;
const LONGER: i64 = 2;
/// Iterations of the short loop, at least: fewer are written out.
const SHORT: i64 = 4;
/// Iterations of the long loop that go by in one piece, at most: what they read and add to stays near the processor for all iterations of
/// the short one.
const PIECE: i64 = 1 << 12;
/// Numbers that are stored for an iteration, at most.
const STORED: usize = 4;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func, deciding: &Deciding) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        let (mut zeros, mut no) = (FxHashSet::default(), FxHashSet::default());
        let mut see = |i: &Inst| match i.kind {
            Kind::Const(Const::F64(0.0)) => zeros.extend(&i.results),
            Kind::Const(Const::Bool(false)) => no.extend(&i.results),
            _ => {}
        };
        body.insts.iter().for_each(|i| scan::each(i, &mut see));
        any = Changer { f, known, ranges, deciding, zeros, no }.region(body);
    });
    any
}

struct Changer<'a> {
    f: &'a mut Func,
    known: Known,
    ranges: Ranges,
    deciding: &'a Deciding,
    /// Literals: zeros, and `false`.
    zeros: FxHashSet<Value>,
    no: FxHashSet<Value>,
}

/// What the long loop leaves to the short one.
struct Found {
    /// The place of the short loop in the body of the long one.
    at: usize,
    /// By carry of the short loop: that of the long one.
    carries: Vec<usize>,
    /// By carry: additions to elements that are the same in all iterations of the long loop, by place in the body of the short one.
    /// None if the elements are others in each.
    fixed: Vec<Vec<usize>>,
    /// Numbers that the body of the long loop computes for the short one.
    stored: Vec<Value>,
    /// Instructions of that body that compute integers for it.
    integers: Vec<usize>,
    /// The range of the short loop.
    range: [i64; 2],
    /// Where the long loop begins and ends, from these on and before these.
    from: Vec<Dim>,
    to: Vec<Dim>,
    /// What is true in this range.
    holds: Vec<Value>,
}

impl Changer<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| any |= self.region(r));
            match self.with_parts(&inst).and_then(|new| Some((self.find(&new)?, new))) {
                Some((found, new)) => {
                    self.change(new, &found, &mut out);
                    any = true;
                }
                None => out.push(inst),
            }
        }
        r.insts = out;
        any
    }

    /// A loop that could be changed, in which loops add to parts of arrays element by element.
    fn with_parts(&mut self, inst: &Inst) -> Option<Inst> {
        let Kind::For(Loop { checkpoint: None, .. }) = inst.kind else { return None };
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.number(inst.args[k]));
        let long = (lo, step) == (Some(0), Some(1)) && hi.is_some_and(|n| n >= LONG);
        let body = &inst.regions[0];
        let loops = body.insts.iter().any(|i| matches!(i.kind, Kind::For(_)));
        (long && loops && inst.args.len() > 3).then_some(())?;
        let mut new = inst.clone();
        if transposed::has_columns(inst) {
            let insts = std::mem::take(&mut new.regions[0].insts);
            new.regions[0].insts = insts.into_iter().flat_map(|i| self.without_sums(i)).collect();
        }
        if body.insts.iter().any(|i| i.kind == Kind::AddSlice) {
            parts::region(&mut new.regions[0], self.f, &self.known, &self.ranges);
            scan::each(&new, &mut |i| self.known.note(i, &self.f.values));
        }
        Some(new)
    }

    /// A loop that adds to arrays, behind one that has its sums: if its numbers are computed as fast as they are read.
    fn without_sums(&mut self, mut inst: Inst) -> Vec<Inst> {
        let Kind::For(Loop { sums: 1.., collects: 0, checkpoint: None }) = inst.kind else {
            return vec![inst];
        };
        let body = &inst.regions[0];
        let carries = inst.args.len() - 3;
        let mut arrays = body.params[1..].to_vec();
        let is_plain = |i: &Inst| {
            let used = i.args.iter().filter(|v| arrays.contains(v)).count();
            match i.kind {
                Kind::Const(_) | Kind::Size(_) | Kind::Index => used == 0,
                Kind::Op(op) => used == 0 && scan::is_cheap(op),
                Kind::AddAt => {
                    let only = used == 1 && arrays.contains(&i.args[0]);
                    arrays.push(i.results[0]);
                    only
                }
                _ => false,
            }
        };
        let plain = body.insts.iter().all(is_plain);
        if carries == 0 || !plain || body.yields[carries..].iter().any(|v| arrays.contains(v)) {
            return vec![inst];
        }
        let param = self.f.fresh(Scalar::I64.into());
        let args = [&[param], &body.params[1..]].concat();
        let (mut insts, mut yields) = scan::copy(body, self.f, &args);
        insts.retain(|i| i.kind != Kind::AddAt);
        let sums = Inst {
            args: inst.args[..3].into(),
            results: inst.results[carries..].into(),
            regions: vec![Region { params: vec![param], insts, yields: yields.split_off(carries) }],
            ..inst.clone()
        };
        inst.kind = Kind::For(Loop::default());
        inst.results = inst.results[..carries].into();
        inst.regions[0].yields.truncate(carries);
        vec![sums, inst]
    }

    fn find(&self, inst: &Inst) -> Option<Found> {
        let body = &inst.regions[0];
        (0..body.insts.len()).find_map(|at| self.short(inst, at))
    }

    fn short(&self, inst: &Inst, at: usize) -> Option<Found> {
        let (body, short) = (&inst.regions[0], &inst.regions[0].insts[at]);
        (short.kind == Kind::For(Loop::default()) && short.args.len() > 3).then_some(())?;
        let inner = &short.regions[0];
        (!scan::has_loop(inner) && !scan::asserts(short)).then_some(())?;
        let index = body.params[0];
        let mut own: FxHashSet<Value> = body.params.iter().copied().collect();
        own.extend(body.insts.iter().flat_map(|i| i.results.iter().copied()));

        // And what the short loop computes: unless it is known in terms of indices, it may change in any way.
        let mut made = own.clone();
        let mut see = |i: &Inst| made.extend(i.results.iter().copied());
        inner.insts.iter().for_each(|i| scan::each(i, &mut see));
        let carries = self.carries(inst, short)?;
        let [lo, step] = [0, 2].map(|k| self.known.number(short.args[k]));
        (step == Some(1)).then_some(())?;
        let (mut from, mut to, mut holds) = (Vec::new(), Vec::new(), Vec::new());
        let hi = self.end(short.args[1], lo?, inner.params[0], body, &mut |diff, strict| {
            self.limit(diff, strict, index, &made, &mut from, &mut to)
        })?;
        let turns = hi.checked_sub(lo?)?;
        let all = self.known.number(inst.args[1])?;

        let fixed = self.fixed(inner, index, &made)?;
        self.is_near(inner, index, &made)?;
        (turns >= SHORT).then_some(())?;
        (transposed::has_columns(inst) || all >= turns.checked_mul(LONGER)?).then_some(())?;
        let (stored, integers) = self.needs(short, body, &own, &carries)?;
        if let Some(cond) = self.condition(inner, &fixed) {
            let (mut more_from, mut more_to) = (Vec::new(), Vec::new());
            let limit =
                &mut |diff: Dim, strict| self.limit(diff, strict, index, &made, &mut more_from, &mut more_to);
            if self.compared(cond, inner, limit).is_some() {
                holds.push(cond);
                from.append(&mut more_from);
                to.append(&mut more_to);
            }
        }
        Some(Found { at, carries, fixed, stored, integers, range: [lo?, hi], from, to, holds })
    }

    /// By carry of the short loop: which of the long one it is. Nothing else has to do with these.
    fn carries(&self, inst: &Inst, short: &Inst) -> Option<Vec<usize>> {
        let body = &inst.regions[0];
        let mut carries = Vec::new();
        for (k, init) in short.args[3..].iter().enumerate() {
            let at = body.params[1..].iter().position(|p| p == init)?;
            let result = short.results[k];
            let mut uses = body.yields.iter().filter(|v| [*init, result].contains(v)).count();
            let mut see = |v: Value| uses += usize::from([*init, result].contains(&v));
            body.insts.iter().for_each(|i| scan::uses(i, self.f, &mut see));
            let real = self.f.ty(*init).is_array() && self.f.ty(*init).scalar() == Scalar::F64;
            let decides = self.deciding.get(*init) || self.deciding.get(inst.results[at]);
            (real && !decides && uses == 2 && body.yields[at] == result).then_some(())?;
            carries.push(at);
        }
        Some(carries)
    }

    /// The largest number that an end of the short loop can be; other limits are passed on as what is positive in all iterations.
    fn end(
        &self,
        v: Value,
        lo: i64,
        k: Value,
        body: &Region,
        limit: &mut impl FnMut(Dim, bool) -> Option<()>,
    ) -> Option<i64> {
        if let Some(n) = self.known.number(v) {
            return Some(n);
        }
        let inst = body.insts.iter().find(|i| i.results[..] == [v])?;
        let &[a, b] = &inst.args[..] else { return None };
        match inst.kind {
            Kind::Op(Op::Max) if self.known.number(b)? <= lo => self.end(a, lo, k, body, limit),
            Kind::Op(Op::Min) => {
                let (n, other) = match [a, b].map(|v| self.known.number(v)) {
                    [Some(n), _] => (n, b),
                    [_, Some(n)] => (n, a),
                    _ => return None,
                };
                limit(self.known.dim(other).sub(&Dim::var(k))?, true)?;
                Some(n)
            }
            _ => None,
        }
    }

    /// Notes where the long loop has to begin or end for something to be positive, or not negative.
    fn limit(
        &self,
        diff: Dim,
        strict: bool,
        index: Value,
        own: &FxHashSet<Value>,
        from: &mut Vec<Dim>,
        to: &mut Vec<Dim>,
    ) -> Option<()> {
        let at_least = diff.sub(&i64::from(strict).into())?;
        let (rest, grows) = match coefficient(&at_least, index)? {
            1 => (at_least.sub(&Dim::var(index))?, true),
            -1 => (at_least.add(&Dim::var(index))?, false),
            _ => return None,
        };
        let linear = rest.terms().all(|(vars, _)| vars.len() <= 1);
        (linear && !rest.vars().any(|v| own.contains(&v))).then_some(())?;
        if grows {
            from.push(rest.neg()?);
        } else {
            to.push(rest.add(&1.into())?);
        }
        Some(())
    }

    /// By carry: its additions to elements that are the same in all iterations of the long loop. `None` if anything else is done with
    /// one, or places are no neighbours.
    fn fixed(&self, inner: &Region, index: Value, own: &FxHashSet<Value>) -> Option<Vec<Vec<usize>>> {
        let mut all = Vec::new();
        for (k, p) in inner.params[1..].iter().enumerate() {
            let mut adds = Vec::new();
            let mut arrays = vec![*p];
            self.additions(inner, &mut arrays, &mut adds)?;
            arrays.contains(&inner.yields[k]).then_some(())?;
            let depends = |index_of: &[Value]| index_of.iter().any(|v| self.depends(*v, index, own));
            if adds.iter().any(|i| depends(&i.args[2..])) {
                adds.iter().all(|i| self.is_next(&i.args[2..], index, own)).then_some(())?;
                all.push(Vec::new());
                continue;
            }
            // One after the other, in no branch.
            let mut array = *p;
            let mut places = Vec::new();
            for (at, inst) in inner.insts.iter().enumerate() {
                if inst.kind == Kind::AddAt && inst.args[0] == array {
                    array = inst.results[0];
                    places.push(at);
                }
            }
            (array == inner.yields[k] && places.len() == adds.len() && !places.is_empty()).then_some(())?;
            all.push(places);
        }
        Some(all)
    }

    /// The additions to an array, which is nothing but added to: all its versions are in `arrays`.
    fn additions<'r>(&self, r: &'r Region, arrays: &mut Vec<Value>, adds: &mut Vec<&'r Inst>) -> Option<()> {
        for inst in &r.insts {
            let used = inst.args.iter().filter(|v| arrays.contains(v)).count();
            match inst.kind {
                Kind::AddAt if used == 1 && arrays.contains(&inst.args[0]) => {
                    (self.f.ty(inst.args[1]) == Type::F64).then_some(())?;
                    adds.push(inst);
                    arrays.push(inst.results[0]);
                }
                Kind::If if used == 0 => {
                    inst.regions.iter().try_for_each(|r| self.additions(r, arrays, adds))?;
                    for (k, y) in inst.results.iter().enumerate() {
                        let from = [0, 1].map(|r| arrays.contains(&inst.regions[r].yields[k]));
                        (from[0] == from[1]).then_some(())?;
                        if from[0] {
                            arrays.push(*y);
                        }
                    }
                }
                _ => (used == 0).then_some(())?,
            }
        }
        Some(())
    }

    /// Whether a value may change with the long loop.
    fn depends(&self, v: Value, index: Value, own: &FxHashSet<Value>) -> bool {
        let dim = self.known.dim(v);
        dim.vars().any(|v| v == index || own.contains(&v) || self.f.ty(v) != Type::I64)
    }

    /// Whether places of iterations of the long loop that follow each other are neighbours.
    fn is_next(&self, place: &[Value], index: Value, own: &FxHashSet<Value>) -> bool {
        let Some((last, rows)) = place.split_last() else { return false };
        let dim = self.known.dim(*last);
        let near = coefficient(&dim, index).is_some_and(|c| c.abs() == 1);
        let others = dim.vars().all(|v| v == index || !own.contains(&v));
        near && others && !rows.iter().any(|v| self.depends(*v, index, own))
    }

    /// Whether all that is read are numbers of arrays from outside that stay as they are, neighbours or the same in all iterations of the
    /// long loop, and something is read or added to that both loops move through, or the short one by columns.
    fn is_near(&self, inner: &Region, index: Value, own: &FxHashSet<Value>) -> Option<()> {
        let mut both = false;
        let mut fits = true;
        let mut see = |i: &Inst| {
            let place = match i.kind {
                Kind::Index => &i.args[1..],
                Kind::AddAt => &i.args[2..],
                Kind::Const(_) | Kind::Size(_) | Kind::Op(_) | Kind::If => return,
                _ => {
                    fits = false;
                    return;
                }
            };
            if i.kind == Kind::Index {
                let number = self.f.ty(i.results[0]) == Type::F64;
                let fixed = place.iter().all(|v| !self.depends(*v, index, own));
                let outside = !own.contains(&i.args[0]);
                fits &= number && outside && (fixed || self.is_next(place, index, own));
            }
            both |= place.split_last().is_some_and(|(last, rows)| {
                let has = |at: &Value, k: Value| self.known.dim(*at).vars().any(|v| v == k);
                let column = rows.iter().any(|v| has(v, inner.params[0]));
                has(last, index) && (has(last, inner.params[0]) || column)
            });
        };
        inner.insts.iter().for_each(|i| scan::each(i, &mut see));
        (fits && both).then_some(())
    }

    /// What the short loop needs of the body of the long one.
    fn needs(
        &self,
        short: &Inst,
        body: &Region,
        own: &FxHashSet<Value>,
        carries: &[usize],
    ) -> Option<(Vec<Value>, Vec<usize>)> {
        let mut wanted = Vec::new();
        let inner = &short.regions[0];
        inner.insts.iter().for_each(|i| scan::uses(i, self.f, &mut |v| wanted.push(v)));
        wanted.extend(&inner.yields);
        let carried: Vec<Value> = carries.iter().map(|k| body.params[1 + k]).collect();
        let (mut stored, mut integers, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        while let Some(v) = wanted.pop() {
            if !own.contains(&v) || v == body.params[0] || !seen.insert(v) {
                continue;
            }
            (!carried.contains(&v)).then_some(())?;
            match self.f.ty(v) {
                Type::F64 => stored.push(v),
                Type::I64 => {
                    let at = body.insts.iter().position(|i| i.results[..] == [v])?;
                    let inst = &body.insts[at];
                    matches!(inst.kind, Kind::Op(_) | Kind::Const(_) | Kind::Size(_)).then_some(())?;
                    scan::uses(inst, self.f, &mut |v| wanted.push(v));
                    integers.push(at);
                }
                _ => return None,
            }
        }
        stored.sort_unstable();
        integers.sort_unstable();
        (stored.len() <= STORED).then_some((stored, integers))
    }

    /// The condition without which the short loop adds nothing, if there is one.
    fn condition(&self, inner: &Region, fixed: &[Vec<usize>]) -> Option<Value> {
        let made = |v: Value| inner.insts.iter().find(|i| i.results.contains(&v));
        let branch = |v: Value| {
            let inst = made(v).filter(|i| i.kind == Kind::If)?;
            let k = inst.results.iter().position(|y| *y == v)?;
            Some((inst.args[0], inst.regions[1].yields[k]))
        };
        let mut conds = Vec::new();
        for (k, places) in fixed.iter().enumerate() {
            if places.is_empty() {
                let mut array = inner.yields[k];
                while array != inner.params[1 + k] {
                    let (cond, other) = branch(array)?;
                    conds.push(cond);
                    array = other;
                }
            }
            for at in places {
                let (cond, other) = branch(inner.insts[*at].args[1])?;
                self.zeros.contains(&other).then_some(())?;
                conds.push(cond);
            }
        }
        let first = *conds.first()?;
        conds.iter().all(|c| *c == first).then_some(first)
    }

    /// Passes on what is positive or not negative if a condition holds; `None` if there is more to it.
    fn compared(
        &self,
        cond: Value,
        inner: &Region,
        limit: &mut impl FnMut(Dim, bool) -> Option<()>,
    ) -> Option<()> {
        let mut made = None;
        let mut see = |i: &Inst| made = made.take().or_else(|| (i.results[..] == [cond]).then(|| i.clone()));
        inner.insts.iter().for_each(|i| scan::each(i, &mut see));
        let inst: Inst = made?;
        if let (Kind::If, [a, b]) = (&inst.kind, &inst.regions[..]) {
            // `a && b`, where `b` is asked for only behind `a`.
            self.is_false(b.yields[0], b).then_some(())?;
            self.compared(inst.args[0], inner, limit)?;
            return self.compared(a.yields[0], inner, limit);
        }
        let &[a, b] = &inst.args[..] else { return None };
        let Kind::Op(op) = inst.kind else { return None };
        if op == Op::And {
            self.compared(a, inner, limit)?;
            return self.compared(b, inner, limit);
        }
        (self.f.ty(a) == Type::I64).then_some(())?;
        let [a, b] = [a, b].map(|v| self.known.dim(v));
        if let Op::Ge | Op::Gt = op {
            limit(a.sub(&b)?, op == Op::Gt)
        } else if let Op::Le | Op::Lt = op {
            limit(b.sub(&a)?, op == Op::Lt)
        } else {
            None
        }
    }

    /// Whether a value that a branch yields is the literal.
    fn is_false(&self, v: Value, branch: &Region) -> bool {
        let no = |i: &Inst| i.results[..] == [v] && i.kind == Kind::Const(Const::Bool(false));
        self.no.contains(&v) || branch.insts.iter().any(no)
    }

    /// The long loop without the short one, and the short one around a long one.
    fn change(&mut self, mut inst: Inst, found: &Found, out: &mut Vec<Inst>) {
        let span = inst.span;
        let Kind::For(l) = inst.kind else { unreachable!("only such loops are looked at") };
        let n = self.known.dim(inst.args[1]);
        let body = &mut inst.regions[0];
        let old_index = body.params[0];
        let integers: Vec<Inst> = found.integers.iter().map(|k| body.insts[*k].clone()).collect();
        let short = body.insts.remove(found.at);
        let inits: Vec<Value> = found.carries.iter().map(|k| inst.args[3 + k]).collect();
        let results: Vec<Value> = found.carries.iter().map(|k| inst.results[*k]).collect();
        let mut gone = found.carries.clone();
        gone.sort_unstable();
        for k in gone.iter().rev() {
            inst.args.remove(3 + k);
            inst.results.remove(*k);
            body.params.remove(1 + k);
            body.yields.remove(*k);
        }
        let mut arrays = Vec::new();
        for v in &found.stored {
            let array = self.f.fresh(ValueData::array(Scalar::F64, vec![n.clone()]));
            body.yields.push(*v);
            inst.results.push(array);
            arrays.push(array);
        }
        inst.kind = Kind::For(Loop { collects: l.collects + found.stored.len() as u32, ..l });
        let end = inst.args[1];
        out.push(inst);

        let n = n.as_const().expect("a number");
        if n <= 2 * PIECE {
            let start = scan::constant(self.f, Const::I64(0), span, out);
            return self.short_around(
                &short,
                found,
                &integers,
                [old_index, start, end],
                &arrays,
                inits,
                results,
                out,
            );
        }
        let like = |f: &mut Func, v: &Value| f.fresh(f.data(*v).clone());
        let mut params = vec![self.f.fresh(Scalar::I64.into())];
        params.extend(inits.iter().map(|v| like(self.f, v)));
        let yields: Vec<Value> = inits.iter().map(|v| like(self.f, v)).collect();
        let mut piece = Region { params: params.clone(), yields: yields.clone(), ..Region::default() };
        let mut number = |f: &mut Func, op, args: &[Value]| {
            scan::emit(f, Kind::Op(op), args, Scalar::I64.into(), span, &mut piece.insts)
        };
        let [pieces, length] =
            [(n + PIECE - 1) / PIECE, PIECE].map(|n| scan::constant(self.f, Const::I64(n), span, out));
        let [lo, step] = [0, 1].map(|n| scan::constant(self.f, Const::I64(n), span, out));
        let start = number(self.f, Op::Mul, &[params[0], length]);
        let behind = number(self.f, Op::Add, &[start, length]);
        let stop = number(self.f, Op::Min, &[behind, end]);
        let bounds = [old_index, start, stop];
        let carried = params[1..].to_vec();
        self.short_around(&short, found, &integers, bounds, &arrays, carried, yields, &mut piece.insts);
        out.push(Inst {
            kind: Kind::For(Loop::default()),
            args: [lo, pieces, step].into_iter().chain(inits).collect(),
            results: results.into(),
            regions: vec![piece],
            span,
        });
    }

    /// The short loop around the iterations of the long one from `from` on and before `to`.
    #[allow(clippy::too_many_arguments)]
    fn short_around(
        &mut self,
        short: &Inst,
        found: &Found,
        integers: &[Inst],
        [old_index, mut from, mut to]: [Value; 3],
        arrays: &[Value],
        inits: Vec<Value>,
        results: Vec<Value>,
        out: &mut Vec<Inst>,
    ) {
        let span = short.span;
        let like = |f: &mut Func, v: &Value| f.fresh(f.data(*v).clone());
        let params: Vec<Value> = short.regions[0].params.iter().map(|v| like(self.f, v)).collect();
        let mut new = Region { params: params.clone(), ..Region::default() };
        let [lo, hi, step] =
            [found.range[0], found.range[1], 1].map(|n| scan::constant(self.f, Const::I64(n), span, out));
        let old = short.regions[0].params[0];
        for (op, limits, bound) in [(Op::Max, &found.from, &mut from), (Op::Min, &found.to, &mut to)] {
            for dim in limits {
                let dim = dim.rename(|v| if v == old { params[0] } else { v });
                let limit = linear(&dim, self.f, span, &mut new.insts);
                let args = [*bound, limit];
                *bound = scan::emit(self.f, Kind::Op(op), &args, Scalar::I64.into(), span, &mut new.insts);
            }
        }
        self.long(short, found, integers, [old_index, from, to, step], arrays, &mut new);
        out.push(Inst {
            kind: Kind::For(Loop::default()),
            args: [lo, hi, step].into_iter().chain(inits).collect(),
            results: results.into(),
            regions: vec![new],
            span,
        });
    }

    /// The body of the new short loop: the long loop in it, and what comes to elements that are the same in all its iterations.
    fn long(
        &mut self,
        short: &Inst,
        found: &Found,
        integers: &[Inst],
        [old_index, from, to, step]: [Value; 4],
        arrays: &[Value],
        new: &mut Region,
    ) {
        let span = short.span;
        let inner = &short.regions[0];
        let moving: Vec<usize> = (0..found.fixed.len()).filter(|k| found.fixed[*k].is_empty()).collect();
        let adds: Vec<usize> = found.fixed.iter().flatten().copied().collect();
        let index = self.f.fresh(Scalar::I64.into());
        let mut params = vec![index];
        params.extend(moving.iter().map(|k| self.f.fresh(self.f.data(inner.params[1 + k]).clone())));
        let mut body = Region { params: params.clone(), ..Region::default() };
        let mut args = vec![new.params[0], index];
        args.extend(&params[1..]);
        for array in arrays {
            let (kind, data) = (Kind::Index, ValueData::from(Scalar::F64));
            args.push(scan::emit(self.f, kind, &[*array, index], data, span, &mut body.insts));
        }
        let mut old = Region { params: vec![inner.params[0], old_index], ..Region::default() };
        old.params.extend(moving.iter().map(|k| inner.params[1 + k]));
        old.params.extend(&found.stored);
        old.insts.extend(integers.iter().cloned());
        let kept = inner.insts.iter().enumerate().filter(|(at, _)| !adds.contains(at));
        old.insts.extend(kept.map(|(_, i)| match i.results.first() {
            Some(v) if found.holds.contains(v) => {
                Inst::simple(Kind::Const(Const::Bool(true)), &[], *v, i.span)
            }
            _ => i.clone(),
        }));
        old.yields.extend(moving.iter().map(|k| inner.yields[*k]));
        old.yields.extend(adds.iter().map(|at| inner.insts[*at].args[1]));
        let (insts, yields) = scan::copy(&old, self.f, &args);
        body.insts.extend(insts);
        body.yields = yields;
        let results: Vec<Value> = (moving.iter().map(|k| inner.params[1 + k]))
            .chain(adds.iter().map(|at| inner.insts[*at].args[1]))
            .map(|v| self.f.fresh(self.f.data(v).clone()))
            .collect();
        let inits = moving.iter().map(|k| new.params[1 + k]);
        new.insts.push(Inst {
            kind: Kind::For(Loop { sums: adds.len() as u32, ..Loop::default() }),
            args: [from, to, step].into_iter().chain(inits).collect(),
            results: Values::from_slice(&results),
            regions: vec![body],
            span,
        });

        // Where sums are added needs nothing of the long loop.
        let places = adds.iter().flat_map(|at| inner.insts[*at].args[2..].to_vec()).collect();
        let whole = Region { params: vec![inner.params[0]], insts: inner.insts.clone(), yields: places };
        let (insts, places) = scan::copy(&needed(whole), self.f, &new.params[..1]);
        new.insts.extend(insts);
        let (mut sums, mut places) = (results[moving.len()..].iter(), &places[..]);
        for (k, own) in found.fixed.iter().enumerate() {
            if let Some(at) = moving.iter().position(|m| *m == k) {
                new.yields.push(results[at]);
                continue;
            }
            let mut array = new.params[1 + k];
            for _ in own {
                let (place, rest) = places.split_at(self.f.shape(array).len());
                places = rest;
                let args = [&[array, *sums.next().expect("a sum")], place].concat();
                let data = self.f.data(array).clone();
                array = scan::emit(self.f, Kind::AddAt, &args, data, span, &mut new.insts);
            }
            new.yields.push(array);
        }
    }
}

/// A region without the instructions that what it yields does not need.
fn needed(mut r: Region) -> Region {
    let mut wanted: FxHashSet<Value> = r.yields.iter().copied().collect();
    let mut kept = Vec::new();
    for inst in std::mem::take(&mut r.insts).into_iter().rev() {
        if inst.results.iter().any(|v| wanted.contains(v)) {
            wanted.extend(&inst.args);
            if let Kind::Size(dim) = &inst.kind {
                wanted.extend(dim.vars());
            }
            kept.push(inst);
        }
    }
    kept.reverse();
    r.insts = kept;
    r
}

/// By how much a size grows with a value, if that is a number.
fn coefficient(dim: &Dim, v: Value) -> Option<i64> {
    let mut c = 0;
    for (vars, n) in dim.terms() {
        match vars {
            [one] if *one == v => c = n,
            _ if vars.contains(&v) => return None,
            _ => {}
        }
    }
    Some(c)
}

/// A sum of multiples of values, as a value.
pub(super) fn linear(dim: &Dim, f: &mut Func, span: Span, out: &mut Vec<Inst>) -> Value {
    let terms: Vec<(Vec<Value>, i64)> = dim.terms().map(|(vars, c)| (vars.to_vec(), c)).collect();
    let mut sum = None;
    for (vars, c) in terms {
        let mut x = scan::constant(f, Const::I64(c), span, out);
        for v in vars {
            x = scan::emit(f, Kind::Op(Op::Mul), &[x, v], Scalar::I64.into(), span, out);
        }
        sum = Some(match sum {
            Some(sum) => scan::emit(f, Kind::Op(Op::Add), &[sum, x], Scalar::I64.into(), span, out),
            None => x,
        });
    }
    sum.unwrap_or_else(|| scan::constant(f, Const::I64(0), span, out))
}
