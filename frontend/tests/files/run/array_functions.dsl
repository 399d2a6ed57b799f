

// --- numbers of arrays
fn norms() -> (f64, f64, f64, f64) { (norm([3, -4]), norm([[1.0, 1.0], [1.0, 1.0]]), norm([3i, 4.0]), norm([3e200, 4e200])) }
fn exps() -> (f64, f64, f64[2]) { (logsumexp([0.0, 0.0]), logsumexp([-INF, -INF]), softmax([1e4, 1e4])) }
fn singles(x: f64) -> f64 { norm([x]) }
fn sums() -> (f64[3], i64[3], c128[2]) { (cumsum([1, 2.5, 3]), cumprod([2, 3, 4]), cumprod([1i, 1i])) }
fn products() -> (f64, c128, c128, i64) { (dot([1, 2], [3, 4.0]), dot([1i, 2], [1, 1.0]), dot([1.0, 2], [1i, 1]), dot([1, 2], [3, 4])) }
fn diagonals() -> (i64, f64[2, 2], f64[2]) { (trace([[1, 2], [3, 4]]), diag([1.0, 2]), diag([[1.0, 2], [3, 4]])) }

//> norms() = 5.0, 2.0, 5.0, 4.9999999999999995e200
//> exps() = 0.6931471805599453, -inf, [0.5, 0.5]
//> sums() = [1.0, 3.5, 6.5], [2, 6, 24], [(0.0, 1.0), (-1.0, 0.0)]
//> products() = 11.0, (2.0, -1.0), (2.0, 1.0), 11
//> diagonals() = 5, [[1.0, 0.0], [0.0, 2.0]], [1.0, 4.0]

// --- forms
fn forms() -> (f64[3, 2], f64[2, 3], f64[6]) {
    let a = [[1.0, 2, 3], [4, 5, 6]];
    (transpose(a), flip(a), reshape(a, 6))
}
fn joined() -> (f64[5], c128[3], f64[2, 2], i64[2]) {
    (concat([1.0, 2], [3], [4, 5]), concat([1i], [1.0, 2]), stack([1.0, 2], [3, 4]), stack(1, 2))
}
fn taken() -> (f64[3, 2], f64[2], bool[2]) {
    let a = [[1.0, 2], [3, 4]];
    (gather(a, [1, 0, 1]), slice([1.0, 2, 3, 4], 1, 2), flip([true, false]))
}
fn outside() -> f64[1] { gather([1.0, 2], [2]) }
fn beyond() -> f64[2] { slice([1.0, 2, 3], 2, 2) }
fn products2() -> f64[2, 3] { outer([1, 2.0], [1, 2, 3]) }

//> forms() = [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]], [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//> joined() = [1.0, 2.0, 3.0, 4.0, 5.0], [(0.0, 1.0), (1.0, 0.0), (2.0, 0.0)], [[1.0, 2.0], [3.0, 4.0]], [1, 2]
//> taken() = [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]], [2.0, 3.0], [false, true]
//> outside() fails: index 2 is outside an axis of size 2 at 13:26-13:47 `gather([1.0, 2], [2])`
//> beyond() fails: index 3 is outside an axis of size 3 at 14:25-14:49 `slice([1.0, 2, 3], 2, 2)`
//> products2() = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]

// --- sorting
fn sorted() -> (f64[6], i64[4], f64[0]) { (sort([3, NAN, -1, 2, -INF, 2.5]), sort([3, 1, 2, 1]), sort(zeros(0))) }
fn order() -> (i64[6], i64[3], i64[5]) { (argsort([3, NAN, -1, 2, NAN, 2.0]), argsort([-0.0, 0.0, -0.0]), argsort([5, 4, 3, 2, 1])) }
fn many() -> (bool, bool) {
    let x = [sin(f64(i*i)) for i in 0..1000];
    let y = sort(x);
    (all(y[i] <= y[i + 1] for i in 0..999), all(y[i] == x[argsort(x)[i]] for i in 0..1000 step 100))
}

//> sorted() = [-inf, -1.0, 2.0, 2.5, 3.0, NaN], [1, 1, 2, 3], []
//> order() = [2, 3, 5, 0, 1, 4], [0, 1, 2], [4, 3, 2, 1, 0]
//> many() = true, true

