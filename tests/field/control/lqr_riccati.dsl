// Linear-quadratic regulator over forty steps by the Riccati recursion: cost to go, first gain, and how far the last step
// still moved. Weights are given by their logarithms.

fn lqr[N, M](
    A: f64[N, N],
    B: f64[N, M],
    q: f64[N],
    r: f64[M],
    x0: f64[N],
) -> (cost: f64, gain: f64[M, N], moved: f64) {
    let Q = diag(exp(q));
    let R = diag(exp(r));
    var P = Q;
    var K = zeros(M, N);
    var moved = 0.0;
    for _ in 0..40 {
        K = solve(R + B' @ P @ B, B' @ P @ A);
        let next = Q + A' @ P @ (A - B @ K);
        moved = dot(x0, (next - P) @ x0);
        P = next;
    }
    (dot(x0, P @ x0), K, moved)
}

check lqr[N = 3, M = 1] {
    A ~ near([[1.0, 0.1, 0.0], [0.0, 1.0, 0.1], [0.0, 0.0, 0.9]], 0.05);
    B ~ near([[0.0], [0.1], [0.5]], 0.05);
    q in [-1, 1]; r in [-1, 1]; x0 ~ normal(0, 1);
}
