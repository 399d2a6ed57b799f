// Causal softmax attention: every position looks at itself and the positions before it.

/// One head: queries, keys and values of T positions.
fn attend[T, D, E](q: f64[T, D], k: f64[T, D], v: f64[T, E]) -> f64[T, E] {
    let score = q @ k' / sqrt(f64(D));
    let total = [logsumexp(score[t, :t + 1]) for t in 0..T];
    [sum(exp(score[t, s] - total[t])*v[s] for s in 0..t + 1) for t in 0..T]
}

fn layer[T, M, D](
    x: f64[T, M],
    Wq: f64[M, D],
    Wk: f64[M, D],
    Wv: f64[M, D],
    Wo: f64[D, M],
) -> f64[T, M] {
    x + attend(x @ Wq, x @ Wk, x @ Wv) @ Wo
}

/// How well each position predicts the next one.
fn loss[T, M, D](x: f64[T, M], Wq: f64[M, D], Wk: f64[M, D], Wv: f64[M, D], Wo: f64[D, M]) -> f64 {
    let y = layer(x, Wq, Wk, Wv, Wo);
    mean((y[t, m] - x[t + 1, m])^2 for t in 0..T - 1, m in 0..M)
}

check attend[T = 4, D = 2, E = 2] {}
check loss[T = 4, M = 3, D = 2] { points 8; }
