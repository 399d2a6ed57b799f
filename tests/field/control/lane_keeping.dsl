// A kinematic bicycle steered back to its lane by Stanley's law with limited angle and rate: tracking cost of ten seconds.

fn tracking(
    offset: f64,
    heading: f64,
    speed: f64 in (0, INF),
    k: f64,
    wheelbase: f64 in [1, 4],
) -> (cost: f64, left: f64) {
    let h = 0.05;
    var y = offset;
    var psi = heading;
    var steer = 0.0;
    var cost = 0.0;
    for _ in 0..200 {
        let wanted = clamp(-psi - atan2(k*y, speed), -0.6, 0.6);
        steer += clamp(wanted - steer, -0.04, 0.04);
        y += h*speed*sin(psi);
        psi += h*speed/wheelbase*tan(steer);
        cost += h*(y^2 + 0.1*steer^2);
    }
    (cost, y)
}

check tracking {
    offset in [-2, 2]; heading in [-0.3, 0.3]; speed in [3, 8]; k in [0.5, 2]; wheelbase in [2, 3];
}
