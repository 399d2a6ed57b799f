// Accelerated failure times: log T = x'b + sigma*e with e of the smallest-extreme-value law, so T is Weibull.
// Right-censored times contribute their survival probability only.

fn contribution(t: f64, died: bool, eta: f64, log_sigma: f64) -> f64 {
    let z = (log(t) - eta)*exp(-log_sigma);
    let log_survival = -exp(z);
    if died { z - log_sigma - log(t) + log_survival } else { log_survival }
}

fn weibull[N, P](
    t: f64[N] in (0, INF),
    died: bool[N],
    X: f64[N, P],
    beta: f64[P],
    log_sigma: f64,
) -> f64 {
    let eta = X @ beta;
    -sum(contribution(t[i], died[i], eta[i], log_sigma) for i)
}

check weibull[N = 10, P = 2] {
    t in [0.2, 6];
    died ~ choice(true, true, false);
    X ~ normal(0, 1);
    beta ~ normal(0, 0.5);
    log_sigma in [-0.7, 0.7];
    wrt beta, log_sigma;
}
