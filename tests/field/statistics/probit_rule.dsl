// Probit regression on log Phi, whose derivative is written by hand: the inverse Mills ratio from the value itself.

fn log_ndtr(x: f64) -> f64 {
    if x > 0 { log1p(-0.5*erfc(x/sqrt(2))) } else { log(0.5*erfc(-x/sqrt(2))) }
}
rule jvp log_ndtr(x; dx) { dx*exp(-0.5*x^2 - out)/sqrt(2*PI) }
rule vjp log_ndtr(x; g) { g*exp(-0.5*x^2 - out)/sqrt(2*PI) }

/// Negative log posterior with a normal prior; y is 0 or 1.
fn probit[N, D](X: f64[N, D], #[nodiff] y: f64[N], w: f64[D], bias: f64) -> f64 {
    let z = X @ w + bias;
    0.5*sum(w^2) - sum(log_ndtr((2*y[i] - 1)*z[i]) for i)
}

check probit[N = 12, D = 3] {
    X ~ normal(0, 1); y ~ choice(0.0, 1.0); w ~ normal(0, 1); bias in [-1, 1];
}
