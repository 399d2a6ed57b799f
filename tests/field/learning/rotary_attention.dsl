// Rotary position embedding: pairs of features are complex numbers that turn with the position. Attention scores depend on
// differences of positions only, so nothing depends on `offset`.

fn turned[T, D](x: f64[T, 2*D], frequency: f64[D], offset: f64) -> c128[T, D] {
    [c128(x[t, 2*k], x[t, 2*k + 1])*cis((f64(t) + offset)*frequency[k]) for t in 0..T, k in 0..D]
}

fn rotary[T, D](
    q: f64[T, 2*D],
    k: f64[T, 2*D],
    v: f64[T],
    frequency: f64[D],
    offset: f64,
) -> f64[T] {
    let Q = turned(q, frequency, offset);
    let K = turned(k, frequency, offset);
    let S = [re(dot(K[s], Q[t]))/sqrt(f64(2*D)) for t in 0..T, s in 0..T];
    [sum(softmax([if s <= t { S[t, s] } else { -1e30 } for s])*v) for t]
}

check rotary[T = 6, D = 2] {
    q ~ normal(0, 1);
    k ~ normal(0, 1);
    v ~ normal(0, 1);
    frequency in [0.05, 1];
    offset in [0, 20];
}
