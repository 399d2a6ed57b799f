// Pharmacokinetics: two compartments, repeated doses into the first, and the likelihood of measured concentrations.

/// Concentration per unit dose at time t (h) after an injection; parameters are logarithms of V, CL, V2, Q.
fn bolus(t: f64, theta: f64[4]) -> f64 {
    let v1 = exp(theta[0]);
    let k10 = exp(theta[1])/v1;
    let k12 = exp(theta[3])/v1;
    let k21 = exp(theta[3] - theta[2]);
    let total = k10 + k12 + k21;
    let fast = 0.5*(total + sqrt(total^2 - 4*k10*k21));
    let slow = k10*k21/fast;
    ((fast - k21)*exp(-fast*t) + (k21 - slow)*exp(-slow*t))/(v1*(fast - slow))
}

/// Minus the log likelihood with lognormal errors; a dose every 12 h, those before the time of a sample count.
fn deviance[N](
    #[nodiff] times: f64[N] in (0, 48],
    c: f64[N] in (0, INF),
    theta: f64[4],
    dose: f64 in (0, INF),
    log_sd: f64,
) -> f64 {
    sum({
        let model = sum(
            (if times[i] > f64(12*k) { dose*bolus(times[i] - f64(12*k), theta) } else { 0.0 })
            for k in 0..4
        );
        0.5*(log(c[i]/model)/exp(log_sd))^2 + log_sd
    } for i in 0..N)
}

check deviance[N = 7] {
    times in [0.5, 47]; c in [0.5, 10]; theta ~ near([2.3, 0.7, 3.0, 1.0], 0.2); dose = 100;
    log_sd in [-2, 0];
}
