// Magnetic field of a closed polygon of wire, in tesla; its divergence, taken by the compiler, is 0.

fn cross(a: f64[3], b: f64[3]) -> f64[3] {
    [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
}
rule vjp cross(a, b; g) {
    (
        [b[1]*g[2] - b[2]*g[1], b[2]*g[0] - b[0]*g[2], b[0]*g[1] - b[1]*g[0]],
        [g[1]*a[2] - g[2]*a[1], g[2]*a[0] - g[0]*a[2], g[0]*a[1] - g[1]*a[0]],
    )
}

/// Each straight piece contributes by the closed formula for a finite wire.
fn field[N](wire: f64[N, 3], p: f64[3], current: f64) -> f64[3] {
    1e-7
        * current
        * sum({
            let a = p - wire[i];
            let b = p - wire[mod(i + 1, N)];
            let ra = norm(a);
            let rb = norm(b);
            (ra + rb)/(ra*rb*(ra*rb + dot(a, b)))*cross(a, b)
        } for i in 0..N)
}

fn magnet[N](wire: f64[N, 3], p: f64[3], current: f64) -> (b: f64[3], divergence: f64) {
    (field(wire, p, current), trace(jacobian(field, wrt = p)(wire, p, current)))
}

check magnet[N = 4] {
    wire ~ near([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0]], 0.1);
    p in [-0.5, 0.5];
    current in [1, 10];
}
