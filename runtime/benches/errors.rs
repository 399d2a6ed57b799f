//! The largest error of each function over lanes against its double-double form, in units in the last place of that, and where it is.
//! Points are drawn from a seed: a third evenly from where the function is used, a third by size around that, a third of all numbers that
//! it is defined for and whose results are neither constant nor infinite.
//! `cargo bench -p adc-runtime --bench errors -- 100000000 NAME` for so many points of each function whose name contains NAME.

use adc_runtime::dd::{self, Cdd, Dd};
use adc_runtime::real;
use std::time::Instant;

/// A function of one number, or of two.
enum Function {
    One(fn(f64) -> f64, fn(Dd) -> Dd),
    Two(fn(f64, f64) -> f64, fn(Dd, Dd) -> Dd),
}
use Function::{One, Two};

/// A name, the function, where it is used, and where its results are neither constant nor infinite.
struct Row(&'static str, Function, [f64; 2], [f64; 2]);

const MAX: f64 = f64::MAX;
const ALL: [f64; 2] = [-MAX, MAX];
const POSITIVE: [f64; 2] = [0.0, MAX];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row("exp",         One(real::exp,         dd::exp),         [-10.0, 10.0],  [-745.2, 709.7]),
    Row("exp2",        One(real::exp2,        dd::exp2),        [-10.0, 10.0],  [-1075.0, 1023.9]),
    Row("expm1",       One(real::expm1,       dd::expm1),       [-1.0, 1.0],    [-38.0, 709.7]),
    Row("log",         One(real::log,         dd::log),         [0.1, 10.0],    POSITIVE),
    Row("log2",        One(real::log2,        dd::log2),        [0.1, 10.0],    POSITIVE),
    Row("log10",       One(real::log10,       dd::log10),       [0.1, 10.0],    POSITIVE),
    Row("log1p",       One(real::log1p,       dd::log1p),       [-0.9, 5.0],    [-1.0, MAX]),
    Row("pow",         Two(real::pow,         dd::pow),         [0.1, 10.0],    POSITIVE),
    Row("sin",         One(real::sin,         dd::sin),         [-10.0, 10.0],  ALL),
    Row("cos",         One(real::cos,         dd::cos),         [-10.0, 10.0],  ALL),
    Row("tan",         One(real::tan,         dd::tan),         [-10.0, 10.0],  ALL),
    Row("asin",        One(real::asin,        dd::asin),        [-1.0, 1.0],    [-1.0, 1.0]),
    Row("acos",        One(real::acos,        dd::acos),        [-1.0, 1.0],    [-1.0, 1.0]),
    Row("atan",        One(real::atan,        dd::atan),        [-5.0, 5.0],    ALL),
    Row("atan2",       Two(real::atan2,       dd::atan2),       [-5.0, 5.0],    ALL),
    Row("hypot",       Two(real::hypot,       dd::hypot),       [-5.0, 5.0],    ALL),
    // Of complex numbers.
    Row("re exp",      Two(exp_re,            dd_exp_re),       [-10.0, 10.0],  [-745.2, 709.7]),
    Row("im exp",      Two(exp_im,            dd_exp_im),       [-10.0, 10.0],  [-745.2, 709.7]),
    Row("sinh",        One(real::sinh,        dd::sinh),        [-5.0, 5.0],    [-710.4, 710.4]),
    Row("cosh",        One(real::cosh,        dd::cosh),        [-5.0, 5.0],    [-710.4, 710.4]),
    Row("tanh",        One(real::tanh,        dd::tanh),        [-3.0, 3.0],    [-20.0, 20.0]),
    Row("sech2",       One(real::sech2,       dd::sech2),       [-3.0, 3.0],    [-373.0, 373.0]),
    Row("sigmoid",     One(real::sigmoid,     dd::sigmoid),     [-10.0, 10.0],  [-745.2, 40.0]),
    Row("dsigmoid",    One(real::dsigmoid,    dd::dsigmoid),    [-10.0, 10.0],  [-745.2, 745.2]),
    Row("softplus",    One(real::softplus,    dd::softplus),    [-10.0, 10.0],  [-745.2, 800.0]),
    Row("log_sigmoid", One(real::log_sigmoid, dd::log_sigmoid), [-10.0, 10.0],  [-800.0, 745.2]),
    // Of numbers that cannot cancel.
    Row("logaddexp",   Two(real::logaddexp,   dd::logaddexp),   [0.0, 10.0],    [0.0, 745.2]),
];

