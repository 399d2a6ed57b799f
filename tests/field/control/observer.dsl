// A Luenberger observer beside its plant: how fast the estimate forgets where it started. The input does not matter.

fn estimation[N](
    A: f64[N, N],
    b: f64[N],
    c: f64[N],
    l: f64[N],
    x0: f64[N],
    z0: f64[N],
    amplitude: f64,
) -> (error: f64[N], cost: f64) {
    let h = 0.02;
    var x = x0;
    var z = z0;
    var cost = 0.0;
    for k in 0..150 {
        let u = amplitude*sin(3*h*f64(k));
        let seen = dot(c, x) - dot(c, z);
        x = x + h*(A @ x + u*b);
        z = z + h*(A @ z + u*b + seen*l);
        cost += h*dot(x - z, x - z);
    }
    (x - z, cost)
}

check estimation[N = 3] {
    A ~ near([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -2.0, -1.0]], 0.1);
    b = 0.5; c ~ near([1.0, 0.0, 0.0], 0.1); l ~ near([3.0, 2.0, 0.0], 0.2);
    x0 ~ normal(0, 1); z0 ~ normal(0, 1); amplitude in [0.5, 2];
}
