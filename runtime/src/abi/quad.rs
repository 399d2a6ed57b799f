//! Elementary functions of four numbers at once, for straight-line code that calls one of several: bit for bit those of
//! [`crate::real`]. The numbers are passed one by one, all first operands before the second ones; four results of the first function
//! named, then of the second, go to memory.

/// A function of four numbers.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The ops that it computes.
    pub ops: &'static [&'static str],
    /// What generated code imports it as.
    pub symbol: &'static str,
    /// The number of operands of an op.
    pub operands: usize,
    /// The function: `fn(f64, f64, f64, f64, out)`, with four more numbers if there are two operands.
    pub address: usize,
}

/// Whether this machine has the instructions.
pub fn is_there() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Every function; none if [`is_there`] cannot be.
pub fn rows() -> Vec<Row> {
    #[cfg(target_arch = "x86_64")]
    return functions::rows();
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
mod functions {
    use super::Row;
    use crate::lanes::quad::Quad;
    use crate::lanes::{self, Lanes};
    use std::arch::x86_64::{__m256d, _mm256_set_pd, _mm256_storeu_pd};

    /// # Safety
    /// There is room for four numbers, aligned as one.
    #[inline(always)]
    unsafe fn put<L: Lanes<V = __m256d>>(out: *mut f64, _: &L, y: __m256d) {
        // SAFETY: the caller's promise; whoever has lanes has the instruction.
        unsafe { _mm256_storeu_pd(out, y) }
    }

    macro_rules! functions {
        (one: [$($one:ident)*] pairs: [$($pair:ident($first:literal, $second:literal))*] two: [$($two:ident)*]) => {
            $(
                #[cfg_attr(feature = "object", unsafe(export_name = concat!("adc_4_", stringify!($one))))]
                #[target_feature(enable = "avx2,fma")]
                unsafe extern "C" fn $one(a: f64, b: f64, c: f64, d: f64, out: *mut f64) {
                    // SAFETY: this function is compiled for the instructions, and its caller found that they are there and passes
                    // room for four numbers.
                    unsafe {
                        let mut l = Quad::new();
                        let y = lanes::$one(&mut l, _mm256_set_pd(d, c, b, a));
                        put(out, &l, y);
                    }
                }
            )*
            $(
                #[cfg_attr(feature = "object", unsafe(export_name = concat!("adc_4_", stringify!($pair))))]
                #[target_feature(enable = "avx2,fma")]
                unsafe extern "C" fn $pair(a: f64, b: f64, c: f64, d: f64, out: *mut f64) {
                    // SAFETY: as above, with room for eight numbers.
                    unsafe {
                        let mut l = Quad::new();
                        let (y, z) = lanes::$pair(&mut l, _mm256_set_pd(d, c, b, a));
                        put(out, &l, y);
                        put(out.add(4), &l, z);
                    }
                }
            )*
            $(
                #[cfg_attr(feature = "object", unsafe(export_name = concat!("adc_4_", stringify!($two))))]
                #[target_feature(enable = "avx2,fma")]
                #[allow(clippy::too_many_arguments, reason = "they are passed in registers")]
                unsafe extern "C" fn $two(a: f64, b: f64, c: f64, d: f64, p: f64, q: f64, r: f64, s: f64, out: *mut f64) {
                    // SAFETY: as above, with room for four numbers.
                    unsafe {
                        let mut l = Quad::new();
                        let y = lanes::$two(&mut l, _mm256_set_pd(d, c, b, a), _mm256_set_pd(s, r, q, p));
                        put(out, &l, y);
                    }
                }
            )*

            pub fn rows() -> Vec<Row> {
                vec![
                    $(Row { ops: &[stringify!($one)], symbol: concat!("adc_4_", stringify!($one)), operands: 1, address: ($one as *const ()).expose_provenance() },)*
                    $(Row { ops: &[$first, $second], symbol: concat!("adc_4_", stringify!($pair)), operands: 1, address: ($pair as *const ()).expose_provenance() },)*
                    $(Row { ops: &[stringify!($two)], symbol: concat!("adc_4_", stringify!($two)), operands: 2, address: ($two as *const ()).expose_provenance() },)*
                ]
            }
        };
    }

    functions! {
        one: [exp exp2 expm1 log log2 log10 log1p tan asin acos atan sinh cosh softplus log_sigmoid]
        pairs: [sincos("sin", "cos") tanh_sech2("tanh", "sech2") sigmoid_dsigmoid("sigmoid", "dsigmoid")]
        two: [logaddexp pow atan2]
    }
}
