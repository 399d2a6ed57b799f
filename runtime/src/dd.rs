//! Error-free transformations: sums and products with their rounding errors, for the places where a
//! difference of nearly equal terms has to keep its relative accuracy.

/// `a + b` rounded, and the rounding error. Exact barring overflow (Knuth's two-sum).
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// `a b` rounded, and the rounding error. Exact barring overflow and underflow.
pub fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}

/// `a b + c d` within 1.5 ulp, also when the two products cancel (Kahan; Jeannerod, Louvet & Muller 2013).
pub fn sum_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let (p, e) = two_prod(c, d);
    let sum = a.mul_add(b, p);
    // Adding an error of +0 would change a sum of −0, and with it the side of a branch cut.
    if e == 0.0 { sum } else { sum + e }
}
