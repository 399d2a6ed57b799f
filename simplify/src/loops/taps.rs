//! Arrays that a loop collects and that differ in a factor only are collected once, if they are added up a few places apart: each
//! element of the sum is made of elements of the one array.
//!
//! The reverse of a convolution with a few taps adds `k[0]*g` to a row, `k[1]*g` one place further on, and so on. What is stored is `g`,
//! with room for the taps at both ends. Room is nothing, not 0, so that an infinite factor makes no NaN of it: each term is selected by
//! where the element is. Additions come in the same order: results keep their bits.

use super::scan;
use adc_ir::dims::Known;
use adc_ir::{Const, Dim, Func, Inst, Kind, Loop, Op, Region, Scalar, Span, Type, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of the sum, at least: fewer do not fill a vector.
const FEWEST: i64 = 8;
/// Terms, at least, for each array that is collected for them.
const TERMS: usize = 3;
/// Places from the first tap to the last, at most: what room there is costs as much as elements.
const WIDEST: i64 = 32;
/// Steps from what is stored to a term, at most.
const STEPS: usize = 4;

/// Returns whether there was any.
pub(crate) fn function(f: &mut Func) -> bool {
    let known = Known::of(f);
    let mut uses = vec![0; f.values.len()];
    let Some(body) = f.region() else { return false };
    body.count_uses(&mut uses);
    let mut any = false;
    scan::edit(f, |body, f| {
        let mut zeros = FxHashSet::default();
        let zero = |i: &Inst| matches!(i.kind, Kind::Const(c) if c.bits() == Const::F64(0.0).bits());
        let mut see = |i: &Inst| zeros.extend(i.results.first().filter(|_| zero(i)));
        body.insts.iter().for_each(|i| scan::each(i, &mut see));
        any = Taps { f, known: &known, uses: &uses, zeros }.region(body);
    });
    any
}

struct Taps<'a> {
    f: &'a mut Func,
    known: &'a Known,
    uses: &'a [u32],
    /// Literals.
    zeros: FxHashSet<Value>,
}

/// What is done to a number of the loop's body to get a term.
#[derive(Clone, Copy)]
enum Step {
    Neg,
    /// Multiplied by a number from outside, which is the first operand or the second.
    Mul(Value, usize),
    /// Where a truth value of the body says so, a number from outside is in its place; the number is operand 1 or 2.
    Select(Value, Value, usize),
}

/// A term that is added to a part of the sum.
struct Tap {
    /// Where in the loop's results the array of terms is.
    result: usize,
    /// A number of the loop's body that it is made of, and how: from there to the term.
    root: Value,
    steps: Vec<Step>,
    /// What it passes on the way, in the same order: of so many steps fewer, what is before the first of them.
    way: Vec<Value>,
    /// The part of the sum.
    from: i64,
    inst: usize,
    span: Span,
}

/// A sum of parts: the last addition, and the parts in their order.
struct Sum {
    last: usize,
    size: i64,
    taps: Vec<Tap>,
}

/// What is collected for the terms of some sums, and how much room there is.
struct Stored {
    /// Numbers, and truth values.
    values: Vec<Value>,
    arrays: FxHashMap<Value, Value>,
    front: i64,
}

