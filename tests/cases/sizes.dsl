// Slices and ranges of any size, axes, facts about sizes.

// Every reduction of slices whose ends are integers of the run.
fn parts[N](x: f64[N], k: i64) -> f64 {
    sum(x[:k])
        + prod(x[k:])
        + 0.1*max(x[:k + 1])
        + min(x[k - 1:])*mean(x[:k])
        + norm(x[k:])
        + logsumexp(x[:k])
}
fn ragged[N](x: f64[N]) -> f64[N] {
    [
        sum(x[:i]) + prod(x[i:]) + max(x[:i + 1]) + mean(x[i:]) + norm(x[:i]) + logsumexp(x[i:])
        for i in 0..N
    ]
}
fn planes[N](A: f64[N, N], z: c128[N], k: i64) -> f64 {
    norm(z[:k]) + abs2(sum(z[k:])) + sum(A[:k, k - 1]) + mean(A[k:, :k])
}
fn pairs[N](x: f64[N]) -> f64 {
    logsumexp(x[i]*x[j] for i in 0..N, j in 0..i) + norm(x[i] - x[j] for i in 0..N, j in 0..i)
}
fn axes[N, M](A: f64[N, M]) -> f64 {
    sum(softmax(A, axis = 0)*cumsum(A, axis = 0))
        + sum(cumprod(A, axis = 1)*logsumexp(A, axis = 1)[0])
        + sum(norm(A, axis = 0)*mean(A, axis = 0))
        + sum(max(A, axis = 1)*prod(A, axis = 1))
}
fn single[N](x: f32[N], k: i64) -> f32 { sum(x[:k]) + logsumexp(x[:k]) + norm(x[k:]) }
fn turned[N](x: f64[N]) -> f64[N] {
    if N < 2 {
        x^2
    } else {
        assert mod(N, 2) == 0;
        let h = div(N, 2);
        concat(turned(x[h:]), turned(x[:h])*x[h:])
    }
}
check parts[N = 4] { k ~ int(1, 3); }
check ragged[N = 4] { x in [0.5, 1.5]; }
check planes[N = 4] { k ~ int(1, 3); }
check pairs[N = 4] {}
check axes[N = 3, M = 2] {}
check single[N = 4] { k ~ int(1, 3); }
check turned[N = 4] {}

// Nothing in a slice: sums and norms do not depend on anything.
fn nothing[N](x: f64[N], k: i64) -> f64 { sum(x[:k]) + norm(x[:k]) + 2*prod(x[:k]) }
fn nothing1(x: f64[2], k: i64) -> (f64, f64[2]) { value_and_grad(nothing, wrt = x)(x, k) }
//= nothing1([3, 4], 0) = 2; [0, 0]
//= nothing1([3, 4], 1) = 12; [4, 0]

// A tie inside the slice is shared, one outside is not.
fn largest(x: f64[3], k: i64) -> f64 { max(x[:k]) }
fn largest1(x: f64[3], k: i64) -> f64[3] { grad(largest, wrt = x)(x, k) }
//= largest1([1, 1, 1], 2) = [0.5, 0.5, 0]
