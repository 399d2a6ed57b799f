//! Numbers and arrays as host programs hold them: what goes into compiled code and comes out.

use crate::interp::Val;
use crate::module::Const;
use crate::num::Real;
use crate::types::{Scalar, Type};
use num_complex::{Complex32, Complex64};

/// A scalar or an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A scalar.
    Scalar(Const),
    /// An array of at least one axis.
    Array(Array),
}

/// An array: its sizes and its elements in row-major order, as many as the sizes say.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its sizes.
    pub shape: Vec<usize>,
    /// Its elements.
    pub data: Buffer,
}

macro_rules! buffer {
    ($($(#[$doc:meta])* $variant:ident $rust:ty,)*) => {
        /// Elements of one type.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Buffer { $($(#[$doc])* $variant(Vec<$rust>),)* }

        impl Buffer {
            /// `len` elements, all 0 (`false`).
            pub fn zeros(elem: Scalar, len: usize) -> Buffer {
                match elem { $(Scalar::$variant => Buffer::$variant(vec![Default::default(); len]),)* }
            }

            /// The type of the elements.
            pub fn elem(&self) -> Scalar {
                match self { $(Buffer::$variant(_) => Scalar::$variant,)* }
            }

            /// The number of elements.
            pub fn len(&self) -> usize {
                match self { $(Buffer::$variant(x) => x.len(),)* }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Element `i`.
            ///
            /// # Panics
            /// If there is none.
            pub fn get(&self, i: usize) -> Const {
                match self { $(Buffer::$variant(x) => Const::$variant(x[i]),)* }
            }

            /// Whether both have the same elements, any NaN being the same as any other.
            pub fn same(&self, other: &Buffer) -> bool {
                match (self, other) {
                    $((Buffer::$variant(a), Buffer::$variant(b)) => {
                        let same = |(a, b): (&$rust, &$rust)| Const::$variant(*a).same(Const::$variant(*b));
                        a.len() == b.len() && a.iter().zip(b).all(same)
                    })*
                    _ => false,
                }
            }

            /// Replaces element `i`.
            ///
            /// # Panics
            /// If there is none, or `c` is of another type.
            pub fn set(&mut self, i: usize, c: Const) {
                match (self, c) {
                    $((Buffer::$variant(x), Const::$variant(c)) => x[i] = c,)*
                    (data, c) => panic!("{c:?} among elements of type {}", data.elem()),
                }
            }
        }

        $(impl From<Vec<$rust>> for Buffer {
            fn from(x: Vec<$rust>) -> Buffer { Buffer::$variant(x) }
        })*
    };
}

buffer! {
    /// `bool`
    Bool bool,
    /// `i64`
    I64 i64,
    /// `f32`
    F32 f32,
    /// `f64`
    F64 f64,
    /// `c64`
    C64 Complex32,
    /// `c128`
    C128 Complex64,
}

impl Array {
    /// An array.
    ///
    /// # Panics
    /// If there are not as many elements as the sizes say, or there are no sizes.
    pub fn new(shape: Vec<usize>, data: impl Into<Buffer>) -> Array {
        let data = data.into();
        assert!(!shape.is_empty(), "an array has an axis");
        assert_eq!(shape.iter().product::<usize>(), data.len(), "elements of an array {shape:?}");
        Array { shape, data }
    }
}

impl Datum {
    /// An array of zeros (`false`); a scalar if there are no sizes.
    pub fn zeros(elem: Scalar, shape: &[usize]) -> Datum {
        match shape {
            [] => Datum::Scalar(Const::zero(elem)),
            _ => {
                let data = Buffer::zeros(elem, shape.iter().product());
                Datum::Array(Array { shape: shape.to_vec(), data })
            }
        }
    }

    /// The type of the elements.
    pub fn elem(&self) -> Scalar {
        match self {
            Datum::Scalar(c) => c.scalar(),
            Datum::Array(a) => a.data.elem(),
        }
    }

    /// The type.
    pub fn ty(&self) -> Type {
        Type::of_rank(self.elem(), self.shape().len())
    }

    /// The sizes; none of a scalar.
    pub fn shape(&self) -> &[usize] {
        match self {
            Datum::Scalar(_) => &[],
            Datum::Array(a) => &a.shape,
        }
    }

    /// The number of elements; 1 of a scalar.
    pub fn len(&self) -> usize {
        match self {
            Datum::Scalar(_) => 1,
            Datum::Array(a) => a.data.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `i` in row-major order.
    ///
    /// # Panics
    /// If there is none.
    pub fn get(&self, i: usize) -> Const {
        match self {
            Datum::Scalar(c) => {
                assert_eq!(i, 0, "a scalar has one element");
                *c
            }
            Datum::Array(a) => a.data.get(i),
        }
    }

    /// Replaces element `i` in row-major order.
    ///
    /// # Panics
    /// If there is none, or `c` is of another type.
    pub fn set(&mut self, i: usize, c: Const) {
        match self {
            Datum::Scalar(old) => {
                assert!(i == 0 && old.scalar() == c.scalar(), "{c:?} as element {i} of {old:?}");
                *old = c;
            }
            Datum::Array(a) => a.data.set(i, c),
        }
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> impl Iterator<Item = Const> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Whether both have the same sizes and the same elements, any NaN being the same as any other.
    pub fn same(&self, other: &Datum) -> bool {
        match (self, other) {
            (Datum::Scalar(a), Datum::Scalar(b)) => a.same(*b),
            (Datum::Array(a), Datum::Array(b)) => a.shape == b.shape && a.data.same(&b.data),
            (Datum::Scalar(_), Datum::Array(_)) | (Datum::Array(_), Datum::Scalar(_)) => false,
        }
    }

    /// As a value of the interpreter.
    pub fn to_val<R: Real>(&self) -> Val<R> {
        match self {
            Datum::Scalar(c) => Val::from_const(*c),
            Datum::Array(a) => Val::array(&a.shape, self.elements().map(Val::from_const).collect()),
        }
    }

    /// A value of the interpreter, rounded to elements of type `elem`.
    ///
    /// # Panics
    /// If it is not of such a type.
    pub fn from_val<R: Real>(v: &Val<R>, elem: Scalar) -> Datum {
        let Val::Array(a) = v else { return Datum::Scalar(v.to_const(elem)) };
        let mut datum = Datum::zeros(elem, a.shape());
        for (i, x) in a.data().iter().enumerate() {
            datum.set(i, x.to_const(elem));
        }
        datum
    }
}

impl From<Const> for Datum {
    fn from(c: Const) -> Datum {
        Datum::Scalar(c)
    }
}

impl From<Array> for Datum {
    fn from(a: Array) -> Datum {
        Datum::Array(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let elems = [Scalar::Bool, Scalar::I64, Scalar::F32, Scalar::F64, Scalar::C64, Scalar::C128];
        for elem in elems {
            for shape in [&[][..], &[3], &[2, 0], &[2, 2]] {
                let mut d = Datum::zeros(elem, shape);
                if !d.is_empty() {
                    d.set(d.len() - 1, Const::real(1.0, elem));
                }
                assert_eq!((d.elem(), d.shape()), (elem, shape));
                assert_eq!(Datum::from_val(&d.to_val::<f64>(), elem), d);
                assert!(d.same(&d));
            }
        }
    }
}
