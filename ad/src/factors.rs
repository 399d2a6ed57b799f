//! Emission of the derivatives of singular values and vectors and of orthonormal bases, in both modes.
//!
//! With A = U diag(σ) Vᴴ and K = Uᴴ Ȧ V = H + W, H being Hermitian and W skew, Uᴴ U̇ = E + G and Vᴴ V̇ = E − G with
//! E_ij = H_ij/(σ_j − σ_i) and G_ij = W_ij/(σ_i + σ_j): the eigenvectors of the matrix with A and Aᴴ beside zeros. Along a pair of
//! vectors only the phase of one against the other is determined; all of it goes to U, and then both turn until the leading element
//! of V is real. What leaves the space of U is (1 − U Uᴴ) Ȧ V diag(σ)⁻¹.

use crate::emit::Emitter;
use crate::linalg::Side;
use adc_ir::{Const, LinalgOp, Op, ReduceOp, Value};

impl Emitter {
    /// V and U of the matrix `a`, for the result of [`LinalgOp::SvdVectors`].
    pub(crate) fn singular_vectors(&mut self, vu: Value, a: Value) -> [Value; 2] {
        let [m, n] = [0, 1].map(|k| self.b.data(a).shape[k].clone());
        let (zero, start) = (self.constant(Const::I64(0)), self.b.size(&n));
        [self.b.slice(vu, zero, n), self.b.slice(vu, start, m)]
    }

    /// V̇ above U̇.
    pub(crate) fn singular_vectors_tangent(&mut self, vu: Value, s: Value, dot: Value) -> Value {
        let [v, u] = self.singular_vectors(vu, dot);
        let [n, m] = [v, u].map(|x| self.b.data(x).shape[0].clone());
        let moved = self.b.matmul(dot, v);
        let adjoint = self.adjoint(u);
        let k = self.b.matmul(adjoint, moved);
        let [hermitian, skew] = [Op::Add, Op::Sub].map(|op| self.half(op, k));
        let common = self.turned(s, hermitian);
        let [of_v, of_u] = [Op::Sub, Op::Add].map(|op| {
            let data = self.b.data(k).clone();
            self.map(&data, |em, index| {
                let [x, y] = [common, skew].map(|m| em.b.index(m, index));
                let divisor = em.divisor(s, index);
                let quotient = em.over(y, divisor);
                let off = em.b.op(op, &[x, quotient]);
                if op == Op::Add {
                    return off;
                }
                let diagonal = em.b.op(Op::Eq, index);
                em.b.op(Op::Select, &[diagonal, x, off])
            })
        });
        let (v_dot, mut u_dot) = (self.b.matmul(v, of_v), self.b.matmul(u, of_u));
        if m != n {
            let outside = self.outside(u, moved);
            let outside = self.of_columns(outside, s, |em, x, s| em.over(x, s));
            u_dot = self.each(Op::Add, &[u_dot, outside]);
        }
        let both = self.above(v_dot, u_dot, vu);
        self.with_phases(vu, &n, both)
    }

    /// The cotangent of the matrix `a` for that of V above U.
    pub(crate) fn singular_vectors_cotangent(&mut self, a: Value, vu: Value, s: Value, bar: Value) -> Value {
        let [m, n] = [0, 1].map(|k| self.b.data(a).shape[k].clone());
        let bar = self.without_phases(vu, &n, bar);
        let [[v, u], [v_bar, u_bar]] = [vu, bar].map(|x| self.singular_vectors(x, a));
        let [of_v, of_u] = [(v, v_bar), (u, u_bar)].map(|(x, bar)| {
            let adjoint = self.adjoint(x);
            self.b.matmul(adjoint, bar)
        });
        let common = self.each(Op::Add, &[of_u, of_v]);
        let hermitian = self.turned_back(s, common, bar);
        let data = self.b.data(common).clone();
        let skew = self.map(&data, |em, index| {
            let [x, y] = [of_u, of_v].map(|m| em.b.index(m, index));
            let off = em.b.op(Op::Sub, &[x, y]);
            let diagonal = em.b.op(Op::Eq, index);
            let x = em.b.op(Op::Select, &[diagonal, x, off]);
            let divisor = em.divisor(s, index);
            em.over(x, divisor)
        });
        let (hermitian, skew) = (self.half(Op::Add, hermitian), self.half(Op::Sub, skew));
        let k = self.each(Op::Add, &[hermitian, skew]);
        let mut left = self.b.matmul(u, k);
        if m != n {
            let outside = self.outside(u, u_bar);
            let outside = self.of_columns(outside, s, |em, x, s| em.over(x, s));
            left = self.each(Op::Add, &[left, outside]);
        }
        let adjoint = self.adjoint(v);
        self.b.matmul(left, adjoint)
    }

