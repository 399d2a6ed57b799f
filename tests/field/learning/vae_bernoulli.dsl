// The negative evidence lower bound of a variational autoencoder with Bernoulli pixels: encoder with two heads,
// reparametrised sample, decoder, and the closed form of the divergence from the standard normal prior.

fn vae[D, H, Z](
    x: f64[D] in [0, 1],
    W1: f64[H, D],
    b1: f64[H],
    Wm: f64[Z, H],
    Ws: f64[Z, H],
    W2: f64[H, Z],
    b2: f64[H],
    W3: f64[D, H],
    b3: f64[D],
    #[nodiff] noise: f64[Z],
    weight: f64,
) -> (loss: f64, reconstruction: f64, divergence: f64) {
    let h = tanh(W1 @ x + b1);
    let mu = Wm @ h;
    let log_var = Ws @ h;
    let z = mu + exp(0.5*log_var)*noise;
    let logits = W3 @ tanh(W2 @ z + b2) + b3;
    let reconstruction = sum(softplus(logits) - x*logits);
    let divergence = 0.5*sum(exp(log_var) + mu^2 - 1 - log_var);
    (reconstruction + weight*divergence, reconstruction, divergence)
}

check vae[D = 6, H = 4, Z = 2] {
    W1 ~ normal(0, 0.5);
    Wm ~ normal(0, 0.5);
    Ws ~ normal(0, 0.3);
    W2 ~ normal(0, 0.7);
    W3 ~ normal(0, 0.7);
    noise ~ normal(0, 1);
    weight = 0.5;
    outputs loss;
}
