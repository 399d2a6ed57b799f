// An exothermic reaction in a cooled stirred tank: steady state by Newton's method, and its stability; dimensionless.

/// Rates of change of concentration and temperature rise; da is the Damkohler number, b the heat, k the cooling.
fn slope(y: f64[2], da: f64, b: f64, k: f64) -> f64[2] {
    let rate = da*y[0]*exp(y[1]/(1 + y[1]/20));
    [1 - y[0] - rate, b*rate - (1 + k)*y[1]]
}

/// Balance of heat when the balance of matter is solved for the concentration.
fn heat(t: f64, da: f64, b: f64, k: f64) -> f64 {
    let rate = da*exp(t/(1 + t/20));
    b*rate/(1 + rate) - (1 + k)*t
}

fn reactor(
    da: f64 in (0, INF),
    b: f64 in [0, 20],
    k: f64 in [0, 5],
) -> (steady: f64[2], trace_of: f64, det_of: f64) {
    var t = 0.0;
    var change = 1.0;
    var turns = 0;
    while abs(change) > 1e-12 && turns < 100 {
        let (f, df) = value_and_grad(heat, wrt = t)(t, da, b, k);
        change = clamp(f/df, -0.5, 0.5);
        t -= change;
        turns += 1;
    }
    let y = [1/(1 + da*exp(t/(1 + t/20))), t];
    let J = jacobian(slope, wrt = y)(y, da, b, k);
    (y, trace(J), det(J))
}

check reactor { da in [0.02, 0.08]; b in [4, 8]; k in [0.2, 1]; }
