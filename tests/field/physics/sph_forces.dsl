// Smoothed particle hydrodynamics in the plane: densities with the cubic spline, and accelerations of a polytropic gas.

fn kernel(r: f64, h: f64 in (0, INF)) -> f64 {
    let q = r/h;
    let s = 10/(7*PI*h^2);
    if q < 1 { s*(1 - 1.5*q^2 + 0.75*q^3) } else if q < 2 { 0.25*s*(2 - q)^3 } else { 0 }
}

fn densities[N](m: f64[N] in (0, INF), x: f64[N, 2], h: f64 in (0, INF)) -> f64[N] {
    [sum(m[j]*kernel(norm(x[i] - x[j]), h) for j in 0..N) for i in 0..N]
}

/// Internal energy of a gas with pressure k rho^1.4.
fn energy[N](m: f64[N] in (0, INF), x: f64[N, 2], h: f64 in (0, INF), k: f64) -> f64 {
    let rho = densities(m, x, h);
    k/0.4*sum(m[i]*rho[i]^0.4 for i)
}

/// Accelerations, and the total force, which is 0.
fn motion[N](
    m: f64[N] in (0, INF),
    x: f64[N, 2],
    h: f64 in (0, INF),
    k: f64,
) -> (a: f64[N, 2], total: f64[2]) {
    let force = -grad(energy, wrt = x)(m, x, h, k);
    ([force[i]/m[i] for i], sum(force[i] for i))
}

check motion[N = 6] { m in [0.5, 1.5]; x ~ normal(0, 1); h in [0.6, 1]; k in [0.5, 2]; }
