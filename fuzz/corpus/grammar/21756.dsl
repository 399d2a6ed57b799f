fn h1_core[N, M](x0: f64[N]) -> f64 {
    let a10 = (
        (
            if (
                if ((if true { 1.0 } else { 3.0 })) >= (3.0) {
                    !((N) == (N))
                } else {
                    {
                        let a2 = [0.25 for i3 in 0..2, i4 in 0..2];
                        (1e-3) < (1e-3)
                    }
                }
            ) {
                (((c128(0.5, 2.0))/(c128(0.5, -1.0) + 2.5) + (c128(1.0, -1.0)*c128(0.5, 2.0))))
                    / (((c128(1.0, 2.0) - c128(1.0, 2.0))*sum(c128(0.5, 0.5) for i5 in 0..2)) + 2.5)
            } else {
                (
                    (cis(PI))/((2.0*c128(1.0, -1.0)) + 2.5)
                        - (cis(3.0)*(c128(0.0, -1.0)*c128(1.0, 2.0)))
                )
            }
        )
            + (recip(sign(c128(1.0, -1.0))))
                / (
                    (
                        sin(
                            {
                                var v6: c128 = c128(0.0, 2.0);
                                for i7 in 1..2 { v6 = v6; }
                                v6
                            },
                        )
                            * (
                                if {
                                    var v8: bool = false;
                                    for i9 in 1..2 { v8 = v8; }
                                    v8
                                } {
                                    cis(2.0)
                                } else {
                                    (c128(1.0, -1.0) + c128(1.0, -1.0))
                                }
                            )
                    ) + 2.5
                )
    );
    var v20: c128 = (
        (
            if ((0.25 + max(3.0 for i11 in 0..2)))
                < (logsumexp(copysign(0.25, 1.5) for i12 in 0..N)) {
                c128(
                    (
                        {
                            let a13 = [1e-3 for i14 in 0..3];
                            PI
                        }
                    )/(exp2(0.0) + 2.5),
                    ((if true { 1e-3 } else { 1e-3 }))^0,
                )
            } else {
                {
                    var v15: c128 = sqrt(a10);
                    var i16 = 0;
                    while i16 < 0 {
                        v15 = (c128(0.0, -1.0) + a10);
                        i16 += 1;
                    }
                    v15
                }
            }
        )
            * {
                var v17: c128 = {
                    let a18 = a10;
                    a10
                };
                var i19 = 0;
                while i19 < 0 {
                    v17 = exp(c128(1.0, 2.0));
                    i19 += 1;
                }
                v17
            }
    );
    if !(!(true)) { v20 = (square(a10) - (PI*a10)); }
    det(
        outer(
            {
                var v21: f64[N] = [1.0 for i22 in 0..N];
                for i23 in 2..3 { v21 = x0; }
                v21
            },
            (x0 - [1.0 for i24 in 0..N]),
        ),
    )
}
fn h1[N, M](x0: f64[N]) -> f64 { h1_core[N, M](x0) }
rule jvp h1(x0; dx0) { jvp(h1_core[N, M])(x0; dx0) }
fn h25_core[N, M](x0: c128[M]) -> f64 {
    let a27 = h1[N, M]([3.0 for i26 in 0..N]);
    let a28 = true;
    sum((trace([a27 for i30 in 0..M, i31 in 0..M]))^0.5 for i29 in 0..3)
}
fn h25[N, M](x0: c128[M]) -> f64 { h25_core[N, M](x0) }
rule jvp h25(x0; dx0) { jvp(h25_core[N, M])(x0; dx0) }
fn f[N, M](x0: c128[N, M]) -> c128 {
    let (a38, a39) = (
        (
            mod(
                arg(
                    {
                        let a32 = stop_gradient(0.5);
                        cis(a32)
                    },
                ),
                1.0,
            )
        )
            > (
                (
                    (
                        {
                            let a33 = sum(0.0 for i34 in 0..M);
                            ([a33 for i35 in 0..2])[2 - 1]
                        }*([1.0 for i36 in 0..2])[1]
                    )
                        * sum(
                            (if (true && false) { stop_gradient(3.0) } else { stop_gradient(1.0) })
                            for i37 in 0..3
                        )
                )
            ),
        sum(pow(3.0, 1e-3) for i40 in 0..3),
    );
    c128(0.0, -1.0)
}
check f[N = 2, M = 3] { modes slow; }
