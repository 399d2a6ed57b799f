//! Emission of what the derivatives of linear algebra are made of, in both modes.

use crate::emit::{Emitter, Ex};
use adc_ir::{Const, Dim, LinalgOp, Op, ReduceOp, Scalar, Value, ValueData};

impl Emitter {
    /// The conjugate transpose of a matrix.
    pub(crate) fn adjoint(&mut self, a: Value) -> Value {
        let turned = self.b.transpose(a);
        self.conjugate(turned)
    }

    /// Σ a·b over the elements of two arrays of one shape, or of two scalars; neither is conjugated.
    pub(crate) fn product_sum(&mut self, a: Value, b: Value) -> Value {
        let shape = self.b.data(a).shape.clone();
        self.sum_over(&shape, &mut Vec::new(), &mut |em, index| {
            let (x, y) = (em.at(a, index), em.at(b, index));
            let product = em.op(Op::Mul, &[Ex::Val(x), Ex::Val(y)]);
            em.value(product)
        })
    }

    /// The sum of what `term` gives for the indices of an array of these sizes.
    pub(crate) fn sum_over(
        &mut self,
        sizes: &[Dim],
        index: &mut Vec<Value>,
        term: &mut dyn FnMut(&mut Emitter, &[Value]) -> Value,
    ) -> Value {
        let [size, rest @ ..] = sizes else { return term(self, index) };
        let range = self.range(size);
        let i = self.open_with(vec![Scalar::I64.into()])[0];
        index.push(i);
        let y = self.sum_over(rest, index, term);
        index.pop();
        let body = self.close(vec![y]);
        self.b.infer(adc_ir::Kind::Reduce(ReduceOp::Sum), &range, vec![body])[0]
    }

    /// The partial derivatives of det A by the elements of A, `det` being its value: det A · A⁻ᵀ. Where that is 0 there is no
    /// inverse, and each of them is the determinant of A with a unit row.
    pub(crate) fn cofactors(&mut self, a: Value, det: Value) -> Value {
        let data = self.b.data(a).clone();
        let zero = self.constant(Const::zero(data.ty.scalar()));
        let singular = self.op(Op::Eq, &[Ex::Val(det), Ex::Val(zero)]);
        let singular = self.value(singular);
        self.open();
        let minors = self.minors(a, &data);
        let then = self.close(vec![minors]);
        self.open();
        let inverse = self.b.linalg(LinalgOp::Inv, &[a]);
        let turned = self.b.transpose(inverse);
        let scaled = self.each(Op::Mul, &[det, turned]);
        let other = self.close(vec![scaled]);
        self.b.if_(singular, then, other)[0]
    }

    fn minors(&mut self, a: Value, data: &ValueData) -> Value {
        let elem = data.ty.scalar();
        let row = data.inner(1);
        self.map(data, |em, index| {
            let (zeros, one) = (em.zero(&row), em.constant(Const::real(1.0, elem)));
            let unit = em.b.update(zeros, one, &index[1..]);
            let changed = em.b.update(a, unit, &index[..1]);
            em.b.linalg(LinalgOp::Det, &[changed])
        })
    }

    /// The Hermitian matrix with the lower triangle of `a`, whose diagonal is taken for real.
    pub(crate) fn hermitian(&mut self, a: Value) -> Value {
        let data = self.b.data(a).clone();
        self.triangles(&data, |em, side, i, j| match side {
            Side::Below => em.at(a, &[i, j]),
            Side::Diagonal => {
                let d = em.at(a, &[i, j]);
                em.real_part(d)
            }
            Side::Above => {
                let mirrored = em.at(a, &[j, i]);
                let mirrored = em.conj(Ex::Val(mirrored));
                em.value(mirrored)
            }
        })
    }

    /// Φ: the lower triangle with half the (real) diagonal, zeros above it.
    pub(crate) fn half_lower(&mut self, a: Value) -> Value {
        let data = self.b.data(a).clone();
        let elem = data.ty.scalar();
        self.triangles(&data, |em, side, i, j| match side {
            Side::Below => em.at(a, &[i, j]),
            Side::Diagonal => {
                let d = em.at(a, &[i, j]);
                let d = em.real_part(d);
                let half = Ex::Const(Const::real(0.5, elem.real()));
                let halved = em.op(Op::Mul, &[half, Ex::Val(d)]);
                em.value(halved)
            }
            Side::Above => em.constant(Const::zero(elem)),
        })
    }

    /// The real part of a number, of its own type.
    fn real_part(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        if !ty.scalar().is_complex() {
            return x;
        }
        let re = self.op(Op::Re, &[Ex::Val(x)]);
        self.promoted(re, ty)
    }

    /// A matrix by its elements on either side of the diagonal and on it.
    fn triangles(
        &mut self,
        data: &ValueData,
        element: impl Fn(&mut Emitter, Side, Value, Value) -> Value,
    ) -> Value {
        self.map(data, |em, index| {
            let (i, j) = (index[0], index[1]);
            let compare = |em: &mut Emitter, op| {
                let c = em.op(op, &[Ex::Val(i), Ex::Val(j)]);
                em.value(c)
            };
            let below = compare(em, Op::Gt);
            em.open();
            let x = element(em, Side::Below, i, j);
            let then = em.close(vec![x]);
            em.open();
            let equal = compare(em, Op::Eq);
            em.open();
            let x = element(em, Side::Diagonal, i, j);
            let diagonal = em.close(vec![x]);
            em.open();
            let x = element(em, Side::Above, i, j);
            let above = em.close(vec![x]);
            let rest = em.b.if_(equal, diagonal, above)[0];
            let other = em.close(vec![rest]);
            em.b.if_(below, then, other)[0]
        })
    }
}

/// Where an element of a matrix stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Below,
    Diagonal,
    Above,
}
