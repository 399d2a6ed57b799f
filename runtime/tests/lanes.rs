//! The functions written over lanes, against 384-bit arithmetic at random points of their whole range, and at
//! the bounds between the cases of their programs. Errors are in units in the last place of the true value.

use adc_precise::Big;
use adc_runtime::real;

struct Row {
    name: &'static str,
    f: fn(f64) -> f64,
    truth: fn(Big) -> Big,
    /// Where the result is neither constant nor infinite.
    range: [f64; 2],
    /// In units in the last place.
    bound: f64,
}

const fn row(
    name: &'static str,
    f: fn(f64) -> f64,
    truth: fn(Big) -> Big,
    range: [f64; 2],
    bound: f64,
) -> Row {
    Row { name, f, truth, range, bound }
}

const ALL: [f64; 2] = [-f64::MAX, f64::MAX];
const POSITIVE: [f64; 2] = [5e-324, f64::MAX];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("exp",         real::exp,         |x| x.exp(),             [-745.2, 709.79], 1.0),
    row("exp2",        real::exp2,        |x| x.exp2(),            [-1075.0, 1024.0], 1.0),
    row("expm1",       real::expm1,       |x| x.exp_m1(),          [-38.0, 709.79],  2.0),
    row("log",         real::log,         |x| x.ln(),              POSITIVE,         1.0),
    row("log2",        real::log2,        |x| x.log2(),            POSITIVE,         2.0),
    row("log10",       real::log10,       |x| x.log10(),           POSITIVE,         2.0),
    row("log1p",       real::log1p,       |x| x.ln_1p(),           [-1.0, f64::MAX], 2.0),
    row("sin",         real::sin,         |x| x.sin(),             ALL,              2.0),
    row("cos",         real::cos,         |x| x.cos(),             ALL,              2.0),
    row("tan",         real::tan,         |x| x.tan(),             ALL,              2.0),
    row("asin",        real::asin,        |x| x.asin(),            [-1.0, 1.0],      1.0),
    row("acos",        real::acos,        |x| x.acos(),            [-1.0, 1.0],      1.0),
    row("atan",        real::atan,        |x| x.atan(),            ALL,              1.0),
    row("sinh",        real::sinh,        |x| x.sinh(),            [-710.5, 710.5],  2.0),
    row("cosh",        real::cosh,        |x| x.cosh(),            [-710.5, 710.5],  2.0),
    row("tanh",        real::tanh,        |x| x.tanh(),            [-20.0, 20.0],    2.0),
    row("sech2",       real::sech2,       |x| x.sech2(),           [-373.0, 373.0],  2.0),
    row("sigmoid",     real::sigmoid,     |x| x.sigmoid(),         [-745.2, 40.0],   2.0),
    row("dsigmoid",    real::dsigmoid,    |x| x.dsigmoid(),        [-745.2, 745.2],  2.0),
    row("softplus",    real::softplus,    |x| x.softplus(),        [-745.2, 800.0],  2.0),
    row("log_sigmoid", real::log_sigmoid, |x| -(-x).softplus(),    [-800.0, 745.2],  2.0),
];

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Both signs of where programs change their way, and the numbers beside them.
pub fn edges() -> Vec<f64> {
    let mut points = Vec::new();
    for x in [
        0.0,
        5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        2f64.powi(-54),
        2f64.powi(-27),
        0.5 * std::f64::consts::LN_2,
        0.75,
        1.5,
        40.0,
        380.0,
        708.0,
        1021.0,
        700.0,
        1_073_741_824.0,
        1e22,
        // Closest to a multiple of π/2 of all doubles.
        6381956970095103.0 * 2f64.powi(797),
        5_261_692_873_635_770.0 * 2f64.powi(499),
    ] {
        for x in [x, -x] {
            points.extend([x, f64::from_bits(x.to_bits() + 1), f64::from_bits(x.to_bits().wrapping_sub(1))]);
        }
    }
    points.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
    points
}

