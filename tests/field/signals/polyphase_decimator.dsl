// Decimation by two of a periodic signal: filter and drop every other sample, or run two half-rate filters. Both agree.

fn decimate[M, T](x: f64[2*M], h: f64[2*T]) -> (y: f64[M], difference: f64[M]) {
    let slow = [sum(h[k]*x[mod(2*m - k, 2*M)] for k in 0..2*T) for m in 0..M];
    let even = [x[2*m] for m in 0..M];
    let odd = [x[2*m + 1] for m in 0..M];
    let fast = [
        sum(h[2*k]*even[mod(m - k, M)] + h[2*k + 1]*odd[mod(m - k - 1, M)] for k in 0..T)
        for m in 0..M
    ];
    (fast, fast - slow)
}

check decimate[M = 6, T = 2] { x ~ normal(0, 1); h ~ normal(0, 0.5); }
