// A pre-norm residual block in single precision: layer normalisation, two dense layers with the exact GELU between them.
// Adding a constant to all inputs does not change the normalised vector.

fn layer_norm[D](x: f32[D], gain: f32[D], bias: f32[D]) -> f32[D] {
    let c = x - mean(x);
    gain*c/sqrt(mean(c^2) + 1e-5) + bias
}

fn gelu(x: f32) -> f32 { 0.5*x*(1 + erf(x/sqrt(2))) }

fn block[D, H](
    x: f32[D],
    gain: f32[D],
    bias: f32[D],
    W1: f32[H, D],
    b1: f32[H],
    W2: f32[D, H],
    b2: f32[D],
) -> f32[D] {
    let h = W1 @ layer_norm(x, gain, bias) + b1;
    let a = [gelu(h[k]) for k];
    x + W2 @ a + b2
}

check block[D = 6, H = 8] {
    x ~ normal(0, 2);
    gain ~ normal(1, 0.2);
    bias ~ normal(0, 0.2);
    W1 ~ normal(0, 0.4);
    b1 ~ normal(0, 0.1);
    W2 ~ normal(0, 0.4);
    b2 ~ normal(0, 0.1);
}
