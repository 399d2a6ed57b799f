//! The functions of the C library that the Rust standard library does not reach.
//!
//! `Complex64` is `repr(C) { re, im }`, which is passed and returned exactly as C's `double _Complex` on
//! SysV x86-64 (two SSE eightbytes) and AArch64 (a homogeneous aggregate of two doubles).

use num_complex::Complex64;
use std::ffi::c_int;

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
compile_error!("adc-runtime calls C99 complex functions by the SysV x86-64 or AArch64 calling convention");

mod c {
    use super::{Complex64, c_int};

    #[link(name = "m")]
    unsafe extern "C" {
        pub fn asinh(x: f64) -> f64;
        pub fn acosh(x: f64) -> f64;
        pub fn atanh(x: f64) -> f64;
        pub fn erf(x: f64) -> f64;
        pub fn erfc(x: f64) -> f64;
        pub fn lgamma_r(x: f64, sign: *mut c_int) -> f64;

        pub fn clog(z: Complex64) -> Complex64;
        pub fn csqrt(z: Complex64) -> Complex64;
        pub fn csin(z: Complex64) -> Complex64;
        pub fn ccos(z: Complex64) -> Complex64;
        pub fn ctan(z: Complex64) -> Complex64;
        pub fn casin(z: Complex64) -> Complex64;
        pub fn cacos(z: Complex64) -> Complex64;
        pub fn catan(z: Complex64) -> Complex64;
        pub fn csinh(z: Complex64) -> Complex64;
        pub fn ccosh(z: Complex64) -> Complex64;
        pub fn ctanh(z: Complex64) -> Complex64;
        pub fn casinh(z: Complex64) -> Complex64;
        pub fn cacosh(z: Complex64) -> Complex64;
        pub fn catanh(z: Complex64) -> Complex64;
    }
}

macro_rules! safe {
    ($($name:ident: $t:ty;)*) => {
        $(pub fn $name(x: $t) -> $t {
            // SAFETY: a pure C99 function, total on its argument type; declared above as in <math.h>, <complex.h>.
            unsafe { c::$name(x) }
        })*
    };
}

safe! {
    asinh: f64; acosh: f64; atanh: f64; erf: f64; erfc: f64;
    clog: Complex64; csqrt: Complex64;
    csin: Complex64; ccos: Complex64; ctan: Complex64; casin: Complex64; cacos: Complex64; catan: Complex64;
    csinh: Complex64; ccosh: Complex64; ctanh: Complex64; casinh: Complex64; cacosh: Complex64; catanh: Complex64;
}

/// ln |Γ(x)|. The reentrant C function: plain `lgamma` writes the global `signgam`.
pub fn lgamma(x: f64) -> f64 {
    let mut sign: c_int = 0;
    // SAFETY: `sign` is a live, writable int for the length of the call.
    unsafe { c::lgamma_r(x, &mut sign) }
}
