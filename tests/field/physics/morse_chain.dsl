// Small vibrations of a chain of atoms with Morse bonds: the Hessian of the energy, mass-weighted.

fn energy[N](x: f64[N], depth: f64, a: f64, r0: f64) -> f64 {
    depth*sum(expm1(-a*(x[i + 1] - x[i] - r0))^2 for i in 0..N - 1)
}

/// Sum of the squared frequencies, log of the product of the shifted ones, and the acoustic sum rule: H 1 = 0.
fn modes[N](
    x: f64[N],
    m: f64[N] in (0, INF),
    depth: f64,
    a: f64,
    r0: f64,
) -> (total: f64, product: f64, rigid: f64[N]) {
    let H = hessian(energy, wrt = x)(x, depth, a, r0);
    let D = [H[i, j]/sqrt(m[i]*m[j]) for i, j];
    (trace(D), logdet(D + 0.1*eye(N)), H @ ones(N))
}

check modes[N = 5] {
    x ~ near([0.0, 1.0, 2.0, 3.0, 4.0], 0.05); m in [1, 3]; depth in [1, 4]; a in [1, 2];
    r0 in [0.95, 1.05];
}
