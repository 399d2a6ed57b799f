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
        // Of a singular matrix with elements that are not finite it is NaN.
        let known = self.op(Op::Eq, &[Ex::Val(det), Ex::Val(det)]);
        let inverse = self.inverse_where(known, a);
        let turned = self.b.transpose(inverse);
        let scaled = self.each(Op::Mul, &[det, turned]);
        let other = self.close(vec![scaled]);
        self.b.if_(singular, then, other)[0]
    }

    /// The factor of the derivative of log|det A|, whose value is `y`: A⁻¹, and NaN where there is none, as y says.
    pub(crate) fn inverse_of_log(&mut self, y: Value, a: Value) -> Value {
        let least = self.constant(Const::real(f64::NEG_INFINITY, self.b.ty(y).scalar()));
        let regular = self.op(Op::Gt, &[Ex::Val(y), Ex::Val(least)]);
        self.inverse_where(regular, a)
    }

    /// A⁻¹ where it exists, else NaN.
    pub(crate) fn inverse_where(&mut self, exists: Ex, a: Value) -> Value {
        let exists = self.value(exists);
        let data = self.b.data(a).clone();
        self.where_known(exists, &data, |em| em.b.linalg(LinalgOp::Inv, &[a]))
    }

    /// An array of the kind of `data` where it can be made, else NaN: a derivative must not fail where the function does not.
    pub(crate) fn where_known(
        &mut self,
        known: Value,
        data: &ValueData,
        made: impl FnOnce(&mut Emitter) -> Value,
    ) -> Value {
        self.open();
        let value = made(self);
        let then = self.close(vec![value]);
        self.open();
        let none = self.constant(Const::real(f64::NAN, data.ty.scalar()));
        let none = self.b.fill(none, &data.shape);
        let other = self.close(vec![none]);
        self.b.if_(known, then, other)[0]
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

    /// The tangent of eigenvectors V with eigenvalues w, for the tangent K = Vᴴ Ȧ V of the Hermitian matrix: V Q with
    /// Q_ij = K_ij/(w_j − w_i), and along each vector what keeps its leading element real.
    pub(crate) fn eigenvectors_tangent(&mut self, v: Value, w: Value, k: Value) -> Value {
        let turned = self.turned(w, k);
        let moved = self.b.matmul(v, turned);
        let rows = self.b.data(v).shape[0].clone();
        self.with_phases(v, &rows, moved)
    }

    /// The tangent of vectors for one of any phases: along each vector what keeps its leading element, among the first `rows`, real.
    pub(crate) fn with_phases(&mut self, v: Value, rows: &Dim, moved: Value) -> Value {
        let data = self.b.data(v).clone();
        if !data.ty.scalar().is_complex() {
            return moved;
        }
        let leading = self.leading(v, rows);
        let phases = self.map(&data.inner(1), |em, index| {
            let at = em.b.index(leading, index);
            let [x, dot] = [v, moved].map(|m| em.b.index(m, &[at, index[0]]));
            let (size, aside) = (em.b.op(Op::Re, &[x]), em.b.op(Op::Im, &[dot]));
            let phase = em.b.op(Op::Div, &[aside, size]);
            let phase = em.times_i(Ex::Val(phase));
            em.value(phase)
        });
        self.map(&data, |em, index| {
            let [x, dot] = [v, moved].map(|m| em.b.index(m, index));
            let phase = em.b.index(phases, &index[1..]);
            let along = em.b.op(Op::Mul, &[phase, x]);
            em.b.op(Op::Sub, &[dot, along])
        })
    }

    /// The reverse of [`Self::eigenvectors_tangent`]: the cotangent of K for that of V.
    pub(crate) fn eigenvectors_cotangent(&mut self, v: Value, w: Value, bar: Value) -> Value {
        let rows = self.b.data(v).shape[0].clone();
        let bar = self.without_phases(v, &rows, bar);
        let adjoint = self.adjoint(v);
        let s = self.b.matmul(adjoint, bar);
        self.turned_back(w, s, bar)
    }

    /// The reverse of [`Self::with_phases`].
    pub(crate) fn without_phases(&mut self, v: Value, rows: &Dim, bar: Value) -> Value {
        let data = self.b.data(v).clone();
        if !data.ty.scalar().is_complex() {
            return bar;
        }
        let leading = self.leading(v, rows);
        self.map(&data, |em, index| {
            let x = em.b.index(bar, index);
            let at = em.b.index(leading, &index[1..]);
            let here = em.b.op(Op::Eq, &[index[0], at]);
            em.open();
            let column = index[1];
            // i Σ Im(conj(V̄) V)/V of the leading element
            let sum = em.sum_over(&data.shape[..1], &mut Vec::new(), &mut |em, row| {
                let [x, y] = [bar, v].map(|m| em.b.index(m, &[row[0], column]));
                let x = em.b.op(Op::Conj, &[x]);
                let product = em.b.op(Op::Mul, &[x, y]);
                em.b.op(Op::Im, &[product])
            });
            let size = em.b.index(v, index);
            let size = em.b.op(Op::Re, &[size]);
            let phase = em.b.op(Op::Div, &[sum, size]);
            let phase = em.times_i(Ex::Val(phase));
            let phase = em.value(phase);
            let sum = em.b.op(Op::Add, &[x, phase]);
            let then = em.close(vec![sum]);
            em.open();
            let other = em.close(vec![x]);
            em.b.if_(here, then, other)[0]
        })
    }

    /// k_ij/(w_j − w_i), 0 on the diagonal, where two equal w stay equal.
    pub(crate) fn turned(&mut self, w: Value, k: Value) -> Value {
        self.over_gaps(w, k, |em, [i, j]| {
            let diagonal = [i, j].map(|i| em.b.index(k, &[i, i]));
            em.b.op(Op::Eq, &diagonal)
        })
    }

    /// The reverse of [`Self::turned`]; `bar` is the cotangent of the vectors.
    pub(crate) fn turned_back(&mut self, w: Value, s: Value, bar: Value) -> Value {
        let data = self.b.data(bar).clone();
        let columns = ValueData::array(Scalar::Bool, data.shape[1..].to_vec());
        let unused = self.map(&columns, |em, index| {
            let range = em.range(&data.shape[0]);
            let zero = em.zero_like(bar);
            em.b.reduce(ReduceOp::All, range, |b, row| {
                let x = b.index(bar, &[row, index[0]]);
                b.op(Op::Eq, &[x, zero])
            })
        });
        // No vector is used that could turn into the other one.
        self.over_gaps(w, s, |em, pair| {
            let unused = pair.map(|k| em.b.index(unused, &[k]));
            em.b.op(Op::And, &unused)
        })
    }

    /// 0 of the type of the elements.
    pub(crate) fn zero_like(&mut self, x: Value) -> Value {
        let elem = self.b.ty(x).scalar();
        self.constant(Const::zero(elem))
    }

    /// s_ij/(w_j − w_i), 0 on the diagonal. Where the gap has no digits, it is 0: the quotient is not finite there, unless
    /// s_ij is 0 and `unused` holds, which gives 0.
    fn over_gaps(
        &mut self,
        w: Value,
        s: Value,
        unused: impl FnOnce(&mut Emitter, [Value; 2]) -> Value,
    ) -> Value {
        let data = self.b.data(s).clone();
        let real = self.b.ty(w).scalar();
        let n = self.b.size(&data.shape[0]);
        self.map(&data, |em, index| {
            let [i, j] = [index[0], index[1]];
            let [first, one] = [0, 1].map(|n| em.constant(Const::I64(n)));
            let last = em.b.op(Op::Sub, &[n, one]);
            let ends = [first, last].map(|k| {
                let end = em.b.index(w, &[k]);
                em.b.op(Op::Abs, &[end])
            });
            let largest = em.b.op(Op::Max, &ends);
            let unit = if real.is_single() { f64::from(f32::EPSILON) } else { f64::EPSILON };
            let unit = em.constant(Const::real(unit, real));
            let count = em.b.op(if real.is_single() { Op::ToF32 } else { Op::ToF64 }, &[n]);
            let rounding = em.b.op(Op::Mul, &[unit, count]);
            let rounding = em.b.op(Op::Mul, &[rounding, largest]);
            let [from, to] = [i, j].map(|k| em.b.index(w, &[k]));
            let gap = em.b.op(Op::Sub, &[to, from]);
            let size = em.b.op(Op::Abs, &[gap]);
            let apart = em.b.op(Op::Gt, &[size, rounding]);
            let none = em.constant(Const::zero(real));
            let divisor = em.b.op(Op::Select, &[apart, gap, none]);
            let (x, zero) = (em.b.index(s, index), em.constant(Const::zero(data.ty.scalar())));
            let quotient = em.b.op(Op::Div, &[x, divisor]);
            let unused = unused(em, [i, j]);
            let is_zero = em.b.op(Op::Eq, &[x, zero]);
            let is_zero = em.b.op(Op::And, &[is_zero, unused]);
            let diagonal = em.b.op(Op::Eq, &[i, j]);
            let nothing = em.b.op(Op::Or, &[diagonal, is_zero]);
            let near = em.b.op(Op::Not, &[apart]);
            let nothing = em.b.op(Op::And, &[near, nothing]);
            em.b.op(Op::Select, &[nothing, zero, quotient])
        })
    }

    /// The row of each column's first element that has 0.9 of the largest modulus, among the first `rows`.
    fn leading(&mut self, v: Value, rows: &Dim) -> Value {
        let data = self.b.data(v).clone();
        let real = data.ty.scalar().real();
        let columns = ValueData::array(Scalar::I64, data.shape[1..].to_vec());
        self.map(&columns, |em, index| {
            let range = em.range(rows);
            let size = |b: &mut adc_ir::Builder, row: Value| {
                let x = b.index(v, &[row, index[0]]);
                b.op(Op::Abs, &[x])
            };
            let largest = em.b.reduce(ReduceOp::Max, range, size);
            let part = em.constant(Const::real(LinalgOp::LEADING, real));
            let enough = em.b.op(Op::Mul, &[part, largest]);
            let [no, yes] = [0, 1].map(|n| em.constant(Const::I64(n)));
            em.b.reduce(ReduceOp::ArgMax, range, |b, row| {
                let size = size(b, row);
                let leads = b.op(Op::Ge, &[size, enough]);
                b.op(Op::Select, &[leads, yes, no])
            })
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
    pub(crate) fn real_part(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        if !ty.scalar().is_complex() {
            return x;
        }
        let re = self.op(Op::Re, &[Ex::Val(x)]);
        self.promoted(re, ty)
    }

    /// A matrix by its elements on either side of the diagonal and on it.
    pub(crate) fn triangles(
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
pub(crate) enum Side {
    Below,
    Diagonal,
    Above,
}
