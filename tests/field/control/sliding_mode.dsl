// Sliding-mode control of a double integrator with an unknown push, the switch smoothed to a boundary layer.

/// A smooth sign with an algebraic tail.
fn smooth_sign(s: f64) -> f64 { s/sqrt(1 + s^2) }
rule partial smooth_sign(s) { d s: (1 + s^2)^-1.5; }

fn closed_loop(
    x0: f64,
    v0: f64,
    slope: f64,
    gain: f64,
    layer: f64 in [0.05, 1],
    push: f64,
) -> (surface: f64, cost: f64) {
    let h = 0.01;
    var x = x0;
    var v = v0;
    var cost = 0.0;
    for k in 0..400 {
        let s = v + slope*x;
        let u = -slope*v - gain*smooth_sign(s/layer);
        v += h*(u + push*sin(2*h*f64(k)));
        x += h*v;
        cost += h*(x^2 + 0.01*u^2);
    }
    (v + slope*x, cost)
}

check closed_loop {
    x0 in [-1, 1]; v0 in [-1, 1]; slope in [0.5, 2]; gain in [1, 3]; layer in [0.1, 0.5];
    push in [-0.5, 0.5];
}
