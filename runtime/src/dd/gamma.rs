//! The gamma function, its logarithm, and the first derivative of that.

use super::arith::Dd;
use super::circular::sin_cos_pi;
use super::constant::{self, HALF_LN_2PI, LN_PI, PI, dd};
use super::exp_log::{exp_parts, finite_exp, finite_log1p, positive_log};
use super::total::total;
use crate::real;

/// `Γ(x)`. The logarithm in the exponent is below 750, so the error is that of 750 units.
pub fn gamma(x: Dd) -> Dd {
    total(x, real::gamma, |x| {
        if x.hi.abs() < 0.5 {
            // Γ(1 + x) = x Γ(x)
            return finite_exp(finite_lgamma(x.plus(1.0))) / x;
        }
        if x.hi > 0.0 {
            return finite_exp(finite_lgamma(x));
        }
        // Γ(x) Γ(1 − x) = π / sin πx, where Γ(1 − x) alone may overflow.
        let sine = sin_cos_pi(x).0;
        if sine.hi == 0.0 {
            return Dd::NAN;
        }
        let (m, k) = exp_parts(-finite_lgamma(-x.plus(-1.0)));
        (m * PI / sine).ldexp(k)
    })
}

/// `ln |Γ(x)|`. Where it is near 0 for negative `x` the error is relative to the terms that cancel there.
pub fn lgamma(x: Dd) -> Dd {
    total(x, real::lgamma, finite_lgamma)
}

fn finite_lgamma(x: Dd) -> Dd {
    if x.hi.abs() < 1e-33 {
        // Γ(x) = 1/x − γ + …
        return -positive_log(x.abs());
    }
    if x.hi < 0.0 {
        // Γ(x) Γ(1 − x) = π / sin πx
        let sine = sin_cos_pi(x).0.abs();
        return LN_PI - positive_log(sine) - finite_lgamma(-x.plus(-1.0));
    }
    if x.hi < 0.5 {
        // Γ(2 + x) = (1 + x) x Γ(x)
        return around_two(x) - finite_log1p(x) - positive_log(x);
    }
    if x.hi < 1.5 {
        let z = x.plus(-1.0);
        return around_two(z) - finite_log1p(z);
    }
    if x.hi < 2.5 {
        return around_two(x.plus(-2.0));
    }
    let (mut b, mut product) = (x, Dd::ONE);
    while b.hi < ASYMPTOTIC {
        product = product * b;
        b = b.plus(1.0);
    }
    let log = positive_log(b);
    let main = b.plus(-0.5) * log - b + HALF_LN_2PI;
    // A large b has no square, and no need of the rest.
    let value = if b.hi > 1e40 { main } else { main + stirling(b, &LGAMMA_TERMS) * b };
    if product == Dd::ONE { value } else { value - positive_log(product) }
}

/// The derivative of [`lgamma`]. Where it is near 0 the error is relative to the terms that cancel there.
pub fn digamma(x: Dd) -> Dd {
    total(x, real::digamma, finite_digamma)
}

pub(super) fn finite_digamma(x: Dd) -> Dd {
    if x.hi.abs() < 1e-100 {
        // The next term is −γ.
        return -x.recip();
    }
    if x.hi < 0.0 {
        // ψ(x) = ψ(1 − x) − π cot πx
        let (sin, cos) = sin_cos_pi(x);
        if sin.hi == 0.0 {
            return Dd::NAN;
        }
        return finite_digamma(-x.plus(-1.0)) - PI * cos / sin;
    }
    let (mut b, mut sum) = (x, Dd::ZERO);
    while b.hi < ASYMPTOTIC {
        sum = sum + b.recip();
        b = b.plus(1.0);
    }
    let log = positive_log(b);
    let tail = if b.hi > 1e40 { Dd::ZERO } else { stirling(b, &DIGAMMA_TERMS) };
    log - b.recip().half() - tail - sum
}

/// Where the terms of Stirling's series reach double-double precision.
const ASYMPTOTIC: f64 = 20.0;
/// How many Bernoulli numbers that takes.
pub(super) const TERMS: usize = 17;

/// The Bernoulli numbers B_2, B_4, … as fractions.
const BERNOULLI: [[f64; 2]; TERMS] = [
    [1.0, 6.0],
    [-1.0, 30.0],
    [1.0, 42.0],
    [-1.0, 30.0],
    [5.0, 66.0],
    [-691.0, 2730.0],
    [7.0, 6.0],
    [-3617.0, 510.0],
    [43867.0, 798.0],
    [-174611.0, 330.0],
    [854513.0, 138.0],
    [-236364091.0, 2730.0],
    [8553103.0, 6.0],
    [-23749461029.0, 870.0],
    [8615841276005.0, 14322.0],
    [-7709321041217.0, 510.0],
    [2577687858367.0, 6.0],
];

