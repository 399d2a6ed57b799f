//! Arguments and results of compiled functions: scalars, owned arrays, borrowed arrays.

use crate::error::UsageError;
use crate::output::{OutputRef, Target};
use adc_ir::{Array, Buffer, Const, Datum, Scalar, Type};
use adc_jit::{Arg, Slice, SliceMut};
use ndarray::{ArrayBase, ArrayD, ArrayViewD, Data, Dimension, IxDyn, OwnedRepr};
use num_complex::{Complex32, Complex64};
use smallvec::SmallVec;

/// An argument or a result: a scalar, an array, or a borrowed view of an array.
///
/// Scalars, vectors, slices and [`ndarray`] arrays become values with `into()`; slices and views in standard layout are not copied.
/// The way back is `try_into()`. Values are equal if their types, sizes and bits are.
///
/// ```
/// use ndarray::{Array1, array};
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let values: [adc::Value; 3] = [0.5.into(), (&x).into(), x.row(1).into()];
/// assert_eq!(values[2].to_string(), "[3, 4]");
/// let row: Array1<f64> = values[2].clone().try_into()?;
/// assert_eq!(row, x.row(1));
/// let (vector, [a, b]): (Vec<f64>, [f64; 2]) = (values[2].clone().try_into()?, values[2].clone().try_into()?);
/// let slice: &[f64] = (&values[2]).try_into()?;
/// assert_eq!((vector, slice), (vec![a, b], &[3.0, 4.0][..]));
/// # Ok::<(), adc::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// `bool`
    Bool(bool),
    /// `i64`
    I64(i64),
    /// `f32`
    F32(f32),
    /// `f64`
    F64(f64),
    /// `c64`
    C64(Complex32),
    /// `c128`
    C128(Complex64),
    /// An owned array.
    Array(Array),
    /// A view of an array.
    View(View<'a>),
}

/// A borrowed array in row-major order.
#[derive(Clone, Debug)]
pub struct View<'a> {
    shape: SmallVec<[usize; 4]>,
    data: Slice<'a>,
}

/// The element types of the language, as Rust types.
pub trait Element: adc_jit::Cells + sealed::Sealed + 'static {
    /// Its name in the language.
    const SCALAR: Scalar;
    /// A scalar value.
    fn value(self) -> Value<'static>;
    /// Owned elements.
    fn buffer(data: Vec<Self>) -> Buffer;
    /// Borrowed elements.
    fn slice(data: &[Self]) -> Slice<'_>;
    /// The elements, if they are of this type.
    fn of_slice(data: Slice<'_>) -> Option<&[Self]>;
    /// The elements, if they are of this type.
    fn of_buffer(data: Buffer) -> Option<Vec<Self>>;
    /// The elements to write, if they are of this type.
    fn of_slice_mut(data: SliceMut<'_>) -> Option<&mut [Self]>;
    /// The number, if it is of this type.
    fn of_const(c: Const) -> Option<Self>;
    /// Elements to write.
    fn slice_mut(data: &mut [Self]) -> SliceMut<'_>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($rust:ty => $variant:ident;)*) => {
        $(
            impl sealed::Sealed for $rust {}
            impl Element for $rust {
                const SCALAR: Scalar = Scalar::$variant;
                fn value(self) -> Value<'static> {
                    Value::$variant(self)
                }
                fn buffer(data: Vec<$rust>) -> Buffer {
                    Buffer::$variant(data)
                }
                fn slice(data: &[$rust]) -> Slice<'_> {
                    Slice::$variant(data)
                }
                fn of_slice(data: Slice<'_>) -> Option<&[$rust]> {
                    if let Slice::$variant(s) = data { Some(s) } else { None }
                }
                fn of_buffer(data: Buffer) -> Option<Vec<$rust>> {
                    if let Buffer::$variant(v) = data { Some(v) } else { None }
                }
                fn of_slice_mut(data: SliceMut<'_>) -> Option<&mut [$rust]> {
                    if let SliceMut::$variant(s) = data { Some(s) } else { None }
                }
                fn of_const(c: Const) -> Option<$rust> {
                    if let Const::$variant(x) = c { Some(x) } else { None }
                }
                fn slice_mut(data: &mut [$rust]) -> SliceMut<'_> {
                    SliceMut::$variant(data)
                }
            }
            impl<'a> From<&'a mut $rust> for OutputRef<'a> {
                fn from(x: &'a mut $rust) -> OutputRef<'a> {
                    OutputRef(Target::Scalar(ScalarMut::$variant(x)))
                }
            }
            impl From<$rust> for Value<'_> {
                fn from(x: $rust) -> Self {
                    Value::$variant(x)
                }
            }
            impl TryFrom<Value<'_>> for $rust {
                type Error = UsageError;
                fn try_from(v: Value<'_>) -> Result<$rust, UsageError> {
                    v.scalar().and_then(<$rust>::of_const).ok_or_else(|| v.is_not(Type::Scalar(Scalar::$variant)))
                }
            }
        )*

        impl From<Const> for Value<'_> {
            fn from(c: Const) -> Self {
                match c { $(Const::$variant(x) => Value::$variant(x),)* }
            }
        }

        impl<'a> Value<'a> {
            /// The number, if it is no array.
            pub fn scalar(&self) -> Option<Const> {
                match self {
                    $(Value::$variant(x) => Some(Const::$variant(*x)),)*
                    Value::Array(_) | Value::View(_) => None,
                }
            }
        }

        /// An element.
        pub(crate) fn element(of: Slice, i: usize) -> Const {
            match of { $(Slice::$variant(s) => Const::$variant(s[i]),)* }
        }

        /// This many elements from this one on.
        fn part(of: Slice, start: usize, len: usize) -> Slice {
            match of { $(Slice::$variant(s) => Slice::$variant(&s[start..start + len]),)* }
        }

        fn to_buffer(from: Slice) -> Buffer {
            match from { $(Slice::$variant(s) => Buffer::$variant(s.to_vec()),)* }
        }

        /// Copies as many elements of the same type.
        pub(crate) fn copy(to: &mut SliceMut, from: Slice) {
            match (to, from) {
                $((SliceMut::$variant(to), Slice::$variant(from)) => to.copy_from_slice(from),)*
                (to, from) => unreachable!("{} into {}", from.elem(), to.elem()),
            }
        }

        /// The same elements, borrowed for a shorter time.
        pub(crate) fn lent<'s>(data: &'s mut SliceMut<'_>) -> SliceMut<'s> {
            match data { $(SliceMut::$variant(s) => SliceMut::$variant(s),)* }
        }

        /// A number to write.
        #[derive(Debug)]
        pub(crate) enum ScalarMut<'a> { $($variant(&'a mut $rust),)* }

        impl ScalarMut<'_> {
            pub(crate) fn elem(&self) -> Scalar {
                match self { $(ScalarMut::$variant(_) => Scalar::$variant,)* }
            }

            /// Takes a number of its type.
            pub(crate) fn set(&mut self, c: Const) {
                match (self, c) {
                    $((ScalarMut::$variant(place), Const::$variant(x)) => **place = x,)*
                    (place, _) => unreachable!("a place for {}", place.elem()),
                }
            }
        }
    };
}

