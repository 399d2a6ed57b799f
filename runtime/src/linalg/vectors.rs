//! Products of a matrix and a vector of doubles, real or complex, on either side of it: as fast as the matrix comes from memory. `gemm`
//! would copy the matrix first. Models have the ones, and reverse mode the others, of every matrix that is multiplied by a vector.
//!
//! Registers of 256 and of 512 bits do the same operations in the same order, wherever in memory the matrix is.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use crate::dd::wide::{ALL, Active, LANES, Masked};
#[cfg(target_arch = "x86_64")]
use crate::dd::wide::{One512, Two256};
use num_complex::Complex64;

/// `out = y b` of k numbers and a k × m matrix. `false`, and nothing is done, without registers that multiply and add at once.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real_row(size @ [k, m]: [usize; 2], out: &mut [f64], y: &[f64], b: &[f64]) -> bool {
    super::check([1, k, m], out, y, b);
    run(Row::<false> { size, out: out.as_mut_ptr(), y: y.as_ptr(), b: b.as_ptr() })
}

/// [`real_row`] of complex numbers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn complex_row(
    size @ [k, m]: [usize; 2],
    out: &mut [Complex64],
    y: &[Complex64],
    b: &[Complex64],
) -> bool {
    super::check([1, k, m], out, y, b);
    // A complex number is two doubles in memory.
    run(Row::<true> { size, out: out.as_mut_ptr().cast(), y: y.as_ptr().cast(), b: b.as_ptr().cast() })
}

/// `out = a x` of an n × k matrix and k numbers. `false`, and nothing is done, without registers that multiply and add at once.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real_column(size @ [n, k]: [usize; 2], out: &mut [f64], a: &[f64], x: &[f64]) -> bool {
    super::check([n, k, 1], out, a, x);
    run(Column::<false> { size, out: out.as_mut_ptr(), a: a.as_ptr(), x: x.as_ptr() })
}

/// [`real_column`] of complex numbers.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn complex_column(
    size @ [n, k]: [usize; 2],
    out: &mut [Complex64],
    a: &[Complex64],
    x: &[Complex64],
) -> bool {
    super::check([n, k, 1], out, a, x);
    run(Column::<true> { size, out: out.as_mut_ptr().cast(), a: a.as_ptr().cast(), x: x.as_ptr().cast() })
}

/// [`real_column`] and [`real_row`] of one n × k matrix, which is read once.
///
/// # Panics
/// If there are not as many elements.
pub(super) fn real_both(
    size @ [n, k]: [usize; 2],
    [ax, ya]: [&mut [f64]; 2],
    a: &[f64],
    x: &[f64],
    y: &[f64],
) -> bool {
    super::check([n, k, 1], ax, a, x);
    super::check([1, n, k], ya, y, a);
    let (ax, ya) = (ax.as_mut_ptr(), ya.as_mut_ptr());
    run(Both { size, ax, ya, a: a.as_ptr(), x: x.as_ptr(), y: y.as_ptr() })
}

/// Other numbers: nothing is done.
pub(super) fn neither<T>(_: [usize; 2], _: [&mut [T]; 2], _: &[T], _: &[T], _: &[T]) -> bool {
    false
}

/// Other numbers: nothing is done.
pub(super) fn none<T>(_: [usize; 2], _: &mut [T], _: &[T], _: &[T]) -> bool {
    false
}

/// A product, by pointers to arrays that have as many elements as its sizes say, of two doubles each if they are complex; nobody else
/// uses those that are written.
trait Product {
    /// Computes it.
    ///
    /// # Safety
    /// The machine has the instructions of the registers.
    unsafe fn by<W: Masked>(self);
}

