// Multinomial logistic regression with label smoothing and weight decay: classes are integers.

fn smoothed_nll[C](logits: f64[C], class: i64, smoothing: f64) -> f64 {
    let log_p = logits - logsumexp(logits);
    -((1 - smoothing)*log_p[class] + smoothing*mean(log_p))
}

fn classifier[N, D, C](
    X: f64[N, D],
    class: i64[N],
    W: f64[D, C],
    b: f64[C],
    decay: f64,
) -> (loss: f64, hits: i64) {
    let Z = [X[i] @ W + b for i];
    let loss = mean(smoothed_nll(Z[i], class[i], 0.1) for i) + 0.5*decay*sum(W^2);
    (loss, sum(i64(argmax(Z[i]) == class[i]) for i))
}

check classifier[N = 7, D = 3, C = 4] {
    X ~ normal(0, 1);
    class ~ int(0, 3);
    W ~ normal(0, 1);
    b ~ normal(0, 0.5);
    decay = 0.01;
    outputs loss;
}
