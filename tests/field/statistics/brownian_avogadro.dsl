// Perrin's measurement: the number of molecules in a mole from the Brownian displacements (m) of spheres in water, by the
// likelihood of normal displacements with the diffusion coefficient of Stokes and Einstein.

const GAS: f64 = 8.314462618; // J/(mol K)

fn diffusion(avogadro: f64, radius: f64, temperature: f64, viscosity: f64) -> f64 {
    GAS*temperature/(avogadro*6*PI*viscosity*radius)
}

fn brownian[N](
    step_xy: f64[N, 2],
    radius: f64[N] in (0, INF),
    interval: f64 in (0, INF),
    avogadro: f64 in (0, INF),
    temperature: f64 in (0, INF),
    viscosity: f64 in (0, INF),
) -> f64 {
    sum({
        let variance = 2*diffusion(avogadro, radius[i], temperature, viscosity)*interval;
        log(2*PI*variance) + 0.5*(step_xy[i, 0]^2 + step_xy[i, 1]^2)/variance
    } for i)
}

check brownian[N = 9] {
    step_xy ~ normal(0, 5e-6);
    radius in [3e-7, 6e-7];
    interval = 30;
    avogadro in [5e23, 7e23];
    temperature in [285, 300];
    viscosity in [0.9e-3, 1.2e-3];
}
