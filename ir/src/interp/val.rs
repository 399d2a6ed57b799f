//! Values of the interpreter, and `f64` as its number type.

use super::limits::Charge;
use crate::module::Const;
use crate::num::Real;
use crate::types::Scalar;
use num_complex::{Complex, Complex64};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::sync::Arc;

/// The sizes of an array at run time.
pub type Sizes = SmallVec<[usize; 2]>;

/// A value; its precision is known from the static type.
#[derive(Clone, Debug, PartialEq)]
pub enum Val<R> {
    /// `bool`
    Bool(bool),
    /// `i64`
    I64(i64),
    /// `f32` or `f64`
    Real(R),
    /// `c64` or `c128`
    Complex(Complex<R>),
    /// An array of any element type.
    Array(Arc<ArrayVal<R>>),
}

/// An array: its sizes and its elements in row-major order, which are no arrays themselves.
#[derive(Clone, Debug)]
pub struct ArrayVal<R> {
    pub(super) shape: Sizes,
    pub(super) data: Vec<Val<R>>,
    /// What it takes of the memory limit of the run that made it.
    pub(super) _charge: Charge,
}

impl<R> ArrayVal<R> {
    /// Its sizes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its elements.
    pub fn data(&self) -> &[Val<R>] {
        &self.data
    }
}

impl<R: PartialEq> PartialEq for ArrayVal<R> {
    fn eq(&self, o: &ArrayVal<R>) -> bool {
        self.shape == o.shape && self.data == o.data
    }
}

impl<R> Val<R> {
    /// Every number of the value in row-major order, the parts of complex ones apart.
    pub fn each(&self, see: &mut impl FnMut(&R)) {
        match self {
            Val::Bool(_) | Val::I64(_) => {}
            Val::Real(x) => see(x),
            Val::Complex(z) => [&z.re, &z.im].into_iter().for_each(see),
            Val::Array(a) => a.data().iter().for_each(|v| v.each(see)),
        }
    }

    /// The same value over other numbers, each of which comes from one of its own.
    pub fn map<B: Real>(&self, f: &mut impl FnMut(&R) -> B) -> Val<B> {
        match self {
            Val::Bool(b) => Val::Bool(*b),
            Val::I64(n) => Val::I64(*n),
            Val::Real(x) => Val::Real(f(x)),
            Val::Complex(z) => Val::Complex(Complex::new(f(&z.re), f(&z.im))),
            Val::Array(a) => Val::array(a.shape(), a.data().iter().map(|v| v.map(f)).collect()),
        }
    }
}

impl<R: Real> Val<R> {
    /// An array.
    ///
    /// # Panics
    /// If there are not as many elements as the sizes say.
    pub fn array(shape: &[usize], data: Vec<Val<R>>) -> Val<R> {
        assert_eq!(shape.iter().product::<usize>(), data.len(), "elements of an array {shape:?}");
        Val::Array(Arc::new(ArrayVal { shape: shape.into(), data, _charge: Charge::none() }))
    }

    /// An array's sizes and elements.
    ///
    /// # Panics
    /// If it is none.
    pub fn as_array(&self) -> &ArrayVal<R> {
        match self {
            Val::Array(a) => a,
            _ => panic!("{self:?} is not an array"),
        }
    }

    /// An integer's value.
    ///
    /// # Panics
    /// If it is something else.
    pub fn i64(&self) -> i64 {
        match self {
            Val::I64(n) => *n,
            _ => panic!("{self:?} is not an i64"),
        }
    }

    /// The elements in row-major order, rounded to literals of type `ty`; of a scalar the one.
    pub fn to_consts(&self, ty: Scalar) -> Vec<Const> {
        match self {
            Val::Array(a) => a.data.iter().map(|v| v.to_const(ty)).collect(),
            _ => vec![self.to_const(ty)],
        }
    }

    /// A literal's value.
    pub fn from_const(c: Const) -> Val<R> {
        match c {
            Const::Bool(b) => Val::Bool(b),
            Const::I64(n) => Val::I64(n),
            Const::F32(_) | Const::F64(_) => Val::Real(R::from_f64(c.to_c128().re)),
            Const::C64(_) | Const::C128(_) => {
                let z = c.to_c128();
                Val::Complex(Complex::new(R::from_f64(z.re), R::from_f64(z.im)))
            }
        }
    }

    /// The value rounded to a literal of type `ty`.
    ///
    /// # Panics
    /// If it is not a value of such a type (a real where `ty` is complex, …).
    pub fn to_const(&self, ty: Scalar) -> Const {
        match (self, ty) {
            (Val::Bool(b), Scalar::Bool) => Const::Bool(*b),
            (Val::I64(n), Scalar::I64) => Const::I64(*n),
            (Val::Real(x), Scalar::F32 | Scalar::F64) => Const::real(x.to_f64(), ty),
            (Val::Complex(z), Scalar::C64 | Scalar::C128) => {
                Const::from_c128(Complex64::new(z.re.to_f64(), z.im.to_f64()), ty)
            }
            _ => panic!("{self:?} is not a value of type {ty}"),
        }
    }

    /// A boolean's value.
    ///
    /// # Panics
    /// If it is something else.
    pub fn bool(&self) -> bool {
        match self {
            Val::Bool(b) => *b,
            _ => panic!("{self:?} is not a bool"),
        }
    }
}

impl Real for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }
    fn to_f64(&self) -> f64 {
        *self
    }
    fn from_i64(n: i64) -> f64 {
        n as f64
    }
    fn add(&self, o: &f64) -> f64 {
        self + o
    }
    fn sub(&self, o: &f64) -> f64 {
        self - o
    }
    fn mul(&self, o: &f64) -> f64 {
        self * o
    }
    fn div(&self, o: &f64) -> f64 {
        self / o
    }
    fn mul_add(&self, a: &f64, b: &f64, to: Scalar) -> f64 {
        match to.is_single() {
            // A sum rounded to double precision first may be rounded the wrong way to single precision.
            true => (*self as f32).mul_add(*a as f32, *b as f32) as f64,
            false => f64::mul_add(*self, *a, *b),
        }
    }
    fn neg(&self) -> f64 {
        -self
    }
    fn sqrt(&self) -> f64 {
        f64::sqrt(*self)
    }
    fn compare(&self, o: &f64) -> Option<Ordering> {
        self.partial_cmp(o)
    }
    fn is_nan(&self) -> bool {
        f64::is_nan(*self)
    }
    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }
    fn is_sign_negative(&self) -> bool {
        f64::is_sign_negative(*self)
    }
    fn floor(&self) -> f64 {
        f64::floor(*self)
    }
    fn round_even(&self) -> f64 {
        f64::round_ties_even(*self)
    }
    fn stored(&self, to: Scalar) -> f64 {
        if to.is_single() { *self as f32 as f64 } else { *self }
    }
}
