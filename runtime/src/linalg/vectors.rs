//! Products of a vector of doubles, real or complex, and a matrix behind it, in 512-bit registers: as fast as the matrix comes from
//! memory. `gemm` would copy the matrix first. Reverse mode has these products, of every matrix that is multiplied by a vector.

use num_complex::Complex64;

/// `out = y b` of k numbers and a k × m matrix. `false`, and nothing is done, without such registers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real([k, m]: [usize; 2], out: &mut [f64], y: &[f64], b: &[f64]) -> bool {
    super::check([1, k, m], out, y, b);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let (out, y, b) = (out.as_mut_ptr(), y.as_ptr(), b.as_ptr());
        // SAFETY: the processor has such registers, and there are as many elements as the sizes say.
        unsafe { wide::product::<false>([k, m], out, y, b) };
        return true;
    }
    false
}

/// [`real`] of complex numbers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn complex([k, m]: [usize; 2], out: &mut [Complex64], y: &[Complex64], b: &[Complex64]) -> bool {
    super::check([1, k, m], out, y, b);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let (out, y, b) = (out.as_mut_ptr().cast(), y.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: as in `real`; a complex number is two doubles in memory.
        unsafe { wide::product::<true>([k, m], out, y, b) };
        return true;
    }
    false
}

/// Other numbers: nothing is done.
pub(super) fn none<T>(_: [usize; 2], _: &mut [T], _: &[T], _: &[T]) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    /// Doubles of a register.
    const LANES: usize = 8;

    /// The lanes of so many doubles.
    fn mask(doubles: usize) -> __mmask8 {
        if doubles >= LANES { 0xff } else { (1u8 << doubles) - 1 }
    }

    /// Complex numbers from products with real and with imaginary parts.
    #[target_feature(enable = "avx512f")]
    fn joined(re: __m512d, im: __m512d) -> __m512d {
        _mm512_fmaddsub_pd(re, _mm512_set1_pd(1.0), _mm512_permute_pd::<0x55>(im))
    }

    /// `out = y b`, some rows at a time.
    ///
    /// # Safety
    /// The arrays have as many elements as the sizes say, of two doubles each if they are complex; nobody else uses `out`.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn product<const COMPLEX: bool>(
        [k, m]: [usize; 2],
        out: *mut f64,
        y: *const f64,
        b: *const f64,
    ) {
        let parts = if COMPLEX { 2 } else { 1 };
        // SAFETY: rows `from` to `from + ROWS` are inside.
        unsafe {
            (0..parts * m).for_each(|j| out.add(j).write(0.0));
            let mut from = 0;
            while from + 8 <= k {
                rows::<COMPLEX, 8>(parts * m, out, y.add(parts * from), b.add(parts * from * m));
                from += 8;
            }
            while from < k {
                rows::<COMPLEX, 1>(parts * m, out, y.add(parts * from), b.add(parts * from * m));
                from += 1;
            }
        }
    }

    /// Adds some rows of so many doubles, times the numbers from `y` on, to `out`.
    ///
    /// # Safety
    /// As for [`product`].
    #[target_feature(enable = "avx512f")]
    unsafe fn rows<const COMPLEX: bool, const ROWS: usize>(
        doubles: usize,
        out: *mut f64,
        y: *const f64,
        b: *const f64,
    ) {
        let parts = if COMPLEX { 2 } else { 1 };
        // SAFETY: there are as many factors.
        let factor = |j: usize, part: usize| _mm512_set1_pd(unsafe { *y.add(parts * j + part) });
        let factors: [[__m512d; 2]; ROWS] = std::array::from_fn(|j| [factor(j, 0), factor(j, parts - 1)]);
        for at in (0..doubles).step_by(LANES) {
            let active = mask(doubles - at);
            // SAFETY: lanes under the mask are inside.
            unsafe {
                let mut sums = [_mm512_setzero_pd(); 2];
                for (j, f) in factors.iter().enumerate() {
                    let r = _mm512_maskz_loadu_pd(active, b.add(j * doubles + at));
                    if COMPLEX {
                        sums[0] = _mm512_fmadd_pd(r, f[0], sums[0]);
                        sums[1] = _mm512_fmadd_pd(r, f[1], sums[1]);
                    } else {
                        sums[j % 2] = _mm512_fmadd_pd(r, f[0], sums[j % 2]);
                    }
                }
                let all = if COMPLEX { joined(sums[0], sums[1]) } else { _mm512_add_pd(sums[0], sums[1]) };
                let old = _mm512_maskz_loadu_pd(active, out.add(at));
                _mm512_mask_storeu_pd(out.add(at), active, _mm512_add_pd(old, all));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_sizes() {
        for k in 1..20 {
            for m in 1..40 {
                let number = |i: usize| ((7 * i) % 23) as f64 - 11.0;
                let z = |i: usize| Complex64::new(number(i), number(i + 5));
                let (y, b): (Vec<_>, Vec<_>) = ((0..k).map(z).collect(), (0..k * m).map(z).collect());
                let re = |v: &[Complex64]| v.iter().map(|z| z.re).collect::<Vec<_>>();
                let (mut out, mut reals) = (vec![Complex64::new(f64::NAN, f64::NAN); m], vec![f64::NAN; m]);
                if !complex([k, m], &mut out, &y, &b) {
                    return;
                }
                assert!(real([k, m], &mut reals, &re(&y), &re(&b)));
                for j in 0..m {
                    let terms = || (0..k).map(|l| (y[l], b[l * m + j]));
                    // Small integers: exact.
                    assert_eq!(out[j], terms().map(|(x, y)| x * y).sum(), "{k} {m}");
                    assert_eq!(reals[j], terms().map(|(x, y)| x.re * y.re).sum::<f64>(), "{k} {m}");
                }
            }
        }
    }
}
