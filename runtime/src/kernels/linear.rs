//! Linear algebra on arrays of any of the four types, with memory from [`Blocks`].

use super::{Blocks, FAILED, NO_MEMORY, SINGULAR, slice, slice_mut};
use crate::linalg::{self, Element, Singular};
use crate::{eigen, svd};
use num_complex::{Complex32, Complex64};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is computed of an n × n matrix A, or its factors, and an n × m right-hand side b, or of an m × n matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// x with A x = b.
    Solve,
    /// x with Aᴴ x = b.
    SolveAdjoint,
    /// Lower L with L Lᴴ = A.
    Cholesky,
    /// The inverse.
    Inv,
    /// The determinant.
    Det,
    /// log |det A|.
    LogDet,
    /// The eigenvalues of a Hermitian matrix.
    EighValues,
    /// Their eigenvectors.
    EighVectors,
    /// Q of A = Q R.
    QrQ,
    /// The singular values.
    SvdValues,
    /// V above U.
    SvdVectors,
    /// The factors, with one row more than A.
    Lu,
    /// x with A x = b, of the factors.
    LuSolve,
    /// x with Aᴴ x = b, of the factors.
    LuSolveAdjoint,
}

/// How many elements everything has that an operation reads, writes and works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Of the matrix or its factors.
    pub matrix: usize,
    /// Of the right-hand side.
    pub rhs: usize,
    /// Of the result, if it is of the type of the matrix.
    pub results: usize,
    /// Of memory for a copy of the matrix, where [`apply`] destroys it.
    pub work: usize,
    /// Of memory for what [`apply`] does beside that.
    pub spare: usize,
}

impl Operation {
    /// Every one, by its number.
    pub const ALL: [Operation; 14] = {
        use Operation::*;
        [
            Solve,
            SolveAdjoint,
            Cholesky,
            Inv,
            Det,
            LogDet,
            EighValues,
            EighVectors,
            QrQ,
            SvdValues,
            SvdVectors,
            Lu,
            LuSolve,
            LuSolveAdjoint,
        ]
    };

    /// Numbers of elements; m is the number of columns of b, or else of rows of a rectangular matrix.
    pub fn counts(self, [n, m]: [usize; 2]) -> Counts {
        let square = n * n;
        let of = |matrix, rhs, results, work, spare| Counts { matrix, rhs, results, work, spare };
        match self {
            Operation::Solve | Operation::SolveAdjoint => of(square, n * m, n * m, square, 0),
            Operation::Cholesky => of(square, 0, square, 0, 0),
            Operation::Inv => of(square, 0, square, square, 0),
            Operation::Det => of(square, 0, 1, square, 0),
            Operation::LogDet | Operation::EighValues => of(square, 0, 0, square, 0),
            Operation::EighVectors => of(square, 0, square, square, 0),
            Operation::QrQ => of(m * n, 0, m * n, 0, 2 * m * n),
            Operation::SvdValues => of(m * n, 0, 0, 0, (m + 1) * n),
            Operation::SvdVectors => of(m * n, 0, (n + m) * n, 0, (n + m) * n),
            Operation::Lu => of(square, 0, (n + 1) * n, 0, 0),
            Operation::LuSolve | Operation::LuSolveAdjoint => of((n + 1) * n, n * m, n * m, 0, 0),
        }
    }
}

/// Where [`apply`] has the result.
pub enum Made {
    /// In `out`.
    Out,
    /// A real number, whatever the type of the matrix.
    Number(f64),
    /// The real parts of so many elements of `memory`.
    RealParts(usize),
}

