// Phase separation on a periodic grid: gradient flow of the Ginzburg-Landau energy that keeps the total mass.

fn energy[N, M](u: f64[N, M], width: f64) -> f64 {
    sum({
        let gx = u[mod(i + 1, N), j] - u[i, j];
        let gy = u[i, mod(j + 1, M)] - u[i, j];
        0.5*width^2*(gx^2 + gy^2) + 0.25*(1 - u[i, j]^2)^2
    } for i in 0..N, j in 0..M)
}

fn coarsen[N, M](u0: f64[N, M], width: f64) -> (left: f64, mass: f64) {
    var u = u0;
    for _ in 0..30 {
        let g = grad(energy, wrt = u)(u, width);
        u -= 0.1*(g - mean(g));
    }
    (energy(u, width), sum(u))
}

check coarsen[N = 4, M = 5] { u0 ~ normal(0, 0.5); width in [0.3, 1]; }
