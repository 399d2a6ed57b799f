// A Lennard-Jones mixture in a periodic box with Lorentz-Berthelot rules and a shifted cut-off: energy and virial pressure.

fn pair(r2: f64 in (0, INF), sigma: f64, depth: f64, cut: f64) -> f64 {
    if r2 < cut^2 {
        let s = (sigma^2/r2)^3;
        let c = (sigma/cut)^6;
        4*depth*(s^2 - s - c^2 + c)
    } else {
        0
    }
}

/// Energy when all distances are scaled; the nearest image counts.
fn energy[N](
    x: f64[N, 3],
    sigma: f64[N],
    depth: f64[N] in (0, INF),
    box: f64 in [3, 10],
    scale: f64,
) -> f64 {
    sum({
        let d = x[i] - x[j];
        let e = scale*(d - box*round(d/box));
        pair(dot(e, e), 0.5*(sigma[i] + sigma[j]), sqrt(depth[i]*depth[j]), 0.5*box)
    } for i in 0..N, j in 0..i)
}

fn state[N](
    x: f64[N, 3],
    sigma: f64[N],
    depth: f64[N] in (0, INF),
    box: f64 in [3, 10],
    temperature: f64,
) -> (potential: f64, pressure: f64) {
    let (u, du) = value_and_grad(energy, wrt = scale)(x, sigma, depth, box, 1);
    (u, (f64(N)*temperature - du/3)/box^3)
}

check state[N = 5] {
    x ~ near(
        [[0.5, 0.5, 0.5], [1.7, 0.6, 0.4], [0.4, 1.6, 0.6], [0.5, 0.7, 1.8], [3.4, 3.5, 3.3]],
        0.1,
    );
    sigma in [0.9, 1.1]; depth in [0.5, 1.5]; box in [3.8, 4.2]; temperature in [0.7, 1.5];
}
