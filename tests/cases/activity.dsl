// What carries a derivative and what does not.

// A2: an index made a number contributes nothing.
fn numbered(x: f64, n: i64) -> f64 { sum(f64(i)*x for i in 0..n) }
fn numbered1(x: f64, n: i64) -> f64 { grad(numbered)(x, n) }
//= numbered1(3, 4) = 6

// A3: an input nobody uses.
fn unused[N](x: f64[N], y: f64) -> f64 { y*y }
fn unused1(x: f64[2], y: f64) -> (f64[2], f64) { grad(unused)(x, y) }
//= unused1([1, 2], 3) = [0, 0]; 6

// A4: results that are not used.
fn two[N](x: f64[N]) -> (f64, f64[N]) { (prod(x), [x[i]^2 for i]) }
fn second[N](x: f64[N]) -> f64 {
    let (p, q) = two(x);
    sum(q)
}
fn second1(x: f64[2]) -> f64[2] { grad(second)(x) }
fn pulled(x: f64[2]) -> f64[2] { vjp(two)(x; 0, [1, 0]) }
//= second1([0, 3]) = [0, 6]
//= pulled([5, 3]) = [10, 0]

// A5: results that are inputs, constants, or twice the same.
fn trivial(x: f64) -> (f64, f64, f64, f64) {
    let y = x*x;
    (x, 3, y, y)
}
fn trivial1(x: f64) -> f64 { vjp(trivial)(x; 1, 10, 100, 1000) }
fn pushed(x: f64) -> (f64, f64, f64, f64) { jvp(trivial)(x; 1) }
//= trivial1(2) = 4401
//= pushed(2) = 1; 0; 4; 4

// A6, A12
fn score(x: f64) -> f64 { x*stop_gradient(x) }
fn score1(x: f64) -> f64 { grad(score)(x) }
//= score1(3) = 3

// A8: a constant put into an array that carries derivatives.
fn mixed(x: f64) -> f64 {
    var a = [x, x*x];
    a[0] = 2.0;
    a[0]*a[1]
}
fn mixed1(x: f64) -> f64 { grad(mixed)(x) }
//= mixed1(3) = 12

// A9: tuples.
fn parts(x: f64[2]) -> (a: f64, b: f64[2]) { (x[0]*x[1], [x[1], x[0]]) }
fn whole(x: f64[2]) -> f64 {
    let (a, b) = parts(x);
    a*b[0]
}
fn whole1(x: f64[2]) -> f64[2] { grad(whole)(x) }
//= whole1([2, 3]) = [9, 12]

// A10: some of the arguments give what all of them give.
fn three(a: f64, b: f64[2], c: f64) -> f64 { a*b[0]*c + b[1] }
fn some(a: f64, b: f64[2], c: f64) -> f64 {
    let (x, y, z) = grad(three)(a, b, c);
    z - grad(three, wrt = c)(a, b, c)
}
//= some(2, [3, 4], 5) = 0

// An input that is taken out.
fn frozen(x: f64, #[nodiff] y: f64) -> f64 { x*y }
fn frozen1(x: f64, y: f64) -> f64 { grad(frozen)(x, y) }
//= frozen1(2, 5) = 5
