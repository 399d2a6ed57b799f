// Exact Gaussian likelihood of a stationary AR(2) series. The partial autocorrelations are tanh of free parameters,
// so that every parameter vector is a stationary process.

fn gauss(r: f64, v: f64) -> f64 { -0.5*(log(2*PI*v) + r^2/v) }

fn ar2[T](y: f64[T], mu: f64, a: f64, b: f64, log_sigma: f64) -> f64 {
    let r1 = tanh(a);
    let r2 = tanh(b);
    let phi1 = r1*(1 - r2);
    let phi2 = r2;
    let s2 = exp(2*log_sigma);
    let v1 = s2/((1 - r2)*(1 + r2)); // variance of y[1] given y[0]
    let v0 = v1/((1 - r1)*(1 + r1)); // stationary variance
    let z = y - mu;
    var ll = gauss(z[0], v0) + gauss(z[1] - r1*z[0], v1);
    for t in 2..T { ll += gauss(z[t] - phi1*z[t - 1] - phi2*z[t - 2], s2); }
    ll
}

check ar2[T = 12] {
    y ~ normal(2, 1); mu ~ normal(2, 0.5); a in [-1, 1]; b in [-1, 1]; log_sigma in [-0.5, 0.5];
}
