// GradBench saddle: min over x of the max over y of |x|² - |y|², by a descent within a descent. Each takes its gradient forward (f) or in
// reverse (r); the outer one differentiates the inner descent.

use "descent.dsl";

fn f(x: f64[2], y: f64[2]) -> f64 { (x[0]^2 + x[1]^2) - (y[0]^2 + y[1]^2) }

fn minus(y: f64[2], x: f64[2]) -> f64 { -f(x, y) }
fn minus_f(y: f64[2], x: f64[2]) -> f64[2] {
    [jvp(minus, wrt = y)(y, x; [1.0, 0.0]), jvp(minus, wrt = y)(y, x; [0.0, 1.0])]
}
fn minus_r(y: f64[2], x: f64[2]) -> f64[2] { grad(minus, wrt = y)(y, x) }

/// Where f is largest for this x.
fn highest_f(x: f64[2], start: f64[2]) -> f64[2] { descend(minus(_, x), minus_f(_, x), start) }
fn highest_r(x: f64[2], start: f64[2]) -> f64[2] { descend(minus(_, x), minus_r(_, x), start) }

fn top_f(x: f64[2], start: f64[2]) -> f64 { f(x, highest_f(x, start)) }
fn top_r(x: f64[2], start: f64[2]) -> f64 { f(x, highest_r(x, start)) }

fn forward_f(x: f64[2], start: f64[2]) -> f64[2] {
    [jvp(top_f, wrt = x)(x, start; [1.0, 0.0]), jvp(top_f, wrt = x)(x, start; [0.0, 1.0])]
}
fn forward_r(x: f64[2], start: f64[2]) -> f64[2] {
    [jvp(top_r, wrt = x)(x, start; [1.0, 0.0]), jvp(top_r, wrt = x)(x, start; [0.0, 1.0])]
}
fn reverse_f(x: f64[2], start: f64[2]) -> f64[2] { grad(top_f, wrt = x)(x, start) }
fn reverse_r(x: f64[2], start: f64[2]) -> f64[2] { grad(top_r, wrt = x)(x, start) }

fn ff(start: f64[2]) -> f64[4] {
    let x = descend(top_f(_, start), forward_f(_, start), start);
    concat(x, highest_f(x, start))
}
fn fr(start: f64[2]) -> f64[4] {
    let x = descend(top_r(_, start), forward_r(_, start), start);
    concat(x, highest_r(x, start))
}
fn rf(start: f64[2]) -> f64[4] {
    let x = descend(top_f(_, start), reverse_f(_, start), start);
    concat(x, highest_f(x, start))
}
fn rr(start: f64[2]) -> f64[4] {
    let x = descend(top_r(_, start), reverse_r(_, start), start);
    concat(x, highest_r(x, start))
}

check f { x ~ normal(0, 1); y ~ normal(0, 1); }
check top_f { x ~ normal(0, 1); start = [1.0, 1.0]; wrt x; points 4; modes slow, forward; }
check top_r { x ~ normal(0, 1); start = [1.0, 1.0]; wrt x; points 4; modes slow, forward; }
