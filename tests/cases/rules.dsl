// Derivatives written by hand.

// U5: with integers, arrays and complex numbers among the arguments.
fn weighted[N](k: i64, x: f64[N], z: c128) -> f64 { f64(k)*sum(x)*re(z) }
rule vjp weighted(k, x, z; g) { ([f64(k)*g*re(z) for i in 0..N], c128(g*f64(k)*sum(x), 0.0)) }
fn weighted1(x: f64[2], z: c128) -> (f64[2], c128) { grad(weighted, wrt = (x, z))(3, x, z) }
fn forward(x: f64[2], z: c128) -> f64 { jvp(weighted, wrt = x)(3, x, z; [1, 1]) }
//= weighted1([1, 2], 2+1i) = [6, 6]; 9+0i
//= forward([1, 2], 2+1i) = 12

// The transpose of a `jvp` with a comprehension and a sum.
fn lengths[N](x: f64[N]) -> f64[N] { [x[i]*x[i] for i] }
rule jvp lengths(x; dx) { [2*x[i]*dx[i] for i] }
fn total[N](x: f64[N]) -> f64 { sum(lengths(x)) }
fn total1(x: f64[2]) -> f64[2] { grad(total)(x) }
//= total1([3, 4]) = [6, 8]

// U6: on purpose something else than the derivative.
fn straight(x: f64) -> f64 { round(x) }
#[check(trust)]
rule vjp straight(x; g) { g }
fn quantised[N](x: f64[N]) -> f64 { sum(straight(3*x[i])^2 for i) }
fn quantised1(x: f64[2]) -> f64[2] { grad(quantised)(x) }
//= quantised1([0.4, 1]) = [6, 18]

// U7: by the result.
fn logistic(t: f64) -> f64 { 1/(1 + exp(-t)) }
rule vjp logistic(t; g) { g*out*(1 - out) }
fn logistic1(t: f64) -> f64 { grad(logistic)(t) }
fn logistic2(t: f64) -> f64 { grad(logistic1)(t) }
//= logistic1(0) = 0.25
//= logistic2(0) = 0

// U9: in a loop and in a comprehension.
fn flow(x: f64, n: i64) -> f64 {
    var s = x;
    for i in 0..n { s = logistic(s); }
    s
}
fn flow1(x: f64, n: i64) -> f64 { grad(flow)(x, n) }
fn all[N](x: f64[N]) -> f64 { sum(logistic(x[i]) for i) }
fn all1(x: f64[2]) -> f64[2] { grad(all)(x) }
//= flow1(0, 1) = 0.25
//= flow1(0, 2) = 0.05875092805039744 ~ 1e-12
//= all1([0, 0]) = [0.25, 0.25]
