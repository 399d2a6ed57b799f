//! Native functions on memory and arrays that generated code calls, beside those of [`crate::math`].
//!
//! Nothing here unwinds into generated code: a panic becomes the status [`FAILED`], or a null pointer.

mod values;

pub(crate) use values::{linalg_values, matmul_values};

use crate::context::Context;
use adc_ir::{LinalgOp, Scalar};
use adc_runtime::linalg::{self, Element, Singular};
use adc_runtime::{eigen, svd};
use num_complex::{Complex32, Complex64};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The interpreter chooses the phases of eigenvectors in the same way.
const _: () = assert!(eigen::LEADING == LinalgOp::LEADING);

/// What a kernel that panicked returns.
pub(crate) const FAILED: i32 = 2;
/// What a kernel returns that met a singular matrix.
pub(crate) const SINGULAR: i32 = 1;

/// The table of kernels: symbol, number of parameters (all 64-bit integers), bits of the result, function.
macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $symbol:literal $params:literal $bits:literal $function:ident,)*) => {
        /// A native function by what generated code imports it as.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Kernel { $($(#[$doc])* $name,)* }

        impl Kernel {
            /// The symbol, the number of parameters, and the bits of the result.
            pub fn signature(self) -> (&'static str, usize, u32) {
                match self { $(Kernel::$name => ($symbol, $params, $bits),)* }
            }
        }

        /// The address behind a symbol.
        pub(crate) fn address_of(symbol: &str) -> Option<*const u8> {
            match symbol { $($symbol => Some($function as *const u8),)* _ => None }
        }
    };
}

kernels! {
    /// `context, bytes -> address`; 0 if there is no memory.
    Take "adc_take" 2 64 take,
    /// `context, address`
    Give "adc_give" 2 0 give,
    /// `context, address, used, wanted -> address`: a block of the wanted size with the used bytes of another one, which is
    /// given back.
    Grow "adc_grow" 4 64 grow,
    /// `to, from, bytes`; they may overlap.
    Copy "adc_copy" 3 0 copy,
    /// `to, bytes`
    Zero "adc_zero" 2 0 zero,
    /// `to, from, rows, columns, bytes of an element`
    Transpose "adc_transpose" 5 0 transpose,
    /// `type of a, type of b, out, a, b, context of the sizes n, k, m`
    MatMul "adc_matmul" 7 32 matmul,
    /// `context, op and types, out, a, b, n, m -> status`
    Linalg "adc_linalg" 7 32 linear_algebra,
}

