//! Functions of complex double-doubles. They are accurate relative to the modulus of the result, most of them in each part.

mod arith;
mod circular;
mod exp_log;
mod inverse;
mod logistic;
mod sinc;

pub use arith::*;
pub use circular::*;
pub use exp_log::*;
pub use inverse::*;
pub use logistic::*;
pub use sinc::*;

use super::arith::Dd;
use super::total::{limit, settled};
use num_complex::Complex64;
use std::ops::{Add, Mul, Neg, Sub};

/// A complex number of double-doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cdd {
    /// The real part.
    pub re: Dd,
    /// The imaginary part.
    pub im: Dd,
}

impl Cdd {
    /// 0
    pub const ZERO: Cdd = Cdd::new(Dd::ZERO, Dd::ZERO);
    /// 1
    pub const ONE: Cdd = Cdd::new(Dd::ONE, Dd::ZERO);
    /// Not a number.
    pub const NAN: Cdd = Cdd::new(Dd::NAN, Dd::NAN);

    /// A number from its parts.
    #[inline(always)]
    pub const fn new(re: Dd, im: Dd) -> Cdd {
        Cdd { re, im }
    }

    /// A number of doubles.
    #[inline(always)]
    pub const fn of(z: Complex64) -> Cdd {
        Cdd::new(Dd::of(z.re), Dd::of(z.im))
    }

    /// The high parts.
    #[inline(always)]
    pub const fn high(self) -> Complex64 {
        Complex64::new(self.re.hi, self.im.hi)
    }

    /// Whether no part of it is infinite or NaN.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }

    /// The conjugate.
    #[inline(always)]
    pub fn conj(self) -> Cdd {
        Cdd::new(self.re, -self.im)
    }

    /// `i self`
    #[inline(always)]
    fn times_i(self) -> Cdd {
        Cdd::new(-self.im, self.re)
    }

    /// `-i self`
    #[inline(always)]
    fn over_i(self) -> Cdd {
        Cdd::new(self.im, -self.re)
    }

    /// `self x` for a power of two.
    #[inline(always)]
    fn scaled(self, x: f64) -> Cdd {
        Cdd::new(self.re.scaled(x), self.im.scaled(x))
    }

    /// `self 2^n`
    fn ldexp(self, n: i32) -> Cdd {
        Cdd::new(self.re.ldexp(n), self.im.ldexp(n))
    }

    /// `self x`
    #[inline(always)]
    fn by(self, x: Dd) -> Cdd {
        Cdd::new(self.re * x, self.im * x)
    }

    /// The larger of the parts' moduli, NaN if a part is.
    #[inline(always)]
    fn size(self) -> f64 {
        let (x, y) = (self.re.hi.abs(), self.im.hi.abs());
        if x > y || x.is_nan() { x } else { y }
    }
}

impl Neg for Cdd {
    type Output = Cdd;
    #[inline(always)]
    fn neg(self) -> Cdd {
        Cdd::new(-self.re, -self.im)
    }
}

impl Add for Cdd {
    type Output = Cdd;
    #[inline(always)]
    fn add(self, other: Cdd) -> Cdd {
        Cdd::new(self.re + other.re, self.im + other.im)
    }
}

impl Sub for Cdd {
    type Output = Cdd;
    #[inline(always)]
    fn sub(self, other: Cdd) -> Cdd {
        Cdd::new(self.re - other.re, self.im - other.im)
    }
}

/// Accurate relative to the modulus.
impl Mul for Cdd {
    type Output = Cdd;
    #[inline(always)]
    fn mul(self, other: Cdd) -> Cdd {
        let re = self.re * other.re - self.im * other.im;
        let im = self.re * other.im + self.im * other.re;
        Cdd::new(re, im)
    }
}

/// `g(z)` for a number; the double function's value where `z` is none, and in the parts that are infinite, NaN or 0.
#[inline(always)]
fn total(z: Cdd, f: impl FnOnce(Complex64) -> Complex64, g: impl FnOnce(Cdd) -> Cdd) -> Cdd {
    if !(z.re.hi.is_finite() && z.im.hi.is_finite()) {
        return limits(f(z.high()));
    }
    settle(g(z), || f(z.high()))
}

/// As [`total`], of two operands.
#[inline(always)]
fn total2(
    a: Cdd,
    b: Cdd,
    f: impl FnOnce(Complex64, Complex64) -> Complex64,
    g: impl FnOnce(Cdd, Cdd) -> Cdd,
) -> Cdd {
    let finite = |z: Cdd| z.re.hi.is_finite() && z.im.hi.is_finite();
    if !(finite(a) && finite(b)) {
        return limits(f(a.high(), b.high()));
    }
    settle(g(a, b), || f(a.high(), b.high()))
}

/// [`limit`], part by part.
fn limits(double: Complex64) -> Cdd {
    Cdd::new(limit(double.re), limit(double.im))
}

/// A result, beside what the function of doubles gives.
#[inline(always)]
fn settle(w: Cdd, double: impl FnOnce() -> Complex64) -> Cdd {
    let ordinary = |x: Dd| x.is_finite() && x.hi != 0.0;
    if ordinary(w.re) && ordinary(w.im) {
        return w;
    }
    let double = double();
    // One part may well be beyond the range by itself, and doubles know neither then.
    let part = |x: Dd, double: f64| match (double.is_finite(), ordinary(x)) {
        (true, true) => x,
        (true, false) => settled(x, double),
        (false, _) => Dd::of(double),
    };
    Cdd::new(part(w.re, double.re), part(w.im, double.im))
}
