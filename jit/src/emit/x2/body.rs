//! The operations of a strip for one pair of elements, or for several together.

use super::{Natives, Operands};
use crate::lower::strips::*;
use cranelift::prelude::{FunctionBuilder, InstBuilder};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, F64X2, I64, I64X2};
use cranelift_codegen::ir::{
    self as clif, BlockArg, ConstantData, Endianness, MemFlagsData, StackSlotData, StackSlotKind,
};

/// Where a pair of elements is.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// Elements `first + ahead` and the next.
    Pair { first: clif::Value, ahead: i64 },
    /// Two elements, which may be the same.
    Each(clif::Value, clif::Value),
}

/// The code of a strip's function.
pub(super) struct Body<'a, 'f> {
    pub b: &'a mut FunctionBuilder<'f>,
    pub strip: &'a Strip,
    pub with: &'a Operands<'a>,
    pub natives: &'a Natives,
    /// Scalars in both lanes.
    pub splats: Vec<Option<clif::Value>>,
    /// By pair and operation.
    pub values: Vec<Vec<Option<clif::Value>>>,
    /// The pair at hand.
    pub pair: usize,
    /// Where a pair goes that exits.
    pub leave: Option<(clif::Block, Vec<BlockArg>)>,
    /// The loops that are open.
    open: Vec<Turning>,
    /// Memory of arrays of the elements' own, for this many pairs each.
    own: Vec<clif::StackSlot>,
    pairs: usize,
}

/// A loop inside that is being emitted.
struct Turning {
    head: clif::Block,
    end: clif::Block,
    turn: clif::Value,
    turns: clif::Value,
    /// By what it carries and pair: what it is in the next turn.
    next: Vec<(V, Vec<clif::Value>)>,
}

