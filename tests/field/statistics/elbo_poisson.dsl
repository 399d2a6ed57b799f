// Black-box variational inference: the reparametrised evidence lower bound of any log density under a diagonal normal
// family, here for a Poisson regression with a normal prior.

fn elbo[D, S](log_p: fn(f64[D]) -> f64, m: f64[D], log_s: f64[D], noise: f64[S, D]) -> f64 {
    let s = exp(log_s);
    let entropy = sum(log_s) + 0.5*f64(D)*(1 + log(2*PI));
    entropy + mean(log_p(m + s*noise[k]) for k)
}

fn log_joint[N, D](w: f64[D], X: f64[N, D], y: i64[N]) -> f64 {
    let eta = X @ w;
    sum(f64(y[i])*eta[i] - exp(eta[i]) - lgamma(f64(y[i]) + 1) for i)
        - 0.5*sum(w^2)
        - 0.5*f64(D)*log(2*PI)
}

fn poisson_elbo[N, D, S](
    X: f64[N, D],
    y: i64[N],
    m: f64[D],
    log_s: f64[D],
    #[nodiff] noise: f64[S, D],
) -> f64 {
    elbo(log_joint(_, X, y), m, log_s, noise)
}

check poisson_elbo[N = 8, D = 3, S = 5] {
    X ~ normal(0, 1);
    y ~ int(0, 5);
    m ~ normal(0, 0.5);
    log_s in [-2, 0];
    noise ~ normal(0, 1);
    wrt m, log_s;
}
