// Redlich and Kwong's equation of state: compressibility of the gas by Newton's method, fugacity, residual enthalpy.

/// Compressibility factor at reduced pressure and temperature, from the ideal gas downwards.
fn compressibility(pr: f64 in [0, 3], tr: f64 in [1.1, 5]) -> f64 {
    let a = 0.42748*pr/tr^2.5;
    let b = 0.08664*pr/tr;
    var z = 1 + b;
    var change = 1.0;
    var turns = 0;
    while abs(change) > 1e-13 && turns < 50 {
        let f = z^3 - z^2 + (a - b - b^2)*z - a*b;
        let df = 3*z^2 - 2*z + a - b - b^2;
        change = f/df;
        z -= change;
        turns += 1;
    }
    assert z > b, "no gas-like root";
    z
}

/// Log of the fugacity coefficient.
fn log_phi(pr: f64 in [0, 3], tr: f64 in [1.1, 5]) -> f64 {
    let b = 0.08664*pr/tr;
    let z = compressibility(pr, tr);
    z - 1 - log(z - b) - 0.42748/(0.08664*tr^1.5)*log1p(b/z)
}

fn gas(pr: f64 in [0, 3], tr: f64 in [1.1, 5]) -> (z: f64, phi: f64, enthalpy: f64) {
    let (l, dl) = value_and_grad(log_phi, wrt = tr)(pr, tr);
    (compressibility(pr, tr), exp(l), -tr*dl)
}

check gas { pr in [0.1, 2]; tr in [1.2, 3]; }
