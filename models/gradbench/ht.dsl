// GradBench ht: a hand of B bones whose skin has V vertices is fitted to C measured points. `theta` turns and moves the hand (0 to 5)
// and bends five fingers (four angles each).

/// The rotation about an axis by an angle, its length; none below 1e-4.
fn about_axis(v: f64[3]) -> f64[3, 3] {
    let square = v[0]^2 + v[1]^2 + v[2]^2;
    if square < 1e-8 {
        eye(3)
    } else {
        let angle = sqrt(square);
        let (x, y, z) = (v[0]/angle, v[1]/angle, v[2]/angle);
        let (s, c) = (sin(angle), cos(angle));
        [
            [x*x + (1 - x*x)*c, x*y*(1 - c) - z*s, x*z*(1 - c) + y*s],
            [x*y*(1 - c) + z*s, y*y + (1 - y*y)*c, y*z*(1 - c) - x*s],
            [x*z*(1 - c) - y*s, z*y*(1 - c) + x*s, z*z + (1 - z*z)*c],
        ]
    }
}

/// How bone b turns: by `bend` about the first axis, then by `spread` about the third.
fn turn(bend: f64, spread: f64) -> f64[4, 4] {
    let (sx, cx, sz, cz) = (sin(bend), cos(bend), sin(spread), cos(spread));
    [[cz, -sz*cx, sz*sx, 0], [sz, cz*cx, -cz*sx, 0], [0, sx, cx, 0], [0, 0, 0, 1]]
}

/// The angle of a finger's bone. The wrist is bone 0; each finger has four bones after it, of which the last three bend, and the second
/// spreads, too.
fn bend[B](theta: f64[26], b: i64) -> f64 {
    let finger = div(b - 1, 4);
    let joint = mod(b - 1, 4);
    if b == 0 || finger > 4 || joint == 0 {
        0
    } else if joint == 1 {
        theta[6 + 4*finger]
    } else {
        theta[6 + 4*finger + joint]
    }
}

fn spread(theta: f64[26], b: i64) -> f64 {
    let finger = div(b - 1, 4);
    if b == 0 || finger > 4 || mod(b - 1, 4) != 1 { 0 } else { theta[7 + 4*finger] }
}

/// The vertices of the skin in a pose. A vertex follows the bones by its weights.
fn vertices[B, V](
    theta: f64[26],
    parents: i64[B],
    relatives: f64[B, 4, 4],
    inverses: f64[B, 4, 4],
    positions: f64[V, 4],
    weights: f64[V, B],
    mirrored: bool,
) -> f64[V, 3] {
    var absolute = zeros(B, 4, 4);
    for b in 0..B {
        let own = relatives[b] @ turn(bend[B](theta, b), spread(theta, b));
        absolute[b] = if parents[b] < 0 { own } else { absolute[parents[b]] @ own };
    }
    let transforms = [absolute[b] @ inverses[b] for b in 0..B];
    let R = about_axis(theta[0:3]);
    let sign = if mirrored { -1.0 } else { 1.0 };
    [{
        let p = [
            sum(weights[v, b]*sum(transforms[b, i, k]*positions[v, k] for k) for b in 0..B)
            for i in 0..3
        ];
        [R[i, 0]*(sign*p[0]) + R[i, 1]*p[1] + R[i, 2]*p[2] + theta[3 + i] for i in 0..3]
    } for v in 0..V]
}

/// From each measured point to the vertex that it corresponds to.
fn simple[B, V, C](
    theta: f64[26],
    parents: i64[B],
    relatives: f64[B, 4, 4],
    inverses: f64[B, 4, 4],
    positions: f64[V, 4],
    weights: f64[V, B],
    mirrored: bool,
    correspondences: i64[C],
    points: f64[C, 3],
) -> f64[C, 3] {
    let p = vertices(theta, parents, relatives, inverses, positions, weights, mirrored);
    [points[c, i] - p[correspondences[c], i] for c in 0..C, i in 0..3]
}

