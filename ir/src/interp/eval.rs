//! What each op computes.
//!
//! Single precision: every arithmetic step is done in the number type and rounded once. For `f64` that is
//! the native `f32` result, because 53 ≥ 2·24 + 2 bits make the double rounding of `+ − × ÷ √` harmless.

use super::Val;
use crate::num::{Elementary, Real};
use crate::ops::Op;
use crate::trap::Trap;
use crate::types::Scalar;
use num_complex::Complex;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// The result, of type `ty`, of an op on operands it takes.
///
/// # Panics
/// If the op does not take such operands.
pub fn eval<R: Real>(math: &dyn Elementary<R>, op: Op, x: &[&Val<R>], ty: Scalar) -> Result<Val<R>, Trap> {
    use Val::{Bool, I64};
    let e = Eval { math, op, ty };
    match op {
        Op::Neg => match x[0] {
            I64(n) => int(n.checked_neg()),
            v => Ok(e.parts(v, R::neg)),
        },
        Op::Add => match (x[0], x[1]) {
            (I64(a), I64(b)) => int(a.checked_add(*b)),
            (a, b) => Ok(e.add(a, b)),
        },
        Op::Sub => match (x[0], x[1]) {
            (I64(a), I64(b)) => int(a.checked_sub(*b)),
            (a, b) => Ok(e.sub(a, b)),
        },
        Op::Mul => match (x[0], x[1]) {
            (I64(a), I64(b)) => int(a.checked_mul(*b)),
            (a, b) => Ok(e.mul(a, b)),
        },
        Op::Div => Ok(match (x[0], x[1]) {
            (Val::Complex(z), Val::Real(b)) => e.complex(z.re.div(b), z.im.div(b)),
            (Val::Real(a), Val::Real(b)) => e.real(a.div(b)),
            _ => e.elementary(x),
        }),
        Op::Idiv => idiv(e.i64(x[0]), e.i64(x[1])).map(I64),
        Op::Mod => match (x[0], x[1]) {
            (I64(a), I64(b)) => modulo(*a, *b).map(I64),
            _ => Ok(e.elementary(x)),
        },
        Op::Powi => {
            let n = e.i64(x[1]);
            match x[0] {
                I64(a) => int(int_power(*a, n)),
                Val::Real(a) => Ok(e.real(math.real_int(op, n, a))),
                Val::Complex(z) => Ok(e.stored(math.complex_int(op, n, z))),
                Bool(_) | Val::Array(_) => e.ill_typed(x),
            }
        }
        Op::Recip => Ok(match x[0] {
            Val::Real(a) => e.real(R::from_f64(1.0).div(a)),
            _ => e.elementary(x),
        }),
        Op::Square => Ok(e.mul(x[0], x[0])),
        Op::Fma => match (x[0], x[1], x[2]) {
            (Val::Real(a), Val::Real(b), Val::Real(c)) => Ok(Val::Real(a.mul_add(b, c, ty))),
            _ => e.ill_typed(x),
        },
        Op::Sqrt => Ok(match x[0] {
            Val::Real(a) => e.real(a.sqrt()),
            _ => e.elementary(x),
        }),
        ops!(Elementary) => Ok(e.elementary(x)),
        ops!(ElementaryInt) => match (x[0], x[1]) {
            (I64(n), Val::Real(a)) => Ok(e.real(math.real_int(op, *n, a))),
            (I64(n), Val::Complex(z)) => Ok(e.stored(math.complex_int(op, *n, z))),
            _ => e.ill_typed(x),
        },
        Op::Cis => Ok(e.stored(math.complex(op, &[widen(x[0], e)]))),
        Op::Copysign => match (x[0], x[1]) {
            (Val::Real(a), Val::Real(b)) => {
                Ok(Val::Real(if a.is_sign_negative() == b.is_sign_negative() { a.clone() } else { a.neg() }))
            }
            _ => e.ill_typed(x),
        },
        Op::Min => Ok(e.min(x[0], x[1])),
        Op::Max => Ok(e.max(x[0], x[1])),
        Op::Clamp => Ok(e.min(&e.max(x[0], x[1]), x[2])),
        Op::Floor => Ok(e.parts(x[0], R::floor)),
        Op::Ceil => Ok(e.parts(x[0], ceil)),
        Op::Round => Ok(e.parts(x[0], R::round_even)),
        Op::Trunc => Ok(e.parts(x[0], trunc)),
        Op::Abs => match x[0] {
            I64(n) => int(n.checked_abs()),
            Val::Real(a) => Ok(Val::Real(if a.is_sign_negative() { a.neg() } else { a.clone() })),
            Val::Complex(z) => Ok(e.real(math.complex_to_real(op, z))),
            Bool(_) | Val::Array(_) => e.ill_typed(x),
        },
        Op::Sign => Ok(match x[0] {
            I64(n) => I64(n.signum()),
            Val::Real(a) => Val::Real(sign(a)),
            Val::Complex(_) => e.elementary(x),
            Bool(_) | Val::Array(_) => e.ill_typed(x),
        }),
        Op::Abs2 => Ok(match x[0] {
            Val::Complex(z) => e.real(e.round(z.re.mul(&z.re)).add(&e.round(z.im.mul(&z.im)))),
            v => e.mul(v, v),
        }),
        Op::Conj => Ok(match x[0] {
            Val::Complex(z) => e.complex(z.re.clone(), z.im.neg()),
            v => v.clone(),
        }),
        Op::Re => Ok(match x[0] {
            Val::Complex(z) => Val::Real(z.re.clone()),
            v => v.clone(),
        }),
        Op::Im => Ok(Val::Real(match x[0] {
            Val::Complex(z) => z.im.clone(),
            _ => R::from_f64(0.0),
        })),
        Op::Arg => Ok(match x[0] {
            Val::Complex(z) => e.real(math.complex_to_real(op, z)),
            _ => e.elementary(x),
        }),
        Op::Complex => match (x[0], x[1]) {
            (Val::Real(a), Val::Real(b)) => Ok(e.complex(a.clone(), b.clone())),
            _ => e.ill_typed(x),
        },
        Op::IsNan => Ok(Bool(e.any_part(x[0], R::is_nan))),
        Op::IsFinite => Ok(Bool(!e.any_part(x[0], |a| !a.is_finite()))),
        Op::IsInf => Ok(Bool(e.any_part(x[0], |a| !a.is_finite() && !a.is_nan()))),
        Op::Lt => Ok(Bool(e.compare(x) == Some(Ordering::Less))),
        Op::Le => Ok(Bool(matches!(e.compare(x), Some(Ordering::Less | Ordering::Equal)))),
        Op::Gt => Ok(Bool(e.compare(x) == Some(Ordering::Greater))),
        Op::Ge => Ok(Bool(matches!(e.compare(x), Some(Ordering::Greater | Ordering::Equal)))),
        Op::Eq => Ok(Bool(e.equal(x))),
        Op::Ne => Ok(Bool(!e.equal(x))),
        Op::And => Ok(Bool(x[0].bool() & x[1].bool())),
        Op::Or => Ok(Bool(x[0].bool() | x[1].bool())),
        Op::Not => Ok(Bool(!x[0].bool())),
        Op::Select => Ok(if x[0].bool() { x[1].clone() } else { x[2].clone() }),
        Op::ToF64 | Op::ToF32 => Ok(match x[0] {
            Bool(b) => Val::Real(R::from_f64(*b as u8 as f64)),
            I64(n) => Val::Real(from_int(*n, ty)),
            Val::Real(a) => e.real(a.clone()),
            Val::Complex(_) | Val::Array(_) => e.ill_typed(x),
        }),
        Op::ToI64 => match x[0] {
            Bool(b) => Ok(I64(*b as i64)),
            I64(n) => Ok(I64(*n)),
            Val::Real(a) => to_int(trunc(a).to_f64()).map(I64),
            Val::Complex(_) | Val::Array(_) => e.ill_typed(x),
        },
        Op::ToC => Ok(e.parts(x[0], R::clone)),
        Op::StopGradient => Ok(x[0].clone()),
    }
}

