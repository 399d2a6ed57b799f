//! Complex functions: textbook formulas and, for the inverse functions, W. Kahan's, *Branch cuts for complex
//! elementary functions* (1987), whose signs of zeros choose the side of a cut.

use crate::big::{BITS, Big};
use crate::consts::*;
use num_complex::Complex;

/// A complex number over [`Big`]; it has the usual operators.
pub type CBig = Complex<Big>;

/// The complex number of two doubles.
pub fn cbig(re: f64, im: f64) -> CBig {
    Complex::new(Big::from(re), Big::from(im))
}

/// `x · z` componentwise.
pub fn scale(x: Big, z: CBig) -> CBig {
    Complex::new(x * z.re, x * z.im)
}

/// `i z`, exactly: no product with the zero real part.
fn times_i(z: CBig) -> CBig {
    Complex::new(-z.im, z.re)
}

/// `−i z`
fn over_i(z: CBig) -> CBig {
    Complex::new(z.im, -z.re)
}

/// `1 + z`, the imaginary part kept with the sign of its zero.
fn one_plus(z: CBig) -> CBig {
    Complex::new(Big::ONE + z.re, z.im)
}

/// `1 − z`, likewise.
fn one_minus(z: CBig) -> CBig {
    one_plus(-z)
}

/// `|z|`
pub fn abs(z: CBig) -> Big {
    z.re.hypot(z.im)
}

/// `arg z`, at zeros by their signs.
pub fn arg(z: CBig) -> Big {
    z.im.atan2(z.re)
}

/// `1 / z`
pub fn recip(z: CBig) -> CBig {
    let n = z.re.square() + z.im.square();
    Complex::new(z.re / n, -z.im / n)
}

/// `z^n` by repeated squaring; the reciprocal of that for negative `n`.
pub fn powi(z: CBig, n: i64) -> CBig {
    let (mut result, mut base, mut k) = (Complex::new(Big::ONE, Big::ZERO), z, n.unsigned_abs());
    while k > 0 {
        if k & 1 == 1 {
            result = result * base;
        }
        k >>= 1;
        if k > 0 {
            base = base * base;
        }
    }
    if n < 0 { recip(result) } else { result }
}

/// `a^b = exp(b log a)`; 1 for `b = 0`, 0 for `a = 0` and `Re b > 0`, NaN for other powers of 0.
pub fn pow(a: CBig, b: CBig) -> CBig {
    if b.re.is_zero() && b.im.is_zero() {
        return cbig(1.0, 0.0);
    }
    if a.re.is_zero() && a.im.is_zero() {
        let value = if b.re > Big::ZERO { Big::ZERO } else { Big::NAN };
        return Complex::new(value, value);
    }
    exp(b * log(a))
}

/// `z/|z|`, 0 at 0.
pub fn sign(z: CBig) -> CBig {
    if z.re.is_zero() && z.im.is_zero() {
        return z;
    }
    let r = abs(z);
    Complex::new(z.re / r, z.im / r)
}

/// `e^z`
pub fn exp(z: CBig) -> CBig {
    let (s, c) = z.im.sin_cos();
    scale(z.re.exp(), Complex::new(c, s))
}

/// `e^(iz)`
pub fn cis(z: CBig) -> CBig {
    exp(times_i(z))
}

/// `e^z − 1`
pub fn exp_m1(z: CBig) -> CBig {
    let (s, c) = z.im.sin_cos();
    let h = z.im.scale2(-1).sin().square().scale2(1);
    Complex::new(z.re.exp_m1() * c - h, z.re.exp() * s)
}

/// `2^z`
pub fn exp2(z: CBig) -> CBig {
    let (s, c) = (z.im * *LN2).sin_cos();
    scale(z.re.exp2(), Complex::new(c, s))
}

/// `log(e^a + e^b)`, principal branch.
pub fn logaddexp(a: CBig, b: CBig) -> CBig {
    let [a, b] = [a, b].map(|z| Complex::new(z.re, principal(z.im)));
    let (small, large) = if a.re < b.re { (a, b) } else { (b, a) };
    let sum = large + log_1p(exp(small - large));
    Complex::new(sum.re, principal(sum.im))
}