elements! {
    bool => Bool;
    i64 => I64;
    f32 => F32;
    f64 => F64;
    Complex32 => C64;
    Complex64 => C128;
}

impl<'a> Value<'a> {
    /// An array, row by row; a scalar if there are no axes.
    ///
    /// # Errors
    /// [`UsageError::Elements`] if there are not as many elements as the sizes say.
    ///
    /// ```
    /// let v = adc::Value::array(&[2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!(v.describe(), "f64[2, 2]");
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn array<T: Element>(shape: &[usize], data: Vec<T>) -> Result<Value<'static>, UsageError> {
        let wanted = shape.iter().try_fold(1usize, |n, s| n.checked_mul(*s));
        if wanted != Some(data.len()) {
            return Err(UsageError::Elements { shape: shape.to_vec(), found: data.len() });
        }
        Ok(match shape {
            [] => data[0].value(),
            _ => Value::Array(Array { shape: shape.to_vec(), data: T::buffer(data) }),
        })
    }

    /// A number of one element without axes, or a view.
    pub(crate) fn of_elements(shape: &[usize], data: Slice<'a>) -> Value<'a> {
        match shape {
            [] => element(data, 0).into(),
            _ => Value::View(View { shape: shape.into(), data }),
        }
    }

    /// Type of the number or of the elements.
    pub fn elem(&self) -> Scalar {
        match self {
            Value::Array(a) => a.data.elem(),
            Value::View(v) => v.data.elem(),
            _ => self.scalar().expect("it is no array").scalar(),
        }
    }

    /// Its type; the sizes are [`Self::shape`].
    pub fn ty(&self) -> Type {
        Type::of_rank(self.elem(), self.shape().len())
    }

    /// The sizes; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        match self {
            Value::Array(a) => &a.shape,
            Value::View(v) => &v.shape,
            _ => &[],
        }
    }

    /// The type with the sizes: `f64[40, 5]`.
    pub fn describe(&self) -> String {
        describe(self.elem(), self.shape())
    }

    /// The elements of an array.
    pub fn elements(&self) -> Option<Slice<'_>> {
        match self {
            Value::Array(a) => Some(Slice::from(&a.data)),
            Value::View(v) => Some(v.data),
            _ => None,
        }
    }

    /// Every number in it, row by row.
    pub fn consts(&self) -> impl ExactSizeIterator<Item = Const> + '_ {
        let elements = self.elements();
        let n = elements.map_or(1, |e| e.len());
        (0..n).map(move |i| match elements {
            Some(e) => element(e, i),
            None => self.scalar().expect("it is no array"),
        })
    }

    /// The elements, or the one number, if they are `f64`.
    pub(crate) fn reals(&self) -> Option<&[f64]> {
        match self {
            Value::F64(x) => Some(std::slice::from_ref(x)),
            _ => f64::of_slice(self.elements()?),
        }
    }

    /// The array, if its elements are of this type.
    ///
    /// ```
    /// let v = adc::Value::from(vec![1.0, 2.0]);
    /// assert_eq!(v.view::<f64>().map(|a| a.sum()), Some(3.0));
    /// assert!(v.view::<i64>().is_none());
    /// ```
    pub fn view<T: Element>(&self) -> Option<ArrayViewD<'_, T>> {
        let data = T::of_slice(self.elements()?)?;
        ArrayViewD::from_shape(IxDyn(self.shape()), data).ok()
    }

    /// The same value; an array is borrowed.
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Value::Array(a) => {
                Value::View(View { shape: SmallVec::from_slice(&a.shape), data: Slice::from(&a.data) })
            }
            Value::View(v) => Value::View(v.clone()),
            _ => self.scalar().expect("it is no array").into(),
        }
    }

    /// Entry `i` along the first axis.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn row(&self, i: usize) -> Value<'_> {
        let (shape, elements) = (&self.shape()[1..], self.elements().expect("it is an array"));
        let len: usize = shape.iter().product();
        Value::of_elements(shape, part(elements, i * len, len))
    }

    /// The same value without a borrow.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Bool(x) => Value::Bool(x),
            Value::I64(x) => Value::I64(x),
            Value::F32(x) => Value::F32(x),
            Value::F64(x) => Value::F64(x),
            Value::C64(x) => Value::C64(x),
            Value::C128(x) => Value::C128(x),
            Value::Array(a) => Value::Array(a),
            Value::View(v) => Value::Array(Array { shape: v.shape.to_vec(), data: to_buffer(v.data) }),
        }
    }

    /// The value in the type of the crates below.
    pub fn into_datum(self) -> Datum {
        match self.into_owned() {
            Value::Array(a) => Datum::Array(a),
            scalar => Datum::Scalar(scalar.scalar().expect("it is no array")),
        }
    }

    /// As [`Self::into_datum`], from a copy.
    pub fn to_datum(&self) -> Datum {
        self.clone().into_datum()
    }

    /// The value as an argument of compiled code.
    pub(crate) fn arg(&self) -> Arg<'_> {
        match (self.elements(), self.scalar()) {
            (Some(e), _) => Arg::Array(e),
            (None, c) => Arg::Scalar(c.expect("it is no array")),
        }
    }

    fn is_not(&self, expected: Type) -> UsageError {
        UsageError::ValueType { name: "value".into(), expected: expected.to_string(), found: self.describe() }
    }
}

