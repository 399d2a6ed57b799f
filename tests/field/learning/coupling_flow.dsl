// A normalising flow of affine coupling layers (RealNVP): each layer rescales and shifts one half of the vector by functions
// of the other half, then the halves change places. The log density follows from the sum of the log scales.

fn flow[L, D](
    x: f64[2*D],
    Ws: f64[L, D, D],
    bs: f64[L, D],
    Wt: f64[L, D, D],
    bt: f64[L, D],
) -> (z: f64[2*D], log_density: f64) {
    var a = x[:D];
    var b = x[D:];
    var log_det = 0;
    for l in 0..L {
        let s = tanh(Ws[l] @ a + bs[l]);
        let t = Wt[l] @ a + bt[l];
        let moved = b*exp(s) + t;
        log_det += sum(s);
        b = a;
        a = moved;
    }
    let z = concat(a, b);
    (z, log_det - 0.5*dot(z, z) - f64(D)*log(2*PI))
}

check flow[L = 4, D = 3] {
    Ws ~ normal(0, 0.5); bs ~ normal(0, 0.2); Wt ~ normal(0, 0.5); bt ~ normal(0, 0.2);
}
