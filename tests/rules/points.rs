//! Where the rules are tested: random points of an op's domain, and the points that break naive formulas.

use crate::rules::verify::Point;
use adc_ir::{Const, Domain, Op, Scalar, Smoothness};
use num_complex::Complex64;
use std::f64::consts::{FRAC_PI_2, PI};

/// Random points for each op and choice of operand types.
const RANDOM: usize = 24;

/// A small deterministic generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Uniform on the interval.
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// 10 to a uniform power.
    fn decade(&mut self, lo: f64, hi: f64) -> f64 {
        10f64.powf(self.uniform(lo, hi))
    }

    fn sign(&mut self) -> f64 {
        if self.next() & 1 == 0 { 1.0 } else { -1.0 }
    }

    /// Any angle, modulus as [`Self::decade`].
    pub fn complex(&mut self, lo: f64, hi: f64) -> Complex64 {
        Complex64::from_polar(self.decade(lo, hi), self.uniform(-PI, PI))
    }
}

/// All points for an op on operands of these types.
pub fn points(op: Op, tys: &[Scalar], random: &mut Random) -> Vec<Point> {
    let integers: &[i64] = match op {
        Op::Powi => &[0, 1, 2, 3, -1, -2, 5, -7],
        Op::Polygamma | Op::DSinc | Op::Jn | Op::Yn => &[0, 1, 2, 4],
        _ => &[0],
    };
    let float = |t: &&Scalar| t.is_float();
    let floats = tys.iter().filter(float).count();
    let complex = tys.iter().any(|t| t.is_complex());
    let mut out = Vec::new();
    // Rounding to single precision may leave the domain, too.
    let mut keep = |numbers: &[Complex64], point: Point| {
        let stored = point.args.iter().filter(|c| c.scalar().is_float()).map(|c| c.to_c128());
        if numbers.len() == floats && valid(op, numbers, &stored.collect::<Vec<_>>(), complex) {
            out.push(point);
        }
    };
    for &n in integers {
        // The operands that are not integers or booleans, in order, from `numbers`.
        let fill = |numbers: &[Complex64], random: &mut Random| -> Vec<Const> {
            let mut rest = numbers.iter();
            let mut next = || *rest.next().expect("one for each float operand");
            let operand = |t: &Scalar| match t {
                Scalar::Bool => Const::Bool(random.sign() > 0.0),
                Scalar::I64 => Const::I64(n),
                Scalar::F32 | Scalar::F64 | Scalar::C64 | Scalar::C128 => Const::from_c128(next(), *t),
            };
            tys.iter().map(operand).collect()
        };
        for r in 0..RANDOM / integers.len().min(3) {
            let types = tys.iter().filter(float);
            let mut numbers: Vec<Complex64> =
                types.enumerate().map(|(k, t)| sample(op, k, *t, complex, r, random)).collect();
            if op == Op::Clamp && numbers[1].re > numbers[2].re {
                numbers.swap(1, 2);
            }
            keep(&numbers, Point::at(fill(&numbers, random)));
        }
        let special: Vec<Vec<Complex64>> = match floats {
            1 if complex => complex_special(op).into_iter().map(|z| vec![z]).collect(),
            1 => real_special(op).into_iter().map(|x| vec![x.into()]).collect(),
            _ => pair_special(op, complex),
        };
        for numbers in special {
            if n < 0 && numbers[0].norm() == 0.0 {
                continue;
            }
            keep(&numbers, Point::at(fill(&numbers, random)));
        }
        if tys[0].is_complex() {
            for z in on_cut(op) {
                let numbers = [vec![z], vec![Complex64::new(0.5, 0.25); floats - 1]].concat();
                keep(&numbers, Point::on_cut(fill(&numbers, random)));
            }
        }
    }
    out
}

/// Whether an op is smooth at the point `stored`, what is left of `numbers` in the operands' types.
fn valid(op: Op, numbers: &[Complex64], stored: &[Complex64], complex: bool) -> bool {
    let kept = |from: f64, to: f64| to.is_finite() && (from == 0.0) == (to == 0.0);
    if numbers.iter().zip(stored).any(|(a, b)| !kept(a.re, b.re) || !kept(a.im, b.im)) {
        return false;
    }
    let x = stored[stored.len() - 1].re;
    let smooth = match op.info().smooth {
        Smoothness::Jump(_) if stored.len() == 1 && !complex => x != 0.0 && (2.0 * x).fract() != 0.0,
        Smoothness::Kink(_) if stored.len() > 1 && !complex => stored[0] != stored[1],
        Smoothness::Jump(_)
        | Smoothness::Kink(_)
        | Smoothness::Linear
        | Smoothness::Smooth
        | Smoothness::Discrete => true,
    };
    let defined = complex
        || match op.info().domain {
            Domain::Open(lo, hi) => lo < x && x < hi,
            Domain::NotPole => x > 0.0 || x.fract() != 0.0,
            Domain::NonZero => x != 0.0,
            Domain::All | Domain::Special => true,
        };
    smooth && defined
}

