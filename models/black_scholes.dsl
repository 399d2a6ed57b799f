// Black-Scholes price of a European call, per 100 of spot, and its closed-form greeks.
use "normal.dsl";

/// d1 of spot s, strike k, rate r, volatility v (per sqrt(year)) and time t (years).
fn d1(s: f64, k: f64, r: f64, v: f64, t: f64) -> f64 {
    (log(s/k) + (r + 0.5*v^2)*t)/(v*sqrt(t))
}

/// Price of the call, in the currency of s.
fn call_price(
    s: f64 in [90, 110],
    k: f64 in [90, 110],
    r: f64 in [0.01, 0.05],
    v: f64 in [0.2, 0.4],
    t: f64 in [0.5, 1.5],
) -> f64 {
    let a = d1(s, k, r, v, t);
    let b = a - v*sqrt(t);
    s*normal_cdf(a) - k*exp(-r*t)*normal_cdf(b)
}

/// Delta, gamma (per 1 % of spot), vega and rho of the call.
fn greeks(
    s: f64 in [90, 110],
    k: f64 in [90, 110],
    r: f64 in [0.01, 0.05],
    v: f64 in [0.2, 0.4],
    t: f64 in [0.5, 1.5],
) -> (delta: f64, gamma: f64, vega: f64, rho: f64) {
    let a = d1(s, k, r, v, t);
    let b = a - v*sqrt(t);
    let density = normal_pdf(a);
    (normal_cdf(a), density*s/(100*v*sqrt(t)), s*density*sqrt(t), k*t*exp(-r*t)*normal_cdf(b))
}

check call_price { modes slow, fast, forward, gradgrad; }
check greeks {
    v in [0.25, 0.3]; k in [90, 94]; s in [104, 110]; modes slow, fast, forward; seed 3;
}
