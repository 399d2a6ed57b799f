// Facts about sizes, slices of any size, axes.

// --- facts
fn haar[N](x: f64[N]) -> f64[N] {
    assert mod(N, 2) == 0, "even";
    let even = [x[i] for i in 0..N step 2];
    let odd = [x[i] for i in 1..N step 2];
    concat(even + odd, even - odd)
}
fn a() -> f64[4] { haar([1.0, 3, 4, 8]) }
fn b() -> f64[3] { haar([1.0, 3, 4]) }
fn turn[N](x: f64[N]) -> f64[N] {
    if N < 2 { x } else {
        assert mod(N, 2) == 0;
        let h = div(N, 2);
        concat(turn(x[h:]), turn(x[:h]))
    }
}
fn c() -> f64[4] { turn([1.0, 2, 3, 4]) }
fn d() -> f64[6] { turn([1.0, 2, 3, 4, 5, 6]) }
fn same[N, M](x: f64[N], y: f64[M]) -> f64[N] {
    assert N == M;
    var z = y;
    z += x;
    for i in 0..N { z = z + x; z[i] += 1; }
    z[:M - 1] *= 2;
    if x[0] > 0 { z } else { x }
}
fn e() -> f64[2] { same([1.0, 2], [3.0, 4]) }
fn f() -> f64[2] { same([1.0, 2], [3.0]) }
fn double[M](x: f64[M]) -> f64[2*M] { concat(x, x) }
fn part[M](x: f64[2*M]) -> f64[M] { x[M:] }
fn calls[N](x: f64[N]) -> (f64[N], f64[div(N, 2)]) {
    assert mod(N, 2) == 0;
    let h = div(N, 2);
    (double(x[:h]) + x, part[h](x) + part[h](2*x))
}
fn g() -> (f64[4], f64[2]) { calls([1.0, 2, 3, 4]) }
fn h() -> (f64[3], f64[1]) { calls([1.0, 2, 3]) }
fn blocks[N, B](x: f64[N]) -> f64[N] {
    assert mod(N, B) == 0;
    let A = reshape(x, div(N, B), B);
    reshape([2*A[i] for i], N)
}
fn thirds[N](x: f64[N]) -> f64[N] {
    assert mod(N, 3) == 1 && N > 3;
    let h = div(N, 3);
    concat([x[i] for i in 0..N - 1 step 3], x[h:])
}
fn l() -> f64[4] { thirds([1.0, 2, 3, 4]) }
fn equal[N, M](x: f64[N], y: f64[M]) -> f64[M] { assert 2*N == 2*M; concat(x[:1], y[1:]) + x }
fn m() -> f64[2] { equal([1.0, 2], [3.0, 4]) }
fn i() -> f64[4] { blocks[B = 2]([1.0, 2, 3, 4]) }
fn j() -> f64[3] { blocks[B = 2]([1.0, 2, 3]) }
fn k() -> f64[3] { blocks[B = 0]([1.0, 2, 3]) }

//> a() = [4.0, 12.0, -2.0, -4.0]
//> b() fails: assertion failed: even at 3:12-3:26 `mod(N, 2) == 0`
//> c() = [4.0, 3.0, 2.0, 1.0]
//> d() fails: assertion failed: mod(N, 2) == 0 at 12:16-12:30 `mod(N, 2) == 0`
//> e() = [14.0, 11.0]
//> f() fails: assertion failed: N == M at 20:12-20:18 `N == M`
//> g() = [2.0, 4.0, 4.0, 6.0], [9.0, 12.0]
//> h() fails: assertion failed: mod(N, 2) == 0 at 32:12-32:26 `mod(N, 2) == 0`
//> l() = [1.0, 2.0, 3.0, 4.0]
//> m() = [2.0, 6.0]
//> i() = [2.0, 4.0, 6.0, 8.0]
//> j() fails: assertion failed: mod(N, B) == 0 at 39:12-39:26 `mod(N, B) == 0`
//> k() fails: integer division by zero at 39:12-39:21 `mod(N, B)`

