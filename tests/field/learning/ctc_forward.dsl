// Connectionist temporal classification: the negative log probability of a label sequence, by the forward recursion over
// the labels with blanks (class 0) between them. What cannot be reached has the log probability -1e30.

fn ctc[T, C, L](logits: f64[T, C], labels: i64[L]) -> f64 {
    let log_p = [logits[t] - logsumexp(logits[t]) for t];
    let symbol = [if mod(s, 2) == 0 { 0 } else { labels[div(s, 2)] } for s in 0..2*L + 1];
    var alpha = fill(-1e30, 2*L + 1);
    alpha[0] = log_p[0, 0];
    alpha[1] = log_p[0, symbol[1]];
    for t in 1..T {
        let before = alpha;
        for s in 0..2*L + 1 {
            var a = before[s];
            if s >= 1 { a = logaddexp(a, before[s - 1]); }
            if s >= 2 && symbol[s] != 0 && symbol[s] != symbol[s - 2] {
                a = logaddexp(a, before[s - 2]);
            }
            alpha[s] = a + log_p[t, symbol[s]];
        }
    }
    -logaddexp(alpha[2*L], alpha[2*L - 1])
}

check ctc[T = 9, C = 4] { logits ~ normal(0, 1.5); labels = [2, 2, 1]; }
check ctc[T = 8, C = 5, L = 3] { logits ~ normal(0, 1); labels ~ int(1, 4); }
