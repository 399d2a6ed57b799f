// Tobit regression: a normal outcome that is observed as 0 wherever it would be negative (hours worked, rainfall, spending).

/// log Phi(x) without cancellation on the right.
fn log_cdf(x: f64) -> f64 {
    if x > 0 { log1p(-0.5*erfc(x/sqrt(2))) } else { log(0.5*erfc(-x/sqrt(2))) }
}

fn tobit[N, P](
    #[nodiff] y: f64[N],
    X: f64[N, P],
    beta: f64[P],
    intercept: f64,
    log_sigma: f64,
) -> f64 {
    let eta = X @ beta + intercept;
    let sigma = exp(log_sigma);
    -sum(
        if y[i] > 0 {
            let z = (y[i] - eta[i])/sigma;
            -0.5*z^2 - log_sigma - 0.5*log(2*PI)
        } else {
            log_cdf(-eta[i]/sigma)
        }
        for i
    )
}

check tobit[N = 10, P = 2] {
    y ~ choice(0.0, 0.0, 0.4, 1.3, 2.6);
    X ~ normal(0, 1);
    beta ~ normal(0, 0.7);
    intercept in [-1, 1];
    log_sigma in [-0.5, 0.5];
}
