//! Small arrays that go round in a loop, or come out of the branches of an `if`, as their elements.
//!
//! A carry is split if every iteration makes it out of elements (`pack`) and reads it only at known indices: then nothing in
//! the loop needs it as an array. A result of an `if` is split if both
//! branches make it out of elements, inside or before. What is added to a part of an array is added to its elements.

use super::scan;
use crate::decisions::Deciding;
use adc_ir::dims::Known;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Func, Inst, Kind, Loop, Op, Region, Scalar, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of a carry that is split, at most.
const ELEMENTS: i64 = 16;

pub(crate) fn function(f: &mut Func) {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    scan::edit(f, |body, f| {
        Splitter { f, known: &known, ranges: &ranges, packed: FxHashSet::default() }.region(body)
    });
}

/// Splits sums of small arrays into sums of their elements, but what decides something; whether there were any. Sums of numbers have
/// another order than those of arrays.
pub(super) fn sums(f: &mut Func, deciding: &Deciding) -> bool {
    let (known, ranges) = (Known::of(f), Ranges::of(f));
    let mut any = false;
    scan::edit(f, |body, f| {
        any =
            Splitter { f, known: &known, ranges: &ranges, packed: FxHashSet::default() }.sums(body, deciding);
    });
    any
}

struct Splitter<'a> {
    f: &'a mut Func,
    known: &'a Known,
    ranges: &'a Ranges,
    /// Arrays that are made of single elements, so far.
    packed: FxHashSet<Value>,
}

