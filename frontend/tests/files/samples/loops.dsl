// Loops, storage, convergence, recursion over dimensions.

fn newton(a: f64 in (0, INF)) -> f64 {
    var x = 1;
    while abs(x^2 - a) > 1e-12*a {
        x = (x + a/x)/2;
    }
    x
}

fn rk4[N](y0: f64[N], h: f64, steps: i64) -> f64[N] {
    var y = y0;
    #[checkpoint(sqrt)]
    for _ in 0..steps {
        let k1 = field(y);
        let k2 = field(y + h/2*k1);
        let k3 = field(y + h/2*k2);
        let k4 = field(y + h*k3);
        y += h/6*(k1 + 2*k2 + 2*k3 + k4);
    }
    y
}

fn field[N](y: f64[N]) -> f64[N] {
    [if i == 0 { -y[i] } else { y[i - 1] - y[i] } for i in 0..N]
}

fn collatz(n: i64, x: f64) -> f64 {
    var m = n;
    var s = x;
    #[checkpoint(revolve, 10)]
    while m != 1 {
        if mod(m, 2) == 0 { m = div(m, 2); } else { m = 3*m + 1; s += 1/f64(m); }
        assert m > 0;
    }
    s
}

fn nested[N, M](A: f64[N, M]) -> f64 {
    var s = 0;
    #[checkpoint(none)]
    for i in 0..N {
        var row = 1.0;
        #[checkpoint(all)]
        for j in 0..i step 2 { row *= 1 + A[i, j]^2; }
        s += log(row);
    }
    s
}

/// A sum by halves.
fn total[N](x: f64[N]) -> f64 {
    if N == 0 { 0 } else if N == 1 { x[0] } else {
        let h = div(N, 2);
        total[h](x[:h]) + total[N - h](x[h:])
    }
}

check newton { a ~ lognormal(0, 1); points 8; }
check rk4[N = 3] { h = 0.01; steps = 20; wrt y0; }
check collatz { n = 27; }
check total[N = 6] { x ~ normal(0, 1); }
