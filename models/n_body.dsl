// Point masses under gravity, softened: energy, forces as its gradient, and what the forces do to the energy.

fn potential[N](m: f64[N], x: f64[N, 3]) -> f64 {
    -sum(
        sum({
            let d2 = sum((x[i, c] - x[j, c])^2 for c in 0..3);
            m[i]*m[j]/sqrt(d2 + 0.01)
        } for j in 0..i)
        for i in 0..N
    )
}

fn energy[N](m: f64[N], x: f64[N, 3], v: f64[N, 3]) -> f64 {
    sum(0.5*m[i]*sum(v[i, c]^2 for c in 0..3) for i) + potential(m, x)
}

fn forces[N](m: f64[N], x: f64[N, 3]) -> f64[N, 3] { -grad(potential, wrt = x)(m, x) }

/// The tidal stretch along a displacement: a second derivative through the forces.
fn tide[N](m: f64[N], x: f64[N, 3], d: f64[N, 3]) -> f64 {
    let f = jvp(forces, wrt = x)(m, x; d);
    sum(sum(f[i, c]*d[i, c] for c in 0..3) for i in 0..N)
}

check energy[N = 4] { m ~ uniform(0.5, 2); x ~ normal(0, 1); v ~ normal(0, 0.5); }
check forces[N = 3] { m ~ uniform(0.5, 2); x ~ normal(0, 1); modes slow, fast, forward; }
check tide[N = 3] {
    m ~ uniform(0.5, 2); x ~ normal(0, 1); d ~ normal(0, 1); modes slow, fast, forward;
}
