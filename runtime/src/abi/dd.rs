//! C functions of double-doubles, with the signature of an `extern fn` of a module: the parts of every operand, high ones first
//! (a complex part is two doubles), an integer where the op has it, then where to write the high and the low part of the
//! result. They return 0.
//!
//! Operands may have any bits: two doubles that are no double-double stand for their sum.

mod arrays;

pub use arrays::{
    FAILED, ccholesky, cdet, ceigh_values, ceigh_vectors, cholesky, cinv, clogdet, cmatmul, cqr_q, csolve,
    csolve_adjoint, csvd_values, csvd_vectors, det, eigh_values, eigh_vectors, inv, logdet, matmul, qr_q,
    solve, solve_adjoint, svd_values, svd_vectors,
};

use super::functions;
use crate::dd::{self, Cdd, Dd};
use num_complex::Complex64;

/// A complex number from its parts.
fn number(hi_re: f64, hi_im: f64, lo_re: f64, lo_im: f64) -> Cdd {
    Cdd::new(Dd::new(hi_re, lo_re), Dd::new(hi_im, lo_im))
}

/// Writes both parts of `x`.
///
/// # Safety
/// `hi` and `lo` must point to a writable, aligned double each.
unsafe fn store(x: Dd, hi: *mut f64, lo: *mut f64) -> i32 {
    // SAFETY: by the caller's promise both places are writable and aligned.
    unsafe {
        hi.write(x.hi);
        lo.write(x.lo);
    }
    0
}

/// Writes both parts of `z`.
///
/// # Safety
/// `hi` and `lo` must point to a writable, aligned complex number each.
unsafe fn store_complex(z: Cdd, hi: *mut Complex64, lo: *mut Complex64) -> i32 {
    // SAFETY: by the caller's promise both places are writable and aligned.
    unsafe {
        hi.write(z.high());
        lo.write(Complex64::new(z.re.lo, z.im.lo));
    }
    0
}

/// What an operand of a function is in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A double.
    Real,
    /// A complex number.
    Complex,
    /// An integer.
    Integer,
}

/// A row of [`ROWS`].
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The function's name: the op's, with a `c` before it if the op's operands are complex.
    pub name: &'static str,
    /// The function.
    pub address: *const u8,
    /// Its operands: high and low parts of the op's.
    pub operands: &'static [Operand],
    /// The high part of its result, as the low one.
    pub result: Operand,
}

macro_rules! real {
    ($($name:ident($($x:ident: $t:ty),*) = $call:expr;)*) => {
        $(#[doc = concat!("See [`dd::", stringify!($name), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned double each.
        pub unsafe extern "C" fn $name($($x: $t,)* hi: *mut f64, lo: *mut f64) -> i32 {
            // SAFETY: the caller's promise is `store`'s.
            unsafe { store($call, hi, lo) }
        })*
    };
}
real! { powi(x_hi: f64, x_lo: f64, n: i64) = dd::powi(Dd::new(x_hi, x_lo), n); }

/// `cos x + i sin x`, of [`dd::sin_cos`].
///
/// # Safety
/// The last two operands must point to a writable, aligned complex number each.
pub unsafe extern "C" fn cis(x_hi: f64, x_lo: f64, hi: *mut Complex64, lo: *mut Complex64) -> i32 {
    let (sin, cos) = dd::sin_cos(Dd::new(x_hi, x_lo));
    // SAFETY: the caller's promise is `store_complex`'s.
    unsafe { store_complex(Cdd::new(cos, sin), hi, lo) }
}

/// Those with a complex operand.
pub mod complex {
    use super::{Complex64, number, store, store_complex};
    use crate::dd::complex as functions;

    macro_rules! complex {
        ($($name:ident($($x:ident: $t:ty),*) -> $part:ty = $store:ident($call:expr);)*) => {
            $(#[doc = concat!("See [`functions::", stringify!($name), "`].")]
            ///
            /// # Safety
            /// The last two operands must point to a writable, aligned number each.
            #[allow(clippy::too_many_arguments)]
            pub unsafe extern "C" fn $name($($x: $t,)* hi: *mut $part, lo: *mut $part) -> i32 {
                // SAFETY: the caller's promise is `store`'s or `store_complex`'s.
                unsafe { $store($call, hi, lo) }
            })*
        };
    }
    complex! {
        powi(hi_re: f64, hi_im: f64, lo_re: f64, lo_im: f64, n: i64) -> Complex64 =
            store_complex(functions::powi(number(hi_re, hi_im, lo_re, lo_im), n));
    }
    macro_rules! wrap {
        ($real1:tt $real2:tt $real_int:tt [$($one:ident)*] [$($two:ident)*] [$($int:ident)*] [$($real:ident)*]) => {
            complex! {
                $($int(n: i64, hi_re: f64, hi_im: f64, lo_re: f64, lo_im: f64) -> Complex64 =
                    store_complex(functions::$int(n, number(hi_re, hi_im, lo_re, lo_im)));)*
                $($one(hi_re: f64, hi_im: f64, lo_re: f64, lo_im: f64) -> Complex64 =
                    store_complex(functions::$one(number(hi_re, hi_im, lo_re, lo_im)));)*
                $($two(a_hi_re: f64, a_hi_im: f64, a_lo_re: f64, a_lo_im: f64,
                       b_hi_re: f64, b_hi_im: f64, b_lo_re: f64, b_lo_im: f64) -> Complex64 =
                    store_complex(functions::$two(
                        number(a_hi_re, a_hi_im, a_lo_re, a_lo_im),
                        number(b_hi_re, b_hi_im, b_lo_re, b_lo_im),
                    ));)*
                $($real(hi_re: f64, hi_im: f64, lo_re: f64, lo_im: f64) -> f64 =
                    store(functions::$real(number(hi_re, hi_im, lo_re, lo_im)));)*
            }
        };
    }
    super::functions!(wrap);
}

