// Gamma regression with a log link: the standard errors of the coefficients from the observed information, which is the
// Hessian of the negative log-likelihood.

fn gamma_nll[N, D](X: f64[N, D], y: f64[N], beta: f64[D], shape: f64) -> f64 {
    let eta = X @ beta;
    sum(
        lgamma(shape)
            - shape*log(shape)
            + shape*eta[i]
            - (shape - 1)*log(y[i])
            + shape*y[i]*exp(-eta[i])
        for i
    )
}

fn standard_errors[N, D](
    X: f64[N, D],
    y: f64[N] in (0, INF),
    beta: f64[D],
    shape: f64 in (0, INF),
) -> f64[D] {
    let information = hessian(gamma_nll, wrt = beta)(X, y, beta, shape);
    sqrt(diag(inv(information)))
}

check standard_errors[N = 10, D = 2] {
    X ~ normal(0, 1); y ~ lognormal(0, 0.5); beta ~ normal(0, 0.5); shape in [1, 4];
}
