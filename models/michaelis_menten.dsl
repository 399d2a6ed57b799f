// Enzyme kinetics.

/// Rate with competitive inhibition: substrate s, inhibitor i, constants vmax, km, ki.
fn rate(
    s: f64 in [0.5, 2],
    i: f64 in [0.2, 1],
    vmax: f64 in [5, 10],
    km: f64 in [0.5, 1.5],
    ki: f64 in [0.3, 0.8],
) -> f64 {
    vmax*s/(km*(1 + i/ki) + s)
}

/// Hill kinetics with a real exponent n.
fn hill(
    s: f64 in [1.2, 2],
    vmax: f64 in [5, 10],
    k: f64 in [0.5, 0.8],
    n: f64 in [1.5, 2.5],
) -> f64 {
    vmax*s^n/(k^n + s^n)
}

check rate { modes slow, fast, forward, gradgrad; }
check hill { modes slow, fast, forward, gradgrad; }
