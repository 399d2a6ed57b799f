//! The loops around the body, and what is reduced over them.

use super::body::{At, Body};
use super::{Natives, Operands};
use crate::lower::strips::*;
use cranelift::prelude::{FunctionBuilder, InstBuilder};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64X2, I64};
use cranelift_codegen::ir::{self as clif, BlockArg, MemFlagsData};

/// Pairs of partial sums.
const PAIRS: usize = PARTIALS / 2;
/// Largest body, in operations, whose sums keep their partials in registers.
const SMALL: usize = 16;

/// Emits the loops of a strip at the current block, to the function's end.
pub(super) fn emit(b: &mut FunctionBuilder, strip: &Strip, with: &Operands, natives: &Natives) {
    Loops::new(b, strip, with, natives).emit()
}

struct Loops<'a, 'f> {
    body: Body<'a, 'f>,
    /// Pairs of elements an iteration of the main loop computes.
    unroll: usize,
    /// Whether these go through loops inside together.
    together: bool,
    /// Whether partial sums of the main loop are in registers: then it computes 16 elements an iteration.
    registers: bool,
}

/// Per reduction, what a loop carries from iteration to iteration.
type Carried = Vec<Vec<clif::Value>>;

impl<'a, 'f> Loops<'a, 'f> {
    fn new(
        b: &'a mut FunctionBuilder<'f>,
        strip: &'a Strip,
        with: &'a Operands<'a>,
        natives: &'a Natives,
    ) -> Loops<'a, 'f> {
        let cost = strip.ops.iter().map(weight).sum::<usize>();
        let one = strip.reds.len() == 1 && strip.reds[0].op == RedOp::Sum;
        let registers = one && cost <= SMALL && !strip.exits() && !strip.loops();
        let unroll = match cost {
            _ if registers => PAIRS,
            0..=12 => 4,
            13..=40 => 2,
            _ => 1,
        };
        let together = strip.loops() && !strip.exits();
        let body = Body::new(b, strip, with, natives, if together { unroll } else { 1 });
        Loops { body, unroll, together, registers }
    }

    fn emit(mut self) {
        let Operands { from, to, .. } = *self.body.with;
        // Nothing is loaded before it is sure that there is an element, not even what is the same for all.
        let [some, nothing] = [(); 2].map(|()| self.body.b.create_block());
        let any = self.body.b.ins().icmp(IntCC::UnsignedLessThan, from, to);
        self.body.b.ins().brif(any, some, &[], nothing, &[]);
        self.body.b.switch_to_block(nothing);
        self.body.b.ins().return_(&[from]);
        self.body.b.switch_to_block(some);
        for (k, x) in self.body.with.scalars.iter().enumerate() {
            if self.body.b.func.dfg.value_type(*x) != I64 {
                self.body.splats[k] = Some(self.body.b.ins().splat(F64X2, *x));
            }
        }
        let iteration = 2 * self.unroll as i64;
        let n = self.body.b.ins().isub(to, from);
        let whole = self.body.b.ins().band_imm_s(n, -iteration);
        let end = self.body.b.ins().iadd(from, whole);
        let [main, after, tail, done] = [(); 4].map(|()| self.body.b.create_block());
        let first: Carried = self.initial();
        let (main_i, in_main) = self.params(main, &first);
        let (_, at_after) = self.params(after, &first);
        let narrow = self.one_vector(&first);
        let (tail_i, in_tail) = self.params(tail, &narrow);
        let (done_i, at_done) = self.params(done, &narrow);

        let none = self.body.b.ins().icmp_imm_s(IntCC::Equal, whole, 0);
        let args = arguments(from, &first);
        self.body.b.ins().brif(none, after, &args, main, &args);

        self.body.b.switch_to_block(main);
        let carried = self.iteration(main_i, in_main, done);
        let next = self.body.b.ins().iadd_imm_s(main_i, iteration);
        let more = self.body.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        let args = arguments(next, &carried);
        self.body.b.ins().brif(more, main, &args, after, &args);

        self.body.b.switch_to_block(after);
        self.put_partials(&at_after);
        let narrowed = self.narrow(&at_after);
        let rest = self.body.b.ins().icmp(IntCC::UnsignedLessThan, end, to);
        let args = arguments(end, &narrowed);
        self.body.b.ins().brif(rest, tail, &args, done, &args);

        self.body.b.switch_to_block(tail);
        let carried = self.last(tail_i, in_tail, done);
        let next = self.body.b.ins().iadd_imm_s(tail_i, 2);
        let next = self.body.b.ins().umin(next, to);
        let more = self.body.b.ins().icmp(IntCC::UnsignedLessThan, next, to);
        let args = arguments(next, &carried);
        self.body.b.ins().brif(more, tail, &args, done, &args);

        self.body.b.switch_to_block(done);
        self.results(&at_done);
        self.body.b.ins().return_(&[done_i]);
    }

