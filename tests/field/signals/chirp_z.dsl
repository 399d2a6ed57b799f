// The chirp z-transform: the z-transform of a signal on a spiral, by Bluestein's convolution and by the definition.

/// v is the square root of the ratio of neighbouring points.
fn bluestein[N](x: c128[N], a: c128, v: c128) -> c128[N] {
    let u = [x[n]*a^(-n)*v^(n*n) for n];
    [v^(k*k)*sum(u[n]*v^(-(k - n)*(k - n)) for n) for k in 0..N]
}

fn direct[N](x: c128[N], a: c128, v: c128) -> c128[N] {
    [sum(x[n]*a^(-n)*v^(2*k*n) for n) for k in 0..N]
}

/// The spectrum, and the energy that the two ways differ by.
fn spiral[N](x: c128[N], a: c128, v: c128) -> (spectrum: c128[N], defect: f64) {
    let s = bluestein(x, a, v);
    (s, sum(abs2(s)) - sum(abs2(direct(x, a, v))))
}

check spiral[N = 6] { x ~ normal(0, 1); a ~ near(1 + 0.1i, 0.1); v ~ near(0.95 - 0.3i, 0.05); }
