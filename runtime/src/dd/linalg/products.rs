//! Products of matrices whose high and low halves are apart, eight numbers at once. Every machine does the same operations in the
//! same order, by the widest registers that it has.

use super::super::wide::{LANES, Lanes, Plain, Wide};
#[cfg(target_arch = "x86_64")]
use super::super::wide::{One512, Two256};

/// Products that a lane adds up before sum and errors are put together.
const CHUNK: usize = 64;

/// A matrix of numbers `hi + lo`, row by row.
#[derive(Clone, Copy)]
pub struct Halves<'a> {
    pub hi: &'a [f64],
    pub lo: &'a [f64],
}

/// The same, to be written.
pub struct HalvesMut<'a> {
    pub hi: &'a mut [f64],
    pub lo: &'a mut [f64],
}

/// A function in versions for the registers there may be.
macro_rules! versions {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $body:ident($($x:ident: $t:ty),*) $(-> $r:ty)?) => {
        $(#[$doc])*
        $vis fn $name($($x: $t),*) $(-> $r)? {
            #[cfg(target_arch = "x86_64")]
            {
                if std::arch::is_x86_feature_detected!("avx512f") {
                    // SAFETY: the machine has the instructions that the function was compiled for.
                    return unsafe { $name::with_512($($x),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: as above.
                    return unsafe { $name::with_256($($x),*) };
                }
            }
            // SAFETY: these registers are nothing special.
            unsafe { $body::<Plain>($($x),*) }
        }

        #[cfg(target_arch = "x86_64")]
        mod $name {
            use super::*;

            #[target_feature(enable = "avx512f")]
            pub fn with_512($($x: $t),*) $(-> $r)? {
                // SAFETY: this function is compiled for the instructions.
                unsafe { $body::<One512>($($x),*) }
            }

            #[target_feature(enable = "avx2,fma")]
            pub fn with_256($($x: $t),*) $(-> $r)? {
                // SAFETY: as above.
                unsafe { $body::<Two256>($($x),*) }
            }
        }
    };
}

versions! {
    /// Whether every number is finite, and every high half the number, rounded.
    pub fn is_normal = every_is_normal(x: Halves<'_>) -> bool
}

versions! {
    /// Whether every low half is 0: numbers that are doubles, and perhaps infinite.
    pub fn is_of_doubles = every_low_is_zero(x: Halves<'_>) -> bool
}

versions! {
    /// Adds to `out` the product of an n × k and a k × m matrix (`size` is n, k, m) of double-doubles. What is infinite or NaN on
    /// the way makes an element infinite or NaN.
    ///
    /// # Panics
    /// If there are not as many elements.
    pub fn add_product = add(size: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>)
}

/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn every_is_normal<W: Wide>(x: Halves<'_>) -> bool {
    // SAFETY: the caller's promise.
    unsafe { is_nothing::<W, false>(x) }
}

/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn every_low_is_zero<W: Wide>(x: Halves<'_>) -> bool {
    // SAFETY: the caller's promise.
    unsafe { is_nothing::<W, true>(x) }
}

/// Whether every low half is 0, or else whether no sum of the halves has more than the high one and each is finite.
///
/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn is_nothing<W: Wide, const LOW: bool>(x: Halves<'_>) -> bool {
    // Sums that do not wait for each other.
    const SUMS: usize = 4;
    // SAFETY: the caller's promise.
    unsafe {
        let mut more = [W::load(&[0.0; LANES]); SUMS];
        let (hi, hi_rest) = x.hi.as_chunks::<{ SUMS * LANES }>();
        let (lo, lo_rest) = x.lo.as_chunks::<{ SUMS * LANES }>();
        for (hi, lo) in hi.iter().zip(lo) {
            for (k, more) in more.iter_mut().enumerate() {
                let at = k * LANES..(k + 1) * LANES;
                see::<W, LOW>(more, W::load_some(&hi[at.clone()]), W::load_some(&lo[at]));
            }
        }
        for (hi, lo) in hi_rest.chunks(LANES).zip(lo_rest.chunks(LANES)) {
            see::<W, LOW>(&mut more[0], W::load_some(hi), W::load_some(lo));
        }
        let [a, b, c, d] = more;
        ((a + b) + (c + d)).store() == [0.0; LANES]
    }
}

/// Adds the low half, or what the sum of two halves has more than the high one: NaN if that is infinite.
#[inline(always)]
fn see<W: Wide, const LOW: bool>(more: &mut W, hi: W, lo: W) {
    *more = *more + if LOW { lo } else { (hi + lo) - hi }.size();
}

/// Columns that are taken one after the other, at most.
const NARROW: usize = 2;

/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn add<W: Wide>(size @ [n, k, m]: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>) {
    let fits = |x: usize, hi: usize, lo: usize| hi == x && lo == x;
    assert!(
        fits(n * k, a.hi.len(), a.lo.len())
            && fits(k * m, b.hi.len(), b.lo.len())
            && fits(n * m, out.hi.len(), out.lo.len()),
        "sizes {n}, {k}, {m} of a product"
    );
    // SAFETY: the caller's promise.
    unsafe {
        if m == 1 {
            add_column::<W>(size, 0, a, b, out);
        } else if m <= NARROW {
            for j in 0..m {
                let [hi, lo] =
                    [b.hi, b.lo].map(|b| -> Vec<f64> { b.chunks_exact(m).map(|row| row[j]).collect() });
                add_column::<W>(size, j, a, Halves { hi: &hi, lo: &lo }, out);
            }
        } else {
            add_columns::<W>(size, a, b, out);
        }
    }
}

/// Sums of products that do not wait for the rounding error of each addition: errors are added up beside them (Ogita, Rump &
/// Oishi, *Accurate sum and dot product*, SIAM J. Sci. Comput. 26, 2005: Dot2), and both put together now and then, so
/// that what is lost in adding up errors stays below 2⁻⁹² of the terms.
#[derive(Clone, Copy)]
struct Sums<W> {
    high: W,
    errors: W,
}

/// `a + b` and its rounding error.
#[inline(always)]
fn two_sum<W: Wide>(a: W, b: W) -> (W, W) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

impl<W: Wide> Sums<W> {
    /// Of nothing.
    ///
    /// # Safety
    /// As of [`Wide::load`].
    #[inline(always)]
    unsafe fn zero() -> Sums<W> {
        // SAFETY: the caller's promise.
        let zero = unsafe { W::load(&[0.0; LANES]) };
        Sums { high: zero, errors: zero }
    }

    /// Adds a product to each.
    #[inline(always)]
    fn add(&mut self, [a, a_lo]: [W; 2], [b, b_lo]: [W; 2]) {
        let p = a * b;
        let e = a.mul_add(b, -p);
        let e = a.mul_add(b_lo, e);
        let e = a_lo.mul_add(b, e);
        let (sum, lost) = two_sum(self.high, p);
        self.errors = self.errors + (lost + e);
        self.high = sum;
    }

    /// Adds other sums.
    #[inline(always)]
    fn join(&mut self, other: Sums<W>) {
        let (sum, lost) = two_sum(self.high, other.high);
        self.errors = self.errors + (lost + other.errors);
        self.high = sum;
    }

    /// The numbers with the sums added.
    #[inline(always)]
    fn added_to(&self, [hi, lo]: [W; 2]) -> [W; 2] {
        let (s, e) = two_sum(self.high, self.errors);
        // The sum of two double-doubles.
        let ((s, e), (t, f)) = (two_sum(hi, s), two_sum(lo, e));
        let e = e + t;
        let v = s + e;
        let low = f + (e - (v - s));
        let sum = v + low;
        [sum, low - (sum - v)]
    }
}

/// Rows whose sums are taken at once: those of one wait for each other.
const BESIDE: usize = 4;

/// Eight sums for each row, of its products with the vector `y`. All slices have one length.
///
/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn dots<W: Wide, const N: usize>(rows: [[&[f64]; 2]; N], [y, y_lo]: [&[f64]; 2]) -> [Sums<W>; N] {
    let (full, rest) = y.as_chunks::<LANES>();
    let (full_lo, rest_lo) = y_lo.as_chunks::<LANES>();
    let (mut chunks, mut rests) = ([[full; 2]; N], [[rest; 2]; N]);
    for (r, row) in rows.iter().enumerate() {
        for (half, x) in row.iter().enumerate() {
            let (full, rest) = x.as_chunks::<LANES>();
            // As many as of `y`: nothing is checked below.
            (chunks[r][half], rests[r][half]) = (&full[..full_lo.len()], rest);
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [Sums::<W>::zero(); N];
        for l in 0..full_lo.len() {
            let y = [W::load(&full[l]), W::load(&full_lo[l])];
            for r in 0..N {
                sums[r].add([W::load(&chunks[r][0][l]), W::load(&chunks[r][1][l])], y);
            }
        }
        if !rest.is_empty() {
            let y = [W::load_some(rest), W::load_some(rest_lo)];
            for r in 0..N {
                sums[r].add([W::load_some(rests[r][0]), W::load_some(rests[r][1])], y);
            }
        }
        sums
    }
}

/// Column `j` of a product, of a matrix and the vector `y`: every row has eight sums, and eight rows put theirs together at once.
///
/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn add_column<W: Wide>(
    [n, k, m]: [usize; 3],
    j: usize,
    a: Halves<'_>,
    y: Halves<'_>,
    out: &mut HalvesMut<'_>,
) {
    for first in (0..k).step_by(CHUNK * LANES) {
        let end = k.min(first + CHUNK * LANES);
        let [y, y_lo] = [&y.hi[first..end], &y.lo[first..end]];
        for i in (0..n).step_by(LANES) {
            let rows = LANES.min(n - i);
            // SAFETY: the caller's promise.
            let [hi, lo] = unsafe {
                // By row.
                let [mut high, mut errors] = [[W::load(&[0.0; LANES]); LANES]; 2];
                let row = |r: usize| {
                    let at = (i + r) * k;
                    [&a.hi, &a.lo].map(|a| &a[at + first..at + end])
                };
                let mut r = 0;
                while r < rows {
                    if rows - r >= BESIDE {
                        let sums = dots::<W, BESIDE>(std::array::from_fn(|b| row(r + b)), [y, y_lo]);
                        for b in 0..BESIDE {
                            (high[r + b], errors[r + b]) = (sums[b].high, sums[b].errors);
                        }
                        r += BESIDE;
                    } else {
                        let [sum] = dots::<W, 1>([row(r)], [y, y_lo]);
                        (high[r], errors[r]) = (sum.high, sum.errors);
                        r += 1;
                    }
                }
                // By sum: those of all rows.
                let (high, errors) = (W::transposed(high), W::transposed(errors));
                // A closure would not be compiled for the registers.
                let mut sums = [Sums::<W>::zero(); LANES];
                for l in 0..LANES {
                    sums[l] = Sums { high: high[l], errors: errors[l] };
                }
                for apart in [4, 2, 1] {
                    for l in 0..apart {
                        let other = sums[l + apart];
                        sums[l].join(other);
                    }
                }
                let mut old = [[0.0; LANES]; 2];
                let [old_hi, old_lo] = &mut old;
                for (r, (hi, lo)) in old_hi.iter_mut().zip(old_lo).enumerate().take(rows) {
                    let at = (i + r) * m + j;
                    (*hi, *lo) = (out.hi[at], out.lo[at]);
                }
                let [hi, lo] = sums[0].added_to([W::load(&old[0]), W::load(&old[1])]);
                [hi.store(), lo.store()]
            };
            for r in 0..rows {
                let at = (i + r) * m + j;
                (out.hi[at], out.lo[at]) = (hi[r], lo[r]);
            }
        }
    }
}

/// Of a matrix and several columns, eight of them at once.
///
/// # Safety
/// As of [`Wide::load`].
#[inline(always)]
unsafe fn add_columns<W: Wide>([n, k, m]: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>) {
    let mut tile: [[Lanes; 2]; CHUNK] = [[[0.0; LANES]; 2]; CHUNK];
    for first in (0..k).step_by(CHUNK) {
        let end = k.min(first + CHUNK);
        for j in (0..m).step_by(LANES) {
            let columns = LANES.min(m - j);
            for (l, tile) in (first..end).zip(&mut tile) {
                let at = l * m + j..l * m + j + columns;
                // SAFETY: the caller's promise.
                unsafe {
                    *tile = [W::load_some(&b.hi[at.clone()]).store(), W::load_some(&b.lo[at]).store()];
                }
            }
            for i in 0..n {
                let row = i * k + first..i * k + end;
                let at = i * m + j..i * m + j + columns;
                // SAFETY: the caller's promise.
                unsafe {
                    let mut sum = Sums::<W>::zero();
                    for ((hi, lo), [y, y_lo]) in a.hi[row.clone()].iter().zip(&a.lo[row]).zip(&tile) {
                        let x = [W::load(&[*hi; LANES]), W::load(&[*lo; LANES])];
                        sum.add(x, [W::load(y), W::load(y_lo)]);
                    }
                    let (hi, lo) = (&mut out.hi[at.clone()], &mut out.lo[at]);
                    let [new, new_lo] = sum.added_to([W::load_some(hi), W::load_some(lo)]);
                    new.store_some(hi);
                    new_lo.store_some(lo);
                }
            }
        }
    }
}

/// [`add_product`] of complex numbers, the two parts of each one after the other.
///
/// # Panics
/// If there are not as many elements.
pub fn add_complex_product([n, k, m]: [usize; 3], a: Halves<'_>, b: Halves<'_>, out: &mut HalvesMut<'_>) {
    let [hi, lo] = [b.hi, b.lo].map(|b| by_parts([k, m], b));
    add_product([n, 2 * k, 2 * m], a, Halves { hi: &hi, lo: &lo }, out);
}

/// The real matrix that multiplies real and imaginary parts as a k × m one multiplies complex numbers.
fn by_parts([k, m]: [usize; 2], b: &[f64]) -> Vec<f64> {
    assert_eq!(b.len(), 2 * k * m, "parts of a matrix");
    let mut rows = Vec::with_capacity(2 * b.len());
    if m > 0 {
        for row in b.chunks_exact(2 * m) {
            rows.extend_from_slice(row);
            rows.extend(row.chunks_exact(2).flat_map(|z| [-z[1], z[0]]));
        }
    }
    rows
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::dd::Dd;

    fn numbers(seed: usize, len: usize) -> [Vec<f64>; 2] {
        let number = |i: usize| {
            let k = (i * 7 + seed * 13) as f64;
            Dd::sum((k * 0.7).sin() * 2f64.powi((i * i + seed) as i32 % 40 - 20), 1e-17 * k.cos())
        };
        let special = [0.0, -0.0, f64::INFINITY, f64::NAN, 1e300, 1e-310];
        let all = (0..len).map(|i| match (i + seed) % 97 {
            at if at < special.len() && seed % 2 == 1 => Dd::of(special[at]),
            _ => number(i),
        });
        let (hi, lo) = all.map(|x| (x.hi, x.lo)).unzip();
        [hi, lo]
    }

    #[test]
    fn registers_of_every_width_give_the_same_bits() {
        let sizes = [0, 1, 2, 7, 8, 9, 17, 64, 65, 520];
        let some = |n: usize| [1, 3, 8, 9].into_iter().filter(move |m| n < 100 || *m < 4);
        for (seed, (n, k, m)) in sizes
            .into_iter()
            .flat_map(|k| some(k).flat_map(move |n| [1, 2, 4, 7, 8, 9, 20].map(|m| (n, k, m))))
            .enumerate()
        {
            let (a, b, start) = (numbers(seed, n * k), numbers(seed + 2, k * m), numbers(2 * seed, n * m));
            let (a, b) = (Halves { hi: &a[0], lo: &a[1] }, Halves { hi: &b[0], lo: &b[1] });
            let run = |f: &dyn Fn(&mut HalvesMut<'_>)| {
                let [mut hi, mut lo] = start.clone();
                f(&mut HalvesMut { hi: &mut hi, lo: &mut lo });
                let bits = |x: &f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
                [hi, lo].map(|x| x.iter().map(bits).collect::<Vec<u64>>())
            };
            // SAFETY: these registers are nothing special.
            let want = run(&|out| unsafe { add::<Plain>([n, k, m], a, b, out) });
            // SAFETY: as above.
            let [normal, doubles] = unsafe { [every_is_normal::<Plain>(a), every_low_is_zero::<Plain>(a)] };
            assert_eq!(doubles, a.lo.iter().all(|lo| *lo == 0.0));
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the machine has the instructions.
                let got = run(&|out| unsafe { add_product::with_512([n, k, m], a, b, out) });
                assert_eq!(got, want, "{n}, {k}, {m} with 512 bits");
                // SAFETY: as above.
                unsafe {
                    assert_eq!([is_normal::with_512(a), is_of_doubles::with_512(a)], [normal, doubles])
                };
            }
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: as above.
                let got = run(&|out| unsafe { add_product::with_256([n, k, m], a, b, out) });
                assert_eq!(got, want, "{n}, {k}, {m} with 256 bits");
                // SAFETY: as above.
                unsafe {
                    assert_eq!([is_normal::with_256(a), is_of_doubles::with_256(a)], [normal, doubles])
                };
            }
        }
    }
}
