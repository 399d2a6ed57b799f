//! The reverse of kinds that move elements of arrays.

use super::Pullback;
use super::contributions::{Contribution, Valid};
use crate::emit::Ex;
use crate::linear::Lin;
use adc_ir::{Const, Inst, Kind, Loop, Value};

impl<'a> Pullback<'a> {
    pub(super) fn array(&mut self, inst: &Inst, bar: Contribution) {
        let result = inst.results[0];
        let x = inst.args[0];
        match &inst.kind {
            Kind::Fill => {
                let bar = self.dense(result, Some(bar));
                let axes = self.ty(result).rank() - self.ty(x).rank();
                let sum = self.sum_of_axes(bar, axes);
                self.add(x, Contribution::value(sum));
            }
            Kind::Pack => {
                let bar = self.dense(result, Some(bar));
                for (k, x) in
                    inst.args.iter().enumerate().filter(|(_, x)| self.is_active(**x)).collect::<Vec<_>>()
                {
                    let k = self.sw.int(k as i64);
                    let element = self.sw.em.b.index(bar, &[k]);
                    self.add(*x, Contribution::value(element));
                }
            }
            Kind::Index => {
                let index = self.sw.values(&inst.args[1..]);
                let index = self.places(&index);
                let within = self.ranges.inside(self.sw.func().shape(x), &inst.args[1..]);
                let here = |valid| if within { valid } else { Valid::Here };
                self.add(
                    x,
                    match bar {
                        Contribution::All(lin) => Contribution::At { index, lin, valid: here(Valid::Always) },
                        Contribution::At { index: inner, lin, valid } => {
                            let valid = if valid == Valid::Always { here(valid) } else { valid };
                            Contribution::At { index: [index, inner].concat(), lin, valid }
                        }
                        Contribution::Part { index: inner, start, part, valid } => {
                            let index = [index, inner].concat();
                            Contribution::Part { index, start, part, valid: here(valid) }
                        }
                    },
                );
            }
            Kind::Update => {
                let bar = self.dense(result, Some(bar));
                let index = self.sw.values(&inst.args[2..]);
                let element = self.sw.em.b.index(bar, &index);
                self.add(inst.args[1], Contribution::value(element));
                if self.is_active(x) {
                    let data = self.sw.em.b.data(element).clone();
                    let zero = self.sw.em.zero(&data);
                    let rest = self.sw.em.b.update(bar, zero, &index);
                    self.add(x, Contribution::value(rest));
                }
            }
            Kind::AddAt => {
                let bar = self.dense(result, Some(bar));
                let index = self.sw.values(&inst.args[2..]);
                if self.is_active(inst.args[1]) {
                    let element = self.sw.em.b.index(bar, &index);
                    self.add(inst.args[1], Contribution::value(element));
                }
                self.add(x, Contribution::value(bar));
            }
            Kind::Slice => {
                let part = self.dense(result, Some(bar));
                let start = self.sw.value(inst.args[1]);
                self.add(x, Contribution::Part { index: Vec::new(), start, part, valid: Valid::Always });
            }
            Kind::UpdateSlice => {
                let bar = self.dense(result, Some(bar));
                let start = self.sw.value(inst.args[2]);
                let data = self.sw.data(inst.args[1]);
                if self.is_active(inst.args[1]) {
                    let part = self.sw.em.b.slice(bar, start, data.shape[0].clone());
                    self.add(inst.args[1], Contribution::value(part));
                }
                if self.is_active(x) {
                    let zero = self.sw.em.zero(&data);
                    let rest = self.sw.em.b.update_slice(bar, zero, start);
                    self.add(x, Contribution::value(rest));
                }
            }
            Kind::AddSlice => {
                let bar = self.dense(result, Some(bar));
                let start = self.sw.value(inst.args[2]);
                if self.is_active(inst.args[1]) {
                    let len = self.sw.shape(inst.args[1])[0].clone();
                    let part = self.sw.em.b.slice(bar, start, len);
                    self.add(inst.args[1], Contribution::value(part));
                }
                self.add(x, Contribution::value(bar));
            }
            Kind::Reshape => {
                let bar = self.dense(result, Some(bar));
                let shape = self.sw.shape(x);
                let moved = self.sw.em.b.reshape(bar, shape);
                self.add(x, Contribution::value(moved));
            }
            Kind::Transpose => {
                let bar = self.dense(result, Some(bar));
                let moved = self.sw.em.b.transpose(bar);
                self.add(x, Contribution::value(moved));
            }
            kind => unreachable!("{kind:?} has its own reverse"),
        }
    }

    /// The sum over the first axes.
    fn sum_of_axes(&mut self, x: Value, axes: usize) -> Value {
        if axes == 0 {
            return x;
        }
        let n = self.sw.em.b.data(x).shape[0].clone();
        let range = self.sw.em.b.range(&n);
        let i = self.sw.em.open_with(vec![adc_ir::Scalar::I64.into()]);
        let inner = self.sw.em.b.index(x, &i);
        let term = self.sum_of_axes(inner, axes - 1);
        let body = self.sw.em.close(vec![term]);
        let l = Loop { sums: 1, ..Loop::default() };
        self.sw.em.b.for_of(l, range, &[], body)[0]
    }

    /// The cotangent of an operand of the real or complex type that it has, from one that may be complex.
    pub(super) fn add_of_type(&mut self, v: Value, x: Value) {
        let (from, to) = (self.sw.em.b.ty(x).scalar(), self.ty(v).scalar());
        let x = if from.is_complex() && !to.is_complex() {
            self.sw.em.each(adc_ir::Op::Re, &[x])
        } else if to.is_complex() && !from.is_complex() {
            self.sw.em.promoted_array(x, to)
        } else {
            x
        };
        self.add(v, Contribution::All(Lin::always(Ex::Val(x))));
    }

    /// A literal of the element type of a value.
    pub(super) fn number_like(&mut self, x: f64, v: Value) -> Value {
        let elem = self.sw.em.b.ty(v).scalar();
        self.sw.em.constant(Const::real(x, elem))
    }
}
