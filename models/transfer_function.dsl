// A PID controller around a second-order plant: the magnitude of the closed loop at one frequency.

/// Controller kp + ki/s + kd s.
fn pid(s: c128, kp: f64, ki: f64, kd: f64) -> c128 { kp + ki/s + kd*s }

/// Plant w0^2/(s^2 + 2 zeta w0 s + w0^2).
fn plant(s: c128, w0: f64, zeta: f64) -> c128 { w0^2/(s^2 + 2*zeta*w0*s + w0^2) }

/// |H(i w)| of the closed loop.
fn magnitude(
    w: f64 in [0.5, 1.5],
    kp: f64 in [1, 3],
    ki: f64 in [0.5, 1],
    kd: f64 in [0.2, 0.6],
    w0: f64 in [0.8, 1.6],
    zeta: f64 in [0.3, 0.9],
) -> f64 {
    let s = c128(0, w);
    let open = pid(s, kp, ki, kd)*plant(s, w0, zeta);
    10*abs(open/(1 + open))
}

check magnitude { modes slow, fast, forward; }
check plant {
    s ~ near(0.5 + 1i, 0.3); w0 in [1, 2]; zeta in [0.3, 0.9]; modes slow, fast, forward;
}
check pid {
    s ~ annulus(0.5, 2); kp in [1, 3]; ki in [0.5, 1]; kd in [0.2, 0.6]; modes slow, fast, forward;
}
