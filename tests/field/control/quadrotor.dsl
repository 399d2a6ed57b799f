// A quadrotor levelled and held at its height by proportional-derivative loops: position and effort after one second.

const G: f64 = 9.81;

/// Direction of the rotor axis in the world for roll, pitch and yaw.
fn axis(a: f64[3]) -> f64[3] {
    [
        cos(a[2])*sin(a[1])*cos(a[0]) + sin(a[2])*sin(a[0]),
        sin(a[2])*sin(a[1])*cos(a[0]) - cos(a[2])*sin(a[0]),
        cos(a[1])*cos(a[0]),
    ]
}

/// Rates of roll, pitch and yaw from the body rates w.
fn angle_rates(a: f64[3], w: f64[3]) -> f64[3] {
    let s = w[1]*sin(a[0]) + w[2]*cos(a[0]);
    [w[0] + tan(a[1])*s, w[1]*cos(a[0]) - w[2]*sin(a[0]), s/cos(a[1])]
}

fn hover(
    p0: f64[3],
    v0: f64[3],
    a0: f64[3],
    w0: f64[3],
    gains: f64[4],
) -> (p: f64[3], effort: f64) {
    let J = [0.02, 0.02, 0.04];
    let h = 0.01;
    var p = p0;
    var v = v0;
    var a = a0;
    var w = w0;
    var effort = 0.0;
    for _ in 0..100 {
        let lift = G - gains[0]*p[2] - gains[1]*v[2];
        let torque = -0.1*(gains[2]*a + gains[3]*w);
        let e = axis(a);
        let m = J*w;
        let gyro = [w[1]*m[2] - w[2]*m[1], w[2]*m[0] - w[0]*m[2], w[0]*m[1] - w[1]*m[0]];
        p += h*v;
        a += h*angle_rates(a, w);
        v += h*(lift*e - [0, 0, G]);
        w += h*(torque - gyro)/J;
        effort += h*(lift^2 + dot(torque, torque));
    }
    (p, effort)
}

check hover {
    p0 ~ normal(0, 0.5); v0 ~ normal(0, 0.5); a0 ~ normal(0, 0.2); w0 ~ normal(0, 0.2);
    gains ~ near([4.0, 3.0, 4.0, 1.0], 0.5);
}
