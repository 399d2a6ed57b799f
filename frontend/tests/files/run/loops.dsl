

// --- traps carry the span of what failed
fn at(x: f64[3], i: i64) -> f64 { 2*x[i] }
fn a() -> f64 { at([1.0, 2, 3], 3) }
fn b() -> f64 { at([1.0, 2, 3], -1) }
fn set(i: i64) -> f64[2] { var y = zeros(2); y[i] = 1; y }
fn c() -> f64[2] { set(2) }
fn part[N](x: f64[N]) -> f64 { sum(x[N - 3:]) }
fn d() -> f64 { part([1.0, 2]) }
fn head[N](x: f64[N]) -> f64 { sum(x[:4]) }
fn e() -> f64 { head([1.0, 2]) }
fn sized[N]() -> f64[N - 2] { zeros(N - 2) }
fn f() -> f64[0] { sized[1 + 1]() }
fn less[N]() -> f64 { sum(sized[N]()) }
fn g() -> f64 { less[1]() }
fn most[N](x: f64[N]) -> f64 { max(x) }
fn h() -> f64 { most(zeros(0)) + 1 }
fn steps(s: i64) -> i64 { var n = 0; for i in 0..10 step s { n += 1; } n }
fn i() -> (i64, i64) { (steps(3), steps(0)) }
fn column(k: i64) -> f64 { var y = zeros(3, 3); y[:, k] = 1; y[0, 0] }
fn j() -> f64 { column(3) }
fn k(n: i64) -> f64 { mean(1.0 for i in 0..n) }
fn l() -> f64 { k(3) + k(0) }
fn strided(s: i64) -> i64 { sum(i for i in 0..10 step s) }
fn m() -> (i64, i64) { (strided(4), strided(-1)) }

//> a() fails: index 3 is outside an axis of size 3 at 2:37-2:41 `x[i]`
//> b() fails: index -1 is outside an axis of size 3 at 2:37-2:41 `x[i]`
//> c() fails: index 2 is outside an axis of size 2 at 5:46-5:54 `y[i] = 1`
//> d() fails: index -1 is outside an axis of size 2 at 7:36-7:45 `x[N - 3:]`
//> e() fails: index 3 is outside an axis of size 2 at 9:36-9:41 `x[:4]`
//> f() = []
//> g() fails: an array of negative size -1 at 11:31-11:43 `zeros(N - 2)`
//> h() fails: a maximum or minimum over an empty range at 15:32-15:38 `max(x)`
//> i() fails: the step of a loop is 0, not positive at 17:38-17:71 `for i in 0..10 step s { n += 1; }`
//> j() fails: index 3 is outside an axis of size 3 at 19:49-19:60 `y[:, k] = 1`
//> l() fails: assertion failed: `mean` needs at least one element at 21:23-21:46 `mean(1.0 for i in 0..n)`
//> m() fails: assertion failed: a step is at least 1 at 23:39-23:56 `i in 0..10 step s`

// --- reductions of nothing
fn none() -> (f64, i64, bool, bool, f64[2]) {
    let x = zeros(0);
    (sum(x), prod(i for i in 3..3), any(x[i] > 0 for i), all(x[i] > 0 for i), sum([1.0, 2] for i in 5..2))
}

//> none() = 0.0, 1, false, true, [0.0, 0.0]

// --- what a loop carries
fn tuples() -> (i64, f64) { var t = (1, 2.0); for i in 0..3 { let (a, b) = t; t = (a + i, b*2); } let (a, b) = t; (a, b) }
fn bubble() -> i64[5] {
    var x = [3, 1, 4, 1, 5];
    for i in 0..5 { for j in 0..4 - i { if x[j] > x[j + 1] { let t = x[j]; x[j] = x[j + 1]; x[j + 1] = t; } } }
    x
}
fn shadows() -> i64 { var s = 0; for i in 0..3 { let s = 10; for i in 0..s { } } s += 1; s }
fn blocks() -> i64 { var s = 0; for i in 0..4 { let k = { s += i; s }; if mod(k, 2) == 0 { s += 100; } } s }
fn bounds() -> i64 { var n = 2; var s = 0; for i in 0..({ n += 1; n }) { n = 100; s += 1; } s*1000 + n }
fn squares() -> f64[4] { var y: f64[4] = [0.0 for i in 0..4]; var k = 0; while k < 4 { y[k] = f64(k)^2; k += 1; } y }
fn power(A: f64[2, 2], n: i64) -> f64[2, 2] { var P = eye(2); for _ in 0..n { P = P @ A; } P }
fn fibonacci() -> f64[2, 2] { power([[1.0, 1], [1, 0]], 10) }
fn local() -> f64[3] { [{ var s = 0.0; for j in 0..i + 1 { s += f64(j); } s } for i in 0..3] }
fn growing() -> (c128, c128[2]) { var s = 0; var v = zeros(2); for i in 0..2 { s += 1i; v[i] = s; } (s, v) }
fn empty() -> (f64[2], i64) { var x = [1.0, 2]; var n = 0; for i in 5..2 { x[0] = 9; n += 1; } (x, n) }

