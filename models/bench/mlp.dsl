// A perceptron with one hidden layer: tanh, softmax, mean cross entropy over a batch.

fn mlp[N, I, H, O](
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

check mlp[N = 4, I = 3, H = 5, O = 3] {
    W1 ~ normal(0, 0.5); b1 ~ normal(0, 0.1); W2 ~ normal(0, 0.5); b2 ~ normal(0, 0.1);
    X ~ normal(0, 1); label ~ int(0, 2);
    wrt W1, b1, W2, b2;
}
bench mlp[N = 64, I = 32, H = 64, O = 10] {
    W1 = load("data/mlp_W1.npy"); b1 = load("data/mlp_b1.npy"); W2 = load("data/mlp_W2.npy");
    b2 = load("data/mlp_b2.npy"); X = load("data/mlp_X.npy"); label = load("data/mlp_label.npy");
    wrt W1, b1, W2, b2; modes primal, vjp; max_ratio 5;
}
