// Batch normalisation in training: features are normalised with the statistics of the batch, running means are updated.
// The column sums of the result are N*beta, whatever the batch is.

fn batch_norm[N, D](
    X: f64[N, D],
    gamma: f64[D],
    beta: f64[D],
    running: f64[D],
    momentum: f64,
) -> (out: f64[N, D], sums: f64[D], running: f64[D]) {
    let mu = sum(X[i] for i)/f64(N);
    let v = sum((X[i] - mu)^2 for i)/f64(N);
    let scale = gamma/sqrt(v + 1e-5);
    let out = [scale*(X[i] - mu) + beta for i];
    (out, sum(out[i] for i), (1 - momentum)*running + momentum*mu)
}

check batch_norm[N = 7, D = 3] {
    X ~ normal(1, 2);
    gamma in [0.5, 1.5];
    beta ~ normal(0, 0.5);
    running ~ normal(0, 1);
    momentum = 0.1;
}
