// --- nothing reads it
fn f(x: f64, y: f64) -> f64 {
    let a = x^2;
    let (b, c) = (x, y);
    var d = 0.0;
    d += x;
    var e = 1.0;
    let _kept = sin(x);
    a*b
}

// --- nothing reads these
fn f(x: f64) -> f64 {
    let a = x^2;
    let (b, c) = (x, 2*x);
    var d = 0.0;
    d += x;
    var e = 1.0;
    let _kept = sin(x);
    b
}

// --- a call stays, because it may assert
fn g(x: f64) -> f64 { assert x > 0; log(x) }
fn f(x: f64) -> f64 {
    let y = g(x);
    x
}

// --- sizes and dimensions read variables
fn h[n](x: f64) -> f64 { f64(n)*x }
fn f[N](v: f64[N]) -> f64 {
    let n = N - 1;
    let m = N + 1;
    let k = 2;
    sum(zeros(n)) + h[n = m](v[0]) + sum(v[j] for j in 0..k)
}

// --- parameters
fn f(x: f64, y: f64, _z: f64) -> f64 { x }
fn g[N](x: f64[N], y: f64[N], n: i64) -> f64 { sum(x) }
fn sized[N](v: f64[N]) -> f64 { f64(N) }
check f { y ~ normal(0, 1);  wrt x, y; }

// --- not of a function that is passed on, of extern functions and of rules
extern fn native(x: f64, y: f64) -> f64;
rule vjp native(x, y; g) { (g, g) }
fn residual(x: f64, p: f64) -> f64 { x }
fn flat(x: f64, p: f64) -> f64 { x }
fn solve_for(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn use_both(x: f64, p: f64) -> f64 { solve_for(residual(_, p), x) + native(x, p) }
check use_both {}

// --- hides another
const K: f64 = 2.0;
fn f[N](x: f64[N], y: f64) -> f64 {
    let y = sum(x);
    let K = y;
    let z = K + y;
    let z = z/2;
    var t = 0.0;
    for i in 0..N {
        t += x[i] + sum(x[i]*x[j] for i, j);
    }
    let z2 = 1.0;
    if t > 0 {
        let t = z2;
        z + t
    } else { z }
}

// --- one after the other hides nothing
fn f[N](x: f64[N]) -> f64 {
    let a = sum(x[i] for i);
    let b = sum(x[i]^2 for i);
    let c = if a > b { let d = a; d*a } else { let d = b; d*b };
    a + b + c
}

// --- allowed
#[allow(unused_variable, shadowing)]
fn f(x: f64) -> f64 {
    let a = 1.0;
    let x = 2.0;
    x
}
fn g(#[allow(unused_parameter)] x: f64, y: f64) -> f64 {
    #[allow(unused_variable)]
    let b = y;
    let c = y;
    y
}

// --- functions
fn used(n: i64) -> i64 { n + 1 }
fn lost(n: i64) -> i64 { lost_too(n) }
fn lost_too(n: i64) -> i64 { used(n) }
fn applied(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn twice(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
fn model(x: f64, n: i64) -> f64 { x*f64(used(n)) }
fn another(x: f64) -> f64 { x }
fn by_name(x: f64) -> f64 { x }
fn _private(n: i64) -> i64 { n }
fn of_bench(n: i64) -> i64 { n }
check model {}
check twice { f = by_name; }
bench of_bench { n = 1; }

// --- a file without blocks may be a library
fn index(i: i64, n: i64) -> i64 { i*n }
fn loss(x: f64) -> f64 { x^2 }

// --- only in the main file
use "other.dsl";
fn f(x: f64) -> f64 { idle(x) }
//== other.dsl
fn idle(x: f64) -> f64 { let a = log(1 + x); x }
