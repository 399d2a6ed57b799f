//! Making strips: operations are entered once each, and what nothing needs is left out at the end.

use super::strip::*;
use adc_ir::Op;
use adc_runtime::lanes::{Lanes, Rare};
use rustc_hash::FxHashMap;

/// A strip in the making. As [`Lanes`] it takes the programs of [`adc_runtime::lanes`].
#[derive(Clone, Debug, Default)]
pub struct StripBuilder {
    strip: Strip,
    known: FxHashMap<SOp, V>,
}

impl StripBuilder {
    /// An empty strip.
    pub fn new() -> StripBuilder {
        StripBuilder { strip: Strip { rows: 1, ..Strip::default() }, known: FxHashMap::default() }
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

    /// A new scalar slot.
    pub fn slot(&mut self) -> u16 {
        self.strip.scalars += 1;
        self.strip.scalars - 1
    }

    /// A reduction.
    pub fn reduce(&mut self, op: RedOp, val: V, out: u16) {
        self.strip.reds.push(Red { op, val, out });
    }

    /// An operation; one that is there already gives the value it gave before.
    pub fn op(&mut self, op: SOp) -> V {
        let moving = match op {
            SOp::Store(..) | SOp::Exit(_) => true,
            SOp::Load(s) => self.strip.streams[s as usize].access != Access::R,
            _ => false,
        };
        if !moving && let Some(v) = self.known.get(&op) {
            return *v;
        }
        let v = self.strip.ops.len() as V;
        self.strip.ops.push(op);
        if !moving {
            self.known.insert(op, v);
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

    /// The strip, without operations nothing needs.
    pub fn finish(self) -> Result<Strip, Malformed> {
        let mut strip = self.strip;
        strip.check()?;
        let mut needed = vec![false; strip.ops.len()];
        for red in &strip.reds {
            needed[red.val as usize] = true;
        }
        for (v, op) in strip.ops.iter().enumerate().rev() {
            if needed[v] || op.class() == Class::Nothing {
                needed[v] = true;
                op.operands().for_each(|(x, _)| needed[x as usize] = true);
            }
        }
        let mut names = vec![0; strip.ops.len()];
        let mut kept = Vec::new();
        for (v, op) in strip.ops.iter().enumerate() {
            if needed[v] {
                names[v] = kept.len() as V;
                kept.push(op.map(|x| names[x as usize]));
            }
        }
        strip.ops = kept;
        for red in &mut strip.reds {
            red.val = names[red.val as usize];
        }
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
    fn rint(&mut self, a: V) -> V {
        self.op(SOp::Un(Un::Rint, a))
    }
    fn add(&mut self, a: V, b: V) -> V {
        self.op(SOp::Bin(Bin::Add, a, b))
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
        self.op(SOp::Rare { mask: m.0, f, x, y })
    }
}
