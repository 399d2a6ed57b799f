//! Difference programs as IR: quotients (f(x + t·u) − f(x + s·u)) / (t − s) of every output.
//!
//! *Plain* ([`Version::Plain`]): of the function itself in double precision, for fixed steps. A displacement has two
//! offsets, t and s: ±eps for central quotients, eps and 0 for one-sided ones.
//!
//! *Shadowed* ([`Version::Shadowed`]): of the function's double-double version, so that the difference keeps the digits
//! that cancel in it. A displacement has a list of offsets t, each with a quotient of its own; s is 0, the centre.
//!
//! Parameters: dimensions and parameters of the function in double precision; for [`Along::Directions`] one direction per
//! part of each input, shaped like it; for [`Along::Entry`] `at`, the row-major number of the displaced entry of the one
//! input; `live`, if shadowed; then the offsets: an array for each part of each input, row by row those of an entry
//! ([`Along::Coordinates`]), else one array. A shadow along directions further takes `known` and, for each part of each
//! output, its value and its pair at the centre: if `known` is set, they are not computed. The shadow takes its decisions at
//! the displaced point if `live` is set, else at the centre. Numbers whose component of the direction is 0 are not changed,
//! −0 included.
//!
//! Results: for each part of each input (else one row for a direction or a single entry), for each part of each output,
//! quotients, with the axes: entry of the input (if it is an array), offset (if shadowed), entry of the output in row-major
//! order (if it is an array). If shadowed, each is followed by its gaps |p − (hi + lo)|: the rounding of the
//! double-precision program at the displaced point. Last, for each part of each output, come the gap at the centre and the
//! magnitude |p| there; along directions also value and pair, to be passed to the next run at this centre.
//!
//! A quotient of equal offsets is 0/0.

use super::pair;
use crate::coordinates::{Block, Part, blocks};
use crate::entry::{Entry, fresh_param};
use crate::freeze::Freezer;
use crate::promote;
use crate::shadow::{Shadow, Shadows};
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

/// What is evaluated at displaced points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// The function in double precision.
    Plain,
    /// Its shadow.
    Shadowed,
}

/// Offsets of one displacement: two for a plain quotient; as many as the primary steps, or one.
fn offsets(along: Along, version: Version) -> usize {
    match (version, along) {
        (Version::Plain, _) => 2,
        (Version::Shadowed, Along::Coordinates | Along::Directions) => 4,
        (Version::Shadowed, Along::Entry) => 1,
    }
}

/// A program, and the functions for which its shadow has no double-double form.
pub(crate) struct Secants {
    pub func: FuncId,
    pub holes: Vec<(String, Span)>,
}

/// The builders of the functions that difference programs call.
#[derive(Clone, Default)]
pub(crate) struct Builders {
    pub freezer: Freezer,
    pub shadows: Shadows,
}

/// The difference program of `f` with respect to parts of its inputs.
pub(crate) fn build(
    m: &mut Module,
    builders: &mut Builders,
    f: FuncId,
    (along, version): (Along, Version),
    inputs: &[Block],
    outputs: &[usize],
) -> Result<Secants, Diagnostic> {
    countable(m.func(f), inputs, outputs)?;
    let moving: Vec<bool> =
        (0..m.func(f).params.len()).map(|i| inputs.iter().any(|c| c.index == i)).collect();
    let frozen = builders.freezer.run(m, f, &moving)?;
    let callee = promote::run(m, frozen.unwrap_or(f));
    let Shadow { func: callee, holes } = match version {
        Version::Plain => Shadow { func: callee, holes: Vec::new() },
        Version::Shadowed => builders.shadows.run(m, callee)?,
    };
    let split = frozen.is_some().then_some(moving);
    let program = Program::build(m, (f, callee, split), (along, version), inputs, outputs);
    Ok(Secants { func: m.add(program), holes })
}

/// Refuses arrays whose entries cannot be numbered.
fn countable(func: &Func, inputs: &[Block], outputs: &[usize]) -> Result<(), Diagnostic> {
    let moved = inputs.iter().map(|b| func.data(func.params[b.index].value).shape.clone());
    let mut shapes = moved.chain(outputs.iter().map(|k| func.results[*k].data().shape));
    if shapes.all(|shape| dims::elements(&shape).is_some_and(|n| n.mul(&Dim::constant(2)).is_some())) {
        return Ok(());
    }
    let what = format!("the arrays of `{}` have too many axes of unknown size", func.name);
    Err(Diagnostic::error(Code::TooMuchCode, what)
        .label(func.span, "")
        .help("give its dimensions as numbers"))
}

