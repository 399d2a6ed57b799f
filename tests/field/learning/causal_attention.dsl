// Multi-head self-attention with a causal mask and a residual connection: a token sees itself and what came before.

fn head[T, D, H](X: f64[T, D], Wq: f64[D, H], Wk: f64[D, H], Wv: f64[D, H]) -> f64[T, H] {
    let S = (X @ Wq) @ (X @ Wk)' / sqrt(f64(H));
    let P = [softmax([if s <= t { S[t, s] } else { -INF } for s]) for t];
    P @ (X @ Wv)
}

fn attention[T, D, H, A](
    X: f64[T, D],
    Wq: f64[A, D, H],
    Wk: f64[A, D, H],
    Wv: f64[A, D, H],
    Wo: f64[A, H, D],
) -> f64[T, D] {
    X + sum(head(X, Wq[a], Wk[a], Wv[a]) @ Wo[a] for a)
}

check attention[T = 5, D = 4, H = 2, A = 2] {
    X ~ normal(0, 1);
    Wq ~ normal(0, 0.5);
    Wk ~ normal(0, 0.5);
    Wv ~ normal(0, 0.5);
    Wo ~ normal(0, 0.5);
}
