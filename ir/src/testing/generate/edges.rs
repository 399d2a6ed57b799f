//! Steps at the edge of what runs: ranges that may be empty, and indices that may be any number, where a condition or an empty
//! range keeps them from being read.

use super::Generator;
use super::array::TURNS;
use crate::module::*;
use crate::ops::Op;
use crate::types::{Scalar, Type};

impl Generator<'_> {
    /// An integer that may be any.
    fn anywhere(&mut self) -> Value {
        match self.rng.one_in(6) {
            true => {
                let n = self.rng.pick(&[i64::MIN, i64::MIN + 1, -1, 7, i64::MAX - 1, i64::MAX]);
                self.int(n)
            }
            false => self.value(Scalar::I64),
        }
    }

    /// A number from 0 to below `end`.
    fn below(&mut self, end: i64) -> Value {
        let (n, end_value) = (self.value(Scalar::I64), self.int(end));
        self.op(Op::Mod, &[n, end_value], end as f64)
    }

    /// lo, hi and step of few iterations, or none.
    pub(super) fn edge_range(&mut self) -> [Value; 3] {
        let step = 1 + self.rng.below(3) as i64;
        let step = self.int(step);
        if self.rng.one_in(4) {
            let (lo, other) = (self.anywhere(), self.anywhere());
            let hi = self.op(Op::Min, &[lo, other], f64::INFINITY);
            return [lo, hi, step];
        }
        let (lo, n, two) = (self.below(5), self.below(5), self.int(2));
        let lo = self.op(Op::Sub, &[lo, two], 5.0);
        let n = self.op(Op::Sub, &[n, two], 5.0);
        let hi = self.op(Op::Add, &[lo, n], 10.0);
        [lo, hi, step]
    }

    /// Reads of an array by an index that is outside of it unless a condition holds: in a branch, or in a loop that has no
    /// iterations otherwise, with an index that moves or does not.
    pub(super) fn edge_read(&mut self) {
        let x = self.array();
        let data = self.b.data(x).clone();
        let bound = self.bound_of(x);
        let size = self.extent(&data.shape[0]);
        let k = self.anywhere();
        // k + shift is an index where −shift ≤ k < size − shift, which does not overflow.
        let shift = self.rng.below(3) as i64;
        let (least, by) = (self.int(-shift), self.int(shift));
        let most = self.op(Op::Sub, &[size, by], 100.0);
        let (low, high) = (self.op(Op::Ge, &[k, least], 1.0), self.op(Op::Lt, &[k, most], 1.0));
        let inside = self.op(Op::And, &[low, high], 1.0);
        let start = self.value_like(&data.inner(1));
        let carry = self.b.data(start).clone();
        let read = |g: &mut Self, moved: Option<Value>| {
            let index = g.b.op(Op::Add, &[k, by]);
            let index = moved.map_or(index, |j| g.b.op(Op::Add, &[index, j]));
            g.b.index(x, &[index])
        };
        if self.rng.one_in(3) {
            let then = self.nested(Vec::new(), 1, |g, _| vec![read(g, None)]);
            let other = self.nested(Vec::new(), 1, |_, _| vec![start]);
            let y = self.b.if_(inside, then, other)[0];
            return self.note_any(y, bound.max(self.bound_of(start)));
        }
        let moves = self.rng.one_in(2);
        let some = match moves {
            // As far as the end of the array.
            true => {
                let there = self.op(Op::Select, &[inside, k, least], 100.0);
                let left = self.op(Op::Sub, &[most, there], 100.0);
                let three = self.int(3);
                self.op(Op::Min, &[left, three], 3.0)
            }
            false => self.below(3),
        };
        let (zero, one) = (self.int(0), self.int(1));
        let n = self.op(Op::Select, &[inside, some, zero], 3.0);
        let summed = !data.ty.scalar().is_float() || self.rng.one_in(2);
        let scalar = data.shape.len() == 1 && data.ty.scalar().is_float();
        if scalar && !summed {
            let body = self.nested(vec![Type::I64.into()], 3, |g, j| {
                let y = read(g, moves.then_some(j[0]));
                vec![g.b.op(Op::Mul, &[y, start])]
            });
            let sum = self.b.infer(Kind::Reduce(ReduceOp::Sum), &[zero, n, one], vec![body])[0];
            return self.note(sum, TURNS * bound * self.bound_of(start));
        }
        let body = self.nested(vec![Type::I64.into(), carry], 3, |g, j| {
            let y = read(g, moves.then_some(j[0]));
            let next = if scalar { g.b.op(Op::Mul, &[y, j[1]]) } else { y };
            let bounded = scalar && g.knobs.smooth;
            g.note_any(next, if scalar { f64::INFINITY } else { bound });
            vec![if bounded { g.tame(next) } else { next }]
        });
        let y = self.b.for_of(Loop::default(), [zero, n, one], &[start], body)[0];
        let known = if scalar { super::LARGE } else { bound };
        self.note_any(y, known.max(self.bound_of(start)));
    }
}
