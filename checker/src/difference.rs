//! Difference quotients as IR: one program per function that holds every displacement and every entry,
//! called once per point.
//!
//! *Slow*: dimensions and parameters of the function, then `eps`; results: for each part of each input, for each part of
//! each output, `(f(x + up·e) − f(x − down·e)) / (up + down)`. The imaginary part of a complex input is the step along
//! `i`. A scalar input displaces once; an array by its entries, in a loop that collects: its results have the row-major
//! number of the entry as first axis. What is differenced of an array output is its entries in row-major order, one axis.
//!
//! *Fast*: dimensions and parameters of the function, one direction per part of each input, shaped like it, then
//! `eps`; results: the differences of the outputs along `u_r` (real inputs and real parts), then, if an input is
//! complex, along `i·u_i` (imaginary parts).
//!
//! `up = down = eps`, so the divisor is `2·eps` as published, unless an input has a declared domain: then
//! the step shrinks to half the room to the nearer edge, and next to an edge (less than 1/64 of `eps` away)
//! it is one-sided. Where no displaced point lies in the domain (the rim of a disk, along the rim), the
//! quotient is 0/0. Functions of single precision are differenced in double precision ([`crate::promote`]);
//! what the derivative freezes is frozen ([`crate::freeze`]).

use crate::coordinates::{Block, Part, blocks};
use crate::entry::{Entry, fresh_param};
use crate::freeze::Freezer;
use crate::promote;
use adc_ir::dims;
use adc_ir::*;

/// Below this fraction of `eps`, the room to an edge makes the difference one-sided.
const ONE_SIDED: f64 = 1.0 / 64.0;

/// Along what a program displaces its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    /// Each coordinate by itself.
    Coordinates,
    /// The directions `u_r` and `u_i`.
    Directions,
    /// One coordinate: the entry that a last parameter `at` says, in the one block.
    Entry,
    /// As [`Along::Entry`] and to one side: `(f(x + eps·e) − f(x)) / eps`, `eps` of either sign.
    OneSided,
}

/// The difference quotient of `f` that `mode` compares with, as a program of the module.
///
/// `wrt` and `outputs` are positions of parameters and results that carry derivatives. For
/// [`Mode::Gradgrad`] the differenced function is F(x, v) = vᵀJ, the VJP program of `f`, with respect to x
/// and v.
pub fn fd_program(
    m: &mut Module,
    f: FuncId,
    mode: Mode,
    wrt: &[usize],
    outputs: &[usize],
) -> Result<FuncId, Diagnostic> {
    adc_ad::expand_for(m, f)?;
    let freezer = &mut Freezer::default();
    match mode {
        Mode::Slow | Mode::Forward => quotient(m, freezer, f, Along::Coordinates, wrt, outputs),
        Mode::Fast => quotient(m, freezer, f, Along::Directions, wrt, outputs),
        Mode::Gradgrad => {
            let vjp = adc_ad::vjp(m, f, wrt, outputs, false)?;
            let (wrt, outputs) = second_order(m, f, vjp, wrt);
            quotient(m, freezer, vjp, Along::Coordinates, &wrt, &outputs)
        }
    }
}

/// What F(x, v) = vᵀJ, the VJP program of `f`, is checked with respect to (x and v), and its outputs (all).
pub(crate) fn second_order(m: &Module, f: FuncId, vjp: FuncId, wrt: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let cotangents = m.func(f).params.len()..m.func(vjp).params.len();
    (wrt.iter().copied().chain(cotangents).collect(), m.func(vjp).differentiable_results())
}

/// Builds one difference program.
pub(crate) fn quotient(
    m: &mut Module,
    freezer: &mut Freezer,
    f: FuncId,
    along: Along,
    wrt: &[usize],
    outputs: &[usize],
) -> Result<FuncId, Diagnostic> {
    let inputs = blocks(wrt, |i| m.func(f).param_ty(i));
    of_blocks(m, freezer, f, along, &inputs, outputs)
}

