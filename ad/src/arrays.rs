//! Emission on whole arrays: zeros, sums, selections, elementwise maps.

use crate::emit::{Emitter, Ex};
use adc_ir::{Const, Dim, Loop, Op, Scalar, Value, ValueData};

impl Emitter {
    /// Type and sizes of an operand.
    pub(crate) fn data(&self, x: Ex) -> ValueData {
        match x {
            Ex::Const(c) => c.scalar().into(),
            Ex::Val(v) => self.b.data(v).clone(),
        }
    }

    /// The zero of a type.
    pub(crate) fn zero(&mut self, data: &ValueData) -> Value {
        let zero = self.constant(Const::zero(data.ty.scalar()));
        if data.ty.is_array() { self.b.fill(zero, &data.shape) } else { zero }
    }

    /// The value like `data` whose elements `element` gives for their indices; a scalar has none.
    pub(crate) fn map(
        &mut self,
        data: &ValueData,
        element: impl FnOnce(&mut Emitter, &[Value]) -> Value,
    ) -> Value {
        if !data.ty.is_array() {
            return element(self, &[]);
        }
        let index = self.open_with(vec![Scalar::I64.into(); data.shape.len()]);
        let yields = vec![element(self, &index)];
        let body = self.close(yields);
        self.b.build_of(&data.shape, body)
    }

    /// The arrays of what `elements` gives for their leading indices, in one loop for each axis; without axes what it gives
    /// itself.
    pub(crate) fn collect(
        &mut self,
        sizes: &[Dim],
        elements: &mut dyn FnMut(&mut Emitter, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let ranges: Vec<[Value; 3]> = sizes.iter().map(|d| self.range(d)).collect();
        self.collect_from(&ranges, &mut Vec::new(), elements)
    }

    fn collect_from(
        &mut self,
        ranges: &[[Value; 3]],
        index: &mut Vec<Value>,
        elements: &mut dyn FnMut(&mut Emitter, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let [range, inner @ ..] = ranges else { return elements(self, index) };
        let i = self.open_with(vec![Scalar::I64.into()])[0];
        index.push(i);
        let yields = self.collect_from(inner, index, elements);
        index.pop();
        let count = yields.len();
        let body = self.close(yields);
        self.b.for_of(Loop::collecting(count), *range, &[], body).to_vec()
    }

    /// lo, hi, step of `0..n`.
    pub(crate) fn range(&mut self, n: &Dim) -> [Value; 3] {
        let lo = self.constant(Const::I64(0));
        let hi = self.b.size(n);
        [lo, hi, self.constant(Const::I64(1))]
    }

    /// The value like `data` that is `one` at an index and 0 elsewhere.
    pub(crate) fn one_hot(&mut self, data: &ValueData, one: Value, index: &[Value]) -> Value {
        if !data.ty.is_array() {
            return one;
        }
        let zeros = self.zero(data);
        self.b.update(zeros, one, index)
    }

    /// `x[index]`, or a scalar itself.
    pub(crate) fn at(&mut self, x: Value, index: &[Value]) -> Value {
        if self.b.ty(x).is_array() { self.b.index(x, index) } else { x }
    }

    /// An op on scalars, or on the elements of arrays of one shape; a scalar beside arrays stands for each element.
    pub(crate) fn each(&mut self, op: Op, args: &[Value]) -> Value {
        let like = args.iter().copied().find(|a| self.b.ty(*a).is_array()).unwrap_or(args[0]);
        let shape = self.b.data(like).clone();
        self.map(&shape, |em, index| {
            let elements: Vec<Ex> = args.iter().map(|a| Ex::Val(em.at(*a, index))).collect();
            let y = em.op(op, &elements);
            em.value(y)
        })
    }

    /// `a + b`
    pub(crate) fn add(&mut self, a: Ex, b: Ex) -> Ex {
        match (a, b) {
            (Ex::Val(x), Ex::Val(y)) if self.b.ty(x).is_array() => Ex::Val(self.each(Op::Add, &[x, y])),
            _ => self.op(Op::Add, &[a, b]),
        }
    }

    /// `yes` if `cond` holds, else `no`; zero where one is missing.
    pub(crate) fn selected(&mut self, cond: Value, yes: Option<Ex>, no: Option<Ex>) -> Ex {
        let Some(one) = yes.or(no) else { unreachable!("one side is given") };
        let data = self.data(one);
        if !data.ty.is_array() {
            let zero = Ex::Const(Const::zero(data.ty.scalar()));
            return self.op(Op::Select, &[Ex::Val(cond), yes.unwrap_or(zero), no.unwrap_or(zero)]);
        }
        let mut side = |x: Option<Ex>| {
            self.open();
            let y = match x {
                Some(x) => self.value(x),
                None => self.zero(&data),
            };
            self.close(vec![y])
        };
        let (then, other) = (side(yes), side(no));
        Ex::Val(self.b.if_(cond, then, other)[0])
    }

    /// The value without a derivative.
    pub(crate) fn stopped(&mut self, x: Value) -> Value {
        self.each(Op::StopGradient, &[x])
    }

    /// The complex conjugate; a real array is itself.
    pub(crate) fn conjugate(&mut self, x: Value) -> Value {
        if self.b.ty(x).scalar().is_complex() { self.each(Op::Conj, &[x]) } else { x }
    }

    /// An array with elements of type `elem`, its own or the complex one of its precision.
    pub(crate) fn promoted_array(&mut self, x: Value, elem: Scalar) -> Value {
        if self.b.ty(x).scalar() == elem {
            return x;
        }
        let data = self.b.data(x).clone();
        self.map(&data, |em, index| {
            let e = em.at(x, index);
            em.promoted(Ex::Val(e), elem.into())
        })
    }
}
