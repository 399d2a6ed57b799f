//! Functions on memory, and products of matrices, as C functions for generated code; linear algebra is in [`linear`].
//!
//! Nothing here unwinds into generated code: a panic becomes the status [`FAILED`].

pub mod linear;

use crate::linalg::{self, Element};
use num_complex::{Complex32, Complex64};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

/// What a kernel that panicked returns.
pub const FAILED: i32 = 2;
/// What a kernel returns that met a singular matrix.
pub const SINGULAR: i32 = 1;
/// What a kernel returns that got no memory.
pub const NO_MEMORY: i32 = 3;

/// Memory by blocks, for arrays whose size only the run knows and for what kernels work in.
pub trait Blocks {
    /// A block of at least so many bytes, aligned to 64; `None` beyond the limit, or if the system has none.
    fn take(&mut self, bytes: u64) -> Option<NonNull<u8>>;
    /// Gives the block at an address back.
    fn give(&mut self, at: usize);
}

/// Copies bytes; the two places may overlap.
///
/// # Safety
/// There are so many bytes at both.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_copy"))]
pub unsafe extern "C" fn copy(to: *mut u8, from: *const u8, bytes: u64) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy(from, to, bytes as usize) }
}

/// Makes bytes 0.
///
/// # Safety
/// There are so many.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_zero"))]
pub unsafe extern "C" fn zero(to: *mut u8, bytes: u64) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::write_bytes(to, 0, bytes as usize) }
}

/// The transpose of a matrix with elements of 1, 4, 8 or 16 bytes.
///
/// # Safety
/// Both are matrices of so many elements, which are aligned to as many bytes, or to 8 if they are complex doubles.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_transpose"))]
pub unsafe extern "C" fn transpose(to: *mut u8, from: *const u8, rows: u64, columns: u64, elem: u64) {
    /// # Safety
    /// Both are matrices of so many elements.
    unsafe fn of<T: Copy>(to: *mut u8, from: *const u8, rows: usize, columns: usize) {
        const BLOCK: usize = 16;
        let (to, from) = (to.cast::<T>(), from.cast::<T>());
        for i0 in (0..rows).step_by(BLOCK) {
            for j0 in (0..columns).step_by(BLOCK) {
                for i in i0..rows.min(i0 + BLOCK) {
                    for j in j0..columns.min(j0 + BLOCK) {
                        // SAFETY: i and j are inside.
                        unsafe { to.add(j * rows + i).write(from.add(i * columns + j).read()) }
                    }
                }
            }
        }
    }
    let (rows, columns) = (rows as usize, columns as usize);
    // SAFETY: the caller's promise.
    unsafe {
        match elem {
            1 => of::<u8>(to, from, rows, columns),
            4 => of::<u32>(to, from, rows, columns),
            8 => of::<u64>(to, from, rows, columns),
            _ => of::<[u64; 2]>(to, from, rows, columns),
        }
    }
}

/// aⁿ if it is an integer in range, and status 0; a negative `n` is out of range.
///
/// # Safety
/// `out` is writable and aligned.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_ipowi"))]
pub unsafe extern "C" fn int_power(a: i64, n: i64, out: *mut i64) -> i32 {
    let power = || {
        let (mut result, mut base, mut n) = (1i64, a, u64::try_from(n).ok()?);
        while n > 0 {
            if n & 1 == 1 {
                result = result.checked_mul(base)?;
            }
            n >>= 1;
            if n > 0 {
                base = base.checked_mul(base)?;
            }
        }
        Some(result)
    };
    match power() {
        Some(y) => {
            // SAFETY: the caller's promise.
            unsafe { out.write(y) };
            0
        }
        None => 1,
    }
}

/// Products of an n × k matrix of doubles with k numbers behind it and n numbers before it.
///
/// # Safety
/// Arrays of these sizes; `ax` and `ya` are different ones, and none of the others.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_matmul_both"))]
pub unsafe extern "C" fn matmul_both(
    ax: *mut u8,
    ya: *mut u8,
    a: *const u8,
    x: *const u8,
    y: *const u8,
    n: u64,
    k: u64,
) -> i32 {
    let (n, k) = (n as usize, k as usize);
    // SAFETY: the caller's promise.
    let run = || unsafe {
        let out = [slice_mut::<f64>(ax, n), slice_mut(ya, k)];
        linalg::matmul_both([n, k], out, slice(a, n * k), slice(x, k), slice(y, n));
    };
    catch_unwind(AssertUnwindSafe(run)).map_or(FAILED, |()| 0)
}

/// A product of matrices by their sizes.
pub type Product<A, B, C> = fn([usize; 3], &mut [C], &[A], &[B]);

/// # Safety
/// `p` is the address of so many elements that nobody writes meanwhile.
unsafe fn slice<'a, T>(p: *const u8, len: usize) -> &'a [T] {
    // SAFETY: the caller's promise; an array of no elements may be anywhere.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(p.cast(), len) } }
}

/// # Safety
/// `p` is the address of so many elements that nobody else uses meanwhile.
unsafe fn slice_mut<'a, T>(p: *mut u8, len: usize) -> &'a mut [T] {
    // SAFETY: as in `slice`.
    if len == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(p.cast(), len) } }
}

/// A product of matrices of sizes n × k and k × m, whose types are four times that of `a` and that of `b`, by 0 for `f32`, 1 for
/// `f64`, 2 and 3 for the complex ones.
///
/// # Safety
/// Arrays of these types and sizes; `out` is none of the others.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_matmul"))]
pub unsafe extern "C" fn matmul(
    codes: u64,
    out: *mut u8,
    a: *const u8,
    b: *const u8,
    n: u64,
    k: u64,
    m: u64,
) -> i32 {
    let (n, k, m) = (n as usize, k as usize, m as usize);
    /// # Safety
    /// Arrays of these sizes; `out` is none of the others.
    unsafe fn of<A: Element, B: Element, C: Element>(
        [out, a, b]: [*mut u8; 3],
        [n, k, m]: [usize; 3],
        f: Product<A, B, C>,
    ) {
        // SAFETY: the caller's promise.
        unsafe { f([n, k, m], slice_mut(out, n * m), slice(a, n * k), slice(b, k * m)) }
    }
    let p = [out, a.cast_mut(), b.cast_mut()];
    // SAFETY: the caller's promise.
    let run = || unsafe {
        match codes {
            0 => of::<f32, f32, f32>(p, [n, k, m], linalg::matmul),
            5 => of::<f64, f64, f64>(p, [n, k, m], linalg::matmul),
            10 => of::<Complex32, Complex32, Complex32>(p, [n, k, m], linalg::matmul),
            15 => of::<Complex64, Complex64, Complex64>(p, [n, k, m], linalg::matmul),
            2 => of::<f32, Complex32, Complex32>(p, [n, k, m], linalg::real_matmul),
            7 => of::<f64, Complex64, Complex64>(p, [n, k, m], linalg::real_matmul),
            8 => of::<Complex32, f32, Complex32>(p, [n, k, m], linalg::matmul_real),
            13 => of::<Complex64, f64, Complex64>(p, [n, k, m], linalg::matmul_real),
            _ => unreachable!("no product of such types"),
        }
    };
    catch_unwind(AssertUnwindSafe(run)).map_or(FAILED, |()| 0)
}