/// A number or an array: the value p, and in a shadow the pair hi, lo after it.
type Point = Vec<Value>;

/// The names of these in a shadow.
pub(super) const POINT: [&str; 3] = ["p", "hi", "lo"];

struct Program<'a> {
    m: &'a Module,
    b: Builder,
    func: &'a Func,
    /// What is called at displaced points.
    callee: FuncId,
    /// For a frozen callee: the parameters whose displaced values it takes, besides all centres.
    split: Option<Vec<bool>>,
    dims: Vec<Value>,
    /// The parameters; `lo` is 0.
    centre: Vec<Point>,
    /// By parameter: row-major entries of a displaced array.
    flat: Vec<Option<Point>>,
    outputs: Vec<Block>,
    /// How many offsets a displacement has.
    count: Dim,
    shadow: Option<AtCentre>,
}

/// What only the program of a shadow has.
#[derive(Clone)]
struct AtCentre {
    live: Value,
    /// The outputs at the centre, arrays as vectors: by block.
    base: Vec<Point>,
}

/// What is displaced.
#[derive(Clone, Copy)]
struct Move {
    block: Block,
    /// For an array: the one displaced entry; `None`: all of them.
    entry: Option<Value>,
    /// The direction, shaped like what is displaced; `None` means 1.
    u: Option<Value>,
}

const HERE: &str = "refused where they cannot be numbered";

/// The name of a part of an output.
fn part_name(func: &Func, output: &Block) -> String {
    format!("{}{}", func.results[output.index].name, output.part.suffix())
}

/// Parameters for what is known at the centre: whether it is, and value and pair of each output, arrays as vectors.
fn known_base(b: &mut Builder, func: &Func, outputs: &[Block]) -> (Value, Vec<Point>) {
    let known = b.param(fresh_param(b, "known".into()), Type::BOOL);
    let mut value = |block: &Block, what: &str| {
        let result = &func.results[block.index];
        let shape = match result.data().shape {
            shape if shape.is_empty() => shape,
            shape => vec![dims::elements(&shape).expect(HERE)],
        };
        let name = fresh_param(b, format!("{what}_{}", part_name(func, block)));
        b.param(name, ValueData::array(Scalar::F64, shape))
    };
    let base = outputs.iter().map(|block| POINT.map(|what| value(block, what)).to_vec()).collect();
    (known, base)
}

impl<'a> Program<'a> {
    fn build(
        m: &'a Module,
        (f, callee, split): (FuncId, FuncId, Option<Vec<bool>>),
        (along, version): (Along, Version),
        inputs: &[Block],
        outputs: &[usize],
    ) -> Func {
        let func = m.func(f);
        let suffix = match along {
            Along::Coordinates => "",
            Along::Directions => ".along",
            Along::Entry => ".entry",
        };
        let plain = version == Version::Plain;
        let kind = if plain { "fd" } else { "secants" };
        let mut b = Builder::new(m.fresh_name(&format!("{}.{kind}{suffix}", func.name)), func.span);
        let entry = Entry::declare(&mut b, func, promote::double);
        let count = Dim::constant(offsets(along, version) as i64);
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
        let live = (!plain).then(|| b.param(fresh_param(&b, "live".into()), Type::BOOL));
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
        let outputs = blocks(outputs, |k| func.results[k].ty);
        let given = (along == Along::Directions && !plain).then(|| known_base(&mut b, func, &outputs));
        let centre: Vec<Point> = (entry.params.iter())
            .map(|&p| if plain { vec![p] } else { vec![p, p, zeros_like(&mut b, p)] })
            .collect();
        let mut program = Program {
            m,
            b,
            func,
            callee,
            split,
            flat: vec![None; centre.len()],
            dims: entry.dims,
            centre,
            outputs,
            count,
            shadow: live.map(|live| AtCentre { live, base: Vec::new() }),
        };
        program.flatten(inputs);
        if let Some(live) = live {
            let base = program.base(given);
            program.shadow = Some(AtCentre { live, base });
        }
        let mut results = Vec::new();
        match along {
            Along::Coordinates => {
                for (m, t) in moves.iter().zip(&steps) {
                    let by = format!("{}{}", func.params[m.block.index].name, m.block.part.suffix());
                    let rows = program.block(*m, *t);
                    program.name(&rows, &by, &mut results);
                }
            }
            Along::Directions | Along::Entry => {
                let rows = program.row(&moves, steps[0], None);
                let by = if along == Along::Entry { "at" } else { "u" };
                program.name(&rows, by, &mut results);
            }
        }
        program.at_centre(&mut results);
        if along == Along::Directions {
            program.name_base(&mut results);
        }
        program.b.finish(results)
    }