/// As [`quotient`], for some parts of the inputs only.
pub(crate) fn of_blocks(
    m: &mut Module,
    freezer: &mut Freezer,
    f: FuncId,
    along: Along,
    inputs: &[Block],
    outputs: &[usize],
) -> Result<FuncId, Diagnostic> {
    let moving: Vec<bool> =
        (0..m.func(f).params.len()).map(|i| inputs.iter().any(|c| c.index == i)).collect();
    let frozen = freezer.run(m, f, &moving)?;
    let callee = promote::run(m, frozen.unwrap_or(f));
    let split = frozen.is_some().then_some(moving);
    let program = Program::build(m, (f, callee, split), along, inputs, outputs)?;
    Ok(m.add(program))
}

/// Builds one difference program.
struct Program<'a> {
    m: &'a Module,
    b: Builder,
    /// What is differenced, for names and domains.
    func: &'a Func,
    /// The function called at displaced points.
    callee: FuncId,
    /// For a frozen callee: the parameters it wants displaced values of, beside all centres.
    split: Option<Vec<bool>>,
    dims: Vec<Value>,
    centre: Vec<Value>,
    /// By parameter: the entries in row-major order, of an array that moves.
    flat: Vec<Option<Value>>,
    outputs: Vec<Block>,
    along: Along,
    eps: Value,
    results: Vec<(String, Value)>,
}

/// What is displaced.
#[derive(Clone, Copy)]
struct Move {
    block: Block,
    /// Of an array: the one entry that moves; `None`: all of them.
    entry: Option<Value>,
    /// The component of a direction, shaped like what moves; none means 1.
    u: Option<Value>,
}

/// Displacement upwards, downwards, and their sum.
struct Steps {
    up: Value,
    down: Value,
    both: Value,
}

impl<'a> Program<'a> {
    fn build(
        m: &'a Module,
        (f, callee, split): (FuncId, FuncId, Option<Vec<bool>>),
        along: Along,
        inputs: &[Block],
        outputs: &[usize],
    ) -> Result<Func, Diagnostic> {
        let func = m.func(f);
        let suffix = match along {
            Along::Coordinates => "fd.slow",
            Along::Directions => "fd.fast",
            Along::Entry => "fd.entry",
            Along::OneSided => "fd.sided",
        };
        let mut b = Builder::new(m.fresh_name(&format!("{}.{suffix}", func.name)), func.span);
        let entry = Entry::declare(&mut b, func, promote::double);
        let moves: Vec<Move> = inputs
            .iter()
            .map(|&block| {
                let name = format!("u_{}{}", func.params[block.index].name, block.part.suffix());
                let shape = b.data(entry.params[block.index]).shape.clone();
                let u = (along == Along::Directions)
                    .then(|| b.param(fresh_param(&b, name), ValueData::array(Scalar::F64, shape)));
                Move { block, entry: None, u }
            })
            .collect();
        let eps = fresh_param(&b, "eps".to_string());
        let eps = b.param(eps, Type::F64);
        let mut program = Program {
            m,
            b,
            func,
            callee,
            split,
            flat: vec![None; entry.params.len()],
            dims: entry.dims,
            centre: entry.params,
            outputs: blocks(outputs, |k| func.results[k].ty),
            along,
            eps,
            results: Vec::new(),
        };
        match along {
            Along::Coordinates => {
                program.flatten(inputs)?;
                for m in &moves {
                    program.block(*m)?;
                }
            }
            Along::Entry | Along::OneSided => {
                let at = fresh_param(&program.b, "at".to_string());
                let at = program.b.param(at, Type::I64);
                program.flatten(inputs)?;
                for m in &moves {
                    let entry = program.flat[m.block.index].map(|_| at);
                    let quotients = program.quotients(&[Move { entry, ..*m }])?;
                    program.name_results(quotients, &program.block_name(m.block));
                }
            }
            Along::Directions => {
                program.flatten(inputs)?;
                let (imaginary, real): (Vec<Move>, Vec<Move>) =
                    moves.into_iter().partition(|m| m.block.part == Part::Im);
                let quotients = program.quotients(&real)?;
                program.name_results(quotients, "u_r");
                if !imaginary.is_empty() {
                    let quotients = program.quotients(&imaginary)?;
                    program.name_results(quotients, "u_i");
                }
            }
        }
        Ok(program.b.finish(program.results))
    }

