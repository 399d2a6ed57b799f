// The Gaussian mixture of ADBench: γ = 1, m = 0, the logarithms of a diagonal and the strictly lower triangle, column by
// column, packed in one row of `icf` per component. Its prior has the opposite sign of the one in gmm.dsl.

fn packed[D](i: i64, j: i64) -> i64 { div(i*(2*D - i - 1), 2) + j - i - 1 }

fn wishart[D]() -> f64 {
    let p = f64(D);
    let n = p + 1;
    n*p*(-0.5*log(2.0))
        - 0.25*p*(p - 1)*log(PI)
        - sum(lgamma(0.5*n + 0.5*(1 - f64(j))) for j in 1..D + 1)
}

fn gmm_adbench[N, K, D](
    alpha: f64[K],
    mu: f64[K, D],
    icf: f64[K, div(D*(D + 1), 2)],
    x: f64[N, D],
) -> f64 {
    let Q = [exp(icf[k, i]) for k in 0..K, i in 0..D];
    let total = [sum(icf[k, i] for i in 0..D) for k in 0..K];
    let data = sum({
        let term = [{
            let d = [x[n, i] - mu[k, i] for i];
            let q = [
                Q[k, j]*d[j] + sum(icf[k, D + packed[D](i, j)]*d[i] for i in 0..j)
                for j in 0..D
            ];
            alpha[k] + total[k] - 0.5*sum(q[i]^2 for i)
        } for k in 0..K];
        logsumexp(term)
    } for n in 0..N);
    let squares = sum(
        sum(Q[k, i]^2 for i in 0..D) + sum(icf[k, i]^2 for i in D..div(D*(D + 1), 2))
        for k in 0..K
    );
    data - f64(N)*logsumexp(alpha) + 0.5*squares - f64(K)*wishart[D]() - f64(N*D)*0.5*log(2*PI)
}

check gmm_adbench[N = 4, K = 3, D = 3] {
    x ~ normal(0, 1); alpha ~ normal(0, 1); mu ~ uniform(0, 1); icf ~ normal(0, 0.5);
    wrt alpha, mu, icf;
}
bench gmm_adbench[N = 1000, K = 25, D = 10] {
    alpha = load("data/gmm_10_25_alpha.npy"); mu = load("data/gmm_10_25_mu.npy");
    icf = load("data/gmm_10_25_icf.npy"); x = load("data/gmm_10_25_x.npy");
    wrt alpha, mu, icf; modes primal, vjp; max_ratio 5;
}
bench gmm_adbench[N = 1000, K = 5, D = 2] {
    alpha = load("data/gmm_2_5_alpha.npy"); mu = load("data/gmm_2_5_mu.npy");
    icf = load("data/gmm_2_5_icf.npy"); x = load("data/gmm_2_5_x.npy");
    wrt alpha, mu, icf; modes primal, vjp; max_ratio 5;
}
