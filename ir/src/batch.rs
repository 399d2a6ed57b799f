//! Several calls as one: a loop over rows.
//!
//! The function of a block calls another one for each of its rows. Nothing in it depends on other rows, so the loop has the bits of
//! single calls, and can run in lanes where the callee's body can.

use crate::builder::Builder;
use crate::dims::Dim;
use crate::module::*;
use crate::types::{MAX_RANK, Scalar, Type};

/// Where the arguments and results of a row are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// All arguments of a row one after the other in one array, and all results in another. The function is one of scalars.
    Rows,
    /// Each argument and each result in an array of its own with a leading axis for the rows; an argument marked `false` has no such
    /// axis, and is the same in all rows.
    Columns(Vec<bool>),
}

/// The function of `rows` rows, which calls `f` for each. `None` if its arguments or results are others than doubles and arrays of
/// doubles whose sizes are numbers, or are not as the layout says.
pub fn batched(m: &Module, f: FuncId, rows: i64, layout: &Layout) -> Option<Func> {
    let func = m.func(f);
    let reals =
        |d: &ValueData| d.ty.scalar() == Scalar::F64 && d.shape.iter().all(|n| n.as_const().is_some());
    let arguments: Vec<&ValueData> = func.params.iter().map(|p| func.data(p.value)).collect();
    let results: Vec<ValueData> =
        func.results.iter().map(|r| ValueData { ty: r.ty, shape: r.shape.clone() }).collect();
    let supported =
        func.dims.is_empty() && !results.is_empty() && arguments.iter().copied().chain(&results).all(reals);
    if !supported {
        return None;
    }
    let n = Dim::constant(rows);
    let mut b = Builder::new(format!("{}.rows", func.name), func.span);
    let results = match layout {
        Layout::Rows => {
            if arguments.iter().copied().chain(&results).any(|d| d.ty.is_array()) {
                return None;
            }
            let width = Dim::constant(arguments.len() as i64);
            let inputs = b.param("inputs", ValueData::array(Scalar::F64, vec![n.clone(), width]));
            let outputs = b.build(&[n], |b, i| {
                let place = |k| [i[0], b.constant(Const::I64(k))];
                let places: Vec<[Value; 2]> = (0..arguments.len() as i64).map(place).collect();
                let row: Vec<Value> = places.iter().map(|place| b.index(inputs, place)).collect();
                let results = b.call_of(m, f, &row);
                b.pack(&results)
            });
            vec![("outputs".to_string(), outputs)]
        }
        Layout::Columns(over) => {
            let ranks = arguments.iter().copied().chain(&results).map(|d| d.shape.len());
            if over.len() != arguments.len() || ranks.max() >= Some(MAX_RANK) {
                return None;
            }
            let column = |((d, p), over): ((&&ValueData, &Param), &bool)| {
                let data = if *over { d.outer(std::slice::from_ref(&n)) } else { (*d).clone() };
                b.param(p.name.clone(), data)
            };
            let columns: Vec<Value> = arguments.iter().zip(&func.params).zip(over).map(column).collect();
            let range = b.range(&n);
            let index = b.open_with(vec![Type::I64.into()]);
            let entry = |(x, over): (&Value, &bool)| if *over { b.index(*x, &index) } else { *x };
            let row: Vec<Value> = columns.iter().zip(over).map(entry).collect();
            let yields = b.call_of(m, f, &row).to_vec();
            let body = b.close(yields);
            let outputs = b.for_of(Loop::collecting(results.len()), range, &[], body);
            func.results.iter().map(|r| r.name.clone()).zip(outputs).collect()
        }
    };
    let mut block = b.finish(results);
    block.fp = func.fp;
    Some(block)
}
