// A small neural ordinary differential equation: a perceptron is the slope, Euler's improved method the solver, and the
// misfit at the end the loss.

fn slope[D, H](W: f64[H, D], b: f64[H], V: f64[D, H], y: f64[D]) -> f64[D] {
    let z = W @ y;
    V @ [tanh(z[j] + b[j]) for j]
}

fn loss[D, H](
    W: f64[H, D],
    b: f64[H],
    V: f64[D, H],
    y0: f64[D],
    target: f64[D],
    steps: i64,
) -> f64 {
    let dt = 1/f64(steps);
    var y = y0;
    #[checkpoint(sqrt)]
    for k in 0..steps {
        let s = slope(W, b, V, y);
        y = y + 0.5*dt*(s + slope(W, b, V, y + dt*s));
    }
    sum((y[i] - target[i])^2 for i)
}

check loss[D = 2, H = 3] {
    W ~ normal(0, 0.7); b ~ normal(0, 0.3); V ~ normal(0, 0.7);
    y0 ~ normal(0, 1); target ~ normal(0, 1); steps = 7;
    wrt W, b, V, y0;
}
