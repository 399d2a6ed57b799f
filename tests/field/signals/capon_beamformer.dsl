// Capon's beamformer on a uniform line of sensors: spectrum at an angle, and the distortionless weights.

/// Response of sensors half a wavelength apart to a plane wave.
fn steering[M](theta: f64) -> c128[M] { [cis(PI*f64(m)*sin(theta)) for m in 0..M] }

/// Columns of X are snapshots. The gain of the weights in the looked-at direction is 1 by construction.
fn capon[M, K](
    X: c128[M, K],
    theta: f64,
    loading: f64 in (0, INF),
) -> (decibels: f64, w: c128[M], gain: c128) {
    let S = X @ X' / f64(K);
    let R = [S[i, j] + (if i == j { loading } else { 0.0 }) for i, j];
    let a = steering[M](theta);
    let Ra = solve(R, a);
    let p = 1/re(dot(a, Ra));
    let w = p*Ra;
    (10*log10(p), w, dot(w, a))
}

check capon[M = 4, K = 6] { X ~ normal(0, 1); theta in [-1.2, 1.2]; loading in [0.05, 0.5]; }