/// From each measured point to the point of its triangle that has the barycentric coordinates `us`.
fn complicated[B, V, T, C](
    theta: f64[26],
    us: f64[C, 2],
    parents: i64[B],
    relatives: f64[B, 4, 4],
    inverses: f64[B, 4, 4],
    positions: f64[V, 4],
    weights: f64[V, B],
    mirrored: bool,
    triangles: i64[T, 3],
    correspondences: i64[C],
    points: f64[C, 3],
) -> f64[C, 3] {
    let p = vertices(theta, parents, relatives, inverses, positions, weights, mirrored);
    [{
        let t = triangles[correspondences[c]];
        let u = us[c, 0];
        let v = us[c, 1];
        points[c, i] - (u*p[t[0], i] + v*p[t[1], i] + (1 - u - v)*p[t[2], i])
    } for c in 0..C, i in 0..3]
}

/// Columns: by the parameters of the hand.
fn simple_jacobian[B, V, C](
    theta: f64[26],
    parents: i64[B],
    relatives: f64[B, 4, 4],
    inverses: f64[B, 4, 4],
    positions: f64[V, 4],
    weights: f64[V, B],
    mirrored: bool,
    correspondences: i64[C],
    points: f64[C, 3],
) -> f64[C, 3, 26] {
    jacobian(simple, wrt = theta)(
        theta,
        parents,
        relatives,
        inverses,
        positions,
        weights,
        mirrored,
        correspondences,
        points,
    )
}

/// Columns: by the two coordinates of the point itself, then by the parameters of the hand. A point depends on its own coordinates
/// only, so two directions are enough for all of them.
fn complicated_jacobian[B, V, T, C](
    theta: f64[26],
    us: f64[C, 2],
    parents: i64[B],
    relatives: f64[B, 4, 4],
    inverses: f64[B, 4, 4],
    positions: f64[V, 4],
    weights: f64[V, B],
    mirrored: bool,
    triangles: i64[T, 3],
    correspondences: i64[C],
    points: f64[C, 3],
) -> f64[C, 3, 28] {
    let first = jvp(complicated, wrt = us)(
        theta,
        us,
        parents,
        relatives,
        inverses,
        positions,
        weights,
        mirrored,
        triangles,
        correspondences,
        points;
        [[1.0, 0.0] for c in 0..C],
    );
    let second = jvp(complicated, wrt = us)(
        theta,
        us,
        parents,
        relatives,
        inverses,
        positions,
        weights,
        mirrored,
        triangles,
        correspondences,
        points;
        [[0.0, 1.0] for c in 0..C],
    );
    let J = jacobian(complicated, wrt = theta)(
        theta,
        us,
        parents,
        relatives,
        inverses,
        positions,
        weights,
        mirrored,
        triangles,
        correspondences,
        points,
    );
    [
        if k == 0 { first[c, i] } else if k == 1 { second[c, i] } else { J[c, i, k - 2] }
        for c in 0..C, i in 0..3, k in 0..28
    ]
}

check about_axis { v ~ normal(0, 1); }
check simple[B = 4, V = 3, C = 2] {
    theta ~ normal(0, 0.5); parents = [-1, 0, 1, 2]; relatives ~ normal(0, 0.5);
    inverses ~ normal(0, 0.5);
    positions ~ normal(0, 1); weights ~ uniform(0.2, 1); mirrored = true; correspondences = [2, 0];
    points ~ normal(0, 1); wrt theta; modes fast, forward; points 4;
}
check complicated[B = 4, V = 3, T = 1, C = 2] {
    theta ~ normal(0, 0.5); us ~ uniform(0.1, 0.4); parents = [-1, 0, 1, 2];
    relatives ~ normal(0, 0.5);
    inverses ~ normal(0, 0.5); positions ~ normal(0, 1); weights ~ uniform(0.2, 1);
    mirrored = false;
    triangles = [[2, 0, 1]]; correspondences = [0, 0]; points ~ normal(0, 1);
    wrt theta, us; modes fast, forward; points 4;
}