/// Random point number `r` for float operand `k`.
fn sample(op: Op, k: usize, ty: Scalar, complex: bool, r: usize, random: &mut Random) -> Complex64 {
    if ty.is_complex() {
        return random.complex(-3.0, 1.2);
    }
    let wide = r.is_multiple_of(2);
    let x = match op.info().domain {
        Domain::Open(lo, hi) if lo == 0.0 && hi.is_infinite() && wide => random.decade(-6.0, 6.0),
        Domain::Open(lo, hi) => random.uniform(lo, hi.min(lo + 5.0)),
        Domain::Special if k == 0 && !complex && op == Op::Pow => random.decade(-3.0, 2.0),
        Domain::NotPole => random.uniform(-6.0, 12.0),
        // Further out erf differs from ±1 by less than the differences can tell.
        Domain::All if matches!(op, Op::Erf | Op::Erfc) => random.uniform(-6.0, 6.0),
        Domain::All | Domain::NonZero | Domain::Special if wide => random.sign() * random.decade(-5.0, 1.0),
        Domain::All | Domain::NonZero | Domain::Special => random.uniform(-3.0, 3.0),
    };
    x.into()
}

/// Ops whose derivatives are of ordinary size, or differ from their limits visibly, at magnitudes of 1e150 …
const LARGE: &[Op] = &[
    Op::Neg,
    Op::Recip,
    Op::Square,
    Op::Log,
    Op::Log2,
    Op::Log10,
    Op::Log1p,
    Op::Sqrt,
    Op::Cbrt,
    Op::Asinh,
    Op::Acosh,
    Op::Abs,
    Op::Abs2,
    Op::Sign,
    Op::Conj,
    Op::Re,
    Op::Im,
    Op::Arg,
];

/// … and which of them are not so at 1e-120.
const NOT_TINY: &[Op] = &[Op::Asinh, Op::Acosh];

/// Functions whose derivatives are told by a few more points.
const REAL_SPECIAL: &[(Op, &[f64])] = &[
    (Op::Exp, &[700.0, -700.0]),
    (Op::Expm1, &[700.0, -40.0]),
    (Op::Exp2, &[1000.0, -1000.0]),
    (Op::Sin, &[1e22, PI, -FRAC_PI_2]),
    (Op::Cos, &[1e22, PI, -FRAC_PI_2]),
    (Op::Tan, &[1e22, 1.5625, FRAC_PI_2, -1.4]),
    (Op::Sinh, &[700.0, -700.0]),
    (Op::Cosh, &[700.0, -700.0]),
    (Op::Tanh, &[18.0, -19.5]),
    (Op::Sech2, &[18.0, -19.5, 300.0]),
    (Op::Sigmoid, &[37.43, -37.43, -700.0]),
    (Op::DSigmoid, &[37.43, -37.43, -700.0, 700.0]),
    (Op::Softplus, &[37.43, -37.43, -700.0]),
    (Op::LogSigmoid, &[37.43, -37.43, 700.0]),
    (Op::Gamma, &[1.4616321449683623, 170.5, -20.25, 1e-100, -1e-100]),
    (Op::J0, &[2.404825557695773, -3.8317059702075123, 20.5, 1e5, 1e-30]),
    (Op::J1, &[3.8317059702075123, 1.8411837813406593, 20.5, -1e5, 1e-30]),
    (Op::Jn, &[5.135622301840683, 20.5, 1e5]),
    (Op::Y0, &[0.8935769662791675, 2.197141326031017, 20.5, 1e-150]),
    (Op::Y1, &[2.197141326031017, 3.6830228565851777, 20.5]),
    (Op::Yn, &[3.384241767149593, 20.5]),
    (Op::Erf, &[6.0, -6.0, 0.5]),
    (Op::Erfc, &[6.0, -6.0, 20.0, 0.5]),
    (Op::Lgamma, &[1.0, 2.0, 0.5, 1.4616321449683623, 171.6, 1e10]),
    (Op::Digamma, &[1.0, 2.0, 0.5, 1.4616321449683623, 171.6, 1e10]),
    (Op::Polygamma, &[1.0, 2.0, 0.5, 171.6]),
    (Op::Sinc, &[1.0, 2.0000001, -0.3, 0.01, 30.25]),
    (Op::DSinc, &[1.0, 2.0000001, -0.3, 0.01, 30.25]),
    (Op::Atan, &[1e9, -1.0]),
    (Op::Asinh, &[1e9, -1.0]),
    (Op::Cbrt, &[-27.0, -1e-9]),
    (Op::Floor, &[0.25, -7.25, 1e5 + 0.25]),
    (Op::Ceil, &[0.25, -7.25, 1e5 + 0.25]),
    (Op::Round, &[0.25, -7.25, 1e5 + 0.25]),
    (Op::Trunc, &[0.25, -7.25, 1e5 + 0.25]),
];