impl Splitter<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            match inst.kind {
                Kind::For(l) | Kind::While(l) => self.split(inst, l, &mut out),
                Kind::If => self.split_branches(inst, &mut out),
                Kind::Pack => {
                    let made = |v: &Value| !self.f.ty(*v).is_array() || self.packed.contains(v);
                    if inst.args.iter().all(made) {
                        self.packed.insert(inst.results[0]);
                    }
                    out.push(inst);
                }
                Kind::AddSlice if self.is_split(&inst) => self.split_addition(&inst, &mut out),
                _ => out.push(inst),
            }
        }
        r.insts = out;
    }

    /// Whether elements are added to a part of an array that is certainly inside it.
    fn is_split(&self, inst: &Inst) -> bool {
        let (shape, (from, to)) = (self.f.shape(inst.args[0]), self.ranges.get(inst.args[2]));
        let size = self.known.resolve(&self.f.shape(inst.args[1])[0]).as_const();
        let inside = |n: i64| from >= 0 && to <= self.ranges.dim(&shape[0]).0.saturating_sub(n);
        shape.len() == 1
            && self.packed.contains(&inst.args[1])
            && size.is_some_and(|n| (1..=ELEMENTS).contains(&n) && inside(n))
    }

    /// Adds them one by one.
    fn split_addition(&mut self, inst: &Inst, out: &mut Vec<Inst>) {
        let [mut array, terms, start] = [0, 1, 2].map(|k| inst.args[k]);
        let data = self.f.data(terms).clone();
        let (whole, elem) = (self.f.data(array).clone(), ValueData::from(data.ty.scalar()));
        let index = self.indices(&data).expect("it is small");
        for (k, i) in index.iter().enumerate() {
            let x = self.element(terms, i, &elem, inst.span, out);
            let by = scan::constant(self.f, Const::I64(i[0]), inst.span, out);
            let at = scan::emit(self.f, Kind::Op(Op::Add), &[start, by], Scalar::I64.into(), inst.span, out);
            let to = if k + 1 == index.len() { inst.results[0] } else { self.f.fresh(whole.clone()) };
            out.push(Inst::simple(Kind::AddAt, &[array, x, at], to, inst.span));
            array = to;
        }
    }

    /// Splits the carries of a loop that can be.
    fn split(&mut self, mut inst: Inst, l: Loop, out: &mut Vec<Inst>) {
        let first = inst.kind.first_carry().expect("a loop with carries");
        let before = matches!(inst.kind, Kind::For(_)) as usize;
        let carries = inst.args.len() - first;
        let mut behind = Vec::new();
        for k in (0..carries).rev() {
            let data = self.f.data(inst.args[first + k]).clone();
            let Some(index) = self.indices(&data) else { continue };
            let body = inst.regions.last().expect("a loop has a body");
            let made = self.packs(body, body.yields[k]);
            let read = inst.regions.iter().all(|r| self.reads(r, r.params[before + k]));
            // What comes out of the `while` as an array besides would be one more use.
            if !made || !read || l.collects > 0 && matches!(inst.kind, Kind::While(_)) {
                continue;
            }
            let span = inst.span;
            let elem: ValueData = data.ty.scalar().into();
            let init: Vec<Value> =
                index.iter().map(|i| self.element(inst.args[first + k], i, &elem, span, out)).collect();
            inst.args = scan::splice(&inst.args, first + k, &init);
            for r in &mut inst.regions {
                let params: Vec<Value> = init.iter().map(|_| self.f.fresh(elem.clone())).collect();
                let array = r.params[before + k];
                r.params.splice(before + k..=before + k, params.iter().copied());
                let mut head = Vec::new();
                self.pack(array, &params, &data, span, &mut head);
                head.append(&mut r.insts);
                r.insts = head;
            }
            let body = inst.regions.last_mut().expect("a loop has a body");
            let array = body.yields[k];
            let mut tail = Vec::new();
            let next: Vec<Value> =
                index.iter().map(|i| self.element(array, i, &elem, span, &mut tail)).collect();
            body.insts.append(&mut tail);
            body.yields.splice(k..=k, next);
            let results: Vec<Value> = init.iter().map(|_| self.f.fresh(elem.clone())).collect();
            let array = inst.results[k];
            inst.results = scan::splice(&inst.results, k, &results);
            self.pack(array, &results, &data, span, &mut behind);
        }
        out.push(inst);
        out.append(&mut behind);
    }

    /// Splits sums everywhere in a region.
    fn sums(&mut self, r: &mut Region, deciding: &Deciding) -> bool {
        let mut any = false;
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| any |= self.sums(r, deciding));
            let mut behind = Vec::new();
            if let Kind::For(l) = inst.kind {
                any |= self.split_sums(&mut inst, l, deciding, &mut behind);
            }
            out.push(inst);
            out.append(&mut behind);
        }
        r.insts = out;
        any
    }

    /// Splits the sums of a loop whose terms are made of elements.
    fn split_sums(
        &mut self,
        inst: &mut Inst,
        mut l: Loop,
        deciding: &Deciding,
        behind: &mut Vec<Inst>,
    ) -> bool {
        let (carries, mut any) = (inst.args.len() - 3, false);
        for k in (carries..carries + l.sums as usize).rev() {
            let (array, term) = (inst.results[k], inst.regions[0].yields[k]);
            let data = self.f.data(array).clone();
            let fits =
                data.ty.is_differentiable() && !deciding.get(array) && self.packs(&inst.regions[0], term);
            let Some(index) = self.indices(&data).filter(|_| fits) else { continue };
            let elem: ValueData = data.ty.scalar().into();
            let terms: Vec<Value> = index
                .iter()
                .map(|i| self.element(term, i, &elem, inst.span, &mut inst.regions[0].insts))
                .collect();
            inst.regions[0].yields.splice(k..=k, terms);
            let sums: Vec<Value> = index.iter().map(|_| self.f.fresh(elem.clone())).collect();
            inst.results = scan::splice(&inst.results, k, &sums);
            self.pack(array, &sums, &data, inst.span, behind);
            l.sums += index.len() as u32 - 1;
            any = true;
        }
        inst.kind = Kind::For(l);
        any
    }

    /// Splits the results of an `if` that can be.
    fn split_branches(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let mut behind = Vec::new();
        for k in (0..inst.results.len()).rev() {
            let data = self.f.data(inst.results[k]).clone();
            let Some(index) = self.indices(&data) else { continue };
            if !inst.regions.iter().all(|r| self.packed.contains(&r.yields[k])) {
                continue;
            }
            let span = inst.span;
            let elem: ValueData = data.ty.scalar().into();
            for r in &mut inst.regions {
                let mut tail = Vec::new();
                let elements: Vec<Value> =
                    index.iter().map(|i| self.element(r.yields[k], i, &elem, span, &mut tail)).collect();
                r.insts.append(&mut tail);
                r.yields.splice(k..=k, elements);
            }
            let results: Vec<Value> = index.iter().map(|_| self.f.fresh(elem.clone())).collect();
            let array = inst.results[k];
            inst.results = scan::splice(&inst.results, k, &results);
            self.pack(array, &results, &data, span, &mut behind);
            self.packed.insert(array);
        }
        out.push(inst);
        out.append(&mut behind);
    }

    /// The indices of the elements of a small array.
    fn indices(&self, data: &ValueData) -> Option<Vec<Vec<i64>>> {
        if data.shape.is_empty() {
            return None;
        }
        let sizes: Option<Vec<i64>> = data.shape.iter().map(|d| self.known.resolve(d).as_const()).collect();
        let sizes = sizes?;
        let count = sizes.iter().try_fold(1i64, |n, s| n.checked_mul(*s))?;
        if !(1..=ELEMENTS).contains(&count) {
            return None;
        }
        let mut all = vec![Vec::new()];
        for n in sizes {
            all = all.iter().flat_map(|t| (0..n).map(|i| [&t[..], &[i]].concat())).collect();
        }
        Some(all)
    }

    /// Whether a value is made of single elements in a region.
    fn packs(&self, r: &Region, v: Value) -> bool {
        let made: FxHashMap<Value, &Inst> =
            r.insts.iter().filter(|i| i.kind == Kind::Pack).map(|i| (i.results[0], i)).collect();
        fn packs(made: &FxHashMap<Value, &Inst>, f: &Func, v: Value) -> bool {
            !f.ty(v).is_array() || made.get(&v).is_some_and(|i| i.args.iter().all(|v| packs(made, f, *v)))
        }
        packs(&made, self.f, v)
    }

    /// Whether an array is read in a region at known indices of single elements, and nothing else is done with it.
    fn reads(&self, r: &Region, x: Value) -> bool {
        let mut consts = FxHashSet::default();
        self.consts(r, &mut consts);
        self.only_reads(r, x, &consts)
    }

    fn only_reads(&self, r: &Region, x: Value, consts: &FxHashSet<Value>) -> bool {
        let rank = self.f.shape(x).len();
        !r.yields.contains(&x)
            && r.insts.iter().all(|i| {
                let index = i.args.get(1..).unwrap_or_default();
                let known = |v: &Value| consts.contains(v) || self.known.number(*v).is_some();
                let read = i.kind == Kind::Index && index.len() == rank && index.iter().all(known);
                (!i.args.contains(&x) || read) && i.regions.iter().all(|r| self.only_reads(r, x, consts))
            })
    }

    fn consts(&self, r: &Region, out: &mut FxHashSet<Value>) {
        for inst in &r.insts {
            if let Kind::Const(Const::I64(_)) = inst.kind {
                out.insert(inst.results[0]);
            }
            inst.regions.iter().for_each(|r| self.consts(r, out));
        }
    }

    fn element(
        &mut self,
        x: Value,
        index: &[i64],
        elem: &ValueData,
        span: adc_ir::Span,
        out: &mut Vec<Inst>,
    ) -> Value {
        let mut args: Values = [x].as_slice().into();
        for i in index {
            let c = Const::I64(*i);
            let v = self.f.fresh(c.scalar().into());
            out.push(Inst::simple(Kind::Const(c), &[], v, span));
            args.push(v);
        }
        let v = self.f.fresh(elem.clone());
        out.push(Inst::simple(Kind::Index, &args, v, span));
        v
    }

    /// Defines `array` as made of `values`, row-major.
    fn pack(
        &mut self,
        array: Value,
        values: &[Value],
        data: &ValueData,
        span: adc_ir::Span,
        out: &mut Vec<Inst>,
    ) {
        let inner = data.inner(1);
        if inner.shape.is_empty() {
            out.push(Inst::simple(Kind::Pack, values, array, span));
            return;
        }
        let n = self.known.resolve(&data.shape[0]).as_const().expect("sizes are known") as usize;
        let mut rows = Values::new();
        for row in values.chunks(values.len() / n) {
            let v = self.f.fresh(inner.clone());
            self.pack(v, row, &inner, span, out);
            rows.push(v);
        }
        out.push(Inst::simple(Kind::Pack, &rows, array, span));
    }
}
