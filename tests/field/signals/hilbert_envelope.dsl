// The analytic signal by Fourier transforms: envelope, instantaneous frequency, and the real part, which is the signal.

fn analytic[N](x: f64[N]) -> c128[N] {
    let X = [sum(x[n]*cis(-2*PI*f64(k*n)/f64(N)) for n) for k in 0..N];
    let Z = [
        (if k == 0 || 2*k == N { 1.0 } else if 2*k < N { 2.0 } else { 0.0 })*X[k]
        for k in 0..N
    ];
    [sum(Z[k]*cis(2*PI*f64(k*n)/f64(N)) for k)/f64(N) for n in 0..N]
}

fn demodulate[N](x: f64[N]) -> (envelope: f64[N], frequency: f64[N - 1], defect: f64[N]) {
    let z = analytic(x);
    (abs(z), [arg(z[n + 1]*conj(z[n]))/(2*PI) for n in 0..N - 1], re(z) - x)
}

check demodulate[N = 9] { x ~ normal(0, 1); }
check demodulate[N = 8] { x ~ normal(0, 1); points 8; }
