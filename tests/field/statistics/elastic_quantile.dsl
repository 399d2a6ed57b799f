// Quantile regression with a smoothed pinball loss and an elastic net penalty (absolute values rounded at the bottom).

fn pinball(r: f64, tau: f64, h: f64) -> f64 { tau*r + h*softplus(-r/h) }

fn elastic_quantile[N, D](
    X: f64[N, D],
    y: f64[N],
    w: f64[D],
    bias: f64,
    tau: f64 in (0, 1),
    lam: f64,
    mix: f64,
) -> f64 {
    let r = y - X @ w - bias;
    let fit = mean(pinball(r[i], tau, 0.05) for i);
    let lasso = sum(sqrt(w^2 + 1e-6));
    let ridge = 0.5*sum(w^2);
    fit + lam*(mix*lasso + (1 - mix)*ridge)
}

check elastic_quantile[N = 12, D = 4] {
    X ~ normal(0, 1);
    y ~ normal(0, 1);
    w ~ normal(0, 1);
    bias in [-1, 1];
    tau = 0.9;
    lam = 0.1;
    mix in [0, 1];
}
