// A gated recurrent unit over a sequence with a linear readout after every step; squared error of the predictions.

fn gru_cell[D, H](x: f64[D], h: f64[H], W: f64[3, H, D], U: f64[3, H, H], b: f64[3, H]) -> f64[H] {
    let z = sigmoid(W[0] @ x + U[0] @ h + b[0]);
    let r = sigmoid(W[1] @ x + U[1] @ h + b[1]);
    let c = tanh(W[2] @ x + U[2] @ (r*h) + b[2]);
    (1 - z)*h + z*c
}

fn gru[T, D, H](
    x: f64[T, D],
    y: f64[T],
    W: f64[3, H, D],
    U: f64[3, H, H],
    b: f64[3, H],
    readout: f64[H],
) -> f64 {
    var h = zeros(H);
    var loss = 0;
    for t in 0..T {
        h = gru_cell(x[t], h, W, U, b);
        loss += (dot(readout, h) - y[t])^2;
    }
    loss/f64(T)
}

check gru[T = 8, D = 2, H = 4] {
    x ~ normal(0, 1);
    y ~ normal(0, 1);
    W ~ normal(0, 0.6);
    U ~ normal(0, 0.4);
    b ~ normal(0, 0.1);
    readout ~ normal(0, 1);
}