/// `f64[40, 5]`
pub(crate) fn describe(elem: Scalar, shape: &[usize]) -> String {
    match shape {
        [] => elem.to_string(),
        _ => {
            let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("{elem}[{}]", sizes.join(", "))
        }
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, o: &Self) -> bool {
        self.elem() == o.elem() && self.shape() == o.shape() && self.consts().eq(o.consts())
    }
}

/// In full, as in a point: `1.5`, `[[1, 2], [3, 4]]`.
impl std::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::text::value_text(self))
    }
}

impl From<Datum> for Value<'_> {
    fn from(d: Datum) -> Self {
        match d {
            Datum::Scalar(c) => c.into(),
            Datum::Array(a) => Value::Array(a),
        }
    }
}

impl<T: Element> From<Vec<T>> for Value<'_> {
    fn from(data: Vec<T>) -> Self {
        Value::Array(Array { shape: vec![data.len()], data: T::buffer(data) })
    }
}

impl<'a, T: Element> From<&'a [T]> for Value<'a> {
    fn from(data: &'a [T]) -> Self {
        Value::View(View { shape: SmallVec::from_slice(&[data.len()]), data: T::slice(data) })
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for Value<'a> {
    fn from(data: &'a Vec<T>) -> Self {
        data.as_slice().into()
    }
}

