// Complex gradient descent: fit a complex amplitude to a measured intensity, three steps written out.
// The step goes along -(dL/dx + i dL/dy), the direction of steepest descent.

/// Misfit of the intensity |a z|^2 with b, and of the phase with that of p.
fn misfit(z: c128, a: c128, b: f64, p: c128) -> f64 {
    0.25*(abs2(a*z) - b)^2 + 0.5*abs2(z - p)
}

/// Gradient of the misfit, by hand: 2 dL/dz*.
fn misfit_gradient(z: c128, a: c128, b: f64, p: c128) -> c128 {
    (abs2(a*z) - b)*abs2(a)*z + (z - p)
}

/// One step of size h.
fn descend(z: c128, h: f64, a: c128, b: f64, p: c128) -> c128 {
    z - h*misfit_gradient(z, a, b, p)
}

/// Misfit after three steps from z.
fn after_three(z: c128, h: f64, a: c128, b: f64, p: c128) -> f64 {
    let z1 = descend(z, h, a, b, p);
    let z2 = descend(z1, h, a, b, p);
    let z3 = descend(z2, h, a, b, p);
    misfit(z3, a, b, p)
}

check misfit {
    z ~ near(1 + 1i, 0.3); a ~ near(1.5 + 0.5i, 0.2); b in [0.5, 1]; p ~ near(-0.5, 0.2);
    modes slow, fast, forward;
}
check misfit_gradient {
    z ~ near(1 + 1i, 0.3); a ~ near(1.5 + 0.5i, 0.2); b in [0.5, 1]; p ~ near(-0.5, 0.2);
    modes slow, fast, forward;
}
check after_three {
    z ~ near(1 + 1i, 0.2); h in [0.02, 0.04]; a ~ near(1.5 + 0.5i, 0.2); b in [0.5, 1];
    p ~ near(-0.5, 0.2);
    modes slow, fast, forward;
}
