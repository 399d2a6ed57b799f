//! What ops cost: one table of latencies on the target, in cycles.
//!
//! Functions of reals and arithmetic are as `benches/latency.rs` measured them on the target (2026-11-22, a multiplication
//! being 4 cycles), calls included. Complex functions are estimated from the real ones that they are made of. Two functions that share a
//! call (`jit`'s table of pairs) cost what that call costs.

use adc_ir::{Op, Scalar};

/// The latency of an op with this many complex operands and a result of type `ty`.
pub fn of(op: Op, complex: usize, ty: Scalar) -> u64 {
    if complex == 0 && !ty.is_complex() { real(op) } else { of_complex(op, complex) }
}

/// Functions of one operand that share a call: `jit`'s table of pairs. The costs of one and of both.
const PAIRS: [([Op; 2], [u64; 2], u64); 3] = [
    ([Op::Sin, Op::Cos], [71, 69], 71),
    ([Op::Tanh, Op::Sech2], [97, 134], 135),
    ([Op::Sigmoid, Op::DSigmoid], [118, 116], 119),
];

/// The pair of functions that an op is half of, and which half, as a bit.
pub(crate) fn half(op: Op) -> Option<(u8, u8)> {
    PAIRS
        .iter()
        .enumerate()
        .find_map(|(pair, (ops, ..))| ops.iter().position(|o| *o == op).map(|half| (pair as u8, 1 << half)))
}

/// What the halves of a pair cost together.
pub(crate) fn of_halves(pair: u8, halves: u8) -> u64 {
    let (_, [first, second], both) = PAIRS[pair as usize];
    match halves {
        0 => 0,
        1 => first,
        2 => second,
        _ => both,
    }
}

/// Of real operands (or integers and booleans, which are next to nothing).
#[rustfmt::skip]
fn real(op: Op) -> u64 {
    match op {
        Op::StopGradient | Op::Re | Op::Im | Op::Conj | Op::Complex | Op::ToC => 0,
        Op::Neg | Op::Abs | Op::And | Op::Or | Op::Not => 1,
        Op::Add | Op::Sub => 3,
        Op::Mul | Op::Fma | Op::Square | Op::Abs2 => 4,
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::IsNan | Op::IsFinite | Op::IsInf | Op::Select
        | Op::Copysign | Op::ToF64 | Op::ToF32 => 4,
        Op::Min | Op::Max | Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Sign | Op::ToI64 => 8,
        Op::Clamp => 16,
        Op::Idiv => 25,
        Op::Mod => 43,
        Op::Div | Op::Recip => 15,
        Op::Sqrt => 20,
        Op::Powi => 12,
        Op::Erf | Op::Erfc => 52,
        Op::Exp | Op::Exp2 => 60,
        Op::Expm1 => 68,
        Op::Asin | Op::Acos => 74,
        Op::Tan | Op::Atan | Op::Sinh | Op::Cosh => 79,
        Op::Hypot => 83,
        Op::Log => 87,
        Op::Lgamma => 91,
        Op::Log2 | Op::Log10 | Op::Log1p => 98,
        Op::Atan2 | Op::Arg | Op::Sinc | Op::Cis => 105,
        Op::Pow => 125,
        Op::Softplus | Op::LogSigmoid | Op::Logaddexp => 135,
        Op::Cbrt | Op::Acosh | Op::Atanh => 141,
        Op::Asinh => 168,
        Op::Sin | Op::Cos | Op::Tanh | Op::Sech2 | Op::Sigmoid | Op::DSigmoid => {
            let (pair, bit) = half(op).expect("they are in the table");
            of_halves(pair, bit)
        }
        Op::Digamma | Op::Polygamma | Op::DSinc => 259,
    }
}

/// Of complex operands or a complex result: arithmetic by its real operations, which run side by side, functions by the
/// real ones that they are made of.
#[rustfmt::skip]
fn of_complex(op: Op, complex: usize) -> u64 {
    match op {
        Op::StopGradient | Op::Re | Op::Im | Op::Complex | Op::ToC => 0,
        Op::Conj => 1,
        Op::Neg => 2,
        Op::Add | Op::Sub => if complex == 2 { 6 } else { 3 },
        // Four products, two sums; with a real factor two products.
        Op::Mul => if complex == 2 { 22 } else { 8 },
        Op::Square => 22,
        Op::Abs2 => 11,
        Op::Select | Op::Eq | Op::Ne | Op::IsNan | Op::IsFinite => 8,
        Op::Div => if complex == 2 { 60 } else { 30 },
        Op::Recip => 50,
        Op::Abs => 83,
        Op::Sign => 113,
        Op::Sqrt => 130,
        Op::Powi => 100,
        Op::Cis => 75,
        Op::Arg => 105,
        Op::Exp => 135,
        Op::Log | Op::Log2 | Op::Log10 => 190,
        Op::Expm1 | Op::Log1p | Op::Sin | Op::Cos | Op::Tan | Op::Sinh | Op::Cosh | Op::Tanh | Op::Sech2 | Op::Sigmoid
        | Op::DSigmoid => 200,
        Op::Pow | Op::Asin | Op::Acos | Op::Atan | Op::Asinh | Op::Acosh | Op::Atanh => 300,
        // Not of complex numbers.
        Op::Idiv | Op::Mod | Op::Fma | Op::Exp2 | Op::Cbrt | Op::Sinc | Op::Softplus | Op::LogSigmoid | Op::Logaddexp
        | Op::Erf | Op::Erfc | Op::Lgamma | Op::Digamma | Op::Polygamma | Op::Hypot | Op::Atan2 | Op::Copysign | Op::Min
        | Op::Max | Op::Clamp | Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::IsInf | Op::Lt | Op::Le | Op::Gt
        | Op::Ge | Op::And | Op::Or | Op::Not | Op::ToF64 | Op::ToF32 | Op::ToI64 | Op::DSinc => real(op),
    }
}