/// `B_2k` for k from 1 on.
pub(super) const fn bernoulli(k: usize) -> Dd {
    let [p, q] = BERNOULLI[k - 1];
    constant::div(Dd::of(p), q)
}

/// `B_2k / (2k (2k - 1))`
static LGAMMA_TERMS: [Dd; TERMS] = {
    let (mut table, mut k) = ([Dd::ZERO; TERMS], 1);
    while k <= TERMS {
        table[k - 1] = constant::div(bernoulli(k), (2 * k * (2 * k - 1)) as f64);
        k += 1;
    }
    table
};
/// `B_2k / 2k`
static DIGAMMA_TERMS: [Dd; TERMS] = {
    let (mut table, mut k) = ([Dd::ZERO; TERMS], 1);
    while k <= TERMS {
        table[k - 1] = constant::div(bernoulli(k), (2 * k) as f64);
        k += 1;
    }
    table
};

/// `Σ c_k b^(-2k)`
fn stirling(b: Dd, terms: &[Dd; TERMS]) -> Dd {
    let q = b.square().recip();
    terms.iter().rev().fold(Dd::ZERO, |sum, c| (sum + *c) * q)
}

/// `ln Γ(2 + z)` for `|z| <= ½`: `(1 - γ) z + Σ (-1)^k (ζ(k) - 1)/k z^k` (Abramowitz & Stegun 6.1.33), relatively accurate at
/// its zeros 0 and, the terms being what they are, for `ln Γ(1 + z)` after `ln(1 + z)` is taken away.
fn around_two(z: Dd) -> Dd {
    let x = z.hi;
    let tail = ZETA_TAIL.iter().rev().fold(0.0, |sum, c| (sum + c) * x);
    let sum = ZETA.iter().rev().fold(Dd::of(tail), |sum, c| (sum + *c) * z);
    const FIRST: Dd = dd(0.42278433509846713, 4.942915152430645e-18);
    (sum + FIRST) * z
}

/// `(-1)^k (ζ(k) - 1)/k` for k = 2, …, 27.
#[rustfmt::skip]
static ZETA: [Dd; 26] = [
    dd(0.3224670334241132, 1.520336175199238e-17), dd(-0.0673523010531981, 6.87667631175899e-18),
    dd(0.020580808427784546, 1.4629392512775695e-18), dd(-0.007385551028673986, 4.1051370891788617e-19),
    dd(0.0028905103307415234, -7.357950161901912e-20), dd(-0.001192753911703261, 4.1747852352514e-20),
    dd(0.0005096695247430425, -2.780354175057013e-20), dd(-0.00022315475845357939, 6.032078299350848e-21),
    dd(9.945751278180853e-05, 2.734261130690314e-21), dd(-4.492623673813314e-05, 3.4577848248512954e-22),
    dd(2.050721277567069e-05, 4.864174577619616e-22), dd(-9.439488275268397e-06, 8.111985879973243e-22),
    dd(4.374866789907488e-06, -3.7021851137962053e-22), dd(-2.039215753801366e-06, -4.70891370095011e-23),
    dd(9.55141213040742e-07, 4.798512617588967e-23), dd(-4.492469198764566e-07, 1.4219340578032317e-23),
    dd(2.1207184805554665e-07, 1.2243193613787666e-23), dd(-1.0043224823968099e-07, -5.246728062732248e-24),
    dd(4.7698101693639804e-08, 1.6747349659198183e-24), dd(-2.2711094608943164e-08, -1.406065812811299e-24),
    dd(1.0838659214896955e-08, -5.018242148804151e-25), dd(-5.183475041970047e-09, -1.0891302535635231e-26),
    dd(2.4836745438024785e-09, -1.5805048837932932e-25), dd(-1.1921401405860912e-09, -5.269861418993634e-26),
    dd(5.731367241678862e-10, -2.3810866578223724e-26), dd(-2.7595228851242334e-10, 2.107257883073299e-26),
];
/// The same for k from 28 on, where doubles are enough.
#[rustfmt::skip]
static ZETA_TAIL: [f64; 28] = [
    1.330476437424449e-10, -6.4229645638381e-11, 3.1044247747322276e-11, -1.5021384080754142e-11,
    7.275974480239079e-12, -3.527742476575915e-12, 1.711991790559618e-12, -8.315385841420285e-13,
    4.04220052528944e-13, -1.9664756310966165e-13, 9.573630387838556e-14, -4.6640760264283744e-14,
    2.2737369600659724e-14, -1.1091399470834522e-14, 5.413659156725363e-15, -2.643880017860995e-15,
    1.2918959062789966e-15, -6.315935504198448e-16, 3.089316266963393e-16, -1.5117930628108198e-16,
    7.40148685695232e-17, -3.625218048120654e-17, 1.7763568421861633e-17, -8.70763157479179e-18,
    4.270088559227004e-18, -2.0947604247944643e-18, 1.0279842823787928e-18, -5.046468294792953e-19,
];
