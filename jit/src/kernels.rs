//! Native functions on memory and arrays that generated code calls, beside those of [`crate::math`].
//!
//! Nothing here unwinds into generated code: a panic becomes a status or a null pointer.

mod values;

pub(crate) use values::{linalg_values, matmul_values};

use crate::context::Context;
use adc_ir::{LinalgOp, Scalar};
use adc_runtime::eigen;
use adc_runtime::kernels::linear::{Operands, Operation};
pub(crate) use adc_runtime::kernels::{SINGULAR, int_power};
use adc_runtime::kernels::{copy, matmul, matmul_both, transpose, zero};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The interpreter chooses the phases of eigenvectors in the same way.
const _: () = assert!(eigen::LEADING == LinalgOp::LEADING);

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
    /// `a x, y a, a, x, y, n, k` of an n × k matrix of doubles
    MatMulBoth "adc_matmul_both" 7 32 matmul_both,
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

/// What the runtime computes for an operation.
pub(crate) fn operation(op: LinalgOp) -> Operation {
    match op {
        LinalgOp::Solve => Operation::Solve,
        LinalgOp::SolveAdjoint => Operation::SolveAdjoint,
        LinalgOp::Cholesky => Operation::Cholesky,
        LinalgOp::Inv => Operation::Inv,
        LinalgOp::Det => Operation::Det,
        LinalgOp::LogDet => Operation::LogDet,
        LinalgOp::EighValues => Operation::EighValues,
        LinalgOp::EighVectors => Operation::EighVectors,
        LinalgOp::QrQ => Operation::QrQ,
        LinalgOp::SvdValues => Operation::SvdValues,
        LinalgOp::SvdVectors => Operation::SvdVectors,
        LinalgOp::Lu => Operation::Lu,
        LinalgOp::LuSolve => Operation::LuSolve,
        LinalgOp::LuSolveAdjoint => Operation::LuSolveAdjoint,
    }
}

/// What [`Kernel::Linalg`] is told: operation, type of the result's elements, whether the operands are as complex as that.
pub(crate) fn linalg_code(op: LinalgOp, elem: Scalar, a: Scalar, b: Option<Scalar>) -> i64 {
    let widen = |s: Scalar| elem.is_complex() && !s.is_complex();
    Operands::code(operation(op), code_of(elem) as u64, [widen(a), b.is_some_and(widen)]) as i64
}

unsafe extern "C" fn linear_algebra(
    context: *mut Context,
    code: u64,
    out: *mut u8,
    a: *const u8,
    b: *const u8,
    n: u64,
    m: u64,
) -> i32 {
    // SAFETY: as in `take`; the operands are what generated code passes: arrays of the types that the code says and
    // of these sizes, and a result of its own.
    unsafe { Operands::run(&mut (*context).heap, code, [out, a.cast_mut(), b.cast_mut()], [n, m]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runtime's numbers of elements are those of the IR.
    #[test]
    fn operations_have_the_sizes_of_the_ir() {
        for (op, name) in LinalgOp::ALL {
            assert_eq!(Operation::ALL[operation(*op) as usize], operation(*op), "{name}");
            let [n, m] = [3, 5];
            let counts = operation(*op).counts([n, m]);
            let rows = if op.is_rectangular() { m } else { n + usize::from(op.is_of_factors()) };
            assert_eq!(counts.matrix, rows * n, "{name}");
            assert_eq!(counts.rhs, if op.has_rhs() { n * m } else { 0 }, "{name}");
            let results = match op {
                // These are real, whatever the matrix is.
                LinalgOp::LogDet | LinalgOp::EighValues | LinalgOp::SvdValues => 0,
                op => op.results([n, m]).unwrap_or(1),
            };
            assert_eq!(counts.results, results, "{name}");
        }
    }
}
