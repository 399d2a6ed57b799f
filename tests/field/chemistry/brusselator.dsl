// The Brusselator, an autocatalytic oscillator, by RK4 over 500 steps: final concentrations and mean.

/// One step of the classical Runge-Kutta method.
fn rk4[N](f: fn(f64[N]) -> f64[N], y: f64[N], h: f64) -> f64[N] {
    let k1 = f(y);
    let k2 = f(y + 0.5*h*k1);
    let k3 = f(y + 0.5*h*k2);
    let k4 = f(y + h*k3);
    y + h/6*(k1 + 2*k2 + 2*k3 + k4)
}

fn slope(y: f64[2], a: f64, b: f64) -> f64[2] {
    let fast = y[0]^2*y[1];
    [a - (b + 1)*y[0] + fast, b*y[0] - fast]
}

fn oscillation(y0: f64[2], a: f64, b: f64) -> (y: f64[2], average: f64[2]) {
    var y = y0;
    var total = [0.0, 0.0];
    for _ in 0..500 {
        y = rk4(slope(_, a, b), y, 0.02);
        total += y;
    }
    (y, total/500)
}

check oscillation { y0 in [0.5, 1.5]; a in [0.9, 1.1]; b in [1.5, 3]; }
