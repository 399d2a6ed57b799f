// Accelerated life test: log-normal lifetimes (s) at absolute temperatures (K), whose median follows Arrhenius' law with an
// activation energy in joules. Units that survived the test are censored. Extrapolates the median life to service.

const K_B: f64 = 1.380649e-23; // J/K

fn log_survival(z: f64) -> f64 { log(0.5*erfc(z/sqrt(2))) }

fn arrhenius[N](
    life: f64[N] in (0, INF),
    failed: bool[N],
    temperature: f64[N] in (0, INF),
    activation: f64 in [1e-20, 5e-19],
    log_a: f64,
    log_sigma: f64,
) -> (nll: f64, service_life: f64) {
    let sigma = exp(log_sigma);
    let nll = -sum({
        let mu = log_a + activation/(K_B*temperature[i]);
        let z = (log(life[i]) - mu)/sigma;
        if failed[i] { -0.5*z^2 - log(life[i]*sigma*sqrt(2*PI)) } else { log_survival(z) }
    } for i);
    (nll, exp(log_a + activation/(K_B*298.15)))
}

check arrhenius[N = 8] {
    life in [2e5, 5e6];
    failed ~ choice(true, true, false);
    temperature in [340, 420];
    activation in [0.8e-19, 1.2e-19];
    log_a in [-7, -4];
    log_sigma in [-0.5, 0.5];
}