    /// What the main loop starts with: partials as they are, extremes the initial value.
    fn initial(&mut self) -> Carried {
        let strip = self.body.strip;
        let mut carried = Vec::new();
        for (r, red) in strip.reds.iter().enumerate() {
            carried.push(match red.op {
                RedOp::Sum if self.registers => (0..PAIRS)
                    .map(|pair| {
                        let p = self.partials(r, self.body.with.from, pair);
                        self.body.b.ins().load(F64X2, flags(), p, 0)
                    })
                    .collect(),
                RedOp::Sum => Vec::new(),
                RedOp::Max | RedOp::Min => {
                    let slot = self.body.splats[red.out as usize].expect("slots of reductions are numbers");
                    vec![slot; self.unroll]
                }
            });
        }
        carried
    }

    /// Without partial sums, and extremes in one vector.
    fn one_vector(&self, carried: &Carried) -> Carried {
        let ops = self.body.strip.reds.iter().map(|r| r.op);
        ops.zip(carried).map(|(op, c)| if op == RedOp::Sum { Vec::new() } else { vec![c[0]] }).collect()
    }

    /// Parameters of a block: the element, and what is carried.
    fn params(&mut self, block: clif::Block, like: &Carried) -> (clif::Value, Carried) {
        let i = self.body.b.append_block_param(block, I64);
        let mut param = || self.body.b.append_block_param(block, F64X2);
        (i, like.iter().map(|c| c.iter().map(|_| param()).collect()).collect())
    }

    /// One iteration of the main loop. A pair that exits goes to `done`.
    fn iteration(&mut self, first: clif::Value, mut carried: Carried, done: clif::Block) -> Carried {
        let strip = self.body.strip;
        let memory: Vec<Option<clif::Value>> = (0..strip.reds.len())
            .map(|r| {
                let sum = strip.reds[r].op == RedOp::Sum;
                (sum && !self.registers).then(|| self.partials(r, first, 0))
            })
            .collect();
        let at = |u: usize| At::Pair { first, ahead: 2 * u as i64 };
        if self.together {
            self.body.pairs(&(0..self.unroll).map(at).collect::<Vec<At>>());
        }
        for u in 0..self.unroll {
            if self.together {
                self.body.pair = u;
            } else {
                self.leave(first, 2 * u as i64, &carried, done);
                self.body.pairs(&[at(u)]);
            }
            for ((red, memory), carried) in strip.reds.iter().zip(&memory).zip(&mut carried) {
                let x = self.body.value(red.val);
                match (red.op, *memory) {
                    (RedOp::Sum, Some(p)) => self.add_to(p, 16 * u as i32, x),
                    (RedOp::Sum, None) => carried[u] = self.body.b.ins().fadd(carried[u], x),
                    (RedOp::Max | RedOp::Min, _) => carried[u] = self.extreme(red.op, carried[u], x),
                }
            }
        }
        carried
    }

    /// Where the next pair goes if it exits.
    fn leave(&mut self, first: clif::Value, ahead: i64, carried: &Carried, done: clif::Block) {
        if self.body.strip.exits() {
            let i = self.body.b.ins().iadd_imm_s(first, ahead);
            let narrowed = self.narrow(carried);
            self.body.leave = Some((done, arguments(i, &narrowed)));
        }
    }

    /// The address of the partial sums of an even element and the next, so many pairs after `first`.
    fn partials(&mut self, r: usize, first: clif::Value, pair: usize) -> clif::Value {
        let base = self.body.with.bases[self.body.strip.reds[r].out as usize];
        let at = self.body.b.ins().iadd_imm_s(first, 2 * pair as i64);
        let at = self.body.b.ins().band_imm_s(at, PARTIALS as i64 - 1);
        let at = self.body.b.ins().ishl_imm_u(at, 3);
        self.body.b.ins().iadd(base, at)
    }

    fn add_to(&mut self, p: clif::Value, offset: i32, x: clif::Value) {
        let sum = self.body.b.ins().load(F64X2, flags(), p, offset);
        let sum = self.body.b.ins().fadd(sum, x);
        self.body.b.ins().store(flags(), sum, p, offset);
    }

