// A series RLC circuit with a parallel load.

/// Impedance in ohm of r (ohm), l (mH) and c (uF) in series at w (krad/s).
fn impedance(r: f64 in [5, 20], l: f64 in [5, 20], c: f64 in [10, 30], w: f64 in [0.5, 2]) -> c128 {
    r + 1i*(w*l - 1000/(w*c))
}

/// Two impedances side by side.
fn parallel(a: c128, b: c128) -> c128 { 1/(1/a + 1/b) }

/// Power in the load z (ohm) behind the circuit, for a source of 100 V.
fn load_power(
    r: f64 in [5, 20],
    l: f64 in [5, 20],
    c: f64 in [10, 30],
    w: f64 in [0.5, 2],
    z: c128,
) -> f64 {
    let i = 100/(impedance(r, l, c, w) + z);
    abs2(i)*re(z)
}

check impedance { modes slow, fast, forward, gradgrad; seed 4; }
check parallel { a ~ near(3 + 1i, 1); b ~ near(2 - 1i, 1); modes slow, fast, forward, gradgrad; }
check load_power { z ~ near(15 + 5i, 5); modes slow, fast, forward; }
