//! Operands to try.

use super::terms::Number;
use adc_ir::Scalar;
use adc_ir::testing::Rng;
use adc_simplify::rules::{Guard, Rule, Sort};

const REALS: [f64; 46] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    0.1,
    -0.7,
    3.3,
    -1.3,
    1e-3,
    -1e-3,
    1e-9,
    1e-20,
    -1e-20,
    7.5,
    -20.0,
    40.0,
    -40.0,
    710.0,
    -710.0,
    746.0,
    -746.0,
    1e5,
    -1e9,
    5e-324,
    -5e-324,
    2.3e-308,
    -3e-310,
    1e-200,
    -1e-200,
    1e-155,
    1e155,
    1e200,
    -1e200,
    1e300,
    8.9e307,
    -8.9e307,
    9e307,
    1.7e308,
    -1.7e308,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];
const PARTS: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.4,
    -2.5,
    3.0,
    10.0,
    -1e-20,
    1e-200,
    1e200,
    -1.7e308,
    720.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];
const INTS: [i64; 12] = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 7, 31, 1000];
/// Combinations of operands at most; more are drawn at random.
const MOST: usize = 3_000;

/// Combinations of operands of a rule, in the order of its letters.
pub fn points(rule: &Rule, ty: Scalar) -> impl Iterator<Item = Vec<Number>> + use<> {
    combinations(rule, ty, Vec::new(), MOST)
}

/// Combinations that satisfy all guards of a rule but one.
pub fn violating(rule: &Rule, guard: usize) -> impl Iterator<Item = Vec<Number>> + use<> {
    let wanted: Vec<(Guard, bool)> = rule.guards.iter().enumerate().map(|(i, g)| (*g, i != guard)).collect();
    combinations(rule, Scalar::F64, wanted, 100 * MOST)
}

fn combinations(
    rule: &Rule,
    ty: Scalar,
    wanted: Vec<(Guard, bool)>,
    most: usize,
) -> impl Iterator<Item = Vec<Number>> + use<> {
    let vars = rule.terms().0.vars();
    let mut rng = Rng::new(7);
    let mut pools: Vec<Vec<Number>> = vars.iter().map(|v| pool(Sort::of(*v), ty, &mut rng)).collect();
    for (v, pool) in vars.iter().zip(&mut pools) {
        pool.retain(|x| wanted.iter().all(|(g, truth)| g.operand() != *v || holds(*g, x) == *truth));
    }
    let all: usize = pools.iter().map(Vec::len).product();
    (0..all.min(most)).map(move |k| {
        let mut rest = k;
        let pick = |pool: &Vec<Number>| {
            let i = if all <= most { rest % pool.len() } else { rng.below(pool.len()) };
            rest /= pool.len();
            pool[i]
        };
        pools.iter().map(pick).collect()
    })
}

fn pool(sort: Sort, ty: Scalar, rng: &mut Rng) -> Vec<Number> {
    let rounded = |x: f64| if ty.is_single() { x as f32 as f64 } else { x };
    let mut some = |n: usize, lo: f64, hi: f64| -> Vec<f64> {
        (0..n).map(|_| rng.real(lo, hi).exp() * if rng.one_in(2) { 1.0 } else { -1.0 }).collect()
    };
    match sort {
        Sort::Real => {
            let drawn = [some(10, -3.0, 3.0), some(6, -300.0, 300.0)].concat();
            REALS.into_iter().chain(drawn).map(|x| Number::Real(rounded(x))).collect()
        }
        // Literals are finite.
        Sort::Literal => {
            let drawn = some(8, -3.0, 3.0);
            let reals = REALS.into_iter().filter(|x| x.is_finite());
            reals.chain(drawn).map(|x| Number::Real(rounded(x))).collect()
        }
        Sort::Complex => {
            let pair = |(re, im): (f64, f64)| Number::Complex(rounded(re), rounded(im));
            let special = PARTS.into_iter().flat_map(|re| PARTS.into_iter().map(move |im| (re, im)));
            let (re, im) = (some(20, -2.0, 2.0), some(20, -2.0, 2.0));
            special.chain(re.into_iter().zip(im)).map(pair).collect()
        }
        Sort::Integer => INTS.into_iter().map(Number::Int).collect(),
    }
}

/// Whether a guard is satisfied.
pub fn holds(guard: Guard, x: &Number) -> bool {
    let (re, im) = x.parts();
    match guard {
        Guard::Finite(_) => re.is_finite() && im.is_finite(),
        Guard::NonZero(_) => !(re == 0.0 && im == 0.0),
        Guard::NonNegative(_) => re.is_nan() || re >= 0.0,
        Guard::NotMinusZero(_) => !(re == 0.0 && re.is_sign_negative()),
        Guard::HalfRange(_) => re.is_nan() || re.abs() <= f64::MAX / 2.0,
        Guard::Moderate(_) => re.is_nan() || (2f64.powi(-500)..=2f64.powi(500)).contains(&re.abs()),
        Guard::AtLeastOne(_) => re.is_nan() || re.abs() >= 1.0,
        Guard::SmallPower(_) => (1.0..=1000.0).contains(&re),
        Guard::Strip(_) => re.is_finite() && im.is_finite() && im.abs() <= 3.0,
        Guard::RightHalf(_) => re.is_nan() || re > 0.0,
    }
}
