//! The coordinates of sampled points: a low-discrepancy sequence, so that few points fill a domain evenly.
//!
//! The Owen-scrambled Sobol sequence of Burley, *Practical Hash-based Owen Scrambling* (JCGT 9(4), 2020): of the first 2ᵏ
//! points, each interval of length 2⁻ᵏ has one in every coordinate. It is seeded, and its values depend on point,
//! coordinate and seed only. Coordinates beyond its dimensions, as in large arrays, and values that had to be drawn again
//! come from hashed streams.

use crate::random::{Purpose, Stream};
use adc_ir::{Elementary, Op};
use adc_jit::RuntimeMath;

/// How many coordinates of a point the sequence has.
const DIMENSIONS: usize = sobol_burley::NUM_DIMENSIONS as usize;
/// How many points it has.
const POINTS: usize = 1 << 16;
/// The sequence consists of multiples of 2⁻²³.
const GRID_BITS: u32 = 23;
const ULP: f64 = 1.0 / (1u64 << 53) as f64;

/// Uniform numbers for one value, one after the other.
pub(crate) struct Uniforms {
    /// Point, coordinate and seed of the next one.
    sobol: Option<[u32; 3]>,
    stream: Stream,
}

impl Uniforms {
    /// The coordinates from `first` on of the point number `draw`; those of `stream` beyond the sequence.
    pub(crate) fn quasi(seed: u64, draw: usize, first: usize, stream: Stream) -> Uniforms {
        let known = draw < POINTS && first < DIMENSIONS;
        // Each seed selects one of independent sequences.
        let name = || Stream::new(seed, Purpose::Point, [0, 0, 0]).next() as u32;
        Uniforms { sobol: known.then(|| [draw as u32, first as u32, name()]), stream }
    }

    /// Numbers of a stream.
    pub(crate) fn hashed(stream: Stream) -> Uniforms {
        Uniforms { sobol: None, stream }
    }

    /// On [0, 1): a multiple of 2⁻⁵³.
    pub(crate) fn uniform(&mut self) -> f64 {
        match &mut self.sobol {
            Some([draw, coordinate, seed]) if (*coordinate as usize) < DIMENSIONS => {
                let u = f64::from(sobol_burley::sample(*draw, *coordinate, *seed));
                *coordinate += 1;
                // Within a cell of the sequence's grid, the stream gives the number.
                u + self.stream.below(1 << (53 - GRID_BITS)) as f64 * ULP
            }
            _ => self.stream.uniform(),
        }
    }

    /// On 0..n, n > 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        match self.sobol {
            // Exact, however large n is.
            None => self.stream.below(n),
            Some(_) => ((self.uniform() * n as f64) as u64).min(n - 1),
        }
    }

    /// Normal with mean 0 and standard deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        // The middle of the number's cell: neither 0 nor 1.
        quantile(self.uniform() + 0.5 * ULP)
    }

    /// A complex number whose parts are independent and [`Self::normal`] (Box–Muller).
    pub(crate) fn normal_pair(&mut self) -> (f64, f64) {
        let (a, b) = (1.0 - self.uniform(), std::f64::consts::TAU * self.uniform());
        let r = (-2.0 * RuntimeMath.real(Op::Log, &[a])).sqrt();
        (r * RuntimeMath.real(Op::Cos, &[b]), r * RuntimeMath.real(Op::Sin, &[b]))
    }
}

/// The quantile of the standard normal distribution, 0 < p < 1, to 1e-9 relative: Acklam's rational approximations (2003).
fn quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    /// Below this the tail's approximation holds.
    const TAIL: f64 = 0.02425;
    let horner = |c: &[f64], x: f64| c.iter().fold(0.0, |sum, c| sum * x + c);
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    if p < TAIL {
        let q = (-2.0 * RuntimeMath.real(Op::Log, &[p])).sqrt();
        return horner(&C, q) / horner(&D, q);
    }
    let q = p - 0.5;
    let r = q * q;
    horner(&A, r) * q / horner(&B, r)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniforms(draw: usize, first: usize, seed: u64) -> Uniforms {
        Uniforms::quasi(seed, draw, first, Stream::new(seed, Purpose::Point, [draw as u64, first as u64, 0]))
    }

    #[test]
    fn every_interval_has_its_point() {
        for (seed, coordinate) in [(1, 0), (1, 1), (1, 7), (2, 0), (3, DIMENSIONS - 1)] {
            for k in [1, 2, 4, 6] {
                let n = 1usize << k;
                let mut cells: Vec<usize> =
                    (0..n).map(|i| (uniforms(i, coordinate, seed).uniform() * n as f64) as usize).collect();
                cells.sort_unstable();
                assert_eq!(cells, (0..n).collect::<Vec<_>>(), "seed {seed}, coordinate {coordinate}");
            }
        }
        // In two coordinates: every box of the elementary intervals.
        for wide in 0..=4 {
            let (m, n) = (1usize << wide, 16usize >> wide);
            let cell = |i: usize| {
                let mut u = uniforms(i, 0, 1);
                ((u.uniform() * m as f64) as usize, (u.uniform() * n as f64) as usize)
            };
            let mut cells: Vec<_> = (0..16).map(cell).collect();
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), 16, "{m} × {n}");
        }
    }

    #[test]
    fn numbers_depend_on_point_coordinate_and_seed() {
        let first = |draw, coordinate, seed| uniforms(draw, coordinate, seed).uniform();
        assert_eq!(first(3, 2, 1), first(3, 2, 1));
        for other in [first(4, 2, 1), first(3, 3, 1), first(3, 2, 2)] {
            assert_ne!(first(3, 2, 1), other);
        }
        // Beyond the sequence numbers are still uniform.
        for (draw, coordinate) in [(POINTS, 0), (0, DIMENSIONS), (usize::MAX, usize::MAX)] {
            let u = first(draw, coordinate, 1);
            assert!((0.0..1.0).contains(&u));
        }
    }

    #[test]
    fn quantiles() {
        // Φ(x) by erfc, at the quantile.
        for k in 1..2000 {
            for p in [k as f64 / 2000.0, (k as f64 / 2000.0).powi(4)] {
                let x = quantile(p);
                let back = 0.5 * RuntimeMath.real(Op::Erfc, &[-x / 2f64.sqrt()]);
                assert!(
                    (back - p).abs() <= 2e-8 * p.min(1.0 - p).max(1e-12) * (1.0 + x * x),
                    "{p}: {x} {back}"
                );
            }
        }
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!(quantile(0.25), -quantile(0.75));
    }

    #[test]
    fn integers() {
        let mut seen = [0; 4];
        (0..64).for_each(|i| seen[uniforms(i, 0, 1).below(4) as usize] += 1);
        assert_eq!(seen, [16; 4]);
    }
}
