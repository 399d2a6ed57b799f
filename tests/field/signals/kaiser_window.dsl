// The Kaiser window: Bessel functions by their series, and how much of the energy leaks out of the main lobe.

fn bessel_i1(x: f64) -> f64 {
    var term = 0.5*x;
    var total = term;
    for k in 1..60 {
        term *= 0.25*x^2/f64(k*(k + 1));
        total += term;
    }
    total
}

/// I0, until its terms no longer count; its derivative is I1.
fn bessel_i0(x: f64) -> f64 {
    var term = 1.0;
    var total = 1.0;
    var k = 0;
    while term > 1e-20*total && k < 60 {
        k += 1;
        term *= 0.25*x^2/f64(k*k);
        total += term;
    }
    total
}
rule vjp bessel_i0(x; g) { g*bessel_i1(x) }

fn window[N](beta: f64) -> f64[N] {
    [{
        let r = 2*f64(n)/f64(N - 1) - 1;
        bessel_i0(beta*sqrt(1 - r^2))/bessel_i0(beta)
    } for n in 0..N]
}

/// Response at frequency f of a tone seen through the window, in decibels below its peak.
fn leakage[N](x: f64[N], beta: f64 in [1, 10], f: f64) -> f64 {
    let w = x*window[N](beta);
    let s = sum(w[n]*cis(-2*PI*f*f64(n)) for n);
    10*log10(abs2(s)/sum(w)^2 + 1e-12)
}

check leakage[N = 9] { x ~ near(1, 0.1); beta in [3, 8]; f in [0.02, 0.4]; }
