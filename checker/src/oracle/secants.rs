//! Secant slopes as IR: (f(x + t·u) − f(x)) / t of every output for a list of offsets t, of the function's shadow, so
//! that the difference keeps the digits that cancel in it.
//!
//! Parameters: dimensions and parameters of the function in double precision; [`Along::Directions`]: one direction per part
//! of each input, shaped like it; [`Along::Entry`]: `at`, the row-major number of the entry of the one input that moves;
//! then `live`, and the offsets: an array for each part of each input, row by row those of an entry
//! ([`Along::Coordinates`]), else one array. The shadow takes its decisions at the displaced point if `live` is set, at the
//! centre if not.
//!
//! Results: for each part of each input (one row of directions or of the one entry else), for each part of each output,
//! slopes and gaps, both with the axes: entry of the input (if it is an array), offset, entry of the output in row-major
//! order (if it is an array). A gap is |p − (hi + lo)|, what the rounding of the double-precision program amounts to at
//! the displaced point. Last come, for each part of each output, the gap at the centre and the magnitude |p| there.
//!
//! A slope whose offset is 0 is 0/0.

use super::pair;
use crate::coordinates::{Block, Part, blocks};
use crate::entry::{Entry, fresh_param};
use crate::freeze::Freezer;
use crate::promote;
use crate::shadow::{Form, Shadow, Shadows};
use adc_ir::*;

/// Along what inputs are displaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Along {
    /// Each coordinate by itself.
    Coordinates,
    /// All of them together, along one direction.
    Directions,
    /// One coordinate of the one block.
    Entry,
}

/// Offsets of one displacement: as many as the primary ladder needs, or one.
pub(crate) fn offsets(along: Along) -> usize {
    match along {
        Along::Coordinates | Along::Directions => 4,
        Along::Entry => 1,
    }
}

/// A program and what its shadow has no double-double form for.
pub(crate) struct Secants {
    pub func: FuncId,
    pub holes: Vec<(String, Span)>,
}

/// The makers of what secant programs call.
#[derive(Clone, Default)]
pub(crate) struct Makers {
    pub freezer: Freezer,
    pub shadows: Shadows,
}

/// The secant program of `f` with respect to parts of its inputs.
pub(crate) fn build(
    m: &mut Module,
    makers: &mut Makers,
    f: FuncId,
    (along, form): (Along, Form),
    inputs: &[Block],
    outputs: &[usize],
) -> Result<Secants, Diagnostic> {
    let moving: Vec<bool> =
        (0..m.func(f).params.len()).map(|i| inputs.iter().any(|c| c.index == i)).collect();
    let frozen = makers.freezer.run(m, f, &moving)?;
    let callee = promote::run(m, frozen.unwrap_or(f));
    let Shadow { func: shadow, holes } = makers.shadows.run(m, callee, form)?;
    let split = frozen.is_some().then_some(moving);
    let program = Program::build(m, (f, shadow, split), along, inputs, outputs);
    Ok(Secants { func: m.add(program), holes })
}

/// A number or an array with its rounding error.
#[derive(Clone, Copy)]
struct Point {
    p: Value,
    hi: Value,
    lo: Value,
}

struct Program<'a> {
    m: &'a Module,
    b: Builder,
    func: &'a Func,
    shadow: FuncId,
    /// For a frozen callee: the parameters it wants displaced values of, beside all centres.
    split: Option<Vec<bool>>,
    dims: Vec<Value>,
    /// The parameters; `lo` is 0.
    centre: Vec<Point>,
    /// By parameter: row-major entries of an array that moves, and as many zeros.
    flat: Vec<Option<(Value, Value)>>,
    outputs: Vec<Block>,
    live: Value,
    /// The outputs at the centre, arrays as vectors: by block.
    base: Vec<Point>,
}

/// What is displaced.
#[derive(Clone, Copy)]
struct Move {
    block: Block,
    /// Of an array: the one entry that moves; `None`: all of them.
    entry: Option<Value>,
    /// The direction, shaped like what moves; none means 1.
    u: Option<Value>,
}

const HERE: &str = "sizes are numbers";