unsafe extern "C" fn take(context: *mut Context, bytes: u64) -> *mut u8 {
    let run = || {
        // SAFETY: generated code passes the context of its call, whose heap nobody else uses meanwhile.
        let heap = unsafe { &mut (*context).heap };
        heap.take(bytes).map_or(std::ptr::null_mut(), |p| p.as_ptr())
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(std::ptr::null_mut())
}

unsafe extern "C" fn give(context: *mut Context, block: *mut u8) {
    let run = || {
        // SAFETY: as in `take`.
        let heap = unsafe { &mut (*context).heap };
        heap.give(block.addr());
    };
    let _ = catch_unwind(AssertUnwindSafe(run));
}

unsafe extern "C" fn grow(context: *mut Context, block: *mut u8, used: u64, wanted: u64) -> *mut u8 {
    let run = || {
        // SAFETY: as in `take`.
        let heap = unsafe { &mut (*context).heap };
        let Some(new) = heap.take(wanted) else { return std::ptr::null_mut() };
        // SAFETY: the used part is inside both blocks, which are different ones.
        unsafe { std::ptr::copy_nonoverlapping(block, new.as_ptr(), used as usize) };
        heap.give(block.addr());
        new.as_ptr()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(std::ptr::null_mut())
}

unsafe extern "C" fn copy(to: *mut u8, from: *const u8, bytes: u64) {
    // SAFETY: generated code passes arrays of at least that many bytes.
    unsafe { std::ptr::copy(from, to, bytes as usize) }
}

unsafe extern "C" fn zero(to: *mut u8, bytes: u64) {
    // SAFETY: as in `copy`.
    unsafe { std::ptr::write_bytes(to, 0, bytes as usize) }
}

unsafe extern "C" fn transpose(to: *mut u8, from: *const u8, rows: u64, columns: u64, elem: u64) {
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
    // SAFETY: generated code passes matrices of these sizes with elements of so many bytes, which are aligned to as
    // many, or to 8 if they are complex doubles.
    unsafe {
        match elem {
            1 => of::<u8>(to, from, rows, columns),
            4 => of::<u32>(to, from, rows, columns),
            8 => of::<u64>(to, from, rows, columns),
            _ => of::<[u64; 2]>(to, from, rows, columns),
        }
    }
}

/// A product of matrices by their sizes.
type Product<A, B, C> = fn([usize; 3], &mut [C], &[A], &[B]);

/// The number that stands for a type in arguments of kernels.
pub(crate) fn code_of(s: Scalar) -> i64 {
    match s {
        Scalar::Bool | Scalar::I64 => -1,
        Scalar::F32 => 0,
        Scalar::F64 => 1,
        Scalar::C64 => 2,
        Scalar::C128 => 3,
    }
}

/// Both operands' types in one number.
pub(crate) fn codes_of(a: Scalar, b: Scalar) -> i64 {
    4 * code_of(a) + code_of(b)
}

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

/// A product of matrices; the sizes are n × k and k × m.
unsafe extern "C" fn matmul(
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
    // SAFETY: generated code passes arrays of these types and sizes, and a result of its own.
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

/// What [`Kernel::Linalg`] is told: operation, type of the result's elements, whether the operands are as complex as that.
pub(crate) fn linalg_code(op: LinalgOp, elem: Scalar, a: Scalar, b: Option<Scalar>) -> i64 {
    let op = LinalgOp::ALL.iter().position(|(o, _)| *o == op).expect("all are there") as i64;
    let widen = |s: Scalar| (elem.is_complex() && !s.is_complex()) as i64;
    ((op * 4 + code_of(elem)) * 2 + widen(a)) * 2 + b.map_or(0, widen)
}

/// Elements of memory for a copy of the matrix, where [`apply`] destroys it.
fn work(op: LinalgOp, n: usize) -> usize {
    match op {
        LinalgOp::Solve
        | LinalgOp::SolveAdjoint
        | LinalgOp::Inv
        | LinalgOp::Det
        | LinalgOp::LogDet
        | LinalgOp::EighValues
        | LinalgOp::EighVectors => n * n,
        LinalgOp::Cholesky
        | LinalgOp::Lu
        | LinalgOp::LuSolve
        | LinalgOp::LuSolveAdjoint
        | LinalgOp::QrQ
        | LinalgOp::SvdValues
        | LinalgOp::SvdVectors => 0,
    }
}

/// Elements of memory for what [`apply`] does beside that; m is the number of rows.
fn spare(op: LinalgOp, [n, m]: [usize; 2]) -> usize {
    match op {
        LinalgOp::QrQ => 2 * m * n,
        LinalgOp::SvdValues => (m + 1) * n,
        LinalgOp::SvdVectors => (n + m) * n,
        LinalgOp::Solve
        | LinalgOp::SolveAdjoint
        | LinalgOp::Inv
        | LinalgOp::Det
        | LinalgOp::LogDet
        | LinalgOp::EighValues
        | LinalgOp::EighVectors
        | LinalgOp::Cholesky
        | LinalgOp::Lu
        | LinalgOp::LuSolve
        | LinalgOp::LuSolveAdjoint => 0,
    }
}

/// Elements of the first operand.
fn matrix(op: LinalgOp, [n, m]: [usize; 2]) -> usize {
    let rows = if op.is_rectangular() { m } else { n + usize::from(op.is_of_factors()) };
    rows * n
}

/// Where [`apply`] has the result.
enum Made {
    /// In `out`.
    Out,
    /// A real number, whatever the type of the matrix.
    Number(f64),
    /// The real parts of so many elements of `memory`.
    RealParts(usize),
}

/// An operation on the n × n matrix `a`, or its factors, and the n × m matrix `b`; or on an m × n matrix. `out` is used for results of
/// the type of the matrix only. Where [`work`] says so, `a` is not looked at, and a copy of it in `memory` destroyed; or `memory` is
/// of the size that [`spare`] says. `rows` is memory for n numbers.
fn apply<T: Element>(
    op: LinalgOp,
    [n, m]: [usize; 2],
    out: &mut [T],
    [a, b]: [&[T]; 2],
    memory: &mut [T],
    rows: &mut [usize],
) -> Result<Made, Singular> {
    match op {
        LinalgOp::Solve => linalg::solve([n, m], out, memory, b, rows)?,
        LinalgOp::SolveAdjoint => linalg::solve_adjoint([n, m], out, memory, b, rows)?,
        LinalgOp::Cholesky => linalg::cholesky(n, out, a)?,
        LinalgOp::Inv => linalg::inv(n, out, memory, rows)?,
        LinalgOp::Det => out[0] = linalg::det(n, memory, rows),
        LinalgOp::LogDet => return Ok(Made::Number(linalg::logdet(n, memory, rows))),
        LinalgOp::EighValues => {
            eigen::eigenvalues(n, memory);
            return Ok(Made::RealParts(n));
        }
        LinalgOp::EighVectors => eigen::eigenvectors(n, out, memory),
        LinalgOp::QrQ => svd::orthonormal([m, n], out, a, memory),
        LinalgOp::SvdValues => {
            svd::singular_values([m, n], a, memory);
            return Ok(Made::RealParts(n));
        }
        LinalgOp::SvdVectors => svd::singular_vectors([m, n], out, a, memory),
        LinalgOp::Lu => linalg::lu(n, out, a, rows)?,
        LinalgOp::LuSolve => linalg::lu_solve([n, m], out, a, b),
        LinalgOp::LuSolveAdjoint => linalg::lu_solve_adjoint([n, m], out, a, b, rows),
    }
    Ok(Made::Out)
}

/// What a kernel returns that got no memory.
pub(crate) const NO_MEMORY: i32 = 3;

unsafe extern "C" fn linear_algebra(
    context: *mut Context,
    code: u64,
    out: *mut u8,
    a: *const u8,
    b: *const u8,
    n: u64,
    m: u64,
) -> i32 {
    let op = LinalgOp::ALL[(code / 16) as usize].0;
    let wide = [code / 2 % 2 == 1, code % 2 == 1];
    let size = [n as usize, m as usize];
    let operands = Operands { op, wide, out, a, b, size };
    let run = || {
        // SAFETY: as in `take`; the operands are what generated code passes: arrays of the types that the code says and
        // of these sizes, and a result of its own.
        unsafe {
            let heap = &mut (*context).heap;
            match code / 4 % 4 {
                0 => operands.run::<f32>(heap),
                1 => operands.run::<f64>(heap),
                2 => operands.run::<Complex32>(heap),
                _ => operands.run::<Complex64>(heap),
            }
        }
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(FAILED)
}

struct Operands {
    op: LinalgOp,
    /// Whether `a` and `b` are real where the operation is complex.
    wide: [bool; 2],
    out: *mut u8,
    a: *const u8,
    b: *const u8,
    size: [usize; 2],
}

impl Operands {
    /// # Safety
    /// The addresses are of arrays of such elements and sizes, the result's of its own memory.
    unsafe fn run<T: Element>(self, heap: &mut crate::heap::Heap) -> i32 {
        let [n, m] = self.size;
        let rhs = if self.op.has_rhs() { n * m } else { 0 };
        let work = work(self.op, n);
        // What is not copied is of the type that is computed in.
        let matrix = if work > 0 { 0 } else { matrix(self.op, self.size) };
        let spare = spare(self.op, self.size);
        // These results may be of another type.
        let results = match self.op {
            LinalgOp::LogDet | LinalgOp::EighValues | LinalgOp::SvdValues => 0,
            op => op.results(self.size).unwrap_or(1),
        };
        // What is copied or written before it is read, whichever the operation has.
        let scratch = work.max(spare);
        let copied = scratch + if self.wide[1] { rhs } else { 0 };
        let rows_bytes = n * size_of::<usize>();
        let Some(memory) = heap.take((rows_bytes + copied * size_of::<T>()) as u64) else {
            return NO_MEMORY;
        };
        // SAFETY: the block is this call's alone and large enough: first the rows, then the elements, both of at most 8
        // bytes' alignment; the operands are the caller's promise. Everything is written before it is read.
        let status = unsafe {
            let elements = memory.as_ptr().add(rows_bytes).cast::<T>();
            fill(elements, self.a, work, self.wide[0]);
            elements.add(work).write_bytes(0, scratch - work);
            let b = if self.wide[1] {
                fill(elements.add(scratch), self.b, rhs, true);
                elements.add(scratch).cast_const().cast()
            } else {
                self.b
            };
            let rows = memory.as_ptr().cast::<usize>();
            rows.write_bytes(0, n);
            let (scratch, rows) = (slice_mut(elements.cast(), scratch), slice_mut(rows.cast(), n));
            let operands = [slice(self.a, matrix), slice(b, rhs)];
            match apply::<T>(self.op, self.size, slice_mut(self.out, results), operands, scratch, rows) {
                Ok(Made::Out) => 0,
                Ok(Made::Number(x)) => {
                    self.out.cast::<T::Part>().write(T::part(x));
                    0
                }
                Ok(Made::RealParts(len)) => {
                    for i in 0..len {
                        let x = elements.add(i).read().re();
                        self.out.cast::<T::Part>().add(i).write(T::part(x));
                    }
                    0
                }
                Err(Singular) => SINGULAR,
            }
        };
        heap.give(memory.addr().get());
        status
    }
}

/// Copies elements, from real ones if `wide`.
///
/// # Safety
/// Both addresses are of so many elements.
unsafe fn fill<T: Element>(to: *mut T, from: *const u8, len: usize, wide: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        if wide {
            for (i, x) in slice::<T::Part>(from, len).iter().enumerate() {
                to.add(i).write(T::of_part(*x));
            }
        } else if len > 0 {
            std::ptr::copy_nonoverlapping(from.cast::<T>(), to, len);
        }
    }
}
