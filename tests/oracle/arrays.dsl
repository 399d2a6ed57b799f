// Arrays among the functions of the corpus.

fn norm2(v: f64[4]) -> f64 { norm(v) }
fn log_sum_exp(v: f64[4]) -> f64 { logsumexp(v) }
fn product(v: f64[4]) -> f64 { prod(v) }
fn mixed_sines(A: f64[3, 3], x: f64[3]) -> f64[3] { A @ sin(x) }
fn soft_max(v: f64[4]) -> f64[4] { softmax(v) }
fn cartesian(p: f64[2]) -> f64[2] { [p[0]*cos(p[1]), p[0]*sin(p[1])] }
fn sums(v: f64[4]) -> f64[4] { cumsum(v) }
fn products(v: f64[4]) -> f64[4] { cumprod([v[0], 0*v[1], v[2], v[3]]) }
fn determinant(A: f64[3, 3]) -> f64 { det(A) }
fn spectrum(A: f64[3, 3]) -> f64[3] { eigvalsh(A) }
fn state(A: c128[2, 2]) -> c128[2] {
    let (w, V) = eigh(A);
    V[:, 0]
}
fn basis(A: f64[3, 2]) -> f64[3, 2] {
    let (Q, R) = qr(A);
    Q
}
fn triangle(A: c128[2, 2]) -> c128[2, 2] {
    let (Q, R) = qr(A);
    R
}
fn principal(A: f64[3, 3]) -> f64[3] { svdvals(A) }
fn polar(A: c128[3, 2]) -> c128[3, 2] {
    let (U, s, V) = svd(A);
    U @ V'
}
fn axes(A: c128[2, 3]) -> (c128[2, 2], c128[3, 2]) {
    let (U, s, V) = svd(A);
    (U, V)
}
fn in_order(v: f64[4]) -> f64[4] { sort(v) }
fn solution(A: c128[2, 2], b: c128[2]) -> c128[2] { solve(A, b) }

check norm2 {}
check log_sum_exp {}
check product {}
check product { v = [0, 1.5, -2, 0.5]; }
check product { v = [0, 1.5, 0, 0.5]; }
check mixed_sines {}
check soft_max {}
check cartesian {}
check sums {}
check products {}
check determinant {}
check determinant { A = [[1, 2, 3], [2, 4, 6], [1, 0, 1]]; }
check determinant {
    A = [
        [1.16831, 0.523457, -0.853909],
        [1.66534, -0.296487, -0.716132],
        [-1.44033, 1.47545, 0.0435871],
    ];
}
check spectrum {}
check state {}
check basis {}
check triangle {}
check principal {}
check polar {}
check axes {}
check in_order {}
check solution {}
