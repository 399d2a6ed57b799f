//! Locations for results: numbers and arrays of the host program that compiled functions write into.

use crate::error::UsageError;
use crate::port::Port;
use crate::value::{Element, ScalarMut, Value, copy, describe, lent};
use adc_ir::{Const, Datum, Scalar};
use adc_jit::{Out, SliceMut};
use ndarray::{ArrayBase, DataMut, Dimension};
use smallvec::SmallVec;

/// Where a result goes: a number, an array in standard layout of the result's shape, a slice of as many elements, row by row, or
/// a [`Value`], which is replaced by the result.
#[derive(Debug)]
pub struct OutputRef<'a>(pub(crate) Target<'a>);

#[derive(Debug)]
pub(crate) enum Target<'a> {
    Value(&'a mut Value<'static>),
    Scalar(ScalarMut<'a>),
    Array {
        shape: SmallVec<[usize; 4]>,
        data: SliceMut<'a>,
    },
    /// As many elements.
    Slice(SliceMut<'a>),
    /// An array that is not in standard layout.
    Strided,
}

impl<'a, T: Element> From<&'a mut [T]> for OutputRef<'a> {
    fn from(data: &'a mut [T]) -> OutputRef<'a> {
        OutputRef(Target::Slice(T::slice_mut(data)))
    }
}

impl<'a, T: Element> From<&'a mut Vec<T>> for OutputRef<'a> {
    fn from(data: &'a mut Vec<T>) -> OutputRef<'a> {
        data.as_mut_slice().into()
    }
}

impl<'a, T: Element, const N: usize> From<&'a mut [T; N]> for OutputRef<'a> {
    fn from(data: &'a mut [T; N]) -> OutputRef<'a> {
        data.as_mut_slice().into()
    }
}

impl<'a> From<&'a mut Value<'static>> for OutputRef<'a> {
    fn from(v: &'a mut Value<'static>) -> OutputRef<'a> {
        OutputRef(Target::Value(v))
    }
}

impl<'a, T: Element, S: DataMut<Elem = T>, D: Dimension> From<&'a mut ArrayBase<S, D>> for OutputRef<'a> {
    fn from(a: &'a mut ArrayBase<S, D>) -> OutputRef<'a> {
        let shape = SmallVec::from_slice(a.shape());
        OutputRef(match a.as_slice_mut() {
            Some(data) => Target::Array { shape, data: T::slice_mut(data) },
            None => Target::Strided,
        })
    }
}

impl<'a, T: Element, D: Dimension> From<ndarray::ArrayViewMut<'a, T, D>> for OutputRef<'a> {
    fn from(a: ndarray::ArrayViewMut<'a, T, D>) -> OutputRef<'a> {
        let shape = SmallVec::from_slice(a.shape());
        OutputRef(match a.into_slice() {
            Some(data) => Target::Array { shape, data: T::slice_mut(data) },
            None => Target::Strided,
        })
    }
}

impl OutputRef<'_> {
    /// Writes a result.
    pub(crate) fn take(&mut self, value: Value<'static>, port: &Port) -> Result<(), UsageError> {
        let wrong = |elem: Scalar, shape: &[usize]| UsageError::ValueType {
            name: port.name.clone(),
            expected: value.describe(),
            found: describe(elem, shape),
        };
        match &mut self.0 {
            Target::Value(v) => **v = value,
            Target::Scalar(place) => match value.scalar() {
                Some(c) if c.scalar() == place.elem() => place.set(c),
                _ => return Err(wrong(place.elem(), &[])),
            },
            Target::Array { shape, data } => match value.elements() {
                Some(e) if value.shape() == &shape[..] && e.elem() == data.elem() => copy(data, e),
                _ => return Err(wrong(data.elem(), shape)),
            },
            Target::Slice(data) => match value.elements() {
                Some(e) if e.len() == data.len() && e.elem() == data.elem() => copy(data, e),
                _ => return Err(wrong(data.elem(), &[data.len()])),
            },
            Target::Strided => return Err(UsageError::NotContiguous(port.name.clone())),
        }
        Ok(())
    }
}

/// Results of several calls as one array with a new first axis; `None` if their sizes differ.
pub(crate) fn stacked(port: &Port, rows: &[&Value]) -> Option<Value<'static>> {
    let inner = rows.first().map_or_else(|| port.sizes().unwrap_or_default(), |v| v.shape().to_vec());
    if rows.iter().any(|v| v.shape() != inner) {
        return None;
    }
    let mut out = Datum::zeros(port.ty.scalar(), &[&[rows.len()][..], &inner].concat());
    let all = rows.iter().flat_map(|v| v.consts());
    all.enumerate().for_each(|(i, c)| out.set(i, c));
    Some(out.into())
}

/// The location of a result in a value, which becomes an array of that type and these sizes if it is none; for a scalar,
/// the number beside it.
pub(crate) fn room<'v>(
    value: &'v mut Value<'static>,
    number: &'v mut Const,
    elem: Scalar,
    sizes: &[usize],
) -> Out<'v> {
    if sizes.is_empty() {
        return Out::Scalar(number);
    }
    let fits = match value {
        Value::Array(a) => a.data.elem() == elem && a.data.len() == sizes.iter().product::<usize>(),
        _ => false,
    };
    if !fits {
        *value = Datum::zeros(elem, sizes).into();
    }
    let Value::Array(a) = value else { unreachable!("it was made an array") };
    if a.shape != sizes {
        a.shape = sizes.to_vec();
    }
    Out::Array((&mut a.data).into())
}

impl OutputRef<'_> {
    /// Checks that it can hold results of this type and sizes, and lends it.
    pub(crate) fn room<'v>(
        &'v mut self,
        number: &'v mut Const,
        port: &Port,
        sizes: &[usize],
    ) -> Result<Out<'v>, UsageError> {
        let elem = port.ty.scalar();
        let wrong = |found: Scalar, shape: &[usize]| UsageError::ValueType {
            name: port.name.clone(),
            expected: describe(elem, sizes),
            found: describe(found, shape),
        };
        match &mut self.0 {
            Target::Value(v) => Ok(room(v, number, elem, sizes)),
            Target::Scalar(place) if sizes.is_empty() && place.elem() == elem => Ok(Out::Scalar(number)),
            Target::Scalar(place) => Err(wrong(place.elem(), &[])),
            Target::Array { shape, data } => match shape[..] == *sizes && data.elem() == elem {
                true => Ok(Out::Array(lent(data))),
                false => Err(wrong(data.elem(), shape)),
            },
            Target::Slice(data) => {
                let fits = !sizes.is_empty() && sizes.iter().product::<usize>() == data.len();
                match fits && data.elem() == elem {
                    true => Ok(Out::Array(lent(data))),
                    false => Err(wrong(data.elem(), &[data.len()])),
                }
            }
            Target::Strided => Err(UsageError::NotContiguous(port.name.clone())),
        }
    }

    /// Takes a number from a slot that [`Self::room`] lent.
    pub(crate) fn settle(&mut self, number: Const) {
        match &mut self.0 {
            Target::Value(v) => **v = number.into(),
            Target::Scalar(place) => place.set(number),
            Target::Array { .. } | Target::Slice(_) | Target::Strided => {}
        }
    }
}
