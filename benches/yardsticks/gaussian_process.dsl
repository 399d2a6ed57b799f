// The log marginal likelihood of a Gaussian process with a squared exponential kernel, 30 inputs.

fn likelihood[N](x: f64[N], y: f64[N], log_scale: f64, log_height: f64, log_noise: f64) -> f64 {
    let K = [
        exp(2*log_height - 0.5*((x[i] - x[j])*exp(-log_scale))^2) + if i == j { exp(2*log_noise) } else { 0.0 }
        for i in 0..N, j in 0..N
    ];
    -0.5*dot(y, solve(K, y)) - 0.5*logdet(K) - 0.5*f64(N)*log(2*PI)
}

check likelihood[N = 30] {
    x ~ uniform(-2, 2);  y ~ normal(0, 1);
    log_scale ~ uniform(-1, 0);  log_height ~ uniform(-0.3, 0.3);  log_noise ~ uniform(-1.5, -0.5);
}
