// Linear mixed model with a random intercept for each group: the marginal log-likelihood.
// The covariance s2 I + t2 1 1' of a group is inverted in closed form (Sherman-Morrison).

fn group_loglik[M](r: f64[M], s2: f64, t2: f64) -> f64 {
    let m = f64(M);
    let whole = s2 + m*t2;
    let quad = (sum(r^2) - t2/whole*sum(r)^2)/s2;
    -0.5*(m*log(2*PI) + (m - 1)*log(s2) + log(whole) + quad)
}

fn random_intercept[G, M, P](
    y: f64[G, M],
    X: f64[G, M, P],
    beta: f64[P],
    log_s: f64,
    log_t: f64,
) -> f64 {
    sum(group_loglik(y[g] - X[g] @ beta, exp(2*log_s), exp(2*log_t)) for g)
}

check random_intercept[G = 5, M = 4, P = 2] {
    y ~ normal(1, 2);
    X ~ normal(0, 1);
    beta ~ normal(0, 1);
    log_s in [-0.5, 0.5];
    log_t in [-1, 0.5];
}
