// Facts about sizes, slices of any size, axes.

// --- a fact
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 2) == 0, "even";
    let h = div(N, 2);
    concat(x[h:], x[:h]) + concat(x[:h] + x[h:], x[:h] - x[h:])
}
fn thirds[N](x: f64[N]) -> f64[N] {
    assert mod(N, 3) == 1 && N > 3;
    let h = div(N, 3);
    concat([x[i] for i in 0..N - 1 step 3], x[h:])
}
fn same[N, M](x: f64[N], y: f64[M]) -> f64[M] {
    assert 2*N == 2*M;
    var z = x;
    z += y;
    z[0] = 1;
    z
}
fn blocks[N, B](x: f64[N]) -> f64[N] { assert mod(N, B) == 0; reshape(2*reshape(x, div(N, B), B), N) }

// --- no fact
fn halves[N](x: f64[N]) -> f64[N] {
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

// --- a fact that comes too late
fn halves[N](x: f64[N]) -> f64[N] {
    let h = div(N, 2);
    assert mod(N, 2) == 0;
    concat(x[:h], x[:h])
}

// --- a fact ends with its block
fn halves[N](x: f64[N]) -> f64[N] {
    let y = { assert mod(N, 2) == 0; x[:div(N, 2)] };
    concat(y, y)
}

// --- another fact than the one needed
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 3) == 0;
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

// --- a condition that is no fact
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 2) != 1;
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

// --- a function called mod
fn mod(a: i64, b: i64) -> i64 { 0 }
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 2) == 0;
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

// --- a number known at run time only
fn f[N](x: f64[N], n: i64) -> f64[N] {
    assert n == N;
    zeros(n)
}

// --- slices of any size in reductions
fn all_of[N](x: f64[N], A: f64[N, N], z: c128[N], k: i64) -> f64 {
    sum(x[:k]) + prod(x[k:]) + max(x[1:k]) + min(A[:k, 0]) + mean(A[0, :k]) + norm(z[:k]) + logsumexp(x[k - 1:k + 1])
        + sum(A[:k]) + sum(A[:k, :k]) + sum([sum(x[:i]) for i in 0..N])
}
fn of_booleans[N](x: bool[N], k: i64) -> bool { any(x[:k]) && all(x[k:]) }

// --- such a slice elsewhere
fn f[N](x: f64[N], k: i64) -> f64 { sum(x[:k]^2) }
fn g[N](x: f64[N], k: i64) -> f64 { dot(x[:k], x[:k]) }
fn h[N](x: f64[N], k: i64) -> f64 { let y = x[:k]; sum(y) }
fn i[N](x: f64[N], k: i64) -> i64 { argmax(x[:k]) }

// --- a slice of another kind of numbers
fn f[N](z: c128[N], k: i64) -> f64 { max(z[:k]) }
fn g[N](A: f64[N, N], k: i64) -> f64 { logsumexp(A[:k]) }
fn h[N](x: f64[N], k: i64) -> f64 { sum(x[:0.5]) }

// --- generators of logsumexp and norm
fn f[N](A: f64[N, N]) -> f64 { logsumexp(A[i] for i) }
fn g(z: c128) -> f64 { logsumexp(f64(i)*z for i in 0..3) }

// --- axes
fn f[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = 1) + mean(axis = 1, A) + norm(A, axis = 2 - 1) }
fn g[N, M](A: f64[N, M]) -> i64[M] { argmax(softmax(cumsum(A, axis = 0), axis = 1), axis = 0) }
fn h[N](x: f64[N]) -> f64 { sum(x, axis = 0) }

// --- no such axis
fn f[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = 2) }
fn g[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = -1) }
fn h[N](x: f64[N]) -> f64 { max(x, axis = -2) }
fn i(x: f64) -> f64 { sum(x, axis = 0) }
fn j[N](x: f64[N], k: i64) -> f64 { sum(x, axis = k) }
fn k[N](x: f64[N]) -> f64 { sum(x, axis = 0.0) }

// --- a function without axis
fn f[N, M](A: f64[N, M]) -> f64[N, M] { exp(A, axis = 0) }
fn g[N, M](A: f64[N, M]) -> f64[N, M] { flip(A, axis = 1) }
fn own(x: f64) -> f64 { x }
fn h[N, M](A: f64[N, M]) -> f64[N] { own(A, axis = 1) }
fn i[N, M](A: f64[N, M]) -> f64[N] { max(A, 0, axis = 1) }
fn j[N, M](A: f64[N, M]) -> f64[N] { sun(A, axis = 1) }
fn k[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = 1, axis = 0) }
fn l[N, M](A: f64[N, M]) -> f64[N] { sum(A[i] for i, axis = 1) }
