// Black and Litterman: equilibrium returns implied by market weights are blended with V views P mu = q of given uncertainty;
// the optimal weights follow.

fn black_litterman[N, V](
    A: f64[N, N],
    market: f64[N],
    P: f64[V, N],
    q: f64[V],
    log_omega: f64[V],
    aversion: f64 in (0, INF),
    tau: f64 in (0, INF),
) -> (mean_return: f64[N], weights: f64[N]) {
    let S = A @ A' / f64(N) + 0.01*eye(N);
    let prior = aversion*(S @ market);
    let spread = tau*(S @ P');
    let M = P @ spread + diag(exp(log_omega));
    let posterior = prior + spread @ solve(M, q - P @ prior);
    (posterior, solve(aversion*S, posterior))
}

check black_litterman[N = 5, V = 2] {
    A ~ normal(0, 0.2);
    market in [0.1, 0.3];
    P ~ choice(-1.0, 0.0, 0.5, 1.0);
    q in [-0.02, 0.06];
    log_omega in [-8, -5];
    aversion in [2, 4];
    tau = 0.05;
    wrt A, market, q, log_omega, aversion;
}
