fn h1[N, M](x0: f32, x1: f32) -> f32 {
    let a9 = (
        (div((i64((!(false) && (1) == (M)))), 2))
            + (
                {
                    let a2 = atan2(
                        {
                            let a3 = [c64(1.0, -1.0) for i4 in 0..3];
                            (x0 - x1)
                        },
                        (
                            {
                                var v5: f32 = x1;
                                for i6 in 0..M { v5 = x1; }
                                v5
                            }*dot([x1 for i7 in 0..N], [1e-3 for i8 in 0..N])
                        ),
                    );
                    3
                }
            )
    );
    (
        if all((if false { !((if true { true } else { false })) } else { false }) for i10 in 0..N) {
            logsumexp(([x1 for i11 in 0..3] + [0.0 for i12 in 0..3]))
        } else {
            {
                let a13 = c64(
                    copysign(logsumexp([x1 for i14 in 0..N]), x0),
                    (dot([x0 for i15 in 0..2], [x0 for i16 in 0..2]) + arg(c64(0.5, -1.0))),
                );
                (x1*det([x0 for i17 in 0..3, i18 in 0..3]))
            }
        }
    )
}
fn h19[N, M](x0: f32) -> f32[2] {
    let a22 = ([1.5 for i20 in 0..M]*[x0 for i21 in 0..M]);
    let a25 = (
        ((x0)/(x0 + 2.5))^2.0
            + f32(
                {
                    var v23: i64 = N;
                    for i24 in 0..3 { v23 = v23; }
                    v23
                },
            )
    );
    ([x0 for i26 in 0..2]*[a25 for i27 in 0..2])
}
fn h28_core[N, M](x0: f32) -> f32 {
    var v39: f32[3] = ([x0 for i40 in 0..3] + [PI for i41 in 0..3]);
    for i42 in 0..3 { v39[i42] += h1[N, M](1e-3, x0); }
    var v49: f32[2] = ([x0 for i50 in 0..2, i51 in 0..2])[0];
    for i52 in 0..2 {
        v49[i52] += (
            if (false && false) { sum(x0 for i53 in 0..3) } else { (if false { x0 } else { x0 }) }
        );
    }
    pow(
        hvp(h1[N, M], wrt = 0)(prod(v39), x0; pow(x0, x0)),
        {
            let a54 = 1.0;
            sum(([0.25 for i55 in 0..N])[0:])
        },
    )
}
fn h28[N, M](x0: f32) -> f32 { h28_core[N, M](x0) }
rule vjp h28(x0; g) { vjp(h28_core[N, M])(x0; g) }
fn f[N, M](x0: f32, x1: f32) -> f32 {
    var v58: i64 = {
        var v56: i64 = mod((M) + 1, N);
        for i57 in 1..M { v56 = min((i57), (v56)); }
        v56
    };
    if (x0) <= (1.0) {
        v58 = {
            let a59 = x1;
            N
        };
    }
    let a61 = stop_gradient(min([x1 for i60 in 0..N]));
    f32(argmax([0.5 for i62 in 0..3]))
}
