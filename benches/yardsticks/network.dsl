// A network with a layer of 20 by 20 weights: tanh, softmax, mean cross entropy over a batch of 8.

fn network[N, I, H, O](
    W1: f64[I, H],
    b1: f64[H],
    W2: f64[H, O],
    b2: f64[O],
    X: f64[N, I],
    label: i64[N],
) -> f64 {
    let Z = X @ W1;
    let hidden = [tanh(Z[n, j] + b1[j]) for n, j];
    let out = hidden @ W2;
    sum({
        let o = [out[n, k] + b2[k] for k];
        logsumexp(o) - o[label[n]]
    } for n in 0..N)/f64(N)
}

check network[N = 8, I = 20, H = 20, O = 3] {
    W1 ~ normal(0, 0.5); b1 ~ normal(0, 0.1); W2 ~ normal(0, 0.5); b2 ~ normal(0, 0.1);
    X ~ normal(0, 1); label ~ int(0, 2);
    wrt W1, b1, W2, b2;
}