/// Computes a product by the widest registers that there are.
#[cfg(target_arch = "x86_64")]
fn run(product: impl Product) -> bool {
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has the instructions that the function was compiled for.
        unsafe { by_512(product) };
        return true;
    }
    let has_256 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    if has_256 {
        // SAFETY: as above.
        unsafe { by_256(product) };
    }
    has_256
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn by_512(product: impl Product) {
    // SAFETY: this function is compiled for the instructions.
    unsafe { product.by::<One512>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn by_256(product: impl Product) {
    // SAFETY: as above.
    unsafe { product.by::<Two256>() }
}

/// There are none.
#[cfg(not(target_arch = "x86_64"))]
fn run(_: impl Product) -> bool {
    false
}

/// Rows whose products are added up before they are added to what is there.
const FOUR: usize = 4;

/// Rows that are taken at once, at most, where each has two values in registers.
#[inline(always)]
fn most<W: Masked>() -> usize {
    if W::REGISTERS > 2 * LANES { LANES } else { FOUR }
}

/// Sums of eight lanes that there are registers for where a register has four.
const SIX: usize = 6;

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
    /// The number of a row in the matrix.
    fn row(self, j: usize) -> usize {
        self.first + j * self.apart
    }

    /// The same rows in groups of so many, and of 4, 2 and 1 behind them: each has code of its own.
    fn split(self, most: usize) -> impl Iterator<Item = Group> {
        let mut left = self.rows;
        std::iter::from_fn(move || {
            let rows = [most, 4, 2, 1].into_iter().find(|rows| *rows <= left)?;
            let first = self.row(self.rows - left);
            left -= rows;
            Some(Group { first, rows, ..self })
        })
    }

    /// Doubles from the beginning of a cache line to the group's rows, of which the first begins here; 0 if they differ. `parts`: doubles of
    /// an element. Of registers that are shorter than lines, few loads are from two lines: 0 as well.
    #[inline(always)]
    fn before<W: Masked>(self, start: *const f64, doubles: usize, parts: usize) -> usize {
        if W::PARTS.len() > 1 {
            return 0;
        }
        let before = start as usize / size_of::<f64>() % LANES;
        let alike = self.rows == 1 || (self.apart * doubles).is_multiple_of(LANES);
        if alike && before.is_multiple_of(parts) { before } else { 0 }
    }
}

/// The lanes of so many doubles.
fn first(doubles: usize) -> Active {
    if doubles >= LANES { ALL } else { (1 << doubles) - 1 }
}

/// Goes through so many doubles by eights: by the place of the first lane, and the lanes that are inside. All but the first and the last
/// ones are full and begin where cache lines do, if so many doubles are `before`: a load from two lines takes twice as long.
#[inline(always)]
fn registers<W: Masked>(doubles: usize, before: usize, mut each: impl FnMut(isize, Active)) {
    let end = doubles as isize;
    let mut at = -(before as isize);
    if before > 0 {
        each(at, first(doubles + before) & (ALL << before));
        at += LANES as isize;
    }
    while at + LANES as isize <= end {
        each(at, ALL);
        at += LANES as isize;
    }
    // The first one may have been the last one.
    let mut left = first((end - at).max(0) as usize);
    // Parts that are full need no mask.
    for part in &W::PARTS[..W::PARTS.len() - 1] {
        if left & part == *part {
            each(at, *part);
            left &= !part;
        }
    }
    if left != 0 {
        each(at, left);
    }
}

/// The parts of active lanes that are in one register. No loop, which might not be unrolled.
#[inline(always)]
fn parts<W: Masked>(active: Active, mut each: impl FnMut(Active)) {
    match W::PARTS {
        [_] => each(active),
        [first, second] => {
            each(active & first);
            each(active & second);
        }
        _ => W::PARTS.iter().for_each(|part| each(active & part)),
    }
}

/// `out = y b`, some rows at a time, the last ones first: where [`Column`] of the same matrix came before, or will come next, those are
/// still near.
struct Row<const COMPLEX: bool> {
    size: [usize; 2],
    out: *mut f64,
    y: *const f64,
    b: *const f64,
}

impl<const COMPLEX: bool> Product for Row<COMPLEX> {
    #[inline(always)]
    unsafe fn by<W: Masked>(self) {
        let [k, m] = self.size;
        let doubles = if COMPLEX { 2 * m } else { m };
        // SAFETY: the promise of the type; the rows of a group are inside.
        unsafe {
            self.out.write_bytes(0, doubles);
            let most = if COMPLEX { most::<W>() } else { LANES };
            for g in groups(k, doubles, LANES).rev().flat_map(|g| g.split(most)) {
                match g.rows {
                    LANES => self.add::<W, LANES>(doubles, g),
                    4 => self.add::<W, 4>(doubles, g),
                    2 => self.add::<W, 2>(doubles, g),
                    _ => self.add::<W, 1>(doubles, g),
                }
            }
        }
    }
}

impl<const COMPLEX: bool> Row<COMPLEX> {
    /// Adds some rows of so many doubles, times the numbers of `y`, to `out`, in fours.
    ///
    /// # Safety
    /// As for [`Product::by`]; the rows are inside.
    #[inline(always)]
    unsafe fn add<W: Masked, const ROWS: usize>(&self, doubles: usize, g: Group) {
        let parts = if COMPLEX { 2 } else { 1 };
        // SAFETY: the caller's promise. Lanes that are active are inside.
        unsafe {
            let zero = W::splat(0.0);
            let signs = W::load(&[-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0]);
            let mut factors = [[zero; 2]; ROWS];
            let mut starts = [self.b; ROWS];
            for j in 0..ROWS {
                let y = self.y.add(parts * g.row(j));
                factors[j] = [W::splat(*y), W::splat(*y.add(parts - 1))];
                starts[j] = self.b.add(g.row(j) * doubles);
            }
            let before = g.before::<W>(starts[0], doubles, parts);
            registers::<W>(
                doubles,
                before,
                #[inline(always)]
                |at, active| {
                    let out = self.out.wrapping_offset(at);
                    let mut sum = W::load_lanes(out, active);
                    // Products with real and with imaginary parts.
                    let [mut re, mut im] = [zero; 2];
                    for j in 0..ROWS {
                        let r = W::load_lanes(starts[j].wrapping_offset(at), active);
                        let [x, y] = factors[j];
                        [re, im] =
                            if j % FOUR == 0 { [r * x, r * y] } else { [r.mul_add(x, re), r.mul_add(y, im)] };
                        if j % FOUR == FOUR - 1 || j == ROWS - 1 {
                            sum = sum + if COMPLEX { im.swapped().mul_add(signs, re) } else { re };
                        }
                    }
                    sum.store_lanes(out, active);
                },
            );
        }
    }
}

/// `out = a x`: some rows at a time, each element, or part of it, a sum of eight in the lanes of a register.
struct Column<const COMPLEX: bool> {
    size: [usize; 2],
    out: *mut f64,
    a: *const f64,
    x: *const f64,
}

impl<const COMPLEX: bool> Product for Column<COMPLEX> {
    #[inline(always)]
    unsafe fn by<W: Masked>(self) {
        // SAFETY: the caller's promise.
        unsafe { if most::<W>() == LANES { self.sums::<W, LANES>() } else { self.sums::<W, SIX>() } }
    }
}

impl<const COMPLEX: bool> Column<COMPLEX> {
    /// So many sums at a time.
    ///
    /// # Safety
    /// As for [`Product::by`].
    #[inline(always)]
    unsafe fn sums<W: Masked, const SUMS: usize>(&self) {
        let [n, k] = self.size;
        let parts = if COMPLEX { 2 } else { 1 };
        let doubles = parts * k;
        for g in groups(n, doubles, SUMS / parts) {
            let mut starts = [self.a; SUMS];
            for (j, start) in starts.iter_mut().enumerate().take(SUMS / parts) {
                // Behind the last row comes the first one again.
                *start = self.a.wrapping_add(g.row(if j < g.rows { j } else { 0 }) * doubles);
            }
            let before = g.before::<W>(starts[0], doubles, parts);
            // SAFETY: the caller's promise; rows, and lanes that are active, are inside.
            unsafe {
                let signs = W::load(&[1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]);
                let mut sums = [W::splat(0.0); LANES];
                registers::<W>(
                    doubles,
                    before,
                    #[inline(always)]
                    |at, active| {
                        let x = W::load_lanes(self.x.wrapping_offset(at), active);
                        if COMPLEX {
                            // Of (a, b) (x, y), the real part is the sum of ax and -by, the imaginary part that of ay and bx.
                            let (re, im) = (x * signs, x.swapped());
                            for j in 0..SUMS / 2 {
                                let r = W::load_lanes(starts[j].wrapping_offset(at), active);
                                add_to(&mut sums[2 * j], active, r, re);
                                add_to(&mut sums[2 * j + 1], active, r, im);
                            }
                        } else {
                            for j in 0..SUMS {
                                let r = W::load_lanes(starts[j].wrapping_offset(at), active);
                                add_to(&mut sums[j], active, r, x);
                            }
                        }
                    },
                );
                let totals = W::sums(sums);
                for j in 0..g.rows {
                    for part in 0..parts {
                        self.out.add(parts * g.row(j) + part).write(totals[parts * j + part]);
                    }
                }
            }
        }
    }
}

/// Adds products in active lanes. The others keep their bits: 0 is not added to −0.
#[inline(always)]
fn add_to<W: Masked>(sum: &mut W, active: Active, r: W, x: W) {
    *sum = r.mul_add(x, *sum).where_active(active, *sum);
}

/// `ax = a x` and `ya = y a`, some rows at a time, in the order of [`Row`].
struct Both {
    size: [usize; 2],
    ax: *mut f64,
    ya: *mut f64,
    a: *const f64,
    x: *const f64,
    y: *const f64,
}

impl Product for Both {
    #[inline(always)]
    unsafe fn by<W: Masked>(self) {
        let [n, k] = self.size;
        // SAFETY: the promise of the type; the rows of a group are inside.
        unsafe {
            self.ya.write_bytes(0, k);
            let most = most::<W>();
            for g in groups(n, k, LANES).rev().flat_map(|g| g.split(most)) {
                match g.rows {
                    LANES => self.add::<W, LANES>(g),
                    4 => self.add::<W, 4>(g),
                    2 => self.add::<W, 2>(g),
                    _ => self.add::<W, 1>(g),
                }
            }
        }
    }
}

impl Both {
    /// Both products of some rows, in the order of operations that [`Column`] and [`Row`] have.
    ///
    /// # Safety
    /// As for [`Product::by`]; the rows are inside.
    #[inline(always)]
    unsafe fn add<W: Masked, const ROWS: usize>(&self, g: Group) {
        let k = self.size[1];
        // SAFETY: the caller's promise. Lanes that are active are inside.
        unsafe {
            let zero = W::splat(0.0);
            let mut factors = [zero; ROWS];
            let mut starts = [self.a; ROWS];
            for j in 0..ROWS {
                factors[j] = W::splat(*self.y.add(g.row(j)));
                starts[j] = self.a.add(g.row(j) * k);
            }
            let mut dots = [zero; LANES];
            registers::<W>(
                k,
                g.before::<W>(starts[0], k, 1),
                #[inline(always)]
                |at, active| {
                    // One part's numbers are all that there are registers for.
                    parts::<W>(
                        active,
                        #[inline(always)]
                        |active| {
                            let ya = self.ya.wrapping_offset(at);
                            let x = W::load_lanes(self.x.wrapping_offset(at), active);
                            let mut sum = W::load_lanes(ya, active);
                            let mut products = zero;
                            for j in 0..ROWS {
                                let r = W::load_lanes(starts[j].wrapping_offset(at), active);
                                add_to(&mut dots[j], active, r, x);
                                let f = factors[j];
                                products = if j % FOUR == 0 { r * f } else { r.mul_add(f, products) };
                                if j % FOUR == FOUR - 1 || j == ROWS - 1 {
                                    sum = sum + products;
                                }
                            }
                            sum.store_lanes(ya, active);
                        },
                    );
                },
            );
            let totals = W::sums(dots);
            for (j, total) in totals.iter().enumerate().take(ROWS) {
                self.ax.add(g.row(j)).write(*total);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::wide::Plain;

    fn complexes(from: usize, len: usize) -> Vec<Complex64> {
        // Small integers: products are exact.
        let number = |i: usize| ((7 * i) % 23) as f64 - 11.0;
        (from..from + len).map(|i| Complex64::new(number(i), number(i + 5))).collect()
    }

    fn reals(v: &[Complex64]) -> Vec<f64> {
        v.iter().map(|z| z.re).collect()
    }

    type OneSide<T> = fn([usize; 2], &mut [T], &[T], &[T]) -> bool;

    /// Both products of all sizes, each way against plain sums.
    fn products(vector_first: bool, complex: OneSide<Complex64>, real: OneSide<f64>) {
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

    /// Computes a product by the registers of a kind, if there are such.
    fn by_kind(kind: usize, product: impl Product) -> bool {
        match kind {
            // SAFETY: these registers are nothing special.
            0 => unsafe { product.by::<Plain>() },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the machine has the instructions that the function was compiled for.
            1 if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") => unsafe {
                by_256(product)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            2 if is_x86_feature_detected!("avx512f") => unsafe { by_512(product) },
            _ => return false,
        }
        true
    }

    /// Its products with both vectors, by registers of a kind: alone, at once, and of complex numbers. The matrix has NaNs around it.
    fn all_products(kind: usize, [rows, columns]: [usize; 2], before: usize) -> Option<Vec<u64>> {
        let number = |i: usize| ((7 * i) % 23) as f64 / 3.0 - 3.5;
        let mut room = vec![f64::NAN; before + 2 * rows * columns + LANES];
        let matrix = before..before + 2 * rows * columns;
        room[matrix.clone()].iter_mut().enumerate().for_each(|(i, x)| *x = number(i + 5));
        // Products of what is very small, and negative, are -0.
        room[matrix.clone()].iter_mut().take(LANES).for_each(|x| *x = -1e-300);
        let [x, y] = [1, 2].map(|from| {
            (0..2 * rows.max(columns)).map(|i| number(i + from).abs() * 1e-30).collect::<Vec<_>>()
        });
        let (a, x, y) = (room[matrix].as_ptr(), x.as_ptr(), y.as_ptr());
        let mut results = Vec::new();
        for complex in [false, true] {
            let parts = if complex { 2 } else { 1 };
            // Whole registers around what is written.
            let [mut ax, mut ya] = [rows, columns].map(|len| vec![f64::NAN; parts * len + 2 * LANES]);
            let size = [rows, columns];
            let (out, row) = (ax[LANES..].as_mut_ptr(), ya[LANES..].as_mut_ptr());
            let done = match complex {
                false => {
                    by_kind(kind, Column::<false> { size, out, a, x })
                        && by_kind(kind, Row::<false> { size, out: row, y, b: a })
                }
                true => {
                    by_kind(kind, Column::<true> { size, out, a, x })
                        && by_kind(kind, Row::<true> { size, out: row, y, b: a })
                }
            };
            if !done {
                return None;
            }
            for all in [&ax, &ya] {
                let around = all[..LANES].iter().chain(&all[all.len() - LANES..]);
                assert!(around.into_iter().all(|x| x.is_nan()), "{kind} {size:?} {before}");
            }
            results.extend(ax.iter().chain(&ya).map(|x| x.to_bits()));
            if !complex {
                let alone = results.clone();
                assert!(by_kind(kind, Both { size, ax: out, ya: row, a, x, y }));
                assert_eq!(ax.iter().chain(&ya).map(|x| x.to_bits()).collect::<Vec<_>>(), alone);
            }
        }
        Some(results)
    }

    /// The doubles that registers of a kind go through, in order.
    fn visited<W: Masked>(doubles: usize, before: usize) -> Vec<isize> {
        let mut all = Vec::new();
        registers::<W>(doubles, before, |at, active| {
            all.extend((0..LANES).filter(|l| active >> l & 1 == 1).map(|l| at + l as isize));
        });
        all
    }

    #[test]
    fn each_double_is_visited_once_and_no_other() {
        for doubles in 0..4 * LANES {
            let all: Vec<isize> = (0..doubles as isize).collect();
            assert_eq!(visited::<Plain>(doubles, 0), all);
            // On any machine: nothing is computed.
            #[cfg(target_arch = "x86_64")]
            for before in 0..LANES {
                assert_eq!(visited::<One512>(doubles, before), all, "{doubles} behind {before}");
            }
        }
    }

    #[test]
    fn registers_of_all_kinds_give_the_same_bits() {
        let sizes = (1..20).flat_map(|rows| (1..28).map(move |columns| [rows, columns]));
        for size in sizes.chain([[8, 8], [16, 20], [19, 24], [33, 12], [70, 13], [40, 100]]) {
            let plain = all_products(0, size, 0);
            for kind in 1..3 {
                for before in 0..LANES {
                    let products = all_products(kind, size, before);
                    assert!(products.is_none() || products == plain, "{kind} {size:?} {before}");
                }
            }
        }
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
