// Electrons on a ring of sites in a magnetic field: levels, free energy, persistent current, density of the lowest state.

/// The Hamiltonian; `eigh` reads its lower triangle. The flux through the ring turns the phase of each hop.
fn hamiltonian[N](level: f64[N], hop: f64[N], flux: f64) -> c128[N, N] {
    let turn = cis(flux/f64(N));
    [
        if i == j {
            c128(level[i])
        } else if i == j + 1 {
            hop[j]*turn
        } else if i == N - 1 && j == 0 {
            hop[i]*conj(turn)
        } else {
            0
        }
        for i, j in 0..N
    ]
}

fn levels[N](level: f64[N], hop: f64[N], flux: f64) -> f64[N] {
    eigvalsh(hamiltonian(level, hop, flux))
}

/// The free energy of electrons without spin that exchange with a bath at chemical potential 0.
fn free_energy[N](level: f64[N], hop: f64[N], flux: f64, kT: f64) -> f64 {
    -kT*sum(softplus(-levels(level, hop, flux)/kT))
}

fn current[N](level: f64[N], hop: f64[N], flux: f64, kT: f64) -> f64 {
    -grad(free_energy, wrt = flux)(level, hop, flux, kT)
}

fn ground_density[N](level: f64[N], hop: f64[N], flux: f64) -> f64[N] {
    let (_, V) = eigh(hamiltonian(level, hop, flux));
    [abs2(V[i, 0]) for i]
}

check levels[N = 5] { level in [-1, 1]; hop in [0.5, 1.5]; flux in [0.5, 1]; }
check free_energy[N = 5] {
    level in [-1, 1]; hop in [0.5, 1.5]; flux in [0.5, 1]; kT in [0.2, 0.5];
    modes slow, forward, gradgrad;
}
// Without disorder levels are equal in pairs at flux 0. Symmetric functions of them have first derivatives there.
check free_energy {
    level = [0, 0, 0, 0]; hop = [1, 1, 1, 1]; flux = 0; kT = 0.3; modes slow, forward;
}
check current[N = 5] { level in [-1, 1]; hop in [0.5, 1.5]; flux in [0.5, 1]; kT in [0.2, 0.5]; }
check ground_density[N = 5] {
    level in [-1, 1]; hop in [0.5, 1.5]; flux in [0.5, 1]; modes slow, forward, gradgrad;
}
