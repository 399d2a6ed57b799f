// Growth-optimal fractions of wealth in N bets over weighted scenarios, with a quadratic penalty (a fractional Kelly rule):
// Newton's method on the gradient and Hessian of the expected log growth.

fn growth[S, N](f: f64[N], R: f64[S, N], p: f64[S], penalty: f64) -> f64 {
    sum(p[s]*log1p(R[s] @ f) for s) - 0.5*penalty*sum(f^2)
}

fn kelly[S, N](
    R: f64[S, N],
    logits: f64[S],
    penalty: f64 in (0, INF),
) -> (fraction: f64[N], rate: f64) {
    let p = softmax(logits);
    var f = zeros(N);
    for _ in 0..20 {
        let g = grad(growth, wrt = f)(f, R, p, penalty);
        let H = hessian(growth, wrt = f)(f, R, p, penalty);
        f -= solve(H, g);
    }
    (f, growth(f, R, p, 0))
}

check kelly[S = 10, N = 3] { R in [-0.25, 0.3]; logits ~ normal(0, 0.5); penalty in [0.5, 2]; }
