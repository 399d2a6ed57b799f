// Saddlepoint approximation to the log density of a sum of independent gamma variables. The saddlepoint solves K'(s) = x;
// Newton's method starts on its right, where K' is convex, and so comes down without overshooting.

fn cgf[N](s: f64, shape: f64[N], scale: f64[N]) -> f64 { -sum(shape[i]*log1p(-scale[i]*s) for i) }

fn saddlepoint[N](x: f64 in (0, INF), shape: f64[N] in (0, INF), scale: f64[N] in (0, INF)) -> f64 {
    let m = argmax(scale[i] for i);
    var s = 1/scale[m] - shape[m]/x;
    var gap = grad(cgf, wrt = s)(s, shape, scale) - x;
    while abs(gap) > 1e-10*x {
        s -= gap/hessian(cgf, wrt = s)(s, shape, scale);
        gap = grad(cgf, wrt = s)(s, shape, scale) - x;
    }
    cgf(s, shape, scale) - s*x - 0.5*log(2*PI*hessian(cgf, wrt = s)(s, shape, scale))
}

check saddlepoint[N = 5] { x in [3, 12]; shape in [0.5, 2]; scale in [0.5, 1.5]; }
