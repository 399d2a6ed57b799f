// The critic's loss of a Wasserstein GAN with gradient penalty: the gradient of the critic with respect to its input, at
// points between real and generated samples, should have length 1.

fn critic[D, H](x: f64[D], W: f64[H, D], b: f64[H], a: f64[H]) -> f64 {
    dot(a, softplus(W @ x + b))
}

fn critic_loss[N, D, H](
    data: f64[N, D],
    fake: f64[N, D],
    mix: f64[N] in [0, 1],
    W: f64[H, D],
    b: f64[H],
    a: f64[H],
    weight: f64,
) -> f64 {
    let gap = mean(critic(fake[i], W, b, a) - critic(data[i], W, b, a) for i);
    let penalty = mean({
        let between = mix[i]*data[i] + (1 - mix[i])*fake[i];
        (norm(grad(critic, wrt = x)(between, W, b, a)) - 1)^2
    } for i);
    gap + weight*penalty
}

check critic_loss[N = 5, D = 3, H = 6] {
    data ~ normal(0, 1);
    fake ~ normal(1, 1);
    W ~ normal(0, 0.7);
    b ~ normal(0, 0.3);
    a ~ normal(0, 1);
    weight = 10;
    wrt W, b, a;
}
