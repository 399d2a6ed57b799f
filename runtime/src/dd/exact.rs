//! Error-free transformations: sums and products with their rounding errors, for the places where a
//! difference of nearly equal terms has to keep its relative accuracy.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicBool, Ordering};

/// `a + b` rounded, and the rounding error. Exact barring overflow (Knuth's two-sum).
#[inline(always)]
pub const fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// As [`two_sum`] where `a` is 0 or not smaller than `b` (Dekker's fast two-sum).
#[inline(always)]
pub const fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// `a b` rounded, and the rounding error. Exact barring overflow and underflow.
#[inline(always)]
pub fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, fused_minus(a, b, p))
}

/// `a b + c d` within 1.5 ulp, also when the two products cancel (Kahan; Jeannerod, Louvet & Muller 2013).
pub fn sum_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let (p, e) = two_prod(c, d);
    let sum = a.mul_add(b, p);
    // Adding an error of +0 would change a sum of −0, and with it the side of a branch cut.
    if e == 0.0 { sum } else { sum + e }
}

/// Whether the machine is known to have a fused multiply-add.
#[cfg(target_arch = "x86_64")]
static FUSED: AtomicBool = AtomicBool::new(false);

/// `a b - p`, rounded once. An instruction on machines that have it, although the crate is compiled for all: functions
/// of double-doubles are too large and too many to be compiled for both kinds.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn fused_minus(a: f64, b: f64, p: f64) -> f64 {
    #[cold]
    #[inline(never)]
    fn unsure(a: f64, b: f64, p: f64) -> f64 {
        FUSED.store(std::arch::is_x86_feature_detected!("fma"), Ordering::Relaxed);
        a.mul_add(b, -p)
    }
    if !FUSED.load(Ordering::Relaxed) {
        return unsure(a, b, p);
    }
    let mut r = a;
    // SAFETY: the machine has the instruction, which reads and writes the three registers and nothing else.
    unsafe {
        std::arch::asm!(
            "vfmsub213sd {r}, {b}, {p}",
            r = inout(xmm_reg) r,
            b = in(xmm_reg) b,
            p = in(xmm_reg) p,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    r
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn fused_minus(a: f64, b: f64, p: f64) -> f64 {
    a.mul_add(b, -p)
}
