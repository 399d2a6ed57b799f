// Logistic regression: the negative log likelihood, ridge penalty included, and one Newton-like step along its gradient.

/// log(1 + exp(t)) without overflow.
fn soft(t: f64) -> f64 { if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) } }

fn nll[N, D](X: f64[N, D], y: f64[N], w: f64[D], lam: f64) -> f64 {
    let z = X @ w;
    sum(soft(z[i]) - y[i]*z[i] for i)/f64(N) + 0.5*lam*sum(w[j]^2 for j)
}

/// The loss after a step of steepest descent with exact line search on the quadratic model.
fn after_step[N, D](X: f64[N, D], y: f64[N], w: f64[D], lam: f64) -> f64 {
    let g = grad(nll, wrt = w)(X, y, w, lam);
    let curvature = dot(g, hvp(nll, wrt = w)(X, y, w, lam; g));
    nll(X, y, w - dot(g, g)/curvature*g, lam)
}

check nll[N = 40, D = 5] {
    X ~ normal(0, 1); y ~ choice(0.0, 1.0); w ~ normal(0, 1); lam = 0.1;
    wrt w, lam;
}
check after_step[N = 6, D = 3] {
    X ~ normal(0, 1); y ~ choice(0.0, 1.0); w ~ normal(0, 1); lam = 0.5;
    wrt w, lam; modes slow, fast, forward;
}
