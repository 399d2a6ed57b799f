//! Rows and formulas that need more than a line.

use super::Partial::{D, Grad, Holo, Rank1, Zero};
use super::{Partial, Shape};
use crate::formula::Formula;
use crate::formula::notation::*;

/// The derivative where the value is NaN.
pub(super) const NAN: Formula = num(f64::NAN);

/// 1, but NaN where `y` is.
pub(super) fn where_defined(y: Formula) -> Formula {
    select(isnan(y), NAN, num(1.0))
}

/// The derivative of a Bessel function `f` of order n: `(fₙ₋₁ − fₙ₊₁)/2`.
pub(super) fn beside(f: fn(Formula, Formula) -> Formula, n: Formula, x: Formula) -> Formula {
    0.5 * (f(before(n.clone()), x.clone()) - f(after(n), x))
}

/// n − 1 that cannot overflow: a derivative must not fail where the function does not.
fn before(n: Formula) -> Formula {
    max(n, int(i64::MIN + 1)) - int(1)
}

/// n + 1, likewise.
pub(super) fn after(n: Formula) -> Formula {
    min(n, int(i64::MAX - 1)) + int(1)
}

/// `f·f`, each factor applied by itself.
pub(super) fn square_of(f: Formula) -> Formula {
    f.clone() * f
}

/// 1 − x² of a real x: (1−x)(1+x) is exact to the last digits near ±1, but its derivative cancels near 0,
/// where 1 − x² is as good and its derivative −2x exact.
pub(super) fn one_minus_square(x: Formula) -> Formula {
    let sq = square(x.clone());
    select(lt(sq.clone(), 0.25), 1.0 - sq, (1.0 - x.clone()) * (1.0 + x))
}

/// √(1 − x²) for the same reasons in two forms. The complex one, √(1−z)·√(1+z), has its cuts where the functions
/// that use it have them, the sign of a zero included, and does not overflow.
pub(super) fn sqrt_1m(x: Formula, complex: bool) -> Formula {
    if !complex {
        return sqrt(one_minus_square(x));
    }
    let small = lt(abs2(x.clone()), 0.25);
    sqrt(select(small.clone(), 1.0 - square(x.clone()), 1.0 - x.clone())) * select(small, 1.0, sqrt(1.0 + x))
}

/// acosh' = 1/(√(z−1)·√(z+1)) = ∓i/√(1−z²), the sign being that of Im z. The second form has a derivative that
/// does not cancel at 0.
pub(super) fn acosh_complex() -> Formula {
    -(I * (copysign(1.0, im(X)) * recip(sqrt_1m(X, true))))
}

/// xⁿ: n·xⁿ⁻¹; x⁰ has derivative 0, also at x = 0.
pub(super) fn powi(shape: Shape) -> Vec<Partial> {
    let f = real(B) * powi_(A, before(B));
    vec![Partial::mask(eq(B, int(0)), Zero, if shape.complex(0) { Holo(f) } else { D(f) }), Zero]
}

fn powi_(a: Formula, n: Formula) -> Formula {
    crate::formula::notation::powi(a, n)
}

/// aᵇ: ∂a = b·aᵇ⁻¹, 0 at a = b = 0 (0⁰ has derivative 0); ∂b = aᵇ·log a, 0 at a = 0 for Re b ≥ 0. The other
/// singular points come out of the formulas: at a = 0, ∂a is 0 for b > 1, 1 for b = 1, +∞ for 0 < b < 1 and −∞
/// for b < 0, where ∂b is −∞ too.
pub(super) fn pow(shape: Shape) -> Vec<Partial> {
    let analytic = |i: usize, f: Formula| if shape.complex(i) { Holo(f) } else { D(f) };
    let either_complex = shape.complex(0) || shape.complex(1);
    let re_b = if shape.complex(1) { re(B) } else { B };
    // A negative real base has a complex logarithm if the exponent is complex.
    let base = if shape.complex(1) && !shape.complex(0) { complex(A, 0.0) } else { A };
    let zero_base = eq(A, 0.0);
    // aᵇ⁻¹ is y/a, at the price of a division, unless y has lost digits to underflow or is not finite, or y/a² overflows: both
    // terms of the derivative of y/a do, then, and cancel to NaN.
    let size = if either_complex { max(abs(re(Y)), abs(im(Y))) } else { abs(Y) };
    let intact = and(gt(abs2(A), size.clone() * Formula::Smallest), ge(size, Formula::Smallest));
    let lower = either(intact, Y / A, crate::formula::notation::pow(A, B - 1.0));
    vec![
        Partial::mask(and(zero_base.clone(), eq(B, 0.0)), Zero, analytic(0, B * lower)),
        Partial::mask(and(zero_base, ge(re_b, 0.0)), Zero, analytic(1, Y * log(base))),
    ]
}