// --- slices of any size
fn sums[N](x: f64[N]) -> f64[N] { [sum(x[:i]) for i in 0..N] }
fn a() -> f64[4] { sums([1.0, 2, 3, 4]) }
fn of(a: i64, b: i64) -> (f64, f64, f64, f64, f64, f64, f64) {
    let x = [1.0, -2, 4, -8];
    let z = [3.0 + 4.0i, 1, 2i, 2];
    (sum(x[a:b]), prod(x[a:b]), max(x[a:b]), min(x[a:b]), mean(x[a:b]), norm(z[a:b]), logsumexp(x[a:b]))
}
fn b() -> (f64, f64, f64, f64, f64, f64, f64) { of(1, 4) }
fn c() -> (f64, f64, f64, f64, f64, f64, f64) { of(1, 1) }
fn empty(a: i64) -> (f64, f64, f64, bool, bool) {
    let x = [1.0, 2];
    (sum(x[a:a]), prod(x[a:a]), norm(x[a:a]), any([true][a - 2:a - 2]), all([false][a - 2:a - 2]))
}
fn d() -> (f64, f64, f64, bool, bool) { empty(2) }
fn e() -> (f64, f64, f64, bool, bool) { empty(3) }
fn end(a: i64, b: i64) -> f64 { sum([1.0, 2, 3][a:b]) }
fn f() -> f64 { end(0, 4) }
fn g() -> f64 { end(-1, 2) }
fn h() -> f64 { end(2, 1) }
fn i() -> f64 { end(0, 3) }
fn most(a: i64) -> f64 { max([1.0, 2, 3][a:]) }
fn j() -> f64 { most(1) }
fn k() -> f64 { most(3) }
fn l() -> f64 { most(4) }
fn matrix(k: i64) -> (f64, f64, f64, f64) {
    let A = [[1.0, 2, 3], [4, 5, 6], [7, 8, 9]];
    (sum(A[:k]), sum(A[:k, 1:k]), sum(A[1:, k - 1]), prod(A[k, :k]))
}
fn m() -> (f64, f64, f64, f64) { matrix(2) }
fn flags(k: i64) -> (bool, bool) { let b = [false, true, true]; (any(b[:k]), all(b[k:])) }
fn n() -> (bool, bool) { flags(1) }

//> a() = [0.0, 1.0, 3.0, 6.0]
//> b() = -6.0, 64.0, 4.0, -8.0, -2.0, 3.0, 4.00248181413898
//> c() fails: a maximum or minimum over an empty range at 7:33-7:44 `max(x[a:b])`
//> d() = 0.0, 1.0, 0.0, false, true
//> e() fails: index 3 is outside an axis of size 2 at 13:10-13:16 `x[a:a]`
//> f() fails: assertion failed: the ends of `[1.0, 2, 3][a:b]` are in order and within the axis at 17:37-17:53 `[1.0, 2, 3][a:b]`
//> g() fails: assertion failed: the ends of `[1.0, 2, 3][a:b]` are in order and within the axis at 17:37-17:53 `[1.0, 2, 3][a:b]`
//> h() fails: assertion failed: the ends of `[1.0, 2, 3][a:b]` are in order and within the axis at 17:37-17:53 `[1.0, 2, 3][a:b]`
//> i() = 6.0
//> j() = 3.0
//> k() fails: a maximum or minimum over an empty range at 22:26-22:46 `max([1.0, 2, 3][a:])`
//> l() fails: assertion failed: the ends of `[1.0, 2, 3][a:]` are in order and within the axis at 22:30-22:45 `[1.0, 2, 3][a:]`
//> m() = 21.0, 7.0, 13.0, 56.0
//> n() = false, true

