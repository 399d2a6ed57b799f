// The unscented transform: mean and covariance of a nonlinear map of a Gaussian, from 2 N + 1 sigma points.

fn pushed[N](x: f64[N]) -> f64[N] { [x[i] + 0.2*sin(x[mod(i + 1, N)])*x[i] for i in 0..N] }

/// G is a square root of the covariance, up to a floor of 0.1.
fn transformed[N](x: f64[N], G: f64[N, N]) -> (centre: f64[N], spread: f64[N, N]) {
    let n = f64(N);
    let L = cholesky((n + 1)*(G @ G' + 0.1*eye(N)));
    let Y = [
        pushed((if k == 0 { x } else if k <= N { x + L[:, k - 1] } else { x - L[:, k - 1 - N] }))
        for k in 0..2*N + 1
    ];
    let w = [(if k == 0 { 1/(n + 1) } else { 0.5/(n + 1) }) for k in 0..2*N + 1];
    let m = sum(w[k]*Y[k] for k);
    (m, sum(w[k]*outer(Y[k] - m, Y[k] - m) for k))
}

check transformed[N = 3] { x ~ normal(0, 1); G ~ normal(0, 0.5); }
