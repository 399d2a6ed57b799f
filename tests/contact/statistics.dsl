// Densities, likelihoods and estimators.

fn beta_logpdf(x: f64, a: f64, b: f64) -> f64 {
    (a - 1)*log(x) + (b - 1)*log(1 - x) + lgamma(a + b) - lgamma(a) - lgamma(b)
}

fn gamma_logpdf[N](x: f64[N], k: f64, theta: f64) -> f64 {
    sum((k - 1)*log(x[i]) - x[i]/theta - lgamma(k) - k*log(theta) for i)
}

fn weibull_loglik[N](t: f64[N], k: f64, lam: f64) -> f64 {
    sum(log(k/lam) + (k - 1)*log(t[i]/lam) - (t[i]/lam)^k for i)
}

fn entropy[K](p: f64[K]) -> f64 { -sum(p[k]*log(p[k]) for k) }

fn kl[K](p: f64[K], q: f64[K]) -> f64 { sum(p[k]*log(p[k]/q[k]) for k) }

// The last probability is what the others leave.
fn multinomial[K](p: f64[K], counts: f64[K], rest: f64) -> f64 {
    sum(counts[k]*log(p[k]) for k) + rest*log(1 - sum(p))
}

fn mvn_logpdf[N](x: f64[N], mu: f64[N], Sigma: f64[N, N]) -> f64 {
    let L = cholesky(Sigma);
    let d = x - mu;
    -0.5*dot(d, solve(Sigma, d)) - sum(log(L[i, i]) for i in 0..N) - 0.5*f64(N)*log(2*PI)
}

fn gp_nll[N](X: f64[N], y: f64[N], ell: f64, sf: f64, sn: f64) -> f64 {
    let K = [sf^2*exp(-0.5*(X[i] - X[j])^2/ell^2) for i in 0..N, j in 0..N] + sn*eye(N);
    let L = cholesky(K);
    0.5*dot(y, solve(K, y)) + sum(log(L[i, i]) for i in 0..N)
}

fn fisher_z(r: f64, n: f64) -> f64 { atanh(r)*sqrt(n - 3) }

fn probit_loglik[N, D](X: f64[N, D], y: f64[N], w: f64[D]) -> f64 {
    let z = X @ w;
    sum(y[i]*log(0.5*erfc(-z[i]/sqrt(2.0))) + (1 - y[i])*log(0.5*erfc(z[i]/sqrt(2.0))) for i)
}

// Observations above a cut are all that is seen.
fn truncated_normal(x: f64, mu: f64, sigma: f64, lo: f64, hi: f64) -> f64 {
    assert sigma > 0, "a deviation is positive";
    assert lo < x && x < hi, "outside of the truncation";
    let cdf_hi = 0.5*erfc(-(hi - mu)/(sigma*sqrt(2.0)));
    let cdf_lo = 0.5*erfc(-(lo - mu)/(sigma*sqrt(2.0)));
    -0.5*((x - mu)/sigma)^2 - log(sigma) - log(cdf_hi - cdf_lo)
}

fn triangular_logpdf(x: f64, a: f64, c: f64, b: f64) -> f64 {
    assert a < c && c < b && a <= x && x <= b, "a < c < b";
    if x < c { log(2*(x - a)/((b - a)*(c - a))) } else { log(2*(b - x)/((b - a)*(b - c))) }
}

fn geometric_mean[N](x: f64[N]) -> f64 { exp(mean(log(x))) }
