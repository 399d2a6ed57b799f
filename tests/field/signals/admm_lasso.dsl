// Sparse regression by a hundred iterations of ADMM with soft thresholding: objective and primal residual.

fn lasso[M, N](
    A: f64[M, N],
    b: f64[M],
    lambda: f64 in (0, INF),
    rho: f64 in [0.5, 5],
) -> (objective: f64, residual: f64) {
    let G = inv(A' @ A + rho*eye(N));
    let c = A' @ b;
    let t = lambda/rho;
    var z = zeros(N);
    var u = zeros(N);
    var x = zeros(N);
    for _ in 0..100 {
        x = G @ (c + rho*(z - u));
        let v = x + u;
        z = max(v - t, 0) - max(-v - t, 0);
        u = v - z;
    }
    let r = A @ z - b;
    (0.5*dot(r, r) + lambda*sum(abs(z)), dot(x - z, x - z))
}

check lasso[M = 6, N = 4] {
    A ~ normal(0, 1); b ~ normal(0, 1); lambda in [0.1, 1]; rho in [0.8, 2];
}
