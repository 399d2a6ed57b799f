//! Tangents of linear algebra.

use super::Forward;
use crate::emit::Ex;
use crate::linear::{Lin, Mask};
use adc_ir::{Inst, LinalgOp, Op, Value};

impl Forward<'_> {
    /// The tangent of `y`, the result of an operation on matrices.
    pub(super) fn linalg_tangent(
        &mut self,
        op: LinalgOp,
        inst: &Inst,
        args: &[Value],
        y: Value,
    ) -> Option<Lin> {
        let matrix = self.full(inst.args[0]);
        if op.has_rhs() {
            return self.solve_tangent(op, inst, args, y, matrix);
        }
        let (dot, mask) = matrix?;
        let em = &mut self.em;
        let x = match op {
            LinalgOp::Solve | LinalgOp::SolveAdjoint => unreachable!("looked at above"),
            LinalgOp::Lu | LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => {
                unreachable!("made of what is differentiated already")
            }
            // Ẏ = −Y Ȧ Y
            LinalgOp::Inv => {
                let left = em.b.matmul(y, dot);
                let product = em.b.matmul(left, y);
                em.each(Op::Neg, &[product])
            }
            LinalgOp::Det => {
                let partials = em.cofactors(args[0], y);
                em.product_sum(partials, dot)
            }
            // ẇ_i = (Vᴴ Ȧ V)_ii
            LinalgOp::EighValues => {
                let v = em.b.linalg(LinalgOp::EighVectors, &[args[0]]);
                let hermitian = em.hermitian(dot);
                let moved = em.b.matmul(hermitian, v);
                em.column_products(v, moved)
            }
            // σ̇_i = Re (Uᴴ Ȧ V)_ii, and 0 where σ_i is, as of `abs`
            LinalgOp::SvdValues => {
                let vu = em.b.linalg(LinalgOp::SvdVectors, &[args[0]]);
                let [v, u] = em.singular_vectors(vu, args[0]);
                let moved = em.b.matmul(dot, v);
                let moved = em.column_products(u, moved);
                let data = em.b.data(y).clone();
                em.map(&data, |em, index| {
                    let [x, s] = [moved, y].map(|v| em.b.index(v, index));
                    em.unless_zero(s, x)
                })
            }
            LinalgOp::SvdVectors => {
                let s = em.b.linalg(LinalgOp::SvdValues, &[args[0]]);
                em.singular_vectors_tangent(y, s, dot)
            }
            LinalgOp::QrQ => em.basis_tangent(args[0], y, dot),
            LinalgOp::EighVectors => {
                let w = em.b.linalg(LinalgOp::EighValues, &[args[0]]);
                let hermitian = em.hermitian(dot);
                let adjoint = em.adjoint(y);
                let left = em.b.matmul(adjoint, hermitian);
                let inner = em.b.matmul(left, y);
                em.eigenvectors_tangent(y, w, inner)
            }
            // Re tr(A⁻¹ Ȧ)
            LinalgOp::LogDet => {
                let inverse = em.inverse_of_log(y, args[0]);
                let turned = em.b.transpose(inverse);
                let trace = em.product_sum(turned, dot);
                let real = em.op(Op::Re, &[Ex::Val(trace)]);
                if em.is_complex(Ex::Val(trace)) { em.value(real) } else { trace }
            }
            // L̇ = L Φ(L⁻¹ Ȧ L⁻ᴴ), Φ being the lower triangle with half the diagonal.
            LinalgOp::Cholesky => {
                let hermitian = em.hermitian(dot);
                let half = em.b.linalg(LinalgOp::Solve, &[y, hermitian]);
                let turned = em.adjoint(half);
                let inner = em.b.linalg(LinalgOp::Solve, &[y, turned]);
                let lower = em.half_lower(inner);
                em.b.matmul(y, lower)
            }
        };
        Some(Lin { x: Ex::Val(x), mask })
    }

    /// A ẋ = ḃ − Ȧ x, with Aᴴ in place of A for its adjoint.
    fn solve_tangent(
        &mut self,
        op: LinalgOp,
        inst: &Inst,
        args: &[Value],
        y: Value,
        matrix: Option<(Value, Mask)>,
    ) -> Option<Lin> {
        let elem = self.em.b.ty(y).scalar();
        let right = self.full(inst.args[1]).map(|(dot, mask)| {
            let x = self.em.promoted_array(dot, elem);
            Lin { x: Ex::Val(x), mask }
        });
        let left = matrix.map(|(dot, mask)| {
            let dot = if op == LinalgOp::SolveAdjoint { self.em.adjoint(dot) } else { dot };
            let product = self.em.b.matmul(dot, y);
            let product = self.em.each(Op::Neg, &[product]);
            Lin { x: Ex::Val(product), mask }
        });
        let sum = self.em.sum([right, left].into_iter().flatten().collect())?;
        let rhs = self.em.value(sum.x);
        let x = self.em.b.linalg(op, &[args[0], rhs]);
        Some(Lin { x: Ex::Val(x), mask: sum.mask })
    }
}
