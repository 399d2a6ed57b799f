// Circular convolution of complex signals by a fast Fourier transform, and how far it is from the direct sum.

/// Decimation in time while the length is even, the plain sum for what is left.
fn fft[N](x: c128[N]) -> c128[N] {
    if mod(N, 2) == 1 {
        [sum(x[n]*cis(-2*PI*f64(mod(k*n, N))/f64(N)) for n) for k in 0..N]
    } else {
        let h = div(N, 2);
        let even = fft[h]([x[2*i] for i in 0..h]);
        let odd = fft[h]([x[2*i + 1] for i in 0..h]);
        [even[mod(k, h)] + cis(-2*PI*f64(k)/f64(N))*odd[mod(k, h)] for k in 0..N]
    }
}

fn convolve[N](x: c128[N], h: c128[N]) -> (y: c128[N], difference: c128[N]) {
    let product = fft(x)*fft(h);
    let y = conj(fft(conj(product)))/f64(N);
    let direct = [sum(x[k]*h[mod(n - k, N)] for k in 0..N) for n in 0..N];
    (y, y - direct)
}

check convolve[N = 8] { x ~ normal(0, 1); h ~ disk(1); }
check convolve[N = 6] {}
