// A Kalman filter: the log likelihood of a series of observations under a linear model with Gaussian noise.

fn log_likelihood[T, N, M](
    F: f64[N, N],
    H: f64[M, N],
    q: f64[N],
    r: f64[M],
    x0: f64[N],
    z: f64[T, M],
) -> f64 {
    var x = x0;
    var P = eye(N);
    var total = 0.0;
    for t in 0..T {
        // Predict.
        x = F @ x;
        P = F @ P @ F' + diag([exp(q[i]) for i]);
        // Compare and correct.
        let e = z[t] - H @ x;
        let S = H @ P @ H' + diag([exp(r[i]) for i]);
        let K = solve(S, H @ P)';
        total += -0.5*(dot(e, solve(S, e)) + logdet(S) + f64(M)*log(2*PI));
        x = x + K @ e;
        P = P - K @ H @ P;
    }
    total
}

check log_likelihood[T = 4, N = 2, M = 1] {
    F ~ near([[1.0, 0.1], [0.0, 0.9]], 0.05); H ~ near([[1.0, 0.0]], 0.1);
    q ~ uniform(-2, -1); r ~ uniform(-1, 0); x0 ~ normal(0, 1); z ~ normal(0, 1);
}
