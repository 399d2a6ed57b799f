//! The reverse of products of matrices and of linear algebra. Of complex matrices the adjoint is the conjugate transpose.

use super::Pullback;
use super::contributions::Contribution;
use crate::emit::Ex;
use adc_ir::{Dim, Inst, LinalgOp, Op, Scalar, Value, ValueData};

impl<'a> Pullback<'a> {
    pub(super) fn matmul(&mut self, inst: &Inst, bar: Option<Contribution>) {
        let y = self.dense(inst.results[0], bar);
        let [a, b] = [inst.args[0], inst.args[1]];
        let ranks = [self.ty(a).rank(), self.ty(b).rank()];
        if self.is_active(a) {
            let b = self.sw.value(b);
            let b = self.sw.em.conjugate(b);
            let bar = match ranks {
                // Ȳ Bᴴ
                [2, 2] => {
                    let t = self.sw.em.b.transpose(b);
                    self.sw.em.b.matmul(y, t)
                }
                [2, 1] => self.outer_product(y, b),
                // conj(B) ȳ
                [1, 2] => self.sw.em.b.matmul(b, y),
                _ => self.scaled(y, b),
            };
            self.add_of_type(a, bar);
        }
        if self.is_active(b) {
            let a = self.sw.value(a);
            let a = self.sw.em.conjugate(a);
            let bar = match ranks {
                // Aᴴ Ȳ
                [2, 2] => {
                    let t = self.sw.em.b.transpose(a);
                    self.sw.em.b.matmul(t, y)
                }
                // ȳᵀ conj(A)
                [2, 1] => self.sw.em.b.matmul(y, a),
                [1, 2] => self.outer_product(a, y),
                _ => self.scaled(y, a),
            };
            self.add_of_type(b, bar);
        }
    }

    /// a bᵀ
    fn outer_product(&mut self, a: Value, b: Value) -> Value {
        let shape = [&self.sw.em.b.data(a).shape[..], &self.sw.em.b.data(b).shape[..]].concat();
        let elem = self.sw.em.b.ty(a).scalar();
        self.sw.em.map(&ValueData::array(elem, shape), |em, i| {
            let (x, y) = (em.b.index(a, &i[..1]), em.b.index(b, &i[1..]));
            em.b.op(Op::Mul, &[x, y])
        })
    }

    fn scaled(&mut self, s: Value, x: Value) -> Value {
        let data = self.sw.em.b.data(x).clone();
        self.sw.em.map(&data, |em, i| {
            let x = em.at(x, i);
            em.b.op(Op::Mul, &[s, x])
        })
    }

    fn adjoint(&mut self, a: Value) -> Value {
        let a = self.sw.em.conjugate(a);
        self.sw.em.b.transpose(a)
    }

