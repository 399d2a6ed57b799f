// Hyperparameter gradients through training: two hundred steps of Adam on a regularised logistic fit, then the loss on held-out
// data. Epsilon is inside the root, so that a vanishing gradient has a derivative.

fn train_loss[N, D](w: f64[D], X: f64[N, D], y: f64[N], decay: f64) -> f64 {
    mean(softplus(-y[i]*(X[i] @ w)) for i) + 0.5*decay*sum(w^2)
}

fn adam[N, M, D](
    X: f64[N, D],
    y: f64[N],
    Xv: f64[M, D],
    yv: f64[M],
    log_rate: f64,
    log_decay: f64,
    b1: f64 in (0, 1),
) -> f64 {
    let rate = exp(log_rate);
    let b2 = 0.999;
    var w = zeros(D);
    var m = zeros(D);
    var v = zeros(D);
    for t in 0..200 {
        let g = grad(train_loss, wrt = w)(w, X, y, exp(log_decay));
        m = b1*m + (1 - b1)*g;
        v = b2*v + (1 - b2)*g^2;
        let m_hat = m/(1 - b1^(t + 1));
        let v_hat = v/(1 - b2^(t + 1));
        w -= rate*m_hat/sqrt(v_hat + 1e-12);
    }
    train_loss(w, Xv, yv, 0)
}

check adam[N = 8, M = 5, D = 3] {
    X ~ normal(0, 1);
    y ~ choice(-1.0, 1.0);
    Xv ~ normal(0, 1);
    yv ~ choice(-1.0, 1.0);
    log_rate in [-5, -3];
    log_decay in [-3, -1];
    b1 in [0.8, 0.95];
    wrt log_rate, log_decay, b1;
}
