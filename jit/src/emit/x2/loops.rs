//! The loops around the body, and what is reduced over them.

use super::body::{At, Body};
use super::{Natives, Operands};
use crate::lower::strips::*;
use cranelift::prelude::{FunctionBuilder, InstBuilder};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64X2, I64};
use cranelift_codegen::ir::{self as clif, BlockArg, MemFlagsData, StackSlotData, StackSlotKind};

/// Pairs of partial sums.
const PAIRS: usize = PARTIALS / 2;
/// Largest body, in operations, whose sums keep their partials in registers.
const SMALL: usize = 16;

/// Emits the loops of a strip at the current block. Returns the result of each reduction.
pub(super) fn emit(
    b: &mut FunctionBuilder,
    strip: &Strip,
    with: &Operands,
    natives: &Natives,
) -> Vec<clif::Value> {
    let splats = vec![None; strip.scalars as usize];
    let body = Body { b, strip, with, natives, splats, values: vec![None; strip.ops.len()] };
    Loops::new(body).emit()
}

struct Loops<'a, 'f> {
    body: Body<'a, 'f>,
    /// Pairs of elements an iteration of the main loop computes.
    unroll: usize,
    /// Whether partial sums of the main loop are in registers: then it computes 16 elements an iteration.
    registers: bool,
    /// Per reduction that is a sum: the memory of its partials.
    slots: Vec<Option<clif::StackSlot>>,
}

/// Per reduction, what a loop carries from iteration to iteration.
type Carried = Vec<Vec<clif::Value>>;