    /// The outputs at the centre: those that are given if they are known, else computed.
    fn base(&mut self, given: Option<(Value, Vec<Point>)>) -> Vec<Point> {
        let Some((known, given)) = given else { return self.call(&self.centre.clone()) };
        self.b.open();
        let then = self.b.close(given.concat());
        self.b.open();
        let computed = self.call(&self.centre.clone());
        let other = self.b.close(computed.concat());
        self.b.if_(known, then, other).chunks(POINT.len()).map(Point::from).collect()
    }

    /// What the next run at the same centre is given.
    fn name_base(&mut self, results: &mut Vec<(String, Value)>) {
        let base = self.shadow.clone().map_or(Vec::new(), |shadow| shadow.base);
        for (block, base) in self.outputs.iter().zip(&base) {
            let name = part_name(self.func, block);
            results.extend(POINT.iter().zip(base).map(|(what, v)| (format!("{what}_{name}"), *v)));
        }
    }

    /// Arrays among the inputs as vectors.
    fn flatten(&mut self, inputs: &[Block]) {
        for block in inputs {
            let x = self.centre[block.index].clone();
            if self.b.ty(x[0]).is_array() && self.flat[block.index].is_none() {
                self.flat[block.index] = Some(self.each(&x, Program::vector));
            }
        }
    }

