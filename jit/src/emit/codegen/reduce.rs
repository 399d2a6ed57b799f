//! Reductions, and the sums of loops.

use super::sizes::Extent;
use super::strips::{Innermost, Places, SMALL};
use super::{Emit, Val};
use crate::emit::linker::Refusal;
use crate::lower::strips::RedOp;
use adc_ir::{Const, Inst, Op, ReduceOp, Scalar, Span, Trap, Type, Value};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, MemFlagsData, StackSlotData, StackSlotKind, types};

/// Partial sums of a sum of real or complex scalars.
const PARTIALS: i64 = 16;

/// How a scalar or array that a loop gathers is kept meanwhile.
#[derive(Clone, Copy)]
pub(super) enum Sum {
    /// An integer: the last value in a register.
    Running(Val),
    /// An integer as partial sums that are doubles.
    Counted(clif::Value),
    /// Partial sums on the stack.
    Partial(clif::Value),
    /// An array in its place.
    Array(clif::Value),
}

impl Sum {
    /// The memory of partial sums.
    pub(super) fn partials(&self) -> clif::Value {
        match self {
            Sum::Partial(at) | Sum::Counted(at) => *at,
            Sum::Running(_) | Sum::Array(_) => {
                unreachable!("it has no partial sums")
            }
        }
    }
}

