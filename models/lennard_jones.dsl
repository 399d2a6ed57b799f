// Lennard-Jones pair: energy and force of two particles, in units of the well depth.

/// Potential energy at distance r; eps is the depth of the well, sigma where the energy is 0.
fn energy(r: f64 in [1.0, 1.2], eps: f64 in [0.5, 2], sigma: f64 in [0.9, 1.1]) -> f64 {
    let q = (sigma/r)^6;
    4*eps*(q^2 - q)
}

/// Minus the derivative of the energy along r, by hand.
fn force(r: f64 in [1.0, 1.2], eps: f64 in [0.5, 2], sigma: f64 in [0.9, 1.1]) -> f64 {
    let q = (sigma/r)^6;
    24*eps*(2*q^2 - q)/r
}

check energy { modes slow, fast, forward, gradgrad; }
check force { modes slow, fast, forward, gradgrad; }