/// The angle as one of [−π, π].
fn principal(angle: Big) -> Big {
    // Such angles are principal; also −π, which is none of the sine's.
    if angle.abs() < Big::from(3.0) {
        return angle;
    }
    let (s, c) = angle.sin_cos();
    s.atan2(c)
}

/// The `n`-th derivative of `sin πz / πz` at `z`.
pub fn sinc_derivative(z: CBig, n: u64) -> CBig {
    let t = scale(*PI, z);
    let factor = PI.powi(n as i64);
    // Farther away the series cancels near the zeros, closer the sum does.
    if abs(t) < Big::from(1.max(2 * n as i64)) {
        return scale(factor, sinc_series(t, n));
    }
    // Leibniz, as of a real number.
    let small = sin_cos_pi(z);
    let waves = [small.0, small.1, -small.0, -small.1];
    let inverse = recip(t);
    let (mut sum, mut term) = (cbig(0.0, 0.0), inverse);
    for k in 0..=n {
        sum = sum + term * waves[((n - k) & 3) as usize];
        term = scale(-Big::from((n - k) as i64), term * inverse);
    }
    scale(factor, sum)
}

/// `(sin πz, cos πz)`
fn sin_cos_pi(z: CBig) -> (CBig, CBig) {
    let (s, c) = z.re.sin_cos_pi();
    let y = z.im * *PI;
    (Complex::new(s * y.cosh(), c * y.sinh()), Complex::new(c * y.cosh(), -(s * y.sinh())))
}

/// The `n`-th derivative of `sin t / t`: the powers of t in `Σ (−1)^k t^2k / (2k + 1)!`, differentiated.
fn sinc_series(t: CBig, n: u64) -> CBig {
    let first = n.div_ceil(2);
    let mut factor = if n.is_multiple_of(2) { cbig(1.0, 0.0) } else { t };
    let (square, mut sum) = (t * t, cbig(0.0, 0.0));
    for k in first.. {
        let term = Complex::new(factor.re.div_int(2 * k + 1), factor.im.div_int(2 * k + 1));
        sum = if k % 2 == 0 { sum + term } else { sum - term };
        let m = 2 * k - n;
        let next = factor * square;
        factor = Complex::new(next.re.div_int((m + 1) * (m + 2)), next.im.div_int((m + 1) * (m + 2)));
        if abs(factor).below(abs(sum).exponent().unwrap_or(0) - BITS - 8) {
            return sum;
        }
    }
    unreachable!("the loop is endless")
}

/// `log z`, principal branch.
pub fn log(z: CBig) -> CBig {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (x, y) = if x > y { (x, y) } else { (y, x) };
    let n = x.square() + y.square();
    let near_one = n > Big::exp2i(-1) && n < Big::exp2i(1);
    let twice = if near_one { ((x - Big::ONE) * (x + Big::ONE) + y.square()).ln_1p() } else { n.ln() };
    Complex::new(twice.scale2(-1), z.im.atan2(z.re))
}

/// `log z / ln 2`
pub fn log2(z: CBig) -> CBig {
    let l = log(z);
    Complex::new(l.re / *LN2, l.im / *LN2)
}

/// `log z / ln 10`
pub fn log10(z: CBig) -> CBig {
    let l = log(z);
    Complex::new(l.re / *LN10, l.im / *LN10)
}

/// `log(1 + z)`
pub fn log_1p(z: CBig) -> CBig {
    if !(z.re.below(-1) && z.im.below(-1)) {
        return log(one_plus(z));
    }
    let n = z.re * (z.re + Big::from(2.0)) + z.im.square();
    Complex::new(n.ln_1p().scale2(-1), z.im.atan2(Big::ONE + z.re))
}

