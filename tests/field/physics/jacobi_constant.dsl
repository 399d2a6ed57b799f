// Circular restricted three-body problem: an orbit in the rotating frame by RK4, and how well it keeps the Jacobi constant.

/// Effective potential; mu is the mass of the smaller primary as a part of the whole.
fn effective(x: f64, y: f64, mu: f64) -> f64 {
    0.5*(x^2 + y^2) + (1 - mu)/hypot(x + mu, y) + mu/hypot(x - 1 + mu, y)
}

/// Velocity and acceleration of the state (x, y, vx, vy), Coriolis force included.
fn slope(s: f64[4], mu: f64) -> f64[4] {
    let (fx, fy) = grad(effective, wrt = (x, y))(s[0], s[1], mu);
    [s[2], s[3], fx + 2*s[3], fy - 2*s[2]]
}

fn jacobi(s: f64[4], mu: f64) -> f64 { 2*effective(s[0], s[1], mu) - s[2]^2 - s[3]^2 }

fn orbit(s0: f64[4], mu: f64 in (0, 0.5]) -> (state: f64[4], drift: f64) {
    let h = 0.01;
    var s = s0;
    for _ in 0..100 {
        let k1 = slope(s, mu);
        let k2 = slope(s + 0.5*h*k1, mu);
        let k3 = slope(s + 0.5*h*k2, mu);
        let k4 = slope(s + h*k3, mu);
        s += h/6*(k1 + 2*k2 + 2*k3 + k4);
    }
    (s, jacobi(s, mu) - jacobi(s0, mu))
}

check orbit { s0 ~ near([0.5, 0.0, 0.0, 0.9], 0.05); mu in [0.01, 0.05]; }
