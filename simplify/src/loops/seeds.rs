//! Elements of unit vectors, one of which each iteration of a loop makes, are read from one array for all of them.
//!
//! So it is with derivatives along all coordinates: iteration j has a seed that is 1 at j and 0 elsewhere. Its element i is the one at
//! place n − 1 + j − i of an array of zeros with a 1 at n − 1. Neighbouring iterations read neighbouring elements, so that they can run
//! in lanes, and no iteration makes a vector. All bits are kept.

use super::scan;
use adc_ir::ranges::Ranges;
use adc_ir::{Const, Dim, Func, Inst, Kind, Op, Region, Scalar, Span, Value, ValueData, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of a unit vector, at most: longer ones are seldom read by other loops than such as pass over all elements.
const LONGEST: i64 = 1 << 10;

pub(crate) fn function(f: &mut Func) {
    let ranges = Ranges::of(f);
    scan::edit(f, |body, f| {
        let mut seeds =
            Seeds { f, ranges: &ranges, consts: FxHashMap::default(), fills: FxHashSet::default() };
        seeds.region(body);
    });
}

struct Seeds<'a> {
    f: &'a mut Func,
    ranges: &'a Ranges,
    consts: FxHashMap<Value, Const>,
    /// Vectors of zeros.
    fills: FxHashSet<Value>,
}

impl Seeds<'_> {
    fn region(&mut self, r: &mut Region) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            inst.regions.iter_mut().for_each(|r| self.region(r));
            self.note(&inst);
            if self.counts_from_zero(&inst) {
                self.unit_vectors(&mut inst.regions[0], &mut out);
            }
            out.push(inst);
        }
        r.insts = out;
    }

    fn note(&mut self, inst: &Inst) {
        let zero = |v: &Value| self.consts.get(v).is_some_and(|c| c.bits() == Const::zero(c.scalar()).bits());
        match &inst.kind {
            Kind::Const(c) => drop(self.consts.insert(inst.results[0], *c)),
            Kind::Fill | Kind::Pack if inst.args.iter().all(zero) => {
                self.fills.insert(inst.results[0]);
            }
            _ => {}
        }
    }

    fn counts_from_zero(&self, inst: &Inst) -> bool {
        match inst.kind {
            Kind::Build { rank: 1 } => true,
            Kind::For(_) | Kind::Reduce(_) => {
                [0, 2].map(|k| self.ranges.get(inst.args[k])) == [(0, 0), (1, 1)]
            }
            _ => false,
        }
    }

    /// Takes the unit vectors out of the body of a loop.
    fn unit_vectors(&mut self, body: &mut Region, before: &mut Vec<Inst>) {
        // By vector: the array that is read, and the place there of element 0.
        let mut places: FxHashMap<Value, (Value, Value)> = FxHashMap::default();
        let index = body.params[0];
        let mut out = Vec::with_capacity(body.insts.len());
        for inst in &body.insts {
            let Some((n, one)) = self.unit_vector(inst, index, body) else { continue };
            let array = self.shifted(n, one, inst.span, before);
            let last = scan::constant(self.f, Const::I64(n - 1), inst.span, &mut out);
            let (add, integer) = (Kind::Op(Op::Add), Scalar::I64.into());
            let top = scan::emit(self.f, add, &[index, last], integer, inst.span, &mut out);
            places.insert(inst.results[0], (array, top));
        }
        if !places.is_empty() {
            out.extend(std::mem::take(&mut body.insts));
            body.insts = out;
            self.read(body, &places);
        }
    }

    /// The length and the one number of a vector that is 0 but at the index of a loop, and of which only elements are read.
    fn unit_vector(&self, inst: &Inst, index: Value, body: &Region) -> Option<(i64, Const)> {
        let (Kind::Update, &[zeros, one, place]) = (&inst.kind, &inst.args[..]) else { return None };
        let unit = inst.results[0];
        let n = self.f.shape(unit)[0].as_const().filter(|n| (2..=LONGEST).contains(n))?;
        let fits = place == index
            && self.fills.contains(&zeros)
            && self.ranges.inside(self.f.shape(unit), &[index])
            && self.only_elements(body, unit);
        self.consts.get(&one).filter(|_| fits).map(|one| (n, *one))
    }

    /// Whether elements that are there for certain are all that is asked of an array.
    fn only_elements(&self, r: &Region, array: Value) -> bool {
        !r.yields.contains(&array)
            && r.insts.iter().all(|inst| {
                let index = &inst.args[inst.args.len().min(1)..];
                let element = inst.kind == Kind::Index
                    && !index.contains(&array)
                    && self.ranges.inside(self.f.shape(array), index);
                (!inst.args.contains(&array) || element)
                    && inst.regions.iter().all(|r| self.only_elements(r, array))
            })
    }

    /// The array that has `one` in the middle.
    fn shifted(&mut self, n: i64, one: Const, span: Span, out: &mut Vec<Inst>) -> Value {
        let data = ValueData::array(one.scalar(), vec![Dim::constant(2 * n - 1)]);
        let zero = scan::constant(self.f, Const::zero(one.scalar()), span, out);
        let one = scan::constant(self.f, one, span, out);
        let middle = scan::constant(self.f, Const::I64(n - 1), span, out);
        let zeros = scan::emit(self.f, Kind::Fill, &[zero], data.clone(), span, out);
        scan::emit(self.f, Kind::Update, &[zeros, one, middle], data, span, out)
    }

    /// Reads elements where they are now.
    fn read(&mut self, r: &mut Region, places: &FxHashMap<Value, (Value, Value)>) {
        let mut out = Vec::with_capacity(r.insts.len());
        for mut inst in std::mem::take(&mut r.insts) {
            if let (Kind::Index, Some((array, top))) =
                (&inst.kind, inst.args.first().and_then(|v| places.get(v)))
            {
                let (sub, integer) = (Kind::Op(Op::Sub), Scalar::I64.into());
                let at = scan::emit(self.f, sub, &[*top, inst.args[1]], integer, inst.span, &mut out);
                inst.args = Values::from_slice(&[*array, at]);
            }
            inst.regions.iter_mut().for_each(|r| self.read(r, places));
            // The vectors themselves are dead.
            out.push(inst);
        }
        r.insts = out;
    }
}
