// Closed-loop poles of den(s) + k num(s) by the Durand-Kerner iteration: spectral abscissa, and Vieta's sum of the roots.

/// Value of s^N + c[0] s^(N-1) + ... + c[N-1].
fn monic[N](c: f64[N], s: c128) -> c128 {
    var p = c128(1, 0);
    for i in 0..N { p = p*s + c[i]; }
    p
}

fn poles[N](c: f64[N]) -> c128[N] {
    var z = [c128(0.4, 0.9)^(i + 1) for i in 0..N];
    for _ in 0..80 {
        for i in 0..N {
            var q = c128(1, 0);
            for j in 0..N { if j != i { q *= z[i] - z[j]; } }
            z[i] -= monic(c, z[i])/q;
        }
    }
    z
}

fn locus[N](den: f64[N], num: f64[N], k: f64) -> (abscissa: f64, vieta: c128) {
    let c = den + k*num;
    let z = poles(c);
    (max(re(z)), sum(z) + c[0])
}

check locus[N = 4] {
    den ~ near([6.0, 11.0, 8.0, 3.0], 1); num ~ near([0.0, 0.0, 1.0, 2.0], 0.2); k in [0.5, 3];
}