impl<'a, 'f> Loops<'a, 'f> {
    fn new(body: Body<'a, 'f>) -> Loops<'a, 'f> {
        let strip = body.strip;
        let cost = strip.ops.iter().map(weight).sum::<usize>();
        let sums = strip.reds.iter().filter(|r| r.op == RedOp::Sum).count();
        let registers = sums == 1 && strip.reds.len() == 1 && cost <= SMALL;
        let unroll = match cost {
            _ if registers => PAIRS,
            0..=12 => 4,
            13..=40 => 2,
            _ => 1,
        };
        let slots = strip
            .reds
            .iter()
            .map(|r| {
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * PARTIALS as u32, 4);
                (r.op == RedOp::Sum).then(|| body.b.create_sized_stack_slot(data))
            })
            .collect();
        Loops { body, unroll, registers, slots }
    }

    fn emit(mut self) -> Vec<clif::Value> {
        let n = self.body.with.n;
        // Nothing is loaded before it is sure that there is an element, not even what is the same for all.
        let [some, nothing] = [(); 2].map(|()| self.body.b.create_block());
        self.body.b.ins().brif(n, some, &[], nothing, &[]);
        self.body.b.switch_to_block(nothing);
        self.body.b.ins().return_(&[]);
        self.body.b.switch_to_block(some);
        for (k, x) in self.body.with.scalars.iter().enumerate() {
            if self.body.b.func.dfg.value_type(*x) != I64 {
                self.body.splats[k] = Some(self.body.b.ins().splat(F64X2, *x));
            }
        }
        let zero = self.body.constant(0);
        for slot in self.slots.iter().flatten() {
            for pair in 0..PAIRS {
                self.body.b.ins().stack_store(I64, zero, *slot, 16 * pair as i32);
            }
        }
        let iteration = 2 * self.unroll as i64;
        let whole = self.body.b.ins().band_imm_s(n, -iteration);
        let start = self.body.b.ins().iconst(I64, 0);
        let [main, after, tail, done] = [(); 4].map(|()| self.body.b.create_block());
        let first: Carried = self.initial(self.unroll);
        let (main_i, in_main) = self.params(main, &first);
        let (_, at_after) = self.params(after, &first);
        let narrow: Carried = first.iter().map(|c| c.iter().take(1).copied().collect()).collect();
        let narrow = self.drop_sums(narrow);
        let (tail_i, in_tail) = self.params(tail, &narrow);
        let (_, at_done) = self.params(done, &narrow);

        let none = self.body.b.ins().icmp_imm_s(IntCC::Equal, whole, 0);
        let args = arguments(start, &first);
        self.body.b.ins().brif(none, after, &args, main, &args);

        self.body.b.switch_to_block(main);
        let carried = self.iteration(main_i, in_main);
        let next = self.body.b.ins().iadd_imm_s(main_i, iteration);
        let more = self.body.b.ins().icmp(IntCC::SignedLessThan, next, whole);
        let args = arguments(next, &carried);
        self.body.b.ins().brif(more, main, &args, after, &args);

        self.body.b.switch_to_block(after);
        let narrowed = self.narrow(at_after);
        let rest = self.body.b.ins().icmp(IntCC::SignedLessThan, whole, n);
        let args = arguments(whole, &narrowed);
        self.body.b.ins().brif(rest, tail, &args, done, &args);

        self.body.b.switch_to_block(tail);
        let carried = self.last(tail_i, in_tail);
        let next = self.body.b.ins().iadd_imm_s(tail_i, 2);
        let more = self.body.b.ins().icmp(IntCC::SignedLessThan, next, n);
        let args = arguments(next, &carried);
        self.body.b.ins().brif(more, tail, &args, done, &args);

        self.body.b.switch_to_block(done);
        self.results(at_done)
    }

    /// What the main loop starts with: partials 0, extremes the initial value.
    fn initial(&mut self, pairs: usize) -> Carried {
        let strip = self.body.strip;
        let zero = self.body.constant(0);
        strip
            .reds
            .iter()
            .map(|r| match r.op {
                RedOp::Sum if self.registers => vec![zero; PAIRS],
                RedOp::Sum => Vec::new(),
                RedOp::Max | RedOp::Min => {
                    vec![self.body.splats[r.out as usize].expect("slots of reductions are numbers"); pairs]
                }
            })
            .collect()
    }

    fn drop_sums(&self, carried: Carried) -> Carried {
        let sums = self.slots.iter().map(Option::is_some);
        carried.into_iter().zip(sums).map(|(c, sum)| if sum { Vec::new() } else { c }).collect()
    }

    /// Parameters of a block: the element, and what is carried.
    fn params(&mut self, block: clif::Block, like: &Carried) -> (clif::Value, Carried) {
        let i = self.body.b.append_block_param(block, I64);
        let mut param = || self.body.b.append_block_param(block, F64X2);
        (i, like.iter().map(|c| c.iter().map(|_| param()).collect()).collect())
    }

    /// One iteration of the main loop.
    fn iteration(&mut self, first: clif::Value, mut carried: Carried) -> Carried {
        let strip = self.body.strip;
        let memory: Vec<Option<clif::Value>> = (0..strip.reds.len())
            .map(|r| (!self.registers).then(|| self.partials(r, first)).flatten())
            .collect();
        for u in 0..self.unroll {
            self.body.pair(At::Pair { first, ahead: 2 * u as i64 });
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

    /// The address of the partial sums of an even element and the next, if the reduction is a sum.
    fn partials(&mut self, r: usize, first: clif::Value) -> Option<clif::Value> {
        let slot = self.slots[r]?;
        let base = self.body.b.ins().stack_addr(I64, slot, 0);
        let at = self.body.b.ins().band_imm_s(first, PARTIALS as i64 - 1);
        let at = self.body.b.ins().ishl_imm_u(at, 3);
        Some(self.body.b.ins().iadd(base, at))
    }

    fn add_to(&mut self, p: clif::Value, offset: i32, x: clif::Value) {
        let flags = MemFlagsData::new().with_notrap();
        let sum = self.body.b.ins().load(F64X2, flags, p, offset);
        let sum = self.body.b.ins().fadd(sum, x);
        self.body.b.ins().store(flags, sum, p, offset);
    }

    /// From what the main loop carried to what the tail does: sums into memory, extremes into one vector.
    fn narrow(&mut self, carried: Carried) -> Carried {
        let strip = self.body.strip;
        let mut narrowed = Vec::new();
        for (r, c) in carried.into_iter().enumerate() {
            let op = strip.reds[r].op;
            if let Some(slot) = self.slots[r] {
                for (pair, x) in c.into_iter().enumerate() {
                    self.body.b.ins().stack_store(I64, x, slot, 16 * pair as i32);
                }
                narrowed.push(Vec::new());
            } else {
                let all = c.into_iter().reduce(|a, b| self.extreme(op, a, b)).expect("a pair at least");
                narrowed.push(vec![all]);
            }
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
    fn last(&mut self, i: clif::Value, mut carried: Carried) -> Carried {
        let strip = self.body.strip;
        let next = self.body.b.ins().iadd_imm_s(i, 1);
        let end = self.body.b.ins().iadd_imm_s(self.body.with.n, -1);
        let j = self.body.b.ins().smin(next, end);
        self.body.pair(At::Each(i, j));
        for (r, red) in strip.reds.iter().enumerate() {
            let x = self.body.value(red.val);
            if let Some(p) = self.partials(r, i) {
                // Adding −0 changes no sum.
                let two = self.body.b.ins().icmp(IntCC::Equal, j, next);
                let valid = self.body.first_and(two);
                let nothing = self.body.constant((-0f64).to_bits());
                let x = self.body.select(valid, x, nothing);
                self.add_to(p, 0, x);
            } else {
                carried[r][0] = self.extreme(red.op, carried[r][0], x);
            }
        }
        carried
    }

    fn results(&mut self, carried: Carried) -> Vec<clif::Value> {
        let strip = self.body.strip;
        let mut results = Vec::new();
        for (r, red) in strip.reds.iter().enumerate() {
            let x = match self.slots[r] {
                Some(slot) => {
                    let mut p: Vec<clif::Value> = (0..PAIRS)
                        .map(|pair| self.body.b.ins().stack_load(I64, F64X2, slot, 16 * pair as i32))
                        .collect();
                    while p.len() > 1 {
                        let half = p.len() / 2;
                        p = (0..half).map(|j| self.body.b.ins().fadd(p[j], p[j + half])).collect();
                    }
                    p[0]
                }
                None => carried[r][0],
            };
            let (a, b) = (self.body.lane(x, 0), self.body.lane(x, 1));
            let slot = self.body.with.scalars[red.out as usize];
            let ins = self.body.b.ins();
            results.push(match red.op {
                RedOp::Sum => {
                    let sum = ins.fadd(a, b);
                    self.body.b.ins().fadd(slot, sum)
                }
                RedOp::Max => ins.fmax(a, b),
                RedOp::Min => ins.fmin(a, b),
            });
        }
        results
    }
}

fn arguments(i: clif::Value, carried: &Carried) -> Vec<BlockArg> {
    [i].into_iter().chain(carried.iter().flatten().copied()).map(BlockArg::from).collect()
}

/// About how many machine instructions an operation is.
fn weight(op: &SOp) -> usize {
    match op {
        SOp::Const(_) | SOp::Scal(_) => 0,
        SOp::Index
        | SOp::Load(_)
        | SOp::Store(..)
        | SOp::Fma { .. }
        | SOp::Cmp(..)
        | SOp::Mask(..)
        | SOp::Not(_)
        | SOp::Select(..) => 1,
        SOp::Un(op, _) => match op {
            Un::Neg | Un::Abs | Un::Sqrt | Un::Rint | Un::Floor | Un::Ceil | Un::Trunc => 1,
            Un::Pow2 => 2,
            Un::GetExp | Un::GetMant => 8,
        },
        SOp::Bin(op, ..) => match op {
            Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::MinX | Bin::MaxX => 1,
            Bin::Copysign => 3,
            Bin::Ldexp => 11,
        },
        SOp::Call(..) => 20,
        SOp::Rare { .. } => 3,
    }
}
