// Backstepping for x1' = x1^2 + x2, x2' = u: the Lyapunov function falls exactly as designed, and what it is after a while.

/// The virtual control of the first equation.
fn wanted(x1: f64, c1: f64) -> f64 { -x1^2 - c1*x1 }

fn lyapunov(x1: f64, x2: f64, c1: f64) -> f64 { 0.5*x1^2 + 0.5*(x2 - wanted(x1, c1))^2 }

fn control(x1: f64, x2: f64, c1: f64, c2: f64) -> f64 {
    grad(wanted, wrt = x1)(x1, c1)*(x1^2 + x2) - x1 - c2*(x2 - wanted(x1, c1))
}

/// V after two seconds, and dV/dt + c1 x1^2 + c2 z2^2 at the start, which is 0.
fn design(x1: f64, x2: f64, c1: f64, c2: f64) -> (after: f64, defect: f64) {
    let fall = jvp(lyapunov, wrt = (x1, x2))(x1, x2, c1; x1^2 + x2, control(x1, x2, c1, c2));
    let z2 = x2 - wanted(x1, c1);
    var a = x1;
    var b = x2;
    for _ in 0..200 {
        let u = control(a, b, c1, c2);
        a += 0.01*(a^2 + b);
        b += 0.01*u;
    }
    (lyapunov(a, b, c1), fall + c1*x1^2 + c2*z2^2)
}

check design { x1 in [-1, 1]; x2 in [-1, 1]; c1 in [0.5, 2]; c2 in [0.5, 2]; }
