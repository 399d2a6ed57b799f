// Transition-state theory in SI units: an Eyring rate and Bigeleisen's kinetic isotope effect from vibrations in 1/cm.

const H: f64 = 6.62607015e-34; // J s
const KB: f64 = 1.380649e-23; // J/K
const C: f64 = 2.99792458e10; // cm/s

/// log of u/(2 sinh(u/2)), u the quantum of the wave number nu over k T.
fn log_mode(nu: f64 in [50, 5000], T: f64 in [100, 1000]) -> f64 {
    let u = H*C*nu/(KB*T);
    log(u) - 0.5*u - log(-expm1(-u))
}

/// Rate constant in 1/s at barrier e (J per molecule) with Wigner's tunnelling, and the isotope effect. Light and heavy
/// reactants have N modes, the transition states one less, beside imaginary ones of the sizes il and ih.
fn kinetics[N](
    light: f64[N] in [200, 4000],
    heavy: f64[N] in [200, 4000],
    ts_light: f64[N - 1] in [200, 4000],
    ts_heavy: f64[N - 1] in [200, 4000],
    il: f64 in [200, 2000],
    ih: f64 in [200, 2000],
    e: f64 in [1e-20, 3e-19],
    T: f64 in [200, 600],
) -> (log_k: f64, isotope: f64) {
    let u = H*C/(KB*T);
    let kappa = (1 + (il*u)^2/24)/(1 + (ih*u)^2/24);
    let reactants = sum(log_mode(light[i], T) - log_mode(heavy[i], T) for i);
    let states = sum(log_mode(ts_light[i], T) - log_mode(ts_heavy[i], T) for i);
    (log(KB*T/H*(1 + (il*u)^2/24)) - e/(KB*T), kappa*il/ih*exp(states - reactants))
}

check kinetics[N = 5] {
    light in [800, 3000]; heavy in [700, 2200]; ts_light in [600, 2500]; ts_heavy in [500, 2000];
    il in [1000, 1500]; ih in [700, 1000]; e in [8e-20, 1.2e-19]; T in [280, 320];
}
