// A real function of complex variables: holomorphic pieces, moduli and a matrix.

fn cquad[N](A: c128[N, N], z: c128[N]) -> f64 {
    let v = A @ z;
    sum(abs2(v[k])/(1 + abs2(z[k])) for k) + re(exp(1i*sum(z[k]^2 for k)))
}

check cquad[N = 4] { A ~ normal(0, 0.3); z ~ normal(0, 0.3); }
bench cquad[N = 64] {
    A = load("data/cquad_A.npy"); z = load("data/cquad_z.npy");
    wrt z; modes primal, vjp; max_ratio 5;
}
