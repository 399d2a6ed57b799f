// A European put under constant elasticity of variance: a hundred Crank-Nicolson steps on a grid of N intervals between 0 and
// twice the spot, each a tridiagonal system solved by Thomas's algorithm.

const STEPS: i64 = 100;

fn thomas[N](lower: f64[N], middle: f64[N], upper: f64[N], right: f64[N]) -> f64[N] {
    var c = upper/middle;
    var x = right/middle;
    for i in 1..N {
        let pivot = middle[i] - lower[i]*c[i - 1];
        c[i] = upper[i]/pivot;
        x[i] = (right[i] - lower[i]*x[i - 1])/pivot;
    }
    for j in 1..N {
        let i = N - 1 - j;
        x[i] -= c[i]*x[i + 1];
    }
    x
}

fn cev_put[N](
    spot: f64 in (0, INF),
    strike: f64,
    rate: f64,
    vol: f64,
    beta: f64,
    maturity: f64 in (0, INF),
) -> f64 {
    let ds = 2*spot/f64(N);
    let dt = maturity/f64(STEPS);
    let diffusion = [0.25*dt*(vol*spot/ds*(f64(i)*ds/spot)^beta)^2 for i in 1..N];
    let drift = [0.25*dt*rate*f64(i) for i in 1..N];
    let a = diffusion - drift;
    let b = -2*diffusion - 0.5*rate*dt;
    let c = diffusion + drift;
    var v = [max(strike - f64(i)*ds, 0) for i in 0..N + 1];
    for m in 0..STEPS {
        let bottom = strike*exp(-rate*dt*f64(m + 1));
        var right = [a[i]*v[i] + (1 + b[i])*v[i + 1] + c[i]*v[i + 2] for i in 0..N - 1];
        right[0] += a[0]*bottom;
        v = concat([bottom], thomas(-a, 1 - b, -c, right), [0.0]);
    }
    v[div(N, 2)]
}

check cev_put[N = 12] {
    spot in [90, 110];
    strike in [80, 120];
    rate in [0.01, 0.05];
    vol in [0.15, 0.35];
    beta in [0.3, 1];
    maturity in [0.5, 2];
}
