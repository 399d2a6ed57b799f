// Ordered probit: answers on a scale 0 … K + 1, K + 1 thresholds whose gaps are exponentials of free parameters.

fn log_cdf(x: f64) -> f64 {
    if x > 0 { log1p(-0.5*erfc(x/sqrt(2))) } else { log(0.5*erfc(-x/sqrt(2))) }
}

/// Phi(hi) - Phi(lo), taken in the tail where the numbers are small.
fn between(lo: f64, hi: f64) -> f64 {
    let s = sqrt(0.5);
    if lo > 0 { 0.5*(erfc(s*lo) - erfc(s*hi)) } else { 0.5*(erfc(-s*hi) - erfc(-s*lo)) }
}

fn log_prob[C](y: i64, eta: f64, cuts: f64[C]) -> f64 {
    if y == 0 {
        log_cdf(cuts[0] - eta)
    } else if y == C {
        log_cdf(eta - cuts[C - 1])
    } else {
        log(between(cuts[y - 1] - eta, cuts[y] - eta))
    }
}

fn ordered_probit[N, P, K](
    y: i64[N],
    X: f64[N, P],
    beta: f64[P],
    first: f64,
    log_gaps: f64[K],
) -> f64 {
    let cuts = first + concat([0.0], cumsum(exp(log_gaps)));
    let eta = X @ beta;
    -sum(log_prob(y[i], eta[i], cuts) for i)
}

check ordered_probit[N = 8, P = 2, K = 3] {
    y ~ int(0, 4);
    X ~ normal(0, 1);
    beta ~ normal(0, 0.6);
    first in [-2, -1];
    log_gaps in [-1, 0.5];
}
