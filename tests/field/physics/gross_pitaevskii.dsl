// A Bose-Einstein condensate in a harmonic trap: the Gross-Pitaevskii energy after some descent. A common phase is idle.

/// Energy per particle on points 0.5 apart around the centre of the trap.
fn energy[N](psi: c128[N], g: f64) -> f64 {
    let dx = 0.5;
    let n = dx*sum(abs2(psi));
    let kinetic = 0.5*sum(abs2(psi[i + 1] - psi[i]) for i in 0..N - 1)/dx;
    let rest = dx
        * sum({
            let x = dx*(f64(i) - 0.5*f64(N - 1));
            let density = abs2(psi[i]);
            0.5*x^2*density + 0.5*g*density^2/n
        } for i in 0..N);
    (kinetic + rest)/n
}

fn relax[N](psi0: c128[N], g: f64, phase: f64) -> (e: f64, p: f64[N]) {
    var psi = cis(phase)*psi0;
    for _ in 0..20 { psi -= 0.1*grad(energy, wrt = psi)(psi, g); }
    let p = abs2(psi);
    (energy(psi, g), p/sum(p))
}

check relax[N = 7] { psi0 ~ near(0.5 + 0.2i, 0.3); g in [0, 3]; phase in [-3, 3]; }
