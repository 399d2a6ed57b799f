// GARCH(1, 1) with Student-t innovations: negative log-likelihood of daily returns and the forecast of the next variance.
// The weights of news, memory and long-run level are a softmax, so that the process is stationary.

fn log_t(e: f64, h: f64, nu: f64) -> f64 {
    lgamma(0.5*(nu + 1))
        - lgamma(0.5*nu)
        - 0.5*log(PI*(nu - 2)*h)
        - 0.5*(nu + 1)*log1p(e^2/((nu - 2)*h))
}

fn garch[T](
    r: f64[T],
    mu: f64,
    log_level: f64,
    a: f64,
    b: f64,
    log_nu: f64,
) -> (nll: f64, forecast: f64) {
    let w = softmax([a, b, 0.0]);
    let level = exp(log_level);
    let nu = 2 + exp(log_nu);
    var h = level;
    var nll = 0;
    for t in 0..T {
        let e = r[t] - mu;
        nll -= log_t(e, h, nu);
        h = w[0]*e^2 + w[1]*h + w[2]*level;
    }
    (nll, h)
}

check garch[T = 12] {
    r ~ normal(0, 0.012);
    mu ~ normal(0, 0.001);
    log_level in [-10, -8];
    a in [-1, 1];
    b in [0, 3];
    log_nu in [0, 2];
}
