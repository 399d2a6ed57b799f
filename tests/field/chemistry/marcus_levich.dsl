// Rate of electron transfer after Marcus, Levich and Jortner: one quantised mode beside the solvent, in SI units.

const HBAR: f64 = 1.054571817e-34; // J s
const KB: f64 = 1.380649e-23; // J/K
const EV: f64 = 1.602176634e-19; // J

/// log10 of the rate in 1/s: coupling, reorganisation energy, driving force and quantum in eV, Huang-Rhys factor s.
fn log_rate(
    coupling: f64 in (0, INF),
    lambda: f64 in [0.1, 3],
    drive: f64,
    quantum: f64,
    s: f64 in [0, 5],
    T: f64 in [200, 400],
) -> f64 {
    let l = lambda*EV;
    let kT = KB*T;
    let prefactor = 2*PI/HBAR*(coupling*EV)^2/sqrt(4*PI*l*kT);
    var weight = exp(-s);
    var total = 0.0;
    for n in 0..25 {
        let barrier = (lambda + drive + f64(n)*quantum)*EV;
        total += weight*exp(-barrier^2/(4*l*kT));
        weight *= s/f64(n + 1);
    }
    log10(prefactor*total)
}

check log_rate {
    coupling in [1e-3, 1e-2]; lambda in [0.5, 1]; drive in [-1.2, 0];
    quantum = 0.18; s in [0.3, 1.5]; T in [250, 350];
}
