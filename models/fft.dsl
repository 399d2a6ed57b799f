// The fast Fourier transform as it is written on paper: the transforms of the even and the odd entries, joined.

fn fft[N](x: c128[N]) -> c128[N] {
    if N <= 1 {
        x
    } else {
        assert mod(N, 2) == 0, "the length is a power of 2";
        let even = fft([x[i] for i in 0..N step 2]);
        let odd = fft([x[i] for i in 1..N step 2]);
        let t = [cis(-2*PI*f64(k)/f64(N))*odd[k] for k];
        concat(even + t, even - t)
    }
}

/// How far the spectrum of a signal is from a wanted one, by magnitude.
fn spectrum_loss[N](x: c128[N], wanted: f64[N]) -> f64 {
    sum((abs2(fft(x)) - wanted)^2)/f64(N)
}

check fft[N = 1] { x ~ normal(0, 1); }
check fft[N = 2] { x ~ normal(0, 1); }
check fft[N = 8] { x ~ normal(0, 1); }
check spectrum_loss[N = 16] { x ~ normal(0, 1); wanted ~ uniform(0, 2); points 4; }
