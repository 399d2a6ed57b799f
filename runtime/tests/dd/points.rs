//! Points to test at.

use adc_runtime::dd::Dd;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn sign(&mut self) -> f64 {
        if self.bits() & 1 == 1 { -1.0 } else { 1.0 }
    }

    /// Any finite double.
    pub fn any(&mut self) -> f64 {
        loop {
            let x = f64::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }

    /// A double-double with that high part: nothing, half an ulp at most, or something small below it.
    pub fn below(&mut self, hi: f64) -> Dd {
        let half = 0.5 * hi.abs() * f64::EPSILON * (self.unit() - 0.5) * 0.999;
        match self.bits() % 4 {
            0 => Dd::of(hi),
            1 => Dd::new(hi, half * (-50.0 * self.unit()).exp2()),
            _ => Dd::new(hi, half),
        }
    }
}

/// Doubles where functions of doubles change their way, and those of double-doubles may.
pub const SPECIAL: &[f64] = &[
    5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    1e-290,
    1e-200,
    1e-100,
    1e-40,
    1e-34,
    1e-20,
    1.1102230246251565e-16,
    7.450580596923828e-9,
    0.00034,
    0.006,
    0.25,
    0.3465735902799726,
    0.5,
    0.7109375,
    0.75,
    FRAC_PI_4,
    1.0,
    1.421875,
    FRAC_PI_2,
    2.0,
    PI,
    TAU,
    10.0,
    40.0,
    60.0,
    355.0,
    372.5,
    700.0,
    709.782712893384,
    710.4758600739439,
    744.4400719213812,
    745.1332191019411,
    10000.0,
    1048576.5,
    1647099.3291652855,
    1e22,
    1e30,
    1e40,
    1e100,
    1e200,
    1e300,
    f64::MAX,
    // Closest to a multiple of π/2 of all doubles.
    4.830381648588665e+255,
];

/// Points for a function of a real number.
pub fn reals(random: &mut Random, count: usize) -> Vec<Dd> {
    let mut points = Vec::new();
    for _ in 0..count {
        let sign = random.sign();
        // By exponent; everyday sizes; around 1; around 0; beside multiples of π/2.
        let mut push = |hi: f64, random: &mut Random| points.push(random.below(hi));
        let x = random.any();
        push(x, random);
        let x = (random.unit() - 0.5) * 1600.0;
        push(x, random);
        let x = sign * (random.unit() * 80.0 - 60.0).exp2();
        push(x, random);
        let x = sign * random.unit() * 3.0;
        push(x, random);
        let x = sign * (1.0 + random.sign() * (-60.0 * random.unit()).exp2());
        push(x, random);
        let n = (random.bits() >> (1 + random.bits() % 63)) as f64;
        let zero = n * FRAC_PI_2;
        let x = f64::from_bits(zero.to_bits().wrapping_add(random.bits() % 3).wrapping_sub(1));
        push(x, random);
        // As close to a multiple as the multiple's next bits allow.
        let n = (random.bits() % 64) as f64;
        let multiple = n * FRAC_PI_2;
        let rest = n.mul_add(FRAC_PI_2, -multiple);
        points.push(Dd::new(multiple, n.mul_add(6.123233995736766e-17, rest)));
    }
    for x in SPECIAL {
        for x in [*x, -x] {
            let next = f64::from_bits(x.to_bits() + 1);
            let before = f64::from_bits(x.to_bits() - 1);
            for x in [x, next, before] {
                if x.is_finite() {
                    points.extend([Dd::of(x), random.below(x), random.below(x)]);
                }
            }
        }
    }
    points
}
