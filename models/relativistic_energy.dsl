// Energy and momentum of a particle, in units with c = 1.

/// Total energy of rest mass m at speed b (a fraction of c).
fn energy(m: f64 in [0.5, 2], b: f64 in [0.2, 0.9]) -> f64 {
    m/sqrt((1 - b)*(1 + b))
}

/// Kinetic energy from momentum p, without the cancellation of sqrt(p^2 + m^2) - m at small p.
fn kinetic(p: f64 in [0.3, 2], m: f64 in [0.5, 2]) -> f64 {
    p^2/(hypot(p, m) + m)
}

/// Invariant mass in MeV of two particles with energies e1, e2 and momenta p1, p2 (GeV) along one line.
fn invariant_mass(
    e1: f64 in [3, 4],
    p1: f64 in [1, 2],
    e2: f64 in [3, 4],
    p2: f64 in [-2, -1],
) -> f64 {
    1000*sqrt((e1 + e2)^2 - (p1 + p2)^2)
}

check energy { modes slow, fast, forward, gradgrad; }
check kinetic { modes slow, fast, forward, gradgrad; }
check invariant_mass { p1 in [1.5, 2]; p2 in [-1.3, -1]; modes slow, fast, forward, gradgrad; }
