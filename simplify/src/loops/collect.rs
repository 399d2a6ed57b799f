//! Elements that a loop writes one after the other are an array that it collects: `for i in 0..n { y[i] = e; }`.
//!
//! A loop that carries an array runs its iterations one after the other, and its reverse makes the cotangent of each element zero where it
//! was written. A loop that collects has neither. Each iteration may read what its own element was before; a loop that reads
//! another element of the array stays as it is. Of a loop over nearly all of an axis, as over the inside of a grid, the other elements are
//! collected, too, as they were. All bits are kept.

use super::{merge, scan};
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Dim, Func, Inst, Kind, Loop, Op, Region, Scalar, Value, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of an axis, at most, that a loop leaves out at either end if it is to collect all.
const ENDS: i64 = 4;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut c = Collect { f, known, ranges, any: false };
        c.region(body);
        any = c.any;
    });
    any
}

struct Collect<'a> {
    f: &'a mut Func,
    known: Known,
    ranges: Ranges,
    any: bool,
}

/// A carry of which each iteration writes an element.
struct Found {
    carry: usize,
    /// What the writing instruction gives.
    write: Value,
    /// The indices in front of the last one, which are the same in all iterations,
    rows: Vec<Value>,
    /// and what the last one is in the first iteration.
    start: Dim,
    /// How many iterations there are.
    n: Dim,
    /// The size of the axis, and whether they write all of it.
    axis: Dim,
    whole: bool,
}

