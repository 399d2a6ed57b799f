//! The error function and its complement.

use super::arith::Dd;
use super::constant::{self, PI, TWO_OVER_SQRT_PI};
use super::exp_log::{TINY, exp_parts, finite_exp};
use super::total::total;
use crate::real;

/// `2/√π ∫_0^x e^(-t²) dt`
pub fn erf(x: Dd) -> Dd {
    total(x, real::erf, |x| {
        let size = x.abs();
        if size.hi < TINY {
            return x * TWO_OVER_SQRT_PI;
        }
        let value = if size.hi < 1.0 { series(size) } else { Dd::ONE - positive_erfc(size) };
        value.copysign(x)
    })
}

/// `1 - erf x`, without cancellation for large `x`.
pub fn erfc(x: Dd) -> Dd {
    total(x, real::erfc, |x| match x.hi {
        hi if hi >= 0.0 => positive_erfc(x),
        hi if hi > -1.0 => Dd::ONE + series(-x),
        _ => Dd::of(2.0) - positive_erfc(-x),
    })
}

/// `2x/√π e^(-x²) Σ_k (2x²)^k / (1 · 3 · 5 … (2k + 1))` for `0 < x < 1`: all terms are positive.
fn series(x: Dd) -> Dd {
    const TERMS: usize = 32;
    /// 1 / (2k + 1)
    static INVERSES: [Dd; TERMS] = {
        let (mut table, mut k) = ([Dd::ONE; TERMS], 1);
        while k < TERMS {
            table[k] = constant::inverse((2 * k + 1) as f64);
            k += 1;
        }
        table
    };
    let u = x.square().twice();
    let sum = INVERSES[1..].iter().rev().fold(Dd::ZERO, |sum, c| (Dd::ONE.quick_add(sum)) * u * *c);
    x * TWO_OVER_SQRT_PI * finite_exp(-x.square()) * Dd::ONE.quick_add(sum)
}

/// Step of the rule: e^(-π²/h²) is 10⁻³³. The squares of its nodes are doubles.
const STEP: f64 = 23.0 / 64.0;
const NODES: usize = 25;

/// The square of node `(n + ½) h`, and e to its negative.
static RULE: [(f64, Dd); NODES] = {
    let (mut table, mut n) = ([(0.0, Dd::ONE); NODES], 0);
    while n < NODES {
        let node = (n as f64 + 0.5) * STEP;
        table[n] = (node * node, constant::exp(-node * node));
        n += 1;
    }
    table
};

/// For `x >= 0` the midpoint rule for `e^(-x²) x/π ∫ e^(-t²) / (x² + t²) dt` and the residue of its pole:
/// `2hx/π e^(-x²) Σ_n e^(-t_n²) / (x² + t_n²) + 2 / (1 + e^(2πx/h))`, all terms positive (Hunter & Regan, *A note on the
/// evaluation of the complementary error function*, Math. Comp. 26, 1972).
fn positive_erfc(x: Dd) -> Dd {
    if x.hi > 100.0 {
        return Dd::ZERO;
    }
    let square = x.square();
    let (m, k) = exp_parts(-square);
    // The smallest terms first.
    let sum = RULE.iter().rev().fold(Dd::ZERO, |sum, (s, e)| sum + *e / square.plus(*s));
    let integral = (sum * m * x * (Dd::of(2.0 * STEP) / PI)).ldexp(k);
    if x.hi > 9.0 {
        return integral;
    }
    let pole = Dd::of(2.0) / (Dd::ONE + finite_exp(x.scaled(2.0) * (PI.over(STEP))));
    pole + integral
}
