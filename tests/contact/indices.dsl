// Integers that index, tables, graphs.

fn embedding[V, D, T](E: f64[V, D], tokens: i64[T]) -> f64 {
    sum(E[tokens[t], d]^2 for t in 0..T, d in 0..D)
}

fn cross_entropy[N, C](logits: f64[N, C], label: i64[N]) -> f64 {
    sum(logsumexp(logits[i]) - logits[i, label[i]] for i in 0..N)/f64(N)
}

fn spring_network[P, E](x: f64[P], from: i64[E], to: i64[E], rest: f64[E]) -> f64 {
    sum((abs(x[to[e]] - x[from[e]]) - rest[e])^2 for e in 0..E)
}

fn lookup[N](table: f64[N], i: i64) -> f64 { sin(table[i])*table[i + 1] }

fn one_based[N](x: f64[N], k: i64) -> f64 { x[k - 1]^2 }

// Piecewise linear interpolation in sorted knots.
fn interpolate[N](knots: f64[N], values: f64[N], x: f64) -> f64 {
    assert all(knots[i] < knots[i + 1] for i in 0..N - 1), "knots increase";
    var y = values[0];
    for i in 0..N - 1 {
        if x >= knots[i] {
            let t = (x - knots[i])/(knots[i + 1] - knots[i]);
            y = values[i] + t*(values[i + 1] - values[i]);
        }
    }
    y
}

fn trapezoid_log[N](x: f64[N], y: f64[N]) -> f64 {
    sum(log(x[i + 1] - x[i]) + 0.5*(y[i] + y[i + 1]) for i in 0..N - 1)
}

fn simpson(a: f64, b: f64, n: i64) -> f64 {
    assert n > 0 && mod(n, 2) == 0, "an even number of intervals";
    let h = (b - a)/f64(n);
    let ends = exp(-a^2) + exp(-b^2);
    let inner = sum(f64(2 + 2*mod(k, 2))*exp(-(a + f64(k)*h)^2) for k in 1..n);
    h/3*(ends + inner)
}

fn csr_row_sums[R, Z](start: i64[R + 1], val: f64[Z]) -> f64 {
    sum(sum(val[j]^2 for j in start[i]..start[i + 1]) for i in 0..R)
}

fn cayley[N](A: f64[N, N]) -> f64 { logdet(eye(N) - A) + trace(A) }

fn whitening[N, K](C: f64[K, N, N], x: f64[K, N]) -> f64 {
    sum({
        let L = cholesky(C[k]);
        sum(solve(L, x[k]))
    } for k in 0..K)
}

fn markov[N](P: f64[N, N], pi: f64[N]) -> f64 {
    sum(pi[i]*P[i, j]*log(P[i, j]) for i in 0..N, j in 0..N)
}

fn legendre_norm(n: i64, x: f64) -> f64 {
    assert n >= 2, "start of the recursion";
    var a = 1.0;
    var b = x;
    for k in 2..n + 1 {
        let c = (f64(2*k - 1)*x*b - f64(k - 1)*a)/f64(k);
        a = b;
        b = c;
    }
    sqrt(1 - x^2)*b
}

fn cooley_tukey_steps(n: i64, x: f64) -> f64 {
    assert n > 0, "length";
    var m = n;
    var y = x;
    while m > 1 {
        assert mod(m, 2) == 0, "a power of two";
        m = div(m, 2);
        y = y*x;
    }
    sqrt(y)
}

// The upper half plane of complex numbers.
fn eisenstein(tau: c128) -> c128 {
    assert im(tau) > 0, "upper half plane";
    sum(cis(2*PI*f64(k)*re(tau))*exp(-2*PI*f64(k)*im(tau)) for k in 1..6)
}

fn blaschke(z: c128, a: c128) -> f64 {
    assert abs(a) < 1 && abs(z) < 1, "inside of the disk";
    log(1 - abs2((z - a)/(1 - conj(a)*z)))
}
