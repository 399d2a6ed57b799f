// Potential of a cloud of charges far away: multipoles to order 11 by the recursion of solid Legendre polynomials.

/// Multipole series and exact sum at p.
fn potential[N](q: f64[N], x: f64[N, 3], p: f64[3]) -> (series: f64, exact: f64) {
    let r = norm(p);
    let e = p/r;
    var total = 0;
    for i in 0..N {
        let c = dot(x[i], e);
        let s2 = dot(x[i], x[i]);
        var a = 0.0;
        var b = 1.0; // |x|^l P_l(cos)
        var weight = 1/r;
        for l in 0..12 {
            total += q[i]*b*weight;
            let next = (f64(2*l + 1)*c*b - f64(l)*s2*a)/f64(l + 1);
            a = b;
            b = next;
            weight /= r;
        }
    }
    (total, sum(q[i]/norm(p - x[i]) for i))
}

check potential[N = 5] { q ~ normal(0, 1); x in [-0.5, 0.5]; p ~ near([2.0, 1.0, -2.0], 0.5); }