impl<'a, T: Element, const N: usize> From<&'a [T; N]> for Value<'a> {
    fn from(data: &'a [T; N]) -> Self {
        data.as_slice().into()
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Value<'_> {
    fn from(data: [T; N]) -> Self {
        Vec::from(data).into()
    }
}

impl<'a, T: Element, D: Dimension> From<ndarray::ArrayView<'a, T, D>> for Value<'a> {
    fn from(a: ndarray::ArrayView<'a, T, D>) -> Self {
        let shape = SmallVec::from_slice(a.shape());
        match a.to_slice() {
            Some(_) if shape.is_empty() => a.iter().next().expect("one element").value(),
            Some(data) => Value::View(View { shape, data: T::slice(data) }),
            None => copied(&a),
        }
    }
}

impl<'a, T: Element, S: Data<Elem = T>, D: Dimension> From<&'a ArrayBase<S, D>> for Value<'a> {
    fn from(a: &'a ArrayBase<S, D>) -> Self {
        a.view().into()
    }
}

impl<T: Element, D: Dimension> From<ArrayBase<OwnedRepr<T>, D>> for Value<'_> {
    fn from(a: ArrayBase<OwnedRepr<T>, D>) -> Self {
        if a.ndim() == 0 || !a.is_standard_layout() {
            return copied(&a);
        }
        let shape = a.shape().to_vec();
        let (mut data, offset) = a.into_raw_vec_and_offset();
        let first = offset.unwrap_or(0);
        data.drain(..first);
        data.truncate(shape.iter().product());
        Value::Array(Array { shape, data: T::buffer(data) })
    }
}

/// Its elements in row-major order.
fn copied<'v, T: Element, S: Data<Elem = T>, D: Dimension>(a: &ArrayBase<S, D>) -> Value<'v> {
    match a.ndim() {
        0 => a.iter().next().expect("one element").value(),
        _ => {
            let data = T::buffer(a.iter().copied().collect());
            Value::Array(Array { shape: a.shape().to_vec(), data })
        }
    }
}

impl<T: Element, D: Dimension> TryFrom<Value<'_>> for ndarray::Array<T, D> {
    type Error = UsageError;
    fn try_from(v: Value<'_>) -> Result<ndarray::Array<T, D>, UsageError> {
        let rank = D::NDIM.unwrap_or(v.shape().len());
        let refused = v.is_not(Type::of_rank(T::SCALAR, rank));
        let (shape, data) = match v.into_datum() {
            Datum::Scalar(c) => (Vec::new(), T::of_const(c).map(|x| vec![x])),
            Datum::Array(a) => (a.shape, T::of_buffer(a.data)),
        };
        let array = data.and_then(|data| ArrayD::from_shape_vec(IxDyn(&shape), data).ok());
        array.and_then(|a| a.into_dimensionality().ok()).ok_or(refused)
    }
}

/// Of an array with one axis.
impl<T: Element> TryFrom<Value<'_>> for Vec<T> {
    type Error = UsageError;
    fn try_from(v: Value<'_>) -> Result<Vec<T>, UsageError> {
        let refused = v.is_not(Type::Array(T::SCALAR, 1));
        match v.into_datum() {
            Datum::Array(a) if a.shape.len() == 1 => T::of_buffer(a.data).ok_or(refused),
            Datum::Array(_) | Datum::Scalar(_) => Err(refused),
        }
    }
}

/// Of an array with one axis and N entries.
impl<T: Element, const N: usize> TryFrom<Value<'_>> for [T; N] {
    type Error = UsageError;
    fn try_from(v: Value<'_>) -> Result<[T; N], UsageError> {
        let found: &[T] = (&v).try_into()?;
        found.try_into().map_err(|_| UsageError::Elements { shape: vec![N], found: found.len() })
    }
}

/// Of an array with one axis.
impl<'a, T: Element> TryFrom<&'a Value<'_>> for &'a [T] {
    type Error = UsageError;
    fn try_from(v: &'a Value<'_>) -> Result<&'a [T], UsageError> {
        let elements = v.elements().filter(|_| v.shape().len() == 1);
        elements.and_then(T::of_slice).ok_or_else(|| v.is_not(Type::Array(T::SCALAR, 1)))
    }
}

impl<'a, T: Element, D: Dimension> TryFrom<&'a Value<'_>> for ndarray::ArrayView<'a, T, D> {
    type Error = UsageError;
    fn try_from(v: &'a Value<'_>) -> Result<Self, UsageError> {
        let view = v.view::<T>().and_then(|view| view.into_dimensionality().ok());
        view.ok_or_else(|| v.is_not(Type::of_rank(T::SCALAR, D::NDIM.unwrap_or(v.shape().len()))))
    }
}
