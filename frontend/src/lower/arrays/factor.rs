//! Factorisations of matrices of any shape, by those of matrices with no fewer rows than columns.

use super::elementwise::{first, int};
use super::form::adjoint;
use crate::sema::dims;
use adc_ir::dims::Dim;
use adc_ir::{Builder, Const, Guard, LinalgOp, Op, Value};

/// Q and R with A = Q R: Q has orthonormal columns, R a real diagonal that is not negative, and zeros below.
pub(in crate::lower) fn qr(b: &mut Builder, a: Value) -> [Value; 2] {
    let [m, n] = sizes(b, a);
    let front = match dims::is_wide(&m, &n) {
        // The first columns determine Q.
        true => b.build(&[m.clone(), m], |b, i| b.index(a, i)),
        false => a,
    };
    tall(b, "qr", front);
    let q = b.linalg(LinalgOp::QrQ, &[front]);
    let left = adjoint(b, q);
    let product = b.matmul(left, a);
    let (shape, zero) = (b.data(product).shape.clone(), b.constant(Const::zero(b.ty(product).scalar())));
    let r = b.build(&shape, |b, i| {
        let x = b.index(product, i);
        let x = if b.ty(x).scalar().is_complex() { real_on_diagonal(b, x, i) } else { x };
        let below = b.op(Op::Gt, i);
        b.op(Op::Select, &[below, zero, x])
    });
    [q, r]
}

/// The element, without the rounding of the imaginary part on the diagonal.
fn real_on_diagonal(b: &mut Builder, x: Value, i: &[Value]) -> Value {
    let [re, im] = [Op::Re, Op::Im].map(|op| b.op(op, &[x]));
    let (zero, diagonal) = (b.constant(Const::zero(b.ty(im).scalar())), b.op(Op::Eq, i));
    let im = b.op(Op::Select, &[diagonal, zero, im]);
    b.op(Op::Complex, &[re, im])
}

/// The singular values in descending order.
pub(in crate::lower) fn svdvals(b: &mut Builder, a: Value) -> Value {
    let (a, _) = upright(b, a);
    tall(b, "svdvals", a);
    b.linalg(LinalgOp::SvdValues, &[a])
}

/// U, s and V with A = U diag(s) Vᴴ.
pub(in crate::lower) fn svd(b: &mut Builder, a: Value) -> [Value; 3] {
    let (a, turned) = upright(b, a);
    tall(b, "svd", a);
    let [m, n] = sizes(b, a);
    let [s, vu] = [LinalgOp::SvdValues, LinalgOp::SvdVectors].map(|op| b.linalg(op, &[a]));
    let (start, behind) = (int(b, 0), b.size(&n));
    let v = b.slice(vu, start, n);
    let u = b.slice(vu, behind, m);
    if turned { [v, s, u] } else { [u, s, v] }
}

fn sizes(b: &Builder, a: Value) -> [Dim; 2] {
    [first(b, a), b.data(a).shape[1].clone()]
}

/// The matrix or its adjoint, whichever has no fewer rows than columns; and whether it is the adjoint.
fn upright(b: &mut Builder, a: Value) -> (Value, bool) {
    let [m, n] = sizes(b, a);
    let wide = dims::is_wide(&m, &n);
    (if wide { adjoint(b, a) } else { a }, wide)
}

/// Asserts that there are no fewer rows than columns, unless it is certain.
fn tall(b: &mut Builder, name: &str, a: Value) {
    let [m, n] = sizes(b, a);
    if dims::at_most(&n, &m) {
        return;
    }
    let sizes = [m, n].map(|d| b.size(&d));
    let fine = b.op(Op::Ge, &sizes);
    let text =
        format!("`{name}` needs as many rows as columns or more, unless the matrix is `f64[N, N + M]`");
    b.assert(Guard::Assert(text), fine);
}
