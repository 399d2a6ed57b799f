//! Products of a matrix and a vector of doubles, real or complex, on either side of it, in 512-bit registers: as fast as the matrix
//! comes from memory. `gemm` would copy the matrix first. Models have the ones, and reverse mode the others, of every matrix that is
//! multiplied by a vector.

use num_complex::Complex64;

/// `out = y b` of k numbers and a k × m matrix. `false`, and nothing is done, without such registers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real_row([k, m]: [usize; 2], out: &mut [f64], y: &[f64], b: &[f64]) -> bool {
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

/// [`real_row`] of complex numbers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn complex_row(
    [k, m]: [usize; 2],
    out: &mut [Complex64],
    y: &[Complex64],
    b: &[Complex64],
) -> bool {
    super::check([1, k, m], out, y, b);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let (out, y, b) = (out.as_mut_ptr().cast(), y.as_ptr().cast(), b.as_ptr().cast());
        // SAFETY: as in `real_row`; a complex number is two doubles in memory.
        unsafe { wide::product::<true>([k, m], out, y, b) };
        return true;
    }
    false
}

/// `out = a x` of an n × k matrix and k numbers. `false`, and nothing is done, without such registers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real_column([n, k]: [usize; 2], out: &mut [f64], a: &[f64], x: &[f64]) -> bool {
    super::check([n, k, 1], out, a, x);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let (out, a, x) = (out.as_mut_ptr(), a.as_ptr(), x.as_ptr());
        // SAFETY: the processor has such registers, and there are as many elements as the sizes say.
        unsafe { wide::dots::<false>([n, k], out, a, x) };
        return true;
    }
    false
}

/// [`real_column`] of complex numbers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn complex_column(
    [n, k]: [usize; 2],
    out: &mut [Complex64],
    a: &[Complex64],
    x: &[Complex64],
) -> bool {
    super::check([n, k, 1], out, a, x);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let (out, a, x) = (out.as_mut_ptr().cast(), a.as_ptr().cast(), x.as_ptr().cast());
        // SAFETY: as in `real_column`; a complex number is two doubles in memory.
        unsafe { wide::dots::<true>([n, k], out, a, x) };
        return true;
    }
    false
}

/// [`real_column`] and [`real_row`] of one n × k matrix, which is read once.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real_both(
    [n, k]: [usize; 2],
    [ax, ya]: [&mut [f64]; 2],
    a: &[f64],
    x: &[f64],
    y: &[f64],
) -> bool {
    super::check([n, k, 1], ax, a, x);
    super::check([1, n, k], ya, y, a);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let (ax, ya, a, x, y) = (ax.as_mut_ptr(), ya.as_mut_ptr(), a.as_ptr(), x.as_ptr(), y.as_ptr());
        // SAFETY: as in `real_column`.
        unsafe { wide::both([n, k], ax, ya, a, x, y) };
        return true;
    }
    false
}

/// Other numbers: nothing is done.
pub(super) fn neither<T>(_: [usize; 2], _: [&mut [T]; 2], _: &[T], _: &[T], _: &[T]) -> bool {
    false
}