impl Taps<'_> {
    fn region(&mut self, r: &mut Region) -> bool {
        let mut any = false;
        for inst in &mut r.insts {
            inst.regions.iter_mut().for_each(|r| any |= self.region(r));
        }
        // One loop after the other, for places change.
        while let Some((maker, sums)) = self.sums(&r.insts) {
            self.change(r, maker, sums);
            any = true;
        }
        any
    }

    /// A loop, and the sums of what it collects, if that can be collected in fewer arrays.
    fn sums(&self, insts: &[Inst]) -> Option<(usize, Vec<Sum>)> {
        let made: FxHashMap<Value, usize> =
            insts.iter().enumerate().flat_map(|(k, i)| i.results.iter().map(move |v| (*v, k))).collect();
        let mut by_loop: Vec<(usize, Vec<Sum>)> = Vec::new();
        for last in 0..insts.len() {
            let Some((maker, sum)) = self.sum(insts, last, &made) else { continue };
            match by_loop.iter_mut().find(|(k, _)| *k == maker) {
                Some((_, sums)) => sums.push(sum),
                None => by_loop.push((maker, vec![sum])),
            }
        }
        by_loop.into_iter().find_map(|(maker, mut sums)| {
            choose_roots(&mut sums);
            let mut stored = FxHashSet::default();
            let terms = sums.iter().flat_map(|s| &s.taps);
            terms.clone().for_each(|t| needs(t, &mut |v| _ = stored.insert(v)));
            (terms.count() >= TERMS * stored.len()).then_some((maker, sums))
        })
    }

    /// A sum of parts that one loop collects terms for, and that loop.
    fn sum(&self, insts: &[Inst], last: usize, made: &FxHashMap<Value, usize>) -> Option<(usize, Sum)> {
        let mut inst = &insts[last];
        (inst.kind == Kind::AddSlice).then_some(())?;
        let r = inst.results[0];
        let size = self.size(r)?;
        let goes_on = insts.iter().any(|i| i.kind == Kind::AddSlice && i.args[0] == r);
        let real = self.f.ty(r).scalar() == Scalar::F64;
        (!goes_on && real && size >= FEWEST).then_some(())?;
        let (mut taps, mut maker, mut at) = (Vec::new(), None, last);
        while inst.kind == Kind::AddSlice {
            let &[array, part, offset] = &inst.args[..] else { return None };
            let once = |v: Value| self.uses.get(v.0 as usize) == Some(&1);
            (once(array) && once(part)).then_some(())?;
            let by = *made.get(&part)?;
            (*maker.get_or_insert(by) == by).then_some(())?;
            let from = self.known.number(offset)?;
            let to = from.checked_add(self.size(part)?)?;
            (from >= 0 && to <= size).then_some(())?;
            let (result, mut way, steps) = self.term(&insts[by], part)?;
            taps.push(Tap { result, root: way.remove(0), steps, way, from, inst: at, span: inst.span });
            at = *made.get(&array)?;
            inst = &insts[at];
        }
        let zeros = inst.kind == Kind::Fill && self.zeros.contains(&inst.args[0]);
        taps.reverse();
        let froms = || taps.iter().map(|t| t.from);
        let near = froms().max()? - froms().min()? <= WIDEST;
        (zeros && near && taps.len() > 1).then_some((maker?, Sum { last, size, taps }))
    }

    /// The number of elements of an array with one axis.
    fn size(&self, v: Value) -> Option<i64> {
        let [n] = &self.f.shape(v)[..] else { return None };
        self.known.resolve(n).as_const()
    }

    /// How a term of an array that a loop collects comes from a number in its body.
    fn term(&self, inst: &Inst, array: Value) -> Option<(usize, Vec<Value>, Vec<Step>)> {
        let Kind::For(Loop { collects, checkpoint: None, .. }) = inst.kind else { return None };
        let number = |v: Value| self.known.number(v);
        let result = inst.results.iter().position(|v| *v == array)?;
        let collected = result >= inst.results.len() - collects as usize;
        let counts = (number(inst.args[0]), number(inst.args[2])) == (Some(0), Some(1));
        (collected && counts).then_some(())?;
        let body = &inst.regions[0];
        let made: FxHashMap<Value, &Inst> =
            body.insts.iter().flat_map(|i| i.results.iter().map(move |v| (*v, i))).collect();
        let outside = |v: Value| !made.contains_key(&v) && !body.params.contains(&v);
        let mut root = body.yields[result];
        let (mut way, mut steps) = (vec![root], Vec::new());
        while let Some(inst) = made.get(&root).filter(|_| steps.len() < STEPS) {
            let (next, step) = match (&inst.kind, &inst.args[..]) {
                (Kind::Op(Op::Neg), [x]) => (*x, Step::Neg),
                (Kind::Op(Op::Mul), [k, x]) if outside(*k) => (*x, Step::Mul(*k, 0)),
                (Kind::Op(Op::Mul), [x, k]) if outside(*k) => (*x, Step::Mul(*k, 1)),
                (Kind::Op(Op::Select), [c, k, x]) if outside(*k) => (*x, Step::Select(*c, *k, 2)),
                (Kind::Op(Op::Select), [c, x, k]) if outside(*k) => (*x, Step::Select(*c, *k, 1)),
                _ => break,
            };
            let own = !outside(next) && next != body.params[0];
            if !own || self.f.ty(next) != Type::F64 {
                break;
            }
            root = next;
            way.push(root);
            steps.push(step);
        }
        let inside = made.contains_key(&root) && self.f.ty(root) == Type::F64;
        // A truth value from outside could be read where the terms are, but nothing has one.
        let masks = steps.iter().all(|s| !matches!(s, Step::Select(c, ..) if outside(*c)));
        way.reverse();
        steps.reverse();
        (inside && masks).then_some((result, way, steps))
    }

    /// Lets a loop collect what the terms of sums are made of, and makes these element by element.
    fn change(&mut self, r: &mut Region, maker: usize, sums: Vec<Sum>) {
        let mut values = Vec::new();
        let taps = || sums.iter().flat_map(|s| &s.taps);
        taps().for_each(|t| {
            needs(t, &mut |v| {
                if !values.contains(&v) {
                    values.push(v)
                }
            })
        });
        let front = taps().map(|t| t.from).max().expect("there are taps");
        let reach = sums.iter().flat_map(|s| s.taps.iter().map(|t| s.size - t.from)).max();
        let length = front + reach.expect("there are taps");
        let mut stored = Stored { values, arrays: FxHashMap::default(), front };

        let n = self.size(r.insts[maker].results[taps().next().expect("a tap").result]).expect("a number");
        let results: FxHashSet<usize> = taps().map(|t| t.result).collect();
        let mut behind = self.collect(&mut r.insts[maker], &results, &mut stored, length);
        let mut rest: Vec<(Value, &Sum)> = sums.iter().map(|s| (r.insts[s.last].results[0], s)).collect();
        while let Some(size) = rest.first().map(|(_, s)| s.size) {
            let (now, later) = rest.into_iter().partition(|(_, s)| s.size == size);
            rest = later;
            self.element_by_element(size, &now, &stored, n, &mut behind);
        }
        let gone: FxHashSet<usize> = taps().map(|t| t.inst).collect();
        let mut out = Vec::with_capacity(r.insts.len() + behind.len());
        for (k, inst) in std::mem::take(&mut r.insts).into_iter().enumerate() {
            if !gone.contains(&k) {
                out.push(inst);
            }
            if k == maker {
                out.append(&mut behind);
            }
        }
        r.insts = out;
    }

    /// Takes arrays out of what a loop collects, and lets it collect others, which get room at both ends behind it.
    fn collect(
        &mut self,
        inst: &mut Inst,
        gone: &FxHashSet<usize>,
        stored: &mut Stored,
        length: i64,
    ) -> Vec<Inst> {
        let Kind::For(l) = inst.kind else { unreachable!("only such loops are looked at") };
        let span = inst.span;
        let kept = |k: &usize| !gone.contains(k);
        let all = 0..inst.results.len();
        let n = self.f.shape(inst.results[*gone.iter().next().expect("an array")])[0].clone();
        let body = &mut inst.regions[0];
        let mut results: Vec<Value> = all.clone().filter(kept).map(|k| inst.results[k]).collect();
        let mut yields: Vec<Value> = all.filter(kept).map(|k| body.yields[k]).collect();
        let mut behind = Vec::new();
        let zero = scan::constant(self.f, Const::F64(0.0), span, &mut behind);
        let front = scan::constant(self.f, Const::I64(stored.front), span, &mut behind);
        for v in &stored.values {
            let mut element = *v;
            if self.f.ty(*v) == Type::BOOL {
                let yes = scan::constant(self.f, Const::F64(1.0), span, &mut body.insts);
                let no = scan::constant(self.f, Const::F64(0.0), span, &mut body.insts);
                let args = [*v, yes, no];
                let data = Scalar::F64.into();
                element = scan::emit(self.f, Kind::Op(Op::Select), &args, data, span, &mut body.insts);
            }
            let array = self.f.fresh(ValueData::array(Scalar::F64, vec![n.clone()]));
            yields.push(element);
            results.push(array);
            let wide = ValueData::array(Scalar::F64, vec![Dim::constant(length)]);
            let room = scan::emit(self.f, Kind::Fill, &[zero], wide.clone(), span, &mut behind);
            let args = [room, array, front];
            let with_room = scan::emit(self.f, Kind::UpdateSlice, &args, wide, span, &mut behind);
            stored.arrays.insert(*v, with_room);
        }
        body.yields = yields;
        inst.results = results.into();
        let collects = l.collects - gone.len() as u32 + stored.values.len() as u32;
        inst.kind = Kind::For(Loop { collects, ..l });
        behind
    }

    /// Sums of so many elements as a loop over these, and what they become; a part of one has `n` of them.
    fn element_by_element(
        &mut self,
        size: i64,
        sums: &[(Value, &Sum)],
        stored: &Stored,
        n: i64,
        before: &mut Vec<Inst>,
    ) {
        let span = before.last().expect("something is stored").span;
        let [zero, end, one] = [0, size, 1].map(|n| scan::constant(self.f, Const::I64(n), span, before));
        let index = self.f.fresh(Scalar::I64.into());
        let mut body = Region { params: vec![index], ..Region::default() };
        // As a double, so that it is a condition of each lane, not one that cuts the range into pieces.
        let data = Scalar::F64.into();
        let place = scan::emit(self.f, Kind::Op(Op::ToF64), &[index], data, span, &mut body.insts);
        for (_, sum) in sums {
            let mut so_far = scan::constant(self.f, Const::F64(0.0), span, &mut body.insts);
            for tap in &sum.taps {
                so_far = self.added(tap, so_far, [index, place], size, stored, n, &mut body.insts);
            }
            body.yields.push(so_far);
        }
        before.push(Inst {
            kind: Kind::For(Loop::collecting(sums.len())),
            args: Values::from_slice(&[zero, end, one]),
            results: sums.iter().map(|(v, _)| *v).collect(),
            regions: vec![body],
            span,
        });
    }

    /// An element with a term added, if it has that.
    #[allow(clippy::too_many_arguments)]
    fn added(
        &mut self,
        tap: &Tap,
        so_far: Value,
        [index, place]: [Value; 2],
        size: i64,
        stored: &Stored,
        n: i64,
        out: &mut Vec<Inst>,
    ) -> Value {
        let (f, span) = (&mut *self.f, tap.span);
        let number = |f: &mut Func, kind, args: &[Value], out: &mut Vec<Inst>| {
            scan::emit(f, kind, args, Scalar::F64.into(), span, out)
        };
        let truth = |f: &mut Func, op, args: &[Value], out: &mut Vec<Inst>| {
            scan::emit(f, Kind::Op(op), args, Scalar::Bool.into(), span, out)
        };
        let away = scan::constant(f, Const::I64(stored.front - tap.from), span, out);
        let at = scan::emit(f, Kind::Op(Op::Add), &[index, away], Scalar::I64.into(), span, out);
        let mut x = number(f, Kind::Index, &[stored.arrays[&tap.root], at], out);
        let mut conditions = Vec::new();
        // To leave out an addition of 0 keeps the bits, too, for no sum is −0.
        let (mut steps, mut left_out) = (&tap.steps[..], None);
        if let [first @ .., Step::Select(c, k, operand)] = steps
            && self.zeros.contains(k)
        {
            (steps, left_out) = (first, Some((*c, *operand)));
        }
        for step in steps {
            x = match *step {
                Step::Neg => number(f, Kind::Op(Op::Neg), &[x], out),
                Step::Mul(k, 0) => number(f, Kind::Op(Op::Mul), &[k, x], out),
                Step::Mul(k, _) => number(f, Kind::Op(Op::Mul), &[x, k], out),
                Step::Select(c, k, operand) => {
                    let flag = number(f, Kind::Index, &[stored.arrays[&c], at], out);
                    let none = scan::constant(f, Const::F64(0.0), span, out);
                    let c = truth(f, Op::Ne, &[flag, none], out);
                    let args = if operand == 2 { [c, k, x] } else { [c, x, k] };
                    number(f, Kind::Op(Op::Select), &args, out)
                }
            };
        }
        let sum = number(f, Kind::Op(Op::Add), &[so_far, x], out);
        if let Some((c, operand)) = left_out {
            let flag = number(f, Kind::Index, &[stored.arrays[&c], at], out);
            let none = scan::constant(f, Const::F64(0.0), span, out);
            let op = if operand == 2 { Op::Eq } else { Op::Ne };
            conditions.push(truth(f, op, &[flag, none], out));
        }
        let to = tap.from + n;
        for (op, end, matters) in [(Op::Ge, tap.from, tap.from > 0), (Op::Lt, to, to < size)] {
            if matters {
                let end = scan::constant(f, Const::F64(end as f64), span, out);
                conditions.push(truth(f, op, &[place, end], out));
            }
        }
        let all = conditions.into_iter().reduce(|a, b| truth(f, Op::And, &[a, b], out));
        match all {
            Some(all) => number(f, Kind::Op(Op::Select), &[all, sum, so_far], out),
            None => sum,
        }
    }
}

/// What is stored is the last number on the way to terms that most of them pass.
fn choose_roots(sums: &mut [Sum]) {
    let mut passed: FxHashMap<Value, usize> = FxHashMap::default();
    for tap in sums.iter().flat_map(|s| &s.taps) {
        [tap.root].iter().chain(&tap.way).for_each(|v| *passed.entry(*v).or_default() += 1);
    }
    for tap in sums.iter_mut().flat_map(|s| &mut s.taps) {
        let most = [tap.root].iter().chain(&tap.way).map(|v| passed[v]).max();
        while tap.way.first().is_some_and(|v| Some(passed[v]) == most) {
            tap.root = tap.way.remove(0);
            tap.steps.remove(0);
        }
    }
}

/// Calls `see` with what has to be stored for a term.
fn needs(tap: &Tap, see: &mut impl FnMut(Value)) {
    see(tap.root);
    for step in &tap.steps {
        if let Step::Select(c, ..) = step {
            see(*c);
        }
    }
}
