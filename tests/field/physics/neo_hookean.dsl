// A compressible neo-Hookean solid: energy and Cauchy stress of a deformation gradient. The stress comes out symmetric.

fn energy(F: f64[3, 3], mu: f64, lambda: f64) -> f64 {
    let lnj = logdet(F);
    0.5*mu*(sum(F^2) - 3 - 2*lnj) + 0.5*lambda*lnj^2
}

fn material(F: f64[3, 3], mu: f64, lambda: f64) -> (w: f64, cauchy: f64[3, 3], skew: f64[3]) {
    let (w, P) = value_and_grad(energy, wrt = F)(F, mu, lambda);
    let s = P @ F' / abs(det(F));
    (w, s, [s[0, 1] - s[1, 0], s[0, 2] - s[2, 0], s[1, 2] - s[2, 1]])
}

check material {
    F ~ near([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 0.2);
    mu in [0.5, 2];
    lambda in [1, 5];
}
