// Savitzky-Golay smoothing with weights: a parabola through five neighbours of each sample, its value and slope.

fn smooth[N](y: f64[N], weight: f64[5] in (0, INF)) -> (value: f64[N], slope: f64[N]) {
    let V = [f64(i - 2)^j for i in 0..5, j in 0..3];
    let W = diag(weight);
    let fit = solve(V' @ W @ V, V' @ W);
    let near_by = [[y[clamp(n + i - 2, 0, N - 1)] for i in 0..5] for n in 0..N];
    ([dot(fit[0], near_by[n]) for n], [dot(fit[1], near_by[n]) for n])
}

check smooth[N = 8] { y ~ normal(0, 1); weight in [0.5, 1.5]; }
