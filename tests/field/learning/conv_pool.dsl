// A small convolutional classifier of images: 3 × 3 filters, rectified, 2 × 2 max pooling, a dense layer, logistic loss.

fn conv[H, W](x: f64[H, W], k: f64[3, 3], b: f64) -> f64[H - 2, W - 2] {
    [b + sum(x[i + p, j + q]*k[p, q] for p in 0..3, q in 0..3) for i in 0..H - 2, j in 0..W - 2]
}

fn pool[H, W](z: f64[H, W]) -> f64[div(H, 2), div(W, 2)] {
    [max(z[2*i + p, 2*j + q] for p in 0..2, q in 0..2) for i in 0..div(H, 2), j in 0..div(W, 2)]
}

fn classify[C, H, W](
    image: f64[H, W],
    filters: f64[C, 3, 3],
    bias: f64[C],
    dense: f64[C, div(H - 2, 2), div(W - 2, 2)],
    #[nodiff] label: f64,
) -> f64 {
    let logit = sum(sum(dense[c]*pool(max(conv(image, filters[c], bias[c]), 0))) for c);
    softplus(logit) - label*logit
}

check classify[C = 2, H = 8, W = 6] {
    image in [0, 1];
    filters ~ normal(0, 0.5);
    bias ~ normal(0, 0.1);
    dense ~ normal(0, 0.5);
    label ~ choice(0.0, 1.0);
}