fn exp_re(x: f64, y: f64) -> f64 {
    real::cexp(x, y).first
}

fn exp_im(x: f64, y: f64) -> f64 {
    real::cexp(x, y).second
}

fn dd_exp_re(x: Dd, y: Dd) -> Dd {
    dd::complex::exp(Cdd::new(x, y)).re
}

fn dd_exp_im(x: Dd, y: Dd) -> Dd {
    dd::complex::exp(Cdd::new(x, y)).im
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of a kind between two others.
    fn point(&mut self, kind: u64, [from, to]: [f64; 2], [least, most]: [f64; 2]) -> f64 {
        loop {
            let x = match kind {
                0 => from + self.unit() * (to - from),
                1 => {
                    let size = (self.unit() * 70.0 - 60.0).exp2();
                    if self.bits() & 1 == 0 { size } else { -size }
                }
                _ => f64::from_bits(self.bits()),
            };
            if least <= x && x <= most {
                return x;
            }
        }
    }
}

/// How far a number is from the true one, in units in the last place of that.
fn ulps(y: f64, truth: Dd) -> f64 {
    if y == truth.hi && truth.lo == 0.0 {
        return 0.0;
    }
    if !truth.hi.is_finite() || !y.is_finite() {
        return if y == truth.hi || (y.is_nan() && truth.hi.is_nan()) { 0.0 } else { f64::INFINITY };
    }
    let exponent = (truth.hi.abs().to_bits() >> 52).max(1);
    // Results that are no normal numbers have no low part: half a unit may be missing there.
    let ulp = match exponent {
        1..=52 => f64::from_bits(1 << (exponent - 1)),
        _ => f64::from_bits((exponent - 52) << 52),
    };
    ((y - truth.hi) - truth.lo).abs() / ulp
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let count = words.iter().find_map(|w| w.parse().ok()).unwrap_or(1_000_000u64);
    let names: Vec<&String> = words.iter().filter(|w| w.parse::<u64>().is_err()).collect();
    println!("{:12}{:>12}{:>20}{:>8}{:>10}  at", "", "points", "between", "ulps", "ns each");
    for Row(name, f, used, defined) in ROWS {
        if !names.is_empty() && !names.iter().any(|n| name.contains(n.as_str())) {
            continue;
        }
        let mut random = Random(name.bytes().fold(0, |n, b| 31 * n + u64::from(b)));
        let start = Instant::now();
        let (mut worst, mut at) = (0.0, String::new());
        for k in 0..count {
            let x = random.point(k % 3, *used, *defined);
            let (error, y) = match f {
                One(f, truth) => (ulps(f(x), truth(Dd::of(x))), None),
                Two(f, truth) => {
                    // Powers and sums of exponentials that are normal numbers.
                    let y = match *name {
                        "pow" => (random.unit() - 0.5) * 1400.0 / x.ln().abs().max(1e-3),
                        _ => random.point(k / 3 % 2, *used, *defined),
                    };
                    (ulps(f(x, y), truth(Dd::of(x), Dd::of(y))), Some(y))
                }
            };
            if error > worst {
                worst = error;
                at = y.map_or_else(|| format!("{x:e}"), |y| format!("{x:e}, {y:e}"));
            }
        }
        let ns = start.elapsed().as_secs_f64() * 1e9 / count as f64;
        let [from, to] = *defined;
        let between = format!("{from:.4e} {to:.4e}");
        println!("{name:12}{count:>12}{between:>24}{worst:>8.3}{ns:>10.0}  {at}");
    }
}
