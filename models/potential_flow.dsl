// Plane potential flow: uniform stream, doublet (a cylinder) and vortex.

/// Complex potential at z of a cylinder of radius a in a stream u with circulation gamma.
fn potential(z: c128, u: f64, a: f64, gamma: f64) -> c128 {
    u*(z + a^2/z) + 1i*gamma/(2*PI)*log(z/a)
}

/// Complex velocity dw/dz, by hand.
fn velocity(z: c128, u: f64, a: f64, gamma: f64) -> c128 {
    u*(1 - a^2/z^2) + 1i*gamma/(2*PI*z)
}

/// Stream function, constant along streamlines.
fn stream(z: c128, u: f64, a: f64, gamma: f64) -> f64 { im(potential(z, u, a, gamma)) }

/// Pressure coefficient of the speed at z.
fn pressure_coefficient(z: c128, u: f64, a: f64, gamma: f64) -> f64 {
    1 - abs2(velocity(z, u, a, gamma))/u^2
}

check potential {
    z ~ near(1.5 + 1.5i, 0.4); u in [1, 2]; a in [0.5, 1]; gamma in [1, 3];
    modes slow, fast, forward;
}
check stream {
    z ~ near(1.5 + 1.5i, 0.4); u in [1, 2]; a in [0.5, 1]; gamma in [1, 3];
    modes slow, fast, forward;
}
check pressure_coefficient {
    z ~ near(1 + 1.2i, 0.2); u in [1, 1.5]; a in [0.6, 0.8]; gamma in [1, 2];
    modes slow, fast, forward;
}
check velocity {
    z ~ near(1 + 1.2i, 0.2); u in [1, 1.5]; a in [0.6, 0.8]; gamma in [1, 2];
    modes slow, fast, forward;
}
