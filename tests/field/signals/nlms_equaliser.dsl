// A complex normalised LMS equaliser trained on known symbols: final taps and mean squared error.

fn train[N, L](x: c128[N], wanted: c128[N], w0: c128[L], mu: f64) -> (w: c128[L], mse: f64) {
    var w = w0;
    var total = 0.0;
    for n in 0..N {
        let u = [(if n >= k { x[n - k] } else { c128(0, 0) }) for k in 0..L];
        let e = wanted[n] - dot(w, u);
        w += mu/(0.1 + sum(abs2(u)))*conj(e)*u;
        total += abs2(e);
    }
    (w, total/f64(N))
}

check train[N = 12, L = 3] {
    x ~ normal(0, 1); wanted ~ annulus(0.9, 1.1); w0 ~ disk(0.5); mu in [0.2, 1];
}