const X: &[Operand] = &[Operand::Real; 2];
const Z: &[Operand] = &[Operand::Complex; 2];

/// A row of [`EACH`].
#[derive(Clone, Copy, Debug)]
pub struct EachRow {
    /// The name of the function of one real number.
    pub name: &'static str,
    /// The function of arrays: the number of elements, high and low halves, where to write those of the results.
    pub address: *const u8,
}

/// Functions of every element of an array.
pub mod each {
    use super::FAILED;
    pub use crate::dd::each::IN_LANES;
    use crate::dd::each::{each, many};

    /// The numbers of arrays, as [`each`] takes them.
    ///
    /// # Safety
    /// As of the functions.
    unsafe fn arrays<'a>(
        n: usize,
        [hi, lo]: [*const f64; 2],
        [to_hi, to_lo]: [*mut f64; 2],
    ) -> ([&'a [f64]; 2], [&'a mut [f64]; 2]) {
        // SAFETY: the caller's promise.
        unsafe {
            let from = [hi, lo].map(|x| std::slice::from_raw_parts(x, n));
            (from, [to_hi, to_lo].map(|x| std::slice::from_raw_parts_mut(x, n)))
        }
    }

    macro_rules! of_arrays {
        ([$($name:ident)*]) => {
            $(#[doc = concat!("See [`crate::dd::", stringify!($name), "`].")]
            ///
            /// # Safety
            /// The arrays have `n` aligned doubles each, unless `n` is 0; those of the results are writable and apart from the others.
            pub unsafe extern "C" fn $name(
                n: i64,
                x_hi: *const f64,
                x_lo: *const f64,
                hi: *mut f64,
                lo: *mut f64,
            ) -> i32 {
                let Ok(n) = usize::try_from(n) else { return FAILED };
                if n > 0 {
                    // SAFETY: the caller's promise.
                    let (x, to) = unsafe { arrays(n, [x_hi, x_lo], [hi, lo]) };
                    each(crate::dd::$name, many(stringify!($name)), x, to);
                }
                0
            })*
        };
    }
    macro_rules! wrap {
        ($one:tt $($other:tt)*) => {
            of_arrays!($one);
        };
    }
    super::functions!(wrap);
}

/// A row of a function of the module that is named.
macro_rules! row {
    ($name:expr, $path:path, $operands:expr, $result:ident) => {
        Row { name: $name, address: $path as *const u8, operands: $operands, result: Operand::$result }
    };
}
macro_rules! rows {
    ([$($r1:ident)*] [$($r2:ident)*] [$($int:ident)*] [$($c1:ident)*] [$($c2:ident)*] [$($ci:ident)*] [$($to:ident)*]) => {
        real! {
            $($r1(x_hi: f64, x_lo: f64) = dd::$r1(Dd::new(x_hi, x_lo));)*
            $($r2(a_hi: f64, a_lo: f64, b_hi: f64, b_lo: f64) = dd::$r2(Dd::new(a_hi, a_lo), Dd::new(b_hi, b_lo));)*
            $($int(n: i64, x_hi: f64, x_lo: f64) = dd::$int(n, Dd::new(x_hi, x_lo));)*
        }

        /// Those of one real number, of every element of an array.
        pub const EACH: &[EachRow] =
            &[$(EachRow { name: stringify!($r1), address: each::$r1 as *const u8 },)*];

        /// Every one but those of arrays.
        pub const ROWS: &[Row] = &[
            $(row!(stringify!($r1), $r1, X, Real),)*
            $(row!(stringify!($r2), $r2, &[Operand::Real; 4], Real),)*
            $(row!(stringify!($int), $int, &[Operand::Integer, Operand::Real, Operand::Real], Real),)*
            row!("powi", powi, &[Operand::Real, Operand::Real, Operand::Integer], Real),
            row!("cis", cis, X, Complex),
            $(row!(concat!("c", stringify!($c1)), complex::$c1, Z, Complex),)*
            $(row!(concat!("c", stringify!($c2)), complex::$c2, &[Operand::Complex; 4], Complex),)*
            $(row!(concat!("c", stringify!($ci)), complex::$ci, &[Operand::Integer, Operand::Complex, Operand::Complex], Complex),)*
            $(row!(concat!("c", stringify!($to)), complex::$to, Z, Real),)*
            row!("cpowi", complex::powi, &[Operand::Complex, Operand::Complex, Operand::Integer], Complex),
        ];
    };
}
functions!(rows);
