// The Berry phase of a spin 1/2 carried around a polygon on the sphere: minus half the enclosed solid angle, whatever the
// phases that the states are given.

fn states[N](theta: f64[N], phi: f64[N], gauge: f64[N]) -> c128[N, 2] {
    [cis(gauge[k])*[c128(cos(0.5*theta[k]), 0), sin(0.5*theta[k])*cis(phi[k])] for k]
}

fn berry_phase[N](theta: f64[N], phi: f64[N], gauge: f64[N]) -> (phase: f64, visibility: f64) {
    let u = states(theta, phi, gauge);
    var w = c128(1, 0);
    for k in 0..N { w *= dot(u[k], u[mod(k + 1, N)]); }
    (-arg(w), abs(w))
}

check berry_phase[N = 6] {
    theta in [0.8, 1.2]; phi ~ near([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 0.2); gauge in [-3, 3];
}
