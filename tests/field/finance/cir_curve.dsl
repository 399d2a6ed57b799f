// The zero curve of the Cox-Ingersoll-Ross model, in logarithms; and how far Feller's condition is from failing.

fn log_price(r: f64, tau: f64, kappa: f64, theta: f64, sigma: f64) -> f64 {
    let h = sqrt(kappa^2 + 2*sigma^2);
    let growth = expm1(h*tau);
    let below = 2*h + (kappa + h)*growth;
    let log_a = 2*kappa*theta/sigma^2*(log(2*h) + 0.5*(kappa + h)*tau - log(below));
    log_a - 2*growth/below*r
}

fn cir_curve[N](
    r: f64,
    tau: f64[N] in (0, INF),
    log_kappa: f64,
    log_theta: f64,
    log_sigma: f64,
) -> (yields: f64[N], feller: f64) {
    let kappa = exp(log_kappa);
    let theta = exp(log_theta);
    let sigma = exp(log_sigma);
    ([-log_price(r, tau[i], kappa, theta, sigma)/tau[i] for i], 2*kappa*theta - sigma^2)
}

check cir_curve[N = 6] {
    r in [0.005, 0.08];
    tau in [0.25, 20];
    log_kappa in [-2, 0.5];
    log_theta in [-4, -2.5];
    log_sigma in [-3.5, -1.5];
}
