// How far the closed loop A - b k is from wanted real poles, by the coefficients of the characteristic polynomials.

/// Coefficients of det(s - A), highest power first, after Faddeev and LeVerrier.
fn characteristic[N](A: f64[N, N]) -> f64[N + 1] {
    var c = zeros(N + 1);
    c[0] = 1;
    var M = eye(N);
    for k in 1..N + 1 {
        let AM = A @ M;
        c[k] = -trace(AM)/f64(k);
        M = AM + c[k]*eye(N);
    }
    c
}

/// Coefficients of the polynomial with the given roots.
fn expanded[N](roots: f64[N]) -> f64[N + 1] {
    var c = zeros(N + 1);
    c[0] = 1;
    for i in 0..N {
        for back in 0..i + 1 {
            let j = i + 1 - back;
            c[j] -= roots[i]*c[j - 1];
        }
    }
    c
}

fn misplacement[N](A: f64[N, N], b: f64[N], k: f64[N], poles: f64[N]) -> f64 {
    sum((characteristic(A - outer(b, k)) - expanded(poles))^2)
}

check misplacement[N = 4] {
    A ~ normal(0, 1); b ~ normal(0, 1); k ~ normal(0, 1); poles in [-4, -0.5];
}
