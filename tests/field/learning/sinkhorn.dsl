// Entropic optimal transport between two point clouds with weights: a hundred Sinkhorn iterations on the dual potentials in
// the log domain, and the transport cost of the plan they give.
// Its mass is 1 after every half step.

fn sinkhorn[N, M, D](
    X: f64[N, D],
    Y: f64[M, D],
    a: f64[N],
    b: f64[M],
    log_eps: f64,
) -> (cost: f64, mass: f64) {
    let reg = exp(log_eps);
    let log_a = a - logsumexp(a);
    let log_b = b - logsumexp(b);
    let C = [sum((X[i] - Y[j])^2) for i, j];
    var f = zeros(N);
    var g = zeros(M);
    for _ in 0..100 {
        f = [-reg*logsumexp([(g[j] - C[i, j])/reg + log_b[j] for j]) for i in 0..N];
        g = [-reg*logsumexp([(f[i] - C[i, j])/reg + log_a[i] for i]) for j in 0..M];
    }
    let P = [exp((f[i] + g[j] - C[i, j])/reg + log_a[i] + log_b[j]) for i, j];
    (sum(P*C), sum(P))
}

check sinkhorn[N = 5, M = 6, D = 2] {
    X ~ normal(0, 1);
    Y ~ normal(0.5, 1);
    a ~ normal(0, 0.5);
    b ~ normal(0, 0.5);
    log_eps in [-1, 1];
}
