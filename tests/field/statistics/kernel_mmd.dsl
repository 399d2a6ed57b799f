// Maximum mean discrepancy between two samples in single precision: the unbiased estimate with a mixture of three
// Gaussian kernels.

const SCALES: f32[3] = [0.25, 1.0, 4.0];

fn kernel[D](a: f32[D], b: f32[D], log_width: f32) -> f32 {
    let q = sum((a - b)^2)*exp(-2*log_width);
    mean(exp(-0.5*q*SCALES[s]) for s)
}

/// Mean over the pairs of different points.
fn within[N, D](X: f32[N, D], log_width: f32) -> f32 {
    2*sum(kernel(X[i], X[j], log_width) for i in 0..N, j in 0..i)/f32(N*(N - 1))
}

fn mmd[N, M, D](X: f32[N, D], Y: f32[M, D], log_width: f32) -> f32 {
    let across = mean(kernel(X[i], Y[j], log_width) for i, j);
    within(X, log_width) + within(Y, log_width) - 2*across
}

check mmd[N = 6, M = 5, D = 2] { X ~ normal(0, 1); Y ~ normal(0.8, 1.2); log_width in [-0.5, 0.7]; }
