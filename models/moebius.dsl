// Moebius maps and the Smith chart.

/// (a z + b)/(c z + d).
fn moebius(z: c128, a: c128, b: c128, c: c128, d: c128) -> c128 { (a*z + b)/(c*z + d) }

/// Reflection coefficient of a load z on a line of real impedance z0.
fn reflection(z: c128, z0: f64 in (0, INF)) -> c128 { (z - z0)/(z + z0) }

/// Standing wave ratio of the load.
fn standing_wave_ratio(z: c128, z0: f64 in (0, INF)) -> f64 {
    let g = abs(reflection(z, z0));
    (1 + g)/(1 - g)
}

check moebius {
    z ~ disk(1); a ~ near(1 + 1i, 0.5); b ~ near(2, 0.5); c ~ near(0.5i, 0.2); d ~ near(3, 0.5);
    modes slow, fast, forward;
}
check reflection { z ~ near(2 + 1i, 0.5); z0 in [0.5, 1.2]; modes slow, fast, forward, gradgrad; }
check standing_wave_ratio { z ~ near(2 + 1i, 0.4); z0 in [0.6, 1]; modes slow, fast, forward; }
