// GradBench gmm: the negative log posterior of a Gaussian mixture with a Wishart prior.

/// Packed position of row j, column i of a strictly lower triangle of size D, column by column.
fn packed[D](i: i64, j: i64) -> i64 { div(i*(2*D - i - 1), 2) + j - i - 1 }

/// log Γ_D(a), the multivariate gamma function.
fn log_gamma[D](a: f64) -> f64 {
    f64(D*(D - 1))/4*log(PI) + sum(lgamma(a + 0.5*(1 - f64(j))) for j in 1..D + 1)
}

fn gmm[N, K, D](
    x: f64[N, D],
    m: i64,
    gamma: f64,
    alpha: f64[K],
    mu: f64[K, D],
    q: f64[K, D],
    l: f64[K, div(D*(D - 1), 2)],
) -> f64 {
    let total = [sum(q[k, j] for j) for k];
    let data = sum({
        let beta = [{
            let d = [x[i, r] - mu[k, r] for r];
            let y = [
                exp(q[k, r])*d[r] + sum(l[k, packed[D](c, r)]*d[c] for c in 0..r)
                for r in 0..D
            ];
            alpha[k] - 0.5*sum(y[r]^2 for r) + total[k]
        } for k in 0..K];
        logsumexp(beta)
    } for i in 0..N);
    let prior = sum({
        let s = sum(exp(q[k, j])^2 for j) + sum(l[k, j]^2 for j);
        f64(m)*total[k] - 0.5*gamma^2*s
    } for k in 0..K);
    let n = f64(D + m + 1);
    let constant = f64(K)*(n*f64(D)*(log(gamma) - 0.5*log(2.0)) - log_gamma[D](0.5*n));
    data - f64(N)*(0.5*f64(D)*log(2*PI) + logsumexp(alpha)) + prior + constant
}

check gmm[N = 4, K = 3, D = 3] {
    x ~ normal(0, 1); m = 0; gamma = 1.0;
    alpha ~ normal(0, 1); mu ~ uniform(0, 1); q ~ normal(0, 0.5); l ~ normal(0, 1);
    wrt alpha, mu, q, l;
}
bench gmm[N = 1000, K = 5, D = 2] {
    x = load("data/gradbench_gmm_2_x.npy"); m = 0; gamma = 1.0;
    alpha = load("data/gradbench_gmm_2_5_alpha.npy"); mu = load("data/gradbench_gmm_2_5_mu.npy");
    q = load("data/gradbench_gmm_2_5_q.npy"); l = load("data/gradbench_gmm_2_5_l.npy");
    wrt alpha, mu, q, l; modes primal, vjp; max_ratio 5;
}
