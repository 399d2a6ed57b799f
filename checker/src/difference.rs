//! Difference quotients as IR: one program per function that holds every displacement and every entry,
//! called once per point.
//!
//! *Slow*: parameters of the function, then `eps`; results: for each real coordinate of the inputs, for
//! each real coordinate of the outputs, `(f(x + up·e) − f(x − down·e)) / (up + down)`. The imaginary
//! coordinate of a complex input is the step along `i`.
//!
//! *Fast*: parameters of the function, one direction component per real coordinate of the inputs, then
//! `eps`; results: the differences of the outputs' coordinates along `u_r` (real inputs and real parts),
//! then, if an input is complex, along `i·u_i` (imaginary parts).
//!
//! `up = down = eps`, so the divisor is `2·eps` as published, unless an input has a declared domain: then
//! the step shrinks to half the room to the nearer edge, and next to an edge (less than 1/64 of `eps` away)
//! it is one-sided. Where no displaced point lies in the domain (the rim of a disk, along the rim), the
//! quotient is 0/0. Functions of single precision are differenced in double precision ([`crate::promote`]);
//! what the derivative freezes is frozen ([`crate::freeze`]).

use crate::coordinates::{Coordinate, Part, coordinates};
use crate::freeze::Freezer;
use crate::promote;
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
    /// Each coordinate by itself and to one side: `(f(x + eps·e) − f(x)) / eps`, `eps` of either sign.
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
    m.scalar_only(f)?;
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
    let inputs = coordinates(wrt, |i| m.func(f).param_ty(i));
    entries(m, freezer, f, along, &inputs, outputs)
}

/// As [`quotient`], for some coordinates of the inputs only.
pub(crate) fn entries(
    m: &mut Module,
    freezer: &mut Freezer,
    f: FuncId,
    along: Along,
    inputs: &[Coordinate],
    outputs: &[usize],
) -> Result<FuncId, Diagnostic> {
    let moving: Vec<bool> =
        (0..m.func(f).params.len()).map(|i| inputs.iter().any(|c| c.index == i)).collect();
    let frozen = freezer.run(m, f, &moving)?;
    let callee = promote::run(m, frozen.unwrap_or(f));
    let program = Program::build(m, f, callee, frozen.is_some().then_some(moving), along, inputs, outputs);
    Ok(m.add(program))
}

struct Program<'a> {
    b: Builder,
    /// What is differenced, for names and domains.
    func: &'a Func,
    /// The function called at displaced points.
    callee: FuncId,
    /// For a frozen callee: the parameters it wants displaced values of, beside all centres.
    split: Option<Vec<bool>>,
    types: Vec<Type>,
    centre: Vec<Value>,
    outputs: Vec<Coordinate>,
    along: Along,
    eps: Value,
    results: Vec<(String, Value)>,
}

/// A coordinate with its component of a direction; none means 1.
type Move = (Coordinate, Option<Value>);

