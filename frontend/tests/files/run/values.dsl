

// --- branches are lazy
fn b1(x: f64) -> f64 { if x > 0 { sqrt(x) } else { 0 } }
fn b7(x: f64, a: f64) -> f64 { var y = x^2; if !isinf(a) { y += a*y; } y }
fn b8(c: f64, x: f64) -> f64 { if c > 1 { x/c } else { 0 } }
fn chain(x: f64) -> f64 { if x > 2 { 2 } else if x > 1 { 1 } else if x > 0 { 0 } else { -1 } }
fn f() -> (f64, f64, f64, f64) { (b1(-3), b1(4), b7(0, INF), b8(1, 1)) }
fn g() -> (f64, f64, f64, f64) { (chain(3), chain(1.5), chain(0.5), chain(-0.5)) }

//> f() = 0.0, 2.0, 0.0, 0.0
//> g() = 2.0, 1.0, 0.0, -1.0

// --- short circuit never evaluates what does not decide
fn trap(n: i64) -> bool { div(1, n) > 0 }
fn f() -> (bool, bool) { (false && trap(0), true || trap(0)) }
fn g() -> bool { true && trap(0) }
fn h() -> bool { false || !trap(1) }

//> f() = false, true
//> g() fails: integer division by zero at 2:27-2:36 `div(1, n)`
//> h() = false

// --- variables through branches
fn collatz(n: i64) -> i64 {
    var m = n;
    var steps = 0;
    if mod(m, 2) == 0 { m = div(m, 2); steps += 1; } else { m = 3*m + 1; steps += 1; if m > 10 { steps *= 10; } }
    m*100 + steps
}
fn f() -> (i64, i64, i64) { (collatz(6), collatz(7), collatz(1)) }

//> f() = 301, 2210, 401

// --- powers agree however they are written
fn all(x: f64) -> bool { x^2 == x*x && x^2.0 == x*x && pow(x, 2) == x*x && x^3 == x*(x*x) && x^-1 == 1/x }
fn f() -> (bool, bool, bool, f64, f64, f64) { (all(0), all(-3), all(0.1), 0^0, -2^2, 2^-1) }
fn g() -> (f64, f64, i64, f64) { (4^0.5, 10^exp(0), 2^10, 1/2*3.0) }

//> f() = true, true, true, 1.0, -4.0, 0.5
//> g() = 2.0, 10.0, 1024, 1.5

// --- complex arithmetic is componentwise beside a real operand
fn f() -> (c128, c128, c128, c128) { let z: c128 = -0.0i; (1 + z, 2*(1 + 2i), (1 + 2i)^2, 1/(1 + 1i)) }
fn g() -> (f64, f64, f64, bool) { (abs(3 + 4i), abs2(3 + 4i), re(cis(0)), 2 == 2 + 0i) }

//> f() = (1.0, -0.0), (2.0, 4.0), (-3.0, 4.0), (0.5, -0.5)
//> g() = 5.0, 25.0, 1.0, true

// --- integers: floor division, overflow, conversions
fn f() -> (i64, i64, i64, f64, i64) { (div(-7, 2), mod(-7, 2), i64(-2.7), f64(3), i64(true)) }
fn g() -> i64 { let n = 9223372036854775807; n + 1 }
fn h() -> i64 { mod(1, 0) }
fn k() -> i64 { i64(1e300) }
fn l(n: i64) -> i64 { 2^n }
fn m() -> i64 { l(-1) }

//> f() = -4, 1, -2, 3.0, 1
//> g() fails: integer overflow at 3:46-3:51 `n + 1`
//> h() fails: integer division by zero at 4:17-4:26 `mod(1, 0)`
//> k() fails: a real number has no `i64` value at 5:17-5:27 `i64(1e300)`
//> m() fails: integer overflow at 6:23-6:26 `2^n`

// --- single precision
fn f() -> (f32, f32, bool) { (0.1, 1/3, f64(EPS + 1.0) > 1) }

//> f() = 0.1f32, 0.33333334f32, true

// --- assertions and domains carry the span of what failed
fn log_of(x: f64 in (0, INF]) -> f64 { log(x) }
fn root(z: c128 in annulus(1, 2), n: i64 in [1, 3)) -> c128 { z^n }
fn f() -> f64 { assert 1 > 2, "one is not more"; 1 }
fn g() -> f64 { let x = -1.0; 2*log_of(x + 0.5) }
fn h() -> f64 { let x = NAN; log_of(x) }
fn k() -> f64 { log_of(INF) }
fn l() -> c128 { let z = 1.5i; root(z, 2) + root(z, 3) }
fn m() -> c128 { root(0.5i, 1) }

//> f() fails: assertion failed: one is not more at 4:24-4:29 `1 > 2`
//> g() fails: an argument is outside its domain: `x` of `log_of` must lie in (0, INF] at 5:40-5:47 `x + 0.5`
//> h() fails: an argument is outside its domain: `x` of `log_of` must lie in (0, INF] at 6:37-6:38 `x`
//> k() = inf
//> l() fails: an argument is outside its domain: `n` of `root` must lie in [1, 3) at 8:53-8:54 `3`
//> m() fails: an argument is outside its domain: `z` of `root` must lie in annulus(1, 2) at 9:23-9:27 `0.5i`

// --- functions as arguments
fn twice(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
fn line(a: f64, x: f64, b: f64) -> f64 { a*x + b }
fn f() -> (f64, f64) { (twice(sqrt, 16), twice(line(2, _, 3), 1)) }

//> f() = 2.0, 13.0

// --- tuples, named results, blocks
fn divmod(a: i64, b: i64) -> (q: i64, r: i64) { (div(a, b), mod(a, b)) }
fn f() -> i64 { let (q, r) = divmod(17, 5); let t = { let u = q; u*10 }; t + r }

//> f() = 32

// --- booleans in order
fn f() -> (bool, bool, bool, bool) { (false < true, true < true, true >= true, true > false) }

//> f() = true, false, true, true
