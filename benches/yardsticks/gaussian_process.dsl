// The log marginal likelihood of a Gaussian process with a squared exponential kernel: 30 points of 2 coordinates.

fn kernel[N, D](x: f64[N, D], log_scale: f64[D], log_height: f64, log_noise: f64) -> f64[N, N] {
    [{
        let d2 = sum(((x[i, c] - x[j, c])*exp(-log_scale[c]))^2 for c);
        exp(2*log_height - 0.5*d2) + if i == j { exp(2*log_noise) } else { 0.0 }
    } for i in 0..N, j in 0..N]
}

fn likelihood[N, D](
    x: f64[N, D],
    y: f64[N],
    log_scale: f64[D],
    log_height: f64,
    log_noise: f64,
) -> f64 {
    let L = cholesky(kernel(x, log_scale, log_height, log_noise));
    let a = solve(L, y);
    -0.5*dot(a, a) - sum(log(L[i, i]) for i in 0..N) - 0.5*f64(N)*log(2*PI)
}

check likelihood[N = 30, D = 2] {
    x ~ uniform(-2, 2); y ~ normal(0, 1); log_scale ~ uniform(-0.5, 0.5);
    log_height ~ uniform(-0.3, 0.3); log_noise ~ uniform(-1, 0);
}