    /// The tangent of Q of the matrix `a`: X − Q T with X = Ȧ R⁻¹, T being the upper triangle of C + Cᴴ, C = Qᴴ X, with half its
    /// diagonal.
    pub(crate) fn basis_tangent(&mut self, a: Value, q: Value, dot: Value) -> Value {
        let r = self.triangular(a, q);
        let turned = self.adjoint(dot);
        let x = self.solution_of(LinalgOp::SolveAdjoint, r, turned);
        let (x, adjoint) = (self.adjoint(x), self.adjoint(q));
        let c = self.b.matmul(adjoint, x);
        let upper = self.upper(c, |em, i, j| {
            let [x, mirrored] = [[i, j], [j, i]].map(|at| em.b.index(c, &at));
            let mirrored = em.conjugate(mirrored);
            em.b.op(Op::Add, &[x, mirrored])
        });
        let inside = self.b.matmul(q, upper);
        self.each(Op::Sub, &[x, inside])
    }

    /// The cotangent of the matrix `a` for that of Q: (Q̄ − Q M) R⁻ᴴ, M being Hermitian with the upper triangle of Qᴴ Q̄.
    pub(crate) fn basis_cotangent(&mut self, a: Value, q: Value, bar: Value) -> Value {
        let r = self.triangular(a, q);
        let adjoint = self.adjoint(bar);
        let product = self.b.matmul(adjoint, q);
        let hermitian = self.hermitian(product);
        let inside = self.b.matmul(q, hermitian);
        let x = self.each(Op::Sub, &[bar, inside]);
        let turned = self.adjoint(x);
        let turned = self.solution_of(LinalgOp::Solve, r, turned);
        self.adjoint(turned)
    }

    /// The solution for an upper triangular matrix, and NaN if there is a 0 on its diagonal.
    fn solution_of(&mut self, op: LinalgOp, r: Value, x: Value) -> Value {
        let [of_r, of_x] = [r, x].map(|v| self.b.data(v).clone());
        let range = self.range(&of_r.shape[0]);
        let zero = self.constant(Const::real(0.0, of_r.ty.scalar().real()));
        let regular = self.b.reduce(ReduceOp::All, range, |b, i| {
            let d = b.index(r, &[i, i]);
            let size = b.op(Op::Abs, &[d]);
            b.op(Op::Gt, &[size, zero])
        });
        self.where_known(regular, &of_x, |em| em.b.linalg(op, &[r, x]))
    }

    /// R = Qᴴ A.
    fn triangular(&mut self, a: Value, q: Value) -> Value {
        let adjoint = self.adjoint(q);
        let product = self.b.matmul(adjoint, a);
        self.upper(product, |em, i, j| em.b.index(product, &[i, j]))
    }

    /// The real diagonal of a matrix, zeros below, and `above`.
    fn upper(&mut self, x: Value, above: impl Fn(&mut Emitter, Value, Value) -> Value) -> Value {
        let data = self.b.data(x).clone();
        self.triangles(&data, |em, side, i, j| match side {
            Side::Below => em.zero_like(x),
            Side::Diagonal => {
                let d = em.b.index(x, &[i, j]);
                em.real_part(d)
            }
            Side::Above => above(em, i, j),
        })
    }