impl<'a> Program<'a> {
    fn build(
        m: &'a Module,
        (f, shadow, split): (FuncId, FuncId, Option<Vec<bool>>),
        along: Along,
        inputs: &[Block],
        outputs: &[usize],
    ) -> Func {
        let func = m.func(f);
        let suffix = match along {
            Along::Coordinates => "secants",
            Along::Directions => "secants.along",
            Along::Entry => "secants.entry",
        };
        let mut b = Builder::new(m.fresh_name(&format!("{}.{suffix}", func.name)), func.span);
        let entry = Entry::declare(&mut b, func, promote::double);
        let count = Dim::constant(offsets(along) as i64);
        let mut moves: Vec<Move> = Vec::new();
        for &block in inputs {
            let shape = b.data(entry.params[block.index]).shape.clone();
            let u = (along == Along::Directions).then(|| {
                let name = format!("u_{}{}", func.params[block.index].name, block.part.suffix());
                b.param(fresh_param(&b, name), ValueData::array(Scalar::F64, shape))
            });
            moves.push(Move { block, entry: None, u });
        }
        if along == Along::Entry {
            let at = b.param(fresh_param(&b, "at".into()), Type::I64);
            let array = b.ty(entry.params[inputs[0].index]).is_array();
            moves[0].entry = array.then_some(at);
        }
        let live = b.param(fresh_param(&b, "live".into()), Type::BOOL);
        let steps: Vec<Value> = match along {
            Along::Coordinates => inputs
                .iter()
                .map(|block| {
                    let n = dims::elements(&b.data(entry.params[block.index]).shape.clone()).expect(HERE);
                    let name = format!("t_{}{}", func.params[block.index].name, block.part.suffix());
                    let shape = vec![n.mul(&count).expect(HERE)];
                    b.param(fresh_param(&b, name), ValueData::array(Scalar::F64, shape))
                })
                .collect(),
            Along::Directions | Along::Entry => {
                vec![b.param(fresh_param(&b, "t".into()), ValueData::array(Scalar::F64, vec![count.clone()]))]
            }
        };
        let centre = entry.params.iter().map(|&p| {
            let lo = zeros_like(&mut b, p);
            Point { p, hi: p, lo }
        });
        let centre: Vec<Point> = centre.collect();
        let mut program = Program {
            m,
            b,
            func,
            shadow,
            split,
            flat: vec![None; centre.len()],
            dims: entry.dims,
            centre,
            outputs: blocks(outputs, |k| func.results[k].ty),
            live,
            base: Vec::new(),
        };
        program.flatten(inputs);
        let centre = program.centre.clone();
        program.base = program.call(&centre);
        let mut results = Vec::new();
        match along {
            Along::Coordinates => {
                for (m, t) in moves.iter().zip(&steps) {
                    let by = format!("{}{}", func.params[m.block.index].name, m.block.part.suffix());
                    program.block(*m, *t, &count, &by, &mut results);
                }
            }
            Along::Directions => program.row(&moves, steps[0], None, &count, "u", &mut results),
            Along::Entry => program.row(&moves, steps[0], None, &count, "at", &mut results),
        }
        program.at_centre(&mut results);
        program.b.finish(results)
    }

    /// Arrays among the inputs as vectors.
    fn flatten(&mut self, inputs: &[Block]) {
        for block in inputs {
            let x = self.centre[block.index];
            if self.b.ty(x.p).is_array() && self.flat[block.index].is_none() {
                let (hi, lo) = (self.vector(x.p), self.vector(x.lo));
                self.flat[block.index] = Some((hi, lo));
            }
        }
    }

    /// The entries of an array in row-major order; a scalar as it is.
    fn vector(&mut self, x: Value) -> Value {
        let shape = self.b.data(x).shape.clone();
        if shape.len() <= 1 {
            return x;
        }
        let n = dims::elements(&shape).expect(HERE);
        self.b.reshape(x, vec![n])
    }

    /// Every entry of a block by itself.
    fn block(&mut self, m: Move, steps: Value, count: &Dim, by: &str, results: &mut Vec<(String, Value)>) {
        let Some((flat, _)) = self.flat[m.block.index] else {
            self.row(&[m], steps, None, count, by, results);
            return;
        };
        let n = self.b.data(flat).shape[0].clone();
        let range = self.b.range(&n);
        let i = self.b.open_with(vec![Scalar::I64.into()])[0];
        let rows = self.offsets(&[Move { entry: Some(i), ..m }], steps, Some(i), count);
        let body = self.b.close(rows);
        let columns = self.b.for_of(Loop::collecting(2 * self.outputs.len()), range, &[], body);
        self.name(&columns, by, results);
    }

    fn row(
        &mut self,
        moves: &[Move],
        steps: Value,
        entry: Option<Value>,
        count: &Dim,
        by: &str,
        results: &mut Vec<(String, Value)>,
    ) {
        let rows = self.offsets(moves, steps, entry, count);
        self.name(&rows, by, results);
    }

    fn name(&self, values: &[Value], by: &str, results: &mut Vec<(String, Value)>) {
        for (k, value) in values.iter().enumerate() {
            let Block { index, part } = self.outputs[k / 2];
            let what = if k % 2 == 0 { "slope" } else { "gap" };
            let name = format!("{what}_{}{}_{by}", self.func.results[index].name, part.suffix());
            results.push((name, *value));
        }
    }

