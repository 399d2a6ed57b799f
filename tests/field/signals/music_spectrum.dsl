// MUSIC for one source: the signal subspace by power iteration on the covariance, then the pseudo-spectrum at an angle.

fn unit[M](z: c128[M]) -> c128[M] { z/norm(z) }
rule vjp unit(z; g) { (g - out*re(dot(out, g)))/norm(z) }

/// Dominant eigenvector; its phase is arbitrary.
fn dominant[M](R: c128[M, M], start: c128[M]) -> c128[M] {
    var v = unit(start);
    var old = 0.0;
    var power = norm(R @ v);
    var turns = 0;
    while abs(power - old) > 1e-14*power && turns < 300 {
        v = unit(R @ v);
        old = power;
        power = norm(R @ v);
        turns += 1;
    }
    v
}

fn music[M, K](X: c128[M, K], theta: f64) -> f64 {
    let R = X @ X' / f64(K);
    let a = [cis(PI*f64(m)*sin(theta)) for m in 0..M];
    let v = dominant(R, X @ [c128(1, 0) for k in 0..K]);
    10*log10(f64(M)/(f64(M) - abs2(dot(v, a)) + 1e-3))
}

check music[M = 4, K = 3] {
    X ~ near(
        [
            [1 + 0i, 1 + 0.2i, 0.9i],
            [0.6 + 0.8i, 0.5 + 0.9i, -0.8 + 0.5i],
            [-0.3 + 0.9i, -0.4 + 0.9i, -0.9 - 0.3i],
            [-0.9 + 0.3i, -1 + 0.2i, -0.2 - 0.9i],
        ],
        0.2,
    );
    theta in [-1, 1];
}
