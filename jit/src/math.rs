//! The native functions behind ops: the rows of [`adc_runtime::abi`] by op. The interpreter ([`RuntimeMath`])
//! and the code generator call the same functions, so they agree bit for bit.
//!
//! Absent on purpose: what generated code does inline (arithmetic, comparisons, rounding to integers, …).

use crate::kernels;
use adc_ir::interp::Val;
use adc_ir::{Elementary, LinalgOp, Op, Scalar, Trap};
pub(crate) use adc_runtime::abi::{Native, Row};
use adc_runtime::abi::{complex, quad, real};
use adc_runtime::real::Pair;
use num_complex::{Complex, Complex64};
use std::sync::LazyLock;

/// The address generated code calls.
fn address(row: Row) -> *const u8 {
    match row.native {
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

/// The power of integers.
pub(crate) const INT_POWER: Row =
    Row { name: "powi", symbol: "adc_ipowi", native: Native::IntPower(kernels::int_power) };

/// Real functions that share calls: the two halves of a pair, and several numbers.
pub(crate) struct Family {
    /// What its native functions compute of each number, to the bit what [`real_row`] says.
    pub ops: &'static [Op],
    /// The function that computes both halves of a pair.
    pub pair: Option<Row>,
    /// The function of four numbers, if this machine has one.
    pub four: Option<quad::Row>,
    /// Of how many numbers one call of it takes less time than a call for each.
    pub least: usize,
}

/// Every pair.
const PAIRS: &[(&[Op], &str, extern "C" fn(f64) -> Pair)] = &[
    (&[Op::Sin, Op::Cos], "adc_sincos", real::sincos),
    (&[Op::Tanh, Op::Sech2], "adc_tanh_sech2", real::tanh_sech2),
    (&[Op::Sigmoid, Op::DSigmoid], "adc_sigmoid_dsigmoid", real::sigmoid_dsigmoid),
];

/// Every family.
pub(crate) static FAMILIES: LazyLock<Vec<Family>> = LazyLock::new(|| {
    let rows = if quad::is_there() { quad::rows() } else { Vec::new() };
    let of =
        |ops: &[Op]| rows.iter().find(|r| r.ops.iter().copied().eq(ops.iter().map(|o| o.name()))).copied();
    let pair = |(ops, symbol, f): &(&'static [Op], &'static str, extern "C" fn(f64) -> Pair)| Family {
        ops,
        pair: Some(Row { name: symbol, symbol, native: Native::Both(*f) }.direct()),
        four: of(ops),
        least: 2,
    };
    // Two powers take as long in one call, and are there later.
    let least = |ops: &[Op]| if ops == [Op::Pow] { 3 } else { 2 };
    let single = Op::ALL
        .chunks(1)
        .filter_map(|ops| Some(Family { ops, pair: None, four: Some(of(ops)?), least: least(ops) }));
    PAIRS.iter().map(pair).chain(single).collect()
});

/// By op: its family, and which of the family's functions it is.
pub(crate) fn family(op: Op) -> Option<(usize, usize)> {
    static PLACES: LazyLock<Vec<Option<(usize, usize)>>> = LazyLock::new(|| {
        let place = |op: &Op| {
            let mut all = FAMILIES.iter().enumerate();
            all.find_map(|(k, f)| Some((k, f.ops.iter().position(|o| o == op)?)))
        };
        Op::ALL.iter().map(place).collect()
    });
    PLACES[op as usize]
}

/// By op, what it calls of real and of complex operands.
static ROWS: LazyLock<Vec<[Option<Row>; 2]>> = LazyLock::new(|| {
    let find = |rows: &[Row], op: &Op| rows.iter().find(|r| r.name == op.name()).map(|r| r.direct());
    Op::ALL.iter().map(|op| [find(real::ROWS, op), find(complex::ROWS, op)]).collect()
});

/// The function an op of real operands calls; `None` if it is inline or has no such operands.
pub(crate) fn real_row(op: Op) -> Option<Row> {
    ROWS[op as usize][0]
}

/// The function an op with a complex operand or result calls; `None` if it is inline or has none.
pub(crate) fn complex_row(op: Op) -> Option<Row> {
    ROWS[op as usize][1]
}

/// The address behind a symbol of the table.
pub(crate) fn address_of(symbol: &str) -> Option<*const u8> {
    let row = rows().find(|r| r.symbol == symbol).map(address);
    let four = || FAMILIES.iter().filter_map(|f| f.four).find(|r| r.symbol == symbol);
    let row = row.or_else(|| four().map(|r| std::ptr::with_exposed_provenance(r.address)));
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
    single.chain(FAMILIES.iter().filter_map(|f| f.pair)).chain([INT_POWER])
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

    fn complex_int(&self, op: Op, n: i64, z: &Complex64) -> Complex64 {
        match complex_row(op).map(|r| r.native) {
            // SAFETY: `complex_out` passes two writable, aligned doubles.
            Some(Native::IntC(f)) => Self::complex_out(|out| unsafe { f(n, z.re, z.im, out) }),
            _ => Self::bug(op, "an integer and a complex number"),
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
            assert_eq!(address_of(row.symbol), Some(address(*row)));
        }
        assert!(rows.iter().all(|r| stand_in(r.symbol).is_none()));
        assert_eq!(address_of("system"), None);
    }
}
