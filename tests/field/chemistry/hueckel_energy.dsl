// Pi-electron energy of a conjugated ring in Huckel theory by Coulson's integral: no eigenvalues, one inverse a node.

/// Hamiltonian of a ring with site energies alpha and bonds beta.
fn hueckel[N](alpha: f64[N], beta: f64[N]) -> f64[N, N] {
    [{
        let site = if i == j { alpha[i] } else { 0.0 };
        let forward = if mod(i + 1, N) == j { beta[i] } else { 0.0 };
        let backward = if mod(j + 1, N) == i { beta[j] } else { 0.0 };
        site + forward + backward
    } for i in 0..N, j in 0..N]
}

/// Sum of |e| over all orbitals, -1/pi times the integral of tr H (i y - H)^-1 over y = tan t.
fn pi_energy[N](alpha: f64[N], beta: f64[N]) -> f64 {
    let H = hueckel(alpha, beta);
    sum({
        let t = PI*(f64(q) + 0.5)/200;
        let y = tan(t);
        let G = inv([c128(-H[i, j], (if i == j { y } else { 0.0 })) for i, j]);
        -sum(H[i, j]*re(G[j, i]) for i, j)*(1 + y^2)
    } for q in 0..100)/100
}

/// Energy, and bond orders as its derivatives.
fn molecule[N](alpha: f64[N], beta: f64[N]) -> (energy: f64, order: f64[N]) {
    let (e, g) = value_and_grad(pi_energy, wrt = beta)(alpha, beta);
    (e, 0.5*g)
}

check molecule[N = 6] { alpha in [-0.5, 0.5]; beta in [-1.2, -0.8]; }
