// Whittle's likelihood of an ARMA(1, 1) process: the periodogram against the spectral density at the Fourier frequencies.

fn periodogram[T](y: f64[T], w: f64) -> f64 { abs2(sum(y[t]*cis(-w*f64(t)) for t))/(2*PI*f64(T)) }

fn spectrum(w: f64, phi: f64, theta: f64, log_sigma: f64) -> f64 {
    let z = cis(-w);
    exp(2*log_sigma)/(2*PI)*abs2(1 + theta*z)/abs2(1 - phi*z)
}

fn whittle[T](y: f64[T], phi: f64 in (-1, 1), theta: f64 in (-1, 1), log_sigma: f64) -> f64 {
    let n = div(T - 1, 2);
    sum({
        let w = 2*PI*f64(j)/f64(T);
        let f = spectrum(w, phi, theta, log_sigma);
        log(f) + periodogram(y, w)/f
    } for j in 1..n + 1)
}

check whittle[T = 11] {
    y ~ normal(0, 1); phi in [-0.9, 0.9]; theta in [-0.9, 0.9]; log_sigma in [-0.5, 0.5];
}
