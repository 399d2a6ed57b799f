// Planck's law: spectral radiance of a black body.

/// Spectral radiance in kW/(sr m^2 um) at wavelength l (micrometres) and temperature t (1000 K).
fn radiance(l: f64 in [0.4, 1.5], t: f64 in [3, 6]) -> f64 {
    let c1 = 1.191042972e5; // 2 h c^2, kW um^4/(sr m^2)
    let c2 = 14.38776877; // h c/k, um 1000 K
    c1/(l^5*expm1(c2/(l*t)))
}

check radiance { modes slow, fast, forward, gradgrad; }
