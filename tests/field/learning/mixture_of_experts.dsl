// A dense mixture of experts with a softmax gate and the load balancing term of the Switch transformer: the fraction of
// inputs whose first choice is an expert (held still) times the mean gate of that expert. Gates sum to 1.

fn gates[D, K](x: f64[D], Wg: f64[K, D]) -> f64[K] { softmax(Wg @ x) }

fn mixture[N, D, K, O](
    X: f64[N, D],
    Wg: f64[K, D],
    We: f64[K, O, D],
    be: f64[K, O],
    Y: f64[N, O],
    balance: f64,
) -> (loss: f64, gate_sums: f64[N]) {
    let G = [gates(X[i], Wg) for i];
    let P = [sum(G[i, k]*tanh(We[k] @ X[i] + be[k]) for k) for i];
    let first = [argmax(G[i]) for i];
    let load = [mean(f64(first[i] == k) for i) for k in 0..K];
    let importance = [mean(G[i, k] for i) for k];
    let fit = sum((P - Y)^2)/f64(N);
    (fit + balance*f64(K)*dot(load, importance), [sum(G[i]) for i])
}

check mixture[N = 6, D = 3, K = 4, O = 2] {
    X ~ normal(0, 1);
    Wg ~ normal(0, 1);
    We ~ normal(0, 0.7);
    be ~ normal(0, 0.2);
    Y ~ normal(0, 0.5);
    balance = 0.05;
}
