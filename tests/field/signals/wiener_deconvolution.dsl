// Wiener deconvolution of a blurred signal: restored signal and its misfit, by discrete Fourier transforms.

fn dft[N](x: c128[N], sign_of: f64) -> c128[N] {
    [sum(x[n]*cis(sign_of*2*PI*f64(mod(k*n, N))/f64(N)) for n) for k in 0..N]
}

fn restored[N](y: f64[N], blur: f64[N], noise: f64 in (0, INF)) -> f64[N] {
    let Y = dft([c128(y[n]) for n], -1);
    let B = dft([c128(blur[n]) for n], -1);
    let X = [conj(B[k])*Y[k]/(abs2(B[k]) + noise) for k];
    re(dft(X, 1))/f64(N)
}

fn misfit[N](y: f64[N], blur: f64[N], noise: f64 in (0, INF), truth: f64[N]) -> f64 {
    10*log10(mean((restored(y, blur, noise) - truth)^2))
}

check misfit[N = 7] {
    y ~ normal(0, 1); blur ~ near([0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25], 0.1);
    noise in [0.01, 0.3]; truth ~ normal(0, 1);
}
