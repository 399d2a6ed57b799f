// Soft dynamic time warping of two series of vectors (Cuturi and Blondel): the alignment table has an infinite border, the
// minimum of three ways is smoothed with the temperature gamma.

fn soft_min(a: f64, b: f64, c: f64, gamma: f64) -> f64 {
    -gamma*logsumexp([-a/gamma, -b/gamma, -c/gamma])
}

fn soft_dtw[N, M, D](x: f64[N, D], y: f64[M, D], #[nodiff] gamma: f64 in (0, INF)) -> f64 {
    var R = fill(INF, N + 1, M + 1);
    R[0, 0] = 0;
    for i in 1..N + 1 {
        for j in 1..M + 1 {
            let cost = sum((x[i - 1] - y[j - 1])^2);
            R[i, j] = cost + soft_min(R[i - 1, j], R[i, j - 1], R[i - 1, j - 1], gamma);
        }
    }
    R[N, M]
}

check soft_dtw[N = 6, M = 7, D = 2] { x ~ normal(0, 1); y ~ normal(0, 1); gamma in [0.1, 2]; }
