// Newton's method in a `while`, in one dimension and in several; the derivative of the root by what the equation contains.

/// Kepler's equation E − e sin E = M.
fn eccentric_anomaly(M: f64, e: f64) -> f64 {
    var E = M;
    var step = 1.0;
    while abs(step) > 1e-12 {
        step = (E - e*sin(E) - M)/(1 - e*cos(E));
        E -= step;
    }
    E
}

/// A root of f, by the Jacobian that the compiler derives.
fn root[N](f: fn(f64[N]) -> f64[N], x0: f64[N]) -> f64[N] {
    var x = x0;
    var size = 1.0;
    while size > 1e-11 {
        let step = solve(jacobian(f)(x), f(x));
        x = x - step;
        size = norm(step);
    }
    x
}

fn circles(p: f64[3], x: f64[2]) -> f64[2] {
    [x[0]^2 + x[1]^2 - p[0], (x[0] - p[1])^2 + p[2]*x[1]^2 - 1]
}

fn crossing(p: f64[3]) -> f64[2] { root(circles(p, _), [0.7, 0.8]) }

check eccentric_anomaly { M in [0.2, 3]; e in [0, 0.6]; }
check crossing { p ~ near([1.0, 0.9, 1.1], 0.05); modes slow, fast, forward; }
