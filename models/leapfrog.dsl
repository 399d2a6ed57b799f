// A Hamiltonian system by the leapfrog scheme. The forces are derivatives of the Hamiltonian taken inside the loop.

/// Two unit masses on springs, a weak quartic term between them.
fn hamiltonian(q: f64[2], p: f64[2], k: f64) -> f64 {
    0.5*dot(p, p) + 0.5*k*(q[0]^2 + q[1]^2) + 0.1*(q[0] - q[1])^4
}

fn flow(q0: f64[2], p0: f64[2], k: f64, dt: f64, steps: i64) -> (q: f64[2], p: f64[2]) {
    var q = q0;
    var p = p0;
    for i in 0..steps {
        p = p - 0.5*dt*grad(hamiltonian, wrt = q)(q, p, k);
        q = q + dt*grad(hamiltonian, wrt = p)(q, p, k);
        p = p - 0.5*dt*grad(hamiltonian, wrt = q)(q, p, k);
    }
    (q, p)
}

/// How much energy the scheme loses.
fn drift(q0: f64[2], p0: f64[2], k: f64) -> f64 {
    let (q, p) = flow(q0, p0, k, 0.1, 8);
    hamiltonian(q, p, k) - hamiltonian(q0, p0, k)
}

check flow { q0 ~ normal(0, 1); p0 ~ normal(0, 1); k in [0.5, 2]; dt = 0.1; steps = 5; }
check drift { q0 ~ normal(0, 1); p0 ~ normal(0, 1); k in [0.5, 2]; }
