// Small programs that between them come by every place where differentiation and simplification may go wrong. Loops that are to
// stay loops have a number of turns that nobody knows, arrays that are to stay arrays more than sixteen elements.

// accumulation ------------------------------------------------------------------
fn fan_out(x: f64, y: f64) -> f64 { x*sin(y) + exp(x)*y + x/y }
check fan_out { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn same_operand(x: f64) -> f64 { hypot(x, x) + x^x }
check same_operand { x in [0.5, 1.5]; }

fn chosen(x: f64, y: f64, c: f64) -> f64 { select(c > 0, x, y)*x + select(c > 0, sin(x), cos(x)) }
check chosen { x in [0.5, 1.5]; y in [-1.5, -0.5]; c in [-1, 1]; }

fn wholes[N](x: f64[N], A: f64[N, N]) -> f64 { dot(x, A @ x) + dot(A @ x, sin(x)) + norm(x) }
check wholes[N = 3] { x in [0.5, 1.5]; A in [-1, 1]; }

fn whole_thrice[N](x: f64[N], A: f64[N, N]) -> f64[N] { A @ x + x @ A + A @ (A @ x) }
check whole_thrice[N = 3] { x in [0.5, 1.5]; A in [-1, 1]; }

fn elements[N](x: f64[N], i: i64) -> f64 { x[i]*x[i + 1] + sin(x[i])*x[N - 1] + x[i]^2 }
check elements[N = 20] { x in [0.5, 1.5]; i = 3; }

fn several_elements[N](x: f64[N], i: i64, j: i64) -> f64 { x[i]*x[j] + sum(x) }
check several_elements[N = 20] { x in [0.5, 1.5]; i = 3; j = 3; }

fn parts[N](x: f64[N], k: i64) -> f64 { dot(x[k:k + 4], x[k + 1:k + 5]) + norm(x[2:N - 1]) }
check parts[N = 20] { x in [0.5, 1.5]; k = 5; }

fn guarded[N](x: f64[N], i: i64, c: f64) -> f64 { if c > 0 { x[i]*x[i + 1] } else { sum(x) } }
check guarded[N = 20] { x in [0.5, 1.5]; i = 3; c in [-1, 1]; }

fn guarded_element[N](x: f64[N], i: i64, c: f64) -> f64 { (if c > 0 { x[i] } else { c })*x[0] }
check guarded_element[N = 20] { x in [0.5, 1.5]; i = 3; c in [-1, 1]; }

fn neighbours[N](x: f64[N]) -> f64[N] { [(if i > 0 { x[i - 1] } else { 0.5 })*x[i] for i] }
check neighbours[N = 20] { x in [0.5, 1.5]; }

// arrays ------------------------------------------------------------------------
fn filled[N](s: f64, x: f64[N]) -> f64 { dot(fill(s, N), x) }
check filled[N = 20] { s in [0.5, 1.5]; x in [0.5, 1.5]; }

fn filled_rows[N](s: f64[N], A: f64[N, N]) -> f64[N] { A @ sin(fill(s, N) @ s) }
check filled_rows[N = 3] { s in [0.5, 1.5]; A in [0.5, 1.5]; }

fn packed(a: f64, b: f64, M: f64[3, 3]) -> f64[3] { M @ [a, a*b, sin(b)] }
check packed { a in [0.5, 1.5]; b in [0.5, 1.5]; M in [0.5, 1.5]; }

fn updated[N](x: f64[N], s: f64, i: i64) -> f64 {
    var y = x;
    y[i] = s^2;
    dot(y, y) + sum(y)
}
check updated[N = 20] { x in [0.5, 1.5]; s in [0.5, 1.5]; i = 4; }

fn added_to[N](x: f64[N], s: f64, i: i64) -> f64 {
    var y = x;
    y[i] += s^2;
    dot(y, y)
}
check added_to[N = 20] { x in [0.5, 1.5]; s in [0.5, 1.5]; i = 4; }

fn part_updated[N](x: f64[N], p: f64[3], k: i64) -> f64 {
    var y = x;
    y[k:k + 3] = p;
    dot(y, y)
}
check part_updated[N = 20] { x in [0.5, 1.5]; p in [0.5, 1.5]; k = 4; }

fn part_added_to[N](x: f64[N], p: f64[3], k: i64) -> f64 {
    var y = x;
    y[k:k + 3] += p;
    dot(y, y)
}
check part_added_to[N = 20] { x in [0.5, 1.5]; p in [0.5, 1.5]; k = 4; }

fn reshaped[N](x: f64[6*N], A: f64[6, 6]) -> f64 {
    let M = reshape(x, 6, N);
    sum(sin(A @ M))
}
check reshaped[N = 4] { x in [0.5, 1.5]; A in [0.5, 1.5]; }
fn reshaped_squares(x: f64[6], A: f64[2, 2]) -> f64 {
    let M = reshape(x*x, 2, 3);
    sum(sin(A @ M))
}
check reshaped_squares { x in [0.5, 1.5]; A in [0.5, 1.5]; }
fn parts_written(x: f64[12], p: f64[8], q: f64[3]) -> f64 {
    var r = p;
    r[1:4] = q;
    var y = x;
    y[2:10] = r;
    sum(sin(y[i])*y[i] for i)
}
check parts_written { x in [0.5, 1.5]; p in [0.5, 1.5]; q in [0.5, 1.5]; }

fn turned[N](A: f64[N, N], B: f64[N, N]) -> f64 {
    sum(sin(A' @ B))*sum(A'[0, j]*B[j, 0]^2 for j in 0..N)
}
check turned[N = 3] { A in [0.2, 0.8]; B in [0.2, 0.8]; }

fn turned_alone[N](A: f64[N, N]) -> f64[N, N] { A' }
check turned_alone[N = 5] { A in [0.2, 0.8]; }

// matrices ----------------------------------------------------------------------
fn product[N](A: f64[N, N], B: f64[N, N]) -> f64[N, N] { A @ B }
check product[N = 3] { A in [-1, 1]; B in [-1, 1]; }
fn complex_product[N](A: c128[N, N], B: c128[N, N]) -> c128[N, N] { A @ B }
check complex_product[N = 2] { A ~ disk(1); B ~ disk(1); }
fn matrix_vector[N](A: f64[N, N], x: f64[N]) -> f64[N] { A @ x }
check matrix_vector[N = 3] { A in [-1, 1]; x in [-1, 1]; }
fn vector_matrix[N](x: f64[N], A: f64[N, N]) -> f64[N] { x @ A }
check vector_matrix[N = 3] { A in [-1, 1]; x in [-1, 1]; }
fn inner[N](x: c128[N], y: c128[N]) -> c128 { x @ y }
check inner[N = 3] { x ~ disk(1); y ~ disk(1); }
fn trace_of_product[N](A: f64[N, N], B: f64[N, N], C: f64[N, N]) -> f64 { trace(sin(A) @ B @ C) }
check trace_of_product[N = 3] { A in [-1, 1]; B in [-1, 1]; C in [-1, 1]; }
// Large enough that the trace stays a loop, so that the product need not be made.
fn trace_of_two[N](A: f64[N, N], B: f64[N, N]) -> f64 { trace(A @ B)^2 }
check trace_of_two[N = 17] { A in [-1, 1]; B in [-1, 1]; }

fn solved[N](A: f64[N, N], b: f64[N]) -> f64[N] { solve(A + 3*eye(N), b) }
check solved[N = 3] { A in [-1, 1]; b in [0.5, 1.5]; }
fn solved_matrix[N](A: c128[N, N], B: c128[N, N]) -> c128[N, N] { solve(A + 3*eye(N), B) }
check solved_matrix[N = 2] { A ~ disk(1); B ~ disk(1); }
fn inverse[N](A: f64[N, N]) -> f64[N, N] { inv(A + 3*eye(N)) }
check inverse[N = 3] { A in [-1, 1]; }
fn log_determinant[N](A: f64[N, N]) -> f64 { logdet(A + 3*eye(N)) }
check log_determinant[N = 3] { A in [-1, 1]; }
fn scaled_log_determinant[N](A: f64[N, N], t: f64) -> f64 { t*logdet(A + 3*eye(N)) }
check scaled_log_determinant[N = 3] { A in [-1, 1]; t in [0.5, 1.5]; }
fn determinant[N](A: f64[N, N]) -> f64 { det(A) }
check determinant[N = 3] { A in [-1, 1]; }
check determinant { A = [[1, 2, 3], [2, 4, 6], [1, 0, 1]]; }
fn factor[N](A: f64[N, N]) -> f64[N, N] { cholesky(A @ A' + 3*eye(N)) }
check factor[N = 3] { A in [-1, 1]; }
fn factor_used[N](A: f64[N, N], M: f64[N, N]) -> f64 {
    let L = cholesky(A @ A' + 3*eye(N));
    sum(sin(M @ L @ M))
}
check factor_used[N = 3] { A in [-1, 1]; M in [-1, 1]; }
fn complex_factor[N](A: c128[N, N]) -> c128[N, N] {
    let B = A + 3*eye(N);
    cholesky(B @ conj(B'))
}
check complex_factor[N = 2] { A ~ disk(1); }
fn eigenvalues[N](A: f64[N, N]) -> f64[N] { eigvalsh(A) }
check eigenvalues[N = 3] { A in [-1, 1]; }
fn eigenvectors[N](A: f64[N, N]) -> f64[N, N] {
    let (w, V) = eigh(A + diag([3*f64(i) for i in 0..N]));
    V
}
check eigenvectors[N = 3] { A in [-1, 1]; }
fn complex_eigenvectors[N](A: c128[N, N]) -> c128[N, N] {
    let (w, V) = eigh(A + diag([3*f64(i) for i in 0..N]));
    V
}
check complex_eigenvectors[N = 2] { A ~ disk(1); }
fn basis[N](A: f64[N + 1, N]) -> f64[N + 1, N] {
    let (Q, R) = qr([A[i, j] + (if i == j { 3*f64(i + 1) } else { 0 }) for i, j]);
    Q
}
check basis[N = 2] { A in [-1, 1]; }
fn complex_basis[N](A: c128[N, N]) -> (c128[N, N], c128[N, N]) {
    qr([A[i, j] + (if i == j { 3*f64(i + 1) } else { 0 }) for i, j])
}
check complex_basis[N = 2] { A ~ disk(1); }
fn singular_values[N](A: f64[N + 1, N]) -> f64[N] {
    svdvals([A[i, j] + (if i == j { 3*f64(i + 1) } else { 0 }) for i, j])
}
check singular_values[N = 2] { A in [-1, 1]; }
fn complex_singular_values[N](A: c128[N, N]) -> f64[N] {
    svdvals([A[i, j] + (if i == j { 3*f64(i + 1) } else { 0 }) for i, j])
}
check complex_singular_values[N = 2] { A ~ disk(1); }
fn singular_vectors[N](A: f64[N + 1, N]) -> (f64[N + 1, N], f64[N, N]) {
    let (U, s, V) = svd([A[i, j] + (if i == j { 3*f64(i + 1) } else { 0 }) for i, j]);
    (U, V)
}
check singular_vectors[N = 2] { A in [-1, 1]; }
fn complex_singular_vectors[N](A: c128[N + 1, N]) -> (c128[N + 1, N], c128[N, N]) {
    let (U, s, V) = svd([A[i, j] + (if i == j { 3*f64(i + 1) } else { 0 }) for i, j]);
    (U, V)
}
check complex_singular_vectors[N = 2] { A ~ disk(1); }
fn ranked[N](x: f64[N], a: f64[N]) -> f64 { dot(sort(x), a) }
check ranked[N = 4] { x in [-1, 1]; a in [-1, 1]; }

// loops -------------------------------------------------------------------------
fn recurrence(x0: f64, r: f64, n: i64) -> f64 {
    var x = x0;
    for i in 0..n { x = sin(x)*r + x*f64(i + 1); }
    x
}
check recurrence { x0 in [0.5, 1.5]; r in [0.5, 1.5]; n = 4; }

fn two_carries(x0: f64, y0: f64, a: f64, n: i64) -> f64 {
    var x = x0;
    var y = y0;
    for i in 0..n {
        let t = x*cos(y);
        y = y + a*x*f64(i);
        x = t;
    }
    x*y
}
check two_carries { x0 in [0.5, 1.5]; y0 in [0.5, 1.5]; a in [0.5, 1.5]; n = 4; }

fn snapshots(x0: f64, r: f64, n: i64) -> f64 {
    var x = x0;
    #[checkpoint(sqrt)]
    for i in 0..n { x = sin(x)*r + 0.1*x*f64(i + 1); }
    x
}
check snapshots { x0 in [0.5, 1.5]; r in [0.5, 1.5]; n = 10; }

fn until(x0: f64, r: f64) -> f64 {
    var x = x0;
    while x < 9 { x = x + r*sin(0.3*x)^2 + 0.5; }
    x*r
}
check until { x0 in [0.5, 1.5]; r in [0.5, 1.5]; }

fn sums[N](x: f64[N], a: f64) -> f64 { sum(sin(a*x[i])*x[i] for i)*sum(x[i]^2 for i) }
check sums[N = 20] { x in [0.5, 1.5]; a in [0.5, 1.5]; }

fn shifted_sum[N](x: f64[N]) -> f64 { sum(x[i + 1]*x[i] for i in 0..N - 1) }
check shifted_sum[N = 20] { x in [0.5, 1.5]; }

fn running[N](x: f64[N]) -> f64[N] {
    var y = x;
    for i in 1..N { y[i] = y[i]*sin(y[i - 1]); }
    y
}
check running[N = 18] { x in [0.5, 1.5]; }

fn stepped[N](x: f64[N], a: f64) -> f64 {
    var s = a;
    for i in 1..N - 1 step 2 { s = s*x[i] + a*x[i + 1]; }
    s
}
check stepped[N = 20] { x in [0.5, 1.1]; a in [0.5, 1.5]; }

fn sum_of_carries[N](x: f64[N], a: f64, n: i64) -> f64 {
    var y = a;
    var total = 0.0;
    for i in 0..n {
        y = y*sin(x[i]);
        total += y*x[0];
    }
    total
}
check sum_of_carries[N = 20] { x in [0.5, 1.1]; a in [0.5, 1.5]; n = 5; }

fn total_from(x0: f64, a: f64, n: i64) -> f64 {
    var total = x0^2;
    for i in 0..n { total += sin(a*f64(i)); }
    total*total
}
check total_from { x0 in [0.5, 1.5]; a in [0.5, 1.5]; n = 5; }

fn within_a_loop[N](x: f64[N], n: i64) -> f64 {
    var s = 1.0;
    for k in 0..n { s = s*sum(x[i]*f64(k + i) for i) + x[k]; }
    s + x[0]^2
}
check within_a_loop[N = 18] { x in [0.05, 0.1]; n = 3; }

fn table_of_products[N](x: f64[N], A: f64[N, N]) -> f64 {
    sum(A[i, j]*[x[k]*exp(x[l]) for k, l][i, j] for i, j)
}
check table_of_products[N = 17] { x in [0.05, 0.1]; A in [0.5, 1.5]; }

fn grid[N](x: f64[N]) -> f64[N, N] { [x[i]*sin(x[j]) for i, j] }
check grid[N = 5] { x in [0.5, 1.5]; }

fn products[N](x: f64[N]) -> f64 { prod(x) }
check products[N = 18] { x in [0.7, 1.3]; }
fn products_of_rows[N](A: f64[N, 2]) -> f64[2] { prod(A[i] for i) }
check products_of_rows[N = 18] { A in [0.7, 1.3]; }

fn scaled_product[N](x: f64[N], t: f64) -> f64 { t*prod(x) }
check scaled_product[N = 18] { x in [0.7, 1.3]; t in [0.5, 1.5]; }

fn collected_twice[N](x: f64[N], a: f64, n: i64) -> f64 {
    var s = 0.5;
    var y = zeros(N);
    for i in 0..n {
        s = sin(s*x[i] + a);
        y[i] = s;
    }
    dot(y, x)
}
check collected_twice[N = 18] { x in [0.5, 1.5]; a in [0.5, 1.5]; n = 18; }

fn nested(x: f64, n: i64) -> f64 {
    var y = x;
    for i in 0..n {
        for j in 0..i + 1 { y = y*cos(0.3*y*f64(j + 1)); }
    }
    y
}
check nested { x in [0.5, 1.5]; n = 3; }

fn invariant[N](A: f64[N, N], x: f64[N], n: i64) -> f64[N] {
    var y = x;
    for i in 0..n { y = sin((A @ A) @ y); }
    y
}
check invariant[N = 3] { A in [-1, 1]; x in [0.5, 1.5]; n = 3; }

fn invariant_never_run[N](A: f64[N, N], x: f64[N], n: i64) -> f64[N] {
    var y = x;
    for i in 0..n { y = sin((A @ A) @ y); }
    y
}
check invariant_never_run[N = 3] { A in [-1, 1]; x in [0.5, 1.5]; n = 0; }

// Additions to elements, in every iteration and in some, and sums of which some terms are left out.
fn assembled[N](x: f64[N], t: f64) -> f64[N] {
    var f = zeros(N);
    for i in 0..N - 1 {
        let d = t*(x[i + 1] - x[i]);
        f[i] += d^2;
        f[i + 1] -= sin(d);
    }
    f
}
check assembled[N = 20] { x in [0.5, 1.5]; t in [0.5, 1.5]; }

fn forces[N](x: f64[N], t: f64) -> f64[N] {
    var f = zeros(N);
    for i in 0..N {
        for j in i + 1..N {
            let d = t*(x[j] - x[i]);
            f[i] += d^3;
            f[j] -= d^3;
        }
    }
    f
}
check forces[N = 18] { x in [0.5, 1.5]; t in [0.5, 1.5]; }

fn some_terms[N](x: f64[N], t: f64) -> f64 {
    var s = t;
    for i in 0..N { if x[i] > 1 { s += t*sin(x[i]); } else { s -= x[i]^2; } }
    s
}
check some_terms[N = 20] { x in [0.5, 1.5]; t in [0.5, 1.5]; }

// Elements that are written one after the other: all, those inside, and on a condition.
fn smoothed[N](x: f64[N], t: f64) -> f64[N] {
    var y = x;
    for i in 1..N - 1 { y[i] = t*x[i - 1]*x[i + 1] + y[i]^2; }
    var z = zeros(N);
    for i in 0..N {
        if y[i] > 1 {
            z[i] = sin(t*y[i]);
        } else {
            z[i] = y[i];
            z[i] *= t;
        }
    }
    z
}
check smoothed[N = 20] { x in [0.5, 1.5]; t in [0.5, 1.5]; }

// Elements that one branch or the other writes.
fn sorted[N](x: f64[N], t: f64) -> f64[2*N] {
    var y = zeros(2*N);
    for i in 0..N { if x[i] > 1 { y[i] = t*x[i]; } else { y[i + N] = t*x[i]^2; } }
    y
}
check sorted[N = 20] { x in [0.5, 1.5]; t in [0.5, 1.5]; }

// branches ----------------------------------------------------------------------
fn either(x: f64, y: f64) -> f64 { if x > 1 { x*sin(y) } else { exp(x)*y } }
check either { x in [0.2, 1.8]; y in [0.5, 1.5]; }

fn either_array[N](x: f64[N], c: f64) -> f64 {
    var y = x;
    if c > 0 { y = y*c; } else { y[0] = c^2; }
    dot(y, y)
}
check either_array[N = 20] { x in [0.5, 1.5]; c in [-1, 1]; }

fn one_side_only(x: f64, c: f64) -> f64 { (if c > 0 { sin(x) } else { 2.0 })*c }
check one_side_only { x in [0.5, 1.5]; c in [-1, 1]; }

fn negated_condition(x: f64, y: f64) -> f64 { if !(x > 1) { x*y } else { sin(x)*y } }
check negated_condition { x in [0.2, 1.8]; y in [0.5, 1.5]; }

// An exponent that is no literal.
fn integer_power(x: f64, n: i64, t: f64) -> f64 { t*x^n }
check integer_power { x in [-1, 1]; n = 0; t in [0.5, 1.5]; }
fn complex_integer_power(z: c128, n: i64, t: f64) -> c128 { t*z^n }
check complex_integer_power { z in disk(1.5); n = 0; t in [0.5, 1.5]; }

fn branch_in_a_loop(x0: f64, n: i64) -> f64 {
    var x = x0;
    for i in 0..n { if x > 1 { x = x*0.5; } else { x = exp(x); } }
    x
}
check branch_in_a_loop { x0 in [0.3, 1.7]; n = 4; }

fn largest[N](x: f64[N], a: f64) -> f64 { max(sin(3*x[i])*a for i) }
check largest[N = 20] { x in [-1, 1]; a in [0.5, 1.5]; }
// Wherever two terms are one, both have half of the derivative.
fn largest_of_pairs[N](x: f64[N]) -> f64 { max(sin(3*x[div(i, 2)]) for i in 0..2*N) }
check largest_of_pairs[N = 10] { x in [-1, 1]; }
fn largest_entries[N](A: f64[N, 3], a: f64) -> f64[3] { max(A[i]*a for i) }
check largest_entries[N = 18] { A in [0.5, 1.5]; a in [0.5, 1.5]; }
fn largest_entries_of_pairs[N](A: f64[N, 3]) -> f64[3] { max(A[div(i, 2)] for i in 0..2*N) }
check largest_entries_of_pairs[N = 10] { A in [0.5, 1.5]; }

// A factor whose derivative has the extremum in it, so that its derivative is that of the extremum.
fn scaled_largest[N](x: f64[N], t: f64) -> f64 { t*max(sin(3*x[i]) for i) }
check scaled_largest[N = 20] { x in [-1, 1]; t in [0.5, 1.5]; }
fn scaled_largest_of_pairs[N](x: f64[N], t: f64) -> f64 {
    t*max(sin(3*x[div(i, 2)]) for i in 0..2*N)
}
check scaled_largest_of_pairs[N = 10] { x in [-1, 1]; t in [0.5, 1.5]; }
fn scaled_largest_entries[N](A: f64[N, 3], t: f64[3]) -> f64 { dot(t, max(A[i] for i)) }
check scaled_largest_entries[N = 18] { A in [0.5, 1.5]; t in [0.5, 1.5]; }
fn scaled_largest_entries_of_pairs[N](A: f64[N, 3], t: f64[3]) -> f64 {
    dot(t, max(A[div(i, 2)] for i in 0..2*N))
}
check scaled_largest_entries_of_pairs[N = 10] { A in [0.5, 1.5]; t in [0.5, 1.5]; }

// calls -------------------------------------------------------------------------
// An array that is not differentiated keeps a function from being inlined.
fn callee[N](x: f64, y: f64, #[nodiff] w: f64[N]) -> (a: f64, b: f64) {
    (x*sin(y)*w[0], exp(x*w[1])*y)
}
fn caller[N](x: f64, y: f64, w: f64[N]) -> f64 {
    let (a, b) = callee(x, y, w);
    let (c, d) = callee(a, b + x, w);
    c*d + a
}
check caller[N = 2] { x in [0.2, 0.6]; y in [0.2, 0.6]; w in [0.5, 1]; }

fn small_callee(x: f64, y: f64) -> f64 { x*sin(y) }
fn small_caller(x: f64, y: f64) -> f64 { small_callee(x, y)*small_callee(y*y, x) }
check small_caller { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn by_vjp(x: f64, y: f64) -> f64 { x*sin(y) }
rule vjp by_vjp(x, y; g) { (g*sin(y), g*x*cos(y)) }
fn uses_vjp(x: f64, y: f64) -> f64 { by_vjp(x*y, y)*x }
check uses_vjp { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn by_jvp(x: f64, y: f64) -> f64 { x*sin(y) }
rule jvp by_jvp(x, y; dx, dy) { dx*sin(y) + x*cos(y)*dy }
fn uses_jvp(x: f64, y: f64) -> f64 { by_jvp(x*y, y)*x }
check uses_jvp { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn by_partial(z: c128, w: c128) -> c128 { z*conj(w)^2 }
rule partial by_partial(z, w) { d z: conj(w)^2; d w: 0; dconj w: 2*z*conj(w); }
fn uses_partial(z: c128, w: c128) -> c128 { by_partial(z*w, w)*z }
check uses_partial { z ~ near(1 + 1i, 0.4); w ~ near(1 - 0.5i, 0.4); }

fn mapped[N](x: f64[N], a: f64) -> f64[N] { sin(a*x) }
rule partial mapped(x, a) { d x: a*cos(a*x); d a: x*cos(a*x); }
fn uses_map[N](x: f64[N], a: f64) -> f64 { sum(mapped(x*a, a)*x) }
check uses_map[N = 4] { x in [0.5, 1.5]; a in [0.5, 1.5]; }

// What stands for the rule in a check is the derivative of the body.
fn clipped(x: f64, y: f64) -> f64 { x*sin(y) }
#[nonlinear]
rule vjp clipped(x, y; g) { (clamp(g, -1, 1)*sin(y), g*x*cos(y)) }
fn around_clipped(x: f64, y: f64) -> f64 { exp(clipped(x*x, y)*y)*cos(x) + clipped(y, x) }
check around_clipped { x in [0.5, 1]; y in [0.5, 1]; }

// simplification ----------------------------------------------------------------
fn signs(x: f64, y: f64) -> f64 { x + -(y*sin(x)) - -(x*y) + (x - y)*(y - x) + -1*exp(y) }
check signs { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn cubes(x: f64, y: f64) -> f64 { x^3*y + (x*y)^3 }
check cubes { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn conjugates(z: c128, x: f64) -> f64 {
    im(conj(z)*x) + im(conj(z*z)) + im(conj(z)) + re(conj(c128(x, x*x))*z)
}
check conjugates { z ~ near(1 + 1i, 0.5); x in [0.5, 1.5]; }

fn literals_alike(x: f64) -> f64 { sin(1.5*x)*cos(1.50000000001*x) }
check literals_alike { x in [0.5, 1.5]; }

fn small_arrays(x: f64, y: f64) -> f64 {
    let a = [[x, y, x*y], [sin(x), cos(y), 1.0]];
    let b = reshape(a, 3, 2);
    var c = [x, y, x + y, y - x];
    c[1] = x*x;
    let part = c[1:4];
    b[1, 0]*b[2, 1] + b[0, 1]*b[1, 1] + part[1:3][1]*c[1]
}
check small_arrays { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn part_of_part[N](x: f64[20]) -> f64 {
    let y = x[2:18];
    dot(y[3:9], y[4:10])
}
check part_of_part { x in [0.5, 1.5]; }

fn written_out(x: f64, y: f64) -> f64 {
    var s = x;
    for i in 0..3 { s = s*y + f64(i)*x; }
    s + sum(x^2*y*f64(i + 1) for i in 0..4)
}
check written_out { x in [0.5, 1.5]; y in [0.5, 1.5]; }

fn carried_pair(x: f64, y: f64, n: i64) -> f64 {
    var p = [x, y];
    for i in 0..n { p = [p[0]*p[1], sin(p[0])]; }
    p[0] + 2*p[1]
}
check carried_pair { x in [0.5, 1.5]; y in [0.5, 1.5]; n = 3; }

// A state in one matrix, and a reverse loop that multiplies by derivatives.
fn state_by_rows[N](w: f64[N], s0: f64[2, N]) -> f64 {
    var s = s0;
    for t in 0..6 {
        let h = [tanh(s[0, i]*w[i]) for i in 0..N];
        s[1] = [s[1, i] + h[i]*sigmoid(s[1, i]) for i in 0..N];
        s[0] = [h[i] - 0.5*s[1, i] for i in 0..N];
    }
    sum(s[0, i]*s[1, i] for i)
}
check state_by_rows[N = 5] { w in [0.5, 1.5]; s0 in [0.5, 1.5]; }

fn merged[N](x: f64[N]) -> f64 { sum(sin(x[i]) for i)/sum(x[i]^2 for i) }
check merged[N = 20] { x in [0.5, 1.5]; }

fn never_run(x: f64, n: i64) -> f64 {
    var y = x;
    for i in 0..n { y = y*exp(x)*sin(y); }
    y
}
check never_run { x in [0.5, 1.5]; n = 0; }

#[fp(fast)]
fn linear_combination(x: f64, y: f64, z: f64) -> f64 { (x*z - y) + (2*x - (y - 3*x)) + x/y*(y*z)/x }
check linear_combination { x in [0.5, 1.5]; y in [0.5, 1.5]; z in [0.5, 1.5]; }

// Loops in lanes: a write under a condition, a branch that lanes leave to scalar code, recurrences in a loop inside.
fn written_if_positive[N](x: f64[N], y: f64[N]) -> f64 {
    var a = y*y;
    for i in 0..N {
        if x[i] > 0 {
            a[i] = x[i]*y[i];
        }
    }
    sum(a*x)
}
check written_if_positive[N = 32] { x in [-1.5, 1.5]; y in [0.5, 1.5]; }

fn halved(x: f64) -> f64 {
    var s = x;
    while s > 1 {
        s = s/2;
    }
    s*s
}
fn halved_if_large[N](x: f64[N]) -> f64 {
    sum(if x[i] > 1.5 { halved(x[i]) } else { sin(x[i])*x[i] } for i)
}
check halved_if_large[N = 40] { x in [0.5, 1.7]; }

fn polynomials[M](c: f64[M], d: f64[M], x: f64) -> f64 {
    var p = 0.5;
    var q = x;
    for j in 0..M {
        p = p*x + c[j];
        q = q*x - d[j]*p;
    }
    p*q
}
fn values_of_polynomials[N, M](c: f64[M], d: f64[M], x: f64[N]) -> f64 {
    sum(polynomials(c, d, x[i]) for i)
}
check values_of_polynomials[N = 40, M = 40] { c in [0.5, 1.5]; d in [0.5, 1.5]; x in [0.5, 0.9]; }

// Bounds settle whether the base of the power is 0.
fn power_of_length(x: f64, y: f64) -> f64 { pow(sqrt(x*x + 1), y) }
check power_of_length { x in [0.5, 1.5]; y in [0.5, 1.5]; }

// A step adds to the cotangent of x twice.
fn mirrored[N](x: f64[N], y: f64[N]) -> f64[N] { [x[i]*y[N - 1 - i] for i in 0..N] }
fn mirrored_steps[N](x: f64[N], y: f64[N]) -> f64 {
    var z = y;
    for step in 0..3 { z = mirrored(x, z + mirrored(x, z)); }
    sum(z)
}
check mirrored_steps[N = 8] { x in [0.5, 0.9]; y in [0.5, 1.5]; }

// Rows are taken several at a time, and the gradient is added to element by element.
fn regression[N, K](x: f64[N, K], y: f64[N], w: f64[K]) -> f64 {
    sum({
        let z = sum(x[n, k]*sin(w[k]) for k);
        log1p(exp(z)) - y[n]*z
    } for n)
}
check regression[N = 97, K = 17] { x in [-0.5, 0.5]; y in [0.1, 0.9]; w in [0.1, 0.9]; wrt w; }

// What several numbers are divided by has one reciprocal.
#[fp(fast)]
fn scaled[N](x: f64[N], t: f64) -> f64 {
    let s = sqrt(1 + t^2);
    sum(sin(x[i]/s) for i) + x[0]/s
}
check scaled[N = 40] { x in [-0.5, 0.5]; t in [0.1, 0.9]; }

// What a step gives to p is made of several sums.
fn causal[N, D](p: f64[N], v: f64[N, D]) -> f64 {
    sum({
        let o = [sum(p[j]^2*v[j, d] for j in 0..i + 1) for d in 0..D];
        sum(sin(o[d]) for d)
    } for i in 0..N)
}
check causal[N = 20, D = 4] { p in [0.5, 1.5]; v in [0.1, 0.3]; }

// Indices are data: of parameters, of a small array, of what is added to.
fn grouped[N, G](x: f64[N], u: f64[G], g: i64[N]) -> f64 {
    var n = 0;
    var total = 0.0;
    for i in 0..N {
        let e = [x[i], x[i]*u[0], sin(x[i])];
        if e[1] > 0.2 { n += 1; }
        total += exp(u[g[i]])*e[mod(g[i], 3)];
    }
    total/f64(n + 1)
}
check grouped[N = 70, G = 5] { x in [0.5, 1.5]; u in [0.1, 0.3]; g ~ int(0, 4); }

// What a recurrence does not wait for leaves its loop, and so does what it is made of.
fn volatility[N](r: f64[N], a: f64, b: f64) -> f64 {
    var h = 1.0;
    var l = 0.0;
    for t in 0..N {
        l += log(h) + r[t]^2/h;
        h = 0.1 + a*sin(r[t])^2 + b*h;
    }
    l
}
check volatility[N = 40] { r in [0.5, 1.5]; a in [0.1, 0.3]; b in [0.5, 0.8]; }

// A state goes through a matrix and a function in each step.
fn network[T, N](w: f64[N, N], h0: f64[N]) -> f64 {
    var h = h0;
    for t in 0..T { h = [tanh(sum(w[i, j]*h[j] for j)) for i in 0..N]; }
    sum(h^2)
}
check network[T = 3, N = 18] { w in [-0.2, 0.2]; h0 in [0.1, 0.9]; }

// Taps that are written out, inside of a grid and over its border, and a filter with a loop of its own.
fn convolved[N](x: f64[N, N], k: f64[3, 3]) -> f64 {
    let y = [
        sum(k[a, b]*x[i + a, j + b] for a in 0..3, b in 0..3)
        for i in 0..N - 2, j in 0..N - 2
    ];
    sum(sin(y[i, j]) for i, j)
}
check convolved[N = 12] { x in [-0.5, 0.5]; k in [0.1, 0.9]; }

fn blurred[N](x: f64[N, N], k: f64[3, 3]) -> f64 {
    let y = [
        sum(
            if i + a >= 1 && i + a - 1 < N && j + b >= 1 && j + b - 1 < N {
                k[a, b]*x[i + a - 1, j + b - 1]
            } else {
                0
            }
            for a in 0..3, b in 0..3
        )
        for i in 0..N, j in 0..N
    ];
    sum(sin(y[i, j]) for i, j)
}
check blurred[N = 12] { x in [-0.5, 0.5]; k in [0.1, 0.9]; }

fn filtered[N, K](x: f64[N], h: f64[K]) -> f64 {
    let y = [sum(if i >= k { h[k]*x[i - k] } else { 0 } for k in 0..K) for i in 0..N];
    sum(sin(y[i]) for i)
}
check filtered[N = 40, K = 20] { x in [-0.5, 0.5]; h in [0.1, 0.9]; }

// Each point's distance goes through a matrix, and the logarithm of a sum over the components is added up.
#[fp(fast)]
fn mixture[N, K](x: f64[N, 4], mu: f64[K, 4], q: f64[4, 4]) -> f64 {
    sum({
        let d = [[x[n, i] - mu[k, i] for i in 0..4] for k in 0..K];
        let y = [[sum(q[i, j]*d[k, j] for j in 0..i + 1) for i in 0..4] for k in 0..K];
        log(sum(exp(-sum(y[k, i]^2 for i in 0..4)) for k))
    } for n in 0..N)
}
check mixture[N = 96, K = 24] { x in [0.1, 0.9]; mu in [0.1, 0.9]; q in [0.5, 1.5]; }
