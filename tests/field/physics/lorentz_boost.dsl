// Decay products seen from a moving frame: four-momenta boosted by a proper velocity, and the invariant mass they share.

/// u is gamma times the velocity (c = 1); rows of p are (E, px, py, pz).
fn boosted[N](p: f64[N, 4], u: f64[3]) -> (seen: f64[N, 4], m2: f64) {
    let g = sqrt(1 + dot(u, u));
    let seen = [{
        let along = dot(u, p[i, 1:]);
        let k = along/(g + 1) - p[i, 0];
        [g*p[i, 0] - along, p[i, 1] + k*u[0], p[i, 2] + k*u[1], p[i, 3] + k*u[2]]
    } for i in 0..N];
    let total = sum(seen[i] for i);
    (seen, total[0]^2 - dot(total[1:], total[1:]))
}

check boosted[N = 3] {
    p ~ near([[2.0, 1.0, 0.5, -0.2], [3.0, -1.0, 1.5, 0.7], [1.5, 0.2, -0.8, 0.3]], 0.2);
    u ~ normal(0, 1);
}
