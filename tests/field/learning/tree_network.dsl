// A recursive network: a sentence is halved until words are left, and the vectors of the halves are merged on the way back.
// The root decides about the sentiment, y = 1 or -1.

fn merge[D](left: f64[D], right: f64[D], W: f64[D, 2*D], b: f64[D]) -> f64[D] {
    tanh(W @ concat(left, right) + b)
}

fn encode[N, D](x: f64[N, D], W: f64[D, 2*D], b: f64[D]) -> f64[D] {
    if N == 1 {
        x[0]
    } else {
        let h = div(N, 2);
        merge(encode[h, D](x[:h], W, b), encode[N - h, D](x[h:], W, b), W, b)
    }
}

fn sentiment[N, V, D](
    word: i64[N],
    table: f64[V, D],
    W: f64[D, 2*D],
    b: f64[D],
    a: f64[D],
    #[nodiff] y: f64,
) -> f64 {
    -log_sigmoid(y*dot(a, encode(gather(table, word), W, b)))
}

check sentiment[N = 7, V = 6, D = 3] {
    word ~ int(0, 5);
    table ~ normal(0, 1);
    W ~ normal(0, 0.6);
    b ~ normal(0, 0.2);
    a ~ normal(0, 1);
    y ~ choice(-1.0, 1.0);
}
