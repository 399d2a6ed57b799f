// Fresnel coefficients at the surface of an absorbing medium.

/// Cosine of the (complex) angle of refraction; n is the complex index, cost the cosine of incidence.
fn cos_refracted(n: c128, cost: f64) -> c128 {
    sqrt(1 - (1 - cost^2)/n^2)
}

/// Amplitude reflection of s- and p-polarised light.
fn reflection(n: c128, cost: f64 in (0, 1]) -> (s: c128, p: c128) {
    let ct = cos_refracted(n, cost);
    ((cost - n*ct)/(cost + n*ct), (n*cost - ct)/(n*cost + ct))
}

/// Reflectance of unpolarised light, in percent.
fn reflectance(n: c128, cost: f64 in (0, 1]) -> f64 {
    let (s, p) = reflection(n, cost);
    50*(abs2(s) + abs2(p))
}

check reflection { n ~ near(1.6 + 0.4i, 0.1); cost in [0.3, 0.6]; modes slow, fast, forward; }
check reflectance { n ~ near(1.6 + 0.4i, 0.2); cost in [0.5, 0.7]; modes slow, fast, forward; }
