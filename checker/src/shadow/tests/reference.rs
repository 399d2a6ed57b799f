//! The expected results of a shadow: numbers that carry the f64 program and 384 bits, and decide by the former, in the
//! reference interpreter.

use adc_ir::interp::Val;
use adc_ir::*;
use adc_jit::RuntimeMath;
use adc_precise::{Big, BigMath};
use num_complex::Complex;
use std::cell::Cell;
use std::cmp::Ordering;

thread_local! {
    /// Comparisons of different numbers with the same p. For `max` or `min`, which cannot be told from other comparisons
    /// here, the shadow takes the extremum of the numbers and the interpreter either of them.
    pub static TIES: Cell<usize> = const { Cell::new(0) };
}

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
        if self.p == o.p && self.x != o.x {
            TIES.set(TIES.get() + 1);
        }
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

/// Elementary functions of both sides. At infinities and NaN they are those of `f64`: if the value there is a number, it is
/// a double, a multiple of π/4, √½, or another operand.
pub struct BothMath;

/// The number that the result `y` of doubles represents, for operands of which one is not finite.
pub fn limit(y: f64, x: &[Big]) -> Big {
    let quarter = Big::ZERO.atan2(-Big::ONE).scale2(-2);
    let angles = (1..=4).map(|k| quarter.mul_int(k));
    let mut numbers = angles.chain([Big::from(0.5).sqrt()]).chain(x.iter().map(|x| x.abs()));
    let found = numbers.find(|x| (x.to_f64() - y.abs()).abs() <= f64::EPSILON * y.abs());
    found.map_or(y.into(), |x| x.with_sign(y.is_sign_negative()))
}

fn sides(z: &[Complex<Both>]) -> (Vec<Complex<f64>>, Vec<Complex<Big>>) {
    let p = z.iter().map(|z| Complex::new(z.re.p, z.im.p)).collect();
    (p, z.iter().map(|z| Complex::new(z.re.x, z.im.x)).collect())
}

fn numbers_all(x: &[Both]) -> bool {
    x.iter().all(|x| x.x.is_finite())
}

/// The numbers as doubles, including infinities and NaN.
fn rounded(x: &[Both]) -> Vec<f64> {
    x.iter().map(|x| x.x.to_f64()).collect()
}

fn complex_all(z: &[Complex<Both>]) -> bool {
    z.iter().all(|z| numbers_all(&[z.re, z.im]))
}

fn joined(p: Complex<f64>, x: Complex<Big>) -> Complex<Both> {
    Complex::new(Both { p: p.re, x: x.re }, Both { p: p.im, x: x.im })
}

fn rounded_complex(z: &[Complex<Both>]) -> Vec<Complex<f64>> {
    z.iter().map(|z| Complex::new(z.re.x.to_f64(), z.im.x.to_f64())).collect()
}

fn big(z: Complex<f64>) -> Complex<Big> {
    Complex::new(z.re.into(), z.im.into())
}

impl Elementary<Both> for BothMath {
    fn real(&self, op: Op, x: &[Both]) -> Both {
        let (ps, xs): (Vec<f64>, Vec<Big>) = x.iter().map(|x| (x.p, x.x)).unzip();
        let p = RuntimeMath.real(op, &ps);
        if !numbers_all(x) {
            let operands = if matches!(op, Op::Logaddexp | Op::Mod) { &xs[..] } else { &[] };
            return Both { p, x: limit(RuntimeMath.real(op, &rounded(x)), operands) };
        }
        let x = match op {
            Op::Mod => {
                let q = ((Big::from(ps[0]) - p.into()) / ps[1].into()).round_even();
                xs[0] - xs[1] * q
            }
            Op::Arg if ps[0].is_sign_negative() => Big::ZERO.atan2(-Big::ONE),
            Op::Arg => Big::ZERO,
            other => BigMath.real(other, &xs),
        };
        Both { p, x }
    }

    fn real_int(&self, op: Op, n: i64, x: &Both) -> Both {
        let number = |x: &Both| match x.x.is_finite() {
            true => BigMath.real_int(op, n, &x.x),
            false => RuntimeMath.real_int(op, n, &x.x.to_f64()).into(),
        };
        Both { p: RuntimeMath.real_int(op, n, &x.p), x: number(x) }
    }

    fn complex(&self, op: Op, z: &[Complex<Both>]) -> Complex<Both> {
        let (p, x) = sides(z);
        let x = match complex_all(z) {
            true => BigMath.complex(op, &x),
            false => {
                let w = RuntimeMath.complex(op, &rounded_complex(z));
                Complex::new(limit(w.re, &[]), limit(w.im, &[]))
            }
        };
        joined(RuntimeMath.complex(op, &p), x)
    }

    fn complex_int(&self, op: Op, n: i64, z: &Complex<Both>) -> Complex<Both> {
        let (p, x) = sides(&[*z]);
        let x = match complex_all(&[*z]) {
            true => BigMath.complex_int(op, n, &x[0]),
            false => big(RuntimeMath.complex_int(op, n, &rounded_complex(&[*z])[0])),
        };
        joined(RuntimeMath.complex_int(op, n, &p[0]), x)
    }

    fn complex_to_real(&self, op: Op, z: &Complex<Both>) -> Both {
        let (p, x) = sides(&[*z]);
        let x = match complex_all(&[*z]) {
            true => BigMath.complex_to_real(op, &x[0]),
            false => limit(RuntimeMath.complex_to_real(op, &rounded_complex(&[*z])[0]), &[]),
        };
        Both { p: RuntimeMath.complex_to_real(op, &p[0]), x }
    }
}

/// A value with `f` applied to its numbers.
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
