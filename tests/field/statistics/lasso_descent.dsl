// The lasso by cyclic coordinate descent on the Gram matrix: two hundred sweeps of soft thresholding.

fn soft_threshold(z: f64, t: f64) -> f64 { sign(z)*max(abs(z) - t, 0) }

fn lasso[N, D](X: f64[N, D], y: f64[N], lam: f64 in (0, INF)) -> f64[D] {
    let n = f64(N);
    let G = X' @ X / n;
    let c = X' @ y / n;
    var b = zeros(D);
    for _ in 0..200 {
        for j in 0..D {
            let z = c[j] - G[j] @ b + G[j, j]*b[j];
            b[j] = soft_threshold(z, lam)/G[j, j];
        }
    }
    b
}

check lasso[N = 12, D = 4] { X ~ normal(0, 1); y ~ normal(0, 2); lam in [0.05, 0.3]; }
