// Losses of binary classification on one observation.

/// Logistic loss of score t for a label of +1 or -1, stable for large |t|.
fn logistic_loss(w: f64, b: f64, x: f64, label: f64) -> f64 {
    let t = label*(w*x + b);
    if t > 0 { log1p(exp(-t)) } else { log1p(exp(t)) - t }
}

/// Cross entropy of a probability p = sigmoid(w x + b) with a target between 0 and 1.
fn cross_entropy(w: f64, b: f64, x: f64, y: f64 in [0, 1]) -> f64 {
    let t = w*x + b;
    -(y*log_sigmoid(t) + (1 - y)*log_sigmoid(-t))
}

check logistic_loss {
    w in [0.5, 1.5]; b in [0.1, 0.5]; x in [0.5, 1.2]; label ~ choice(-1.0, 1.0);
    nodiff label;
    modes slow, fast, forward;
}
check cross_entropy {
    w in [0.5, 1.5]; b in [0.1, 0.5]; x in [0.5, 1.2]; y in [0.1, 0.3]; modes slow, fast, forward;
}
