//! The one table of native functions behind ops: which C function of [`adc_runtime::abi`] computes an op of real
//! or of complex operands, and under which symbol generated code imports it. The interpreter ([`RuntimeMath`])
//! and the code generator call the same functions, so they agree bit for bit.
//!
//! Absent on purpose: what generated code does inline (arithmetic, comparisons, rounding to integers, …).

use crate::kernels;
use adc_ir::interp::Val;
use adc_ir::{Elementary, LinalgOp, Op, Scalar, Trap};
use adc_runtime::abi::{complex, real};
use adc_runtime::real::Pair;
use num_complex::{Complex, Complex64};

/// A native function by its C signature.
#[derive(Clone, Copy)]
pub(crate) enum Native {
    /// `x -> y`
    R1(extern "C" fn(f64) -> f64),
    /// `a, b -> y`
    R2(extern "C" fn(f64, f64) -> f64),
    /// `x -> y, z`, two functions at once
    Both(extern "C" fn(f64) -> Pair),
    /// `n, x -> y`
    Int(extern "C" fn(i64, f64) -> f64),
    /// `re, im, out`
    C1(unsafe extern "C" fn(f64, f64, *mut f64)),
    /// `re, im, re, im, out`
    C2(unsafe extern "C" fn(f64, f64, f64, f64, *mut f64)),
    /// `n, re, im, out`
    IntC(unsafe extern "C" fn(i64, f64, f64, *mut f64)),
    /// `re, im -> y`
    ToReal(extern "C" fn(f64, f64) -> f64),
    /// `a, n, out`, returns 0 unless the power leaves `i64`.
    IntPower(unsafe extern "C" fn(i64, i64, *mut i64) -> i32),
}

/// A row of the table.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// What generated code imports the function as.
    pub symbol: &'static str,
    /// The function.
    pub native: Native,
}

impl Row {
    /// The address generated code calls.
    pub fn address(self) -> *const u8 {
        match self.native {
            Native::R1(f) => f as *const u8,
            Native::R2(f) | Native::ToReal(f) => f as *const u8,
            Native::Both(f) => f as *const u8,
            Native::Int(f) => f as *const u8,
            Native::C1(f) => f as *const u8,
            Native::C2(f) => f as *const u8,
            Native::IntC(f) => f as *const u8,
            Native::IntPower(f) => f as *const u8,
        }
    }
}

/// The power of integers.
pub(crate) const INT_POWER: Row = Row { symbol: "adc_ipowi", native: Native::IntPower(int_power) };

/// Functions of one real operand that come in pairs.
pub(crate) struct Paired {
    /// What the native function returns first and second, to the bit what [`real_row`] says of each alone.
    pub ops: [Op; 2],
    /// The function that computes both.
    pub row: Row,
}

/// Every pair.
pub(crate) const PAIRS: &[Paired] = &[
    pair([Op::Sin, Op::Cos], "adc_sincos", real::sincos),
    pair([Op::Tanh, Op::Sech2], "adc_tanh_sech2", real::tanh_sech2),
    pair([Op::Sigmoid, Op::DSigmoid], "adc_sigmoid_dsigmoid", real::sigmoid_dsigmoid),
];

const fn pair(ops: [Op; 2], symbol: &'static str, f: extern "C" fn(f64) -> Pair) -> Paired {
    Paired { ops, row: Row { symbol, native: Native::Both(f) } }
}

