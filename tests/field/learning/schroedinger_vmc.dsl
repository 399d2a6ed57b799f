// A neural quantum state for an electron in a harmonic trap, in SI units: local energies -hbar²/2m ψ''/ψ + V at sampled
// positions (m), with ψ''/ψ = f'' + f'² for f = log ψ. Mean energy (J) and its spread, which is 0 for an eigenstate.

const HBAR: f64 = 1.054571817e-34; // J s
const M_E: f64 = 9.1093837015e-31; // kg

fn log_psi[H](x: f64, width: f64, w: f64[H], b: f64[H], a: f64[H]) -> f64 {
    let s = x/width;
    -0.5*s^2 + sum(a[h]*tanh(w[h]*s + b[h]) for h)
}

fn local_energy[H](x: f64, omega: f64, width: f64, w: f64[H], b: f64[H], a: f64[H]) -> f64 {
    let f1 = grad(log_psi, wrt = x)(x, width, w, b, a);
    let f2 = hess_diag(log_psi, wrt = x)(x, width, w, b, a);
    -HBAR^2/(2*M_E)*(f2 + f1^2) + 0.5*M_E*omega^2*x^2
}

fn vmc[N, H](
    x: f64[N],
    omega: f64,
    width: f64 in (0, INF),
    w: f64[H],
    b: f64[H],
    a: f64[H],
) -> (energy: f64, spread: f64) {
    let e = [local_energy(x[i], omega, width, w, b, a) for i];
    let energy = mean(e);
    (energy, sqrt(mean((e - energy)^2)))
}

check vmc[N = 6, H = 3] {
    x ~ normal(0, 1e-9);
    omega in [0.8e14, 1.2e14];
    width in [0.8e-9, 1.3e-9];
    w ~ normal(0, 1);
    b ~ normal(0, 0.5);
    a ~ normal(0, 0.2);
}
