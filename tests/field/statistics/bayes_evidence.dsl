// Evidence (type II likelihood) of Bayesian linear regression with prior precision alpha and noise precision beta,
// and the effective number of parameters.

fn evidence[N, D](
    Phi: f64[N, D],
    t: f64[N],
    log_alpha: f64,
    log_beta: f64,
) -> (log_evidence: f64, gamma: f64) {
    let alpha = exp(log_alpha);
    let beta = exp(log_beta);
    let H = alpha*eye(D) + beta*Phi' @ Phi;
    let m = beta*solve(H, Phi' @ t);
    let misfit = 0.5*beta*norm(t - Phi @ m)^2 + 0.5*alpha*dot(m, m);
    let n = f64(N);
    let log_evidence = 0.5*f64(D)*log_alpha
        + 0.5*n*log_beta
        - misfit
        - 0.5*logdet(H)
        - 0.5*n*log(2*PI);
    (log_evidence, f64(D) - alpha*trace(inv(H)))
}

check evidence[N = 9, D = 3] {
    Phi ~ normal(0, 1); t ~ normal(0, 1); log_alpha in [-2, 2]; log_beta in [-1, 2];
}
