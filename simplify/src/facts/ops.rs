//! What ops give, from what is known of their operands.

use super::range::SLACK;
use super::{Facts, Range};
use adc_ir::{Op, Scalar, ops};

/// [`Facts::of`] before rounding to single precision.
#[rustfmt::skip]
pub(super) fn transfer(op: Op, args: &[Facts], ty: Scalar) -> Facts {
    const PI: f64 = std::f64::consts::PI;
    let any = Facts::any(ty);
    let x = args[0].re;
    let y = args.get(1).map_or(x, |f| f.re);
    // Of complex results only what is componentwise.
    if ty.is_complex() {
        let (u, v) = (args[0], *args.get(1).unwrap_or(&args[0]));
        return if op == Op::Neg {
            Facts { re: u.re.neg(), im: u.im.neg() }
        } else if op == Op::Conj {
            Facts { re: u.re, im: u.im.neg() }
        } else if op == Op::Complex {
            Facts { re: x, im: y }
        } else if op == Op::Add {
            // A real operand has the imaginary part +0, which may change the sign of a zero only.
            Facts { re: u.re.add(v.re), im: Range { minus_zero: true, ..u.im.add(v.im) } }
        } else if op == Op::Sub {
            Facts { re: u.re.add(v.re.neg()), im: Range { minus_zero: true, ..u.im.add(v.im.neg()) } }
        } else if op == Op::StopGradient || op == Op::ToC {
            u
        } else if op == Op::Select {
            v.join(&args[2])
        } else if op == Op::Cis && !args[0].is_complex() {
            Facts { re: x.wave(), im: x.wave() }
        } else {
            any
        };
    }
    let operand_is_complex = args[0].is_complex();
    let range = match op {
        // Integers: within their bounds, or an error at run time.
        Op::Neg => x.neg(),
        Op::Add => x.add(y),
        Op::Sub => x.add(y.neg()),
        Op::Mul => x.mul(y),
        Op::Div => x.div(y),
        Op::Recip => x.recip(),
        Op::Square => x.square(),
        // The product is not rounded before the sum: bounds are those of the rounded one, up to rounding.
        Op::Fma => {
            let sum = x.mul(y).add(args[2].re).widened();
            Range { integer: false, zero: true, minus_zero: true, ..sum }
        }
        Op::Sqrt => x.sqrt(),
        Op::Exp => Range { zero: x.lo < -700.0, minus_zero: false, ..x.increasing(f64::exp, 0.0, f64::INFINITY) },
        Op::Exp2 => Range { zero: x.lo < -1000.0, minus_zero: false, ..x.increasing(f64::exp2, 0.0, f64::INFINITY) },
        Op::Expm1 => x.odd(f64::exp_m1, -1.0, f64::INFINITY),
        Op::Log => x.logarithm(f64::ln, 0.0),
        Op::Log2 => x.logarithm(f64::log2, 0.0),
        Op::Log10 => x.logarithm(f64::log10, 0.0),
        Op::Log1p => x.logarithm(f64::ln_1p, -1.0),
        Op::Cbrt => x.odd(f64::cbrt, f64::NEG_INFINITY, f64::INFINITY),
        Op::Sin | Op::Cos => x.wave(),
        Op::Asin | Op::Atan => Range::between(-PI / 2.0, PI / 2.0, x.nan || (op == Op::Asin && x.magnitude() > 1.0)).widened(),
        Op::Acos => Range::between(0.0, PI, x.nan || x.magnitude() > 1.0).widened(),
        Op::Sinh => x.odd(f64::sinh, f64::NEG_INFINITY, f64::INFINITY),
        Op::Cosh => Range { zero: false, ..Range::between(1.0 - SLACK, f64::INFINITY, x.nan) },
        Op::Tanh => x.odd(f64::tanh, -1.0 - SLACK, 1.0 + SLACK),
        Op::Asinh => x.odd(asinh, f64::NEG_INFINITY, f64::INFINITY),
        Op::Acosh => Range::between(0.0, f64::INFINITY, x.nan || x.lo < 1.0),
        Op::Atanh => Range { nan: x.nan || x.magnitude() > 1.0, ..Range::ANY },
        Op::Sinc => Range::between(-0.3, 1.0 + SLACK, true),
        Op::J0 | Op::J1 | Op::Jn => Range::between(-1.0, 1.0, true).widened(),
        Op::Sigmoid => Range { zero: x.lo < -700.0, minus_zero: false, ..Range::between(0.0, 1.0 + SLACK, x.nan) },
        Op::Softplus => Range { zero: x.lo < -700.0, minus_zero: false, ..Range::between(0.0, f64::INFINITY, x.nan) },
        Op::LogSigmoid => Range { nan: x.nan, hi: 0.0, ..Range::ANY },
        Op::Erf => Range::between(-1.0 - SLACK, 1.0 + SLACK, x.nan),
        Op::Erfc => Range::between(0.0, 2.0 + SLACK, x.nan),
        Op::Sech2 => Range { minus_zero: false, ..Range::between(0.0, 1.0 + SLACK, x.nan) },
        Op::DSigmoid => Range { minus_zero: false, ..Range::between(0.0, 0.25 + SLACK, x.nan) },
        Op::Hypot => Range { minus_zero: false, zero: x.may_be_zero() && y.may_be_zero(), ..Range::between(0.0, f64::INFINITY, x.nan || y.nan) },
        Op::Atan2 => Range::between(-PI, PI, x.nan || y.nan).widened(),
        Op::Arg => Range::between(-PI, PI, true).widened(),
        Op::Copysign => { let m = x.magnitude(); Range { integer: x.integer, zero: x.may_be_zero(), ..Range::between(-m, m, x.nan) } }
        // The sign of zeros of different signs is the machine's.
        Op::Min => Range { lo: x.lo.min(y.lo), hi: x.hi.min(y.hi), ..x.join(&y) },
        Op::Max => Range { lo: x.lo.max(y.lo), hi: x.hi.max(y.hi), ..x.join(&y) },
        Op::Clamp => { let z = args[2].re; x.join(&y).join(&z) }
        Op::Floor => x.rounded(f64::floor),
        Op::Ceil => x.rounded(f64::ceil),
        Op::Round => x.rounded(f64::round_ties_even),
        Op::Trunc => x.rounded(f64::trunc),
        Op::Abs if operand_is_complex => Range { minus_zero: false, ..Range::between(0.0, f64::INFINITY, true) },
        Op::Abs => x.abs(),
        Op::Abs2 if operand_is_complex => x.square().add(args[0].im.square()),
        Op::Abs2 => x.square(),
        Op::Sign => Range { integer: true, zero: x.may_be_zero(), minus_zero: x.may_be_minus_zero(), ..Range::between(if x.lo < 0.0 { -1.0 } else { 0.0 }, if x.hi > 0.0 { 1.0 } else { 0.0 }, x.nan) },
        Op::Conj | Op::Re | Op::StopGradient => x,
        Op::Im => args[0].im,
        Op::ToF64 | Op::ToF32 => x,
        Op::ToI64 => Range { nan: false, minus_zero: false, ..x.rounded(f64::trunc) },
        Op::Select => return args[1].join(&args[2]),
        Op::Powi if ty == Scalar::I64 => any.re,
        Op::Powi if y.lo == y.hi && y.lo % 2.0 == 0.0 => Range { minus_zero: false, ..Range::between(0.0, f64::INFINITY, true) },
        Op::Powi | Op::Pow if x.plus() => Range { minus_zero: false, ..Range::between(0.0, f64::INFINITY, true) },
        Op::Powi | Op::Pow => Range::ANY,
        Op::Idiv | Op::Mod => any.re,
        ops!(Elementary) | ops!(ElementaryInt) => Range::ANY,
        Op::ToC | Op::Cis | Op::Complex => any.re,
        ops!(Test) | Op::And | Op::Or | Op::Not => any.re,
    };
    let mut range = range;
    if ty == Scalar::I64 {
        // Bounds of integers are doubles: those near 2⁶³ may be rounded.
        range = Range { nan: false, minus_zero: false, integer: true, ..range.widened() };
    }
    if range.lo.is_nan() || range.hi.is_nan() || range.lo > range.hi {
        return any;
    }
    Facts::real(range)
}

/// Where the library's function overflows, too.
fn asinh(x: f64) -> f64 {
    if x.is_finite() && x.abs() > 1e100 {
        (x.abs().ln() + std::f64::consts::LN_2).copysign(x)
    } else {
        x.asinh()
    }
}
