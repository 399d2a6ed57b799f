// A double pendulum: state and energy after one second of RK4.

const G: f64 = 9.81;

/// s holds both angles, then both angular velocities.
fn slope(s: f64[4], m: f64[2] in (0, INF), l: f64[2] in (0, INF)) -> f64[4] {
    let a = s[0] - s[1];
    let total = m[0] + m[1];
    let below = 2*m[0] + m[1] - m[1]*cos(2*a);
    let first = -G*(2*m[0] + m[1])*sin(s[0])
        - m[1]*G*sin(s[0] - 2*s[1])
        - 2*sin(a)*m[1]*(s[3]^2*l[1] + s[2]^2*l[0]*cos(a));
    let second = 2*sin(a)*(s[2]^2*l[0]*total + G*total*cos(s[0]) + s[3]^2*l[1]*m[1]*cos(a));
    [s[2], s[3], first/(l[0]*below), second/(l[1]*below)]
}

fn energy(s: f64[4], m: f64[2] in (0, INF), l: f64[2] in (0, INF)) -> f64 {
    let v1 = l[0]*s[2];
    let v2 = l[1]*s[3];
    0.5*m[0]*v1^2
        + 0.5*m[1]*(v1^2 + v2^2 + 2*v1*v2*cos(s[0] - s[1]))
        - G*(m[0] + m[1])*l[0]*cos(s[0])
        - G*m[1]*l[1]*cos(s[1])
}

fn swing(s0: f64[4], m: f64[2] in (0, INF), l: f64[2] in (0, INF)) -> (state: f64[4], total: f64) {
    let h = 0.005;
    var s = s0;
    for _ in 0..200 {
        let k1 = slope(s, m, l);
        let k2 = slope(s + 0.5*h*k1, m, l);
        let k3 = slope(s + 0.5*h*k2, m, l);
        let k4 = slope(s + h*k3, m, l);
        s = s + h/6*(k1 + 2*k2 + 2*k3 + k4);
    }
    (s, energy(s, m, l))
}

check swing { s0 ~ normal(0, 0.5); m in [0.5, 2]; l in [0.5, 1.5]; }
