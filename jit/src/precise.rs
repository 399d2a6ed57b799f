//! The native functions of double-doubles ([`adc_runtime::abi::dd`]), which a module may declare as `extern fn`s without
//! anybody registering them: `dd.` and the name. The dot keeps models from declaring one; IR text may, so declarations are
//! checked.

use adc_ir::{Dim, Func, Scalar, Shape, ValueData};
use adc_runtime::abi::dd;

/// A type of a parameter or result: an element, and which dimensions the sizes are.
type Item = (Scalar, &'static [usize]);

/// A native function.
struct Row {
    address: *const u8,
    /// How many dimensions it takes.
    dims: usize,
    params: Vec<Item>,
    /// Of the high part as of the low one.
    result: Item,
}

const F: Item = (Scalar::F64, &[]);
const C: Item = (Scalar::C128, &[]);
const I: Item = (Scalar::I64, &[]);

/// Vectors of reals.
const F0: Item = (Scalar::F64, &[0]);
const F1: Item = (Scalar::F64, &[1]);

/// Matrices of reals (`F_`) and complex numbers, by their two sizes.
const F00: Item = (Scalar::F64, &[0, 0]);
const F01: Item = (Scalar::F64, &[0, 1]);
const F12: Item = (Scalar::F64, &[1, 2]);
const F02: Item = (Scalar::F64, &[0, 2]);
const F21: Item = (Scalar::F64, &[2, 1]);
const C00: Item = (Scalar::C128, &[0, 0]);
const C01: Item = (Scalar::C128, &[0, 1]);
const C12: Item = (Scalar::C128, &[1, 2]);
const C02: Item = (Scalar::C128, &[0, 2]);
const C21: Item = (Scalar::C128, &[2, 1]);

macro_rules! arrays {
    ($($dims:literal $params:tt -> $result:ident: $($name:ident)*;)*) => {
        /// A function of arrays.
        fn array(name: &str) -> Option<Row> {
            match name {
                $($(stringify!($name) => {
                    Some(Row { address: dd::$name as *const u8, dims: $dims, params: $params.to_vec(), result: $result })
                })*)*
                _ => None,
            }
        }
    };
}

arrays! {
    3 [F01, F01, F12, F12] -> F02: matmul;
    3 [C01, C01, C12, C12] -> C02: cmatmul;
    2 [F00, F00, F01, F01] -> F01: solve solve_adjoint;
    2 [C00, C00, C01, C01] -> C01: csolve csolve_adjoint;
    1 [F00, F00] -> F00: inv cholesky eigh_vectors;
    1 [C00, C00] -> C00: cinv ccholesky ceigh_vectors;
    1 [F00, F00] -> F: det logdet;
    1 [F00, F00] -> F0: eigh_values;
    1 [C00, C00] -> F0: ceigh_values;
    2 [F01, F01] -> F01: qr_q;
    2 [C01, C01] -> C01: cqr_q;
    2 [F01, F01] -> F1: svd_values;
    2 [C01, C01] -> F1: csvd_values;
    3 [F01, F01] -> F21: svd_vectors;
    3 [C01, C01] -> C21: csvd_vectors;
    1 [C00, C00] -> C: cdet;
    1 [C00, C00] -> F: clogdet;
}

fn row(symbol: &str) -> Option<Row> {
    let name = symbol.strip_prefix("dd.")?;
    let item = |operand: &dd::Operand| match operand {
        dd::Operand::Real => F,
        dd::Operand::Complex => C,
        dd::Operand::Integer => I,
    };
    let scalar = dd::ROWS.iter().find(|row| row.name == name).map(|row| Row {
        address: row.address,
        dims: 0,
        params: row.operands.iter().map(item).collect(),
        result: item(&row.result),
    });
    // Of every element of a vector.
    let each = || {
        let name = name.strip_prefix("each_")?;
        let row = dd::EACH.iter().find(|row| row.name == name)?;
        Some(Row { address: row.address, dims: 1, params: vec![F0, F0], result: F0 })
    };
    scalar.or_else(each).or_else(|| array(name))
}

/// The symbol of the function of every element of an array for a function of one number, if it is faster than that.
pub fn of_arrays(symbol: &str) -> Option<String> {
    let name = symbol.strip_prefix("dd.")?;
    dd::each::IN_LANES.contains(&name).then(|| format!("dd.each_{name}"))
}

/// The address behind a symbol.
pub(crate) fn address_of(symbol: &str) -> Option<*const u8> {
    row(symbol).map(|row| row.address)
}

/// Whether `func` declares the function behind the symbol with the parameters and results it has.
pub(crate) fn fits(symbol: &str, func: &Func) -> bool {
    let Some(row) = row(symbol) else { return false };
    let dims: Vec<Dim> = func.dims.iter().map(|d| Dim::var(d.value)).collect();
    if dims.len() != row.dims || func.dims.iter().any(|d| d.quotient.is_some()) {
        return false;
    }
    let data = |(elem, sizes): Item| {
        let shape: Shape = sizes.iter().map(|i| dims[*i].clone()).collect();
        ValueData::array(elem, shape)
    };
    let params = func.params.iter().map(|p| func.data(p.value).clone());
    let results = func.results.iter().map(|r| ValueData { ty: r.ty, shape: r.shape.clone() });
    params.eq(row.params.iter().map(|item| data(*item))) && results.eq([data(row.result), data(row.result)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{complex_row, real_row};
    use adc_ir::{LinalgOp, Op};

    /// What a program can reach and its double-double form does not do inline.
    #[test]
    fn every_native_op_has_a_form() {
        let forms: Vec<String> = (Op::ALL.iter())
            .flat_map(|op| {
                // A remainder, and the argument of a real number, are selections; e^(iz) is e^z of what is turned.
                let real = real_row(*op).filter(|_| !matches!(op, Op::Mod | Op::Arg));
                let complex = complex_row(*op).filter(|_| *op != Op::Cis);
                [real.map(|_| format!("dd.{op}")), complex.map(|_| format!("dd.c{op}"))]
            })
            .flatten()
            .chain(
                [
                    LinalgOp::Solve,
                    LinalgOp::Inv,
                    LinalgOp::Det,
                    LinalgOp::LogDet,
                    LinalgOp::Cholesky,
                    LinalgOp::EighValues,
                    LinalgOp::EighVectors,
                    LinalgOp::QrQ,
                    LinalgOp::SvdValues,
                    LinalgOp::SvdVectors,
                ]
                .into_iter()
                .flat_map(|op| ["", "c"].map(|c| format!("dd.{c}{op}"))),
            )
            .filter(|symbol| address_of(symbol).is_none())
            .collect();
        assert!(forms.is_empty(), "no double-double form: {forms:?}");
    }

    /// The functions of one real number, of arrays too.
    #[test]
    fn functions_of_arrays_have_the_name_of_their_elements() {
        assert!(!dd::EACH.is_empty());
        for each in dd::EACH {
            let scalar = row(&format!("dd.{}", each.name)).expect("a function of a number");
            let array = row(&format!("dd.each_{}", each.name)).expect("a function of an array");
            assert_eq!((scalar.params, scalar.result), (vec![F, F], F));
            assert_eq!((array.params, array.result, array.dims), (vec![F0, F0], F0, 1));
        }
    }
}
