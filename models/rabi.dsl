// The Rabi problem: a two-level atom in a light field. In the frame that rotates with the field the Hamiltonian is constant,
// H = ½ [[-Δ, Ω], [conj(Ω), Δ]], with detuning Δ and complex coupling Ω.

fn hamiltonian(delta: f64, omega: c128) -> c128[2, 2] {
    0.5*[[-delta, omega], [conj(omega), delta]]
}

/// The state after time t by n steps of Runge's and Kutta's method: i dψ/dt = H ψ.
fn evolve(psi0: c128[2], delta: f64, omega: c128, t: f64, n: i64) -> c128[2] {
    let L = -1i*hamiltonian(delta, omega);
    let h = t/f64(n);
    var psi = psi0;
    for _ in 0..n {
        let k1 = L @ psi;
        let k2 = L @ (psi + 0.5*h*k1);
        let k3 = L @ (psi + 0.5*h*k2);
        let k4 = L @ (psi + h*k3);
        psi += h/6*(k1 + 2*k2 + 2*k3 + k4);
    }
    psi
}

/// The probability to find an atom that began in the ground state in the excited one.
fn excited(delta: f64, omega: c128, t: f64) -> f64 {
    let psi = evolve([1.0, 0.0], delta, omega, t, 50);
    abs2(psi[1])
}

/// The same by Rabi's formula.
fn rabi(delta: f64, omega: c128, t: f64) -> f64 {
    let w = sqrt(abs2(omega) + delta^2);
    abs2(omega)/w^2*sin(0.5*w*t)^2
}

/// How far the pulse is from one that inverts the atom.
fn infidelity(delta: f64, omega: c128, t: f64) -> f64 {
    assert abs(excited(delta, omega, t) - rabi(delta, omega, t))
        < 1e-4, "the steps are small enough";
    1 - excited(delta, omega, t)
}

check evolve {
    n = 10; delta ~ normal(0, 1); omega ~ normal(0, 1); psi0 ~ normal(0, 1); t in [0, 2];
}
check rabi { delta ~ normal(0, 1); omega ~ annulus(0.5, 2); t in [0, 3]; }
check infidelity { delta ~ normal(0, 1); omega ~ annulus(0.5, 2); t in [0, 3]; points 8; }
