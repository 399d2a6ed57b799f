//! The same kernels on values of the interpreter, which so agrees with compiled code to the bit.

use super::operation;
use adc_ir::interp::Val;
use adc_ir::{Const, LinalgOp, Scalar, Trap};
use adc_runtime::kernels::Product;
use adc_runtime::kernels::linear::{Made, apply};
use adc_runtime::linalg::{self, Element, Singular};
use num_complex::{Complex, Complex32, Complex64};

/// The interpreter's way to the same products: n × k and k × m matrices in `size`, of which a real one may stand beside a
/// complex one.
pub(crate) fn matmul_values(
    elem: Scalar,
    size: [usize; 3],
    a: &[Val<f64>],
    b: &[Val<f64>],
) -> Option<Vec<Val<f64>>> {
    fn of<A: Number, B: Number, C: Number + Element>(
        size: [usize; 3],
        a: &[Val<f64>],
        b: &[Val<f64>],
        f: Product<A, B, C>,
    ) -> Vec<Val<f64>> {
        let mut out = vec![C::ZERO; size[0] * size[2]];
        f(size, &mut out, &numbers(a), &numbers(b));
        values(&out)
    }
    let complex = |x: &[Val<f64>]| matches!(x.first(), Some(Val::Complex(_)));
    let widths = (complex(a), complex(b));
    if a.is_empty() || b.is_empty() {
        // Which of them is complex cannot be told, and does not matter.
        return Some(vec![Val::from_const(Const::zero(elem)); size[0] * size[2]]);
    }
    Some(match (elem, widths) {
        (Scalar::F32, _) => of::<f32, f32, f32>(size, a, b, linalg::matmul),
        (Scalar::F64, _) => of::<f64, f64, f64>(size, a, b, linalg::matmul),
        (Scalar::C64, (false, _)) => of::<f32, Complex32, Complex32>(size, a, b, linalg::real_matmul),
        (Scalar::C64, (_, false)) => of::<Complex32, f32, Complex32>(size, a, b, linalg::matmul_real),
        (Scalar::C64, _) => of::<Complex32, Complex32, Complex32>(size, a, b, linalg::matmul),
        (Scalar::C128, (false, _)) => of::<f64, Complex64, Complex64>(size, a, b, linalg::real_matmul),
        (Scalar::C128, (_, false)) => of::<Complex64, f64, Complex64>(size, a, b, linalg::matmul_real),
        (Scalar::C128, _) => of::<Complex64, Complex64, Complex64>(size, a, b, linalg::matmul),
        (Scalar::Bool | Scalar::I64, _) => return None,
    })
}

/// The interpreter's way to the same linear algebra.
pub(crate) fn linalg_values(
    op: LinalgOp,
    elem: Scalar,
    size: [usize; 2],
    a: &[Val<f64>],
    b: &[Val<f64>],
) -> Option<Result<Vec<Val<f64>>, Trap>> {
    fn of<T: Number + Element>(
        op: LinalgOp,
        size: [usize; 2],
        a: &[Val<f64>],
        b: &[Val<f64>],
    ) -> Result<Vec<Val<f64>>, Trap> {
        let (n, counts) = (size[0], operation(op).counts(size));
        let (a, b) = (numbers::<T>(a), numbers::<T>(b));
        let mut memory = if counts.work > 0 { a.clone() } else { vec![T::ZERO; counts.spare] };
        let mut out = vec![T::ZERO; op.results(size).unwrap_or(1)];
        match apply(operation(op), size, &mut out, [&a, &b], &mut memory, &mut vec![0; n]) {
            Ok(Made::Out) => Ok(values(&out)),
            Ok(Made::Number(x)) => Ok(vec![Val::Real(T::rounded(x))]),
            Ok(Made::RealParts(len)) => Ok(memory[..len].iter().map(|x| Val::Real(x.re())).collect()),
            Err(Singular) => Err(Trap::Singular),
        }
    }
    // The type of a result that is real whatever the matrix is does not tell.
    let complex = matches!(a.first(), Some(Val::Complex(_)));
    let elem = if complex { elem.complex().unwrap_or(elem) } else { elem };
    Some(match elem {
        Scalar::F32 => of::<f32>(op, size, a, b),
        Scalar::F64 => of::<f64>(op, size, a, b),
        Scalar::C64 => of::<Complex32>(op, size, a, b),
        Scalar::C128 => of::<Complex64>(op, size, a, b),
        Scalar::Bool | Scalar::I64 => return None,
    })
}

/// Elements as the interpreter has them.
trait Number: Copy {
    fn get(v: &Val<f64>) -> Self;
    fn val(self) -> Val<f64>;
    /// A real number in the precision of the type.
    fn rounded(x: f64) -> f64;
}

fn numbers<T: Number>(x: &[Val<f64>]) -> Vec<T> {
    x.iter().map(T::get).collect()
}

fn values<T: Number>(x: &[T]) -> Vec<Val<f64>> {
    x.iter().map(|x| x.val()).collect()
}

macro_rules! number {
    ($($t:ty),*) => {$(
        impl Number for $t {
            fn get(v: &Val<f64>) -> $t {
                match v {
                    Val::Real(x) => *x as $t,
                    v => panic!("{v:?} is no real number"),
                }
            }
            fn val(self) -> Val<f64> {
                Val::Real(self as f64)
            }
            fn rounded(x: f64) -> f64 {
                x as $t as f64
            }
        }
        impl Number for Complex<$t> {
            fn get(v: &Val<f64>) -> Self {
                match v {
                    Val::Real(x) => Complex::new(*x as $t, 0.0),
                    Val::Complex(z) => Complex::new(z.re as $t, z.im as $t),
                    v => panic!("{v:?} is no number"),
                }
            }
            fn val(self) -> Val<f64> {
                Val::Complex(Complex::new(self.re as f64, self.im as f64))
            }
            fn rounded(x: f64) -> f64 {
                x as $t as f64
            }
        }
    )*};
}

number!(f32, f64);
