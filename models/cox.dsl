// Cox regression: the hazard of each case is exp(X β) times a baseline that need not be known. The cases are sorted by time, the
// latest first, so that those at risk when case i fails are the cases up to i.

/// The negative logarithm of the partial likelihood; `died` is 0 for cases that were censored.
fn cox[N, D](X: f64[N, D], died: f64[N], beta: f64[D]) -> f64 {
    let eta = X @ beta;
    -sum(died[i]*(eta[i] - logsumexp(eta[j] for j in 0..i + 1)) for i)
}

/// The same with a ridge penalty, and the risk sets as slices.
fn ridge[N, D](X: f64[N, D], died: f64[N], beta: f64[D], lam: f64) -> f64 {
    let eta = X @ beta;
    sum(died[i]*(logsumexp(eta[:i + 1]) - eta[i]) for i) + 0.5*lam*sum(beta^2)
}

check cox[N = 8, D = 2] {
    X ~ normal(0, 1); died ~ choice(0.0, 1.0, 1.0); beta ~ normal(0, 1); wrt beta;
}
check ridge[N = 6, D = 2] {
    X in [-1, 1]; died ~ choice(0.0, 1.0); beta in [-1, 1]; lam = 0.1; wrt beta, lam;
}