/// The function an op of real operands calls; `None` if it is inline or has no such operands.
pub(crate) fn real_row(op: Op) -> Option<Row> {
    use Native::{Int, R1, R2};
    let (symbol, native) = match op {
        Op::Mod => ("adc_mod", R2(real::floor_mod)),
        Op::Powi => ("adc_powi", Int(real::powi)),
        Op::Pow => ("adc_pow", R2(real::pow)),
        Op::Exp => ("adc_exp", R1(real::exp)),
        Op::Expm1 => ("adc_expm1", R1(real::expm1)),
        Op::Exp2 => ("adc_exp2", R1(real::exp2)),
        Op::Log => ("adc_log", R1(real::log)),
        Op::Log2 => ("adc_log2", R1(real::log2)),
        Op::Log10 => ("adc_log10", R1(real::log10)),
        Op::Log1p => ("adc_log1p", R1(real::log1p)),
        Op::Cbrt => ("adc_cbrt", R1(real::cbrt)),
        Op::Sin => ("adc_sin", R1(real::sin)),
        Op::Cos => ("adc_cos", R1(real::cos)),
        Op::Tan => ("adc_tan", R1(real::tan)),
        Op::Asin => ("adc_asin", R1(real::asin)),
        Op::Acos => ("adc_acos", R1(real::acos)),
        Op::Atan => ("adc_atan", R1(real::atan)),
        Op::Sinh => ("adc_sinh", R1(real::sinh)),
        Op::Cosh => ("adc_cosh", R1(real::cosh)),
        Op::Tanh => ("adc_tanh", R1(real::tanh)),
        Op::Asinh => ("adc_asinh", R1(real::asinh)),
        Op::Acosh => ("adc_acosh", R1(real::acosh)),
        Op::Atanh => ("adc_atanh", R1(real::atanh)),
        Op::Sinc => ("adc_sinc", R1(real::sinc)),
        Op::Sigmoid => ("adc_sigmoid", R1(real::sigmoid)),
        Op::Softplus => ("adc_softplus", R1(real::softplus)),
        Op::LogSigmoid => ("adc_log_sigmoid", R1(real::log_sigmoid)),
        Op::Logaddexp => ("adc_logaddexp", R2(real::logaddexp)),
        Op::Erf => ("adc_erf", R1(real::erf)),
        Op::Erfc => ("adc_erfc", R1(real::erfc)),
        Op::Lgamma => ("adc_lgamma", R1(real::lgamma)),
        Op::Digamma => ("adc_digamma", R1(real::digamma)),
        Op::Polygamma => ("adc_polygamma", Int(real::polygamma)),
        Op::Hypot => ("adc_hypot", R2(real::hypot)),
        Op::Atan2 => ("adc_atan2", R2(real::atan2)),
        Op::Arg => ("adc_arg", R1(real::arg)),
        Op::Sech2 => ("adc_sech2", R1(real::sech2)),
        Op::DSigmoid => ("adc_dsigmoid", R1(real::dsigmoid)),
        Op::DSinc => ("adc_dsinc", Int(real::dsinc)),
        Op::Neg
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Idiv
        | Op::Recip
        | Op::Square
        | Op::Fma
        | Op::Sqrt
        | Op::Copysign
        | Op::Min
        | Op::Max
        | Op::Clamp
        | Op::Floor
        | Op::Ceil
        | Op::Round
        | Op::Trunc
        | Op::Abs
        | Op::Sign
        | Op::Abs2
        | Op::Conj
        | Op::Re
        | Op::Im
        | Op::Cis
        | Op::Complex
        | Op::IsNan
        | Op::IsFinite
        | Op::IsInf
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Eq
        | Op::Ne
        | Op::And
        | Op::Or
        | Op::Not
        | Op::Select
        | Op::ToF64
        | Op::ToF32
        | Op::ToI64
        | Op::ToC
        | Op::StopGradient => return None,
    };
    Some(Row { symbol, native })
}

