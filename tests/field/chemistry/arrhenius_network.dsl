// Consecutive reactions A -> B -> C in a heated batch: RK4 over a temperature ramp, with Arrhenius rates.

const R: f64 = 8.31446261815324; // J/(mol K)

/// Rate constant from its logarithm at 300 K and the activation energy (J/mol); the derivatives reuse its value.
fn rate(log_k: f64, e: f64, T: f64 in [200, 2000]) -> f64 { exp(log_k + e/R*(1/300 - 1/T)) }
rule vjp rate(log_k, e, T; g) { (g*out, g*out/R*(1/300 - 1/T), g*out*e/(R*T^2)) }

fn slope(c: f64[3], log_k: f64[2], e: f64[2], T: f64 in [200, 2000]) -> f64[3] {
    let r1 = rate(log_k[0], e[0], T)*c[0];
    let r2 = rate(log_k[1], e[1], T)*c[1];
    [-r1, r1 - r2, r2]
}

/// Concentrations after an hour of heating by `ramp` K/min from T0, rates per minute; their sum stays 1.
fn batch(
    log_k: f64[2],
    e: f64[2],
    T0: f64 in [280, 400],
    ramp: f64 in [0, 2],
) -> (c: f64[3], total: f64) {
    let h = 0.25;
    var c = [1.0, 0.0, 0.0];
    #[checkpoint(sqrt)]
    for k in 0..240 {
        let T = T0 + ramp*h*f64(k);
        let k1 = slope(c, log_k, e, T);
        let k2 = slope(c + 0.5*h*k1, log_k, e, T + 0.5*h*ramp);
        let k3 = slope(c + 0.5*h*k2, log_k, e, T + 0.5*h*ramp);
        let k4 = slope(c + h*k3, log_k, e, T + h*ramp);
        c += h/6*(k1 + 2*k2 + 2*k3 + k4);
    }
    (c, sum(c))
}

check batch {
    log_k in [-5, -3]; e ~ near([5.0e4, 6.0e4], 5e3); T0 in [290, 310]; ramp in [0.2, 1];
}
