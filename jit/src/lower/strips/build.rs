//! Making strips: operations are entered once each, and what nothing needs is left out at the end.

use super::strip::*;
use adc_ir::Op;
use adc_runtime::lanes::pow::Lookup;
use adc_runtime::lanes::{Lanes, Rare, RareOfTwo};
use rustc_hash::FxHashMap;

/// A strip in the making. As [`Lanes`] it takes the programs of [`adc_runtime::lanes`].
#[derive(Clone, Debug)]
pub struct StripBuilder {
    strip: Strip,
    /// Of the strip and of the loops that are open, each: what is computed already.
    known: Vec<FxHashMap<SOp, V>>,
}

impl Default for StripBuilder {
    fn default() -> StripBuilder {
        StripBuilder::new()
    }
}

impl StripBuilder {
    /// An empty strip.
    pub fn new() -> StripBuilder {
        StripBuilder { strip: Strip::default(), known: vec![FxHashMap::default()] }
    }

    /// A stream; one that is only read, and there already, is the one that it was before.
    pub fn stream(&mut self, stream: Stream) -> u16 {
        let known = self.strip.streams.iter().position(|s| *s == stream && s.access == Access::R);
        if let Some(known) = known {
            return known as u16;
        }
        self.strip.streams.push(stream);
        (self.strip.streams.len() - 1) as u16
    }

    /// Says of streams that they are only added to, and may have elements in common.
    pub fn meeting(&mut self, streams: &[u16]) {
        streams.iter().for_each(|s| self.strip.streams[*s as usize].added = true);
    }

    /// Says that each run is of one element.
    pub fn run_one_by_one(&mut self) {
        self.strip.serial = true;
    }

    /// A stream so far.
    pub fn stream_of(&self, s: u16) -> &Stream {
        &self.strip.streams[s as usize]
    }

    /// A new scalar slot.
    pub fn slot(&mut self) -> u16 {
        self.strip.scalars += 1;
        self.strip.scalars - 1
    }

    /// A new array of so many numbers, for each element one.
    pub fn own(&mut self, len: u32) -> Option<u8> {
        self.strip.own.push(len);
        u8::try_from(self.strip.own.len() - 1).ok()
    }

    /// Loops that are open.
    pub fn level(&self) -> usize {
        self.known.len() - 1
    }

    /// Begins a loop that carries numbers, which begin as these.
    pub fn begin(&mut self, turns: Turns, carried: &[V]) -> Vec<V> {
        self.known.push(FxHashMap::default());
        self.push(SOp::Loop(turns));
        carried.iter().map(|v| self.push(SOp::Carried(*v))).collect()
    }

    /// Ends the loop; `carried` with the numbers of the next turn. Gives the last ones.
    pub fn end(&mut self, carried: &[(V, V)]) -> Vec<V> {
        for (c, next) in carried {
            self.push(SOp::Next(*c, *next));
        }
        self.push(SOp::End);
        self.known.pop();
        carried.iter().map(|(c, _)| self.push(SOp::Last(*c))).collect()
    }

    fn push(&mut self, op: SOp) -> V {
        self.strip.ops.push(op);
        (self.strip.ops.len() - 1) as V
    }

    /// A reduction.
    pub fn reduce(&mut self, op: RedOp, val: V, out: u16) {
        self.strip.reds.push(Red { op, val, out });
    }

    /// An operation; one that is there already gives the value it gave before.
    pub fn op(&mut self, op: SOp) -> V {
        let moving = match op {
            SOp::Load(s) => self.strip.streams[s as usize].access != Access::R,
            SOp::Carried(_) | SOp::Last(_) => true,
            _ => op.class() == Class::Nothing,
        };
        if !moving && let Some(v) = self.known.iter().rev().find_map(|known| known.get(&op)) {
            return *v;
        }
        let v = self.push(op);
        if !moving {
            self.known.last_mut().expect("the strip itself is open").insert(op, v);
        }
        v
    }

    /// a b + c, in one operation where they are negatives of something.
    pub fn fma_of_signs(&mut self, a: V, b: V, c: V) -> V {
        let sign = |v: V| match self.strip.ops[v as usize] {
            SOp::Un(Un::Neg, x) => (x, true),
            _ => (v, false),
        };
        let ([a, b, c], signs) = ([a, b, c].map(|v| sign(v).0), [a, b, c].map(|v| sign(v).1));
        self.op(SOp::Fma { neg_a: signs[0] != signs[1], neg_c: signs[2], a, b, c })
    }

