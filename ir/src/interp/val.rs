//! Values of the interpreter, and `f64` as its number type.

use crate::module::Const;
use crate::num::Real;
use crate::types::Scalar;
use num_complex::{Complex, Complex64};
use std::cmp::Ordering;

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
}

impl<R: Real> Val<R> {
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