fn table<T: Copy>(table: &[(Op, &[T])], op: Op) -> Vec<T> {
    table.iter().filter(|row| row.0 == op).flat_map(|row| row.1.iter().copied()).collect()
}

/// Domain edges, tiny and large numbers, and the op's own.
fn real_special(op: Op) -> Vec<f64> {
    let info = op.info();
    let smooth = matches!(info.smooth, Smoothness::Smooth | Smoothness::Linear);
    let mut x: Vec<f64> = match info.domain {
        Domain::Open(0.0, _) => vec![1e-9, 1e-20, 1e-100, 1.0, 1.0 + 1e-9, 1e5],
        Domain::Open(1.0, _) => vec![1.0 + 1e-9, 1.0 + 1e-14, 2.0, 1e5],
        Domain::Open(-1.0, hi) if hi.is_infinite() => vec![-1.0 + 1e-9, 0.0, 1e-9, -1e-20, 1e5],
        Domain::Open(..) => vec![0.0, 1e-9, -1e-20, 1.0 - 1e-9, -1.0 + 1e-9, 0.999, 1.0 - 1e-14],
        Domain::NotPole => vec![1e-9, -1e-9, -0.5, -1.25, -1.0 + 1e-9, -30.3, 1e5],
        Domain::All | Domain::NonZero | Domain::Special if !smooth || info.domain == Domain::NonZero => {
            vec![1e-9, -1e-20, 4.0, -30.0]
        }
        Domain::All | Domain::NonZero | Domain::Special => vec![0.0, 1e-9, -1e-20, 4.0, -6.0],
    };
    x.extend(LARGE.contains(&op).then_some(1e150));
    x.extend((LARGE.contains(&op) && !NOT_TINY.contains(&op)).then_some(1e-120));
    x.extend(table(REAL_SPECIAL, op));
    x
}

/// Points of complex functions: beside the cuts, near singularities, where naive formulas overflow.
fn complex_special(op: Op) -> Vec<Complex64> {
    let mut z: Vec<Complex64> = [(1e-9, 2e-9), (-1e-9, 1e-20), (3.0, 4.0), (-0.7, 0.3), (0.0, 0.5)]
        .into_iter()
        .map(|(re, im)| Complex64::new(re, im))
        .collect();
    z.extend(on_cut(op).into_iter().map(|z| {
        let beside = |x: f64| if x == 0.0 { 1e-9f64.copysign(x) } else { x };
        Complex64::new(beside(z.re), beside(z.im))
    }));
    if LARGE.contains(&op) {
        z.extend([(1e150, -2e150), (1e5, 1e-5)].map(|(re, im)| Complex64::new(re, im)));
    }
    if LARGE.contains(&op) && !NOT_TINY.contains(&op) {
        z.push(Complex64::new(-3e-120, 1e-120));
    }
    let own: &[(f64, f64)] = match op {
        Op::Exp | Op::Expm1 | Op::Exp2 | Op::Cis => &[(-40.0, 1e3), (0.0, 0.0), (2.0, 1e5)],
        Op::Sin | Op::Cos | Op::Sinh | Op::Cosh => &[(0.0, 0.0), (20.0, 30.0), (-30.0, 40.0)],
        Op::Sinc | Op::DSinc => &[(0.0, 0.0), (1.0, 1e-9), (-3.0, 20.0), (1e-9, 0.3), (2.5, 1.0)],
        Op::Recip => &[(1e-80, 2e-80), (3e90, 1e90)],
        Op::Powi => &[(1e-20, 1e-20), (1e20, -1e20)],
        Op::Tan => &[(FRAC_PI_2, 1e-7), (1.0, 20.0), (0.5, -18.0)],
        Op::Tanh | Op::Sech2 => &[(1e-7, FRAC_PI_2), (20.0, 1.0), (-18.0, 0.5)],
        Op::Sigmoid | Op::DSigmoid => &[(1e-7, PI), (40.0, 1.0), (-300.0, 0.5)],
        Op::Asin | Op::Acos | Op::Atanh => &[(1.0, 1e-9), (-1.0 + 1e-9, 1e-9), (1e5, -3e5), (0.0, 0.0)],
        Op::Atan | Op::Asinh => &[(1e-9, 1.0), (1e-9, -1.0 + 1e-9), (0.0, 0.0)],
        Op::Acosh => &[(1.0, 1e-9), (-1.0 + 1e-9, 1e-9), (-0.7, -0.3)],
        Op::Log => &[(1.0, 1e-9), (0.6, 0.8), (-1.0, 1e-12)],
        Op::Log1p => &[(-1.0, 1e-9), (0.0, 0.0), (-1.0 - 1e-9, -1e-9)],
        Op::Arg => &[(5.6843e-14, 1e-13), (1.0, 0.0), (0.0, -2.0)],
        _ => &[],
    };
    z.extend(own.iter().map(|(re, im)| Complex64::new(*re, *im)));
    z
}

