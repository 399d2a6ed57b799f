// Arrays: dimensions, comprehensions, reductions, slices, updates.

fn conv[N, K](x: f64[N], w: f64[K]) -> f64[N - K + 1] {
    [sum(w[k]*x[i + k] for k) for i in 0..N - K + 1]
}

fn pairwise[N, D](X: f64[N, D]) -> f64[N, N] {
    [sqrt(sum((X[i, d] - X[j, d])^2 for d) + 1e-9) for i in 0..N, j in 0..N]
}

fn softmax_rows[N, M](A: f64[N, M]) -> f64[N, M] {
    let m = [max(A[i, j] for j) for i];
    let e = [exp(A[i, j] - m[i]) for i, j];
    let s = [sum(e[i, j] for j) for i];
    [e[i, j]/s[i] for i, j]
}

fn triangular[N](A: f64[N, N]) -> f64 {
    sum(A[i, j] for i in 0..N, j in 0..i + 1) + prod(A[i, i] for i) - mean(A[0, j] for j)
}

fn even_sum[N](x: f64[N]) -> f64 { sum(x[i] for i in 0..N step 2) }

fn choose[N](x: f64[N], k: i64) -> (best: i64, f64, bool) {
    let b = argmax(x[i] for i);
    (b, x[b] + min(x[i] for i) + x[mod(k, N)], any(x[i] > 0 for i) && all(x[i] < 9 for i))
}

fn slices[N, M](x: f64[2*N + 1], A: f64[M, M], k: i64) -> f64 {
    let head = x[:N];
    let tail = x[N + 1:];
    let column = A[:, 0];
    let row = A[0];
    let block = A[0:2, 1:];
    sum(head) + dot(head, tail) + sum(column) + sum(row) + sum(block) + sum(slice(x, k, 3)) + sum(x[:])
}

fn updates[N](x: f64[N]) -> f64[N] {
    var y = zeros(N);
    var z: f64[N] = x;
    for i in 1..N {
        y[i] = x[i - 1];
        y[i] += 0.5*y[i - 1];
        z[0] -= x[i];
    }
    y[0:2] = x[0:2];
    z *= 2;
    [y[i]*z[i] for i]
}

fn algebra[N, M](A: f64[M, N], b: f64[M], z: c128[N, N]) -> f64 {
    let x = solve(A' @ A + eye(N), A' @ b);
    let r = A @ x - b;
    let G = A' @ A + 2*ones(N, N) - fill(0.5, N, N);
    let v = [f64(iota(N)[i]) for i in 0..N];
    r @ r + trace(inv(G)) + logdet(G) + norm(v) + abs(det(z)) + sum(cholesky(G)[i, i] for i) + abs(trace(z' @ z))
}

fn shapes[N](x: f64[N, 2], idx: i64[N]) -> f64 {
    let y = reshape(x, 2, N);
    let c = concat(x, x, transpose(y));
    let s = stack(x, x);
    sum(c) + sum(s) + sum(flip(cumsum(x[:, 0]))) + sum(gather(x, idx)) + sum(diag([1.0, 2.0, 3.0]))
        + logsumexp(x[:, 1]) + sum(outer(x[:, 0], x[:, 1]))
}

const TABLE: f64[2, 3] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

fn table(i: i64 in [0, 1], x: f64) -> f64 { sum(TABLE[i, j]*x^j for j) }

check conv[N = 9, K = 3] { x ~ normal(0, 1); w in [-1, 1]; }
check slices[N = 3, M = 4] { k ~ int(0, 4); }
check updates[7] { x = load("x.npy"); }
check triangular[N = 4] { A ~ uniform(0.5, 1.5); modes slow, fast, gradgrad; }
check choose[N = 5] { outputs out.1; nodiff k; }
bench pairwise[N = 100, D = 3] { X ~ normal(0, 1); modes vjp; max_ratio 5; }
