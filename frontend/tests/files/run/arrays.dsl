

// --- literals, indices, slices
fn f() -> (f64, f64[2], f64[2, 2], f64[2]) {
    let A = [[1.0, 2, 3], [4, 5, 6]];
    (A[1, 2], A[:, 1], A[0:2, 1:], A[1, :2])
}
fn g() -> (i64[3], f64[2, 3], f64[3], bool[2]) { (iota(3), zeros(2, 3), fill(1.5, 3), [true, false]) }
fn h() -> f64[3, 3] { 2*eye(3) + ones(3, 3) }

//> f() = 6.0, [2.0, 5.0], [[2.0, 3.0], [5.0, 6.0]], [4.0, 5.0]
//> g() = [0, 1, 2], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [1.5, 1.5, 1.5], [true, false]
//> h() = [[3.0, 1.0, 1.0], [1.0, 3.0, 1.0], [1.0, 1.0, 3.0]]

// --- comprehensions and reductions
fn mul[N, M, K](A: f64[N, K], B: f64[K, M]) -> f64[N, M] { [sum(A[i, k]*B[k, j] for k) for i, j] }
fn f() -> (f64[2, 2], f64[2, 2]) {
    let A = [[1.0, 2], [3, 4]];
    (mul(A, A), A @ A)
}
fn g() -> (f64, f64, f64, i64, i64, bool, bool, f64) {
    let x = [3.0, -1, 4, -1, 5];
    (sum(x), prod(x[i] for i in 1..3), max(x), argmin(x), argmax(x[i] for i in 0..5 step 2), any(x[i] > 4 for i), all(x[i] > 4 for i), mean(x))
}
fn h() -> (f64, f64, i64) {
    let A = [[1.0, 2, 3], [4, 5, 6], [7, 8, 9]];
    (sum(A[i, j] for i in 0..3, j in 0..i), max(A[i, j] for i in 0..3, j in 0..i), sum(1 for i in 0..10 step 3))
}
fn k() -> (f64[3], i64[4]) { let x = [1.0, 2, 3]; ([x[2 - i] for i in 0..3], [i*i for i in 1..12 step 3]) }
fn rows() -> f64[2, 3] { let x = [1.0, 2, 3]; [f64(i)*x for i in 1..3] }

//> f() = [[7.0, 10.0], [15.0, 22.0]], [[7.0, 10.0], [15.0, 22.0]]
//> g() = 10.0, -4.0, 5.0, 1, 4, true, false, 2.0
//> h() = 19.0, 8.0, 4
//> k() = [3.0, 2.0, 1.0], [1, 16, 49, 100]
//> rows() = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]

// --- loops
fn fib(n: i64) -> i64 { var a = 0; var b = 1; for _ in 0..n { let c = a + b; a = b; b = c; } a }
fn f() -> (i64, i64) { (fib(10), fib(0)) }
fn sqrt2() -> f64 { var x = 1; while abs(x^2 - 2) > 1e-12 { x = (x + 2/x)/2; } x }
fn sieve() -> bool[12] {
    var p = fill(true, 12);
    p[0:2] = false;
    for i in 2..12 { if p[i] { for j in i*i..12 step i { p[j] = false; } } }
    p
}
fn g() -> (f64[2, 2], f64[2, 2]) {
    var A = zeros(2, 2);
    let B = A;
    A[0] = [1.0, 2];
    A[:, 1] += 10;
    A[1, 0:1] = 7;
    A *= 2;
    (A, B)
}

//> f() = 55, 0
//> sqrt2() = 1.414213562373095
//> sieve() = [false, false, true, true, false, true, false, true, false, false, false, true]
//> g() = [[2.0, 24.0], [14.0, 20.0]], [[0.0, 0.0], [0.0, 0.0]]

// --- the language's example
fn soft(t: f64) -> f64 { if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) } }
fn nll[N, D](X: f64[N, D], y: f64[N], w: f64[D], lam: f64) -> f64 {
    let z = X @ w;
    sum(soft(z[i]) - y[i]*z[i] for i) / f64(N) + 0.5*lam*sum(w[j]^2 for j)
}
fn phase_loss[M, N](A: c128[M, N], z: c128[N], b: f64[M]) -> f64 {
    let u = A @ z;
    sum((abs2(u[m]) - b[m])^2 for m) / (2*f64(M))
}
fn f() -> (f64, f64) {
    (nll([[1.0, 0], [0, 1]], [0.0, 1], [0.0, 0], 0.1), phase_loss([[1 + 1i, 2]], [1, 1i], [3.0]))
}

//> f() = 0.6931471805599453, 24.5

// --- recursion over dimensions
fn prefix[N](x: f64[N]) -> f64 { if N == 0 { 0 } else { x[0] + 0.5*prefix(x[1:]) } }
fn even[N](s: i64) -> i64 { if N == 0 { s } else { odd[N - 1](s + 1) } }
fn odd[N](s: i64) -> i64 { if N == 0 { -s } else { even[N - 1](s) } }
fn f() -> (f64, i64, i64) { (prefix([1, 2, 4]), even[6](0), even[7](0)) }

//> f() = 3.0, 3, -4