/// Points on the branch cut of (the first operand of) a complex function, from both sides.
fn on_cut(op: Op) -> Vec<Complex64> {
    let real = |xs: &[f64]| xs.iter().flat_map(|x| [(*x, 0.0), (*x, -0.0)]).collect::<Vec<_>>();
    let imaginary = |ys: &[f64]| ys.iter().flat_map(|y| [(0.0, *y), (-0.0, *y)]).collect::<Vec<_>>();
    let z = match op {
        Op::Log | Op::Log2 | Op::Log10 | Op::Sqrt | Op::Arg | Op::Pow => real(&[-1.5, -0.25]),
        Op::Log1p => real(&[-2.5]),
        Op::Asin | Op::Acos | Op::Atanh => real(&[-2.0, 1.5]),
        Op::Acosh => real(&[-2.0, 0.5]),
        Op::Atan | Op::Asinh => imaginary(&[-2.0, 1.5]),
        _ => Vec::new(),
    };
    z.into_iter().map(|(re, im)| Complex64::new(re, im)).collect()
}

/// Points of functions of two numbers.
fn pair_special(op: Op, complex: bool) -> Vec<Vec<Complex64>> {
    let pairs: &[(f64, f64)] = match op {
        Op::Pow if complex => &[(2.0, 0.5), (1.0, 3.0), (1e-9, 2.0)],
        Op::Pow => &[
            (1e-9, 2.5),
            (1.0, 3.0),
            (2.0, 0.0),
            (3.0, 1.0),
            (1e-100, 0.5),
            (1e5, -2.0),
            (0.999999, 1e5),
            (1e-20, 2.0),
            (1e150, 2.0),
            (1e-9, 4.5),
            (1e-200, 0.5),
            (1e200, 0.5),
            (1e-100, 3.0),
        ],
        Op::Hypot => &[(1e150, 1e149), (1e-150, -2e-150), (3.0, 4.0), (1.0, 1e-9), (0.0, 2.0), (1e5, 1e-5)],
        Op::Atan2 => &[(1e150, 1e149), (1e-100, -2e-100), (1e-9, 1.0), (1e-9, -1.0), (0.0, 2.0), (1.0, 0.0)],
        Op::Logaddexp if complex => &[(1.0, 1.0), (700.0, 699.0), (-3.0, 40.0)],
        Op::Logaddexp => &[(1.0, 1.0), (700.0, 699.0), (-45.0, 3.0), (-3.0, 40.0), (0.0, 0.0)],
        Op::Mod => &[(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1e5, 0.7)],
        Op::Copysign => &[(1.5, -2.0), (-1.5, 1e-9), (-3.0, 4.0)],
        Op::Min | Op::Max => &[(1.0, 1.0 + 1e-9), (-2.0, 3.0)],
        Op::Mul => &[(1e150, 1e-150), (0.0, 2.0), (0.0, 0.0)],
        Op::Div => &[(1.0, 1e-9), (0.0, 2.0), (1e100, 1e-50), (1e-80, 1e70)],
        Op::Add | Op::Sub => &[(1e5, 1e-5), (0.0, 0.0)],
        _ => &[],
    };
    pairs.iter().map(|(a, b)| vec![Complex64::from(*a), Complex64::from(*b)]).collect()
}