/// What the arms above share: the op, the type of its result, and where elementary functions come from.
struct Eval<'a, R: Real> {
    math: &'a dyn Elementary<R>,
    op: Op,
    ty: Scalar,
}

impl<R: Real> Clone for Eval<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Real> Copy for Eval<'_, R> {}

impl<R: Real> Eval<'_, R> {
    fn ill_typed(self, x: &[&Val<R>]) -> ! {
        panic!("`{}` does not take {x:?}", self.op)
    }

    fn i64(self, x: &Val<R>) -> i64 {
        match x {
            Val::I64(n) => *n,
            _ => self.ill_typed(&[x]),
        }
    }

    fn round(self, x: R) -> R {
        x.stored(self.ty)
    }

    fn real(self, x: R) -> Val<R> {
        Val::Real(self.round(x))
    }

    fn complex(self, re: R, im: R) -> Val<R> {
        Val::Complex(Complex::new(self.round(re), self.round(im)))
    }

    fn stored(self, z: Complex<R>) -> Val<R> {
        self.complex(z.re, z.im)
    }

    /// `f` of the number or of both parts.
    fn parts(self, x: &Val<R>, f: impl Fn(&R) -> R) -> Val<R> {
        match x {
            Val::Real(a) => self.real(f(a)),
            Val::Complex(z) => self.complex(f(&z.re), f(&z.im)),
            Val::Bool(_) | Val::I64(_) | Val::Array(_) => self.ill_typed(&[x]),
        }
    }

    fn any_part(self, x: &Val<R>, f: impl Fn(&R) -> bool) -> bool {
        match x {
            Val::Real(a) => f(a),
            Val::Complex(z) => f(&z.re) || f(&z.im),
            Val::Bool(_) | Val::I64(_) | Val::Array(_) => self.ill_typed(&[x]),
        }
    }

    /// The function of the op's name: real of real operands, else complex.
    fn elementary(self, x: &[&Val<R>]) -> Val<R> {
        let reals: Option<SmallVec<[R; 2]>> = x
            .iter()
            .map(|v| match v {
                Val::Real(a) => Some(a.clone()),
                Val::Bool(_) | Val::I64(_) | Val::Complex(_) | Val::Array(_) => None,
            })
            .collect();
        match reals {
            Some(reals) => self.real(self.math.real(self.op, &reals)),
            None => {
                let z: SmallVec<[Complex<R>; 2]> = x.iter().map(|v| widen(v, self)).collect();
                self.stored(self.math.complex(self.op, &z))
            }
        }
    }

    fn add(self, a: &Val<R>, b: &Val<R>) -> Val<R> {
        match (a, b) {
            (Val::Real(a), Val::Real(b)) => self.real(a.add(b)),
            (Val::Complex(z), Val::Complex(w)) => self.complex(z.re.add(&w.re), z.im.add(&w.im)),
            (Val::Real(a), Val::Complex(z)) => self.complex(a.add(&z.re), z.im.clone()),
            (Val::Complex(z), Val::Real(a)) => self.complex(z.re.add(a), z.im.clone()),
            _ => self.ill_typed(&[a, b]),
        }
    }

    fn sub(self, a: &Val<R>, b: &Val<R>) -> Val<R> {
        match (a, b) {
            (Val::Real(a), Val::Real(b)) => self.real(a.sub(b)),
            (Val::Complex(z), Val::Complex(w)) => self.complex(z.re.sub(&w.re), z.im.sub(&w.im)),
            (Val::Real(a), Val::Complex(z)) => self.complex(a.sub(&z.re), z.im.neg()),
            (Val::Complex(z), Val::Real(a)) => self.complex(z.re.sub(a), z.im.clone()),
            _ => self.ill_typed(&[a, b]),
        }
    }

    fn mul(self, a: &Val<R>, b: &Val<R>) -> Val<R> {
        let times = |x: &R, y: &R| self.round(x.mul(y));
        match (a, b) {
            (Val::Real(a), Val::Real(b)) => Val::Real(times(a, b)),
            (Val::Complex(z), Val::Complex(w)) => self.complex(
                times(&z.re, &w.re).sub(&times(&z.im, &w.im)),
                times(&z.re, &w.im).add(&times(&z.im, &w.re)),
            ),
            (Val::Real(a), Val::Complex(z)) | (Val::Complex(z), Val::Real(a)) => {
                self.complex(a.mul(&z.re), a.mul(&z.im))
            }
            _ => self.ill_typed(&[a, b]),
        }
    }

    /// NaN if one is; −0 is smaller than +0.
    fn min(self, a: &Val<R>, b: &Val<R>) -> Val<R> {
        self.pick(a, b, Ordering::Less)
    }

    fn max(self, a: &Val<R>, b: &Val<R>) -> Val<R> {
        self.pick(a, b, Ordering::Greater)
    }

    /// `a` if it stands to `b` as `wanted` says, else `b`.
    fn pick(self, a: &Val<R>, b: &Val<R>, wanted: Ordering) -> Val<R> {
        let first = match (a, b) {
            (Val::I64(a), Val::I64(b)) => a.cmp(b) == wanted,
            (Val::Real(a), Val::Real(b)) => match a.compare(b) {
                None => a.is_nan(),
                Some(Ordering::Equal) => a.is_sign_negative() == (wanted == Ordering::Less),
                Some(order) => order == wanted,
            },
            _ => self.ill_typed(&[a, b]),
        };
        if first { a.clone() } else { b.clone() }
    }

    fn compare(self, x: &[&Val<R>]) -> Option<Ordering> {
        match (x[0], x[1]) {
            (Val::I64(a), Val::I64(b)) => Some(a.cmp(b)),
            (Val::Real(a), Val::Real(b)) => a.compare(b),
            _ => self.ill_typed(x),
        }
    }

    fn equal(self, x: &[&Val<R>]) -> bool {
        let same = |a: &R, b: &R| a.compare(b) == Some(Ordering::Equal);
        match (x[0], x[1]) {
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::I64(a), Val::I64(b)) => a == b,
            (Val::Real(a), Val::Real(b)) => same(a, b),
            (Val::Complex(z), Val::Complex(w)) => same(&z.re, &w.re) && same(&z.im, &w.im),
            _ => self.ill_typed(x),
        }
    }
}

