// The heat equation on a rod by the θ-scheme: each step solves (1 − θ r Δ) u' = (1 + (1 − θ) r Δ) u, by elimination in the
// tridiagonal matrix. θ = 0 is explicit, ½ Crank–Nicolson, 1 implicit. Both ends are kept at 0.

/// The second difference with zeros outside.
fn laplacian[N](u: f64[N]) -> f64[N] {
    [
        (if i > 0 { u[i - 1] } else { 0.0 }) - 2*u[i] + (if i < N - 1 { u[i + 1] } else { 0.0 })
        for i in 0..N
    ]
}

/// x with −s x_(i−1) + (1 + 2s) x_i − s x_(i+1) = b_i.
fn tridiagonal[N](s: f64, b: f64[N]) -> f64[N] {
    var c = zeros(N);
    var x = b;
    c[0] = -s/(1 + 2*s);
    x[0] = b[0]/(1 + 2*s);
    for i in 1..N {
        let m = 1 + 2*s + s*c[i - 1];
        c[i] = -s/m;
        x[i] = (b[i] + s*x[i - 1])/m;
    }
    for k in 1..N {
        let i = N - 1 - k;
        x[i] -= c[i]*x[i + 1];
    }
    x
}

fn heat[N](u0: f64[N], conductivity: f64, theta: f64, dt: f64, steps: i64) -> f64[N] {
    let r = conductivity*dt*f64(N + 1)^2;
    var u = u0;
    for k in 0..steps { u = tridiagonal(theta*r, u + (1 - theta)*r*laplacian(u)); }
    u
}

/// How well a conductivity explains a measured end temperature.
fn misfit[N](u0: f64[N], log_conductivity: f64, measured: f64[N]) -> f64 {
    let u = heat(u0, exp(log_conductivity), 0.5, 0.01, 5);
    sum((u[i] - measured[i])^2 for i)
}

check heat[N = 5] {
    u0 ~ normal(0, 1); conductivity in [0.5, 1.5]; theta in [0.3, 1]; dt = 0.01; steps = 4;
}
check misfit[N = 4] { u0 ~ normal(0, 1); log_conductivity in [-1, 1]; measured ~ normal(0, 0.3); }
