// A damped oscillation fitted to measurements: amplitude, decay, frequency, phase; by real and by complex arithmetic.

fn signal(a: f64, decay: f64, omega: f64, phase: f64, t: f64) -> f64 {
    a*exp(-decay*t)*cos(omega*t + phase)
}

fn misfit[N](p: f64[4], t: f64[N], y: f64[N]) -> f64 {
    sum((signal(p[0], p[1], p[2], p[3], t[i]) - y[i])^2 for i)/f64(N)
}

/// The same as the real part of z exp(s t).
fn misfit_complex[N](z: c128, s: c128, t: f64[N], y: f64[N]) -> f64 {
    sum((re(z*exp(s*t[i])) - y[i])^2 for i)/f64(N)
}

/// What a Gauss–Newton step would subtract: the Jacobian of the residuals, taken by the compiler, and normal equations.
fn residuals[N](p: f64[4], t: f64[N], y: f64[N]) -> f64[N] {
    [signal(p[0], p[1], p[2], p[3], t[i]) - y[i] for i]
}

fn gauss_newton[N](p: f64[4], t: f64[N], y: f64[N]) -> f64[4] {
    let J = jacobian(residuals, wrt = p)(p, t, y);
    solve(J' @ J + 0.1*eye(4), J' @ residuals(p, t, y))
}

check misfit[N = 6] { p ~ near([1.0, 0.3, 2.0, 0.5], 0.2); t ~ uniform(0, 3); y ~ normal(0, 0.5); }
check misfit_complex[N = 5] {
    z ~ normal(0, 1); s ~ near(-0.3 + 2.0i, 0.2); t ~ uniform(0, 3); y ~ normal(0, 0.5);
}
check gauss_newton[N = 6] {
    p ~ near([1.0, 0.3, 2.0, 0.5], 0.2); t ~ uniform(0, 3); y ~ normal(0, 0.5);
    modes slow, fast, forward;
}
