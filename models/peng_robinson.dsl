// Pressure of the Peng-Robinson equation of state in reduced temperature.

const R: f64 = 8.31446261815324; // J/(mol K)

/// Attraction factor alpha of reduced temperature tr and acentric factor w.
fn alpha(tr: f64 in (0, INF), w: f64 in [0, 0.5]) -> f64 {
    let k = 0.37464 + 1.54226*w - 0.26992*w^2;
    (1 + k*(1 - sqrt(tr)))^2
}

/// Pressure in MPa of molar volume v (L/mol) at tr*tc kelvin; pc in MPa.
fn pressure(
    v: f64 in [0.4, 1.0],
    tr: f64 in [1.1, 1.8],
    w: f64 in [0.1, 0.4],
    tc: f64 in [280, 320],
    pc: f64 in [3, 5],
) -> f64 {
    let rt = R*tr*tc*1e-3;
    let a = 0.45724*(R*tc*1e-3)^2/pc*alpha(tr, w);
    let b = 0.07780*R*tc*1e-3/pc;
    rt/(v - b) - a/(v^2 + 2*b*v - b^2)
}

check alpha { tr in [0.5, 0.9]; w in [0.1, 0.4]; modes slow, fast, forward, gradgrad; }
check pressure { modes slow, fast, forward; }
