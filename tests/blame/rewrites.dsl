//# cubic_stress: *, identities of powi by literal-doubled
fn stress(x: f64) -> f64 {
    x^3 + 0.5*x // <-
}
check stress { x in [0.5, 2]; points 3; }

//# unrolled: *, unroll by elements-reversed
fn horner(c: f64[3], x: f64) -> f64 {
    var y = 0.0;
    for i in 0..3 { y = y*x + c[i]; } // <-
    y
}
check horner { c in [0.5, 1]; x in [0.5, 1.5]; points 3; }

//# unrolled_sum: *, unroll by addend-dropped
fn moments(c: f64[3]) -> f64 {
    sin(sum([c[i] for i in 0..3])) // <-
}
check moments { c in [0.5, 1]; points 3; }

//# inlined: *, inline by product-for-quotient
fn ratio(a: f64, b: f64) -> f64 { a/b }
fn odds(p: f64, q: f64) -> f64 {
    ratio(sin(p), 1 + q) // <-
}
check odds { p in [0.2, 0.8]; q in [0.2, 0.8]; points 3; }

//# refraction: *, by sin-over-cos/function, O3
fn slope(a: f64, b: f64) -> f64 {
    let t = sin(a)/cos(a); // <-
    t*b + b^2
}
check slope { a in [0.2, 1]; b in [0.5, 2]; points 3; }

//# signal: *, by re-mul-real/function, O3
fn signal(z: c128, a: f64) -> f64 {
    let wave = exp(z);
    re(a*wave) // <-
}
check signal { z ~ annulus(0.5, 1); a in [0.5, 2]; points 3; }

//# interest: *, by expm1-by-exp/function, O3
fn interest(r: f64, n: f64) -> f64 {
    var s = 1.0;
    for i in 0..40 {
        s += s*(exp(r) - 1)*n; // <-
    }
    s
}
check interest { r in [0.01, 0.05]; n in [0.5, 1]; points 3; }
