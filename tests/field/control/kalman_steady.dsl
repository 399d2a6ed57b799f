// The steady gain of a Kalman filter: the Riccati equation iterated until it stands still.

fn steady_gain[N, M](
    A: f64[N, N],
    C: f64[M, N],
    q: f64[N],
    r: f64[M],
) -> (gain: f64[N, M], variance: f64) {
    let Q = diag(exp(q));
    let R = diag(exp(r));
    var P = Q;
    var change = 1.0;
    var turns = 0;
    while change > 1e-13 && turns < 500 {
        let S = C @ P @ C' + R;
        let next = A @ (P - P @ C' @ solve(S, C @ P)) @ A' + Q;
        change = norm(next - P)/norm(next);
        P = next;
        turns += 1;
    }
    (P @ C' @ inv(C @ P @ C' + R), trace(P))
}

check steady_gain[N = 3, M = 2] {
    A ~ near([[0.9, 0.2, 0.0], [0.0, 0.8, 0.1], [0.1, 0.0, 0.95]], 0.05);
    C ~ normal(0, 1); q in [-3, -1]; r in [-2, 0];
}
