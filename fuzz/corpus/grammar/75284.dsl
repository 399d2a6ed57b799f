fn h1[N, M](x0: f64) -> f64 {
    var v2: f64[N] = ([x0 for i3 in 0..N, i4 in 0..N] @ [x0 for i5 in 0..N]);
    for i6 in 0..N {
        v2[i6] += {
            let a7 = [x0 for i8 in 0..N, i9 in 0..2];
            x0
        };
    }
    f64(
        {
            var v10: i64 = ((3) + (0));
            for i11 in 2..M { v10 = mod((v10) + 1, 3); }
            v10
        },
    )
}
fn h12[N, M](x0: f64) -> f64 {
    pow(
        (
            if (
                dot(
                    {
                        var v13: f64[3] = [x0 for i14 in 0..3];
                        for i15 in 0..M { v13 = v13; }
                        v13
                    },
                    [x0 for i16 in 0..3],
                )
            ) <= (tanh((x0)^2.0)) {
                PI
            } else {
                atan2(
                    {
                        var v17: f64 = x0;
                        for i18 in 0..N { v17 = v17; }
                        v17
                    },
                    (
                        if true {
                            det([x0 for i19 in 0..N, i20 in 0..N])
                        } else {
                            {
                                let a21 = x0;
                                a21
                            }
                        }
                    ),
                )
            }
        ),
        sum(([x0 for i22 in 0..2])[1:]),
    )
}
fn f[N, M](x0: f64[3]) -> f64 {
    var v25: f64[M] = ([1e-3 for i26 in 0..M, i27 in 0..M])[:, 0];
    for i28 in 0..M {
        v25[i28] *= {
            let a29 = acos(1.5);
            dot([a29 for i30 in 0..2], [a29 for i31 in 0..2])
        };
    }
    let (a38, a39) = (
        (
            [0.5 for i32 in 0..3, i33 in 0..3]
                @ ([1.0 for i34 in 0..3, i35 in 0..M]*[0.0 for i36 in 0..3, i37 in 0..M])
        ),
        (0.5*(if true { PI } else { 1.0 })),
    );
    dot(
        {
            let a40 = hvp(h12[N, M], wrt = 0)(a39; a39);
            (v25 + v25)
        },
        tanh([a39 for i41 in 0..M]),
    )
}
