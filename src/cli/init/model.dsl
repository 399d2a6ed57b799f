// A model to start with: `adc check model.dsl` compares its derivatives with finite differences.

/// Logistic regression: the mean negative log likelihood of labels `y` (0 or 1), with a penalty on the weights.
fn loss[N, D](X: f64[N, D], y: f64[N], w: f64[D], penalty: f64) -> f64 {
    let z = X @ w;
    mean(softplus(z[i]) - y[i]*z[i] for i) + 0.5*penalty*sum(w[j]^2 for j)
}

// Where it is checked: sizes, how inputs are drawn, and what to differentiate with respect to.
check loss[N = 20, D = 3] {
    X ~ normal(0, 1);
    y ~ choice(0.0, 1.0);
    w ~ normal(0, 1);
    penalty = 0.1;
    wrt w, penalty;
}
