//! Bessel functions of integer order, of the first and the second kind: those of order 0 and 1 by the approximations of FreeBSD's
//! msun, with sine and cosine of `x - π/4` from the difference itself; the others by way of `libm`, which is msun.
//!
//! Absolute errors are a few ε of the amplitude √(2/πx), also beside the zeros. Beyond the order 1 they grow with it, slowly.
//!
//! msun: Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunSoft, a Sun Microsystems, Inc. business.
//! Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.

use crate::lanes::{self, Lanes, Scalar, poly};
use crate::real::dispatch::scalar;
#[cfg(target_arch = "x86_64")]
use crate::real::dispatch::{FUSED, Ordering, detect};
use std::f64::consts::FRAC_2_PI;

/// Larger orders, which no derivative that anybody takes needs, are NaN: the recurrences take a step for each order.
pub(crate) const MAX_ORDER: u64 = 1000;

scalar! {
    /// `J₀(x)`
    j0(x) -> f64 = bessel_j0(x);
    /// `J₁(x)`
    j1(x) -> f64 = bessel_j1(x);
    /// `Y₀(x)`; −∞ at ±0, NaN below.
    y0(x) -> f64 = bessel_y0(x);
    /// `Y₁(x)`; −∞ at ±0, NaN below.
    y1(x) -> f64 = bessel_y1(x);
}

/// From here on the functions are waves; below they are quotients of polynomials of x², and a logarithm.
const WAVES: f64 = 2.0;
/// Where it ends that arguments are reduced by a multiple of π/4 in three doubles.
const REACH: f64 = 536_870_912.0;

#[inline(always)]
fn bessel_j0(x: f64) -> f64 {
    let a = x.abs();
    if a < WAVES {
        return j0_below(a);
    }
    if a < REACH { wave(&ZERO, a, -0.125, |p, q, sin, cos| p * cos - q * sin) } else { far(libm::j0, x) }
}

#[inline(always)]
fn j0_below(a: f64) -> f64 {
    let l = &mut Scalar;
    let z = a * a;
    let (above, below) = (poly!(l, z, J0_ABOVE: 0 1 2 3), poly!(l, z, J0_BELOW: 0 1 2 3 4));
    (0.5 * a + 1.0) * (1.0 - 0.5 * a) + z * (z * above / below)
}

#[inline(always)]
fn bessel_j1(x: f64) -> f64 {
    let a = x.abs();
    if a < WAVES {
        return j1_below(x);
    }
    if a < REACH {
        return 1f64.copysign(x) * wave(&ONE, a, 0.375, |p, q, sin, cos| p * sin + q * cos);
    }
    far(libm::j1, x)
}

#[inline(always)]
fn j1_below(x: f64) -> f64 {
    let l = &mut Scalar;
    let z = x * x;
    let (above, below) = (poly!(l, z, J1_ABOVE: 0 1 2 3), poly!(l, z, J1_BELOW: 0 1 2 3 4 5));
    (0.5 + z * above / below) * x
}

#[inline(always)]
fn bessel_y0(x: f64) -> f64 {
    if (WAVES..REACH).contains(&x) {
        return wave(&ZERO, x, -0.125, |p, q, sin, cos| p * sin + q * cos);
    }
    if x > 0.0 && x < WAVES {
        let l = &mut Scalar;
        let z = x * x;
        let (above, below) = (poly!(l, z, Y0_ABOVE: 0 1 2 3 4 5 6), poly!(l, z, Y0_BELOW: 0 1 2 3 4));
        return above / below + FRAC_2_PI * (j0_below(x) * lanes::log(l, x));
    }
    if x == 0.0 { f64::NEG_INFINITY } else { far(libm::y0, x) }
}

/// Below here `Y₁(x)` is `-2 / πx`.
const TINY: f64 = 5.551115123125783e-17;

#[inline(always)]
fn bessel_y1(x: f64) -> f64 {
    if (WAVES..REACH).contains(&x) {
        return wave(&ONE, x, 0.375, |p, q, sin, cos| q * sin - p * cos);
    }
    if x > TINY && x < WAVES {
        let l = &mut Scalar;
        let z = x * x;
        let (above, below) = (poly!(l, z, Y1_ABOVE: 0 1 2 3 4), poly!(l, z, Y1_BELOW: 0 1 2 3 4 5));
        return x * (above / below) + FRAC_2_PI * (j1_below(x) * lanes::log(l, x) - 1.0 / x);
    }
    if x == 0.0 { f64::NEG_INFINITY } else { far(libm::y1, x) }
}

