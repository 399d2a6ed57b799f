//! Steps on arrays, and loops.
//!
//! Every size is at least 1 for dimensions that are, and indices are in range (loop indices, remainders), unless
//! [`Knobs::traps`](super::Knobs::traps) asks for others. A region of a loop knows about how often it runs; loops are not
//! nested, nor functions called, where that would multiply to too much.

use super::Generator;
use super::float::Prep;
use crate::dims::{Dim, elements};
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};

/// Estimated runs of an instruction, at most.
const RUNS: u64 = 300;
/// Estimated runs of all instructions of a function with its callees, at most.
const COST: u64 = 20_000;
/// About how large a size is.
const SIZE: u64 = 4;
/// Iterations of a loop, at most.
pub(super) const TURNS: f64 = 10.0;
/// Integers beyond do not go round in loops.
const SMALL_INT: f64 = 1e6;

/// What else is visible in functions with arrays.
#[derive(Default)]
pub(super) struct Arrays {
    values: Vec<Value>,
    /// Integers in `0..size`.
    ranges: Vec<(Value, Dim)>,
    /// Sizes; those of the first kind are as small as a dimension.
    sizes: Vec<(bool, Dim)>,
    /// How often the current region runs.
    runs: u64,
    /// What running the function takes.
    pub(super) cost: u64,
}

/// Numbers of arrays, ranges and sizes.
pub(super) type Scope = [usize; 3];

impl Arrays {
    pub(super) fn scope(&self) -> Scope {
        [self.values.len(), self.ranges.len(), self.sizes.len()]
    }

    pub(super) fn leave(&mut self, [values, ranges, sizes]: Scope) {
        self.values.truncate(values);
        self.ranges.truncate(ranges);
        self.sizes.truncate(sizes);
    }
}

