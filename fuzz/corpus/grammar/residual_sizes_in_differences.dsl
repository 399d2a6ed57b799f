fn h[N](x: f64, b: bool) -> f64 {
    logsumexp(
        logdet([x for i in 0..N, j in 0..N]*[x for i in 0..N, j in 0..N] + 4*eye(N))
        for k in 0..3
    )
}
fn f[N](x: f64, v: f64[N]) -> f64 { grad(grad(h[N], wrt = 0), wrt = 0)(x, false) }
check f[N = 3] {}
