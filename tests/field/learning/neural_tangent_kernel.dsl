// The empirical neural tangent kernel of a two-layer network: inner products of parameter gradients at two inputs; and the
// prediction of kernel regression with it.

fn net[D, H](x: f64[D], W: f64[H, D], b: f64[H], a: f64[H]) -> f64 {
    dot(a, tanh(W @ x + b))/sqrt(f64(H))
}

fn ntk[D, H](x: f64[D], y: f64[D], W: f64[H, D], b: f64[H], a: f64[H]) -> f64 {
    let (xW, xb, xa) = grad(net, wrt = (W, b, a))(x, W, b, a);
    let (yW, yb, ya) = grad(net, wrt = (W, b, a))(y, W, b, a);
    sum(xW*yW) + dot(xb, yb) + dot(xa, ya)
}

fn predict[N, D, H](
    X: f64[N, D],
    y: f64[N],
    x: f64[D],
    W: f64[H, D],
    b: f64[H],
    a: f64[H],
    ridge: f64,
) -> f64 {
    let G = [ntk(X[i], X[j], W, b, a) for i, j] + ridge*eye(N);
    let k = [ntk(x, X[i], W, b, a) for i];
    k @ solve(G, y)
}

check predict[N = 5, D = 2, H = 6] {
    X ~ normal(0, 1);
    y ~ normal(0, 1);
    x ~ normal(0, 1);
    W ~ normal(0, 1);
    b ~ normal(0, 0.5);
    a ~ normal(0, 1);
    ridge = 0.1;
}
