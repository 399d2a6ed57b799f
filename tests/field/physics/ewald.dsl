// Coulomb energy of charges in a periodic unit cube by Ewald's sum. It hardly depends on the splitting parameter alpha.

fn short_range[N](q: f64[N], x: f64[N, 3], alpha: f64) -> f64 {
    0.5
        * sum(
            (
                if i == j && a == 0 && b == 0 && c == 0 {
                    0.0
                } else {
                    let r = norm(x[i] - x[j] + [f64(a), f64(b), f64(c)]);
                    q[i]*q[j]*erfc(alpha*r)/r
                }
            )
            for i in 0..N, j in 0..N, a in -1..2, b in -1..2, c in -1..2
        )
}

fn long_range[N](q: f64[N], x: f64[N, 3], alpha: f64) -> f64 {
    2
        * PI
        * sum(
            (
                if a == 0 && b == 0 && c == 0 {
                    0.0
                } else {
                    let k = 2*PI*[f64(a), f64(b), f64(c)];
                    let k2 = dot(k, k);
                    let s = sum(q[i]*cis(dot(k, x[i])) for i);
                    exp(-k2/(4*alpha^2))/k2*abs2(s)
                }
            )
            for a in -4..5, b in -4..5, c in -4..5
        )
}

fn energy[N](q: f64[N], x: f64[N, 3], alpha: f64 in [2, 6]) -> f64 {
    short_range(q, x, alpha) + long_range(q, x, alpha) - alpha/sqrt(PI)*sum(q^2)
}

check energy[N = 4] { q = [1.0, -1.0, 1.0, -1.0]; x in [0, 1]; alpha in [3, 4]; }
