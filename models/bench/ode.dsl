// GradBench ode: y'_0 = x_0, y'_i = x_i y_(i-1) from 0 to 2 by s steps of classic Runge-Kutta.

fn slope[N](x: f64[N], y: f64[N]) -> f64[N] {
    [if i == 0 { x[0] } else { x[i]*y[i - 1] } for i in 0..N]
}

fn ode[N](x: f64[N], s: i64) -> f64[N] {
    let h = 2/f64(s);
    var y = zeros(N);
    for step in 0..s {
        let k1 = slope(x, y);
        let k2 = slope(x, y + h/2*k1);
        let k3 = slope(x, y + h/2*k2);
        let k4 = slope(x, y + h*k3);
        y = y + h/6*(k1 + 2*k2 + 2*k3 + k4);
    }
    y
}

/// What GradBench differentiates: the last component.
fn ode_last[N](x: f64[N], s: i64) -> f64 { ode(x, s)[N - 1] }

check ode[N = 4] { x ~ uniform(0, 1); s = 3; }
check ode_last[N = 5] { x ~ uniform(0, 1); s = 4; }
bench ode_last[N = 1000] {
    x = load("data/ode_1000_x.npy"); s = 10; modes primal, vjp; max_ratio 5;
}
