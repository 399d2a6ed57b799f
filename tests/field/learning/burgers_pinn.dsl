// A physics-informed network for Burgers' equation u_t + u u_x = nu u_xx: residuals at collocation points by derivatives of
// the network with respect to its inputs, and the initial condition -sin(pi x).

fn u[H](t: f64, x: f64, W: f64[H, 2], b: f64[H], a: f64[H]) -> f64 {
    sum(a[h]*tanh(W[h, 0]*t + W[h, 1]*x + b[h]) for h)
}

fn residual[H](t: f64, x: f64, W: f64[H, 2], b: f64[H], a: f64[H], nu: f64) -> f64 {
    let (value, (ut, ux)) = value_and_grad(u, wrt = (t, x))(t, x, W, b, a);
    let uxx = hess_diag(u, wrt = x)(t, x, W, b, a);
    ut + value*ux - nu*uxx
}

fn pinn[N, M, H](tx: f64[N, 2], x0: f64[M], W: f64[H, 2], b: f64[H], a: f64[H], nu: f64) -> f64 {
    let inside = mean(residual(tx[i, 0], tx[i, 1], W, b, a, nu)^2 for i);
    let start = mean((u(0, x0[m], W, b, a) + sin(PI*x0[m]))^2 for m);
    inside + 10*start
}

check pinn[N = 5, M = 4, H = 6] {
    tx in [0, 1];
    x0 in [-1, 1];
    W ~ normal(0, 1);
    b ~ normal(0, 0.5);
    a ~ normal(0, 0.5);
    nu = 0.003183;
    wrt W, b, a;
}
