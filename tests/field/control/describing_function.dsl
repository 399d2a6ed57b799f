// Harmonic balance of a servo with a saturated amplifier: 1 + N(a) G(i w) = 0 at a limit cycle.

/// Describing function of unit gain for limit/amplitude r; the derivative needs no cancelling roots.
fn saturation(r: f64 in [0, 1)) -> f64 { 2/PI*(asin(r) + r*sqrt((1 - r)*(1 + r))) }
rule partial saturation(r) { d r: 4/PI*sqrt((1 - r)*(1 + r)); }

fn gain(a: f64 in (0, INF), limit: f64 in (0, INF)) -> f64 {
    if a > limit { saturation(limit/a) } else { 1 }
}

/// k/(s (s + 1) (s + p)) at s = i w.
fn plant(w: f64, k: f64, p: f64) -> c128 {
    let s = c128(0, w);
    k/(s*(s + 1)*(s + p))
}

fn balance(
    a: f64 in (0, INF),
    limit: f64 in (0, INF),
    w: f64,
    k: f64,
    p: f64,
) -> (residual: c128, size: f64) {
    let e = 1 + gain(a, limit)*plant(w, k, p);
    (e, abs2(e))
}

check balance { a in [0.5, 4]; limit in [0.5, 1.5]; w in [0.8, 2]; k in [5, 15]; p in [1.5, 3]; }
