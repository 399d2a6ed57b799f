// Pressure of a van der Waals gas.

const R: f64 = 8.31446261815324; // J/(mol K)

/// Pressure in kPa of 1 mol in v litres at t kelvin; a in L^2 kPa/mol^2, b in L/mol.
fn pressure(
    v: f64 in [0.5, 1.5],
    t: f64 in [250, 400],
    a: f64 in [200, 500],
    b: f64 in [0.03, 0.06],
) -> f64 {
    R*t/(v - b) - a/v^2
}

/// Compressibility factor p v/(R t), in percent.
fn compressibility(
    v: f64 in [0.5, 1.5],
    t: f64 in [250, 400],
    a: f64 in [200, 500],
    b: f64 in [0.03, 0.06],
) -> f64 {
    100*pressure(v, t, a, b)*v/(R*t)
}

check pressure { modes slow, fast, forward, gradgrad; }
check compressibility { v in [0.5, 0.9]; t in [250, 300]; modes slow, fast, forward; }
