// A damped string with fixed ends by the leapfrog scheme: shape and energy after 300 steps.

/// Energy of N inner points at rest ends; old is the shape one step earlier.
fn energy[N](u: f64[N], old: f64[N], c: f64, dx: f64, dt: f64) -> f64 {
    let w = concat([0.0], u, [0.0]);
    0.5*dx*sum(((u[i] - old[i])/dt)^2 for i) + 0.5*c^2*sum((w[i + 1] - w[i])^2 for i in 0..N + 1)/dx
}

fn ring_down[N](u0: f64[N], c: f64, friction: f64) -> (u: f64[N], left: f64) {
    let dx = 1/f64(N + 1);
    let dt = 0.4*dx;
    let r2 = (c*dt/dx)^2;
    let f = 0.5*friction*dt;
    var old = u0;
    var u = u0;
    for _ in 0..300 {
        let next = [{
            let before = if i > 0 { u[i - 1] } else { 0.0 };
            let after = if i < N - 1 { u[i + 1] } else { 0.0 };
            (2*u[i] - (1 - f)*old[i] + r2*(before - 2*u[i] + after))/(1 + f)
        } for i in 0..N];
        old = u;
        u = next;
    }
    (u, energy(u, old, c, dx, dt))
}

check ring_down[N = 8] { u0 ~ normal(0, 1); c in [0.5, 2]; friction in [0, 0.5]; }
