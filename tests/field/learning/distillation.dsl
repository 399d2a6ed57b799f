// Knowledge distillation: a linear student follows the tempered distribution of a teacher, which is held still, and the
// hard labels.

fn log_softmax[C](z: f64[C]) -> f64[C] { z - logsumexp(z) }

fn distill[N, D, C](
    X: f64[N, D],
    teacher: f64[N, C],
    label: i64[N],
    W: f64[D, C],
    b: f64[C],
    temperature: f64,
    alpha: f64,
) -> f64 {
    let Z = [X[i] @ W + b for i];
    let soft = mean({
        let target = stop_gradient(log_softmax(teacher[i]/temperature));
        let mine = log_softmax(Z[i]/temperature);
        sum(exp(target)*(target - mine))
    } for i);
    let hard = mean(logsumexp(Z[i]) - Z[i, label[i]] for i);
    alpha*temperature^2*soft + (1 - alpha)*hard
}

check distill[N = 5, D = 4, C = 3] {
    X ~ normal(0, 1);
    teacher ~ normal(0, 3);
    label ~ int(0, 2);
    W ~ normal(0, 0.7);
    b ~ normal(0, 0.3);
    temperature in [1, 4];
    alpha in [0.2, 0.9];
}
