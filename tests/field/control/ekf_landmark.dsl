// One cycle of an extended Kalman filter: a robot moves, then sees the range and the bearing of a landmark.

fn motion(x: f64[3], u: f64[2]) -> f64[3] {
    [x[0] + u[0]*cos(x[2]), x[1] + u[0]*sin(x[2]), x[2] + u[1]]
}

fn sight(x: f64[3], mark: f64[2]) -> f64[2] {
    let dx = mark[0] - x[0];
    let dy = mark[1] - x[1];
    [hypot(dx, dy), atan2(dy, dx) - x[2]]
}

/// An angle brought into [-pi, pi).
fn wrapped(a: f64) -> f64 { a - 2*PI*floor((a + PI)/(2*PI)) }

/// G is a square root of the covariance; nis is the normalised innovation squared.
fn cycle(
    x0: f64[3],
    G: f64[3, 3],
    u: f64[2],
    seen: f64[2],
    mark: f64[2],
) -> (x: f64[3], P: f64[3, 3], nis: f64) {
    let F = jacobian(motion, wrt = x)(x0, u);
    let x = motion(x0, u);
    let P = F @ (G @ G') @ F' + 0.01*eye(3);
    let H = jacobian(sight, wrt = x)(x, mark);
    let R = diag([0.04, 0.01]);
    let S = H @ P @ H' + R;
    let K = solve(S, H @ P)';
    let guess = sight(x, mark);
    let e = [seen[0] - guess[0], wrapped(seen[1] - guess[1])];
    let W = eye(3) - K @ H;
    (x + K @ e, W @ P @ W' + K @ R @ K', dot(e, solve(S, e)))
}

check cycle {
    x0 ~ normal(0, 0.3); G ~ normal(0, 0.2); u in [0.1, 0.5];
    seen ~ near([3.0, 0.7], 0.3); mark ~ near([2.5, 2.0], 0.2);
}
