// The eight schools of Rubin (1981): log posterior of the non-centred hierarchical model with a half-Cauchy prior
// for the spread between schools, and the school effects themselves.

fn log_normal(x: f64, m: f64, s: f64) -> f64 { -0.5*((x - m)/s)^2 - log(s) - 0.5*log(2*PI) }

fn eight_schools[J](
    y: f64[J],
    se: f64[J] in (0, INF),
    mu: f64,
    log_tau: f64,
    eta: f64[J],
) -> (log_post: f64, theta: f64[J]) {
    let tau = exp(log_tau);
    let theta = mu + tau*eta;
    let likelihood = sum(log_normal(y[j], theta[j], se[j]) for j);
    let prior = log_normal(mu, 0, 20) + sum(log_normal(eta[j], 0, 1) for j);
    let half_cauchy = log(2/(PI*5)) - log1p((tau/5)^2) + log_tau; // with the Jacobian of the logarithm
    (likelihood + prior + half_cauchy, theta)
}

check eight_schools {
    y = [28, 8, -3, 7, -1, 1, 18, 12];
    se = [15, 10, 16, 11, 9, 11, 10, 18];
    mu ~ normal(5, 5);
    log_tau in [-1, 3];
    eta ~ normal(0, 1);
    wrt mu, log_tau, eta;
}
