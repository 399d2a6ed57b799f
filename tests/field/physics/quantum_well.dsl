// Ground state of an electron in a well with a given potential, by finite differences and inverse iteration, in SI units.

const HBAR: f64 = 1.054571817e-34; // J s
const ME: f64 = 9.1093837015e-31; // kg
const EV: f64 = 1.602176634e-19; // J

/// The Hamiltonian in joules: V in eV on N inner points of a box of the given width in nm, effective mass in units of ME.
fn hamiltonian[N](V: f64[N], mass: f64, width: f64) -> f64[N, N] {
    let dx = 1e-9*width/f64(N + 1);
    let t = HBAR^2/(2*mass*ME*dx^2);
    [
        (if i == j { 2*t + EV*V[i] } else if abs(i - j) == 1 { -t } else { 0.0 })
        for i in 0..N, j in 0..N
    ]
}

/// Energy in eV and the probability of each point.
fn ground_state[N](V: f64[N], mass: f64, width: f64) -> (energy: f64, p: f64[N]) {
    let H = hamiltonian(V, mass, width);
    var psi = ones(N)/sqrt(f64(N));
    for _ in 0..60 {
        let y = solve(H, psi);
        psi = y/norm(y);
    }
    (dot(psi, H @ psi)/EV, psi^2)
}

check ground_state[N = 6] { V in [0, 0.3]; mass in [0.05, 1]; width in [2, 10]; }