/// An operation on the n × n matrix `a`, or its factors, and the n × m matrix `b`; or on an m × n matrix. `out` is used for results of
/// the type of the matrix only. Where [`Counts::work`] says so, `a` is not looked at, and a copy of it in `memory` destroyed; or
/// `memory` is of the size that [`Counts::spare`] says. `rows` is memory for n numbers.
///
/// # Errors
/// A singular matrix.
pub fn apply<T: Element>(
    op: Operation,
    [n, m]: [usize; 2],
    out: &mut [T],
    [a, b]: [&[T]; 2],
    memory: &mut [T],
    rows: &mut [usize],
) -> Result<Made, Singular> {
    match op {
        Operation::Solve => linalg::solve([n, m], out, memory, b, rows)?,
        Operation::SolveAdjoint => linalg::solve_adjoint([n, m], out, memory, b, rows)?,
        Operation::Cholesky => linalg::cholesky(n, out, a)?,
        Operation::Inv => linalg::inv(n, out, memory, rows)?,
        Operation::Det => out[0] = linalg::det(n, memory, rows),
        Operation::LogDet => return Ok(Made::Number(linalg::logdet(n, memory, rows))),
        Operation::EighValues => {
            eigen::eigenvalues(n, memory);
            return Ok(Made::RealParts(n));
        }
        Operation::EighVectors => eigen::eigenvectors(n, out, memory),
        Operation::QrQ => svd::orthonormal([m, n], out, a, memory),
        Operation::SvdValues => {
            svd::singular_values([m, n], a, memory);
            return Ok(Made::RealParts(n));
        }
        Operation::SvdVectors => svd::singular_vectors([m, n], out, a, memory),
        Operation::Lu => linalg::lu(n, out, a, rows)?,
        Operation::LuSolve => linalg::lu_solve([n, m], out, a, b),
        Operation::LuSolveAdjoint => linalg::lu_solve_adjoint([n, m], out, a, b, rows),
    }
    Ok(Made::Out)
}

/// The arrays of an operation, by address.
pub struct Operands {
    /// What is computed.
    pub op: Operation,
    /// Whether `a` and `b` are real where the operation is complex.
    pub wide: [bool; 2],
    /// The result.
    pub out: *mut u8,
    /// The matrix.
    pub a: *const u8,
    /// The right-hand side.
    pub b: *const u8,
    /// n and m.
    pub size: [usize; 2],
}

impl Operands {
    /// The operation and types in one number: sixteen times the operation, four times the type (0 for `f32`, 1 for `f64`, 2 and 3
    /// for the complex ones), and whether each operand is real where that is complex.
    pub fn code(op: Operation, elem: u64, wide: [bool; 2]) -> u64 {
        ((op as u64 * 4 + elem) * 2 + u64::from(wide[0])) * 2 + u64::from(wide[1])
    }

    /// Runs what [`Self::code`] says; 0, or why there is no result.
    ///
    /// # Safety
    /// The addresses are of arrays of the types that the code says and of these sizes, the result's of its own memory.
    pub unsafe fn run(heap: &mut impl Blocks, code: u64, [out, a, b]: [*mut u8; 3], [n, m]: [u64; 2]) -> i32 {
        let op = Operation::ALL[(code / 16) as usize];
        let wide = [code / 2 % 2 == 1, code % 2 == 1];
        let operands = Operands { op, wide, out, a, b, size: [n as usize, m as usize] };
        let run = || {
            // SAFETY: the caller's promise.
            unsafe {
                match code / 4 % 4 {
                    0 => operands.of::<f32>(heap),
                    1 => operands.of::<f64>(heap),
                    2 => operands.of::<Complex32>(heap),
                    _ => operands.of::<Complex64>(heap),
                }
            }
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or(FAILED)
    }

    /// # Safety
    /// The addresses are of arrays of such elements and sizes, the result's of its own memory.
    unsafe fn of<T: Element>(self, heap: &mut impl Blocks) -> i32 {
        let n = self.size[0];
        let counts = self.op.counts(self.size);
        let (rhs, work) = (counts.rhs, counts.work);
        // What is not copied is of the type that is computed in.
        let matrix = if work > 0 { 0 } else { counts.matrix };
        // What is copied or written before it is read, whichever the operation has.
        let scratch = work.max(counts.spare);
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
            let out = slice_mut(self.out, counts.results);
            match apply::<T>(self.op, self.size, out, operands, scratch, rows) {
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
