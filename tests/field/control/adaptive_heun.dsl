// The van der Pol oscillator by Heun's method with adaptive steps. Step sizes are held still: they choose where to evaluate,
// not what the solution is.

fn slope(y: f64[2], mu: f64) -> f64[2] { [y[1], mu*(1 - y[0]^2)*y[1] - y[0]] }

fn oscillator(y0: f64[2], mu: f64 in [0, 4]) -> (y: f64[2], steps: i64) {
    let end = 3.0;
    let tol = 1e-4;
    var y = y0;
    var t = 0.0;
    var h = 0.05;
    var steps = 0;
    while end - t > 1e-9 && steps < 5000 {
        let k1 = slope(y, mu);
        let k2 = slope(y + h*k1, mu);
        let off = stop_gradient(max(0.5*h*norm(k2 - k1), 1e-10));
        if off <= tol {
            y += 0.5*h*(k1 + k2);
            t += h;
        }
        h = min(h*clamp(0.9*sqrt(tol/off), 0.2, 4), max(end - t, 1e-6));
        steps += 1;
    }
    (y, steps)
}

check oscillator { y0 ~ normal(0, 1); mu in [0.5, 2]; }