/// The function an op with a complex operand or result calls; `None` if it is inline or has none.
pub(crate) fn complex_row(op: Op) -> Option<Row> {
    use Native::{C1, C2, IntC, ToReal};
    let (symbol, native) = match op {
        Op::Div => ("adc_cdiv", C2(complex::div)),
        Op::Powi => ("adc_cpowi", IntC(complex::powi)),
        Op::Pow => ("adc_cpow", C2(complex::pow)),
        Op::Recip => ("adc_crecip", C1(complex::recip)),
        Op::Exp => ("adc_cexp", C1(complex::exp)),
        Op::Expm1 => ("adc_cexpm1", C1(complex::expm1)),
        Op::Log => ("adc_clog", C1(complex::log)),
        Op::Log2 => ("adc_clog2", C1(complex::log2)),
        Op::Log10 => ("adc_clog10", C1(complex::log10)),
        Op::Log1p => ("adc_clog1p", C1(complex::log1p)),
        Op::Sqrt => ("adc_csqrt", C1(complex::sqrt)),
        Op::Sin => ("adc_csin", C1(complex::sin)),
        Op::Cos => ("adc_ccos", C1(complex::cos)),
        Op::Tan => ("adc_ctan", C1(complex::tan)),
        Op::Asin => ("adc_casin", C1(complex::asin)),
        Op::Acos => ("adc_cacos", C1(complex::acos)),
        Op::Atan => ("adc_catan", C1(complex::atan)),
        Op::Sinh => ("adc_csinh", C1(complex::sinh)),
        Op::Cosh => ("adc_ccosh", C1(complex::cosh)),
        Op::Tanh => ("adc_ctanh", C1(complex::tanh)),
        Op::Asinh => ("adc_casinh", C1(complex::asinh)),
        Op::Acosh => ("adc_cacosh", C1(complex::acosh)),
        Op::Atanh => ("adc_catanh", C1(complex::atanh)),
        Op::Sigmoid => ("adc_csigmoid", C1(complex::sigmoid)),
        Op::Abs => ("adc_cabs", ToReal(complex::abs)),
        Op::Sign => ("adc_csign", C1(complex::sign)),
        Op::Arg => ("adc_carg", ToReal(complex::arg)),
        Op::Cis => ("adc_cis", C1(complex::cis)),
        Op::Sech2 => ("adc_csech2", C1(complex::sech2)),
        Op::DSigmoid => ("adc_cdsigmoid", C1(complex::dsigmoid)),
        Op::Neg
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Idiv
        | Op::Mod
        | Op::Square
        | Op::Fma
        | Op::Exp2
        | Op::Cbrt
        | Op::Sinc
        | Op::Softplus
        | Op::LogSigmoid
        | Op::Logaddexp
        | Op::Erf
        | Op::Erfc
        | Op::Lgamma
        | Op::Digamma
        | Op::Polygamma
        | Op::Hypot
        | Op::Atan2
        | Op::Copysign
        | Op::Min
        | Op::Max
        | Op::Clamp
        | Op::Floor
        | Op::Ceil
        | Op::Round
        | Op::Trunc
        | Op::Abs2
        | Op::Conj
        | Op::Re
        | Op::Im
        | Op::Complex
        | Op::IsNan
        | Op::IsFinite
        | Op::IsInf
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Eq
        | Op::Ne
        | Op::And
        | Op::Or
        | Op::Not
        | Op::Select
        | Op::ToF64
        | Op::ToF32
        | Op::ToI64
        | Op::ToC
        | Op::DSinc
        | Op::StopGradient => return None,
    };
    Some(Row { symbol, native })
}

/// The address behind a symbol of the table.
pub(crate) fn address_of(symbol: &str) -> Option<*const u8> {
    let row = rows().find(|r| r.symbol == symbol).map(Row::address);
    row.or_else(|| stand_in(symbol)).or_else(|| kernels::address_of(symbol))
}

/// What Cranelift calls for an instruction that the machine lacks.
fn stand_in(symbol: &str) -> Option<*const u8> {
    match symbol {
        "fma" => Some(real::fma as extern "C" fn(f64, f64, f64) -> f64 as *const u8),
        "fmaf" => Some(real::fmaf as extern "C" fn(f32, f32, f32) -> f32 as *const u8),
        _ => None,
    }
}

/// Every row.
fn rows() -> impl Iterator<Item = Row> {
    let single = Op::ALL.iter().flat_map(|op| [real_row(*op), complex_row(*op)]).flatten();
    single.chain(PAIRS.iter().map(|p| p.row)).chain([INT_POWER])
}

