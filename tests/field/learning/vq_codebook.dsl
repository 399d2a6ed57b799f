// The loss of a vector-quantised autoencoder: the nearest code replaces each latent vector; the decoder's gradient goes
// straight through to the encoder, codebook and commitment terms hold the other side still.

fn nearest[K, D](z: f64[D], code: f64[K, D]) -> i64 { argmin(sum((z - code[k])^2) for k) }

fn vq_loss[N, P, D, K](
    X: f64[N, P],
    We: f64[D, P],
    code: f64[K, D],
    Wd: f64[P, D],
    commitment: f64,
) -> (loss: f64, used: i64[N]) {
    let Z = [We @ X[i] for i];
    let used = [nearest(Z[i], code) for i];
    let loss = mean({
        let z = Z[i];
        let e = code[used[i]];
        let through = z + stop_gradient(e - z);
        let rebuilt = sum((Wd @ through - X[i])^2);
        rebuilt + sum((stop_gradient(z) - e)^2) + commitment*sum((z - stop_gradient(e))^2)
    } for i);
    (loss, used)
}

check vq_loss[N = 6, P = 5, D = 2, K = 4] {
    X ~ normal(0, 1);
    We ~ normal(0, 0.6);
    code ~ normal(0, 1);
    Wd ~ normal(0, 0.6);
    commitment = 0.25;
    outputs loss;
}
