// Loops.

// L1: no turn at all.
fn none(x: f64, n: i64) -> f64 {
    var y = x*x;
    for i in 0..n { y = sin(y); }
    while y > 100 { y = y/2; }
    y
}
fn none1(x: f64, n: i64) -> f64 { grad(none)(x, n) }
//= none1(3, 0) = 6
//= none1(3, -2) = 6
//= none1(11, 0) = 11

// L2: as many turns as a number says, or as convergence takes.
fn power(x: f64, n: i64) -> f64 {
    var p = 1.0;
    for i in 0..n { p = p*x; }
    p
}
fn power1(x: f64, n: i64) -> f64 { grad(power)(x, n) }
fn heron(a: f64) -> f64 {
    var x = a;
    var d = 1.0;
    while abs(d) > 1e-12 {
        d = 0.5*(a/x - x);
        x += d;
    }
    x
}
fn heron1(a: f64) -> f64 { grad(heron)(a) }
fn heron2(a: f64) -> f64 { grad(heron1)(a) }
//= power1(2, 10) = 5120
//= power1(0, 3) = 0
//= heron1(4) = 0.25 ~ 1e-10
//= heron2(4) = -0.03125 ~ 1e-9

// L3: carries that nobody uses, that do not change, that change places.
fn carries(x: f64, y: f64) -> f64 {
    var a = x;
    var b = y;
    var idle = x;
    var unused = 1.0;
    for i in 0..3 {
        let t = a;
        a = b;
        b = t;
        unused = unused*x + a;
    }
    a*a*idle + b
}
fn carries1(x: f64, y: f64) -> (f64, f64) { grad(carries)(x, y) }
//= carries1(2, 3) = 10; 12

// L4: nonlinear only in the last turn.
fn last(x: f64, n: i64) -> f64 {
    var s = x;
    for i in 0..n { s = if i == n - 1 { exp(s) } else { s + 1 }; }
    s
}
fn last1(x: f64, n: i64) -> f64 { grad(last)(x, n) }
//= last1(-2, 3) = 1

// L5: what does not change in a loop.
fn invariant(x: f64, n: i64) -> f64 {
    var s = 0.0;
    for i in 0..n { s = s*0.5 + exp(x)*exp(x); }
    s
}
fn invariant1(x: f64, n: i64) -> f64 { grad(invariant)(x, n) }
//= invariant1(0, 2) = 3

// L6: left in the middle.
fn stopped(u: f64) -> f64 {
    var s = 0.0;
    var i = 0;
    var go = true;
    while go && i < 5 {
        s += f64(i)*u;
        if i == 1 { go = false; }
        i += 1;
    }
    s
}
fn stopped1(u: f64) -> f64 { grad(stopped)(u) }
//= stopped1(3) = 1

// L7: a loop of one turn around it changes nothing.
fn plain(x: f64) -> f64 { sin(x)*x }
fn wrapped(x: f64) -> f64 {
    var y = 0.0;
    for i in 0..1 { y = sin(x)*x; }
    y
}
fn difference(x: f64) -> f64 { grad(plain)(x) - grad(wrapped)(x) }
//= difference(0.7) = 0
//= difference(-123.456) = 0

// L8: a while in a for in a comprehension.
fn deep[N](x: f64[N]) -> f64 {
    let y = [{
        var s = x[i];
        for k in 0..2 {
            var t = s;
            while t > 1 { t = t/2; }
            s = s + t*t;
        }
        s
    } for i];
    sum(y)
}
fn deep1(x: f64[2]) -> f64[2] { grad(deep)(x) }
//= deep([3, 0.5]) = 5.668212890625
//= deep1([3, 0.5]) = [1.9873046875, 5]

// L9: many turns (the long run under a small limit has a test of its own).
fn recurrence(x: f64, n: i64) -> f64 {
    var s = x;
    for i in 0..n { s = s*0.999 + 0.001*sin(s); }
    s
}
fn recurrence_sqrt(x: f64, n: i64) -> f64 {
    var s = x;
    #[checkpoint(sqrt)]
    for i in 0..n { s = s*0.999 + 0.001*sin(s); }
    s
}
fn saved(x: f64, n: i64) -> f64 { grad(recurrence)(x, n) - grad(recurrence_sqrt)(x, n) }
//= saved(1, 1000) = 0
//= saved(1, 7) = 0

// L10: a sweep in place.
fn sweep[N](u: f64[N], n: i64) -> f64 {
    var v = u;
    for k in 0..n { for i in 1..N - 1 { v[i] = 0.5*(v[i - 1] + v[i + 1]); } }
    sum(v[i]^2 for i)
}
fn sweep1(u: f64[4], n: i64) -> f64[4] { grad(sweep)(u, n) }
//= sweep1([4, 0, 0, 8], 1) = [12.5, 0, 4.5, 21]