/// √(a²+b²): the unit vector (a, b)/y, which is 0 at 0. As the sign of a + i b its own derivative is exact where
/// that of a/y would cancel (b²/y³ for small b).
pub(super) fn hypot_row() -> Vec<Partial> {
    let unit = sign(complex(A, B));
    vec![D(re(unit.clone())), D(im(unit))]
}

/// arg(b + i a): (b, −a)/(a²+b²) without squares; 0 at 0.
pub(super) fn atan2() -> Vec<Partial> {
    let h = hypot(A, B);
    let at_0 = eq(h.clone(), 0.0);
    vec![
        Partial::mask(at_0.clone(), Zero, D(B / h.clone() / h.clone())),
        Partial::mask(at_0, Zero, D(-(A / h.clone() / h))),
    ]
}

/// |a| with the sign of b: +1 or −1 along a, 0 at the kink a = 0.
pub(super) fn copysign_row() -> Vec<Partial> {
    let turned = D(select(isnan(A), NAN, -1.0));
    vec![Partial::mask(eq(A, 0.0), Zero, Partial::mask(eq(Y, A), D(num(1.0)), turned)), Zero]
}

/// min and max; `loses(a, b)` says that `b` alone is the result. A tie is shared evenly. Beside NaN nothing is larger, smaller or
/// equal.
pub(super) fn min_max(loses: fn(Formula, Formula) -> Formula) -> Vec<Partial> {
    let one = |x: Formula, other: Formula| {
        let wins = loses(other.clone(), x.clone());
        let tied = eq(x.clone(), other.clone());
        Partial::mask(loses(x, other), Zero, Partial::mask(wins, D(num(1.0)), D(select(tied, 0.5, NAN))))
    };
    vec![one(A, B), one(B, A)]
}

/// min(max(x, lo), hi), ties shared evenly in each of the two: ½ at a bound. Beside NaN, NaN.
pub(super) fn clamp() -> Vec<Partial> {
    let (x, lo, hi) = (|| A, || B, || C);
    let numbers = || and(eq(x(), x()), and(eq(lo(), lo()), eq(hi(), hi())));
    let share = |whole: Formula, p: Partial| Partial::mask(whole, D(num(1.0)), p);
    let part = |of: f64| D(select(numbers(), of, NAN));
    vec![
        Partial::mask(
            and(numbers(), or(lt(x(), lo()), gt(x(), hi()))),
            Zero,
            share(and(lt(lo(), x()), lt(x(), hi())), Partial::mask(eq(lo(), hi()), part(0.25), part(0.5))),
        ),
        Partial::mask(
            and(numbers(), or(gt(x(), lo()), gt(lo(), hi()))),
            Zero,
            share(
                and(lt(x(), lo()), lt(lo(), hi())),
                Partial::mask(and(eq(x(), lo()), eq(lo(), hi())), part(0.25), part(0.5)),
            ),
        ),
        Partial::mask(
            and(lt(x(), hi()), lt(lo(), hi())),
            Zero,
            share(and(numbers(), or(gt(x(), hi()), gt(lo(), hi()))), part(0.5)),
        ),
    ]
}

/// z/|z| turns with its argument and does not move along itself: ẏ = i·y/|z| · Im(conj(y)·ż). The pair
/// W = 1/(2|z|), CW = −y²/(2|z|) says the same, but the radial part would cancel instead of being absent.
pub(super) fn sign_complex() -> Vec<Partial> {
    let r = abs(X);
    vec![Partial::mask(eq(r.clone(), 0.0), Zero, Rank1 { u: I * (Y / r), v: I * Y })]
}

/// arg z: 2·CW = i·z/|z|², as two quotients because |z|² underflows; 0 at 0.
pub(super) fn arg() -> Vec<Partial> {
    let r = abs(X);
    vec![Partial::mask(eq(r.clone(), 0.0), Zero, Grad(I * (X / r.clone() / r)))]
}
