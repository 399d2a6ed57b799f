// Frequency of a noisy complex tone: phases unwrapped along the samples, then a straight line through them.

fn unwrapped[N](z: c128[N]) -> f64[N] {
    let phi = arg(z);
    let jumps = [
        (
            if n == 0 {
                phi[0]
            } else {
                let d = phi[n] - phi[n - 1];
                d - 2*PI*round(d/(2*PI))
            }
        )
        for n in 0..N
    ];
    cumsum(jumps)
}

/// Radians per sample, and the phase at the middle.
fn line[N](z: c128[N]) -> (slope: f64, middle: f64) {
    let p = unwrapped(z);
    let t = [f64(n) - 0.5*f64(N - 1) for n in 0..N];
    (dot(t, p)/dot(t, t), mean(p))
}

/// The same after the tone has been mixed down by w: the slope is w less.
fn mixed[N](z: c128[N], w: f64) -> (slope: f64, middle: f64) { line([z[n]*cis(-w*f64(n)) for n]) }

check mixed[N = 8] {
    z ~ near([1 + 0i, 0.7 + 0.7i, 1i, -0.7 + 0.7i, -1 + 0i, -0.7 - 0.7i, -1i, 0.7 - 0.7i], 0.2);
    w in [-0.3, 0.3];
}
