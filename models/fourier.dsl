// How far the discrete Fourier transform of a signal is from a wanted spectrum, by magnitude and by phase.

fn dft[N](x: c128[N]) -> c128[N] {
    [sum(x[n]*cis(-2*PI*f64(mod(k*n, N))/f64(N)) for n) for k in 0..N]
}

fn spectrum_loss[N](x: c128[N], wanted: c128[N]) -> f64 {
    let s = dft(x);
    sum(abs2(s[k] - wanted[k]) for k)/f64(N)
}

/// Only the magnitudes count.
fn magnitude_loss[N](x: c128[N], wanted: f64[N]) -> f64 {
    let s = dft(x);
    sum((abs(s[k]) - wanted[k])^2 for k)
}

/// A real signal, windowed, and its spectrum in decibels.
#[allow(unstable_formula)]
fn decibels[N](x: f64[N]) -> f64[N] {
    let s = dft([c128(x[n]*0.5*(1 - cos(2*PI*f64(n)/f64(N))), 0.0) for n]);
    [10*log10(abs2(s[k]) + 1e-3) for k]
}

check spectrum_loss[N = 6] { x ~ normal(0, 1); wanted ~ normal(0, 1); }
check magnitude_loss[N = 5] { x ~ normal(0, 1); wanted ~ uniform(0, 2); }
check decibels[N = 5] { x ~ normal(0, 1); }
