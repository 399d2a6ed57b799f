// Swing-up cost of a cart with a pole. The equations of motion are Lagrange's, derived by the compiler.

const G: f64 = 9.81;

/// q is the position of the cart (1 kg) and the angle of the pole from upright, v their rates.
fn lagrangian(q: f64[2], v: f64[2], m: f64, l: f64) -> f64 {
    0.5*(1 + m)*v[0]^2 + m*l*v[0]*v[1]*cos(q[1]) + 0.5*m*l^2*v[1]^2 - m*G*l*cos(q[1])
}

fn momentum(q: f64[2], v: f64[2], m: f64, l: f64) -> f64[2] {
    grad(lagrangian, wrt = v)(q, v, m, l)
}

fn acceleration(q: f64[2], v: f64[2], u: f64, m: f64 in (0, INF), l: f64 in (0, INF)) -> f64[2] {
    let mass = hessian(lagrangian, wrt = v)(q, v, m, l);
    let coriolis = jvp(momentum, wrt = q)(q, v, m, l; v);
    solve(mass, grad(lagrangian, wrt = q)(q, v, m, l) + [u, 0] - coriolis)
}

fn swing_up[K](u: f64[K], q0: f64[2], m: f64 in (0, INF), l: f64 in (0, INF)) -> f64 {
    let h = 0.04;
    var q = q0;
    var v = zeros(2);
    var cost = 0.0;
    for t in 0..K {
        v += h*acceleration(q, v, u[t], m, l);
        q += h*v;
        cost += h*(q[0]^2 + 1 - cos(q[1]) + 0.01*u[t]^2);
    }
    cost + dot(v, v)
}

check swing_up[K = 10] {
    u ~ normal(0, 2); q0 ~ near([0.0, 3.0], 0.3); m in [0.1, 0.5]; l in [0.4, 0.8];
}
