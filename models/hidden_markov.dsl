// The forward pass of a hidden Markov model in logarithms: how likely a sequence of symbols is.

/// Rows of scores as logarithms of probabilities.
fn log_rows[N, M](s: f64[N, M]) -> f64[N, M] {
    let n = logsumexp(s, axis = 1);
    [s[i, j] - n[i] for i, j]
}

fn log_likelihood[S, O, T](start: f64[S], move: f64[S, S], emit: f64[S, O], seen: i64[T]) -> f64 {
    let A = log_rows(move);
    let B = log_rows(emit);
    let n = logsumexp(start);
    var a = [start[s] - n + B[s, seen[0]] for s];
    for t in 1..T {
        a = [logsumexp(a[r] + A[r, s] for r) + B[s, seen[t]] for s];
    }
    logsumexp(a)
}

check log_likelihood[S = 3, O = 2, T = 5] {
    start ~ normal(0, 1); move ~ normal(0, 1); emit ~ normal(0, 1); seen ~ int(0, 1);
}
