

// --- folded to literals, also through each other and in any order
const A: f64 = 2*B;
const B: f64 = sqrt(2)/2;
const N: i64 = div(7, 2) + 2^3;
const Z: c128 = 1 + 2i;
const W: c128 = A;
const T: bool = N > 3 && !(A < 0);
const S: f32 = if T { 0.1 } else { let h = 2; h };
fn f(x: f64) -> (f64, i64, c128, c128, bool, f32) { (A*x, N, Z, W, T, S) }

//> fn f(x: f64) -> (f64, i64, c128, c128, bool, f32) {
//>   v0 = f64 1.4142135623730951
//>   v1 = mul v0, x
//>   v2 = i64 11
//>   v3 = c128 (1.0, 2.0)
//>   v4 = c128 (1.4142135623730951, 0.0)
//>   v5 = bool true
//>   v6 = f32 0.1
//>   return v1, v2, v3, v4, v5, v6
//> }

// --- constants of used files
use "c.dsl";
fn f(x: f64) -> f64 { K*x }
//== c.dsl
const K: f64 = EPS;

//> fn f(x: f64) -> f64 {
//>   v0 = f64 2.220446049250313e-16
//>   v1 = mul v0, x
//>   return v1
//> }
