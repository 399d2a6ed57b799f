// A deep equilibrium layer z = tanh(C z + u), C a contraction made of W. The fixed point is iterated two hundred times and
// differentiated by the implicit function theorem, written by hand, instead of through the iterations.

fn equilibrium[H](W: f64[H, H], u: f64[H]) -> f64[H] {
    let C = W*(0.5/norm(W));
    var z = zeros(H);
    for _ in 0..200 { z = tanh(C @ z + u); }
    z
}
rule jvp equilibrium(W, u; dW, du) {
    let n = norm(W);
    let C = W*(0.5/n);
    let dC = dW*(0.5/n) - C*(sum(W*dW)/n^2);
    let s = 1 - out^2;
    let J = eye(H) - [s[i]*C[i, j] for i, j];
    solve(J, s*(dC @ out + du))
}

fn deq_loss[N, D, H](
    X: f64[N, D],
    y: f64[N],
    W: f64[H, H],
    U: f64[H, D],
    b: f64[H],
    a: f64[H],
) -> f64 {
    0.5*mean((dot(a, equilibrium(W, U @ X[i] + b)) - y[i])^2 for i)
}

check deq_loss[N = 4, D = 3, H = 5] {
    X ~ normal(0, 1);
    y ~ normal(0, 1);
    W ~ normal(0, 1);
    U ~ normal(0, 0.5);
    b ~ normal(0, 0.2);
    a ~ normal(0, 1);
}
