// GradBench llsq: a polynomial fitted to the sign of t by least squares.

fn polynomial[M](x: f64[M], t: f64) -> f64 {
    var p = 0.0;
    for j in 0..M { p = p*t + x[M - 1 - j]; }
    p
}

fn llsq[M](x: f64[M], n: i64) -> f64 {
    0.5
        * sum({
            let t = -1 + 2*f64(i)/f64(n - 1);
            (sign(t) - polynomial(x, t))^2
        } for i in 0..n)
}

check llsq[M = 6] { x ~ normal(0, 1); n = 9; }
bench llsq[M = 128] { x = load("data/llsq_x.npy"); n = 256; modes primal, vjp; max_ratio 5; }