impl<'a, 'f> Body<'a, 'f> {
    /// Of a strip of which so many pairs are computed together.
    pub fn new(
        b: &'a mut FunctionBuilder<'f>,
        strip: &'a Strip,
        with: &'a Operands<'a>,
        natives: &'a Natives,
        pairs: usize,
    ) -> Body<'a, 'f> {
        let slot = |len: &u32| {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 16 * len * pairs as u32, 4);
            b.create_sized_stack_slot(data)
        };
        let own = strip.own.iter().map(slot).collect();
        let splats = vec![None; strip.scalars as usize];
        let values = vec![vec![None; strip.ops.len()]; pairs];
        let open = Vec::new();
        Body { b, strip, with, natives, splats, values, pair: 0, leave: None, open, own, pairs }
    }

    /// All operations for some pairs of elements.
    pub fn pairs(&mut self, at: &[At]) {
        for v in 0..self.strip.ops.len() {
            match self.strip.ops[v] {
                SOp::Loop(turns) => self.begin(v, turns, at.len()),
                SOp::End => self.end(),
                SOp::Carried(_) => {}
                op => {
                    for (k, at) in at.iter().enumerate() {
                        self.pair = k;
                        let y = self.op(op, *at);
                        self.values[k][v] = y;
                    }
                }
            }
        }
    }

    pub fn value(&self, v: V) -> clif::Value {
        self.values[self.pair][v as usize].expect("operands come before their uses")
    }

    /// Begins a loop.
    fn begin(&mut self, v: usize, turns: Turns, pairs: usize) {
        let turns = match turns {
            Turns::Const(n) => self.b.ins().iconst(I64, n as i64),
            Turns::Scal(slot) => self.with.scalars[slot as usize],
        };
        let [head, end] = [(); 2].map(|()| self.b.create_block());
        let turn = self.b.append_block_param(head, I64);
        let mut start = vec![BlockArg::from(self.b.ins().iconst(I64, 0))];
        let mut params = Vec::new();
        let strip = self.strip;
        for (c, op) in strip.ops.iter().enumerate().skip(v + 1) {
            let SOp::Carried(init) = *op else { break };
            for k in 0..pairs {
                self.pair = k;
                start.push(self.value(init).into());
                params.push((k, c, self.b.append_block_param(head, F64X2)));
                self.b.append_block_param(end, F64X2);
            }
        }
        let none = self.b.ins().icmp_imm_s(IntCC::Equal, turns, 0);
        self.b.ins().brif(none, end, &start[1..], head, &start);
        self.b.switch_to_block(head);
        for (k, c, x) in params {
            self.values[k][c] = Some(x);
        }
        self.open.push(Turning { head, end, turn, turns, next: Vec::new() });
    }

    /// Ends a loop; what it carried is what it was at last.
    fn end(&mut self) {
        let of = self.open.pop().expect("checked strips are well formed");
        let turn = self.b.ins().iadd_imm_s(of.turn, 1);
        // In the order they begin.
        let mut next = of.next;
        next.sort_by_key(|(c, _)| *c);
        let args: Vec<BlockArg> =
            [turn].into_iter().chain(next.iter().flat_map(|(_, x)| x).copied()).map(BlockArg::from).collect();
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, turn, of.turns);
        self.b.ins().brif(more, of.head, &args, of.end, &args[1..]);
        self.b.switch_to_block(of.end);
        let mut last = self.b.block_params(of.end).to_vec().into_iter();
        for (c, x) in next {
            for k in 0..x.len() {
                self.values[k][c as usize] = last.next();
            }
        }
    }

    fn op(&mut self, op: SOp, at: At) -> Option<clif::Value> {
        let y = match op {
            SOp::Const(bits) => self.constant(bits),
            SOp::Scal(k) => self.splats[k as usize].expect("numbers are in both lanes"),
            SOp::Index => self.index(at),
            SOp::Turn(level) => {
                let turn = self.open[level as usize].turn;
                let turn = self.b.ins().fcvt_from_sint(F64, turn);
                self.b.ins().splat(F64X2, turn)
            }
            SOp::Last(c) => self.value(c),
            SOp::Next(c, a) => {
                let a = self.value(a);
                let of = self.open.last_mut().expect("checked strips are well formed");
                match of.next.iter_mut().find(|(x, _)| *x == c) {
                    Some((_, next)) => next.push(a),
                    None => of.next.push((c, vec![a])),
                }
                return None;
            }
            SOp::AddTo(k, a) => {
                self.add_to(k, a, at);
                return None;
            }
            SOp::Loop(_) | SOp::Carried(_) | SOp::End => unreachable!("they are for all pairs"),
            SOp::Load(k) => self.load(k, at),
            SOp::Store(k, a) => {
                let a = self.value(a);
                self.store(k, a, at);
                return None;
            }
            SOp::Exit(m) => {
                let m = self.value(m);
                let any = self.b.ins().vany_true(m);
                let next = self.b.create_block();
                let (out, args) = self.leave.clone().expect("strips that exit say where");
                self.b.ins().brif(any, out, &args, next, &[]);
                self.b.switch_to_block(next);
                return None;
            }
            SOp::Un(op, a) => {
                let a = self.value(a);
                self.unary(op, a)
            }
            SOp::Bin(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.binary(op, a, b)
            }
            SOp::Fma { neg_a, neg_c, a, b, c } => {
                let (mut a, b, mut c) = (self.value(a), self.value(b), self.value(c));
                if neg_a {
                    a = self.b.ins().fneg(a);
                }
                if neg_c {
                    c = self.b.ins().fneg(c);
                }
                self.b.ins().fma(a, b, c)
            }
            SOp::Cmp(cc, a, b) => {
                let cc = match cc {
                    Cc::Lt => FloatCC::LessThan,
                    Cc::Le => FloatCC::LessThanOrEqual,
                    Cc::Eq => FloatCC::Equal,
                    Cc::Ne => FloatCC::NotEqual,
                };
                let (a, b) = (self.value(a), self.value(b));
                self.b.ins().fcmp(cc, a, b)
            }
            SOp::Mask(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match op {
                    MaskOp::And => self.b.ins().band(a, b),
                    MaskOp::Or => self.b.ins().bor(a, b),
                    MaskOp::Xor => self.b.ins().bxor(a, b),
                }
            }
            SOp::Not(a) => {
                let a = self.value(a);
                self.b.ins().bnot(a)
            }
            SOp::Select(m, a, b) => self.select(self.value(m), self.value(a), self.value(b)),
            SOp::Call(f, a, b) => {
                let (a, b) = (self.value(a), b.map(|b| self.value(b)));
                self.call(f, a, b)
            }
            SOp::Entry(column, a) => {
                let a = self.value(a);
                self.entry(column, a)
            }
            SOp::Rare { mask, f, x, z, y } => {
                let z = z.map(|z| self.value(z));
                self.rare(self.value(mask), f, (self.value(x), z), self.value(y))
            }
        };
        Some(y)
    }

    /// The number with these bits, in both lanes.
    pub fn constant(&mut self, bits: u64) -> clif::Value {
        let y = self.bits(bits);
        self.numbers(y)
    }

    /// The integer in both lanes.
    pub fn bits(&mut self, bits: u64) -> clif::Value {
        let bytes = [bits.to_le_bytes(), bits.to_le_bytes()].concat();
        let data = self.b.func.dfg.constants.insert(ConstantData::from(bytes.as_slice()));
        self.b.ins().vconst(I64X2, data)
    }

    pub fn numbers(&mut self, x: clif::Value) -> clif::Value {
        self.b.ins().bitcast(F64X2, MemFlagsData::new().with_endianness(Endianness::Little), x)
    }

    pub fn integers(&mut self, x: clif::Value) -> clif::Value {
        self.b.ins().bitcast(I64X2, MemFlagsData::new().with_endianness(Endianness::Little), x)
    }

    /// `a` where `mask` holds, else `b`.
    pub fn select(&mut self, mask: clif::Value, a: clif::Value, b: clif::Value) -> clif::Value {
        let mask = self.numbers(mask);
        self.b.ins().bitselect(mask, a, b)
    }

    fn index(&mut self, at: At) -> clif::Value {
        match at {
            At::Pair { first, ahead } => {
                let i = self.b.ins().fcvt_from_sint(F64, first);
                let i = self.b.ins().splat(F64X2, i);
                let bytes = [(ahead as f64).to_le_bytes(), ((ahead + 1) as f64).to_le_bytes()].concat();
                let data = self.b.func.dfg.constants.insert(ConstantData::from(bytes.as_slice()));
                let ahead = self.b.ins().vconst(F64X2, data);
                self.b.ins().fadd(i, ahead)
            }
            At::Each(i, j) => {
                let (i, j) = (self.b.ins().fcvt_from_sint(F64, i), self.b.ins().fcvt_from_sint(F64, j));
                self.both(i, j)
            }
        }
    }

    /// A vector of two numbers.
    pub fn both(&mut self, a: clif::Value, b: clif::Value) -> clif::Value {
        let y = self.b.ins().scalar_to_vector(F64X2, a);
        self.b.ins().insertlane(y, b, 1)
    }

    /// Number of a lane.
    pub fn lane(&mut self, x: clif::Value, lane: u8) -> clif::Value {
        self.b.ins().extractlane(x, lane)
    }

    /// What loads of a stream may assume. A base that is never written is the same all through the function.
    fn flags(&self, s: &Stream) -> MemFlagsData {
        let flags = MemFlagsData::new().with_notrap();
        let meets = |t: &Stream| t.base == s.base && t.access != Access::R && t.step != Step::Own;
        if s.step == Step::Own || self.strip.streams.iter().any(meets) {
            flags
        } else {
            flags.with_readonly().with_can_move()
        }
    }

    /// How many elements the turns of the loops around have moved a stream.
    fn turned(&mut self, s: &Stream) -> Option<clif::Value> {
        let mut sum: Option<clif::Value> = None;
        for (level, by) in s.turns.iter().enumerate().filter(|(_, by)| **by != 0) {
            let far = self.b.ins().imul_imm_s(self.open[level].turn, *by as i64);
            sum = Some(sum.map_or(far, |sum| self.b.ins().iadd(sum, far)));
        }
        sum
    }

    /// Adds to two elements of a cycle, which are neighbours, or to one.
    fn add_to(&mut self, k: u16, a: V, at: At) {
        let mut x = self.value(a);
        let (first, ahead) = match at {
            At::Pair { first, ahead } => (first, ahead),
            At::Each(i, j) => {
                // Adding −0 changes nothing.
                let two = self.b.ins().icmp(IntCC::NotEqual, i, j);
                let valid = self.first_and(two);
                let nothing = self.constant((-0f64).to_bits());
                x = self.select(valid, x, nothing);
                (i, 0)
            }
        };
        let (p, offset) = self.address(k, first, ahead);
        let flags = MemFlagsData::new().with_notrap();
        let sum = self.b.ins().load(F64X2, flags, p, offset);
        let sum = self.b.ins().fadd(sum, x);
        self.b.ins().store(flags, sum, p, offset);
    }

    /// The address of an element, as a pointer and a distance.
    fn address(&mut self, k: u16, element: clif::Value, ahead: i64) -> (clif::Value, i32) {
        let s = self.strip.streams[k as usize];
        let turned = self.turned(&s);
        let (scale, base) = match s.step {
            Step::Own => {
                let all = self.b.ins().stack_addr(I64, self.own[s.base as usize], 0);
                (16 * self.pairs as i64, self.b.ins().iadd_imm_s(all, 16 * self.pair as i64))
            }
            _ => (8, self.with.bases[s.base as usize]),
        };
        let base = match turned {
            Some(turned) => {
                let bytes = self.b.ins().imul_imm_s(turned, scale);
                self.b.ins().iadd(base, bytes)
            }
            None => base,
        };
        let (offset, at) = match s.step {
            Step::Own => (s.off as i64 * scale / 8, None),
            Step::Cycle => {
                let element = if ahead == 0 { element } else { self.b.ins().iadd_imm_s(element, ahead) };
                (s.off as i64, Some(self.b.ins().band_imm_s(element, CYCLE as i64 - 1)))
            }
            Step::Unit => (s.off as i64 + ahead, Some(element)),
            Step::Const(0) => (s.off as i64, None),
            Step::Const(step) => {
                (s.off as i64 + ahead * step as i64, Some(self.b.ins().imul_imm_s(element, step as i64)))
            }
            Step::Scal(slot) => {
                let element = if ahead == 0 { element } else { self.b.ins().iadd_imm_s(element, ahead) };
                (s.off as i64, Some(self.b.ins().imul(element, self.with.scalars[slot as usize])))
            }
        };
        let mut pointer = base;
        if let Some(at) = at {
            let bytes = self.b.ins().ishl_imm_u(at, 3);
            pointer = self.b.ins().iadd(base, bytes);
        }
        match i32::try_from(8 * offset) {
            Ok(offset) => (pointer, offset),
            Err(_) => (self.b.ins().iadd_imm_s(pointer, 8 * offset), 0),
        }
    }

    fn load(&mut self, k: u16, at: At) -> clif::Value {
        let s = self.strip.streams[k as usize];
        let flags = self.flags(&s);
        let (i, j) = match at {
            At::Pair { first, .. } | At::Each(first, _) if s.step == Step::Own => {
                let (p, offset) = self.address(k, first, 0);
                return self.b.ins().load(F64X2, flags, p, offset);
            }
            At::Pair { first, ahead } if s.step == Step::Unit => {
                let (p, offset) = self.address(k, first, ahead);
                return self.b.ins().load(F64X2, flags, p, offset);
            }
            At::Pair { first, ahead } => ((first, ahead), (first, ahead + 1)),
            At::Each(i, j) => ((i, 0), (j, 0)),
        };
        let (p, offset) = self.address(k, i.0, i.1);
        let a = self.b.ins().load(F64, flags, p, offset);
        if s.step == Step::Const(0) {
            return self.b.ins().splat(F64X2, a);
        }
        let (p, offset) = self.address(k, j.0, j.1);
        let b = self.b.ins().load(F64, flags, p, offset);
        self.both(a, b)
    }

    fn store(&mut self, k: u16, x: clif::Value, at: At) {
        let s = self.strip.streams[k as usize];
        let flags = MemFlagsData::new().with_notrap();
        let (i, j) = match at {
            At::Pair { first, .. } | At::Each(first, _) if s.step == Step::Own => {
                let (p, offset) = self.address(k, first, 0);
                self.b.ins().store(flags, x, p, offset);
                return;
            }
            At::Pair { first, ahead } if s.step == Step::Unit => {
                let (p, offset) = self.address(k, first, ahead);
                self.b.ins().store(flags, x, p, offset);
                return;
            }
            At::Pair { first, ahead } => ((first, ahead), (first, ahead + 1)),
            At::Each(i, j) => ((i, 0), (j, 0)),
        };
        for (lane, (i, ahead)) in [i, j].into_iter().enumerate() {
            let y = self.lane(x, lane as u8);
            let (p, offset) = self.address(k, i, ahead);
            self.b.ins().store(flags, y, p, offset);
        }
    }

    fn call(&mut self, f: Callee, a: clif::Value, b: Option<clif::Value>) -> clif::Value {
        let f = self.natives.functions[&f];
        let lanes: Vec<clif::Value> = (0..2)
            .map(|lane| {
                let mut args = vec![self.lane(a, lane)];
                args.extend(b.map(|b| self.lane(b, lane)));
                let call = self.b.ins().call(f, &args);
                self.b.inst_results(call)[0]
            })
            .collect();
        self.both(lanes[0], lanes[1])
    }

    fn rare(
        &mut self,
        mask: clif::Value,
        f: Callee,
        (x, z): (clif::Value, Option<clif::Value>),
        y: clif::Value,
    ) -> clif::Value {
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(next, F64X2);
        let any = self.b.ins().vany_true(mask);
        self.b.ins().brif(any, cold, &[], next, &[BlockArg::from(y)]);
        self.b.set_cold_block(cold);
        self.b.switch_to_block(cold);
        let called = self.call(f, x, z);
        let called = self.select(mask, called, y);
        self.b.ins().jump(next, &[BlockArg::from(called)]);
        self.b.switch_to_block(next);
        result
    }

    /// A mask that holds in the first lane, and in the second where `second` does.
    pub fn first_and(&mut self, second: clif::Value) -> clif::Value {
        let mask = self.b.ins().bmask(I64, second);
        let all = self.bits(u64::MAX);
        self.b.ins().insertlane(all, mask, 1)
    }
}
