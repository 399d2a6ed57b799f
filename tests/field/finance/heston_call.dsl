// A European call under Heston's stochastic volatility: Lewis's integral of the characteristic function (in the form without
// a branch cut on the way), by the midpoint rule with two hundred nodes.

/// E exp(i u X) for the log return X over the forward.
fn heston_cf(u: c128, t: f64, v0: f64, kappa: f64, theta: f64, xi: f64, rho: f64) -> c128 {
    let iu = 1i*u;
    let b = kappa - rho*xi*iu;
    let d = sqrt(b^2 + xi^2*(iu + u^2));
    let g = (b - d)/(b + d);
    let e = exp(-t*d);
    let C = kappa*theta/xi^2*((b - d)*t - 2*log((1 - g*e)/(1 - g)));
    let D = (b - d)/xi^2*(1 - e)/(1 - g*e);
    exp(C + v0*D)
}

fn heston_call(
    s: f64,
    k: f64,
    r: f64,
    t: f64,
    v0: f64 in (0, INF),
    kappa: f64 in (0, INF),
    theta: f64 in (0, INF),
    xi: f64 in (0, INF),
    rho: f64 in (-1, 1),
) -> f64 {
    let m = log(s/k) + r*t;
    let du = 0.2;
    var total = 0;
    for j in 0..200 {
        let u = (f64(j) + 0.5)*du;
        let phi = heston_cf(c128(u, -0.5), t, v0, kappa, theta, xi, rho);
        total += re(cis(u*m)*phi)/(u^2 + 0.25);
    }
    s - sqrt(s*k)*exp(-0.5*r*t)/PI*total*du
}

check heston_call {
    s = 100;
    k in [80, 120];
    r in [0, 0.05];
    t in [0.5, 2];
    v0 in [0.03, 0.1];
    kappa in [1, 4];
    theta in [0.03, 0.1];
    xi in [0.2, 0.8];
    rho in [-0.8, 0];
}
