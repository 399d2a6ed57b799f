// The inertia tensor of a cluster of masses turned by a quaternion; its trace and determinant do not feel the turn.

/// Rotation matrix of a quaternion (w, x, y, z) of any length.
fn rotation(q: f64[4]) -> f64[3, 3] {
    let u = q/norm(q);
    let w = u[0];
    let x = u[1];
    let y = u[2];
    let z = u[3];
    [
        [1 - 2*(y^2 + z^2), 2*(x*y - w*z), 2*(x*z + w*y)],
        [2*(x*y + w*z), 1 - 2*(x^2 + z^2), 2*(y*z - w*x)],
        [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x^2 + y^2)],
    ]
}

fn inertia[N](
    m: f64[N] in (0, INF),
    x: f64[N, 3],
    q: f64[4],
) -> (tensor: f64[3, 3], first: f64, third: f64) {
    let centre = sum(m[i]*x[i] for i)/sum(m);
    let y = [x[i] - centre for i] @ rotation(q)';
    let t = sum(m[i]*(dot(y[i], y[i])*eye(3) - outer(y[i], y[i])) for i);
    (t, trace(t), det(t))
}

check inertia[N = 5] { m in [0.5, 2]; x ~ normal(0, 1); q ~ normal(0, 1); }