/// The functions of one number.
#[cfg(target_arch = "x86_64")]
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Points of every size, and points on both sides of where programs change their way.
fn points(row: &Row, count: usize) -> Vec<f64> {
    let mut random = Random(row.name.len() as u64);
    let [lo, hi] = row.range;
    let mut points = Vec::new();
    for _ in 0..count {
        // Uniform; by exponent over the whole range; by exponent around 1; around 1 itself; few digits beside it.
        let x = lo.max(-800.0) + random.unit() * (hi.min(800.0) - lo.max(-800.0));
        points.push(x);
        points.push(f64::from_bits(random.bits()));
        let sign = if random.bits() & 1 == 1 { -1.0 } else { 1.0 };
        points.push(sign * (random.unit() * 80.0 - 60.0).exp2());
        points.push((random.unit() - 0.5).exp2());
        points.push(sign * random.unit() * 2.0);
        points.push(1.0 + sign * (-60.0 * random.unit()).exp2());
        // Beside the zeros of circular functions.
        let n = (random.bits() >> (34 + random.bits() % 30)) as f64;
        let zero = n * std::f64::consts::FRAC_PI_2;
        points.push(f64::from_bits(zero.to_bits().wrapping_add(random.bits() % 5).wrapping_sub(2)));
    }
    points.extend(edges());
    points.retain(|x| lo <= *x && *x <= hi);
    points
}

/// `|got - truth|` in units in the last place of `truth` as a double.
fn error(got: f64, truth: Big) -> f64 {
    let near = truth.to_f64().abs();
    if near.is_infinite() || got.is_infinite() {
        // Half a unit beyond the largest number is the bound of overflow.
        let largest = f64::MAX + 0.0;
        let beside = (truth.abs() - Big::from(largest)).to_f64() / 2f64.powi(971);
        return if got == truth.to_f64() || (got.is_infinite() && beside.abs() <= 1.0) {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let exponent = ((near.to_bits() >> 52) as i32).max(1) - 1023 - 52;
    let difference = (Big::from(got) - truth).abs();
    difference.scale2(-(exponent as i64)).to_f64()
}

#[test]
fn errors_are_within_the_bounds_over_the_whole_range() {
    let count = adc_ir::testing::cases(250);
    let mut failures = Vec::new();
    for row in ROWS {
        let mut worst = (0.0, 0.0);
        let points = points(row, count);
        for x in &points {
            // The reference gives up beyond this.
            let truth = (row.truth)(Big::from(*x));
            if truth.is_nan() {
                continue;
            }
            let e = error((row.f)(*x), truth);
            if e > worst.0 || e.is_nan() {
                worst = (e, *x);
            }
        }
        println!("{:12}{:>8} points, {:.3} ulp at {:e}", row.name, points.len(), worst.0, worst.1);
        if worst.0 > row.bound || worst.0.is_nan() {
            failures.push(format!("{}: {:.3} ulp at {:e}, bound {}", row.name, worst.0, worst.1, row.bound));
        }
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn powers_are_within_a_unit() {
    let mut random = Random(1);
    let mut worst = (0.0, 0.0, 0.0);
    for i in 0..adc_ir::testing::cases(4000) {
        // Bases of every size; around 1; exponents for which the result is a number.
        let a = match i % 4 {
            0 => (random.unit() * 2000.0 - 1000.0).exp2(),
            1 => 1.0 + (random.unit() - 0.5) * (-40.0 * random.unit()).exp2(),
            2 => 0.7 + random.unit(),
            _ => random.unit() * 10.0,
        };
        let most = 740.0 / a.ln().abs();
        let b = match i % 3 {
            0 => (random.unit() - 0.5) * 2.0 * most.min(1e300),
            1 => (random.unit() - 0.5) * 8.0,
            _ => (random.bits() % 9) as f64 - 4.0,
        };
        let e = error(real::pow(a, b), Big::from(a).pow(Big::from(b)));
        if e > worst.0 || e.is_nan() {
            worst = (e, a, b);
        }
    }
    println!("pow: {:.3} ulp at {:e}, {:e}", worst.0, worst.1, worst.2);
    assert!(worst.0 <= 1.0, "pow: {:.3} ulp at {:e}, {:e}", worst.0, worst.1, worst.2);
}
