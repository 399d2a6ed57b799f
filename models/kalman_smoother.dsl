// The Rauch-Tung-Striebel smoother: a Kalman filter forwards, then each estimate corrected by what came after it.
// x[t + 1] = A x[t] + noise of covariance Q, y[t] = H x[t] + noise of covariance R.

fn smooth[T, N, M](
    A: f64[N, N],
    Q: f64[N, N],
    H: f64[M, N],
    R: f64[M, M],
    m0: f64[N],
    P0: f64[N, N],
    y: f64[T, M],
) -> f64[T, N] {
    // Estimates before each observation and after it, with their covariances.
    var before = zeros(T, N);
    var after = zeros(T, N);
    var Pb = zeros(T, N, N);
    var Pa = zeros(T, N, N);
    var m = m0;
    var P = P0;
    for t in 0..T {
        before[t] = m;
        Pb[t] = P;
        let S = H @ P @ H' + R;
        let K = solve(S, H @ P)';
        m += K @ (y[t] - H @ m);
        P -= K @ H @ P;
        after[t] = m;
        Pa[t] = P;
        m = A @ m;
        P = A @ P @ A' + Q;
    }
    var xs = after;
    for k in 1..T {
        let t = T - 1 - k;
        let G = solve(Pb[t + 1], A @ Pa[t])';
        xs[t] += G @ (xs[t + 1] - before[t + 1]);
    }
    xs
}

/// A cart with a position, which is measured, and a velocity.
fn track[T](y: f64[T, 1], drift: f64, noise: f64) -> f64[T, 2] {
    let A = [[1.0, 0.1], [0.0, 1.0]];
    let Q = drift^2*[[0.0025, 0.05], [0.05, 1.0]] + 1e-4*eye(2);
    smooth(A, Q, [[1.0, 0.0]], [[noise^2]], zeros(2), eye(2), y)
}

fn roughness[T](y: f64[T, 1], drift: f64, noise: f64) -> f64 {
    let x = track(y, drift, noise);
    sum((x[t + 1, 1] - x[t, 1])^2 for t in 0..T - 1)
}

check track[T = 4] { y ~ normal(0, 1); drift in [0.5, 1]; noise in [0.5, 1]; points 8; }
check roughness[T = 5] { y ~ normal(0, 1); drift in [0.5, 1]; noise in [0.5, 1]; points 8; }
