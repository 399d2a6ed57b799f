// The H2 norm of a linear system through the Lyapunov equation A X + X A' + B B' = 0, solved as one linear system.

fn gramian[N, M](A: f64[N, N], B: f64[N, M]) -> f64[N, N] {
    let L = [{
        let i = div(a, N);
        let j = mod(a, N);
        let k = div(b, N);
        let l = mod(b, N);
        let left = if j == l { A[i, k] } else { 0.0 };
        let right = if i == k { A[j, l] } else { 0.0 };
        left + right
    } for a in 0..N*N, b in 0..N*N];
    reshape(solve(L, -reshape(B @ B', N*N)), N, N)
}

/// The squared norm, and what the equation leaves over.
fn h2[N, M, K](A: f64[N, N], B: f64[N, M], C: f64[K, N]) -> (squared: f64, residual: f64[N, N]) {
    let X = gramian(A, B);
    (trace(C @ X @ C'), A @ X + X @ A' + B @ B')
}

check h2[N = 3, M = 1, K = 2] {
    A ~ near([[-1.0, 0.5, 0.0], [-0.5, -1.0, 0.3], [0.0, -0.2, -2.0]], 0.2); B ~ normal(0, 1);
    C ~ normal(0, 1);
}
