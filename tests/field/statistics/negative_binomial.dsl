// Negative binomial (NB2) regression with a log link and known exposures: counts that vary more than Poisson counts.

/// Log probability of the count y with mean mu and variance mu + mu^2/size.
fn log_pmf(y: i64, mu: f64, size: f64) -> f64 {
    let k = f64(y);
    lgamma(k + size) - lgamma(size) - lgamma(k + 1) - size*log1p(mu/size) + k*log(mu/(size + mu))
}

fn negative_binomial[N, D](
    X: f64[N, D],
    y: i64[N],
    exposure: f64[N] in (0, INF),
    beta: f64[D],
    log_size: f64,
) -> f64 {
    let eta = X @ beta;
    let size = exp(log_size);
    -sum(log_pmf(y[i], exposure[i]*exp(eta[i]), size) for i)
}

check negative_binomial[N = 8, D = 3] {
    X ~ normal(0, 1);
    y ~ int(0, 9);
    exposure in [0.5, 3];
    beta ~ normal(0, 0.5);
    log_size in [-1, 2];
    nodiff X;
}
