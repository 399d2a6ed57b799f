// Implied volatility of calls near the money, by Newton's method from the inflection point of the price (Manaster and Koehler).
// The derivative is that of the implicit function, by hand: greeks of the price divided by vega.

fn cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

fn call(s: f64, k: f64, r: f64, t: f64, vol: f64) -> f64 {
    let w = vol*sqrt(t);
    let d1 = (log(s/k) + r*t)/w + 0.5*w;
    s*cdf(d1) - k*exp(-r*t)*cdf(d1 - w)
}

fn implied(
    quote: f64 in [12, 25],
    s: f64 in [98, 102],
    k: f64 in [95, 110],
    r: f64 in [0, 0.03],
    t: f64 in [0.5, 1.5],
) -> f64 {
    var vol = max(sqrt(2*abs(log(s/k) + r*t)/t), 0.2);
    for _ in 0..40 {
        vol -= (call(s, k, r, t, vol) - quote)/grad(call, wrt = vol)(s, k, r, t, vol);
    }
    assert abs(call(s, k, r, t, vol) - quote) < 1e-9*s, "no volatility gives this price";
    vol
}
rule vjp implied(quote, s, k, r, t; g) {
    let (ds, dk, dr, dt, vega) = grad(call)(s, k, r, t, out);
    let h = g/vega;
    (h, -h*ds, -h*dk, -h*dr, -h*dt)
}

/// Total implied variance, as volatility surfaces are interpolated in.
fn total_variance(
    quote: f64 in [12, 25],
    s: f64 in [98, 102],
    k: f64 in [95, 110],
    r: f64 in [0, 0.03],
    t: f64 in [0.5, 1.5],
) -> f64 {
    t*implied(quote, s, k, r, t)^2
}

check total_variance { quote in [13, 24]; s = 100; r = 0.02; }
