// Factor analysis: log-likelihood of N observations with covariance W W' + diag(psi), through the K × K matrix of
// Woodbury's identity. Rotating W changes nothing.

fn factor_analysis[N, D, K](Y: f64[N, D], W: f64[D, K], mu: f64[D], log_psi: f64[D]) -> f64 {
    let weight = exp(-log_psi);
    let scaled = [weight[j]*W[j, k] for j, k]; // psi^-1 W
    let L = cholesky(eye(K) + W' @ scaled);
    let R = [Y[i, j] - mu[j] for i, j];
    let B = solve(L, (R @ scaled)');
    let quad = sum(R[i, j]^2*weight[j] for i, j) - sum(B^2);
    let half_logdet = 0.5*sum(log_psi) + sum(log(L[k, k]) for k);
    -0.5*quad - f64(N)*(half_logdet + 0.5*f64(D)*log(2*PI))
}

check factor_analysis[N = 6, D = 5, K = 2] {
    Y ~ normal(0, 1);
    W ~ normal(0, 0.8);
    mu ~ normal(0, 0.3);
    log_psi in [-1.5, 0.5];
}
