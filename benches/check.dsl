// The gradient checks (a), (b) and (c) of `benches/check.rs`; (a) is models/bench/scalar15.dsl.

fn layer(W: f64[32, 32], x: f64[32]) -> f64[32] {
    let a = W @ x;
    [tanh(a[i])*sin(x[i]) for i]
}

fn cquad(A: c128[16, 16], z: c128[16]) -> f64 {
    let v = A @ z;
    sum(abs2(v[k])/(1 + abs2(z[k])) for k) + re(exp(1i*sum(z[k]^2 for k)))
}

check layer {
    W = load("../models/bench/data/check_b_W.npy"); x = load("../models/bench/data/check_b_x.npy");
    wrt x;
}
check cquad {
    A = load("../models/bench/data/check_c_A.npy"); z = load("../models/bench/data/check_c_z.npy");
    wrt z;
}
