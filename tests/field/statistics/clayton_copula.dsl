// Two exponential lifetimes joined by a Clayton survival copula: joint log-likelihood, and Kendall's tau.
// With u = exp(-a), v = exp(-b) the copula needs only log(e^(θa) + e^(θb) - 1), which log1p and expm1 keep exact.

fn log_copula(a: f64, b: f64, θ: f64) -> f64 {
    let s = log1p(expm1(θ*a) + expm1(θ*b));
    log1p(θ) + (1 + θ)*(a + b) - (2 + 1/θ)*s
}

fn clayton[N](
    x: f64[N] in (0, INF),
    y: f64[N] in (0, INF),
    log_rate: f64[2],
    log_theta: f64,
) -> (nll: f64, tau: f64) {
    let θ = exp(log_theta);
    let λ = exp(log_rate);
    let nll = -sum({
        let a = λ[0]*x[i];
        let b = λ[1]*y[i];
        log_copula(a, b, θ) + log_rate[0] - a + log_rate[1] - b
    } for i);
    (nll, θ/(θ + 2))
}

check clayton[N = 7] { x in [0.1, 3]; y in [0.1, 3]; log_rate in [-1, 1]; log_theta in [-1, 1.5]; }
