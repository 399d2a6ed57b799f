// Neural spline flow in one dimension: a monotone rational-quadratic spline with K bins on [-3, 3] and the identity outside,
// its slope by a derivative inside the model, and the negative log-likelihood of data under it.

const BOUND: f64 = 3.0;

fn spline[K](x: f64, widths: f64[K], heights: f64[K], slopes: f64[K - 1]) -> f64 {
    if abs(x) >= BOUND {
        x
    } else {
        let xs = 2*BOUND*concat([0.0], cumsum(softmax(widths))) - BOUND;
        let ys = 2*BOUND*concat([0.0], cumsum(softmax(heights))) - BOUND;
        let d = concat([1.0], softplus(slopes), [1.0]);
        let k = sum(i64(x >= xs[j]) for j in 1..K);
        let w = xs[k + 1] - xs[k];
        let h = ys[k + 1] - ys[k];
        let s = h/w;
        let r = (x - xs[k])/w;
        let below = s + (d[k + 1] + d[k] - 2*s)*r*(1 - r);
        ys[k] + h*(s*r^2 + d[k]*r*(1 - r))/below
    }
}

fn spline_nll[N, K](x: f64[N], widths: f64[K], heights: f64[K], slopes: f64[K - 1]) -> f64 {
    mean({
        let (z, dz) = value_and_grad(spline, wrt = x)(x[i], widths, heights, slopes);
        0.5*z^2 + 0.5*log(2*PI) - log(dz)
    } for i)
}

check spline_nll[N = 8, K = 5] {
    x ~ normal(0, 1.5); widths ~ normal(0, 0.7); heights ~ normal(0, 0.7);
    slopes ~ normal(0.5, 0.7);
}
