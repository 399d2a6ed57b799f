// Current through an electrode after Butler and Volmer with an ohmic drop: the overpotential by a damped Newton iteration.

const F_RT: f64 = 38.92; // 1/V at 25 degrees Celsius

fn current(eta: f64, i0: f64, alpha: f64) -> f64 {
    i0*(exp(alpha*F_RT*eta) - exp(-(1 - alpha)*F_RT*eta))
}

/// Overpotential and current at an applied voltage with a series resistance.
fn electrode(
    voltage: f64,
    i0: f64 in (0, INF),
    alpha: f64 in [0, 1],
    resistance: f64 in (0, INF),
) -> (eta: f64, i: f64) {
    var eta = 0.0;
    var change = 1.0;
    var turns = 0;
    while abs(change) > 1e-13 && turns < 200 {
        let (i, di) = value_and_grad(current, wrt = eta)(eta, i0, alpha);
        change = clamp((eta + resistance*i - voltage)/(1 + resistance*di), -0.05, 0.05);
        eta -= change;
        turns += 1;
    }
    (eta, current(eta, i0, alpha))
}

check electrode {
    voltage in [-0.5, 0.5]; i0 in [1e-4, 1e-2]; alpha in [0.3, 0.7]; resistance in [0.5, 5];
}
