// Merton's jump diffusion: a call as a series of Black-Scholes prices, weighted with Poisson probabilities of the number of
// jumps; forty terms.

fn cdf(x: f64) -> f64 { 0.5*erfc(-x/sqrt(2)) }

fn black_scholes(s: f64, k: f64, r: f64, vol: f64, t: f64) -> f64 {
    let w = vol*sqrt(t);
    let d1 = (log(s/k) + r*t)/w + 0.5*w;
    s*cdf(d1) - k*exp(-r*t)*cdf(d1 - w)
}

fn merton_call(
    s: f64,
    k: f64,
    r: f64,
    vol: f64,
    t: f64,
    intensity: f64,
    jump_mean: f64,
    jump_sd: f64,
) -> f64 {
    let growth = jump_mean + 0.5*jump_sd^2;
    let lam = intensity*exp(growth);
    var weight = exp(-lam*t);
    var price = 0;
    for n in 0..40 {
        let jumps = f64(n);
        let vol_n = sqrt(vol^2 + jumps*jump_sd^2/t);
        let r_n = r - intensity*expm1(growth) + jumps*growth/t;
        price += weight*black_scholes(s, k, r_n, vol_n, t);
        weight *= lam*t/(jumps + 1);
    }
    price
}

check merton_call {
    s in [90, 110];
    k in [90, 110];
    r in [0, 0.05];
    vol in [0.1, 0.3];
    t in [0.25, 2];
    intensity in [0.1, 2];
    jump_mean in [-0.2, 0.05];
    jump_sd in [0.05, 0.25];
}
