//! Numbers as one writes them: `1/3`, `√2/2`, `π/4`, `1/√(2π)`, `ln 2`.
//!
//! A double stands for such a number if it is the nearest one, or the next to it: constants are computed in several ways
//! (`1/sqrt(2)` is not `sqrt(0.5)`). So that none is found by chance, only numbers with many digits are looked at, and the
//! candidates are few: some thousands among the 4.5·10^15 doubles between a power of two and the next.

use crate::expr::{Expr, gcd};
use adc_ir::Op;
use std::f64::consts::PI;

/// Numbers that are written in fewer digits are what they are.
const DIGITS: usize = 14;
/// Denominators of rational numbers and of multiples of π,
const DENOMINATORS: u32 = 36;
/// and of what is below a root.
const ROOT_DENOMINATORS: u32 = 12;
/// The largest numerator.
const NUMERATORS: f64 = 400.0;

/// The expression of a positive number, if it is one of those.
pub(super) fn known(x: f64) -> Option<Expr> {
    let digits = x.to_string().chars().filter(char::is_ascii_digit).collect::<String>();
    let digits = digits.trim_start_matches('0').len();
    if digits < DIGITS || !(1e-6..1e6).contains(&x) {
        return None;
    }
    rational(x, DENOMINATORS)
        .map(|(p, q)| quotient(vec![Expr::int(p)], vec![Expr::int(q)]))
        .or_else(|| {
            let (p, q) =
                rational(x / PI, DENOMINATORS).filter(|(p, q)| near(x, *p as f64 * PI / *q as f64))?;
            Some(quotient(vec![Expr::int(p), Expr::Pi], vec![Expr::int(q)]))
        })
        .or_else(|| {
            let (p, q) =
                rational(x * PI, DENOMINATORS).filter(|(p, q)| near(x, *p as f64 / (*q as f64 * PI)))?;
            Some(quotient(vec![Expr::int(p)], vec![Expr::int(q), Expr::Pi]))
        })
        .or_else(|| {
            let (p, q) = rational(x * x, ROOT_DENOMINATORS)
                .filter(|(p, q)| near(x, (*p as f64 / *q as f64).sqrt()))?;
            Some(surd(p, q))
        })
        .or_else(|| {
            let (p, q) = rational(x * x / PI, ROOT_DENOMINATORS)
                .filter(|(p, q)| near(x, (*p as f64 * PI / *q as f64).sqrt()))?;
            let above = |p: i64| root(Expr::product([Expr::int(p), Expr::Pi]));
            Some(match whole_root(q) {
                Some(b) => quotient(vec![above(p)], vec![Expr::int(b)]),
                None => root(quotient(vec![Expr::int(p), Expr::Pi], vec![Expr::int(q)])),
            })
        })
        .or_else(|| {
            let (p, q) = rational(x * x * PI, ROOT_DENOMINATORS)
                .filter(|(p, q)| near(x, (*p as f64 / (*q as f64 * PI)).sqrt()))?;
            let below = root(Expr::product([Expr::int(q), Expr::Pi]));
            Some(match whole_root(p) {
                Some(a) => Expr::frac(Expr::int(a), below),
                None => root(quotient(vec![Expr::int(p)], vec![Expr::int(q), Expr::Pi])),
            })
        })
        .or_else(|| {
            let n = (2..=10).chain([100, 1000]).find(|n| near(x, (*n as f64).ln()))?;
            Some(Expr::Apply(Op::Log, vec![Expr::int(n)]))
        })
}

/// Whether two numbers are the same or neighbours.
fn near(x: f64, y: f64) -> bool {
    x.to_bits().abs_diff(y.to_bits()) <= 1
}

/// p/q in lowest terms, if it is about x.
fn rational(x: f64, denominators: u32) -> Option<(i64, i64)> {
    (1..=denominators).find_map(|q| {
        let p = (x * f64::from(q)).round();
        let close = |y: f64| x.to_bits().abs_diff(y.to_bits()) <= 4;
        ((1.0..=NUMERATORS).contains(&p) && close(p / f64::from(q))).then_some((p as i64, i64::from(q)))
    })
}

fn root(e: Expr) -> Expr {
    Expr::Apply(Op::Sqrt, vec![e])
}

/// The square root, if it is a whole number.
fn whole_root(n: i64) -> Option<i64> {
    (1..=20).find(|k| k * k == n)
}

/// A product over a product, without factors 1.
fn quotient(above: Vec<Expr>, below: Vec<Expr>) -> Expr {
    let (a, b) = (Expr::product(above), Expr::product(below));
    if b.is(1.0) { a } else { Expr::frac(a, b) }
}

/// √(p/q) as a√n/b with the smallest n: √(1/2) is √2/2, √(8) is 2√2.
fn surd(p: i64, q: i64) -> Expr {
    // √(p/q) = √(pq)/q
    let (mut n, mut outside) = (p * q, 1);
    for k in (2..=20).rev() {
        while n % (k * k) == 0 {
            n /= k * k;
            outside *= k;
        }
    }
    let common = gcd(outside, q);
    quotient(vec![Expr::int(outside / common), root(Expr::int(n))], vec![Expr::int(q / common)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, print::text};

    #[test]
    fn numbers_as_one_writes_them() {
        let sqrt = f64::sqrt;
        let cases = [
            (1.0 / 3.0, "1/3"),
            (2.0 / 7.0, "2/7"),
            (sqrt(2.0), "√(2)"),
            (1.0 / sqrt(2.0), "√(2)/2"),
            (sqrt(0.5), "√(2)/2"),
            (sqrt(8.0), "2·√(2)"),
            (sqrt(3.0) / 2.0, "√(3)/2"),
            (sqrt(1.0 / 3.0), "√(3)/3"),
            (PI / 4.0, "π/4"),
            (2.0 * PI / 3.0, "(2·π)/3"),
            (1.0 / PI, "1/π"),
            (2.0 / PI, "2/π"),
            (sqrt(PI), "√(π)"),
            (sqrt(2.0 * PI), "√(2·π)"),
            (1.0 / sqrt(2.0 * PI), "1/√(2·π)"),
            (2.0 / sqrt(PI), "2/√(π)"),
            (sqrt(PI) / 2.0, "√(π)/2"),
            (std::f64::consts::LN_2, "ln(2)"),
            (std::f64::consts::LN_10, "ln(10)"),
        ];
        for (x, expected) in cases {
            let e = known(x).unwrap_or_else(|| panic!("{x} is {expected}"));
            assert_eq!(text(&e, Style::Plain), expected, "{x}");
        }
        for x in
            [0.5, 1.5, 0.1, 0.123456789, 3.0, 8.314462618, 6.62607015, 1.38064852, 1e-3, std::f64::consts::E]
        {
            assert_eq!(known(x), None, "{x}");
        }
    }

    /// No number is taken for another one by chance.
    #[test]
    fn others_are_left_alone() {
        let mut x = 0.3;
        for _ in 0..200_000 {
            x = 3.99 * x * (1.0 - x);
            assert_eq!(known(10.0 * x), None, "{x}");
        }
    }
}
