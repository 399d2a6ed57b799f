// Reductions and arrays.

// R1: products with zeros.
fn product[N](x: f64[N]) -> f64 { prod(x) }
fn product1(x: f64[3]) -> f64[3] { grad(product)(x) }
fn product2(x: f64[3]) -> f64[3, 3] { hessian(product)(x) }
//= product1([2, 0, 3]) = [0, 6, 0]
//= product1([0, 0, 3]) = [0, 0, 0]
//= product1([-1e-320, 1e300, 2]) = [2e300, -2e-320, -1e-20] ~ 1e-3
//= product2([2, 0, 3]) = [[0, 3, 0], [3, 0, 2], [0, 2, 0]]

// R2: an infinite score has no share.
fn scores1(x: f64[2]) -> f64[2] { grad(scores)(x) }
fn scores[N](x: f64[N]) -> f64 { logsumexp(x) }
//= scores1([-inf, 0]) = [0, 1]
//= scores1([1000, 1000]) = [0.5, 0.5]

// R3: nothing, and one.
fn totals[N](x: f64[N]) -> (f64, f64, f64[N]) { (sum(x), prod(x), [2*x[i] for i]) }
fn totals1[N](x: f64[N]) -> f64[N] { vjp(totals)(x; 1, 1, x) }
fn top[N](x: f64[N]) -> f64 { max(x) }
fn top1[N](x: f64[N]) -> f64[N] { grad(top)(x) }
fn average1[N](x: f64[N]) -> f64[N] { grad(average)(x) }
fn average[N](x: f64[N]) -> f64 { mean(x) }
//= totals([]) = 0; 1; []
//= totals1([]) = []
//= totals1([5]) = [12]
//= top([]) = error ADC0508
//= top1([]) = error ADC0508
//= top1([4]) = [1]
//= average([]) = error ADC0505
//= average1([7]) = [1]

// R4: an index that comes twice counts twice.
fn gathered[N, M](x: f64[N], k: i64[M]) -> f64 {
    let y = gather(x, k);
    sum(y[i]^2 for i)
}
fn gathered1(x: f64[3], k: i64[3]) -> f64[3] { grad(gathered)(x, k) }
//= gathered1([1, 2, 3], [0, 0, 2]) = [4, 0, 6]
//= gathered1([1, 2, 3], [0, 3, 2]) = error ADC0507

// R5: old versions of an array stay what they were.
fn versions(x: f64[2]) -> f64 {
    var y = x;
    let old = y;
    y[0] = y[0]*y[1];
    y[1] = y[0] + old[0];
    y[0] = 3*y[1]*old[0];
    y[0] + old[1]
}
fn versions1(x: f64[2]) -> f64[2] { grad(versions)(x) }
fn squares[N](x: f64[N]) -> f64 {
    var y = x;
    for i in 0..N { y[i] = y[i]*y[i]; }
    for i in 0..N { y[i] = y[i]*y[i]; }
    sum(y)
}
fn squares1(x: f64[2]) -> f64[2] { grad(squares)(x) }
fn overwritten(x: f64[2], v: f64) -> f64 {
    var y = x;
    y[0] = v;
    y[0]*y[1]
}
fn overwritten1(x: f64[2], v: f64) -> (f64[2], f64) { grad(overwritten)(x, v) }
//= versions([2, 3]) = 51
//= versions1([2, 3]) = [48, 13]
//= squares1([2, 3]) = [32, 108]
//= overwritten1([2, 3], 5) = [0, 5]; 3

// R6, R7: stencils and indices that are no permutation.
fn roughness[N](u: f64[N]) -> f64 { sum((u[i - 1] - 2*u[i] + u[i + 1])^2 for i in 1..N - 1) }
fn roughness1(u: f64[4]) -> f64[4] { grad(roughness)(u) }
fn mirrored[N](x: f64[N]) -> f64 { sum(x[i]*x[N - 1 - i] for i) }
fn mirrored1(x: f64[3]) -> f64[3] { grad(mirrored)(x) }
fn spread[N](x: f64[2*N]) -> f64 { sum(x[2*i]^2 + 3*x[div(i, 2)] for i in 0..N) }
fn spread1(x: f64[4]) -> f64[4] { grad(spread[2])(x) }
fn permuted[N](x: f64[N], p: i64[N]) -> f64 { sum(f64(i + 1)*x[p[i]]^2 for i) }
fn permuted1(x: f64[3], p: i64[3]) -> f64[3] { grad(permuted)(x, p) }
//= roughness1([0, 1, 0, 0]) = [-4, 10, -8, 2]
//= mirrored1([1, 2, 3]) = [6, 4, 2]
//= spread1([1, 2, 3, 4]) = [8, 0, 6, 0]
//= permuted1([1, 2, 3], [2, 0, 0]) = [10, 0, 6]
//= permuted1([1, 2, 3], [2, 0, -1]) = error ADC0507

