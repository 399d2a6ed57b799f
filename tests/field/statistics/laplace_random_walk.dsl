// Counts in consecutive weeks with a latent random walk in their log rate: the marginal likelihood by Laplace's method.
// The mode is found by Newton's method on derivatives of the joint density, and then differentiated through.

/// Negative log joint density of counts y and latent path u.
fn joint[T](u: f64[T], y: i64[T], mu: f64, log_tau: f64) -> f64 {
    let precision = exp(-2*log_tau);
    let data = sum(exp(mu + u[t]) - f64(y[t])*(mu + u[t]) + lgamma(f64(y[t]) + 1) for t);
    let walk = u[0]^2 + sum((u[t] - u[t - 1])^2 for t in 1..T);
    data + 0.5*precision*walk + f64(T)*log_tau
}

fn marginal[T](y: i64[T], mu: f64, log_tau: f64) -> f64 {
    var u = zeros(T);
    for _ in 0..15 {
        let g = grad(joint, wrt = u)(u, y, mu, log_tau);
        let H = hessian(joint, wrt = u)(u, y, mu, log_tau);
        u -= solve(H, g);
    }
    joint(u, y, mu, log_tau) + 0.5*logdet(hessian(joint, wrt = u)(u, y, mu, log_tau))
}

check marginal[T = 6] { y ~ int(0, 6); mu in [0, 1.5]; log_tau in [-1, 0]; }