impl Generator<'_> {
    /// Dimensions and array parameters; scalar ones are there.
    pub(super) fn array_params(&mut self) {
        for (i, name) in ["N", "M"].into_iter().enumerate() {
            if i == 0 || self.rng.one_in(2) {
                let n = self.b.dim(name);
                self.arrays.sizes.push((true, Dim::var(n)));
            }
        }
        self.arrays.runs = 1;
        let n = self.arrays.sizes[0].1.clone();
        let plus = |c: i64, d: &Dim| d.add(&Dim::constant(c)).expect("small");
        let twice = n.mul(&Dim::constant(2)).expect("small");
        let more = [(true, 2.into()), (true, 3.into()), (false, plus(1, &n)), (false, plus(-1, &twice))];
        self.arrays.sizes.extend(more);
    }

    pub(super) fn array_param(&mut self, i: usize) {
        let data = self.array_type();
        let v = self.b.param(["A", "B", "c d"][i], data);
        self.note_array(v, if self.knobs.smooth { 6.0 } else { f64::INFINITY });
    }

    /// A type of an array: one axis, or two, or three.
    fn array_type(&mut self) -> ValueData {
        let elem = self.scalar();
        let rank = [1, 1, 1, 2, 2, 3][self.rng.below(6)];
        let shape = (0..rank).map(|_| self.size(false)).collect();
        ValueData::array(elem, shape)
    }

    fn size(&mut self, small: bool) -> Dim {
        let known: Vec<usize> =
            (0..self.arrays.sizes.len()).filter(|i| !small || self.arrays.sizes[*i].0).collect();
        let i = self.rng.pick(&known);
        self.arrays.sizes[i].1.clone()
    }

    pub(super) fn note_array(&mut self, v: Value, bound: f64) {
        self.note(v, bound);
        self.visible.pop();
        self.arrays.values.push(v);
    }

    /// A result of any type.
    pub(super) fn note_any(&mut self, v: Value, bound: f64) {
        if self.b.ty(v).is_array() { self.note_array(v, bound) } else { self.note(v, bound) }
    }

    /// Emits an instruction of an array kind.
    fn array_op(&mut self, kind: Kind, args: &[Value], bound: f64) -> Value {
        let v = self.b.infer(kind, args, Vec::new())[0];
        self.note_any(v, bound);
        v
    }

    /// A region whose values are not visible outside; `times`: how often it runs for each time this place does.
    pub(super) fn nested(
        &mut self,
        params: Vec<ValueData>,
        times: u64,
        body: impl FnOnce(&mut Self, &[Value]) -> Vec<Value>,
    ) -> Region {
        let (scope, runs) = (self.scope(), self.arrays.runs);
        let params = self.b.open_with(params);
        self.arrays.runs *= times;
        let yields = body(self, &params);
        self.arrays.runs = runs;
        self.leave(scope);
        self.b.close(yields)
    }

    /// One step.
    pub(super) fn array_step(&mut self, depth: usize) {
        self.arrays.cost += 10 * self.arrays.runs;
        let may_nest = depth < self.knobs.depth
            && self.arrays.runs * SIZE <= RUNS
            && self.arrays.cost + 100 * self.arrays.runs <= COST;
        if self.knobs.edges && may_nest && self.rng.one_in(5) {
            return self.edge_read();
        }
        match self.rng.below(20) {
            0..=2 if may_nest => self.build(depth),
            3..=5 if may_nest => self.reduce(depth),
            6..=7 if may_nest => self.for_loop(depth),
            8 if may_nest => self.while_loop(depth),
            9 if may_nest => self.array_branch(depth),
            10 => self.linear_algebra(depth < self.knobs.depth),
            11 => self.new_size(),
            12..=13 => self.write(),
            14..=15 => self.rearrange(),
            _ => self.read(),
        }
    }

    /// The value of a size.
    pub(super) fn extent(&mut self, d: &Dim) -> Value {
        let v = self.b.size(d);
        if !self.visible.contains(&v) {
            self.note(v, 100.0);
        }
        v
    }

    pub(super) fn int(&mut self, n: i64) -> Value {
        self.constant(Const::I64(n))
    }

    /// An index into an axis.
    fn position(&mut self, size: &Dim) -> Value {
        if self.knobs.traps && self.rng.one_in(8) {
            return self.value(Scalar::I64);
        }
        let known: Vec<Value> =
            self.arrays.ranges.iter().filter(|(_, d)| d == size).map(|(v, _)| *v).collect();
        match self.rng.below(6) {
            0 => self.int(0),
            1 => {
                let (i, n) = (self.value(Scalar::I64), self.extent(size));
                self.op(Op::Mod, &[i, n], 100.0)
            }
            2 if !known.is_empty() => {
                let (i, last) = (self.rng.pick(&known), size.add(&Dim::constant(-1)).expect("small"));
                let last = self.extent(&last);
                self.op(Op::Sub, &[last, i], 100.0)
            }
            _ if !known.is_empty() => self.rng.pick(&known),
            _ => {
                let (i, n) = (self.value(Scalar::I64), self.extent(size));
                self.op(Op::Mod, &[i, n], 100.0)
            }
        }
    }

    fn positions(&mut self, shape: &[Dim], count: usize) -> Vec<Value> {
        shape[..count].iter().map(|d| self.position(d)).collect()
    }

    /// An array, from anywhere visible.
    pub(super) fn array(&mut self) -> Value {
        match self.arrays.values.len() {
            0 => {
                let data = self.array_type();
                self.array_like(&data)
            }
            n => {
                let from = if self.rng.one_in(2) { n / 2 } else { 0 };
                self.arrays.values[from + self.rng.below(n - from)]
            }
        }
    }

    /// A value of this type; an array is made if there is none.
    pub(super) fn value_like(&mut self, data: &ValueData) -> Value {
        if data.ty.is_array() { self.array_like(data) } else { self.value(data.ty.scalar()) }
    }

    fn array_like(&mut self, data: &ValueData) -> Value {
        let known: Vec<Value> =
            self.arrays.values.iter().filter(|v| self.b.data(**v) == data).copied().collect();
        if !known.is_empty() && !self.rng.one_in(8) {
            return self.rng.pick(&known);
        }
        let x = self.value(data.ty.scalar());
        let v = self.b.fill(x, &data.shape);
        self.note_array(v, self.bound_of(x));
        v
    }

    fn read(&mut self) {
        let x = self.array();
        let shape = self.b.data(x).shape.clone();
        let count = if self.rng.one_in(3) { 1 + self.rng.below(shape.len()) } else { shape.len() };
        let index = self.positions(&shape, count);
        self.array_op(Kind::Index, &[&[x], index.as_slice()].concat(), self.bound_of(x));
    }

    fn write(&mut self) {
        let x = self.array();
        let data = self.b.data(x).clone();
        if self.rng.one_in(3) {
            let part = data.inner(1).outer(&[self.part(&data.shape[0])]);
            let start = self.start(&data.shape[0], &part.shape[0]);
            let part = self.array_like(&part);
            let bound = self.bound_of(x).max(self.bound_of(part));
            let (kind, bound) = self.written(&data, Kind::UpdateSlice, Kind::AddSlice, bound);
            self.array_op(kind, &[x, part, start], bound);
            return;
        }
        let count = if self.rng.one_in(3) { 1 + self.rng.below(data.shape.len()) } else { data.shape.len() };
        let v = self.value_like(&data.inner(count));
        let index = self.positions(&data.shape, count);
        let bound = self.bound_of(x).max(self.bound_of(v));
        let (kind, bound) = self.written(&data, Kind::Update, Kind::AddAt, bound);
        self.array_op(kind, &[&[x, v], index.as_slice()].concat(), bound);
    }

    /// One of two ways to write into such an array, and what bounds its elements then.
    fn written(&mut self, data: &ValueData, over: Kind, add: Kind, bound: f64) -> (Kind, f64) {
        let elem = data.ty.scalar();
        // Integers would overflow in loops.
        let may = elem.is_float() || (elem == Scalar::I64 && self.knobs.traps);
        let adds = may && self.rng.one_in(3);
        if adds { (add, 2.0 * bound) } else { (over, bound) }
    }

    /// The length of a part of an axis.
    fn part(&mut self, size: &Dim) -> Dim {
        let len = self.size(false);
        match size.sub(&len).and_then(|d| d.as_const()) {
            Some(0..) => len,
            _ => 1.into(),
        }
    }

    /// Where such a part may start.
    fn start(&mut self, size: &Dim, len: &Dim) -> Value {
        match size.sub(len).and_then(|d| d.as_const()) {
            Some(rest @ 0..) => {
                let n = self.rng.below(rest as usize + 1) as i64;
                self.int(n)
            }
            _ if *len == 1.into() => self.position(size),
            _ => self.int(0),
        }
    }

    fn rearrange(&mut self) {
        let x = self.array();
        let data = self.b.data(x).clone();
        let bound = self.bound_of(x);
        match self.rng.below(6) {
            // Neither ranks nor sizes are to grow without end.
            0..=1 if data.shape.len() > 3 => self.read(),
            0 => {
                let inner = data.inner(data.shape.len().min(1 + self.rng.below(3)));
                let v = self.value_like(&inner);
                let sizes: Vec<Dim> = (0..1 + self.rng.below(2)).map(|_| self.size(true)).collect();
                let filled = self.b.fill(v, &sizes);
                self.note_array(filled, self.bound_of(v));
            }
            1 => {
                let data = data.inner(self.rng.below(data.shape.len() + 1));
                let values: Vec<Value> = (0..1 + self.rng.below(3)).map(|_| self.value_like(&data)).collect();
                let bound = values.iter().map(|v| self.bound_of(*v)).fold(0.0, f64::max);
                self.array_op(Kind::Pack, &values, bound);
            }
            2 => {
                let len = self.part(&data.shape[0]);
                let start = self.start(&data.shape[0], &len);
                let v = self.b.slice(x, start, len);
                self.note_array(v, bound);
            }
            3 if data.shape.len() == 2 => drop(self.array_op(Kind::Transpose, &[x], bound)),
            _ => {
                let mut shape = data.shape;
                match self.rng.below(3) {
                    0 => shape = elements(&shape).map_or(shape, |n| vec![n]),
                    1 => shape.reverse(),
                    _ if shape.len() < 4 => shape.insert(0, 1.into()),
                    _ => {}
                }
                let v = self.b.reshape(x, shape);
                self.note_array(v, bound);
            }
        }
    }

    /// A size that is no polynomial.
    fn new_size(&mut self) {
        let n = self.size(true).add(&Dim::constant(2)).expect("small");
        let (n, two) = (self.extent(&n), self.int(2));
        let half = self.op(Op::Idiv, &[n, two], 4.0);
        self.arrays.sizes.push((true, self.b.dim_of(half)));
    }

    fn build(&mut self, depth: usize) {
        let rank = 1 + self.rng.one_in(3) as usize;
        let sizes: Vec<Dim> = (0..rank).map(|_| self.size(rank == 2)).collect();
        let mut bound = 0.0;
        let times = SIZE.pow(rank as u32);
        let body = self.nested(vec![Type::I64.into(); rank], times, |g, index| {
            for (i, n) in index.iter().zip(&sizes) {
                g.note(*i, 10.0);
                g.arrays.ranges.push((*i, n.clone()));
            }
            g.steps(depth + 1);
            let v = g.term(depth);
            bound = g.bound_of(v);
            vec![v]
        });
        let v = self.b.build_of(&sizes, body);
        self.note_array(v, bound);
    }

    /// What a region yields: the latest scalar of a type, or seldom an array that is visible outside, too, as its size
    /// has to be.
    fn term(&mut self, depth: usize) -> Value {
        if depth < 2 && self.rng.one_in(4) {
            let mut data = self.array_type();
            data.shape.truncate(2);
            data.ty = Type::of_rank(data.ty.scalar(), data.shape.len());
            let outside = |d: &Dim| d.vars().all(|v| self.b.func().entry_position(v).is_some());
            if data.shape.iter().all(outside) {
                return self.array_like(&data);
            }
        }
        let ty = self.scalar();
        self.last(ty)
    }

    /// lo, hi, step, how many iterations that is about, and the size if it is `0..size`.
    fn range(&mut self) -> ([Value; 3], Option<Dim>) {
        if self.knobs.edges && self.rng.one_in(3) {
            return (self.edge_range(), None);
        }
        if self.rng.one_in(3) {
            let numbers =
                [self.rng.below(4) as i64 - 2, self.rng.below(5) as i64, 1 + self.rng.below(3) as i64];
            return (numbers.map(|n| self.int(n)), None);
        }
        let size = self.size(false);
        ([self.int(0), self.extent(&size), self.int(1)], Some(size))
    }

    fn reduce(&mut self, depth: usize) {
        let op = match self.rng.below(3) {
            0 => ReduceOp::Sum,
            _ => ReduceOp::ALL[self.rng.below(ReduceOp::ALL.len())].0,
        };
        let smooth = matches!(op, ReduceOp::Sum | ReduceOp::Prod);
        let op = if self.knobs.smooth && !smooth { ReduceOp::Sum } else { op };
        let (mut range, size) = match self.arrays.ranges.last().cloned() {
            // As far as the variable of a loop around it.
            Some((i, size)) if self.rng.one_in(3) => {
                let one = self.int(1);
                ([self.int(0), self.b.op(Op::Add, &[i, one]), one], Some(size))
            }
            _ => self.range(),
        };
        if op.needs_element() && size.is_none() && !self.knobs.traps {
            range[1] = self.int(5);
            if self.knobs.edges {
                range[0] = self.int(0);
            }
        }
        let mut bound = 0.0;
        let body = self.nested(vec![Type::I64.into()], SIZE, |g, index| {
            g.note(index[0], 10.0);
            g.arrays.ranges.extend(size.map(|n| (index[0], n)));
            g.steps(depth + 1);
            let v = g.term(depth);
            let v = g.reducible(op, v);
            bound = g.bound_of(v);
            vec![v]
        });
        let v = self.b.infer(Kind::Reduce(op), &range, vec![body])[0];
        self.note_any(v, if smooth { TURNS * bound.max(1.0) } else { bound.max(10.0) });
    }

    /// The value, or another one that the reduction takes and does not overflow with.
    fn reducible(&mut self, op: ReduceOp, v: Value) -> Value {
        let ty = self.b.ty(v);
        let elem = ty.scalar();
        let wanted = match op {
            ReduceOp::Any | ReduceOp::All => Scalar::Bool,
            ReduceOp::Max | ReduceOp::Min | ReduceOp::ArgMax | ReduceOp::ArgMin
                if elem != Scalar::I64 && !elem.is_real() =>
            {
                Scalar::F64
            }
            ReduceOp::Sum | ReduceOp::Prod if elem == Scalar::Bool => Scalar::F64,
            _ => elem,
        };
        // An array cannot be made smaller here.
        let fits = op.result_type(ty).is_some();
        let float_array = ty.is_array() && elem.is_float() && op != ReduceOp::Prod;
        if fits && (float_array || (ty.is_array() && !matches!(op, ReduceOp::Sum | ReduceOp::Prod))) {
            return v;
        }
        let v = if fits && !ty.is_array() { v } else { self.last(wanted) };
        match (op, wanted) {
            (ReduceOp::Prod, Scalar::I64) => self.op(Op::Sign, &[v], 1.0),
            (ReduceOp::Prod, Scalar::Bool) => v,
            (ReduceOp::Prod, _) if self.knobs.smooth => self.prepare(v, Prep::Unit),
            _ => self.settle(v),
        }
    }

    /// The value, made small enough to go round in a loop.
    fn settle(&mut self, v: Value) -> Value {
        match self.b.ty(v) {
            Type::Scalar(Scalar::I64) if self.bound_of(v) > SMALL_INT => {
                let seven = self.int(7);
                self.op(Op::Mod, &[v, seven], 7.0)
            }
            Type::Scalar(Scalar::Bool | Scalar::I64) => v,
            Type::Scalar(_) if self.knobs.smooth || self.rng.one_in(2) => self.tame(v),
            Type::Scalar(_) | Type::Array(..) => v,
        }
    }

    /// Initial carries, their types, and what is known of them in the loop.
    fn carries(&mut self) -> (Vec<Value>, Vec<ValueData>, Vec<f64>) {
        let mut init = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            if self.rng.one_in(2) && !(self.knobs.smooth && self.arrays.values.is_empty()) {
                init.push(self.array());
            } else {
                let ty = self.scalar();
                let v = self.value(ty);
                init.push(self.settle(v));
            }
        }
        let data: Vec<ValueData> = init.iter().map(|v| self.b.data(*v).clone()).collect();
        let bounds = data.iter().zip(&init).map(|(d, v)| match d.ty {
            Type::Scalar(Scalar::Bool) => 1.0,
            Type::Scalar(Scalar::I64) => SMALL_INT,
            Type::Scalar(_) if self.knobs.smooth => super::LARGE,
            // Of an array in a loop only what comes in is known.
            Type::Array(..) if self.knobs.smooth => self.bound_of(*v).max(super::LARGE),
            Type::Scalar(_) | Type::Array(..) => f64::INFINITY,
        });
        let bounds = bounds.collect();
        (init, data, bounds)
    }

    /// The next carries.
    fn next(&mut self, carries: &[Value], bounds: &[f64]) -> Vec<Value> {
        let mut out = Vec::new();
        for (v, bound) in carries.iter().zip(bounds) {
            let data = self.b.data(*v).clone();
            let next = match data.ty {
                Type::Scalar(ty) => {
                    let latest = self.last(ty);
                    self.settle(latest)
                }
                Type::Array(ty, _) => {
                    // An element is written, so that loops update in place.
                    let latest = self.array_like(&data);
                    let x = self.value(ty);
                    let x = self.settle(x);
                    let index = self.positions(&data.shape, data.shape.len());
                    let bound = self.bound_of(latest).max(self.bound_of(x));
                    self.array_op(Kind::Update, &[&[latest, x], index.as_slice()].concat(), bound)
                }
            };
            out.push(if self.bound_of(next) <= *bound { next } else { *v });
        }
        // Carries of one type change places now and then.
        if self.rng.one_in(4)
            && out.len() > 1
            && self.b.data(out[0]) == self.b.data(out[1])
            && bounds[0] == bounds[1]
        {
            out.swap(0, 1);
        }
        out
    }

    fn enter(&mut self, carries: &[Value], bounds: &[f64]) {
        for (v, bound) in carries.iter().zip(bounds) {
            self.note_any(*v, *bound);
        }
    }

    /// Terms of sums (if there may be some) and elements of arrays that a loop gathers, with their bounds outside.
    fn gathered(&mut self, depth: usize, sums: bool, collects: bool) -> (Loop, Vec<Value>, Vec<f64>) {
        let sums = if sums { self.rng.below(3) } else { 0 };
        let collects = if collects { self.rng.below(3) } else { 0 };
        let (mut yields, mut bounds) = (Vec::new(), Vec::new());
        for k in 0..sums + collects {
            let v = self.term(depth);
            let v = if k < sums { self.reducible(ReduceOp::Sum, v) } else { v };
            bounds.push(if k < sums { TURNS * self.bound_of(v).max(1.0) } else { self.bound_of(v) });
            yields.push(v);
        }
        (Loop { sums: sums as u32, ..Loop::collecting(collects) }, yields, bounds)
    }

    fn for_loop(&mut self, depth: usize) {
        let (range, size) = self.range();
        let (init, data, mut bounds) = self.carries();
        let params = [vec![Type::I64.into()], data].concat();
        let mut gathers = (Loop::default(), Vec::new());
        let body = self.nested(params, SIZE, |g, params| {
            g.note(params[0], 10.0);
            g.arrays.ranges.extend(size.clone().map(|n| (params[0], n)));
            g.enter(&params[1..], &bounds);
            g.steps(depth + 1);
            let (l, terms, outside) = g.gathered(depth, true, size.is_some());
            gathers = (l, outside);
            [g.next(&params[1..], &bounds), terms].concat()
        });
        let (l, outside) = gathers;
        let results = self.b.for_of(l, range, &init, body);
        bounds.extend(outside);
        self.enter(&results, &bounds);
    }

    fn while_loop(&mut self, depth: usize) {
        let iterations = self.rng.below(5) as i64;
        let zero = self.int(0);
        let (init, data, bounds) = self.carries();
        let init = [&[zero], init.as_slice()].concat();
        let params = [vec![Type::I64.into()], data].concat();
        let cond = self.nested(params.clone(), SIZE, |g, params| {
            g.note(params[0], 10.0);
            g.enter(&params[1..], &bounds);
            g.steps(depth + 1);
            let end = g.int(iterations);
            let more = g.op(Op::Lt, &[params[0], end], 1.0);
            let go_on = if g.knobs.smooth || g.rng.one_in(2) { more } else { g.value(Scalar::Bool) };
            vec![g.op(Op::And, &[more, go_on], 1.0)]
        });
        let mut gathers = (Loop::default(), Vec::new());
        let body = self.nested(params, SIZE, |g, params| {
            g.note(params[0], 10.0);
            g.enter(&params[1..], &bounds);
            g.steps(depth + 1);
            let one = g.int(1);
            let count = g.op(Op::Add, &[params[0], one], 10.0);
            let (l, elements, outside) = g.gathered(depth, false, true);
            gathers = (l, outside);
            [&[count], g.next(&params[1..], &bounds).as_slice(), &elements].concat()
        });
        let (l, outside) = gathers;
        let results = self.b.while_of(l, &init, cond, body);
        let carries = 1 + bounds.len();
        self.note(results[0], 10.0);
        self.enter(&results[1..carries], &bounds);
        if l.collects == 0 {
            return;
        }
        self.note(results[carries], 10.0);
        for (v, bound) in results[carries + 1..].iter().zip(outside) {
            if self.knobs.traps {
                self.note_any(*v, bound);
                continue;
            }
            // There may be no iteration, and arrays have elements here: only its sum is visible, or its last element if any.
            let elem = self.b.ty(*v).scalar();
            let op = if elem == Scalar::Bool { ReduceOp::Any } else { ReduceOp::Sum };
            if elem == Scalar::Bool && self.b.ty(*v).rank() > 1 {
                continue;
            }
            let range = [self.int(0), results[carries], self.int(1)];
            let sum = self.b.reduce(op, range, |b, i| b.index(*v, &[i]));
            self.note_any(sum, TURNS * bound.max(1.0));
        }
    }

    /// An `if` that yields an array.
    fn array_branch(&mut self, depth: usize) {
        let cond = self.value(Scalar::Bool);
        let x = self.array();
        let data = self.b.data(x).clone();
        let mut bound: f64 = 0.0;
        let mut branch = |g: &mut Self| {
            g.nested(Vec::new(), 1, |g, _| {
                g.steps(depth + 1);
                let v = g.array_like(&data);
                bound = bound.max(g.bound_of(v));
                vec![v]
            })
        };
        let (then, other) = (branch(self), branch(self));
        let v = self.b.if_(cond, then, other)[0];
        self.note_array(v, bound);
    }

    /// `loops`: whether there may be regions here.
    fn linear_algebra(&mut self, loops: bool) {
        let floats: Vec<Scalar> = self.scalars.iter().copied().filter(|s| s.is_float()).collect();
        let elem = self.rng.pick(&floats);
        let [n, k, m] = [self.size(true), self.size(true), self.size(true)];
        if self.rng.one_in(2) || !loops {
            let other = if elem.is_complex() && self.rng.one_in(2) { elem.real() } else { elem };
            let a = if self.rng.one_in(2) { vec![n, k.clone()] } else { vec![k.clone()] };
            let b = if self.rng.one_in(2) { vec![k, m] } else { vec![k] };
            let (a, b) = (ValueData::array(elem, a), ValueData::array(other, b));
            let (a, b) = (self.array_like(&a), self.array_like(&b));
            let bound = 10.0 * self.bound_of(a) * self.bound_of(b);
            self.array_op(Kind::MatMul, &[a, b], bound);
            return;
        }
        let raw = self.array_like(&ValueData::array(elem, vec![n.clone(), n.clone()]));
        let a = if self.knobs.traps && self.rng.one_in(3) { raw } else { self.regular(raw, &n) };
        match self.rng.below(10) {
            0 => {
                let shape = if self.rng.one_in(2) { vec![n] } else { vec![n, m] };
                let b = self.array_like(&ValueData::array(elem, shape));
                let bound = self.bound_of(b);
                let op = if self.rng.one_in(2) { LinalgOp::Solve } else { LinalgOp::SolveAdjoint };
                self.array_op(Kind::Linalg(op), &[a, b], bound)
            }
            1 => self.array_op(Kind::Linalg(LinalgOp::Cholesky), &[a], 8.0),
            2 => self.array_op(Kind::Linalg(LinalgOp::Inv), &[a], 1.0),
            3 => self.array_op(Kind::Linalg(LinalgOp::Det), &[a], f64::INFINITY),
            4 => self.array_op(Kind::Linalg(LinalgOp::EighValues), &[a], 60.0),
            5 => self.array_op(Kind::Linalg(LinalgOp::EighVectors), &[a], 1.0),
            6 => self.array_op(Kind::Linalg(LinalgOp::QrQ), &[a], 1.0),
            7 => self.array_op(Kind::Linalg(LinalgOp::SvdValues), &[a], 60.0),
            8 => self.array_op(Kind::Linalg(LinalgOp::SvdVectors), &[a], 1.0),
            _ => self.array_op(Kind::Linalg(LinalgOp::LogDet), &[a], 20.0),
        };
    }

    /// A matrix of such elements whose diagonal is larger than the rest, and grows, so that no two eigenvalues are equal.
    fn regular(&mut self, x: Value, n: &Dim) -> Value {
        let bound = 10.0 * (SIZE + 1) as f64;
        let body = self.nested(vec![Type::I64.into(); 2], SIZE * SIZE, |g, index| {
            let elem = g.b.ty(x).scalar();
            let element = g.array_op(Kind::Index, &[&[x], index].concat(), g.bound_of(x));
            let small = g.prepare(element, Prep::Unit);
            let size = g.constant(Const::real(9.0, elem.real()));
            let row = g.op(if elem.is_single() { Op::ToF32 } else { Op::ToF64 }, &index[..1], SIZE as f64);
            let grown = g.op(Op::Fma, &[size, row, size], bound);
            let large = g.op(Op::Add, &[grown, small], bound);
            let diagonal = g.op(Op::Eq, index, 1.0);
            vec![g.op(Op::Select, &[diagonal, large, small], bound)]
        });
        let v = self.b.build_of(&[n.clone(), n.clone()], body);
        self.note_array(v, bound);
        v
    }

    /// A call of any function.
    pub(super) fn call_arrays(&mut self) {
        let i = self.rng.below(self.module.funcs.len());
        let cost = self.costs[i].max(1) * self.arrays.runs;
        if self.arrays.cost + cost > COST {
            return;
        }
        self.arrays.cost += cost;
        let module = self.module;
        let f = &module.funcs[i];
        let dims: Vec<Dim> = f.dims.iter().map(|_| self.size(true)).collect();
        let mut args: Vec<Value> = dims.iter().map(|d| self.extent(d)).collect();
        for p in &f.params {
            let data = f.data(p.value);
            let place = |v: Value| f.entry_position(v).map_or(Dim::var(v), |i| dims[i].clone());
            let shape = data.shape.iter().map(|d| d.substitute(place).expect("small")).collect();
            let v = self.value_like(&ValueData { ty: data.ty, shape });
            args.push(if data.ty.is_differentiable() && !data.ty.is_array() { self.tame(v) } else { v });
        }
        let bound = self.bound_of_results(f);
        for v in self.b.call_of(module, FuncId(i as u32), &args) {
            self.note_any(v, bound);
        }
    }

    /// The latest array, as a result.
    pub(super) fn last_array(&self) -> Option<Value> {
        let entry = |v: &&Value| {
            let mut vars = self.b.data(**v).shape.iter().flat_map(Dim::vars);
            vars.all(|v| self.b.func().entry_position(v).is_some())
        };
        self.arrays.values.iter().rev().find(entry).copied()
    }
}
