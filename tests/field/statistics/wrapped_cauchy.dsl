// Regression of an angle (wind direction, time of day) with wrapped Cauchy errors, written on the unit circle.

/// Log density at theta of the wrapped Cauchy law whose first moment is m, |m| < 1.
fn log_density(theta: f64, m: c128) -> f64 {
    log((1 - abs2(m))/(2*PI)) - log(abs2(cis(theta) - m))
}

/// Fisher and Lee's link: the mean direction is mu + 2 atan(x'b).
fn wrapped_cauchy[N, P](theta: f64[N], X: f64[N, P], beta: f64[P], mu: f64, r: f64) -> f64 {
    let rho = sigmoid(r);
    let direction = [mu + 2*atan(sum(X[i, p]*beta[p] for p)) for i];
    -sum(log_density(theta[i], rho*cis(direction[i])) for i)
}

check wrapped_cauchy[N = 9, P = 2] {
    theta in [-3.14, 3.14];
    X ~ normal(0, 1);
    beta ~ normal(0, 0.5);
    mu in [-1, 1];
    r in [-2, 2];
}