    /// Arrays among the inputs as vectors.
    fn flatten(&mut self, inputs: &[Block]) -> Result<(), Diagnostic> {
        for block in inputs {
            let x = self.centre[block.index];
            if self.b.ty(x).is_array() && self.flat[block.index].is_none() {
                self.flat[block.index] = Some(self.vector(x)?);
            }
        }
        Ok(())
    }

    /// The entries of an array in row-major order.
    fn vector(&mut self, x: Value) -> Result<Value, Diagnostic> {
        let shape = self.b.data(x).shape.clone();
        if shape.len() == 1 {
            return Ok(x);
        }
        let n = dims::elements(&shape).ok_or_else(|| {
            let what = format!("the arrays of `{}` have too many axes of unknown size", self.func.name);
            Diagnostic::error(Code::TooMuchCode, what)
                .label(self.func.span, "")
                .help("give its dimensions as numbers")
        })?;
        Ok(self.b.reshape(x, vec![n]))
    }

    fn block_name(&self, block: Block) -> String {
        format!("{}{}", self.func.params[block.index].name, block.part.suffix())
    }

    /// The quotients of all outputs for every coordinate of a block.
    fn block(&mut self, m: Move) -> Result<(), Diagnostic> {
        let by = self.block_name(m.block);
        let Some(flat) = self.flat[m.block.index] else {
            let quotients = self.quotients(&[m])?;
            self.name_results(quotients, &by);
            return Ok(());
        };
        let n = self.b.data(flat).shape[0].clone();
        let range = self.b.range(&n);
        let i = self.b.open_with(vec![Scalar::I64.into()])[0];
        let quotients = self.quotients(&[Move { entry: Some(i), ..m }])?;
        let body = self.b.close(quotients);
        let columns = self.b.for_of(Loop::collecting(self.outputs.len()), range, &[], body);
        self.name_results(columns.to_vec(), &by);
        Ok(())
    }

    /// The names of the quotients for one displacement end in `_d_` and `by`.
    fn name_results(&mut self, quotients: Vec<Value>, by: &str) {
        for (block, value) in self.outputs.iter().zip(quotients) {
            let name = format!("d_{}{}_d_{by}", self.func.results[block.index].name, block.part.suffix());
            self.results.push((name, value));
        }
    }

    /// The quotients of all outputs for one displacement.
    fn quotients(&mut self, moves: &[Move]) -> Result<Vec<Value>, Diagnostic> {
        let steps = self.steps(moves);
        let plus = self.displaced(moves, steps.up);
        let minus_step = self.b.op(Op::Neg, &[steps.down]);
        let minus = self.displaced(moves, minus_step);
        let (plus, minus) = (self.call(&plus), self.call(&minus));
        // Vectors of arrays, each made once.
        let mut vectors: Vec<Option<(Value, Value)>> = vec![None; plus.len()];
        let mut out = Vec::with_capacity(self.outputs.len());
        for k in 0..self.outputs.len() {
            let Block { index, part } = self.outputs[k];
            let (a, b) = match vectors[index] {
                Some(pair) => pair,
                None if self.b.ty(plus[index]).is_array() => {
                    (self.vector(plus[index])?, self.vector(minus[index])?)
                }
                None => (plus[index], minus[index]),
            };
            vectors[index] = Some((a, b));
            let quotient = |build: &mut Builder, a: Value, b: Value| {
                let (a, b) = match part {
                    Part::Whole => (a, b),
                    Part::Re => (build.op(Op::Re, &[a]), build.op(Op::Re, &[b])),
                    Part::Im => (build.op(Op::Im, &[a]), build.op(Op::Im, &[b])),
                };
                let difference = build.op(Op::Sub, &[a, b]);
                build.op(Op::Div, &[difference, steps.both])
            };
            let shape = self.b.data(a).shape.clone();
            out.push(match shape.is_empty() {
                true => quotient(&mut self.b, a, b),
                false => self.b.build(&shape, |build, i| {
                    let (a, b) = (build.index(a, i), build.index(b, i));
                    quotient(build, a, b)
                }),
            });
        }
        Ok(out)
    }

