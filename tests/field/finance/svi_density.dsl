// Calibration of an SVI slice of total implied variance with a penalty on butterfly arbitrage: the density function g of
// Gatheral and Jacquier, made of derivatives of the slice in log moneyness, should not be negative.

fn slice_(k: f64, a: f64, b: f64, rho: f64, m: f64, sigma: f64) -> f64 {
    a + b*(rho*(k - m) + hypot(k - m, sigma))
}

fn density(k: f64, a: f64, b: f64, rho: f64, m: f64, sigma: f64) -> f64 {
    let (w, w1) = value_and_grad(slice_, wrt = k)(k, a, b, rho, m, sigma);
    let w2 = grad(grad(slice_, wrt = k), wrt = k)(k, a, b, rho, m, sigma);
    (1 - 0.5*k*w1/w)^2 - 0.25*w1^2*(1/w + 0.25) + 0.5*w2
}

fn svi_loss[N](
    k: f64[N],
    quote: f64[N],
    a: f64,
    log_b: f64,
    r: f64,
    m: f64,
    log_sigma: f64,
    penalty: f64,
) -> f64 {
    let b = exp(log_b);
    let rho = tanh(r);
    let sigma = exp(log_sigma);
    let fit = mean((slice_(k[i], a, b, rho, m, sigma) - quote[i])^2 for i);
    let arbitrage = mean({
        let x = 0.1*f64(j) - 1;
        max(-density(x, a, b, rho, m, sigma), 0)^2
    } for j in 0..21);
    1e4*fit + penalty*arbitrage
}

check svi_loss[N = 9] {
    k in [-0.8, 0.8];
    quote in [0.02, 0.1];
    a in [0.01, 0.04];
    log_b in [-3, -1];
    r in [-1.2, 0.2];
    m in [-0.1, 0.1];
    log_sigma in [-2.5, -1];
    penalty = 10;
}