impl Emit<'_, '_> {
    /// A reduction.
    pub(super) fn reduce(&mut self, inst: &Inst, op: ReduceOp) -> Result<(), Refusal> {
        let plan = self.plan;
        let (result, region) = (inst.results[0], &inst.regions[0]);
        let term = region.yields[0];
        let elem = self.ty(term);
        let [lo, hi, step] = [0, 1, 2].map(|k| self.operand(inst.args[k]));
        let iterations = self.iterations(lo, hi, step);
        self.burn(iterations, inst.span);
        if op.needs_element() {
            match iterations {
                Extent::Number(0) => self.fail_here(Trap::EmptyReduction, inst.span),
                Extent::Number(_) => {}
                Extent::Value(n) => {
                    let none = self.b.ins().icmp_imm_s(IntCC::Equal, n, 0);
                    self.refuse(none, Trap::EmptyReduction, inst.span);
                }
            }
        }
        self.preload(inst);
        let red = match op {
            ReduceOp::Sum => Some(RedOp::Sum),
            ReduceOp::Max => Some(RedOp::Max),
            ReduceOp::Min => Some(RedOp::Min),
            ReduceOp::Prod | ReduceOp::Any | ReduceOp::All | ReduceOp::ArgMax | ReduceOp::ArgMin => None,
        };
        let most = self.most(inst.args[0], inst.args[1]);
        let counts = red == Some(RedOp::Sum) && self.counts(term, most);
        if let Some(red) = red.filter(|_| counts || matches!(plan.func.ty(term), Type::F64 | Type::C128)) {
            let reds = [(red, term)];
            let index = region.params[0];
            let (stores, carried) = (&[][..], &[][..]);
            let span = inst.span;
            let of = Innermost {
                region,
                index,
                span,
                iterations,
                most,
                lo,
                step,
                stores,
                stored: &[],
                reds: &reds,
                carried,
            };
            if let Some(formed) = self.form(&of) {
                let sum = match red {
                    RedOp::Sum => Some(self.open_sum(result, true, inst.span)?),
                    RedOp::Max | RedOp::Min => None,
                };
                let sums: Vec<_> = sum.iter().map(Sum::partials).collect();
                let y = self.strip(formed, &of, &Places { stores: &[], sums: &sums }, |e, t| {
                    let i = e.nth(t, lo, step);
                    e.define(region.params[0], Val::One(i));
                    e.run(region)?;
                    if let Some(sum) = sum {
                        e.add_term(inst, term, sum, None, t)?;
                    }
                    e.give(plan.memory.frees_in(inst, 0))
                })?;
                return match sum {
                    Some(sum) => self.close_sum(result, sum, None),
                    None => {
                        self.define(result, y[0]);
                        Ok(())
                    }
                };
            }
        }
        if op == ReduceOp::Sum {
            let sum = self.open_sum(result, false, inst.span)?;
            let running = match sum {
                Sum::Running(v) => vec![(Scalar::I64, v)],
                Sum::Partial(_) | Sum::Counted(_) | Sum::Array(_) => Vec::new(),
            };
            let last = self.counted(iterations, lo, step, &running, |e, t, i, vals| {
                e.define(region.params[0], Val::One(i));
                e.run(region)?;
                let next = e.add_term(inst, term, sum, vals.first().copied(), t)?;
                e.give(plan.memory.frees_in(inst, 0))?;
                Ok(next.into_iter().collect())
            })?;
            return self.close_sum(result, sum, last.first().copied());
        }
        if plan.func.ty(result).is_array() {
            let to = self.place_for(result, inst.span)?;
            let count = self.count(plan.memory.shape(result));
            let identity = self.identity(op, elem);
            self.repeat(count, |e, k| {
                let at = e.times(Extent::Value(k), Extent::Number(elem.bytes() as i64));
                let at = e.offset(to, at);
                e.store_element(elem, identity, at);
                Ok(())
            })?;
            self.counted(iterations, lo, step, &[], |e, _, i, _| {
                e.define(region.params[0], Val::One(i));
                e.run(region)?;
                e.accumulate(op_of(op), inst, term, to)?;
                e.give(plan.memory.frees_in(inst, 0))?;
                Ok(Vec::new())
            })?;
            self.define(result, Val::One(to));
            return Ok(());
        }
        let mut start = vec![(elem, self.identity(op, elem))];
        let seeks = matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin);
        if seeks {
            start.push((Scalar::I64, self.one_i64(lo)));
        }
        let last = self.counted(iterations, lo, step, &start, |e, _, i, vals| {
            e.define(region.params[0], Val::One(i));
            e.run(region)?;
            let y = e.val(term);
            let next = match seeks {
                true => e.better(op, elem, vals[0], (y, i), vals[1]),
                false => vec![e.combine(op_of(op), elem, inst, vals[0], y)],
            };
            e.give(plan.memory.frees_in(inst, 0))?;
            Ok(next)
        })?;
        self.define(result, last[seeks as usize]);
        Ok(())
    }

    /// The extremum so far and where it was, after one more term: the first of several equal ones, the first NaN.
    fn better(
        &mut self,
        op: ReduceOp,
        elem: Scalar,
        best: Val,
        (y, i): (Val, clif::Value),
        at: Val,
    ) -> Vec<Val> {
        let (a, b) = (best.one(), y.one());
        let greater = op == ReduceOp::ArgMax;
        let take = if elem == Scalar::I64 {
            let cc = if greater { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
            self.b.ins().icmp(cc, b, a)
        } else {
            let cc = if greater { FloatCC::GreaterThan } else { FloatCC::LessThan };
            let better = self.b.ins().fcmp(cc, b, a);
            let nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
            let settled = self.b.ins().fcmp(FloatCC::Ordered, a, a);
            let take = self.b.ins().bor(better, nan);
            self.b.ins().band(take, settled)
        };
        let best = self.b.ins().select(take, b, a);
        vec![Val::One(best), Val::One(self.b.ins().select(take, i, at.one()))]
    }

    /// What leaves every term as it is.
    fn identity(&mut self, op: ReduceOp, elem: Scalar) -> Val {
        let least = matches!(op, ReduceOp::Max | ReduceOp::ArgMax);
        let of_extremum = || match elem {
            Scalar::I64 => Const::I64(if least { i64::MIN } else { i64::MAX }),
            _ => Const::real(if least { f64::NEG_INFINITY } else { f64::INFINITY }, elem),
        };
        self.literal(op.of_nothing(elem).unwrap_or_else(of_extremum))
    }

    /// Whether a sum of so many integers is one of doubles: each partial sum is exact.
    pub(super) fn counts(&self, term: Value, most: Option<i64>) -> bool {
        let (least, largest) = self.plan.bounds.range(term);
        let far = least.unsigned_abs().max(largest.unsigned_abs());
        let sum = most.and_then(|n| n.max(0).unsigned_abs().checked_mul(far));
        self.plan.func.ty(term) == Type::I64 && sum.is_some_and(|sum| sum <= SMALL.unsigned_abs())
    }

    /// A sum that begins. `lanes`: whether lanes add to it.
    pub(super) fn open_sum(&mut self, result: Value, lanes: bool, span: Span) -> Result<Sum, Refusal> {
        let ty = self.plan.func.ty(result);
        if ty.is_array() {
            let to = self.place_for(result, span)?;
            let bytes = self.size_of(result);
            self.clear(to, bytes)?;
            return Ok(Sum::Array(to));
        }
        if ty.scalar() == Scalar::I64 {
            return match lanes {
                true => self.partial_sums(Scalar::F64).map(Sum::Counted),
                false => Ok(Sum::Running(Val::One(self.int(0)))),
            };
        }
        self.partial_sums(ty.scalar()).map(Sum::Partial)
    }

    /// Partial sums of nothing.
    fn partial_sums(&mut self, scalar: Scalar) -> Result<clif::Value, Refusal> {
        let bytes = PARTIALS * scalar.bytes() as i64;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4);
        let slot = self.b.create_sized_stack_slot(slot);
        let at = self.b.ins().stack_addr(types::I64, slot, 0);
        self.clear(at, Extent::Number(bytes))?;
        Ok(at)
    }

    /// Takes in the term of iteration `t`; a sum in a register is given anew.
    pub(super) fn add_term(
        &mut self,
        inst: &Inst,
        term: Value,
        sum: Sum,
        running: Option<Val>,
        t: clif::Value,
    ) -> Result<Option<Val>, Refusal> {
        let elem = self.ty(term);
        match sum {
            Sum::Array(to) => self.accumulate(Op::Add, inst, term, to)?,
            Sum::Partial(at) => {
                let k = self.b.ins().band_imm_u(t, PARTIALS - 1);
                let places = self.places_of_partial(elem, at, Extent::Value(k));
                let (old, y) = (self.partial(elem, &places), self.val(term));
                let sum = self.combine(Op::Add, elem, inst, old, y);
                for (part, at) in sum.parts().zip(places) {
                    self.store_element(elem.real(), Val::One(part), at);
                }
            }
            Sum::Counted(at) => {
                let k = self.b.ins().band_imm_u(t, PARTIALS - 1);
                let places = self.places_of_partial(Scalar::F64, at, Extent::Value(k));
                let (old, y) = (self.partial(Scalar::F64, &places), self.val(term).one());
                let y = self.b.ins().fcvt_from_sint(types::F64, y);
                let sum = self.b.ins().fadd(old.one(), y);
                self.store_element(Scalar::F64, Val::One(sum), places[0]);
            }
            Sum::Running(start) => {
                let y = self.val(term);
                return Ok(Some(self.combine(Op::Add, elem, inst, running.unwrap_or(start), y)));
            }
        }
        Ok(None)
    }

    /// Defines a sum: the fixed tree over its partial sums.
    pub(super) fn close_sum(&mut self, result: Value, sum: Sum, running: Option<Val>) -> Result<(), Refusal> {
        let val = match sum {
            Sum::Array(to) => Val::One(to),
            Sum::Running(start) => running.unwrap_or(start),
            Sum::Counted(at) => {
                let sum = self.added_up(at);
                Val::One(self.b.ins().fcvt_to_sint_sat(types::I64, sum))
            }
            Sum::Partial(at) if self.ty(result) == Scalar::F64 => Val::One(self.added_up(at)),
            Sum::Partial(at) => {
                let elem = self.ty(result);
                let mut parts: Vec<Val> = (0..PARTIALS)
                    .map(|k| {
                        let places = self.places_of_partial(elem, at, Extent::Number(k));
                        self.partial(elem, &places)
                    })
                    .collect();
                while parts.len() > 1 {
                    let half = parts.len() / 2;
                    for j in 0..half {
                        parts[j] = self.add_vals(parts[j], parts[j + half]);
                    }
                    parts.truncate(half);
                }
                parts[0]
            }
        };
        self.define(result, val);
        Ok(())
    }

    /// The fixed tree over partial sums of doubles.
    fn added_up(&mut self, at: clif::Value) -> clif::Value {
        let flags = MemFlagsData::trusted();
        let mut parts: Vec<clif::Value> =
            (0..PARTIALS as i32 / 2).map(|k| self.b.ins().load(types::F64X2, flags, at, 16 * k)).collect();
        while parts.len() > 1 {
            let half = parts.len() / 2;
            parts = (0..half).map(|j| self.b.ins().fadd(parts[j], parts[j + half])).collect();
        }
        let [a, b] = [0, 1].map(|lane| self.b.ins().extractlane(parts[0], lane));
        self.b.ins().fadd(a, b)
    }

    /// Where the parts of the `k`-th partial sum are: all real parts come before all imaginary ones, as lanes add them up.
    fn places_of_partial(&mut self, elem: Scalar, at: clif::Value, k: Extent) -> Vec<clif::Value> {
        let bytes = elem.real().bytes() as i64;
        let offset = self.times(k, Extent::Number(bytes));
        let first = self.offset(at, offset);
        let parts = if elem.is_complex() { 2 } else { 1 };
        (0..parts).map(|part| self.offset(first, Extent::Number(part * PARTIALS * bytes))).collect()
    }

    /// A partial sum.
    fn partial(&mut self, elem: Scalar, places: &[clif::Value]) -> Val {
        let mut part = |at: clif::Value| self.load_element(elem.real(), at).one();
        match *places {
            [re, im] => Val::Two(part(re), part(im)),
            _ => Val::One(part(places[0])),
        }
    }

    fn add_vals(&mut self, a: Val, b: Val) -> Val {
        match (a, b) {
            (Val::Two(ar, ai), Val::Two(br, bi)) => {
                let re = self.b.ins().fadd(ar, br);
                Val::Two(re, self.b.ins().fadd(ai, bi))
            }
            (a, b) => Val::One(self.b.ins().fadd(a.one(), b.one())),
        }
    }
}

/// The op that combines two terms.
fn op_of(op: ReduceOp) -> Op {
    match op {
        ReduceOp::Sum => Op::Add,
        ReduceOp::Prod => Op::Mul,
        ReduceOp::Max | ReduceOp::ArgMax => Op::Max,
        ReduceOp::Min | ReduceOp::ArgMin => Op::Min,
        ReduceOp::Any => Op::Or,
        ReduceOp::All => Op::And,
    }
}