/// Other numbers: nothing is done.
pub(super) fn none<T>(_: [usize; 2], _: &mut [T], _: &[T], _: &[T]) -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    /// Doubles of a register, and of a cache line.
    const LANES: usize = 8;

    /// The lanes of so many doubles.
    fn mask(doubles: usize) -> __mmask8 {
        if doubles >= LANES { 0xff } else { (1u8 << doubles) - 1 }
    }

    /// Some rows of a matrix: so many, each so many behind the one before.
    #[derive(Clone, Copy)]
    struct Group {
        first: usize,
        apart: usize,
        rows: usize,
    }

    /// All rows in groups of `most`. While there are enough of them, those of a group begin at the same place of a cache line, wherever the
    /// matrix is; the others are taken as they come.
    fn groups(n: usize, doubles: usize, most: usize) -> impl DoubleEndedIterator<Item = Group> {
        let apart = LANES >> doubles.trailing_zeros().min(LANES.trailing_zeros());
        let alike = (0..n / (most * apart)).flat_map(move |block| {
            (0..apart).map(move |k| Group { first: block * most * apart + k, apart, rows: most })
        });
        let others = (n - n % (most * apart)..n).step_by(most);
        alike.chain(others.map(move |first| Group { first, apart: 1, rows: most.min(n - first) }))
    }

    impl Group {
        /// The same rows, fewer than eight, in groups of 4, 2 and 1: each has code of its own.
        fn powers(self) -> impl Iterator<Item = Group> {
            let mut left = self.rows;
            [4, 2, 1].into_iter().filter_map(move |rows| {
                let done = self.rows - left;
                left = left.checked_sub(rows)?;
                Some(Group { first: self.first + done * self.apart, rows, ..self })
            })
        }

        /// Doubles from the beginning of a cache line to the group's rows, of which the first begins here; 0 if they differ. `parts`: doubles of
        /// an element.
        fn before(self, start: *const f64, doubles: usize, parts: usize) -> usize {
            let before = start as usize / size_of::<f64>() % LANES;
            let alike = self.rows == 1 || (self.apart * doubles).is_multiple_of(LANES);
            if alike && before.is_multiple_of(parts) { before } else { 0 }
        }
    }

    /// Goes through so many doubles by registers: by the place of the first lane, and the lanes that are inside. All registers but the first
    /// and the last are full and begin where cache lines do: a load from two lines takes twice as long.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn registers(doubles: usize, before: usize, mut each: impl FnMut(isize, __mmask8)) {
        let end = doubles as isize;
        let mut at = -(before as isize);
        if before > 0 {
            each(at, mask(doubles + before) & (0xff << before));
            at += LANES as isize;
        }
        while at + LANES as isize <= end {
            each(at, 0xff);
            at += LANES as isize;
        }
        if at < end {
            each(at, mask((end - at) as usize));
        }
    }

    /// Complex numbers from products with real and with imaginary parts.
    #[target_feature(enable = "avx512f")]
    fn joined(re: __m512d, im: __m512d) -> __m512d {
        _mm512_fmaddsub_pd(re, _mm512_set1_pd(1.0), _mm512_permute_pd::<0x55>(im))
    }

    /// `out = y b`, some rows at a time, the last ones first: where [`dots`] of the same matrix came before, or will come next, those are
    /// still near.
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
        let doubles = if COMPLEX { 2 * m } else { m };
        // SAFETY: the rows of a group are inside.
        unsafe {
            (0..doubles).for_each(|j| out.add(j).write(0.0));
            for g in groups(k, doubles, LANES).rev() {
                if g.rows == LANES {
                    rows::<COMPLEX, LANES>(doubles, g, out, y, b);
                    continue;
                }
                for g in g.powers() {
                    match g.rows {
                        4 => rows::<COMPLEX, 4>(doubles, g, out, y, b),
                        2 => rows::<COMPLEX, 2>(doubles, g, out, y, b),
                        _ => rows::<COMPLEX, 1>(doubles, g, out, y, b),
                    }
                }
            }
        }
    }

    /// `out = a x`: as many rows at a time as give eight doubles, each of which is a sum of eight in its lanes.
    ///
    /// # Safety
    /// As for [`product`].
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn dots<const COMPLEX: bool>(
        [n, k]: [usize; 2],
        out: *mut f64,
        a: *const f64,
        x: *const f64,
    ) {
        let parts = if COMPLEX { 2 } else { 1 };
        let doubles = parts * k;
        let sign = _mm512_castsi512_pd(_mm512_set4_epi64(i64::MIN, 0, i64::MIN, 0));
        for g in groups(n, doubles, LANES / parts) {
            // Behind the last row comes the first one again.
            let row =
                |j: usize| a.wrapping_add((g.first + if j < g.rows { j * g.apart } else { 0 }) * doubles);
            let starts: [*const f64; LANES] = std::array::from_fn(row);
            let before = g.before(starts[0], doubles, parts);
            let mut sums = [_mm512_setzero_pd(); LANES];
            registers(doubles, before, |at, active| {
                // SAFETY: lanes under the mask are inside.
                let load = |p: *const f64| unsafe { _mm512_maskz_loadu_pd(active, p.wrapping_offset(at)) };
                let x = load(x);
                if COMPLEX {
                    // Of (a, b) (x, y), the real part is the sum of ax and -by, the imaginary part that of ay and bx.
                    let bits = _mm512_xor_si512(_mm512_castpd_si512(x), _mm512_castpd_si512(sign));
                    let (re, im) = (_mm512_castsi512_pd(bits), _mm512_permute_pd::<0x55>(x));
                    for j in 0..LANES / 2 {
                        let r = load(starts[j]);
                        sums[2 * j] = _mm512_mask3_fmadd_pd(r, re, sums[2 * j], active);
                        sums[2 * j + 1] = _mm512_mask3_fmadd_pd(r, im, sums[2 * j + 1], active);
                    }
                } else {
                    for j in 0..LANES {
                        sums[j] = _mm512_mask3_fmadd_pd(load(starts[j]), x, sums[j], active);
                    }
                }
            });
            let mut totals = [0.0; LANES];
            // SAFETY: it has as many elements.
            unsafe { _mm512_storeu_pd(totals.as_mut_ptr(), sums_of(sums, before)) };
            for j in 0..g.rows {
                for part in 0..parts {
                    // SAFETY: the row is inside.
                    unsafe {
                        out.add(parts * (g.first + j * g.apart) + part).write(totals[parts * j + part])
                    };
                }
            }
        }
    }

    /// `ax = a x` and `ya = y a`, some rows at a time, in the order of [`product`].
    ///
    /// # Safety
    /// As for [`product`].
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn both(
        [n, k]: [usize; 2],
        ax: *mut f64,
        ya: *mut f64,
        a: *const f64,
        x: *const f64,
        y: *const f64,
    ) {
        // SAFETY: the rows of a group are inside.
        unsafe {
            (0..k).for_each(|j| ya.add(j).write(0.0));
            for g in groups(n, k, LANES).rev() {
                if g.rows == LANES {
                    rows_both::<LANES>(k, g, [ax, ya], a, x, y);
                    continue;
                }
                for g in g.powers() {
                    match g.rows {
                        4 => rows_both::<4>(k, g, [ax, ya], a, x, y),
                        2 => rows_both::<2>(k, g, [ax, ya], a, x, y),
                        _ => rows_both::<1>(k, g, [ax, ya], a, x, y),
                    }
                }
            }
        }
    }

    /// Both products of some rows, in the order of operations that [`dots`] and [`rows`] have.
    ///
    /// # Safety
    /// As for [`product`].
    #[target_feature(enable = "avx512f")]
    unsafe fn rows_both<const ROWS: usize>(
        k: usize,
        g: Group,
        [ax, ya]: [*mut f64; 2],
        a: *const f64,
        x: *const f64,
        y: *const f64,
    ) {
        let row = |j: usize| g.first + j * g.apart;
        // SAFETY: there are as many factors.
        let factors: [__m512d; ROWS] = std::array::from_fn(|j| _mm512_set1_pd(unsafe { *y.add(row(j)) }));
        let starts: [*const f64; ROWS] = std::array::from_fn(|j| a.wrapping_add(row(j) * k));
        let before = g.before(starts[0], k, 1);
        let mut dots = [_mm512_setzero_pd(); LANES];
        registers(k, before, |at, active| {
            // SAFETY: lanes under the mask are inside.
            unsafe {
                let xs = _mm512_maskz_loadu_pd(active, x.wrapping_offset(at));
                let mut sums = [_mm512_setzero_pd(); 2];
                for j in 0..ROWS {
                    let r = _mm512_maskz_loadu_pd(active, starts[j].wrapping_offset(at));
                    dots[j] = _mm512_mask3_fmadd_pd(r, xs, dots[j], active);
                    sums[j % 2] = _mm512_fmadd_pd(r, factors[j], sums[j % 2]);
                }
                let old = _mm512_maskz_loadu_pd(active, ya.wrapping_offset(at));
                let all = _mm512_add_pd(sums[0], sums[1]);
                _mm512_mask_storeu_pd(ya.wrapping_offset(at), active, _mm512_add_pd(old, all));
            }
        });
        let mut totals = [0.0; LANES];
        // SAFETY: it has as many elements, and the rows are inside.
        unsafe {
            _mm512_storeu_pd(totals.as_mut_ptr(), sums_of(dots, before));
            (0..ROWS).for_each(|j| ax.add(row(j)).write(totals[j]));
        }
    }

    /// The sums of eight registers' lanes, in the order of elements, of which the first is in the lane `before`.
    #[target_feature(enable = "avx512f")]
    fn sums_of(v: [__m512d; LANES], before: usize) -> __m512d {
        let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        // Of an index, only the last three bits count.
        let lanes = _mm512_add_epi64(lanes, _mm512_set1_epi64(before as i64));
        let v = v.map(|x| _mm512_permutexvar_pd(lanes, x));
        // Of two registers: sums of neighbours, one of each register in turn.
        let pairs: [__m512d; 4] = std::array::from_fn(|j| {
            let (a, b) = (v[2 * j], v[2 * j + 1]);
            _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b))
        });
        // Neighbours of two lanes each.
        let halves =
            |a, b| _mm512_add_pd(_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        halves(halves(pairs[0], pairs[1]), halves(pairs[2], pairs[3]))
    }

    /// Adds some rows of so many doubles, times the numbers of `y`, to `out`.
    ///
    /// # Safety
    /// As for [`product`].
    #[target_feature(enable = "avx512f")]
    unsafe fn rows<const COMPLEX: bool, const ROWS: usize>(
        doubles: usize,
        g: Group,
        out: *mut f64,
        y: *const f64,
        b: *const f64,
    ) {
        let parts = if COMPLEX { 2 } else { 1 };
        let row = |j: usize| g.first + j * g.apart;
        // SAFETY: there are as many factors.
        let factor = |j: usize, part: usize| _mm512_set1_pd(unsafe { *y.add(parts * row(j) + part) });
        let factors: [[__m512d; 2]; ROWS] = std::array::from_fn(|j| [factor(j, 0), factor(j, parts - 1)]);
        let starts: [*const f64; ROWS] = std::array::from_fn(|j| b.wrapping_add(row(j) * doubles));
        registers(doubles, g.before(starts[0], doubles, parts), |at, active| {
            // SAFETY: lanes under the mask are inside.
            unsafe {
                let mut sums = [_mm512_setzero_pd(); 2];
                for (j, f) in factors.iter().enumerate() {
                    let r = _mm512_maskz_loadu_pd(active, starts[j].wrapping_offset(at));
                    if COMPLEX {
                        sums[0] = _mm512_fmadd_pd(r, f[0], sums[0]);
                        sums[1] = _mm512_fmadd_pd(r, f[1], sums[1]);
                    } else {
                        sums[j % 2] = _mm512_fmadd_pd(r, f[0], sums[j % 2]);
                    }
                }
                let all = if COMPLEX { joined(sums[0], sums[1]) } else { _mm512_add_pd(sums[0], sums[1]) };
                let old = _mm512_maskz_loadu_pd(active, out.wrapping_offset(at));
                _mm512_mask_storeu_pd(out.wrapping_offset(at), active, _mm512_add_pd(old, all));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complexes(from: usize, len: usize) -> Vec<Complex64> {
        // Small integers: products are exact.
        let number = |i: usize| ((7 * i) % 23) as f64 - 11.0;
        (from..from + len).map(|i| Complex64::new(number(i), number(i + 5))).collect()
    }

    fn reals(v: &[Complex64]) -> Vec<f64> {
        v.iter().map(|z| z.re).collect()
    }

    type Product<T> = fn([usize; 2], &mut [T], &[T], &[T]) -> bool;

    /// Both products of all sizes, each way against plain sums.
    fn products(vector_first: bool, complex: Product<Complex64>, real: Product<f64>) {
        for rows in 1..20 {
            for columns in 1..40 {
                let (matrix, len) = (complexes(3, rows * columns), if vector_first { columns } else { rows });
                let vector = complexes(0, rows + columns - len);
                let (a, b) = if vector_first { (&vector, &matrix) } else { (&matrix, &vector) };
                let (mut out, mut re) = (vec![Complex64::new(f64::NAN, f64::NAN); len], vec![f64::NAN; len]);
                if !complex([rows, columns], &mut out, a, b) {
                    return;
                }
                assert!(real([rows, columns], &mut re, &reals(a), &reals(b)));
                for j in 0..len {
                    let element = |l: usize| if vector_first { l * columns + j } else { j * columns + l };
                    let terms = || vector.iter().enumerate().map(|(l, x)| (*x, matrix[element(l)]));
                    assert_eq!(out[j], terms().map(|(x, y)| x * y).sum(), "{rows} {columns}");
                    assert_eq!(re[j], terms().map(|(x, y)| x.re * y.re).sum::<f64>(), "{rows} {columns}");
                }
            }
        }
    }

    #[test]
    fn rows_of_all_sizes() {
        products(true, complex_row, real_row);
    }

    #[test]
    fn both_have_the_bits_of_each() {
        for rows in 1..20 {
            for columns in 1..40 {
                let number = |i: usize| ((7 * i) % 23) as f64 / 3.0 - 3.5;
                let numbers = |from: usize, len: usize| (from..from + len).map(number).collect::<Vec<_>>();
                let (a, x, y) = (numbers(5, rows * columns), numbers(1, columns), numbers(2, rows));
                let [mut ax, mut ya] = [rows, columns].map(|len| vec![f64::NAN; len]);
                if !real_both([rows, columns], [&mut ax, &mut ya], &a, &x, &y) {
                    return;
                }
                let [mut column, mut row] = [rows, columns].map(|len| vec![f64::NAN; len]);
                assert!(real_column([rows, columns], &mut column, &a, &x));
                assert!(real_row([rows, columns], &mut row, &y, &a));
                assert_eq!((ax, ya), (column, row), "{rows} {columns}");
            }
        }
    }

    #[test]
    fn columns_of_all_sizes() {
        products(false, complex_column, real_column);
    }

    #[test]
    fn bits_do_not_depend_on_where_the_matrix_is() {
        for (rows, columns) in [(8, 8), (16, 20), (19, 24), (33, 12), (70, 13)] {
            let number = |i: usize| ((7 * i) % 23) as f64 / 3.0 - 3.5;
            let numbers = |from: usize, len: usize| (from..from + len).map(number).collect::<Vec<_>>();
            let (x, y) = (numbers(1, columns), numbers(2, rows));
            let products = |before: usize| {
                // A number of the neighbourhood in a sum would make it NaN.
                let mut room = vec![f64::NAN; before + rows * columns + 8];
                room[before..before + rows * columns].copy_from_slice(&numbers(5, rows * columns));
                let a = &room[before..before + rows * columns];
                let [mut ax, mut column] = [(); 2].map(|()| vec![f64::NAN; rows]);
                let [mut ya, mut row] = [(); 2].map(|()| vec![f64::NAN; columns]);
                let all = real_both([rows, columns], [&mut ax, &mut ya], a, &x, &y)
                    && real_column([rows, columns], &mut column, a, &x)
                    && real_row([rows, columns], &mut row, &y, a);
                all.then_some([ax, ya, column, row])
            };
            (1..8).for_each(|before| assert_eq!(products(before), products(0), "{rows} {columns} {before}"));
        }
    }
}
