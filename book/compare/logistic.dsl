fn nll[N, D](#[nodiff] X: f64[N, D], #[nodiff] y: f64[N], w: f64[D]) -> f64 {
    let z = X @ w;
    sum(softplus(z[i]) - y[i]*z[i] for i)
}
check nll[N = 4, D = 2] { y ~ choice(0.0, 1.0); }
