//! C functions of double-doubles, with the signature of an `extern fn` of a module: the parts of every operand, high ones first
//! (a complex part is two doubles), an integer where the op has it, then where to write the high and the low part of the
//! result. They return 0.
//!
//! Operands may have any bits: two doubles that are no double-double stand for their sum.

mod arrays;

pub use arrays::{
    FAILED, ccholesky, cdet, cholesky, cinv, clogdet, cmatmul, csolve, csolve_adjoint, det, inv, logdet,
    matmul, solve, solve_adjoint,
};

use crate::dd::{self, Cdd, Dd, complex};
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

macro_rules! real {
    ($($name:ident;)*) => {
        $(#[doc = concat!("See [`dd::", stringify!($name), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned double each.
        pub unsafe extern "C" fn $name(x_hi: f64, x_lo: f64, hi: *mut f64, lo: *mut f64) -> i32 {
            // SAFETY: the caller's promise is `store`'s.
            unsafe { store(dd::$name(Dd::new(x_hi, x_lo)), hi, lo) }
        })*
    };
}
real! {
    exp; expm1; exp2; log; log2; log10; log1p; cbrt; sin; cos; tan; asin; acos; atan; sinh; cosh; tanh; asinh; acosh; atanh;
    sinc; erf; erfc; lgamma; digamma; sigmoid; softplus; log_sigmoid; sech2; dsigmoid;
}

macro_rules! real_of_two {
    ($($name:ident;)*) => {
        $(#[doc = concat!("See [`dd::", stringify!($name), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned double each.
        pub unsafe extern "C" fn $name(
            a_hi: f64,
            a_lo: f64,
            b_hi: f64,
            b_lo: f64,
            hi: *mut f64,
            lo: *mut f64,
        ) -> i32 {
            // SAFETY: the caller's promise is `store`'s.
            unsafe { store(dd::$name(Dd::new(a_hi, a_lo), Dd::new(b_hi, b_lo)), hi, lo) }
        })*
    };
}
real_of_two! { logaddexp; hypot; atan2; pow; }

/// See [`dd::powi`].
///
/// # Safety
/// The last two operands must point to a writable, aligned double each.
pub unsafe extern "C" fn powi(x_hi: f64, x_lo: f64, n: i64, hi: *mut f64, lo: *mut f64) -> i32 {
    // SAFETY: the caller's promise is `store`'s.
    unsafe { store(dd::powi(Dd::new(x_hi, x_lo), n), hi, lo) }
}

macro_rules! real_of_integer {
    ($($name:ident;)*) => {
        $(#[doc = concat!("See [`dd::", stringify!($name), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned double each.
        pub unsafe extern "C" fn $name(n: i64, x_hi: f64, x_lo: f64, hi: *mut f64, lo: *mut f64) -> i32 {
            // SAFETY: the caller's promise is `store`'s.
            unsafe { store(dd::$name(n, Dd::new(x_hi, x_lo)), hi, lo) }
        })*
    };
}
real_of_integer! { polygamma; dsinc; }

/// `cos x + i sin x`, of [`dd::sin_cos`].
///
/// # Safety
/// The last two operands must point to a writable, aligned complex number each.
pub unsafe extern "C" fn cis(x_hi: f64, x_lo: f64, hi: *mut Complex64, lo: *mut Complex64) -> i32 {
    let (sin, cos) = dd::sin_cos(Dd::new(x_hi, x_lo));
    // SAFETY: the caller's promise is `store_complex`'s.
    unsafe { store_complex(Cdd::new(cos, sin), hi, lo) }
}

macro_rules! complex {
    ($($name:ident $function:ident;)*) => {
        $(#[doc = concat!("See [`complex::", stringify!($function), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned complex number each.
        pub unsafe extern "C" fn $name(
            hi_re: f64,
            hi_im: f64,
            lo_re: f64,
            lo_im: f64,
            hi: *mut Complex64,
            lo: *mut Complex64,
        ) -> i32 {
            // SAFETY: the caller's promise is `store_complex`'s.
            unsafe { store_complex(complex::$function(number(hi_re, hi_im, lo_re, lo_im)), hi, lo) }
        })*
    };
}
complex! {
    cexp exp; cexpm1 expm1; clog log; clog2 log2; clog10 log10; clog1p log1p; csqrt sqrt; csin sin; ccos cos; ctan tan;
    casin asin; cacos acos; catan atan; csinh sinh; ccosh cosh; ctanh tanh; casinh asinh; cacosh acosh; catanh atanh;
    csigmoid sigmoid; csech2 sech2; cdsigmoid dsigmoid; crecip recip; csign sign;
}

macro_rules! complex_of_two {
    ($($name:ident $function:ident;)*) => {
        $(#[doc = concat!("See [`complex::", stringify!($function), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned complex number each.
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            a_hi_re: f64,
            a_hi_im: f64,
            a_lo_re: f64,
            a_lo_im: f64,
            b_hi_re: f64,
            b_hi_im: f64,
            b_lo_re: f64,
            b_lo_im: f64,
            hi: *mut Complex64,
            lo: *mut Complex64,
        ) -> i32 {
            let a = number(a_hi_re, a_hi_im, a_lo_re, a_lo_im);
            let b = number(b_hi_re, b_hi_im, b_lo_re, b_lo_im);
            // SAFETY: the caller's promise is `store_complex`'s.
            unsafe { store_complex(complex::$function(a, b), hi, lo) }
        })*
    };
}
complex_of_two! { cdiv div; cpow pow; }

/// See [`complex::powi`].
///
/// # Safety
/// The last two operands must point to a writable, aligned complex number each.
pub unsafe extern "C" fn cpowi(
    hi_re: f64,
    hi_im: f64,
    lo_re: f64,
    lo_im: f64,
    n: i64,
    hi: *mut Complex64,
    lo: *mut Complex64,
) -> i32 {
    // SAFETY: the caller's promise is `store_complex`'s.
    unsafe { store_complex(complex::powi(number(hi_re, hi_im, lo_re, lo_im), n), hi, lo) }
}

macro_rules! to_real {
    ($($name:ident $function:ident;)*) => {
        $(#[doc = concat!("See [`complex::", stringify!($function), "`].")]
        ///
        /// # Safety
        /// The last two operands must point to a writable, aligned double each.
        pub unsafe extern "C" fn $name(
            hi_re: f64,
            hi_im: f64,
            lo_re: f64,
            lo_im: f64,
            hi: *mut f64,
            lo: *mut f64,
        ) -> i32 {
            // SAFETY: the caller's promise is `store`'s.
            unsafe { store(complex::$function(number(hi_re, hi_im, lo_re, lo_im)), hi, lo) }
        })*
    };
}
to_real! { cabs abs; carg arg; }
