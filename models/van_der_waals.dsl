// Pressure of a van der Waals gas.

const R: f64 = 8.31446261815324;    // J/(mol K)

/// Pressure in MPa of n = 1 mol in v litres at t kelvin; a in L^2 MPa/mol^2, b in L/mol.
fn pressure(
    v: f64 in [0.5, 1.5],
    t: f64 in [250, 400],
    a: f64 in [0.2, 0.5],
    b: f64 in [0.03, 0.06],
) -> f64 {
    R*t*1e-3/(v - b) - a/v^2
}

/// Compressibility factor p v/(R t).
fn compressibility(v: f64 in [0.5, 1.5], t: f64 in [250, 400], a: f64 in [0.2, 0.5], b: f64 in [0.03, 0.06]) -> f64 {
    100*pressure(v, t, a, b)*v/(R*1e-3*t)
}

check pressure { modes slow, fast, forward, gradgrad; }
check compressibility { modes slow, fast, forward; }
