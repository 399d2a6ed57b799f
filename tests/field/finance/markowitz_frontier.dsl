// Markowitz's efficient frontier in closed form: the portfolio of least variance with a given expected return, for a factor
// covariance matrix. The weights sum to 1 and earn the target, by construction.

fn covariance[N, K](B: f64[N, K], log_specific: f64[N]) -> f64[N, N] {
    B @ B' + diag(exp(2*log_specific))
}

fn frontier[N, K](
    mu: f64[N],
    B: f64[N, K],
    log_specific: f64[N],
    target: f64,
) -> (variance: f64, weights: f64[N], invested: f64, earned: f64) {
    let S = covariance(B, log_specific);
    let x = solve(S, ones(N));
    let y = solve(S, mu);
    let a = sum(x);
    let b = sum(y);
    let c = dot(mu, y);
    let gap = a*c - b^2;
    let w = ((c - b*target)*x + (a*target - b)*y)/gap;
    ((a*target^2 - 2*b*target + c)/gap, w, sum(w), dot(mu, w))
}

check frontier[N = 5, K = 2] {
    mu in [0.02, 0.12]; B ~ normal(0, 0.15); log_specific in [-2.5, -1.5]; target in [0.04, 0.1];
}
