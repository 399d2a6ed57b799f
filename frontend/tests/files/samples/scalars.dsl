// Scalars: operators, powers, branches, constants, conversions, kinks.

const TWO_PI: f64 = 2*PI;
const TOL: f64 = 1e3*EPS;
const J: c128 = 1i;
const SIZE: i64 = 3;

/// A damped oscillator's amplitude.
fn amplitude(q: f64, p: f64, k: f64 in (0, INF)) -> f64 {
    exp(-0.5*(p^2 + k*q^2))
}

fn powers(x: f64 in (0, 10]) -> f64 {
    let a = x^2 + x^-2 + x^3;
    let b = x^0.5 + x^2.0 + x^(1/3);
    let c = 2^x + 10^exp(-x);
    let d = -x^2 + 2^-x;
    a*b - c/d
}

fn branches(x: f64, y: f64) -> f64 {
    let r = if x > 0 && y > 0 { log(x*y) } else if x < 0 || y < 0 { -x*y } else { 0 };
    let s = select(x == y, 1, 0);
    if !(r >= 0) { r^2 } else { s + r }
}

fn kinks(x: f64, y: f64) -> f64 {
    max(x, 0) + min(x, y) + clamp(x, -1, 1) + abs(y) + sign(x)*hypot(x, y) + floor(x) + round(y)
}

fn integers(n: i64 in [0, 10], x: f64) -> (count: i64, value: f64) {
    let q = div(n, 3);
    let r = mod(n, 3);
    assert q*3 + r == n, "quotient and remainder";
    (i64(x) + n, f64(q)*x + f64(r))
}

fn single(x: f32, z: c64) -> c64 {
    let h = x/2;
    z*h + c64(x, h)
}

fn loop_free(x: f64) -> f64 {
    var s = 0;
    s += x;
    s *= 2;
    s -= 1/2*x;
    s /= 3;
    { let t = s^2; t + 1 } * (if x > 0 { 1 } else { 2 })
}

fn pairs(x: f64, y: f64) -> (f64, (f64, f64)) {
    let (a, (b, _)) = (x + y, (x - y, x*y));
    (a, (b, a*b))
}

fn frozen(x: f64, #[nodiff] w: f64) -> f64 { stop_gradient(x)*x*w }

#[inline]
fn square_plus(x: f64) -> f64 { square(x) + 1 }

#[fp(fast)]
fn fast(x: f64) -> f64 { square_plus(x)/square_plus(2*x) }

check amplitude { q in [-2, 2]; p ~ normal(0, 1); k ~ lognormal(0, 0.5); }
check powers { points 32; seed 7; }
check kinks { x ~ normal(0, 1); y ~ choice(-1.0, 0.5, 2.0); edge; expect kink; }
check integers { n ~ int(0, 10); x ~ uniform(-3, 3); wrt x; outputs value; modes slow, forward; }
check frozen { w = 3; atol 1e-6; rtol 1e-4; eps 1e-5; }
check branches { x ~ near(1, 0.5); y = 2; }
bench fast { x ~ uniform(0, 1); modes primal, jvp, vjp; max_ratio 4.0; }