// R8: one array twice; carries that begin alike.
fn both[N](x: f64[N], y: f64[N]) -> f64 { dot(x, y) + y[0] }
fn both_of[N](x: f64[N]) -> f64 { both(x, x) }
fn both1(x: f64[2]) -> f64[2] { grad(both_of)(x) }
fn doubling(x: f64, n: i64) -> f64 {
    var a = x;
    var b = x;
    for i in 0..n {
        a = a + b;
        b = a;
    }
    a
}
fn doubling1(x: f64, n: i64) -> f64 { grad(doubling)(x, n) }
//= both1([2, 3]) = [5, 6]
//= doubling1(1, 5) = 32

// R9: products of matrices of every shape; singular ones.
fn chain[N, M, K](A: f64[N, M], B: f64[M, K], x: f64[K]) -> f64 { sum(A @ B @ x) }
fn chain1(A: f64[1, 2], B: f64[2, 1], x: f64[1]) -> (f64[1, 2], f64[2, 1], f64[1]) {
    grad(chain)(A, B, x)
}
fn nothing1(A: f64[0, 2], B: f64[2, 3], x: f64[3]) -> (f64[0, 2], f64[2, 3], f64[3]) {
    grad(chain)(A, B, x)
}
fn turned[N, M](A: f64[N, M]) -> f64 {
    let B = A';
    sum((A @ B)[0])
}
fn turned1(A: f64[2, 2]) -> f64[2, 2] { grad(turned)(A) }
fn solved[N](A: f64[N, N], b: f64[N]) -> f64 { sum(solve(A, b)) }
fn solved1(A: f64[2, 2], b: f64[2]) -> (f64[2, 2], f64[2]) { grad(solved)(A, b) }
fn volume1(A: f64[2, 2]) -> f64[2, 2] { grad(det)(A) }
fn log_volume1(A: f64[2, 2]) -> f64[2, 2] { grad(logdet)(A) }
fn factor(A: f64[2, 2]) -> f64 {
    let L = cholesky(A);
    L[0, 0] + 2*L[1, 0] + 3*L[1, 1]
}
fn factor1(A: f64[2, 2]) -> f64[2, 2] { grad(factor)(A) }
fn second(x: f64[3]) -> f64 { sort(x)[1] }
fn second1(x: f64[3]) -> f64[3] { grad(second)(x) }
fn symmetric(A: f64[2, 2]) -> f64 { sum(eigvalsh(A)^3) }
fn symmetric1(A: f64[2, 2]) -> f64[2, 2] { grad(symmetric)(A) }
fn leading(A: f64[2, 2]) -> f64 {
    let (w, V) = eigh(A);
    V[1, 0]
}
fn leading1(A: f64[2, 2]) -> f64[2, 2] { grad(leading)(A) }
fn nuclear(A: f64[2, 2]) -> f64 { sum(svdvals(A)) }
fn nuclear1(A: f64[2, 2]) -> f64[2, 2] { grad(nuclear)(A) }
fn dominant(A: f64[3, 2]) -> f64 {
    let (U, s, V) = svd(A);
    V[1, 0]
}
fn dominant1(A: f64[3, 2]) -> f64[3, 2] { grad(dominant)(A) }
fn wide(A: f64[1, 2]) -> f64 {
    let (Q, R) = qr(A);
    R[0, 0] + 2*R[0, 1]
}
fn wide1(A: f64[1, 2]) -> f64[1, 2] { grad(wide)(A) }
//= nuclear1([[2, 0], [0, 2]]) = [[1, 0], [0, 1]]
//= nuclear1([[2, 0], [0, 0]]) = [[1, 0], [0, 0]]
//= dominant1([[1, 0], [0, 0], [0, 0]]) = [[0, 1], [0, 0], [0, 0]]
//= dominant1([[2, 0], [0, 1], [0, 0]]) = [[0, 0.6666666666666666], [0.3333333333333333, 0], [0, 0]]
//= wide1([[-3, 4]]) = [[-1, -2]]
//= second1([3, 1, 2]) = [0, 0, 1]
//= second1([3, 2, 2]) = [0, 0, 1]
//= symmetric1([[2, 9], [0, 2]]) = [[12, 0], [0, 12]]
//= leading1([[0, 0], [0, 1]]) = [[0, 0], [-1, 0]]
//= chain1([[1, 2]], [[3], [4]], [5]) = [[15, 20]]; [[5], [10]]; [11]
//= nothing1([], [[1, 2, 3], [4, 5, 6]], [1, 1, 1]) = []; [[0, 0, 0], [0, 0, 0]]; [0, 0, 0]
//= turned1([[1, 2], [3, 4]]) = [[5, 8], [1, 2]]
//= solved1([[2, 0], [0, 4]], [2, 8]) = [[-0.5, -1], [-0.25, -0.5]]; [0.5, 0.25]
//= solved([[1, 2], [2, 4]], [1, 1]) = error ADC0510
//= solved1([[1, 2], [2, 4]], [1, 1]) = error ADC0510
//= volume1([[1, 2], [3, 4]]) = [[4, -3], [-2, 1]]
//= log_volume1([[2, 0], [0, 4]]) = [[0.5, 0], [0, 0.25]]
//= factor1([[4, 0], [2, 5]]) = [[0.1875, 0], [0.25, 0.75]]
//= factor([[-1, 0], [0, 1]]) = error ADC0510

