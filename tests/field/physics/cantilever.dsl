// A cantilever of N Euler-Bernoulli elements with heights of their own, loaded at its tip, in SI units.

fn tip[N](
    height: f64[N] in (0, INF),
    width: f64,
    young: f64,
    length: f64,
    force: f64,
) -> (deflection: f64, angle: f64) {
    let l = length/f64(N);
    let m = [
        [12, 6*l, -12, 6*l],
        [6*l, 4*l^2, -6*l, 2*l^2],
        [-12, -6*l, 12, -6*l],
        [6*l, 2*l^2, -6*l, 4*l^2],
    ];
    var K = zeros(2*N, 2*N);
    for e in 0..N {
        let s = young*width*height[e]^3/(12*l^3);
        for a in 0..4 {
            for b in 0..4 {
                // The first node is clamped, so its two unknowns are left out.
                let i = 2*e + a - 2;
                let j = 2*e + b - 2;
                if i >= 0 && j >= 0 { K[i, j] += s*m[a, b]; }
            }
        }
    }
    var f = zeros(2*N);
    f[2*N - 2] = force;
    let u = solve(K, f);
    (u[2*N - 2], u[2*N - 1])
}

check tip[N = 5] {
    height in [0.01, 0.03]; width = 0.02; young in [7e10, 2.1e11]; length in [0.5, 1];
    force in [10, 50];
}
