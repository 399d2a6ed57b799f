// Transmission through a molecular wire between two wide-band leads: the Green's function of a tight-binding chain.

/// E - H - Sigma for site energies, hoppings t, and couplings gl, gr of the first and the last site to the leads.
fn inverse_green[N](site: f64[N], t: f64[N - 1], energy: f64, gl: f64, gr: f64) -> c128[N, N] {
    [{
        let on = if i == j { energy - site[i] } else { 0.0 };
        let off = if j == i + 1 { -t[i] } else if i == j + 1 { -t[j] } else { 0.0 };
        let left = if i == 0 && j == 0 { 0.5*gl } else { 0.0 };
        let right = if i == N - 1 && j == N - 1 { 0.5*gr } else { 0.0 };
        c128(on + off, left + right)
    } for i in 0..N, j in 0..N]
}

/// Transmission and density of states at an energy.
fn transport[N](
    site: f64[N],
    t: f64[N - 1],
    energy: f64,
    gl: f64 in (0, INF),
    gr: f64 in (0, INF),
) -> (transmission: f64, dos: f64) {
    let g = inv(inverse_green(site, t, energy, gl, gr));
    (gl*gr*abs2(g[0, N - 1]), -im(trace(g))/PI)
}

check transport[N = 5] {
    site in [-0.5, 0.5]; t in [-1.5, -0.5]; energy in [-1, 1]; gl in [0.2, 1]; gr in [0.2, 1];
}
