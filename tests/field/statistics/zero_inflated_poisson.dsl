// Zero-inflated Poisson regression: a logit model says who can have counts at all, a log-linear one how many.

fn log_pmf(y: i64, log_rate: f64, logit_zero: f64) -> f64 {
    let rate = exp(log_rate);
    if y == 0 {
        logaddexp(log_sigmoid(logit_zero), log_sigmoid(-logit_zero) - rate)
    } else {
        log_sigmoid(-logit_zero) + f64(y)*log_rate - rate - lgamma(f64(y) + 1)
    }
}

fn zip[N, P, Q](
    y: i64[N],
    X: f64[N, P],
    Z: f64[N, Q],
    beta: f64[P],
    gamma: f64[Q],
) -> (loss: f64, excess: f64) {
    let eta = X @ beta;
    let a = Z @ gamma;
    let loss = -sum(log_pmf(y[i], eta[i], a[i]) for i);
    (loss, mean(sigmoid(a)))
}

check zip[N = 9, P = 3, Q = 2] {
    y ~ choice(0, 0, 1, 2, 5);
    X ~ normal(0, 1);
    Z ~ normal(0, 1);
    beta ~ normal(0, 0.5);
    gamma ~ normal(0, 1);
    wrt beta, gamma;
}