/// A real operand as a complex number with imaginary part +0.
fn widen<R: Real>(x: &Val<R>, e: Eval<'_, R>) -> Complex<R> {
    match x {
        Val::Real(a) => Complex::new(a.clone(), R::from_f64(0.0)),
        Val::Complex(z) => z.clone(),
        Val::Bool(_) | Val::I64(_) | Val::Array(_) => e.ill_typed(&[x]),
    }
}

fn int<R>(n: Option<i64>) -> Result<Val<R>, Trap> {
    n.map(Val::I64).ok_or(Trap::IntegerOverflow)
}

/// ⌊a/b⌋
fn idiv(a: i64, b: i64) -> Result<i64, Trap> {
    if b == 0 {
        return Err(Trap::DivisionByZero);
    }
    let q = a.checked_div(b).ok_or(Trap::IntegerOverflow)?;
    Ok(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
}

/// a − b⌊a/b⌋, with the sign of b. It always exists, also where the quotient overflows.
fn modulo(a: i64, b: i64) -> Result<i64, Trap> {
    if b == 0 {
        return Err(Trap::DivisionByZero);
    }
    let r = a.wrapping_rem(b);
    Ok(if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
}

/// aⁿ if it is an integer in range.
fn int_power(a: i64, n: i64) -> Option<i64> {
    let (mut result, mut base, mut n) = (1i64, a, u64::try_from(n).ok()?);
    while n > 0 {
        if n & 1 == 1 {
            result = result.checked_mul(base)?;
        }
        n >>= 1;
        if n > 0 {
            base = base.checked_mul(base)?;
        }
    }
    Some(result)
}

/// An integer rounded once. Where the number type rounds to `f64` first, a second rounding to `f32` could be
/// wrong; it happens only if it changes the number, and then the integer is converted directly.
fn from_int<R: Real>(n: i64, ty: Scalar) -> R {
    let wide = R::from_i64(n);
    let x = wide.stored(ty);
    if x.compare(&wide) == Some(Ordering::Equal) { x } else { R::from_f64(n as f32 as f64) }
}

fn to_int(whole: f64) -> Result<i64, Trap> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if (-END..END).contains(&whole) { Ok(whole as i64) } else { Err(Trap::BadConversion) }
}

fn ceil<R: Real>(x: &R) -> R {
    x.neg().floor().neg()
}

fn trunc<R: Real>(x: &R) -> R {
    if x.is_sign_negative() { ceil(x) } else { x.floor() }
}

/// ±1, and the operand itself if it is ±0 or NaN.
fn sign<R: Real>(x: &R) -> R {
    match x.compare(&R::from_f64(0.0)) {
        Some(Ordering::Less) => R::from_f64(-1.0),
        Some(Ordering::Greater) => R::from_f64(1.0),
        Some(Ordering::Equal) | None => x.clone(),
    }
}
