// Field emission: the WKB transmission of the image-force barrier phi - F x - 0.36/x (eV, nm), in SI units inside.

const HBAR: f64 = 1.054571817e-34; // J s
const ME: f64 = 9.1093837015e-31; // kg
const EV: f64 = 1.602176634e-19; // J

/// Minus the log of the transmission. Between the turning points x = m + h sin t, the barrier is F h^2 cos(t)^2/x.
fn gamow(phi: f64 in [2, 6], field: f64 in (0, 2.5]) -> f64 {
    let h = 0.5*sqrt(phi^2 - 4*0.36*field)/field;
    let m = 0.5*phi/field;
    let n = 80;
    let area = sum({
        let t = PI*((f64(k) + 0.5)/f64(n) - 0.5);
        h^2*cos(t)^2*sqrt(field/(m + h*sin(t)))
    } for k in 0..n)*PI/f64(n);
    2*sqrt(2*ME*EV)/HBAR*1e-9*area
}

/// Decimal logarithm of the transmission, and the slope of a Fowler-Nordheim plot, dG/d(1/F).
fn emission(phi: f64 in [2, 6], field: f64 in (0, 2.5]) -> (lg: f64, slope: f64) {
    let (g, dg) = value_and_grad(gamow, wrt = field)(phi, field);
    (-g/log(10), -field^2*dg)
}

check emission { phi in [3, 5]; field in [1, 2.4]; }
