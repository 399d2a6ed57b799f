// Fit of a Nelson-Siegel-Svensson yield curve to quoted zero yields, weighted by inverse maturity; the instantaneous forward
// rate is the derivative of maturity times yield.

fn decay(x: f64) -> f64 { -expm1(-x)/x }

fn zero_yield(t: f64, b: f64[4], log_tau: f64[2]) -> f64 {
    let x = t*exp(-log_tau[0]);
    let y = t*exp(-log_tau[1]);
    b[0] + b[1]*decay(x) + b[2]*(decay(x) - exp(-x)) + b[3]*(decay(y) - exp(-y))
}

fn log_discount(t: f64, b: f64[4], log_tau: f64[2]) -> f64 { t*zero_yield(t, b, log_tau) }

fn svensson[N](
    t: f64[N] in (0, INF),
    quote: f64[N],
    b: f64[4],
    log_tau: f64[2],
) -> (misfit: f64, forward: f64[N]) {
    let misfit = sum((zero_yield(t[i], b, log_tau) - quote[i])^2/t[i] for i);
    (1e6*misfit, [grad(log_discount, wrt = t)(t[i], b, log_tau) for i])
}

check svensson[N = 8] {
    t in [0.25, 30];
    quote in [0.01, 0.05];
    b ~ normal(0.02, 0.02);
    log_tau in [-0.5, 2];
}
