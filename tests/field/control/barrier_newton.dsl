// One Newton step for a quadratic programme with a relaxed logarithmic barrier, as solvers for embedded MPC take it.

/// -log s, continued by a parabola below 0.1.
fn barrier(s: f64) -> f64 {
    if s > 0.1 { -log(s) } else { 0.5*((s/0.1 - 2)^2 - 1) - log(0.1) }
}

/// |y|^2/2 + c y under A y <= b, the barrier weighted by mu.
fn objective[N, M](y: f64[N], A: f64[M, N], b: f64[M], c: f64[N], mu: f64) -> f64 {
    let slack = b - A @ y;
    0.5*dot(y, y) + dot(c, y) + mu*sum(barrier(slack[i]) for i)
}

fn newton_step[N, M](
    y: f64[N],
    A: f64[M, N],
    b: f64[M],
    c: f64[N],
    mu: f64 in (0, INF),
) -> (y: f64[N], decrement: f64) {
    let g = grad(objective, wrt = y)(y, A, b, c, mu);
    let H = hessian(objective, wrt = y)(y, A, b, c, mu);
    let p = solve(H, g);
    (y - p, sqrt(dot(g, p)))
}

check newton_step[N = 3, M = 5] {
    y ~ normal(0, 0.3); A ~ normal(0, 1); b in [0.5, 2]; c ~ normal(0, 1); mu in [0.1, 1];
}
