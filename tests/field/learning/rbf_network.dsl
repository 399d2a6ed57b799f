// A radial basis function network with inverse multiquadric units, whose derivative is written by hand from the value.

fn unit(r2: f64 in [0, INF), sharpness: f64 in (0, INF)) -> f64 { 1/sqrt(1 + sharpness*r2) }
rule partial unit(r2, sharpness) {
    d r2: -0.5*sharpness*out^3;
    d sharpness: -0.5*r2*out^3;
}

fn predict[D, K](
    x: f64[D],
    centre: f64[K, D],
    log_sharpness: f64[K],
    weight: f64[K],
    bias: f64,
) -> f64 {
    bias + sum(weight[k]*unit(sum((x - centre[k])^2), exp(log_sharpness[k])) for k)
}

fn rbf_loss[N, D, K](
    X: f64[N, D],
    y: f64[N],
    centre: f64[K, D],
    log_sharpness: f64[K],
    weight: f64[K],
    bias: f64,
) -> f64 {
    0.5*mean((predict(X[i], centre, log_sharpness, weight, bias) - y[i])^2 for i)
}

check rbf_loss[N = 8, D = 2, K = 4] {
    X in [-2, 2];
    y ~ normal(0, 1);
    centre in [-2, 2];
    log_sharpness in [-1, 1];
    weight ~ normal(0, 1);
    bias ~ normal(0, 0.5);
}
