//! The functions as C functions, for compiled code to call by address.
//!
//! Real: `fn(f64, …) -> f64`, or `-> Pair` for functions that compute two at once. Complex: the parts of every operand, then where to write the two parts of the
//! result; complex to real returns the number. An integer operand comes first, whatever its place in the op.

pub mod dd;

/// C functions of real operands; the functions of [`crate::real`].
pub mod real {
    use crate::real::Pair;

    macro_rules! wrap {
        ($result:ty: $($name:ident($($x:ident),*);)*) => {
            $(#[doc = concat!("See [`crate::real::", stringify!($name), "`].")]
            pub extern "C" fn $name($($x: f64),*) -> $result {
                crate::real::$name($($x),*)
            })*
        };
    }
    wrap! { Pair: sincos(x); tanh_sech2(x); sigmoid_dsigmoid(x); }
    wrap! { f64:
        pow(a, b); exp(x); expm1(x); exp2(x); log(x); log2(x); log10(x); log1p(x); cbrt(x);
        sin(x); cos(x); tan(x); asin(x); acos(x); atan(x);
        sinh(x); cosh(x); tanh(x); asinh(x); acosh(x); atanh(x); sinc(x);
        sigmoid(x); softplus(x); log_sigmoid(x); logaddexp(a, b); erf(x); erfc(x); lgamma(x); digamma(x);
        hypot(a, b); atan2(a, b); sech2(x); dsigmoid(x); floor_mod(a, b); arg(x);
    }

    /// a·b + c rounded once, for machines without such an instruction.
    pub extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    /// The same in single precision.
    pub extern "C" fn fmaf(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    /// See [`crate::real::powi`].
    pub extern "C" fn powi(n: i64, x: f64) -> f64 {
        crate::real::powi(x, n)
    }

    /// See [`crate::real::polygamma`].
    pub extern "C" fn polygamma(n: i64, x: f64) -> f64 {
        crate::real::polygamma(n, x)
    }

    /// See [`crate::real::dsinc`].
    pub extern "C" fn dsinc(n: i64, x: f64) -> f64 {
        crate::real::dsinc(n, x)
    }
}

/// C functions of complex operands; the functions of [`crate::complex`].
pub mod complex {
    use num_complex::Complex64;

    macro_rules! wrap {
        ($($name:ident;)*) => {
            $(#[doc = concat!("See [`crate::complex::", stringify!($name), "`].")]
            ///
            /// # Safety
            /// `out` must point to two writable, aligned doubles.
            pub unsafe extern "C" fn $name(re: f64, im: f64, out: *mut f64) {
                // SAFETY: the caller's promise is `store`'s.
                unsafe { store(out, crate::complex::$name(Complex64::new(re, im))) }
            })*
        };
    }
    wrap! {
        recip; exp; expm1; log; log2; log10; log1p; sqrt; sin; cos; tan; asin; acos; atan;
        sinh; cosh; tanh; asinh; acosh; atanh; sigmoid; sign; sech2; dsigmoid; cis;
    }

    /// See [`crate::complex::div`].
    ///
    /// # Safety
    /// `out` must point to two writable, aligned doubles.
    pub unsafe extern "C" fn div(a_re: f64, a_im: f64, b_re: f64, b_im: f64, out: *mut f64) {
        let value = crate::complex::div(Complex64::new(a_re, a_im), Complex64::new(b_re, b_im));
        // SAFETY: the caller's promise is `store`'s.
        unsafe { store(out, value) }
    }

    /// See [`crate::complex::pow`].
    ///
    /// # Safety
    /// `out` must point to two writable, aligned doubles.
    pub unsafe extern "C" fn pow(a_re: f64, a_im: f64, b_re: f64, b_im: f64, out: *mut f64) {
        let value = crate::complex::pow(Complex64::new(a_re, a_im), Complex64::new(b_re, b_im));
        // SAFETY: the caller's promise is `store`'s.
        unsafe { store(out, value) }
    }

    /// See [`crate::complex::powi`].
    ///
    /// # Safety
    /// `out` must point to two writable, aligned doubles.
    pub unsafe extern "C" fn powi(n: i64, re: f64, im: f64, out: *mut f64) {
        // SAFETY: the caller's promise is `store`'s.
        unsafe { store(out, crate::complex::powi(Complex64::new(re, im), n)) }
    }

    /// See [`crate::complex::abs`].
    pub extern "C" fn abs(re: f64, im: f64) -> f64 {
        crate::complex::abs(Complex64::new(re, im))
    }

    /// See [`crate::complex::arg`].
    pub extern "C" fn arg(re: f64, im: f64) -> f64 {
        crate::complex::arg(Complex64::new(re, im))
    }

    /// Writes both parts of `z`.
    ///
    /// # Safety
    /// `out` must point to two writable, aligned doubles.
    unsafe fn store(out: *mut f64, z: Complex64) {
        // SAFETY: by the caller's promise both places are writable and aligned.
        unsafe {
            out.write(z.re);
            out.add(1).write(z.im);
        }
    }
}
