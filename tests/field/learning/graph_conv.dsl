// A two-layer graph convolutional network (Kipf and Welling): node classification on the symmetrically normalised adjacency
// matrix with self loops; only labelled nodes count.

fn propagation[N](link: bool[N, N]) -> f64[N, N] {
    let A = [if i == j || link[i, j] || link[j, i] { 1.0 } else { 0.0 } for i, j];
    let s = [1/sqrt(sum(A[i])) for i];
    [s[i]*A[i, j]*s[j] for i, j]
}

fn gcn_loss[N, D, H, C](
    link: bool[N, N],
    X: f64[N, D],
    W1: f64[D, H],
    W2: f64[H, C],
    label: i64[N],
    known: bool[N],
) -> f64 {
    let A = propagation(link);
    let hidden = max(A @ X @ W1, 0);
    let logits = A @ (hidden @ W2);
    let total = sum(if known[i] { logsumexp(logits[i]) - logits[i, label[i]] } else { 0.0 } for i);
    total/f64(max(sum(i64(known[i]) for i), 1))
}

check gcn_loss[N = 7, D = 3, H = 4, C = 3] {
    link ~ choice(true, false, false);
    X ~ normal(0, 1);
    W1 ~ normal(0, 0.8);
    W2 ~ normal(0, 0.8);
    label ~ int(0, 2);
    known ~ choice(true, false);
}
