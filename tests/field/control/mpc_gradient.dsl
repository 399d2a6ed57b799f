// Model predictive control: a few projected gradient steps on a sequence of inputs, with soft bounds on the states.

fn cost[N, M, H](U: f64[H, M], x0: f64[N], A: f64[N, N], B: f64[N, M]) -> f64 {
    var x = x0;
    var total = 0;
    for t in 0..H {
        x = A @ x + B @ U[t];
        total += dot(x, x) + 0.1*dot(U[t], U[t]) + sum(softplus(20*(abs(x) - 2)))/20;
    }
    total
}

/// Cost before and after, and the input to apply now.
fn plan[N, M, H](
    U: f64[H, M],
    x0: f64[N],
    A: f64[N, N],
    B: f64[N, M],
) -> (before: f64, after: f64, now: f64[M]) {
    var V = U;
    for _ in 0..5 { V = clamp(V - 0.02*grad(cost, wrt = U)(V, x0, A, B), -1, 1); }
    (cost(U, x0, A, B), cost(V, x0, A, B), V[0])
}

check plan[N = 2, M = 1, H = 6] {
    U in [-0.9, 0.9]; x0 ~ normal(0, 1);
    A ~ near([[1.0, 0.2], [-0.1, 0.95]], 0.05); B ~ near([[0.0], [0.3]], 0.1);
}