    pub(super) fn linalg(&mut self, op: LinalgOp, inst: &Inst, bar: Option<Contribution>) {
        let result = inst.results[0];
        let y_bar = self.dense(result, bar);
        let a = inst.args[0];
        match op {
            LinalgOp::Solve | LinalgOp::SolveAdjoint => {
                // A x = b: b̄ = A⁻ᴴ x̄, Ā = −b̄ xᴴ. Aᴴ x = b: b̄ = A⁻¹ x̄, Ā = −x b̄ᴴ.
                let forward = op == LinalgOp::Solve;
                let matrix = self.sw.value(a);
                let reverse = if forward { LinalgOp::SolveAdjoint } else { LinalgOp::Solve };
                let b_bar = self.sw.em.b.linalg(reverse, &[matrix, y_bar]);
                if self.is_active(inst.args[1]) {
                    self.add_of_type(inst.args[1], b_bar);
                }
                if self.is_active(a) {
                    let x = self.sw.value(result);
                    let (left, right) = if forward { (b_bar, x) } else { (x, b_bar) };
                    let right = self.sw.em.conjugate(right);
                    let product = match self.ty(result).rank() {
                        1 => self.outer_product(left, right),
                        _ => {
                            let right = self.sw.em.b.transpose(right);
                            self.sw.em.b.matmul(left, right)
                        }
                    };
                    let bar = self.sw.em.each(Op::Neg, &[product]);
                    self.add_of_type(a, bar);
                }
            }
            LinalgOp::Inv => {
                // Ā = −Yᴴ Ȳ Yᴴ
                let y = self.sw.value(result);
                let y = self.adjoint(y);
                let left = self.sw.em.b.matmul(y, y_bar);
                let product = self.sw.em.b.matmul(left, y);
                let bar = self.sw.em.each(Op::Neg, &[product]);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::LogDet => {
                // Ā = ȳ A⁻ᴴ
                let (matrix, y) = (self.sw.value(a), self.sw.value(result));
                let inverse = self.sw.em.inverse_of_log(y, matrix);
                let adjoint = self.adjoint(inverse);
                let bar = self.scaled(y_bar, adjoint);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::Det => {
                let (matrix, det) = (self.sw.value(a), self.sw.value(result));
                let cofactors = self.cofactors(matrix, det);
                let cofactors = self.sw.em.conjugate(cofactors);
                let bar = self.scaled(y_bar, cofactors);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::Cholesky => {
                let l = self.sw.value(result);
                let bar = self.cholesky(l, y_bar);
                self.add(a, Contribution::value(bar));
            }
            // The cotangent of Vᴴ Ȧ V is diagonal.
            LinalgOp::EighValues => {
                let matrix = self.sw.value(a);
                let v = self.sw.em.b.linalg(LinalgOp::EighVectors, &[matrix]);
                let data = self.sw.em.b.data(v).clone();
                let scaled = self.sw.em.of_columns(v, y_bar, |em, x, y| em.b.op(Op::Mul, &[x, y]));
                let adjoint = self.adjoint(v);
                let s = self.sw.em.b.matmul(scaled, adjoint);
                let bar = self.of_lower(&data, s);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::EighVectors => {
                let (matrix, v) = (self.sw.value(a), self.sw.value(result));
                let w = self.sw.em.b.linalg(LinalgOp::EighValues, &[matrix]);
                let k = self.sw.em.eigenvectors_cotangent(v, w, y_bar);
                let adjoint = self.adjoint(v);
                let left = self.sw.em.b.matmul(v, k);
                let s = self.sw.em.b.matmul(left, adjoint);
                let data = self.sw.em.b.data(v).clone();
                let bar = self.of_lower(&data, s);
                self.add(a, Contribution::value(bar));
            }
            // U diag(σ̄) Vᴴ, without the σ that are 0
            LinalgOp::SvdValues => {
                let (matrix, s) = (self.sw.value(a), self.sw.value(result));
                let em = &mut self.sw.em;
                let vu = em.b.linalg(LinalgOp::SvdVectors, &[matrix]);
                let [v, u] = em.singular_vectors(vu, matrix);
                let data = em.b.data(s).clone();
                let y_bar = em.map(&data, |em, index| {
                    let [x, s] = [y_bar, s].map(|v| em.b.index(v, index));
                    em.unless_zero(s, x)
                });
                let scaled = em.of_columns(u, y_bar, |em, x, y| em.b.op(Op::Mul, &[x, y]));
                let adjoint = self.adjoint(v);
                let bar = self.sw.em.b.matmul(scaled, adjoint);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::SvdVectors => {
                let (matrix, vu) = (self.sw.value(a), self.sw.value(result));
                let s = self.sw.em.b.linalg(LinalgOp::SvdValues, &[matrix]);
                let bar = self.sw.em.singular_vectors_cotangent(matrix, vu, s, y_bar);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::QrQ => {
                let (matrix, q) = (self.sw.value(a), self.sw.value(result));
                let bar = self.sw.em.basis_cotangent(matrix, q, y_bar);
                self.add(a, Contribution::value(bar));
            }
            LinalgOp::Lu | LinalgOp::LuSolve | LinalgOp::LuSolveAdjoint => {
                unreachable!("made of what is differentiated already")
            }
        }
    }

    /// ∂ det A/∂A: det A · A⁻ᵀ, and of a singular matrix the determinants of its minors.
    fn cofactors(&mut self, a: Value, det: Value) -> Value {
        let em = &mut self.sw.em;
        let data = em.b.data(a).clone();
        let n = em.b.size(&data.shape[0]);
        let [zero, one] = [0.0, 1.0].map(|x| em.constant(adc_ir::Const::real(x, data.ty.scalar())));
        let minus = em.b.op(Op::Neg, &[one]);
        let [first, step, two] = [0, 1, 2].map(|n| em.constant(adc_ir::Const::I64(n)));
        let singular = em.b.op(Op::Eq, &[det, zero]);
        em.open();
        let less = em.b.op(Op::Sub, &[n, step]);
        let less: Dim = em.b.dim_of(less);
        let minors = em.map(&data, |em, at| {
            let minor = ValueData::array(data.ty.scalar(), vec![less.clone(); 2]);
            let minor = em.map(&minor, |em, i| {
                let skip = |em: &mut crate::emit::Emitter, i: Value, gap: Value| {
                    let behind = em.b.op(Op::Ge, &[i, gap]);
                    let by = em.b.op(Op::Select, &[behind, step, first]);
                    em.b.op(Op::Add, &[i, by])
                };
                let (row, column) = (skip(em, i[0], at[0]), skip(em, i[1], at[1]));
                em.b.index(a, &[row, column])
            });
            let minor = em.b.linalg(LinalgOp::Det, &[minor]);
            let place = em.b.op(Op::Add, &[at[0], at[1]]);
            let odd = em.b.op(Op::Mod, &[place, two]);
            let even = em.b.op(Op::Eq, &[odd, first]);
            let sign = em.b.op(Op::Select, &[even, one, minus]);
            em.b.op(Op::Mul, &[sign, minor])
        });
        let then = em.close(vec![minors]);
        em.open();
        let known = em.op(Op::Eq, &[Ex::Val(det), Ex::Val(det)]);
        let inverse = em.inverse_where(known, a);
        let transposed = em.b.transpose(inverse);
        let scaled = em.map(&data, |em, i| {
            let x = em.at(transposed, i);
            em.b.op(Op::Mul, &[det, x])
        });
        let other = em.close(vec![scaled]);
        em.b.if_(singular, then, other)[0]
    }

    /// The cotangent of the lower triangle of A = L Lᴴ: with P the lower half of Lᴴ L̄ (its diagonal halved) and
    /// S = L⁻ᴴ P L⁻¹, that of the whole Hermitian matrix is (S + Sᴴ)/2; an element below the diagonal stands for two.
    fn cholesky(&mut self, l: Value, l_bar: Value) -> Value {
        let data = self.sw.em.b.data(l).clone();
        let adjoint = self.adjoint(l);
        // Above its diagonal L is 0 whatever A is.
        let l_bar = self.lower(&data, l_bar, |_, x| x);
        let product = self.sw.em.b.matmul(adjoint, l_bar);
        let half = self.number_like(0.5, l);
        let p = self.lower(&data, product, |em, x| {
            let x = real_part(em, x);
            em.b.op(Op::Mul, &[half, x])
        });
        let right = self.sw.em.b.linalg(LinalgOp::Solve, &[adjoint, p]);
        let right = self.adjoint(right);
        let s = self.sw.em.b.linalg(LinalgOp::Solve, &[adjoint, right]);
        self.of_lower(&data, s)
    }

    /// The cotangent of the lower triangle of a Hermitian matrix for that of all its elements, or for the adjoint of that.
    fn of_lower(&mut self, data: &ValueData, s: Value) -> Value {
        let half = self.number_like(0.5, s);
        let mirrored = self.adjoint(s);
        let sum = self.sw.em.each(Op::Add, &[s, mirrored]);
        self.lower(data, sum, |em, x| {
            let x = real_part(em, x);
            em.b.op(Op::Mul, &[half, x])
        })
    }

    /// The lower triangle with something done to the diagonal, zeros above.
    fn lower(
        &mut self,
        data: &ValueData,
        x: Value,
        diagonal: impl FnOnce(&mut crate::emit::Emitter, Value) -> Value,
    ) -> Value {
        let zero = self.number_like(0.0, x);
        self.sw.em.map(data, |em, i| {
            let above = em.b.op(Op::Lt, &[i[0], i[1]]);
            em.open();
            let then = em.close(vec![zero]);
            em.open();
            let element = em.b.index(x, i);
            let on = em.b.op(Op::Eq, &[i[0], i[1]]);
            let changed = diagonal(em, element);
            let element = em.b.op(Op::Select, &[on, changed, element]);
            let other = em.close(vec![element]);
            em.b.if_(above, then, other)[0]
        })
    }
}

/// The real part in the type of the number.
fn real_part(em: &mut crate::emit::Emitter, x: Value) -> Value {
    let elem: Scalar = em.b.ty(x).scalar();
    if !elem.is_complex() {
        return x;
    }
    let re = em.b.op(Op::Re, &[x]);
    let zero = em.b.num(0.0, elem.real());
    em.b.op(Op::Complex, &[re, zero])
}
