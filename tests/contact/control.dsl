// Control, optimisation and loops that stop by themselves.

// Cost of n steps of a linear system under its best feedback.
fn lqr(a: f64, b: f64, q: f64, r: f64, x0: f64, n: i64) -> f64 {
    var p = q;
    for k in 0..n { p = q + a^2*p - (a*b*p)^2/(r + b^2*p); }
    sqrt(p)*abs(x0)
}

// Riccati recursion in matrices.
fn riccati[N, M](A: f64[N, N], B: f64[N, M], Q: f64[N, N], R: f64[M, M], x: f64[N], n: i64) -> f64 {
    assert n >= 1, "a horizon of one step at least";
    var P = Q;
    for k in 0..n {
        let K = solve(R + B' @ P @ B, B' @ P @ A);
        P = Q + A' @ P @ (A - B @ K);
    }
    dot(x, P @ x)
}

fn heron(a: f64, tol: f64) -> f64 {
    var x = a;
    while abs(x*x - a) > tol { x = 0.5*(x + a/x); }
    x
}

fn integrate_decay(y0: f64, k: f64, h: f64, t_end: f64) -> f64 {
    var t = 0.0;
    var y = y0;
    while t < t_end {
        y = y - h*k*y;
        t = t + h;
    }
    y
}

fn log_barrier[N](x: f64[N], c: f64[N], mu: f64) -> f64 { dot(c, x) - mu*sum(log(x)) }

fn bisection(lo: f64, hi: f64, c: f64, n: i64) -> f64 {
    assert lo < hi, "an interval";
    var a = lo;
    var b = hi;
    for k in 0..n {
        let m = 0.5*(a + b);
        if m^3 - c > 0 { b = m; } else { a = m; }
    }
    0.5*(a + b)*c
}

fn damped_spring(m: f64, c: f64, k: f64, x0: f64, t: f64) -> f64 {
    let wn = sqrt(k/m);
    let zeta = c/(2*sqrt(k*m));
    let wd = wn*sqrt(1 - zeta^2);
    x0*exp(-zeta*wn*t)*cos(wd*t)
}

fn pid_settle(kp: f64, ki: f64, dt: f64, steps: i64) -> f64 {
    var y = 0.0;
    var integral = 0.0;
    for k in 0..steps {
        let e = 1 - y;
        integral += e*dt;
        y += dt*(kp*e + ki*integral - y);
    }
    y/f64(steps)
}
