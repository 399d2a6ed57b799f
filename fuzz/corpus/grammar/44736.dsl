fn h1_core[N, M](x0: f64, x1: c128[3]) -> f64 {
    (
        {
            var v2: f64 = (x0)/(1.5 + 2.5);
            for i3 in 0..2 { v2 = abs(c128(0.5, 0.5)); }
            v2
        }
            * {
                var v4: f64 = norm([x0 for i5 in 0..2]);
                var i6 = 0;
                while i6 < 0 {
                    v4 = (0.5 - 3.0);
                    i6 += 1;
                }
                v4
            }
    )
}
fn h1[N, M](x0: f64, x1: c128[3]) -> f64 { h1_core[N, M](x0, x1) }
rule vjp h1(x0, x1; g) { vjp(h1_core[N, M])(x0, x1; g) }
fn h7[N, M](x0: f64[M], x1: c128, x2: bool) -> f64 {
    min(0.5, (trace(([0.0 for i8 in 0..M, i9 in 0..M])'))^-1)
}
fn f[N, M](x0: f64, x1: f64, x2: c128) -> f64 {
    let a11 = (if !(false) { M } else { argmax([x0 for i10 in 0..N]) });
    (
        min([x1 for i12 in 0..3])
            + norm(hvp(h1[N, M], wrt = 0)(x0, [x2 for i14 in 0..3]; x0) for i13 in 0..N)
    )
}