impl Collect<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            let mut behind = Vec::new();
            let carries = (0..inst.args.len().saturating_sub(3)).rev();
            let mut all: Vec<Found> = carries.filter_map(|carry| self.find(&inst, carry)).collect();
            if self.ends(&inst, &all).is_some() {
                inst = self.over_axis(inst, &all, &mut out, &mut behind);
                self.any = true;
            } else {
                // Parts of rows are cheaper written where they are.
                all.retain(|found| found.rows.is_empty() || found.whole);
                self.over_range(&mut inst, &all, &mut out, &mut behind);
                self.any |= !all.is_empty();
            }
            out.push(inst);
            out.append(&mut behind);
        }
        r.insts = out;
    }

    fn find(&self, inst: &Inst, carry: usize) -> Option<Found> {
        let Kind::For(_) = inst.kind else { return None };
        let body = &inst.regions[0];
        let [lo, hi, step] = [0, 1, 2].map(|k| self.known.dim(inst.args[k]));
        let n = hi.sub(&lo)?;
        let own_size = |v: Value| self.f.dims.iter().any(|d| d.value == v);
        let natural = self.ranges.dim(&n).0 >= 0 || n.as_var().is_some_and(own_size);
        (step.as_const() == Some(1) && natural).then_some(())?;

        let (array, y) = (body.params[1 + carry], body.yields[carry]);
        let write = body.insts.iter().find(|i| i.results[..] == [y])?;
        let [x, _, rows @ .., last] = &write.args[..] else { return None };
        (write.kind == Kind::Update && *x == array).then_some(())?;
        let index = &write.args[2..];
        self.ranges.inside(self.f.shape(array), index).then_some(())?;
        let (mut reads, mut uses) = (0, body.yields.iter().filter(|v| [array, y].contains(v)).count());
        for inst in &body.insts {
            scan::uses(inst, self.f, &mut |v| uses += usize::from([array, y].contains(&v)));
            scan::each(inst, &mut |i| reads += usize::from(is_read(i, array, index)));
        }
        // That by the write, and the yield of what it gives.
        (uses == reads + 2).then_some(())?;

        let own: FxHashSet<Value> =
            body.params.iter().chain(body.insts.iter().flat_map(|i| &i.results)).copied().collect();
        rows.iter().all(|v| !own.contains(v)).then_some(())?;
        let distance = self.known.dim(*last).sub(&Dim::var(body.params[0]))?;
        distance.vars().all(|v| !own.contains(&v)).then_some(())?;
        let start = distance.add(&lo)?;
        let axis = self.f.shape(array)[rows.len()].clone();
        let whole = start.as_const() == Some(0) && self.known.same(&axis, &n);
        // Of no elements, a part outside the array is an error that there was not.
        let (least, most) = self.ranges.dim(&start);
        let inside = least >= 0 && most <= self.ranges.dim(&axis).0;
        (whole || inside || self.ranges.dim(&n).0 > 0).then_some(())?;
        Some(Found { carry, write: y, rows: rows.to_vec(), start, n, axis, whole })
    }

    /// Where the iterations begin and end in the axis that all carries of the loop are written along, if all elements are to be collected.
    fn ends(&self, inst: &Inst, all: &[Found]) -> Option<[i64; 2]> {
        let first = all.first().filter(|_| all.len() + 3 == inst.args.len())?;
        let body = &inst.regions[0];
        let plain = inst.kind == Kind::For(Loop::default()) && !scan::has_loop(body);
        let alike = |found: &Found| {
            let number = !self.f.ty(self.write(body, found).args[1]).is_array();
            number && found.start == first.start && self.known.same(&found.axis, &first.axis)
        };
        (plain && !first.whole && all.iter().all(alike)).then_some(())?;
        let begin = first.start.as_const()?;
        let behind = self.known.resolve(&first.axis).sub(&first.start)?.sub(&first.n)?.as_const()?;
        let few = 0..=ENDS;
        (few.contains(&begin) && few.contains(&behind)).then_some([begin, behind])
    }

    /// The loop over the whole axis, which collects what it writes and, elsewhere, what was there.
    fn over_axis(
        &mut self,
        inst: Inst,
        all: &[Found],
        before: &mut Vec<Inst>,
        behind: &mut Vec<Inst>,
    ) -> Inst {
        let [begin, left] = self.ends(&inst, all).expect("looked at before");
        let Inst { args, results, mut regions, span, .. } = inst;
        let (lo, mut body) = (self.known.dim(args[0]), regions.remove(0));
        let axis = self.known.resolve(&all[0].axis);
        let end = axis.sub(&left.into()).expect("an end of an axis");
        let [zero, one] = [0, 1].map(|n| scan::constant(self.f, Const::I64(n), span, before));
        let size = merge::number(&axis, self.f, before, span);
        let index = self.f.fresh(Scalar::I64.into());
        let mut turn = Vec::new();
        let mut conditions = Vec::new();
        for (op, end, holds) in [(Op::Ge, Dim::from(begin), begin == 0), (Op::Lt, end, left == 0)] {
            if !holds {
                let end = merge::number(&end, self.f, before, span);
                let data = Scalar::Bool.into();
                conditions.push(scan::emit(self.f, Kind::Op(op), &[index, end], data, span, &mut turn));
            }
        }
        let inside = match conditions[..] {
            [a, b] => scan::emit(self.f, Kind::Op(Op::And), &[a, b], Scalar::Bool.into(), span, &mut turn),
            [a] => a,
            _ => unreachable!("a loop over a part of an axis"),
        };

        let mut old = Region::default();
        let mut collected = Vec::new();
        body.yields.clear();
        for found in all {
            let init = args[3 + found.carry];
            let value = self.collected(&mut body, found, init);
            let data = self.f.data(value).clone();
            let place = [&[init], &found.rows[..], &[index]].concat();
            old.yields.push(scan::emit(self.f, Kind::Index, &place, data.clone(), span, &mut old.insts));
            body.yields.push(value);
            collected.push(self.f.fresh(data));
        }
        let i = std::mem::take(&mut body.params)[0];
        let shift = lo.sub(&begin.into()).expect("a distance");
        if shift.as_const() == Some(0) {
            scan::rename(&mut body, self.f, &FxHashMap::from_iter([(i, index)]));
        } else {
            let by = merge::number(&shift, self.f, before, span);
            body.insts.insert(0, Inst::simple(Kind::Op(Op::Add), &[index, by], i, span));
        }
        let results_of = Values::from_slice(&collected);
        let args_of = Values::from_slice(&[inside]);
        turn.push(Inst {
            kind: Kind::If,
            args: args_of,
            results: results_of,
            regions: vec![body, old],
            span,
        });

        let rows = all.iter().map(|found| {
            let (init, result) = (args[3 + found.carry], results[found.carry]);
            if found.rows.is_empty() {
                return result;
            }
            let row = self.f.fresh(self.f.data(init).inner(found.rows.len()));
            behind.push(Inst::simple(Kind::Update, &[&[init, row], &found.rows[..]].concat(), result, span));
            row
        });
        Inst {
            kind: Kind::For(Loop::collecting(all.len())),
            results: rows.collect(),
            args: Values::from_slice(&[zero, size, one]),
            regions: vec![Region { params: vec![index], insts: turn, yields: collected }],
            span,
        }
    }

    /// Lets the loop collect what it writes to these carries. Instructions go in front of the loop and behind it.
    fn over_range(&mut self, inst: &mut Inst, all: &[Found], before: &mut Vec<Inst>, behind: &mut Vec<Inst>) {
        let (Some(first), Kind::For(l)) = (all.first(), &inst.kind) else { return };
        let (l, span) = (*l, inst.span);
        let mut results = inst.results.to_vec();
        let mut args = inst.args.to_vec();
        for found in all {
            let (init, result) = (args.remove(3 + found.carry), results.remove(found.carry));
            let body = &mut inst.regions[0];
            let value = self.collected(body, found, init);
            body.params.remove(1 + found.carry);
            body.yields.remove(found.carry);
            body.yields.push(value);
            if found.whole && found.rows.is_empty() {
                results.push(result);
                continue;
            }
            let mut part = self.f.fresh(self.f.data(value).outer(std::slice::from_ref(&found.n)));
            results.push(part);
            if !found.whole {
                let start = merge::number(&found.start, self.f, before, span);
                let data = self.f.data(init).clone();
                part = scan::emit(self.f, Kind::UpdateSlice, &[init, part, start], data, span, behind);
            }
            if !found.rows.is_empty() {
                let data = self.f.data(init).clone();
                scan::emit(
                    self.f,
                    Kind::Update,
                    &[&[init, part], &found.rows[..]].concat(),
                    data,
                    span,
                    behind,
                );
            }
            behind.last_mut().expect("a write").results[0] = result;
        }
        inst.kind = Kind::For(Loop { collects: l.collects + all.len() as u32, ..l });
        (inst.args, inst.results) = (args.into(), results.into());
        self.count_from_zero(inst, &first.n, before);
    }

    /// The instruction that writes.
    fn write<'r>(&self, body: &'r Region, found: &Found) -> &'r Inst {
        body.insts.iter().find(|i| i.results[..] == [found.write]).expect("a write was found")
    }

    /// Takes the write out of the body; what it writes. What reads the array reads what it begins with.
    fn collected(&mut self, body: &mut Region, found: &Found, init: Value) -> Value {
        let write = self.write(body, found).clone();
        body.insts.retain(|i| i.results != write.results);
        read_instead(body, write.args[0], &write.args[2..], init);
        write.args[1]
    }

    /// Lets a loop of `n` iterations count from 0, as one that collects has to.
    fn count_from_zero(&mut self, inst: &mut Inst, n: &Dim, before: &mut Vec<Inst>) {
        let (lo, span) = (inst.args[0], inst.span);
        if self.known.number(lo) == Some(0) {
            return;
        }
        let body = &mut inst.regions[0];
        let t = self.f.fresh(Scalar::I64.into());
        let i = std::mem::replace(&mut body.params[0], t);
        body.insts.insert(0, Inst::simple(Kind::Op(Op::Add), &[lo, t], i, span));
        inst.args[0] = scan::constant(self.f, Const::I64(0), span, before);
        inst.args[1] = merge::number(n, self.f, before, span);
    }
}

/// Whether an instruction reads an element of the array, or of the sub-array there.
fn is_read(inst: &Inst, array: Value, index: &[Value]) -> bool {
    inst.kind == Kind::Index && inst.args[0] == array && inst.args[1..].starts_with(index)
}

/// Lets such reads read another array.
fn read_instead(r: &mut Region, array: Value, index: &[Value], other: Value) {
    for inst in &mut r.insts {
        if is_read(inst, array, index) {
            inst.args[0] = other;
        }
        inst.regions.iter_mut().for_each(|r| read_instead(r, array, index, other));
    }
}
