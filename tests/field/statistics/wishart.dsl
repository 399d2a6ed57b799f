// Log density of a Wishart law at a covariance matrix; both matrices are given by the logarithmic Cholesky factors that
// samplers move in (strict lower triangle as it is, diagonal as logarithms).

fn factor[D](t: f64[D, D]) -> f64[D, D] {
    [if j < i { t[i, j] } else if i == j { exp(t[i, j]) } else { 0.0 } for i, j]
}

/// Logarithm of the multivariate gamma function.
fn lmgamma[D](x: f64) -> f64 {
    f64(D*(D - 1))/4*log(PI) + sum(lgamma(x - 0.5*f64(j)) for j in 0..D)
}

fn wishart[D](s: f64[D, D], v: f64[D, D], log_extra: f64) -> f64 {
    let p = f64(D);
    let nu = p - 1 + exp(log_extra);
    let Q = solve(factor(v), factor(s)); // tr(V^-1 S) = |Q|^2
    (nu - p - 1)*trace(s) - 0.5*sum(Q^2) - nu*trace(v) - 0.5*nu*p*log(2) - lmgamma[D](0.5*nu)
}

check wishart[D = 3] { s ~ normal(0, 0.5); v ~ normal(0, 0.5); log_extra in [-0.5, 1.5]; }
