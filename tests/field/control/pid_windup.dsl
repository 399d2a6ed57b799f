// Step response of a second-order plant under a PID controller with a saturated actuator and back-calculation.

fn response(
    kp: f64,
    ki: f64,
    kd: f64,
    inertia: f64 in [0.5, 5],
) -> (ise: f64, peak: f64, error: f64) {
    let h = 0.02;
    var y = 0.0;
    var v = 0.0;
    var smooth = 0.0; // filtered output, for the derivative
    var integral = 0.0;
    var ise = 0.0;
    var peak = 0.0;
    for _ in 0..500 {
        let e = 1 - y;
        let rate = (y - smooth)/0.1;
        let wanted = kp*e + ki*integral - kd*rate;
        let u = clamp(wanted, -2, 2);
        integral += h*(e + 0.5*(u - wanted));
        smooth += h*rate;
        v += h*(u - 0.5*v - y)/inertia;
        y += h*v;
        ise += h*e^2;
        peak = max(peak, y);
    }
    (ise, peak, 1 - y)
}

check response { kp in [1, 5]; ki in [0.5, 2]; kd in [0.5, 2]; inertia in [0.8, 2]; }