impl Program<'_> {
    fn build(
        m: &Module,
        f: FuncId,
        callee: FuncId,
        split: Option<Vec<bool>>,
        along: Along,
        inputs: &[Coordinate],
        outputs: &[usize],
    ) -> Func {
        let func = m.func(f);
        let suffix = match along {
            Along::Coordinates => "fd.slow",
            Along::Directions => "fd.fast",
            Along::OneSided => "fd.sided",
        };
        let mut b = Builder::new(m.fresh_name(&format!("{}.{suffix}", func.name)), func.span);
        let centre: Vec<Value> = (0..func.params.len())
            .map(|i| {
                let p = &func.params[i];
                b.set_span(p.span);
                b.param(p.name.clone(), promote::double(func.param_ty(i)))
            })
            .collect();
        b.set_span(func.span);
        let directions: Vec<Option<Value>> = inputs
            .iter()
            .map(|c| {
                let name = format!("u_{}{}", func.params[c.index].name, c.part.suffix());
                (along == Along::Directions).then(|| b.param(fresh_param(&b, name), Type::F64))
            })
            .collect();
        let eps = fresh_param(&b, "eps".to_string());
        let eps = b.param(eps, Type::F64);
        let mut program = Program {
            b,
            func,
            callee,
            split,
            types: func.results.iter().map(|r| promote::double(r.ty)).collect(),
            centre,
            outputs: coordinates(outputs, |k| func.results[k].ty),
            along,
            eps,
            results: Vec::new(),
        };
        let moves: Vec<Move> = inputs.iter().copied().zip(directions).collect();
        match along {
            Along::Coordinates | Along::OneSided => {
                for m in &moves {
                    let by = format!("{}{}", func.params[m.0.index].name, m.0.part.suffix());
                    program.difference(std::slice::from_ref(m), &by);
                }
            }
            Along::Directions => {
                let (imaginary, real): (Vec<Move>, Vec<Move>) =
                    moves.into_iter().partition(|(c, _)| c.part == Part::Im);
                program.difference(&real, "u_r");
                if !imaginary.is_empty() {
                    program.difference(&imaginary, "u_i");
                }
            }
        }
        program.b.finish(program.results)
    }

    /// The quotients of all outputs for one displacement; their names end in `_d_` and `by`.
    fn difference(&mut self, moves: &[Move], by: &str) {
        let steps = self.steps(moves);
        let plus = self.displaced(moves, steps.up);
        let minus_step = self.b.op(Op::Neg, &[steps.down]);
        let minus = self.displaced(moves, minus_step);
        let (plus, minus) = (self.call(&plus), self.call(&minus));
        for i in 0..self.outputs.len() {
            let Coordinate { index, part } = self.outputs[i];
            let coordinate = |p: &mut Self, values: &[Value]| match part {
                Part::Whole => values[index],
                Part::Re => p.b.op(Op::Re, &[values[index]]),
                Part::Im => p.b.op(Op::Im, &[values[index]]),
            };
            let (a, b) = (coordinate(self, &plus), coordinate(self, &minus));
            let difference = self.b.op(Op::Sub, &[a, b]);
            let quotient = self.b.op(Op::Div, &[difference, steps.both]);
            let name = format!("d_{}{}_d_{by}", self.func.results[index].name, part.suffix());
            self.results.push((name, quotient));
        }
    }

    fn call(&mut self, displaced: &[Value]) -> Values {
        let args: Vec<Value> = match &self.split {
            None => displaced.to_vec(),
            Some(moving) => {
                let moved = displaced.iter().zip(moving).filter(|(_, m)| **m).map(|(v, _)| *v);
                self.centre.iter().copied().chain(moved).collect()
            }
        };
        self.b.call(self.callee, &args, &self.types)
    }

    /// The arguments with each coordinate of `moves` displaced by `step` times its component.
    fn displaced(&mut self, moves: &[Move], step: Value) -> Vec<Value> {
        let mut args = self.centre.clone();
        for (c, u) in moves {
            let h = match u {
                Some(u) => self.b.op(Op::Mul, &[step, *u]),
                None => step,
            };
            let x = args[c.index];
            args[c.index] = match c.part {
                // Mixed addition leaves an imaginary part alone.
                Part::Whole | Part::Re => self.b.op(Op::Add, &[x, h]),
                Part::Im => {
                    let (re, im) = (self.b.op(Op::Re, &[x]), self.b.op(Op::Im, &[x]));
                    let im = self.b.op(Op::Add, &[im, h]);
                    self.b.op(Op::Complex, &[re, im])
                }
            };
        }
        args
    }

    /// Steps that keep the declared domains.
    fn steps(&mut self, moves: &[Move]) -> Steps {
        if self.along == Along::OneSided {
            let zero = self.b.num(0.0, Scalar::F64);
            return Steps { up: self.eps, down: zero, both: self.eps };
        }
        let (mut up, mut down) = (self.eps, self.eps);
        for (c, u) in moves {
            match self.func.params[c.index].domain {
                None => {}
                Some(ParamDomain::Interval { lo, hi, .. }) => {
                    let x = self.centre[c.index];
                    if hi < f64::INFINITY {
                        let hi = self.b.num(hi, Scalar::F64);
                        let room = self.b.op(Op::Sub, &[hi, x]);
                        up = self.within(up, room, *u);
                    }
                    if lo > f64::NEG_INFINITY {
                        let lo = self.b.num(lo, Scalar::F64);
                        let room = self.b.op(Op::Sub, &[x, lo]);
                        down = self.within(down, room, *u);
                    }
                }
                Some(ParamDomain::Annulus { r0, r1 }) => {
                    let m = [(*c, *u)];
                    let minus = self.b.op(Op::Neg, &[self.eps]);
                    up = self.inside(up, self.eps, &m, r0, r1);
                    down = self.inside(down, minus, &m, r0, r1);
                }
            }
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

    /// `step` if the point displaced by `by` lies in the annulus, else 0.
    fn inside(&mut self, step: Value, by: Value, moves: &[Move], r0: f64, r1: f64) -> Value {
        let z = self.displaced(moves, by)[moves[0].0.index];
        let r = self.b.op(Op::Abs, &[z]);
        let (r0, r1) = (self.b.num(r0, Scalar::F64), self.b.num(r1, Scalar::F64));
        let above = self.b.op(Op::Ge, &[r, r0]);
        let below = self.b.op(Op::Le, &[r, r1]);
        let ok = self.b.op(Op::And, &[above, below]);
        let zero = self.b.num(0.0, Scalar::F64);
        self.b.op(Op::Select, &[ok, step, zero])
    }
}

/// Displacement upwards, downwards, and their sum.
struct Steps {
    up: Value,
    down: Value,
    both: Value,
}

/// `base`, or with a number behind it if a parameter has that name.
fn fresh_param(b: &Builder, base: String) -> String {
    let taken = |n: &String| b.func().params.iter().any(|p| p.name == *n);
    (1..)
        .map(|i| if i == 1 { base.clone() } else { format!("{base}.{i}") })
        .find(|n| !taken(n))
        .expect("infinitely many names")
}
