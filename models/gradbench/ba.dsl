// GradBench ba: bundle adjustment, P observations of M points by N cameras. What a camera does is in `models/bench/ba.dsl`.

use "../bench/ba.dsl";

/// How far each observation is from where it was found, and each weight from 1 or -1. A row of `obs` says which camera saw which point.
fn objective[N, M, P](
    cams: f64[N, 11],
    X: f64[M, 3],
    w: f64[P],
    obs: i64[P, 2],
    feats: f64[P, 2],
) -> (reprojection: f64[P, 2], weight: f64[P]) {
    (
        [residual(cams[obs[p, 0]], X[obs[p, 1]], w[p], feats[p]) for p in 0..P],
        [1 - w[p]^2 for p in 0..P],
    )
}

fn weight_error(w: f64) -> f64 { 1 - w*w }

/// What of their derivatives is not 0: by the camera, the point and the weight of an observation; and by the weight.
fn derivatives[N, M, P](
    cams: f64[N, 11],
    X: f64[M, 3],
    w: f64[P],
    obs: i64[P, 2],
    feats: f64[P, 2],
) -> (reprojection: f64[P, 2, 15], weight: f64[P]) {
    (
        [{
            let (C, Y, W) = jacobian(residual, wrt = (cam, X, w))(
                cams[obs[p, 0]],
                X[obs[p, 1]],
                w[p],
                feats[p],
            );
            [
                if c < 11 { C[r, c] } else if c < 14 { Y[r, c - 11] } else { W[r] }
                for r in 0..2, c in 0..15
            ]
        } for p in 0..P],
        [grad(weight_error)(w[p]) for p in 0..P],
    )
}

check objective[N = 2, M = 1, P = 2] {
    cams ~ near(
        [
            [0.2, -0.1, 0.3, 0.5, -0.4, 0.1, 2.0, -0.3, 0.1, 0.06, 0.07],
            [0.1, 0.2, -0.2, 0.3, 0.2, 0.1, 1.5, 0.2, 0.3, 0.05, 0.08],
        ],
        0.1,
    );
    X ~ near([[0.5, -1.0, 8.0]], 0.5); w in [0.2, 1]; feats ~ uniform(-1, 1);
    obs = [[0, 0], [1, 0]];
    modes slow, fast, forward; points 4;
}
check weight_error { w in [0.2, 1]; }
check derivatives[N = 1, M = 1, P = 1] {
    cams ~ near([[0.2, -0.1, 0.3, 0.5, -0.4, 0.1, 2.0, -0.3, 0.1, 0.06, 0.07]], 0.1);
    X ~ near([[0.5, -1.0, 8.0]], 0.5); w in [0.2, 1]; feats ~ uniform(-1, 1); obs = [[0, 0]];
    modes fast, forward; points 4;
}