#[cold]
#[inline(never)]
fn far(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

/// `√(2/πx) f(p, q, sin(x - π/4), cos(x - π/4))` with the modulus and phase in rectangular form, `q = (leading + …) / x`.
#[inline(always)]
fn wave(table: &[Amplitudes; 4], x: f64, leading: f64, f: impl FnOnce(f64, f64, f64, f64) -> f64) -> f64 {
    let l = &mut Scalar;
    // By 1 / x: to 1/8, 0.22, 0.35, 1/2.
    let t = &table
        [usize::from(x < 8.0) + usize::from(x < 4.545454025268555) + usize::from(x < 2.8571414947509766)];
    let inverse = 1.0 / x;
    let z = inverse * inverse;
    let (p, p_below) = (poly!(l, z, (t.p_above): 0 1 2 3 4 5), poly!(l, z, (t.p_below): 0 1 2 3 4 5));
    let (q, q_below) = (poly!(l, z, (t.q_above): 0 1 2 3 4 5), poly!(l, z, (t.q_below): 0 1 2 3 4 5 6));
    // One division for both quotients.
    let both = 1.0 / (p_below * q_below);
    let p = (p * q_below).mul_add(both, 1.0);
    let q = (q * p_below).mul_add(both, leading) * inverse;
    let (sin, cos) = lanes::sincos_less_eighth(l, x);
    (FRAC_2_PI * inverse).sqrt() * f(p, q, sin, cos)
}

/// Numerators and denominators of p - 1 and of q x less its first term, in powers of 1/x².
struct Amplitudes {
    p_above: [f64; 6],
    p_below: [f64; 6],
    q_above: [f64; 6],
    q_below: [f64; 7],
}

/// `Jₙ(x)` for |n| ≤ 1000, else NaN. `J₋ₙ = (−1)ⁿ Jₙ`.
pub fn jn(n: i64, x: f64) -> f64 {
    match order(n) {
        Some(n) => libm::jn(n, x),
        None => f64::NAN,
    }
}

/// `Yₙ(x)` for |n| ≤ 1000, else NaN; infinite at ±0, NaN below. `Y₋ₙ = (−1)ⁿ Yₙ`.
pub fn yn(n: i64, x: f64) -> f64 {
    match order(n) {
        Some(n) if x == 0.0 => f64::NEG_INFINITY * if n < 0 && n % 2 != 0 { -1.0 } else { 1.0 },
        Some(n) => libm::yn(n, x),
        None => f64::NAN,
    }
}

fn order(n: i64) -> Option<i32> {
    i32::try_from(n).ok().filter(|_| n.unsigned_abs() <= MAX_ORDER)
}

const J0_ABOVE: [f64; 4] =
    [0.015624999999999995, -0.00018997929423885472, 1.8295404953270067e-06, -4.618326885321032e-09];
const J0_BELOW: [f64; 5] =
    [1.0, 0.015619102946489001, 0.00011692678466333745, 5.135465502073181e-07, 1.1661400333379e-09];
const Y0_ABOVE: [f64; 7] = [
    -0.07380429510868723,
    0.17666645250918112,
    -0.01381856719455969,
    0.00034745343209368365,
    -3.8140705372436416e-06,
    1.9559013703502292e-08,
    -3.982051941321034e-11,
];
const Y0_BELOW: [f64; 5] =
    [1.0, 0.01273048348341237, 7.600686273503533e-05, 2.591508518404578e-07, 4.4111031133267547e-10];
const J1_ABOVE: [f64; 4] = [-0.0625, 0.001407056669551897, -1.599556310840356e-05, 4.9672799960958445e-08];
const J1_BELOW: [f64; 6] = [
    1.0,
    0.019153759953836346,
    0.00018594678558863092,
    1.1771846404262368e-06,
    5.0463625707621704e-09,
    1.2354227442613791e-11,
];
const Y1_ABOVE: [f64; 5] = [
    -0.19605709064623894,
    0.05044387166398113,
    -0.0019125689587576355,
    2.352526005616105e-05,
    -9.190991580398789e-08,
];
const Y1_BELOW: [f64; 6] = [
    1.0,
    0.01991673182366499,
    0.00020255258102513517,
    1.3560880109751623e-06,
    6.227414523646215e-09,
    1.6655924620799208e-11,
];

#[rustfmt::skip]
static ZERO: [Amplitudes; 4] = [
    Amplitudes {
        p_above: [0.0, -0.07031249999999004, -8.081670412753498, -257.06310567970485, -2485.216410094288, -5253.043804907295],
        p_below: [1.0, 116.53436461966818, 3833.7447536412183, 40597.857264847255, 116752.97256437592, 47627.728414673096],
        q_above: [0.0, 0.0732421874999935, 11.76820646822527, 557.6733802564019, 8859.197207564686, 37014.62677768878],
        q_below: [1.0, 163.77602689568982, 8098.344946564498, 142538.29141912048, 803309.2571195144, 840501.5798190605, -343899.2935378666],
    },
    Amplitudes {
        p_above: [-1.141254646918945e-11, -0.07031249408735993, -4.159610644705878, -67.67476522651673, -331.23129964917297, -346.4333883656049],
        p_below: [1.0, 60.753938269230034, 1051.2523059570458, 5978.970943338558, 9625.445143577745, 2406.058159229391],
        q_above: [1.8408596359451553e-11, 0.07324217666126848, 5.8356350896205695, 135.11157728644983, 1027.243765961641, 1989.9778586460538],
        q_below: [1.0, 82.77661022365378, 2077.81416421393, 18847.28877857181, 56751.11228949473, 35976.75384251145, -5354.342756019448],
    },
    Amplitudes {
        p_above: [-2.547046017719519e-09, -0.07031196163814817, -2.409032215495296, -21.96597747348831, -58.07917047017376, -31.44794705948885],
        p_below: [1.0, 35.85603380552097, 361.51398305030386, 1193.6078379211153, 1127.9967985690741, 173.58093081333575],
        q_above: [4.377410140897386e-09, 0.07324111800429114, 3.344231375161707, 42.621844074541265, 170.8080913405656, 166.73394869665117],
        q_below: [1.0, 48.75887297245872, 709.689221056606, 3704.1482262011136, 6460.425167525689, 2516.3336892036896, -149.2474518361564],
    },
    Amplitudes {
        p_above: [-8.875343330325264e-08, -0.07030309954836247, -1.4507384678095299, -7.635696138235278, -11.193166886035675, -3.2336457935133534],
        p_below: [1.0, 22.22029975320888, 136.2067942182152, 270.4702786580835, 153.87539420832033, 14.65761769482562],
        q_above: [1.5044444488698327e-07, 0.07322342659630793, 1.99819174093816, 14.495602934788574, 31.666231750478154, 16.252707571092927],
        q_below: [1.0, 30.36558483552192, 269.34811860804984, 844.7837575953201, 882.9358451124886, 212.66638851179883, -5.3109549388266695],
    },
];

#[rustfmt::skip]
static ONE: [Amplitudes; 4] = [
    Amplitudes {
        p_above: [0.0, 0.11718749999998865, 13.239480659307358, 412.05185430737856, 3874.7453891396053, 7914.479540318917],
        p_below: [1.0, 114.20737037567841, 3650.9308342085346, 36956.206026903346, 97602.79359349508, 30804.27206278888],
        q_above: [0.0, -0.10253906249999271, -16.271753454459, -759.6017225139501, -11849.806670242959, -48438.512428575035],
        q_below: [1.0, 161.3953697007229, 7825.385999233485, 133875.33628724958, 719657.7236832409, 666601.2326177764, -294490.26430383464],
    },
    Amplitudes {
        p_above: [1.3199051955624352e-11, 0.1171874931906141, 6.802751278684329, 108.30818299018911, 517.6361395331998, 528.7152013633375],
        p_below: [1.0, 59.28059872211313, 991.4014187336144, 5353.26695291488, 7844.690317495512, 1504.0468881036106],
        q_above: [-2.089799311417641e-11, -0.10253905024137543, -8.05644828123936, -183.66960747488838, -1373.1937606550816, -2612.4444045321566],
        q_below: [1.0, 81.27655013843358, 1991.7987346048596, 17468.48519249089, 49851.42709103523, 27948.075163891812, -4719.183547951285],
    },
    Amplitudes {
        p_above: [3.025039161373736e-09, 0.11718686556725359, 3.9329775003331564, 35.11940355916369, 91.05501107507813, 48.55906851973649],
        p_below: [1.0, 34.79130950012515, 336.76245874782575, 1046.8713997577513, 890.8113463982564, 103.78793243963928],
        q_above: [-5.078312264617666e-09, -0.10253782982083709, -4.610115811394734, -57.847221656278364, -228.2445407376317, -219.21012847890933],
        q_below: [1.0, 47.66515503237295, 673.8651126766997, 3380.1528667952634, 5547.729097207228, 1903.119193388108, -135.20119144430734],
    },
    Amplitudes {
        p_above: [1.0771083010687374e-07, 0.11717621946268335, 2.368514966676088, 12.242610914826123, 17.693971127168773, 5.073523125888185],
        p_below: [1.0, 21.43648593638214, 125.29022716840275, 232.2764690571628, 117.6793732871471, 8.364638933716183],
        q_above: [-1.7838172751095887e-07, -0.10251704260798555, -2.7522056827818746, -19.663616264370372, -42.32531333728305, -21.371921170370406],
        q_below: [1.0, 29.533362906052385, 252.98154998219053, 757.5028348686454, 739.3932053204672, 155.94900333666612, -4.959498988226282],
    },
];