//> tuples() = 4, 16.0
//> bubble() = [1, 1, 3, 4, 5]
//> shadows() = 1
//> blocks() = 206
//> bounds() = 3100
//> squares() = [0.0, 1.0, 4.0, 9.0]
//> fibonacci() = [[89.0, 55.0], [55.0, 34.0]]
//> local() = [0.0, 1.0, 3.0]
//> growing() = (0.0, 2.0), [(0.0, 1.0), (0.0, 2.0)]
//> empty() = [1.0, 2.0], 0

// --- slices, parts and their copies
fn f() -> (f64[2, 2], f64[3, 3], f64[3]) {
    let A = [[1.0, 2, 3], [4, 5, 6], [7, 8, 9]];
    var B = A;
    B[0:2, 1:3] = A[1:3, 0:2];
    B[2] -= A[0];
    B[:, 0] *= 2;
    (A[1:, :2], B, A[:, 2] - A[2])
}
fn g(k: i64) -> (f64[2], f64[2, 2]) { let x = [1.0, 2, 3, 4]; let A = [x, 2*x]; (x[k:k + 2], A[:, k:k + 2]) }
fn h() -> (f64[2], f64[2, 2]) { g(1) }
fn i() -> f64[2, 2, 2] { let x = [[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]]; var y = x; y[1, 0] = x[0, 1]; y[:, 1, :] = 0; y }

//> f() = [[4.0, 5.0], [7.0, 8.0]], [[2.0, 4.0, 5.0], [8.0, 7.0, 8.0], [12.0, 6.0, 6.0]], [-4.0, -2.0, 0.0]
//> h() = [2.0, 3.0], [[2.0, 3.0], [4.0, 6.0]]
//> i() = [[[1.0, 2.0], [0.0, 0.0]], [[3.0, 4.0], [0.0, 0.0]]]

// --- elementwise
fn f() -> (f64[2], f64[2], bool[2], f64[2], i64[2]) {
    let x = [1.0, -2];
    (max(x, 0), x^2 - 1/x, x > 0, select(x > 0, x, 10*x), i64(x)^2)
}
fn g() -> (c128[2], c128[2], f64[2], c64[1]) {
    let z = [1 + 2i, 3];
    (z*[1.0, 2], conj(z)', abs2(z), c64([1i]))
}
fn h() -> (bool[2], bool[2], f32[2]) { let a = [1.0, 2i]; (a == [1.0, 2], ![true, false], f32([1.0, 0.1])/3) }
fn i() -> c128[2] { let x: c128[2] = [1.0, 2]; let y: c128[2] = if x[0] == 1 { zeros(2) + 1 } else { x }; y + x }
fn k() -> c128 { [1i, 2] @ [1i, 3] }

//> f() = [1.0, 0.0], [0.0, 4.5], [true, false], [1.0, -20.0], [1, 4]
//> g() = [(1.0, 2.0), (6.0, 0.0)], [(1.0, 2.0), (3.0, 0.0)], [5.0, 9.0], [(0.0, 1.0)f32]
//> h() = [true, false], [false, true], [0.33333334f32, 0.033333335f32]
//> i() = [(2.0, 0.0), (3.0, 0.0)]
//> k() = (5.0, 0.0)

// --- constants
const N: i64 = 3;
const M: i64 = 2*N - 1;
const P: f64[N] = [1.0, 2, 4];
const Q: f64[N, N] = [P[i]*P[j] for i, j];
const S: f64 = sum(Q) + f64(M);
fn f() -> (f64, f64[N, N], i64) { (S, Q, M) }
fn g(x: f64[M]) -> f64[M - N + 1] { x[N - 1:] }
fn h() -> f64[3] { g([1.0, 2, 3, 4, 5]) }

//> f() = 54.0, [[1.0, 2.0, 4.0], [2.0, 4.0, 8.0], [4.0, 8.0, 16.0]], 5
//> h() = [3.0, 4.0, 5.0]

// --- sizes that are quotients
fn halves[N](x: f64[N]) -> f64[div(N + 1, 2)] { [x[i] for i in 0..N step 2] }
fn f() -> (f64[2], f64[3]) { (halves([1.0, 2, 3]), halves([1.0, 2, 3, 4, 5])) }
fn g[N, K](x: f64[N]) -> f64 { if K > 0 { sum(x[:div(N, K)]) } else { -1 } }
fn h() -> (f64, f64) { (g[K = 2]([1.0, 2, 4]), g[3, 0]([1.0, 2, 4])) }

//> f() = [1.0, 3.0], [1.0, 3.0, 5.0]
//> h() = 1.0, -1.0
