// Bundle adjustment: how far a point that a camera sees is from where it was found. Camera: rotation vector, centre,
// focal length, principal point, two coefficients of radial distortion.

fn residual(cam: f64[11], X: f64[3], w: f64, feat: f64[2]) -> f64[2] {
    let p = [X[i] - cam[3 + i] for i in 0..3];
    let s2 = cam[0]^2 + cam[1]^2 + cam[2]^2;
    let r = if s2 != 0 {
        let theta = sqrt(s2);
        let c = cos(theta);
        let s = sin(theta);
        let u = [cam[i]/theta for i in 0..3];
        let cross = [u[1]*p[2] - u[2]*p[1], u[2]*p[0] - u[0]*p[2], u[0]*p[1] - u[1]*p[0]];
        let along = dot(u, p)*(1 - c);
        [p[i]*c + cross[i]*s + u[i]*along for i in 0..3]
    } else {
        [
            p[0] + cam[1]*p[2] - cam[2]*p[1],
            p[1] + cam[2]*p[0] - cam[0]*p[2],
            p[2] + cam[0]*p[1] - cam[1]*p[0],
        ]
    };
    let x = r[0]/r[2];
    let y = r[1]/r[2];
    let rs = x*x + y*y;
    let distortion = 1 + cam[9]*rs + cam[10]*rs*rs;
    [w*(x*distortion*cam[6] + cam[7] - feat[0]), w*(y*distortion*cam[6] + cam[8] - feat[1])]
}

/// The 2 × 15 Jacobians of P observations: by the camera, the point and the weight.
fn jacobians[P](cam: f64[P, 11], X: f64[P, 3], w: f64[P], feat: f64[P, 2]) -> f64[P, 2, 15] {
    [{
        let (C, Y, W) = jacobian(residual, wrt = (cam, X, w))(cam[p], X[p], w[p], feat[p]);
        [
            if c < 11 { C[r, c] } else if c < 14 { Y[r, c - 11] } else { W[r] }
            for r in 0..2, c in 0..15
        ]
    } for p in 0..P]
}

check residual {
    cam ~ near([0.2, -0.1, 0.3, 0.5, -0.4, 0.1, 2.0, -0.3, 0.1, 0.06, 0.07], 0.1);
    X ~ near([0.5, -1.0, 8.0], 0.5); w in [0.2, 1]; feat ~ uniform(-1, 1);
}
check jacobians[P = 1] {
    cam ~ near([[0.2, -0.1, 0.3, 0.5, -0.4, 0.1, 2.0, -0.3, 0.1, 0.06, 0.07]], 0.1);
    X ~ near([[0.5, -1.0, 8.0]], 0.5); w in [0.2, 1]; feat ~ uniform(-1, 1);
    modes slow, fast, forward; points 4;
}
bench jacobians[P = 10000] {
    cam = load("data/ba_cam.npy"); X = load("data/ba_X.npy"); w = load("data/ba_w.npy");
    feat = load("data/ba_feat.npy"); modes primal;
}
