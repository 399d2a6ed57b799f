//! Bessel functions of integer order, of the first and the second kind: those of FreeBSD's msun, by way of `libm`.
//!
//! Absolute errors are a few ε of the amplitude √(2/πx), also beside the zeros. Beyond the order 1 they grow with it, slowly.

/// Larger orders, which no derivative that anybody takes needs, are NaN: the recurrences take a step for each order.
pub(crate) const MAX_ORDER: u64 = 1000;

/// `J₀(x)`
pub fn j0(x: f64) -> f64 {
    libm::j0(x)
}

/// `J₁(x)`
pub fn j1(x: f64) -> f64 {
    libm::j1(x)
}

/// `Y₀(x)`; −∞ at ±0, NaN below.
pub fn y0(x: f64) -> f64 {
    if x == 0.0 { f64::NEG_INFINITY } else { libm::y0(x) }
}

/// `Y₁(x)`; −∞ at ±0, NaN below.
pub fn y1(x: f64) -> f64 {
    if x == 0.0 { f64::NEG_INFINITY } else { libm::y1(x) }
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