    /// The number of operations so far.
    pub fn len(&self) -> usize {
        self.strip.ops.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.strip.ops.is_empty()
    }

    /// The strip, without operations nothing needs, in an order in which few values are needed at a time.
    pub fn finish(self) -> Result<Strip, Malformed> {
        let mut strip = self.strip;
        strip.check()?;
        strip.keep(|_| true);
        strip.put_in_order();
        Ok(strip)
    }
}

/// A mask of a strip in the making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct M(pub V);

impl Lanes for StripBuilder {
    type V = V;
    type M = M;

    fn num(&mut self, x: f64) -> V {
        self.op(SOp::Const(x.to_bits()))
    }
    fn neg(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::Neg, a))
    }
    fn abs(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::Abs, a))
    }
    fn sqrt(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::Sqrt, a))
    }
    fn rint(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::Rint, a))
    }
    fn add(&mut self, a: V, b: V) -> V {
        match [a, b].map(|v| self.strip.ops[v as usize]) {
            [_, SOp::Un(Un::Neg, b)] => self.sub(a, b),
            [SOp::Un(Un::Neg, a), _] => self.sub(b, a),
            _ => self.op(SOp::Bin(Bin::Add, a, b)),
        }
    }
    fn sub(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::Sub, a, b))
    }
    fn mul(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::Mul, a, b))
    }
    fn div(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::Div, a, b))
    }
    fn min_x(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::MinX, a, b))
    }
    fn max_x(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::MaxX, a, b))
    }
    fn copysign(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::Copysign, a, b))
    }
    fn fma(&mut self, a: V, b: V, c: V) -> V {
        self.op(SOp::Fma { neg_a: false, neg_c: false, a, b, c })
    }
    fn fms(&mut self, a: V, b: V, c: V) -> V {
        self.op(SOp::Fma { neg_a: false, neg_c: true, a, b, c })
    }
    fn fnma(&mut self, a: V, b: V, c: V) -> V {
        self.op(SOp::Fma { neg_a: true, neg_c: false, a, b, c })
    }
    fn lt(&mut self, a: V, b: V) -> M {
        M(self.op(SOp::Cmp(Cc::Lt, a, b)))
    }
    fn eq(&mut self, a: V, b: V) -> M {
        M(self.op(SOp::Cmp(Cc::Eq, a, b)))
    }
    fn or(&mut self, a: M, b: M) -> M {
        M(self.op(SOp::Mask(MaskOp::Or, a.0, b.0)))
    }
    fn not(&mut self, a: M) -> M {
        M(self.op(SOp::Not(a.0)))
    }
    fn select(&mut self, m: M, a: V, b: V) -> V {
        self.op(SOp::Select(m.0, a, b))
    }
    fn pow2(&mut self, n: V) -> V {
        self.op(SOp::Un(Un::Pow2, n))
    }
    fn ldexp(&mut self, a: V, n: V) -> V {
        self.op(SOp::Bin(Bin::Ldexp, a, n))
    }
    fn get_exp(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::GetExp, a))
    }
    fn get_mant(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::GetMant, a))
    }
    fn rare(&mut self, m: M, f: Rare, x: V, y: V) -> V {
        let f = Callee(match f {
            Rare::Sin => Op::Sin,
            Rare::Cos => Op::Cos,
            Rare::Tan => Op::Tan,
        });
        self.op(SOp::Rare { mask: m.0, f, x, z: None, y })
    }
    fn rare_of_two(&mut self, m: M, f: RareOfTwo, [x, z]: [V; 2], y: V) -> V {
        let f = Callee(match f {
            RareOfTwo::Pow => Op::Pow,
            RareOfTwo::Atan2 => Op::Atan2,
        });
        self.op(SOp::Rare { mask: m.0, f, x, z: Some(z), y })
    }
}

impl Lookup for StripBuilder {
    fn entry(&mut self, mantissa: V) -> [V; 3] {
        let place = self.op(SOp::Un(Un::Place, mantissa));
        [Column::Inverse, Column::Log, Column::LogLow].map(|c| self.op(SOp::Entry(c, place)))
    }
    fn power(&mut self, shifted: V) -> [V; 2] {
        let [power, low] = [Column::Power, Column::PowerLow].map(|c| self.op(SOp::Entry(c, shifted)));
        [self.op(SOp::Bin(Bin::Raise, power, shifted)), low]
    }
}
