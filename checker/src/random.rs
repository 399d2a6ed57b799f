//! The random numbers of directions, cotangents and large points: a fixed algorithm, the same on every machine and in every
//! version.
//!
//! SplitMix64 (Steele, Lea, Flood 2014). A stream is named by its seed and a list of numbers (its purpose, the point, the
//! parameter, the attempt), each mixed into the state. So a value depends on its name only, not on the order of drawing or
//! on other parameters.

use adc_ir::{Const, Datum, Elementary, Op};
use adc_jit::RuntimeMath;

/// The purpose of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Point = 1,
    Cotangent = 2,
    Direction = 3,
    Rounding = 4,
    Probe = 5,
    Weights = 6,
    Name = 7,
    Special = 8,
    Search = 9,
}

/// The number of a point, which selects its random directions, cotangents and perturbations. It depends on the arguments
/// only, to the last bit, so that a point gives the same numbers whatever its origin.
pub(crate) fn number_of(inputs: &[Datum]) -> u64 {
    let mut s = Stream::new(0, Purpose::Name, [inputs.len() as u64, 0, 0]);
    for c in inputs.iter().flat_map(Datum::elements) {
        let z = c.to_c128();
        // An integer is hashed itself: as a double, large ones would be equal.
        let parts = match c {
            Const::I64(n) => [n as u64, 0],
            _ => [z.re.to_bits(), z.im.to_bits()],
        };
        for part in parts {
            s.0 = s.next() ^ part.wrapping_mul(MIX);
        }
    }
    s.next()
}

const MIX: u64 = 0xd6e8_feb8_6659_fd93;

/// Rounding, in units of the last place.
const ULPS: [f64; 6] = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0];

/// The same by random byte.
static ULPS_OF: [f64; 256] = {
    let (mut all, mut k) = ([0.0; 256], 0);
    while k < 256 {
        all[k] = ULPS[k % ULPS.len()];
        k += 1;
    }
    all
};

/// A stream of random numbers.
pub(crate) struct Stream(u64);

impl Stream {
    pub(crate) fn new(seed: u64, purpose: Purpose, name: [u64; 3]) -> Stream {
        let mut s = Stream(seed);
        for n in [purpose as u64].into_iter().chain(name) {
            s.0 = s.next() ^ n.wrapping_mul(MIX);
        }
        s
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1): a multiple of 2⁻⁵³.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform on 0..n, n > 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((self.next() as u128 * n as u128) >> 64) as u64
    }

    /// ±1, ±2 or ±3: rounding, in units of the last place.
    pub(crate) fn ulps(&mut self) -> f64 {
        ULPS[self.below(6) as usize]
    }

    /// Eight of them, from the bytes of one number.
    pub(crate) fn eight_ulps(&mut self) -> impl Iterator<Item = f64> {
        self.next().to_le_bytes().into_iter().map(|byte| ULPS_OF[usize::from(byte)])
    }

    /// Normal with mean 0 and standard deviation 1 (Box–Muller, the runtime's functions).
    pub(crate) fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.uniform(), self.uniform());
        let r = (-2.0 * RuntimeMath.real(Op::Log, &[a])).sqrt();
        r * RuntimeMath.real(Op::Cos, &[std::f64::consts::TAU * b])
    }

    /// About normal with mean 0, more often small and large: the sum of four uniform numbers from −1 to 1, times ½, 1 or 2. A multiple
    /// of 2⁻¹⁶, so that sums of a few of them are exact; never 0, which would hide what it multiplies.
    pub(crate) fn short(&mut self) -> f64 {
        let n = self.next();
        let sum: i32 = [0, 16, 32, 48].map(|at| i32::from((n >> at) as i16)).iter().sum();
        f64::from(sum | 1) * ([1.0, 2.0, 2.0, 4.0][(n % 4) as usize] / (1u32 << 16) as f64)
    }

    /// A vector uniform on [0, 1)ⁿ, divided by its 2-norm: the directions of the classic fast check.
    pub(crate) fn unit_vector(&mut self, out: &mut [f64]) {
        loop {
            out.iter_mut().for_each(|u| *u = self.uniform());
            let norm = out.iter().map(|u| u * u).sum::<f64>().sqrt();
            if norm > 0.0 {
                out.iter_mut().for_each(|u| *u /= norm);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_and_apart() {
        let draw = |seed, point| Stream::new(seed, Purpose::Point, [point, 0, 0]).uniform();
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
        // The algorithm is part of what `--seed` promises.
        assert_eq!(Stream(0).next(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn points_have_numbers() {
        let number = |x: f64, n: i64| number_of(&[Datum::from(Const::F64(x)), Datum::from(Const::I64(n))]);
        assert_eq!(number(0.5, 1), number(0.5, 1));
        let others =
            [(0.5f64.next_up(), 1), (0.5, 2), (0.0, 1), (-0.0, 1), (0.5, i64::MAX), (0.5, i64::MAX - 1)];
        let mut all: Vec<u64> = others.iter().map(|(x, n)| number(*x, *n)).chain([number(0.5, 1)]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), others.len() + 1);
    }

    #[test]
    fn moments() {
        let mut s = Stream::new(1, Purpose::Point, [0, 0, 0]);
        let n = 20_000;
        let xs: Vec<f64> = (0..n).map(|_| s.normal()).collect();
        let mean = xs.iter().sum::<f64>() / n as f64;
        let variance = xs.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        let short: Vec<f64> = (0..n).map(|_| s.short()).collect();
        let mean = short.iter().sum::<f64>() / n as f64;
        let variance = short.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.05 && (1.8..2.4).contains(&variance), "{mean} {variance}");
        assert!(short.iter().all(|x| *x != 0.0 && (x * 65536.0).fract() == 0.0));
        let mut ulps = Vec::new();
        (0..n / 8).for_each(|_| ulps.extend(s.eight_ulps()));
        for x in ULPS {
            let part = ulps.iter().filter(|y| **y == x).count() as f64 / ulps.len() as f64;
            assert!((part - 1.0 / 6.0).abs() < 0.02, "{part} of {x}");
        }
        let mut u = [0.0; 7];
        s.unit_vector(&mut u);
        assert!((u.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15 && u.iter().all(|x| *x >= 0.0));
    }
}