    /// Partial sums from registers into memory.
    fn put_partials(&mut self, carried: &Carried) {
        if self.registers {
            for (pair, x) in carried[0].iter().enumerate() {
                let p = self.partials(0, self.body.with.from, pair);
                self.body.b.ins().store(flags(), *x, p, 0);
            }
        }
    }

    /// Extremes into one vector.
    fn narrow(&mut self, carried: &Carried) -> Carried {
        let strip = self.body.strip;
        let mut narrowed = Vec::new();
        for (red, c) in strip.reds.iter().zip(carried) {
            narrowed.push(match red.op {
                RedOp::Sum => Vec::new(),
                RedOp::Max | RedOp::Min => {
                    let all = c.iter().copied().reduce(|a, b| self.extreme(red.op, a, b));
                    vec![all.expect("a pair at least")]
                }
            });
        }
        narrowed
    }

    fn extreme(&mut self, op: RedOp, a: clif::Value, b: clif::Value) -> clif::Value {
        match op {
            RedOp::Max => self.body.b.ins().fmax(a, b),
            RedOp::Min => self.body.b.ins().fmin(a, b),
            RedOp::Sum => unreachable!("sums have partials"),
        }
    }

    /// An element and the next, or the last one twice.
    fn last(&mut self, i: clif::Value, mut carried: Carried, done: clif::Block) -> Carried {
        let strip = self.body.strip;
        let next = self.body.b.ins().iadd_imm_s(i, 1);
        let end = self.body.b.ins().iadd_imm_s(self.body.with.to, -1);
        let j = self.body.b.ins().umin(next, end);
        self.leave(i, 0, &carried, done);
        self.body.pairs(&[At::Each(i, j)]);
        self.body.pair = 0;
        for (r, red) in strip.reds.iter().enumerate() {
            let x = self.body.value(red.val);
            if red.op == RedOp::Sum {
                // Adding −0 changes no sum.
                let two = self.body.b.ins().icmp(IntCC::Equal, j, next);
                let valid = self.body.first_and(two);
                let nothing = self.body.constant((-0f64).to_bits());
                let x = self.body.select(valid, x, nothing);
                let p = self.partials(r, i, 0);
                self.add_to(p, 0, x);
            } else {
                carried[r][0] = self.extreme(red.op, carried[r][0], x);
            }
        }
        carried
    }

    /// Extremes into their slots.
    fn results(&mut self, carried: &Carried) {
        for (red, c) in self.body.strip.reds.iter().zip(carried) {
            if let Some(x) = c.first() {
                let (a, b) = (self.body.lane(*x, 0), self.body.lane(*x, 1));
                let y = self.extreme(red.op, a, b);
                self.body.b.ins().store(flags(), y, self.body.with.slots, 8 * red.out as i32);
            }
        }
    }
}

fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

fn arguments(i: clif::Value, carried: &Carried) -> Vec<BlockArg> {
    [i].into_iter().chain(carried.iter().flatten().copied()).map(BlockArg::from).collect()
}

/// About how many machine instructions an operation is.
fn weight(op: &SOp) -> usize {
    match op {
        SOp::Const(_) | SOp::Scal(_) => 0,
        SOp::Loop(_) | SOp::Next(..) | SOp::Last(_) | SOp::End => 0,
        SOp::Index
        | SOp::Load(_)
        | SOp::Store(..)
        | SOp::AddTo(..)
        | SOp::Turn(_)
        | SOp::Carried(_)
        | SOp::Exit(_)
        | SOp::Fma { .. }
        | SOp::Cmp(..)
        | SOp::Mask(..)
        | SOp::Not(_)
        | SOp::Select(..) => 1,
        SOp::Un(op, _) => match op {
            Un::Neg | Un::Abs | Un::Sqrt | Un::Rint | Un::Floor | Un::Ceil | Un::Trunc => 1,
            Un::Pow2 => 2,
            Un::GetExp | Un::GetMant => 8,
            Un::Place => 2,
        },
        SOp::Bin(op, ..) => match op {
            Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::MinX | Bin::MaxX => 1,
            Bin::Copysign | Bin::Raise => 3,
            Bin::Min | Bin::Max => 8,
            Bin::Ldexp => 11,
        },
        SOp::Call(..) => 20,
        SOp::Entry(..) => 8,
        SOp::Rare { .. } => 3,
    }
}