// L11: recursion over a dimension.
fn laplace[N](A: f64[N, N]) -> f64 {
    if N == 1 {
        A[0, 0]
    } else {
        sum({
            let M = [A[r + 1, if c < j { c } else { c + 1 }] for r in 0..N - 1, c in 0..N - 1];
            (1 - 2*f64(mod(j, 2)))*A[0, j]*laplace[N - 1](M)
        } for j in 0..N)
    }
}
fn laplace1(A: f64[3, 3]) -> f64[3, 3] { grad(laplace)(A) }
//= laplace1([[2, 0, 1], [1, 3, 2], [1, 1, 4]]) = [[10, -2, -2], [1, 7, -2], [-3, -3, 6]]

// L12: one function, other arguments active in every turn.
fn weighted(a: f64, b: f64) -> f64 { a*a*b }
fn chained(x: f64, y: f64) -> f64 {
    var s = 1.0;
    for i in 0..2 { s = weighted(s, x) + weighted(y, 2); }
    s
}
fn chained1(x: f64, y: f64) -> (f64, f64) { grad(chained)(x, y) }
//= chained(2, 1) = 34
//= chained1(2, 1) = 32; 68

// L13: other values needed in other turns.
fn mixed(x: f64, n: i64) -> f64 {
    var s = x;
    for i in 0..n {
        if mod(i, 3) == 0 {
            s = exp(-s);
        } else if mod(i, 3) == 1 {
            s = s*s + x;
        } else {
            s = s/(1 + x);
        }
    }
    s
}
fn mixed1(x: f64, n: i64) -> f64 { grad(mixed)(x, n) }
fn mixed_difference(x: f64, n: i64) -> f64 {
    (mixed(x + 1e-6, n) - mixed(x - 1e-6, n))/2e-6 - mixed1(x, n)
}
//= mixed_difference(0.5, 1) = 0 ~ 1e-8
//= mixed_difference(0.5, 7) = 0 ~ 1e-8

// L14: what does not end is an error.
fn endless(x: f64) -> f64 {
    var s = x;
    while s == s { s = s + 0*s; }
    s
}
fn endless1(x: f64) -> f64 { grad(endless)(x) }
//= endless(1) = error ADC0511
//= endless1(1) = error ADC0511

// A gradient fails only where the value does: a sum over an empty range reads nothing, wherever that would be.
fn shifted(x: f64[3], a: i64) -> f64 { sum(x[n]*x[n - a] for n in a..3) }
fn shifted1(x: f64[3], a: i64) -> f64[3] { grad(shifted, wrt = x)(x, a) }
//= shifted1([1, 2, 3], 1) = [2, 4, 2]
//= shifted1([1, 2, 3], 4) = [0, 0, 0]
fn part(x: f64[2, 3], k: i64, a: i64, b: i64) -> f64 { sum(x[k, i]^2 for i in a..b) }
fn part1(x: f64[2, 3], k: i64, a: i64, b: i64) -> f64[2, 3] { grad(part, wrt = x)(x, k, a, b) }
//= part1([[1, 2, 3], [4, 5, 6]], 1, 1, 3) = [[0, 0, 0], [0, 10, 12]]
//= part1([[1, 2, 3], [4, 5, 6]], 7, 9, 4) = [[0, 0, 0], [0, 0, 0]]

// States of 40 that are read while the next ones are made: one that moves on to another, one that a loop inside leaves where it likes.
fn two_back(x: f64, s: i64) -> f64 {
    var a = [sin(x*f64(i + 1)) for i in 0..40];
    var b = [cos(x*f64(i)) for i in 0..40];
    var c = a;
    for t in 0..s {
        let next = [a[39 - i]*0.5 + b[i]*cos(c[mod(i + 3, 40)]) for i in 0..40];
        c = b;
        b = a;
        a = next;
    }
    sum(a[i] + b[i]*c[i] for i in 0..40)
}
fn two_back1(x: f64, s: i64) -> f64 { grad(two_back)(x, s) }
//= two_back(0.3, 2) = -7.654590968924224
//= two_back1(0.3, 2) = -120.83876334049354
//= two_back(0.3, 5) = -13.624800470384383
//= two_back1(0.3, 5) = 208.8005159436788
fn sweeps(x: f64, s: i64) -> f64 {
    var u = [sin(x*f64(i + 1)) for i in 0..40];
    for t in 0..s {
        for k in 0..3 {
            u = [
                if i == 0 {
                    0.9*u[0]
                } else if i == 39 {
                    sin(u[i])
                } else {
                    0.4*(u[i - 1] + u[i + 1]) + 0.2*u[i]
                }
                for i in 0..40
            ];
        }
        u[5] = u[6]*x;
    }
    sum(u[i]^2 for i in 0..40)
}
fn sweeps1(x: f64, s: i64) -> f64 { grad(sweeps)(x, s) }
//= sweeps(0.3, 1) = 16.011248418083987
//= sweeps1(0.3, 1) = -46.865328399166955
//= sweeps(0.3, 2) = 12.146279854267224
//= sweeps1(0.3, 2) = -39.51858271048072