    /// Slopes and gaps for every offset of one displacement: arrays with the offset as first axis.
    fn offsets(&mut self, moves: &[Move], steps: Value, entry: Option<Value>, count: &Dim) -> Vec<Value> {
        let first = entry.map(|i| {
            let n = self.b.size(count);
            self.b.op(Op::Mul, &[i, n])
        });
        let range = self.b.range(count);
        let k = self.b.open_with(vec![Scalar::I64.into()])[0];
        let at = first.map_or(k, |first| self.b.op(Op::Add, &[first, k]));
        let t = self.b.index(steps, &[at]);
        let moved = self.displaced(moves, t);
        let values = self.call(&moved);
        let mut yields = Vec::new();
        for (value, base) in values.into_iter().zip(self.base.clone()) {
            yields.extend(self.slope_and_gap(value, base, t));
        }
        let body = self.b.close(yields);
        self.b.for_of(Loop::collecting(2 * self.outputs.len()), range, &[], body).to_vec()
    }

    fn slope_and_gap(&mut self, value: Point, base: Point, t: Value) -> [Value; 2] {
        let scalar = |b: &mut Builder, v: Point, base: Point| {
            let difference = pair::difference(b, (v.hi, v.lo), (base.hi, base.lo));
            let slope = b.op(Op::Div, &[difference, t]);
            [slope, gap(b, v)]
        };
        let shape = self.b.data(value.p).shape.clone();
        if shape.is_empty() {
            return scalar(&mut self.b, value, base);
        }
        let range = self.b.range(&shape[0]);
        let i = self.b.open_with(vec![Scalar::I64.into()]);
        let (v, base) = (self.element(value, &i), self.element(base, &i));
        let pair = scalar(&mut self.b, v, base);
        let body = self.b.close(pair.to_vec());
        let arrays = self.b.for_of(Loop::collecting(2), range, &[], body);
        [arrays[0], arrays[1]]
    }

    fn element(&mut self, v: Point, at: &[Value]) -> Point {
        let mut of = |x: Value| self.b.index(x, at);
        Point { p: of(v.p), hi: of(v.hi), lo: of(v.lo) }
    }

    /// Gaps and magnitudes at the centre.
    fn at_centre(&mut self, results: &mut Vec<(String, Value)>) {
        for (block, base) in self.outputs.clone().into_iter().zip(self.base.clone()) {
            let both = |b: &mut Builder, v: Point| [gap(b, v), b.op(Op::Abs, &[v.p])];
            let shape = self.b.data(base.p).shape.clone();
            let values = if shape.is_empty() {
                both(&mut self.b, base).to_vec()
            } else {
                let range = self.b.range(&shape[0]);
                let i = self.b.open_with(vec![Scalar::I64.into()]);
                let v = self.element(base, &i);
                let pair = both(&mut self.b, v);
                let body = self.b.close(pair.to_vec());
                self.b.for_of(Loop::collecting(2), range, &[], body).to_vec()
            };
            let name = format!("{}{}", self.func.results[block.index].name, block.part.suffix());
            results.push((format!("gap_{name}"), values[0]));
            results.push((format!("size_{name}"), values[1]));
        }
    }

    /// The outputs at a point, by block, arrays as vectors.
    fn call(&mut self, moved: &[Point]) -> Vec<Point> {
        // The parameters of what the shadow was made of.
        let mut params: Vec<Point> = Vec::new();
        match &self.split {
            None => params.extend(moved),
            Some(moving) => {
                params.extend(&self.centre);
                params.extend(moved.iter().zip(moving).filter(|(_, m)| **m).map(|(v, _)| *v));
            }
        }
        let mut args = self.dims.clone();
        args.extend(params.iter().map(|v| v.p));
        for v in &params {
            if self.b.ty(v.p).scalar().is_float() {
                args.extend([v.hi, v.lo]);
            }
        }
        let values = self.b.call_of(self.m, self.shadow, &args);
        // Pairs stand behind the results, of those of float type.
        let mut pairs = vec![0; self.func.results.len()];
        let mut next = self.func.results.len();
        for (at, r) in pairs.iter_mut().zip(&self.func.results) {
            if r.ty.scalar().is_float() {
                *at = next;
                next += 2;
            }
        }
        let mut out = Vec::new();
        for Block { index, part } in self.outputs.clone() {
            let at = pairs[index];
            let [p, hi, lo] = [values[index], values[at], values[at + 1]].map(|v| {
                let v = self.vector(v);
                self.part(v, part)
            });
            out.push(Point { p, hi, lo });
        }
        out
    }