// --- eigenvalues and eigenvectors
fn symmetric() -> (f64[2], f64[2, 2], f64[0]) {
    let (w, V) = eigh([[2.0, 99], [1, 2]]);
    (w, V, eigvalsh(zeros(0, 0)))
}
fn hermitian() -> (f64[2], f64[2]) {
    let A = [[2, 0], [2i, 2]];
    let (w, V) = eigh(A);
    (eigvalsh(A), [abs(2*V[0, j] - 2i*V[1, j] - w[j]*V[0, j]) for j])
}
fn not_finite() -> f64[2] { eigvalsh([[1, 0], [INF, 1]]) }

//> symmetric() = [1.0, 3.0], [[0.7071067811865475, 0.7071067811865475], [-0.7071067811865475, 0.7071067811865475]], []
//> hermitian() = [0.0, 4.0], [0.0, 0.0]
//> not_finite() = [NaN, NaN]

// --- factors of matrices of any shape
fn tall() -> (f64[3, 2], f64[2, 2]) { qr([[0.0, 1], [2, 3], [0, 0]]) }
fn wide() -> (f64[1, 1], f64[1, 2]) { qr([[-2.0, 4]]) }
fn complex_r() -> c128[2, 2] { let (Q, R) = qr([[2i, 1], [0, 3i]]); R }
fn singular() -> (f64[3, 2], f64[2], f64[2, 2]) { svd([[0.0, 3], [0, 0], [0, 0]]) }
fn singular_wide() -> (f64[2, 2], f64[2], f64[3, 2]) { svd([[0.0, 0, 3], [-4, 0, 0]]) }
fn values() -> (f64[2], f64[2], f64[0]) { (svdvals([[3i, 0], [0, -4i]]), svdvals([[3.0, 0, 0], [0, 4, 0]]), svdvals(zeros(2, 0))) }
fn none() -> (f64[0, 0], f64[0, 2], f64[3, 0], f64[0, 0]) {
    let (Q, R) = qr(zeros(0, 2));
    let (U, s, V) = svd(zeros(3, 0));
    (Q, R, U, V)
}
fn any[N, M](A: f64[N, M]) -> f64[M] { svdvals(A) }
fn not_tall() -> f64[2] { any([[1.0, 2]]) }
fn infinite() -> f64[2] { svdvals([[1.0, 0], [INF, 1]]) }

//> tall() = [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]], [[2.0, 3.0], [0.0, 1.0]]
//> wide() = [[-1.0]], [[2.0, -4.0]]
//> complex_r() = [[(2.0, 0.0), (0.0, -1.0)], [(0.0, 0.0), (3.0, 0.0)]]
//> singular() = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [3.0, 0.0], [[0.0, 1.0], [1.0, 0.0]]
//> singular_wide() = [[0.0, 1.0], [1.0, 0.0]], [4.0, 3.0], [[-1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
//> values() = [4.0, 3.0], [4.0, 3.0], []
//> none() = [], [], [[], [], []], []
//> not_tall() fails: assertion failed: `svdvals` needs as many rows as columns or more, unless the matrix is `f64[N, N + M]` at 13:40-13:50 `svdvals(A)`
//> infinite() = [NaN, NaN]

// --- linear algebra
fn linear() -> (f64[2], f64[2, 2], f64[2, 2], f64, f64) {
    let a = [[4.0, 2], [2, 5]];
    (solve(a, [8, 9]), inv([[2.0, 0], [0, 4]]), cholesky(a), det(a), logdet(a))
}
fn complex_linear() -> (c128[2], c128, f64) { (solve([[2i, 0], [0, 1]], [2, 3.0]), det([[1i, 0], [0, 2]]), logdet([[1i, 0], [0, 2]])) }
fn singular() -> f64[2] { solve([[1.0, 1], [1, 1]], [1, 2]) }

//> linear() = [1.375, 1.25], [[0.5, 0.0], [0.0, 0.25]], [[2.0, 0.0], [1.0, 2.0]], 16.0, 2.772588722239781
//> complex_linear() = [(0.0, -1.0), (3.0, -0.0)], (0.0, 2.0), 0.6931471805599453
//> singular() fails: the matrix is singular at 7:27-7:60 `solve([[1.0, 1], [1, 1]], [1, 2])`