    /// Re xᴴ y of every column.
    pub(crate) fn column_products(&mut self, x: Value, y: Value) -> Value {
        let data = self.b.data(x).clone();
        let sums = adc_ir::ValueData::array(data.ty.scalar().real(), data.shape[1..].to_vec());
        self.map(&sums, |em, index| {
            em.sum_over(&data.shape[..1], &mut Vec::new(), &mut |em, row| {
                let [x, y] = [x, y].map(|m| em.b.index(m, &[row[0], index[0]]));
                let x = em.conjugate(x);
                let product = em.b.op(Op::Mul, &[x, y]);
                if data.ty.scalar().is_complex() { em.b.op(Op::Re, &[product]) } else { product }
            })
        })
    }

    /// A matrix of its elements and the number for their column.
    pub(crate) fn of_columns(
        &mut self,
        x: Value,
        s: Value,
        f: impl Fn(&mut Emitter, Value, Value) -> Value,
    ) -> Value {
        let data = self.b.data(x).clone();
        self.map(&data, |em, index| {
            let (x, s) = (em.b.index(x, index), em.b.index(s, &index[1..]));
            f(em, x, s)
        })
    }

    /// Half the sum or difference of a matrix and its adjoint.
    fn half(&mut self, op: Op, x: Value) -> Value {
        let adjoint = self.adjoint(x);
        let both = self.each(op, &[x, adjoint]);
        let half = self.constant(Const::real(0.5, self.b.ty(x).scalar().real()));
        self.each(Op::Mul, &[half, both])
    }

    /// σ_i + σ_j, and σ_i on the diagonal.
    fn divisor(&mut self, s: Value, index: &[Value]) -> Value {
        let [x, y] = [0, 1].map(|k| self.b.index(s, &index[k..=k]));
        let sum = self.b.op(Op::Add, &[x, y]);
        let diagonal = self.b.op(Op::Eq, index);
        self.b.op(Op::Select, &[diagonal, x, sum])
    }

    /// x, and 0 where s is.
    pub(crate) fn unless_zero(&mut self, s: Value, x: Value) -> Value {
        let [none, zero] = [s, x].map(|v| self.zero_like(v));
        let nothing = self.b.op(Op::Eq, &[s, none]);
        self.b.op(Op::Select, &[nothing, zero, x])
    }

    /// x/d, and 0 for 0/0: what is not used.
    fn over(&mut self, x: Value, d: Value) -> Value {
        let zeros = [x, d].map(|v| {
            let zero = self.zero_like(v);
            self.b.op(Op::Eq, &[v, zero])
        });
        let nothing = self.b.op(Op::And, &zeros);
        let quotient = self.b.op(Op::Div, &[x, d]);
        let zero = self.zero_like(x);
        self.b.op(Op::Select, &[nothing, zero, quotient])
    }

    /// (1 − U Uᴴ) x, done twice, as the first time leaves the rounding of what it takes away, which a small singular value would
    /// magnify.
    fn outside(&mut self, u: Value, x: Value) -> Value {
        let adjoint = self.adjoint(u);
        (0..2).fold(x, |x, _| {
            let inside = self.b.matmul(adjoint, x);
            let inside = self.b.matmul(u, inside);
            self.each(Op::Sub, &[x, inside])
        })
    }

    /// Rows of both, in an array like `like`.
    fn above(&mut self, x: Value, y: Value, like: Value) -> Value {
        let (data, n) = (self.b.data(like).clone(), self.b.data(x).shape[0].clone());
        let zeros = self.zero(&data);
        let (zero, n) = (self.constant(Const::I64(0)), self.b.size(&n));
        let upper = self.b.update_slice(zeros, x, zero);
        self.b.update_slice(upper, y, n)
    }
}