    /// A part of a number, or of every entry of a vector.
    fn part(&mut self, v: Value, part: Part) -> Value {
        let op = match part {
            Part::Whole => return v,
            Part::Re => Op::Re,
            Part::Im => Op::Im,
        };
        let shape = self.b.data(v).shape.clone();
        match shape.is_empty() {
            true => self.b.op(op, &[v]),
            false => self.b.build(&shape, |b, i| {
                let x = b.index(v, i);
                b.op(op, &[x])
            }),
        }
    }

    /// The arguments with each of `moves` displaced by `t` times its direction.
    fn displaced(&mut self, moves: &[Move], t: Value) -> Vec<Point> {
        let mut args = self.centre.clone();
        for m in moves {
            let i = m.block.index;
            let x = args[i];
            args[i] = match (self.flat[i], m.entry) {
                (Some((flat, zeros)), Some(entry)) => {
                    let number = self.b.index(flat, &[entry]);
                    let lo = self.b.index(zeros, &[entry]);
                    let moved = self.shifted(Point { p: number, hi: number, lo }, t, m.u, m.block.part);
                    let mut put = |into: Value, v: Value| self.b.update(into, v, &[entry]);
                    let (p, hi, lo) = (put(flat, moved.p), put(flat, moved.hi), put(zeros, moved.lo));
                    let mut shaped = |v: Value| self.like_parameter(i, v);
                    Point { p: shaped(p), hi: shaped(hi), lo: shaped(lo) }
                }
                (Some((flat, _)), None) => {
                    let (p, hi, lo) = (self.vector(x.p), self.vector(x.hi), self.vector(x.lo));
                    let u = m.u.map(|u| self.vector(u));
                    let n = self.b.data(flat).shape[0].clone();
                    let range = self.b.range(&n);
                    let at = self.b.open_with(vec![Scalar::I64.into()]);
                    let v = self.element(Point { p, hi, lo }, &at);
                    let u = u.map(|u| self.b.index(u, &at));
                    let moved = self.shifted(v, t, u, m.block.part);
                    let body = self.b.close(vec![moved.p, moved.hi, moved.lo]);
                    let arrays = self.b.for_of(Loop::collecting(3), range, &[], body);
                    let mut shaped = |v: Value| self.like_parameter(i, v);
                    Point { p: shaped(arrays[0]), hi: shaped(arrays[1]), lo: shaped(arrays[2]) }
                }
                (None, _) => self.shifted(x, t, m.u, m.block.part),
            };
        }
        args
    }

    /// A vector in the shape of parameter `i`.
    fn like_parameter(&mut self, i: usize, flat: Value) -> Value {
        let shape = self.b.data(self.centre[i].p).shape.clone();
        if shape.len() == 1 { flat } else { self.b.reshape(flat, shape) }
    }

    /// One number displaced by `t` times `u`, the pair without an error: |u| is 1 or 0.
    fn shifted(&mut self, x: Point, t: Value, u: Option<Value>, part: Part) -> Point {
        let step = u.map_or(t, |u| self.b.op(Op::Mul, &[t, u]));
        let b = &mut self.b;
        let real = |b: &mut Builder, hi: Value, lo: Value| pair::sum(b, (hi, lo), step);
        let (hi, lo) = match part {
            Part::Whole => real(b, x.hi, x.lo),
            Part::Re | Part::Im => {
                let [hr, hm, lr, lm] = [(Op::Re, x.hi), (Op::Im, x.hi), (Op::Re, x.lo), (Op::Im, x.lo)]
                    .map(|(op, v)| b.op(op, &[v]));
                let ((hr, lr), (hm, lm)) = match part {
                    Part::Im => ((hr, lr), real(b, hm, lm)),
                    Part::Whole | Part::Re => (real(b, hr, lr), (hm, lm)),
                };
                (b.op(Op::Complex, &[hr, hm]), b.op(Op::Complex, &[lr, lm]))
            }
        };
        // The double-precision program is run at the rounded point: rounding of the displacement is part of its noise.
        let p = b.op(Op::Select, &[self.live, hi, x.p]);
        Point { p, hi, lo }
    }
}

/// |p − (hi + lo)|
fn gap(b: &mut Builder, v: Point) -> Value {
    let d = b.op(Op::Sub, &[v.p, v.hi]);
    let d = b.op(Op::Sub, &[d, v.lo]);
    b.op(Op::Abs, &[d])
}

/// Zeros of a value's shape; of a value that is no float, the value.
fn zeros_like(b: &mut Builder, v: Value) -> Value {
    let data = b.data(v).clone();
    if !data.ty.scalar().is_float() {
        return v;
    }
    let zero = b.num(0.0, data.ty.scalar());
    if data.shape.is_empty() { zero } else { b.fill(zero, &data.shape) }
}
