fn h1_core[N, M](x0: f64) -> f64 {
    var v3: c128[2] = cumsum(cumsum([c128(0.0, 2.0) for i2 in 0..2]));
    if (
        if (x0) >= (3.0) {
            {
                var v5: bool = false;
                for i6 in 1..M { v5 = v5; }
                v5
            }
        } else {
            (x0) < (x0)
        }
    ) {
        v3 = (x0*[c128(1.0, -1.0) for i4 in 0..2]);
    }
    logaddexp(
        logdet(([x0 for i7 in 0..3, i8 in 0..M] @ [2.0 for i9 in 0..M, i10 in 0..3]) + 4*eye(3)),
        ([x0 for i11 in 0..2])[0],
    )
}
fn h1[N, M](x0: f64) -> f64 { h1_core[N, M](x0) }
rule vjp h1(x0; g) { vjp(h1_core[N, M])(x0; g) }
fn f[N, M](x0: c128) -> f64[M] {
    (
        (
            {
                let a12 = x0;
                0.25
            } + norm([0.0 for i13 in 0..M])
        )*([0.25 for i14 in 0..M, i15 in 0..M])[:, 0]
    )
}