    /// Applies `f` to every value of a point, once to equal ones.
    fn each(&mut self, x: &[Value], mut f: impl FnMut(&mut Self, Value) -> Value) -> Point {
        let mut out: Point = Vec::with_capacity(x.len());
        for (k, v) in x.iter().enumerate() {
            let known = x[..k].iter().position(|w| w == v).map(|at| out[at]);
            out.push(known.unwrap_or_else(|| f(self, *v)));
        }
        out
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

    fn element(&mut self, x: &[Value], at: &[Value]) -> Point {
        self.each(x, |program, v| program.b.index(v, at))
    }

    /// The `width` arrays of the results of `entry` for 0, 1, … n − 1.
    fn collect(
        &mut self,
        n: &Dim,
        width: usize,
        entry: impl FnOnce(&mut Self, Value) -> Vec<Value>,
    ) -> Vec<Value> {
        let range = self.b.range(n);
        let i = self.b.open_with(vec![Scalar::I64.into()])[0];
        let values = entry(self, i);
        let body = self.b.close(values);
        self.b.for_of(Loop::collecting(width), range, &[], body).to_vec()
    }

    /// The result of `f` for two numbers, or for every pair of entries of two vectors.
    fn pairwise(
        &mut self,
        (v, w): (&[Value], &[Value]),
        width: usize,
        f: impl FnOnce(&mut Builder, &[Value], &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let shape = self.b.data(v[0]).shape.clone();
        match shape.first() {
            None => f(&mut self.b, v, w),
            Some(n) => self.collect(n, width, |program, i| {
                let (v, w) = (program.element(v, &[i]), program.element(w, &[i]));
                f(&mut program.b, &v, &w)
            }),
        }
    }

    /// Results of one displacement for each output: a quotient, and a gap if shadowed.
    fn width(&self) -> usize {
        if self.shadow.is_some() { 2 } else { 1 }
    }

    /// The rows of all entries of a block, each displaced separately.
    fn block(&mut self, m: Move, steps: Value) -> Vec<Value> {
        let Some(flat) = &self.flat[m.block.index] else { return self.row(&[m], steps, None) };
        let n = self.b.data(flat[0]).shape[0].clone();
        let width = self.width() * self.outputs.len();
        self.collect(&n, width, |program, i| program.row(&[Move { entry: Some(i), ..m }], steps, Some(i)))
    }

    fn name(&self, values: &[Value], by: &str, results: &mut Vec<(String, Value)>) {
        for (list, block) in values.chunks(self.width()).zip(&self.outputs) {
            let output = part_name(self.func, block);
            for (what, value) in ["d", "gap"].into_iter().zip(list) {
                results.push((format!("{what}_{output}_d_{by}"), *value));
            }
        }
    }

    /// Quotients and gaps of one displacement; its offsets are those of `entry`, or the only ones.
    fn row(&mut self, moves: &[Move], steps: Value, entry: Option<Value>) -> Vec<Value> {
        let count = self.count.clone();
        let first = entry.map(|i| {
            let n = self.b.size(&count);
            self.b.op(Op::Mul, &[i, n])
        });
        let at = |program: &mut Self, k: Value| {
            let at = first.map_or(k, |first| program.b.op(Op::Add, &[first, k]));
            let t = program.b.index(steps, &[at]);
            let moved = program.displaced(moves, t);
            (t, program.call(&moved))
        };
        let Some(AtCentre { base, .. }) = self.shadow.clone() else {
            let [(t, plus), (s, minus)] = [0, 1].map(|k| {
                let k = self.b.size(&Dim::constant(k));
                at(self, k)
            });
            let apart = self.b.op(Op::Sub, &[t, s]);
            let quotient = |b: &mut Builder, v: &[Value], w: &[Value]| {
                let difference = b.op(Op::Sub, &[v[0], w[0]]);
                vec![b.op(Op::Div, &[difference, apart])]
            };
            return plus.iter().zip(&minus).flat_map(|(v, w)| self.pairwise((v, w), 1, quotient)).collect();
        };
        let width = self.width() * self.outputs.len();
        self.collect(&count, width, |program, k| {
            let (t, values) = at(program, k);
            let slope_and_gap = |b: &mut Builder, v: &[Value], base: &[Value]| {
                let difference = pair::difference(b, (v[1], v[2]), (base[1], base[2]));
                vec![b.op(Op::Div, &[difference, t]), gap(b, v)]
            };
            let pairs = values.iter().zip(&base);
            pairs.flat_map(|(v, base)| program.pairwise((v, base), 2, slope_and_gap)).collect()
        })
    }

    /// Gaps and magnitudes of a shadow at the centre.
    fn at_centre(&mut self, results: &mut Vec<(String, Value)>) {
        let base = self.shadow.clone().map_or(Vec::new(), |shadow| shadow.base);
        for (block, base) in self.outputs.clone().into_iter().zip(&base) {
            let both = |b: &mut Builder, v: &[Value], _: &[Value]| vec![gap(b, v), b.op(Op::Abs, &[v[0]])];
            let values = self.pairwise((base, base), 2, both);
            let name = part_name(self.func, &block);
            results.push((format!("gap_{name}"), values[0]));
            results.push((format!("size_{name}"), values[1]));
        }
    }

    /// The outputs at a point, by block, arrays as vectors.
    fn call(&mut self, moved: &[Point]) -> Vec<Point> {
        // The parameters of the function that the shadow was made from.
        let mut params: Vec<&Point> = Vec::new();
        match &self.split {
            None => params.extend(moved),
            Some(moving) => {
                params.extend(&self.centre);
                params.extend(moved.iter().zip(moving).filter(|(_, m)| **m).map(|(v, _)| v));
            }
        }
        let mut args = self.dims.clone();
        args.extend(params.iter().map(|v| v[0]));
        for v in params {
            if self.b.ty(v[0]).scalar().is_float() {
                args.extend(&v[1..]);
            }
        }
        let values = self.b.call_of(self.m, self.callee, &args);
        let (values, pairs) = values.split_at(self.func.results.len());
        let mut points: Vec<Point> = values.iter().map(|p| vec![*p]).collect();
        // Pairs come after the results, for those of float type.
        let floats = self.func.results.iter().zip(&mut points).filter(|(r, _)| r.ty.scalar().is_float());
        floats.zip(pairs.chunks(2)).for_each(|((_, point), pair)| point.extend(pair));
        let outputs = self.outputs.clone().into_iter();
        outputs
            .map(|Block { index, part }| {
                self.each(&points[index], |program, v| {
                    let v = program.vector(v);
                    program.part(v, part)
                })
            })
            .collect()
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
            args[i] = match (self.flat[i].clone(), m.entry) {
                (Some(flat), Some(entry)) => {
                    let number = self.element(&flat, &[entry]);
                    let moved = self.shifted(&number, t, m.u, m.block.part);
                    let put = |(into, v): (&Value, &Value)| {
                        let put = self.b.update(*into, *v, &[entry]);
                        self.like_parameter(i, put)
                    };
                    flat.iter().zip(&moved).map(put).collect()
                }
                (Some(flat), None) => {
                    let x = self.each(&args[i], Program::vector);
                    let u = m.u.map(|u| self.vector(u));
                    let n = self.b.data(flat[0]).shape[0].clone();
                    let arrays = self.collect(&n, x.len(), |program, at| {
                        let v = program.element(&x, &[at]);
                        let u = u.map(|u| program.b.index(u, &[at]));
                        program.shifted(&v, t, u, m.block.part)
                    });
                    arrays.into_iter().map(|v| self.like_parameter(i, v)).collect()
                }
                (None, _) => {
                    let x = args[i].clone();
                    self.shifted(&x, t, m.u, m.block.part)
                }
            };
        }
        args
    }

    /// A vector in the shape of parameter `i`.
    fn like_parameter(&mut self, i: usize, flat: Value) -> Value {
        let shape = self.b.data(self.centre[i][0]).shape.clone();
        if shape.len() == 1 { flat } else { self.b.reshape(flat, shape) }
    }

    /// One number displaced by `t` times `u`. For a pair the product has no error: |u| is a power of two or 0 there.
    fn shifted(&mut self, x: &[Value], t: Value, u: Option<Value>, part: Part) -> Point {
        let live = self.shadow.as_ref().map(|shadow| shadow.live);
        let b = &mut self.b;
        let step = u.map_or(t, |u| b.op(Op::Mul, &[t, u]));
        let still = u.map(|_| {
            let zero = b.num(0.0, Scalar::F64);
            b.op(Op::Eq, &[step, zero])
        });
        // One part of the displaced number: of p, or of the pair.
        let real = |b: &mut Builder, x: &[Value]| -> Point {
            let mut moved = match *x {
                [hi, lo] => <[Value; 2]>::from(pair::sum(b, (hi, lo), step)).to_vec(),
                _ => x.iter().map(|x| b.op(Op::Add, &[*x, step])).collect(),
            };
            if let Some(still) = still {
                moved[0] = b.op(Op::Select, &[still, x[0], moved[0]]);
            }
            moved
        };
        let from = if live.is_some() { &x[1..] } else { x };
        let moved: Point = match part {
            Part::Whole => real(b, from),
            Part::Re | Part::Im => {
                let of = |b: &mut Builder, op: Op| from.iter().map(|v| b.op(op, &[*v])).collect();
                let (mut re, mut im): (Point, Point) = (of(b, Op::Re), of(b, Op::Im));
                let moves = if part == Part::Im { &mut im } else { &mut re };
                *moves = real(b, moves);
                re.iter().zip(&im).map(|(re, im)| b.op(Op::Complex, &[*re, *im])).collect()
            }
        };
        match live {
            None => moved,
            // The double-precision program is run at the rounded point: rounding of the displacement is part of its noise.
            Some(live) => {
                let p = b.op(Op::Select, &[live, moved[0], x[0]]);
                vec![p, moved[0], moved[1]]
            }
        }
    }
}

/// |p − (hi + lo)|
fn gap(b: &mut Builder, v: &[Value]) -> Value {
    let d = b.op(Op::Sub, &[v[0], v[1]]);
    let d = b.op(Op::Sub, &[d, v[2]]);
    b.op(Op::Abs, &[d])
}

/// Zeros of a value's shape; for a value that is no float, the value.
fn zeros_like(b: &mut Builder, v: Value) -> Value {
    let data = b.data(v).clone();
    if !data.ty.scalar().is_float() {
        return v;
    }
    let zero = b.num(0.0, data.ty.scalar());
    if data.shape.is_empty() { zero } else { b.fill(zero, &data.shape) }
}
