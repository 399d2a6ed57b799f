// Hyvärinen's score matching for an energy-based model: half the squared score plus the divergence of the score, which needs
// the diagonal of the Hessian but no normalisation constant.

fn energy[D, H](x: f64[D], W: f64[H, D], b: f64[H], log_width: f64) -> f64 {
    0.5*exp(-2*log_width)*sum(x^2) + sum(softplus(W @ x + b))
}

fn score_matching[N, D, H](X: f64[N, D], W: f64[H, D], b: f64[H], log_width: f64) -> f64 {
    mean({
        let slope = grad(energy, wrt = x)(X[i], W, b, log_width);
        let bend = hess_diag(energy, wrt = x)(X[i], W, b, log_width);
        0.5*sum(slope^2) - sum(bend)
    } for i)
}

check score_matching[N = 6, D = 3, H = 5] {
    X ~ normal(0, 1); W ~ normal(0, 1); b ~ normal(0, 0.5); log_width in [-0.5, 0.5];
}
