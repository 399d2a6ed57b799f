// Burgers' equation on a ring by finite volumes with the Engquist-Osher flux, in single precision; mass is conserved.

fn flux(a: f32, b: f32) -> f32 { 0.5*(max(a, 0)^2 + min(b, 0)^2) }

fn burgers[N](u0: f32[N], nu: f32 in [0, 0.02]) -> (u: f32[N], mass: f32, energy: f32) {
    let dx = 1/f32(N);
    let dt = 0.2*dx;
    var u = u0;
    for _ in 0..50 {
        let f = [flux(u[i], u[mod(i + 1, N)]) for i in 0..N];
        u = [{
            let spread = u[mod(i + 1, N)] - 2*u[i] + u[mod(i - 1, N)];
            u[i] - dt/dx*(f[i] - f[mod(i - 1, N)]) + nu*dt/dx^2*spread
        } for i in 0..N];
    }
    (u, dx*sum(u), 0.5*dx*sum(u^2))
}

check burgers[N = 10] { u0 ~ normal(0, 0.8); }