/// aⁿ if it is an integer in range; a negative `n` is out of range.
unsafe extern "C" fn int_power(a: i64, n: i64, out: *mut i64) -> i32 {
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
            // SAFETY: the caller, generated code, passes a writable, aligned place.
            unsafe { out.write(y) };
            0
        }
        None => 1,
    }
}

/// The elementary functions of the interpreter over `f64`: those compiled code calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuntimeMath;

impl RuntimeMath {
    fn bug(op: Op, what: &str) -> ! {
        panic!("`{op}` is not a native function of {what}")
    }

    /// Runs a function that writes a complex number.
    fn complex_out(call: impl FnOnce(*mut f64)) -> Complex64 {
        let mut out = [0.0; 2];
        call(out.as_mut_ptr());
        Complex::new(out[0], out[1])
    }
}

impl Elementary<f64> for RuntimeMath {
    fn real(&self, op: Op, x: &[f64]) -> f64 {
        match (real_row(op).map(|r| r.native), x) {
            (Some(Native::R1(f)), [x]) => f(*x),
            (Some(Native::R2(f)), [a, b]) => f(*a, *b),
            _ => Self::bug(op, "reals"),
        }
    }

    fn real_int(&self, op: Op, n: i64, x: &f64) -> f64 {
        match real_row(op).map(|r| r.native) {
            Some(Native::Int(f)) => f(n, *x),
            _ => Self::bug(op, "an integer and a real"),
        }
    }

    fn complex(&self, op: Op, z: &[Complex64]) -> Complex64 {
        match (complex_row(op).map(|r| r.native), z) {
            // SAFETY: `complex_out` passes two writable, aligned doubles.
            (Some(Native::C1(f)), [z]) => Self::complex_out(|out| unsafe { f(z.re, z.im, out) }),
            (Some(Native::C2(f)), [a, b]) => {
                // SAFETY: as above.
                Self::complex_out(|out| unsafe { f(a.re, a.im, b.re, b.im, out) })
            }
            _ => Self::bug(op, "complex numbers"),
        }
    }

    fn complex_int(&self, n: i64, z: &Complex64) -> Complex64 {
        match complex_row(Op::Powi).map(|r| r.native) {
            // SAFETY: `complex_out` passes two writable, aligned doubles.
            Some(Native::IntC(f)) => Self::complex_out(|out| unsafe { f(n, z.re, z.im, out) }),
            _ => Self::bug(Op::Powi, "an integer and a complex number"),
        }
    }

    fn complex_to_real(&self, op: Op, z: &Complex64) -> f64 {
        match complex_row(op).map(|r| r.native) {
            Some(Native::ToReal(f)) => f(z.re, z.im),
            _ => Self::bug(op, "a complex number, real-valued"),
        }
    }

    fn matmul(
        &self,
        elem: Scalar,
        size: [usize; 3],
        a: &[Val<f64>],
        b: &[Val<f64>],
    ) -> Option<Vec<Val<f64>>> {
        kernels::matmul_values(elem, size, a, b)
    }

    fn linalg(
        &self,
        op: LinalgOp,
        elem: Scalar,
        size: [usize; 2],
        a: &[Val<f64>],
        b: &[Val<f64>],
    ) -> Option<Result<Vec<Val<f64>>, Trap>> {
        kernels::linalg_values(op, elem, size, a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_unique_and_resolve() {
        let rows: Vec<Row> = rows().collect();
        for (i, row) in rows.iter().enumerate() {
            assert!(rows[..i].iter().all(|r| r.symbol != row.symbol), "{} twice", row.symbol);
            assert_eq!(address_of(row.symbol), Some(row.address()));
        }
        assert!(rows.iter().all(|r| stand_in(r.symbol).is_none()));
        assert_eq!(address_of("system"), None);
    }
}