    fn call(&mut self, displaced: &[Value]) -> Values {
        let mut args = self.dims.clone();
        match &self.split {
            None => args.extend(displaced),
            Some(moving) => {
                args.extend(&self.centre);
                args.extend(displaced.iter().zip(moving).filter(|(_, m)| **m).map(|(v, _)| *v));
            }
        }
        self.b.call_of(self.m, self.callee, &args)
    }

    /// The arguments with each of `moves` displaced by `step` times its component.
    fn displaced(&mut self, moves: &[Move], step: Value) -> Vec<Value> {
        let mut args = self.centre.clone();
        for m in moves {
            let i = m.block.index;
            args[i] = match (self.flat[i], m.entry, m.u) {
                (None, _, u) => self.shifted(args[i], step, u, m.block.part),
                (Some(flat), Some(entry), _) => {
                    let x = self.b.index(flat, &[entry]);
                    let x = self.shifted(x, step, None, m.block.part);
                    let moved = self.b.update(flat, x, &[entry]);
                    self.like_parameter(i, moved)
                }
                (Some(_), None, u) => {
                    let (x, shape) = (args[i], self.b.data(args[i]).shape.clone());
                    let axes = vec![ValueData::scalar(Scalar::I64); shape.len()];
                    let at = self.b.open_with(axes);
                    let x = self.b.index(x, &at);
                    let u = u.map(|u| self.b.index(u, &at));
                    let moved = self.shifted(x, step, u, m.block.part);
                    let body = self.b.close(vec![moved]);
                    self.b.build_of(&shape, body)
                }
            };
        }
        args
    }

    /// A vector in the shape of parameter `i`.
    fn like_parameter(&mut self, i: usize, flat: Value) -> Value {
        let shape = self.b.data(self.centre[i]).shape.clone();
        if shape.len() == 1 { flat } else { self.b.reshape(flat, shape) }
    }

    /// One number displaced by `step` times `u`.
    fn shifted(&mut self, x: Value, step: Value, u: Option<Value>, part: Part) -> Value {
        let h = match u {
            Some(u) => self.b.op(Op::Mul, &[step, u]),
            None => step,
        };
        match part {
            // Mixed addition leaves an imaginary part alone.
            Part::Whole | Part::Re => self.b.op(Op::Add, &[x, h]),
            Part::Im => {
                let (re, im) = (self.b.op(Op::Re, &[x]), self.b.op(Op::Im, &[x]));
                let im = self.b.op(Op::Add, &[im, h]);
                self.b.op(Op::Complex, &[re, im])
            }
        }
    }

    /// Steps that keep the declared domains.
    fn steps(&mut self, moves: &[Move]) -> Steps {
        if self.along == Along::OneSided {
            let zero = self.b.num(0.0, Scalar::F64);
            return Steps { up: self.eps, down: zero, both: self.eps };
        }
        let (mut up, mut down) = (self.eps, self.eps);
        for m in moves {
            let Some(domain) = self.func.params[m.block.index].domain else { continue };
            let part = m.block.part;
            (up, down) = match (self.flat[m.block.index], m.entry) {
                (None, _) => self.room(domain, part, self.centre[m.block.index], m.u, (up, down)),
                (Some(flat), Some(entry)) => {
                    let x = self.b.index(flat, &[entry]);
                    self.room(domain, part, x, None, (up, down))
                }
                (Some(flat), None) => self.room_of_all(domain, m, flat, (up, down)),
            };
        }
        if up == self.eps && down == self.eps {
            let two = self.b.num(2.0, Scalar::F64);
            let both = self.b.op(Op::Mul, &[two, self.eps]);
            return Steps { up, down, both };
        }
        let small = self.b.op(Op::Min, &[up, down]);
        let fraction = self.b.num(ONE_SIDED, Scalar::F64);
        let least = self.b.op(Op::Mul, &[fraction, self.eps]);
        let central = self.b.op(Op::Ge, &[small, least]);
        let up = self.b.op(Op::Select, &[central, small, up]);
        let down = self.b.op(Op::Select, &[central, small, down]);
        let both = self.b.op(Op::Add, &[up, down]);
        Steps { up, down, both }
    }