// --- logsumexp and norm of generators
fn lse(a: i64, b: i64) -> f64 { logsumexp(f64(i) for i in a..b) }
fn a() -> f64 { lse(0, 3) }
fn b() -> f64 { lse(3, 3) }
fn triangle(n: i64) -> (f64, f64) { (logsumexp(f64(i - j) for i in 0..n, j in 0..i), norm(f64(i - j) for i in 0..n, j in 0..i)) }
fn c() -> (f64, f64) { triangle(3) }
fn large(n: i64) -> (f64, f64) { (logsumexp(1000*f64(i) for i in 0..n), norm(1e200*f64(i) for i in 0..n)) }
fn d() -> (f64, f64) { large(3) }
fn none(n: i64) -> f64 { norm(1.0 for i in 0..n) }
fn e() -> f64 { none(-1) }
fn bare() -> (f64, f64) { let x = [3.0, 4]; (logsumexp(x[i] - 3 for i), norm(x[i]*x[j] for i, j)) }
fn f() -> (f64, f64) { bare() }
fn infinite() -> (f64, f64) { let x = [-INF, -INF]; (logsumexp(x[i] for i in 0..2), norm(x[i] for i in 0..2)) }
fn steps(s: i64) -> f64 { logsumexp(sqrt(f64(10*i + j)) for i in 1..6 step s, j in 2..5) }
fn g() -> (f64, f64) { (steps(2), logsumexp([sqrt(12), sqrt(13), sqrt(14), sqrt(32), sqrt(33), sqrt(34), sqrt(52), sqrt(53), sqrt(54)])) }
fn h() -> f64 { steps(0) }
fn empty(n: i64) -> f64 { logsumexp(sqrt(f64(i)) for i in 0..n) }
fn i() -> f64 { empty(-2) }
fn within(k: i64, n: i64) -> f64 { let x = [1.0, 2]; logsumexp(exp(x[i]) for j in 0..n, i in 0..k) }
fn j() -> f64 { within(5, 1) }
fn far(n: i64) -> (f64, f64) { (logsumexp(-INF/f64(i + 1) for i in 0..n), logsumexp(1e300*exp(f64(i)) for i in 0..n)) }
fn k() -> (f64, f64) { far(2) }

//> a() = 2.4076059644443806
//> b() fails: a maximum or minimum over an empty range at 2:33-2:64 `logsumexp(f64(i) for i in a..b)`
//> c() = 2.5514447139320513, 2.449489742783178
//> d() = 2000.0, 2.2360679774997897e200
//> e() = 0.0
//> bare() = 1.3132616875182228, 25.0
//> f() = 1.3132616875182228, 25.0
//> infinite() = -inf, inf
//> g() = 8.595945667563635, 8.595945667563635
//> h() fails: assertion failed: a step is at least 1 at 14:61-14:77 `i in 1..6 step s`
//> i() fails: a maximum or minimum over an empty range at 17:27-17:64 `logsumexp(sqrt(f64(i)) for i in 0..n)`
//> j() fails: index 2 is outside an axis of size 2 at 19:68-19:72 `x[i]`
//> k() = -inf, 2.718281828459045e300

// --- axes
fn of[N, M](A: f64[N, M]) -> (f64[N], f64[M], f64[M], f64[N], f64[N], i64[M]) {
    (sum(A, axis = 1), prod(A, axis = 0), max(A, axis = 0), mean(A, axis = 1), norm(A, axis = 1), argmin(A, axis = 0))
}
fn a() -> (f64[2], f64[2], f64[2], f64[2], f64[2], i64[2]) { of([[3.0, 4], [6, -8]]) }
fn b() -> (f64[2, 2], f64[2, 2]) { let A = [[1.0, 2], [3, 4]]; (cumsum(A, axis = 0), cumprod(A, axis = 1)) }
fn c() -> (f64[2], f64[2, 2]) { let A = [[0.0, 0], [0, 0]]; (exp(logsumexp(A, axis = 0)), softmax(A, axis = 0)) }
fn d() -> f64[2, 2] { sum([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]], axis = 1) }
fn e() -> f64[2, 2, 2] { cumsum([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]], axis = 1) }
fn f() -> (bool[2], bool[2]) { let B = [[true, false], [true, true]]; (any(B, axis = 0), all(B, axis = 1)) }
fn g() -> (f64, f64[2]) { let x = [1.0, 2]; (sum(x, axis = 0), cumsum(x, axis = 0)) }
fn rows[N](k: f64) -> f64[N] { max(fill(k, N, 0), axis = 1) }
fn h() -> f64[0] { rows[0](1) }
fn i() -> f64[2] { rows[2](1) }

//> a() = [7.0, -2.0], [18.0, -32.0], [6.0, 4.0], [3.5, -1.0], [5.0, 10.0], [0, 1]
//> b() = [[1.0, 2.0], [4.0, 6.0]], [[1.0, 2.0], [3.0, 12.0]]
//> c() = [2.0, 2.0], [[0.5, 0.5], [0.5, 0.5]]
//> d() = [[4.0, 6.0], [12.0, 14.0]]
//> e() = [[[1.0, 2.0], [4.0, 6.0]], [[5.0, 6.0], [12.0, 14.0]]]
//> f() = [true, true], [false, true]
//> g() = 3.0, [1.0, 3.0]
//> h() = []
//> i() fails: a maximum or minimum over an empty range at 12:32-12:60 `max(fill(k, N, 0), axis = 1)`
