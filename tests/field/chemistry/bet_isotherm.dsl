// Adsorption in n layers after Brunauer, Emmett and Teller: misfit to an isotherm, and the specific surface in m^2/g.

/// Adsorbed amount at relative pressure x: monolayer vm, energy constant c.
fn adsorbed(x: f64 in (0, 0.8], vm: f64, c: f64 in (0, INF), n: f64 in [1, 20]) -> f64 {
    let top = 1 - (n + 1)*x^n + n*x^(n + 1);
    let bottom = 1 + (c - 1)*x - c*x^(n + 1);
    vm*c*x/(1 - x)*top/bottom
}

/// Amounts in mmol/g; a molecule of nitrogen covers 0.162 nm^2.
fn isotherm[N](
    x: f64[N] in (0, 0.8],
    v: f64[N],
    vm: f64,
    c: f64 in (0, INF),
    n: f64 in [1, 20],
) -> (misfit: f64, surface: f64) {
    let r = [adsorbed(x[i], vm, c, n) - v[i] for i];
    (dot(r, r)/f64(N), 1e-3*vm*6.02214076e23*0.162e-18)
}

check isotherm[N = 6] { x in [0.05, 0.6]; v in [1, 8]; vm in [1, 4]; c in [20, 150]; n in [2, 8]; }
