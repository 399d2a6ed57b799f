//! What a shadow is to compute: numbers that carry the f64 program beside 384 bits, decide by the former, and come from
//! the reference interpreter.

use adc_ir::interp::Val;
use adc_ir::*;
use adc_jit::RuntimeMath;
use adc_precise::{Big, BigMath};
use num_complex::Complex;
use std::cmp::Ordering;

/// The p side and the exact number.
#[derive(Clone, Copy, Debug)]
pub struct Both {
    pub p: f64,
    pub x: Big,
}

impl Both {
    /// The same on both sides.
    fn exactly(p: f64) -> Both {
        Both { p, x: p.into() }
    }
}

impl Real for Both {
    fn from_f64(x: f64) -> Both {
        Both::exactly(x)
    }
    fn to_f64(&self) -> f64 {
        self.p
    }
    fn from_i64(n: i64) -> Both {
        Both::exactly(n as f64)
    }
    fn add(&self, o: &Both) -> Both {
        Both { p: self.p + o.p, x: self.x + o.x }
    }
    fn sub(&self, o: &Both) -> Both {
        Both { p: self.p - o.p, x: self.x - o.x }
    }
    fn mul(&self, o: &Both) -> Both {
        Both { p: self.p * o.p, x: self.x * o.x }
    }
    fn div(&self, o: &Both) -> Both {
        Both { p: self.p / o.p, x: self.x / o.x }
    }
    fn mul_add(&self, a: &Both, b: &Both, to: Scalar) -> Both {
        Both { p: Real::mul_add(&self.p, &a.p, &b.p, to), x: self.x * a.x + b.x }
    }
    fn neg(&self) -> Both {
        Both { p: -self.p, x: -self.x }
    }
    fn sqrt(&self) -> Both {
        Both { p: self.p.sqrt(), x: self.x.sqrt() }
    }
    fn compare(&self, o: &Both) -> Option<Ordering> {
        self.p.partial_cmp(&o.p)
    }
    fn is_nan(&self) -> bool {
        self.p.is_nan()
    }
    fn is_finite(&self) -> bool {
        self.p.is_finite()
    }
    fn is_sign_negative(&self) -> bool {
        if self.p == 0.0 { self.x.is_negative() } else { self.p.is_sign_negative() }
    }
    fn floor(&self) -> Both {
        Both::exactly(self.p.floor())
    }
    fn round_even(&self) -> Both {
        Both::exactly(self.p.round_ties_even())
    }
    fn stored(&self, to: Scalar) -> Both {
        let p = Real::stored(&self.p, to);
        let x = if to.is_single() { Real::stored(&self.x.to_f64(), to).into() } else { self.x };
        Both { p, x }
    }
}

/// Elementary functions of both sides. At infinities and NaN they are those of `f64`, also where their value is a number.
pub struct BothMath;

fn sides(z: &[Complex<Both>]) -> (Vec<Complex<f64>>, Vec<Complex<Big>>) {
    let p = z.iter().map(|z| Complex::new(z.re.p, z.im.p)).collect();
    (p, z.iter().map(|z| Complex::new(z.re.x, z.im.x)).collect())
}

fn finite(z: &[Complex<Both>]) -> bool {
    z.iter().all(|z| z.re.x.is_finite() && z.im.x.is_finite())
}

fn joined(p: Complex<f64>, x: impl FnOnce() -> Complex<Big>, finite: bool) -> Complex<Both> {
    let x = if finite { x() } else { Complex::new(p.re.into(), p.im.into()) };
    Complex::new(Both { p: p.re, x: x.re }, Both { p: p.im, x: x.im })
}

impl Elementary<Both> for BothMath {
    fn real(&self, op: Op, x: &[Both]) -> Both {
        let (ps, xs): (Vec<f64>, Vec<Big>) = x.iter().map(|x| (x.p, x.x)).unzip();
        let p = RuntimeMath.real(op, &ps);
        if xs.iter().any(|x| !x.is_finite()) {
            return Both::exactly(p);
        }
        let x = match op {
            Op::Mod => {
                let q = ((Big::from(ps[0]) - p.into()) / ps[1].into()).round_even();
                xs[0] - xs[1] * q
            }
            Op::Arg if ps[0] < 0.0 => Big::ZERO.atan2(-Big::ONE),
            Op::Arg => Big::ZERO,
            other => BigMath.real(other, &xs),
        };
        Both { p, x }
    }

    fn real_int(&self, op: Op, n: i64, x: &Both) -> Both {
        let p = RuntimeMath.real_int(op, n, &x.p);
        Both { p, x: if x.x.is_finite() { BigMath.real_int(op, n, &x.x) } else { p.into() } }
    }

    fn complex(&self, op: Op, z: &[Complex<Both>]) -> Complex<Both> {
        let (p, x) = sides(z);
        joined(RuntimeMath.complex(op, &p), || BigMath.complex(op, &x), finite(z))
    }

    fn complex_int(&self, n: i64, z: &Complex<Both>) -> Complex<Both> {
        let (p, x) = sides(&[*z]);
        joined(RuntimeMath.complex_int(n, &p[0]), || BigMath.complex_int(n, &x[0]), finite(&[*z]))
    }

    fn complex_to_real(&self, op: Op, z: &Complex<Both>) -> Both {
        let (p, x) = sides(&[*z]);
        let p = RuntimeMath.complex_to_real(op, &p[0]);
        Both { p, x: if finite(&[*z]) { BigMath.complex_to_real(op, &x[0]) } else { p.into() } }
    }
}

/// A value with `f` of its numbers.
pub fn map<A: Real, B: Real>(v: &Val<A>, f: &mut impl FnMut(&A) -> B) -> Val<B> {
    match v {
        Val::Bool(b) => Val::Bool(*b),
        Val::I64(n) => Val::I64(*n),
        Val::Real(x) => Val::Real(f(x)),
        Val::Complex(z) => {
            let re = f(&z.re);
            Val::Complex(Complex::new(re, f(&z.im)))
        }
        Val::Array(a) => {
            let data = a.data().iter().map(|v| map(v, f)).collect();
            Val::array(a.shape(), data)
        }
    }
}

/// The numbers of a value, in order, parts of complex ones one after the other.
pub fn numbers<R: Real>(v: &Val<R>) -> Vec<R> {
    let mut out = Vec::new();
    map(v, &mut |x: &R| {
        out.push(x.clone());
        0.0
    });
    out
}
