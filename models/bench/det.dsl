// GradBench det: the determinant by expansion along the first row, n! terms on purpose.

fn minor[L](A: f64[L, L], j: i64) -> f64[L - 1, L - 1] {
    [A[r + 1, if c < j { c } else { c + 1 }] for r in 0..L - 1, c in 0..L - 1]
}

fn laplace[L](A: f64[L, L]) -> f64 {
    if L == 1 {
        A[0, 0]
    } else {
        sum((1 - 2*f64(mod(j, 2)))*A[0, j]*laplace(minor(A, j)) for j in 0..L)
    }
}

check laplace[L = 3] { A ~ normal(0, 1); }
check laplace[L = 4] { A ~ normal(0, 1); modes fast, forward; points 4; }
bench laplace[L = 5] { A = load("data/det_5_A.npy"); modes primal, vjp; max_ratio 5; }