    /// The largest steps within which every entry of an array stays in the domain, going along a direction.
    fn room_of_all(
        &mut self,
        domain: ParamDomain,
        m: &Move,
        flat: Value,
        (up, down): (Value, Value),
    ) -> (Value, Value) {
        let n = self.b.data(flat).shape[0].clone();
        let range = self.b.range(&n);
        let along = m.u.map(|u| match self.b.ty(u).rank() {
            1 => u,
            _ => self.b.reshape(u, vec![n]),
        });
        let p = self.b.open_with(vec![Scalar::I64.into(), Scalar::F64.into(), Scalar::F64.into()]);
        let x = self.b.index(flat, &p[..1]);
        let u = along.map(|u| self.b.index(u, &p[..1]));
        let (u1, d1) = self.room(domain, m.block.part, x, u, (p[1], p[2]));
        let body = self.b.close(vec![u1, d1]);
        let ends = self.b.for_of(Loop::default(), range, &[up, down], body);
        (ends[0], ends[1])
    }

    /// The largest steps, at most those given, with which one number stays in its domain.
    fn room(
        &mut self,
        domain: ParamDomain,
        part: Part,
        x: Value,
        u: Option<Value>,
        (mut up, mut down): (Value, Value),
    ) -> (Value, Value) {
        match domain {
            ParamDomain::Interval { lo, hi, .. } => {
                if hi < f64::INFINITY {
                    let hi = self.b.num(hi, Scalar::F64);
                    let room = self.b.op(Op::Sub, &[hi, x]);
                    up = self.within(up, room, u);
                }
                if lo > f64::NEG_INFINITY {
                    let lo = self.b.num(lo, Scalar::F64);
                    let room = self.b.op(Op::Sub, &[x, lo]);
                    down = self.within(down, room, u);
                }
            }
            ParamDomain::Annulus { r0, r1 } => {
                let minus = self.b.op(Op::Neg, &[self.eps]);
                let (above, below) = (self.shifted(x, self.eps, u, part), self.shifted(x, minus, u, part));
                up = self.inside(up, above, r0, r1);
                down = self.inside(down, below, r0, r1);
            }
        }
        (up, down)
    }

    /// The smaller of a step and the one that takes half the room along the component `u ≥ 0`. Half, so that
    /// rounding does not leave the domain, and open ends are like closed ones.
    fn within(&mut self, step: Value, room: Value, u: Option<Value>) -> Value {
        let half = self.b.num(0.5, Scalar::F64);
        let mut room = self.b.op(Op::Mul, &[half, room]);
        if let Some(u) = u {
            let zero = self.b.num(0.0, Scalar::F64);
            let moved = self.b.op(Op::Gt, &[u, zero]);
            let along = self.b.op(Op::Div, &[room, u]);
            room = self.b.op(Op::Select, &[moved, along, step]);
        }
        self.b.op(Op::Min, &[step, room])
    }

    /// `step` if the displaced `z` lies in the annulus, else 0.
    fn inside(&mut self, step: Value, z: Value, r0: f64, r1: f64) -> Value {
        let r = self.b.op(Op::Abs, &[z]);
        let (r0, r1) = (self.b.num(r0, Scalar::F64), self.b.num(r1, Scalar::F64));
        let above = self.b.op(Op::Ge, &[r, r0]);
        let below = self.b.op(Op::Le, &[r, r1]);
        let ok = self.b.op(Op::And, &[above, below]);
        let zero = self.b.num(0.0, Scalar::F64);
        self.b.op(Op::Select, &[ok, step, zero])
    }
}
