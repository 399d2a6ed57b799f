//! Structured arrays: rows with named fields.

use super::{Error, checked};
use adc_ir::Const;
use npyz::{DType, DTypeError, Deserialize, NpyFile, TypeChar, TypeRead, TypeReadDyn};
use num_complex::{Complex32, Complex64};
use std::io;
use std::path::Path;

/// Numbers that a row may have.
const MAX_ROW: u64 = 1 << 20;

/// Sizes and numbers of a field.
pub(crate) type Field = (Vec<usize>, Vec<Const>);

/// The rows of a structured array.
pub(crate) struct Records {
    pub(crate) names: Vec<String>,
    /// For each row the values of its fields.
    pub(crate) rows: Vec<Vec<Field>>,
}

/// Reads a structured array of one axis; `None` if the file holds a plain one.
///
/// # Errors
/// A file that cannot be read, or holds something else.
pub(crate) fn records(path: &Path) -> Result<Option<Records>, Error> {
    let fail = |what: &dyn std::fmt::Display| {
        Error::new("read", path, what, "save an array of one axis whose fields hold numbers")
    };
    let npy: NpyFile<_> = checked(path)?;
    let DType::Record(fields) = npy.dtype() else { return Ok(None) };
    if npy.shape().len() != 1 {
        return Err(fail(&format!("it is a structured array of shape {:?}", npy.shape())));
    }
    let names = fields.iter().map(|f| f.name.clone()).collect();
    let rows = npy.data::<Row>().map_err(|e| fail(&e))?;
    let rows = rows.map(|r| r.map(|r| r.0)).collect::<io::Result<_>>().map_err(|e| fail(&e))?;
    Ok(Some(Records { names, rows }))
}

struct Row(Vec<Field>);

/// How a row is read: for each field its sizes and how a number of it is.
struct RowReader(Vec<(Vec<usize>, Number)>);

type Number = Box<dyn TypeReadDyn<Value = Const>>;

impl Deserialize for Row {
    type TypeReader = RowReader;

    fn reader(dtype: &DType) -> Result<RowReader, DTypeError> {
        let DType::Record(fields) = dtype else { return Err(DTypeError::custom("no structured array")) };
        let mut total = 0u64;
        let readers = fields.iter().map(|f| {
            let (mut shape, mut dtype) = (Vec::new(), &f.dtype);
            while let DType::Array(n, inner) = dtype {
                shape.push(*n as usize);
                dtype = inner;
            }
            let count = shape.iter().try_fold(1u64, |n, s| n.checked_mul(*s as u64));
            total = total.saturating_add(count.unwrap_or(u64::MAX));
            if total > MAX_ROW {
                return Err(DTypeError::custom(format!("a row has more than {MAX_ROW} numbers")));
            }
            number(dtype)
                .map(|n| (shape, n))
                .map_err(|e| DTypeError::custom(format!("field `{}`: {e}", f.name)))
        });
        Ok(RowReader(readers.collect::<Result<_, _>>()?))
    }
}

impl TypeRead for RowReader {
    type Value = Row;

    fn read_one<R: io::Read>(&self, mut bytes: R) -> io::Result<Row> {
        let mut values = Vec::with_capacity(self.0.len());
        for (shape, number) in &self.0 {
            let n: usize = shape.iter().product();
            let consts = (0..n).map(|_| number.read_one_dyn(&mut bytes)).collect::<io::Result<Vec<_>>>()?;
            values.push((shape.clone(), consts));
        }
        Ok(Row(values))
    }
}

/// Reads one number and makes a constant of it.
struct Of<T: Deserialize>(T::TypeReader, fn(T) -> Const);

impl<T: Deserialize> TypeRead for Of<T> {
    type Value = Const;

    fn read_one<R: io::Read>(&self, bytes: R) -> io::Result<Const> {
        self.0.read_one(bytes).map(self.1)
    }
}

fn number(dtype: &DType) -> Result<Number, DTypeError> {
    fn of<T: Deserialize + 'static>(dtype: &DType, to: fn(T) -> Const) -> Result<Number, DTypeError> {
        Ok(Box::new(Of::<T>(T::reader(dtype)?, to)))
    }
    let kind = match dtype {
        DType::Plain(ty) => Some((ty.type_char(), ty.size_field())),
        DType::Array(..) | DType::Record(_) => None,
    };
    match kind {
        Some((TypeChar::Bool, _)) => of::<bool>(dtype, Const::Bool),
        Some((TypeChar::Int, 1)) => of::<i8>(dtype, |n| Const::I64(n.into())),
        Some((TypeChar::Int, 2)) => of::<i16>(dtype, |n| Const::I64(n.into())),
        Some((TypeChar::Int, 4)) => of::<i32>(dtype, |n| Const::I64(n.into())),
        Some((TypeChar::Int, 8)) => of::<i64>(dtype, Const::I64),
        Some((TypeChar::Uint, 1)) => of::<u8>(dtype, |n| Const::I64(n.into())),
        Some((TypeChar::Uint, 2)) => of::<u16>(dtype, |n| Const::I64(n.into())),
        Some((TypeChar::Uint, 4)) => of::<u32>(dtype, |n| Const::I64(n.into())),
        Some((TypeChar::Float, 4)) => of::<f32>(dtype, Const::F32),
        Some((TypeChar::Float, 8)) => of::<f64>(dtype, Const::F64),
        Some((TypeChar::Complex, 8)) => of::<Complex32>(dtype, Const::C64),
        Some((TypeChar::Complex, 16)) => of::<Complex64>(dtype, Const::C128),
        _ => Err(DTypeError::custom(format!(
            "its elements are {}, which no type of the language holds",
            dtype.descr()
        ))),
    }
}