/// `√z`, principal branch.
pub fn sqrt(z: CBig) -> CBig {
    if z.re.is_zero() && z.im.is_zero() {
        return Complex::new(Big::ZERO, z.im);
    }
    let t = ((z.re.abs() + abs(z)).scale2(-1)).sqrt();
    let other = z.im.abs() / t.scale2(1);
    if z.re.is_negative() {
        Complex::new(other, t.copysign(z.im))
    } else {
        Complex::new(t, other.copysign(z.im))
    }
}

/// `sin z`
pub fn sin(z: CBig) -> CBig {
    let (s, c) = z.re.sin_cos();
    Complex::new(s * z.im.cosh(), c * z.im.sinh())
}

/// `cos z`
pub fn cos(z: CBig) -> CBig {
    let (s, c) = z.re.sin_cos();
    Complex::new(c * z.im.cosh(), -(s * z.im.sinh()))
}

/// `tan z = (sin x cos x + i sinh y cosh y) / (cos² x + sinh² y)`
pub fn tan(z: CBig) -> CBig {
    let (s, c) = z.re.sin_cos();
    if !z.im.below(40) {
        return Complex::new(Big::ZERO.copysign(s * c), Big::ONE.copysign(z.im));
    }
    let (sh, ch) = (z.im.sinh(), z.im.cosh());
    let d = c.square() + sh.square();
    Complex::new(s * c / d, sh * ch / d)
}

/// `sinh z`
pub fn sinh(z: CBig) -> CBig {
    over_i(sin(times_i(z)))
}

/// `cosh z`
pub fn cosh(z: CBig) -> CBig {
    cos(times_i(z))
}

/// `tanh z`
pub fn tanh(z: CBig) -> CBig {
    over_i(tan(times_i(z)))
}

/// `arcsin z`
pub fn asin(z: CBig) -> CBig {
    let (p, m) = (sqrt(one_plus(z)), sqrt(one_minus(z)));
    Complex::new(z.re.atan2((m * p).re), (m.conj() * p).im.asinh())
}

/// `arccos z`
pub fn acos(z: CBig) -> CBig {
    let (p, m) = (sqrt(one_plus(z)), sqrt(one_minus(z)));
    Complex::new(m.re.atan2(p.re).scale2(1), (p.conj() * m).im.asinh())
}

/// `arcosh z`
pub fn acosh(z: CBig) -> CBig {
    let (p, m) = (sqrt(one_plus(z)), sqrt(Complex::new(z.re - Big::ONE, z.im)));
    Complex::new((m.conj() * p).re.asinh(), m.im.atan2(p.re).scale2(1))
}

/// `artanh z`: `¼ ln(1 + 4x/((1−x)² + y²)) + ½ i arg((1−x)(1+x) − y² + 2iy)`, odd in z.
pub fn atanh(z: CBig) -> CBig {
    let w = if z.re.is_negative() { -z } else { z };
    let (x, y) = (w.re, w.im);
    let near = Big::ONE - x;
    let re = (x.scale2(2) / (near.square() + y.square())).ln_1p().scale2(-2);
    let im = y.scale2(1).atan2(near * (Big::ONE + x) - y.square()).scale2(-1);
    let w = Complex::new(re, im);
    if z.re.is_negative() { -w } else { w }
}

/// `arctan z`
pub fn atan(z: CBig) -> CBig {
    over_i(atanh(times_i(z)))
}

/// `arsinh z`
pub fn asinh(z: CBig) -> CBig {
    over_i(asin(times_i(z)))
}

/// `1/cosh² z`
pub fn sech2(z: CBig) -> CBig {
    let c = cosh(z);
    recip(c * c)
}

/// `1/(1 + e^−z)`
pub fn sigmoid(z: CBig) -> CBig {
    recip(one_plus(exp(-z)))
}

/// The derivative of [`sigmoid`].
pub fn dsigmoid(z: CBig) -> CBig {
    let h = Complex::new(z.re.scale2(-1), z.im.scale2(-1));
    scale(Big::exp2i(-2), sech2(h))
}