// R10: slices written over each other.
fn layered(x: f64[3]) -> f64 {
    var y = zeros(4);
    y[0:3] = x;
    y[1:4] = x;
    sum(f64(i + 1)*y[i] for i)
}
fn layered1(x: f64[3]) -> f64[3] { grad(layered)(x) }
fn part[N](x: f64[N], k: i64) -> f64 {
    let y = slice(x, k, 2);
    y[0]*y[1]
}
fn part1(x: f64[4], k: i64) -> f64[4] { grad(part)(x, k) }
//= layered1([1, 1, 1]) = [3, 3, 4]
//= part1([1, 2, 3, 4], 1) = [0, 3, 2, 0]
//= part1([1, 2, 3, 4], 3) = error ADC0507

// R11: a scalar beside an array.
fn scaled[N](s: f64, x: f64[N]) -> f64 { sum(s*x + s) }
fn scaled1(s: f64, x: f64[3]) -> (f64, f64[3]) { grad(scaled)(s, x) }
//= scaled1(2, [1, 2, 3]) = 9; [2, 2, 2]

// R12: a triangle in a row.
fn triangle[N](l: f64[div(N*(N - 1), 2)]) -> f64 {
    sum(sum(l[div(i*(i - 1), 2) + j]*f64(i - j) for j in 0..i) for i in 0..N)
}
fn triangle1(l: f64[3]) -> f64[3] { grad(triangle[3])(l) }
//= triangle1([1, 1, 1]) = [1, 2, 1]

// R13
fn joined(x: f64[2], y: f64[2]) -> f64 {
    let z = reshape(concat(x, y), 2, 2);
    let w = stack(x, flip(y));
    z[1, 0]*w[1, 0] + z[0, 1]*w[0, 1]
}
fn joined1(x: f64[2], y: f64[2]) -> (f64[2], f64[2]) { grad(joined)(x, y) }
//= joined1([1, 2], [3, 4]) = [0, 4]; [4, 3]

// R14: the same by elements, in memory and in registers.
fn rotated(x: f64[2], n: i64) -> f64[2] {
    var y = x;
    for i in 0..n { y = [0.6*y[0] - 0.8*y[1], 0.8*y[0] + 0.6*y[1]]; }
    y
}
fn rotated_far[N](x: f64[N], n: i64) -> f64[N] {
    var y = x;
    for i in 0..n {
        let a = y[0];
        y[0] = 0.6*a - 0.8*y[1];
        y[1] = 0.8*a + 0.6*y[1];
    }
    y
}
fn rotated1(x: f64[2], n: i64) -> (f64[2, 2], f64[2, 2]) {
    (jacobian(rotated)(x, n), jacobian(rotated_far)(x, n))
}
//= rotated1([1, 0], 1) = [[0.6, -0.8], [0.8, 0.6]]; [[0.6, -0.8], [0.8, 0.6]]
//= rotated1([1, 0], 2) = [[-0.28, -0.96], [0.96, -0.28]]; [[-0.28, -0.96], [0.96, -0.28]]

// R15: a write outside is an error, not a crash.
fn written[N](x: f64[N], k: i64) -> f64 {
    var y = x;
    y[k] = 1.0;
    sum(y)
}
fn written1(x: f64[2], k: i64) -> f64[2] { grad(written)(x, k) }
//= written1([1, 2], 1) = [1, 0]
//= written1([1, 2], -1) = error ADC0507
//= written1([1, 2], 2) = error ADC0507
