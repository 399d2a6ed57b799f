// word2vec: skip-gram with negative sampling. Words are integers that look up rows of two embedding tables.

fn skip_gram[B, S, V, D](
    centre: i64[B],
    context: i64[B],
    negative: i64[B, S],
    U: f64[V, D],
    C: f64[V, D],
) -> f64 {
    let h = gather(U, centre);
    -mean({
        let positive = log_sigmoid(dot(h[b], C[context[b]]));
        positive + sum(log_sigmoid(-dot(h[b], C[negative[b, s]])) for s)
    } for b)
}

check skip_gram[B = 6, S = 3, V = 9, D = 4] {
    centre ~ int(0, 8);
    context ~ int(0, 8);
    negative ~ int(0, 8);
    U ~ normal(0, 0.7);
    C ~ normal(0, 0.7);
}
