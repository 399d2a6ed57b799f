// Calibration of the SABR model to a smile: Hagan's implied volatility, with the expansion of z/x(z) at the money, against
// quoted volatilities.

fn sabr_vol(f: f64, k: f64, t: f64, alpha: f64, beta: f64, rho: f64, nu: f64) -> f64 {
    let b = 1 - beta;
    let m = log(f/k);
    let fk = (f*k)^(0.5*b);
    let z = nu/alpha*fk*m;
    let ratio = if abs(z) < 1e-4 {
        1 - 0.5*rho*z + (2 - 3*rho^2)/12*z^2
    } else {
        z/log((sqrt(1 - 2*rho*z + z^2) + z - rho)/(1 - rho))
    };
    let skew = 1 + b^2/24*m^2 + b^4/1920*m^4;
    let drift = b^2/24*alpha^2/fk^2 + 0.25*rho*beta*nu*alpha/fk + (2 - 3*rho^2)/24*nu^2;
    alpha/(fk*skew)*ratio*(1 + drift*t)
}

fn sabr_fit[N](
    f: f64 in (0, INF),
    k: f64[N] in (0, INF),
    quote: f64[N],
    t: f64 in (0, INF),
    log_alpha: f64,
    beta: f64 in [0, 1],
    a: f64,
    log_nu: f64,
) -> f64 {
    let rho = tanh(a);
    1e4*mean((sabr_vol(f, k[i], t, exp(log_alpha), beta, rho, exp(log_nu)) - quote[i])^2 for i)
}

check sabr_fit[N = 7] {
    f = 0.03;
    k in [0.015, 0.05];
    quote in [0.2, 0.4];
    t in [0.5, 5];
    log_alpha in [-3.5, -2.5];
    beta = 0.5;
    a in [-1, 0.5];
    log_nu in [-1.5, 0];
    wrt log_alpha, a, log_nu;
}
