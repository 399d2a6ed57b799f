// A spin 1 turned by Euler angles: probabilities of its three projections by the Wigner matrix, which add up to 1.

fn turned(psi: c128[3], alpha: f64, beta: f64, gamma: f64) -> (p: f64[3], total: f64, sz: f64) {
    let c = cos(beta);
    let s = sin(beta)/sqrt(2);
    let w = [[0.5*(1 + c), -s, 0.5*(1 - c)], [s, c, -s], [0.5*(1 - c), s, 0.5*(1 + c)]];
    let a = psi/norm(psi);
    let b = [
        cis(-alpha*f64(1 - i))*sum(w[i, j]*cis(-gamma*f64(1 - j))*a[j] for j in 0..3)
        for i in 0..3
    ];
    let p = abs2(b);
    (p, sum(p), p[0] - p[2])
}

check turned { psi ~ normal(0, 1); alpha in [-3, 3]; beta in [0, 3]; gamma in [-3, 3]; }
