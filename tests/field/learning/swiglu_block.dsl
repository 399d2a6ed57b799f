// The feed-forward block of a LLaMA layer: RMS normalisation, SwiGLU, residual. The normalised vector does not depend on
// the length of its input but through epsilon.

fn rms_norm[D](x: f64[D], gain: f64[D]) -> f64[D] { gain*x/sqrt(mean(x^2) + 1e-6) }

fn swiglu[T, D, H](
    X: f64[T, D],
    gain: f64[D],
    Wg: f64[H, D],
    Wu: f64[H, D],
    Wd: f64[D, H],
) -> f64[T, D] {
    [{
        let n = rms_norm(X[t], gain);
        let g = Wg @ n;
        X[t] + Wd @ (g*sigmoid(g)*(Wu @ n))
    } for t]
}

check swiglu[T = 3, D = 4, H = 6] {
    X ~ normal(0, 1);
    gain in [0.5, 1.5];
    Wg ~ normal(0, 0.6);
    Wu ~ normal(0, 0.6);
    Wd ~ normal(0, 0.6);
}
