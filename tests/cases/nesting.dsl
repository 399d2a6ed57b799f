// Derivatives of derivatives.

// N1, N2: no perturbation confusion.
fn inner_sum(x: f64, y: f64) -> f64 { x + y }
fn outer_sum(x: f64) -> f64 { x*grad(inner_sum, wrt = y)(x, 2.0) }
fn confused1(x: f64) -> f64 { grad(outer_sum)(x) }
fn inner_product(x: f64, y: f64) -> f64 { x*y }
fn outer_product(x: f64) -> f64 { x*grad(inner_product, wrt = y)(x, 1.0) }
fn outer_forward(x: f64) -> f64 { x*jvp(inner_product, wrt = y)(x, 1.0; 1) }
fn confused2(x: f64) -> (f64, f64, f64, f64) {
    (
        grad(outer_product)(x),
        jvp(outer_product)(x; 1),
        grad(outer_forward)(x),
        jvp(outer_forward)(x; 1),
    )
}
//= confused1(1) = 1
//= confused2(4) = 8; 8; 8; 8

// N3
fn cube(m: f64) -> f64 { (m*m)*m }
fn cube2(x: f64) -> f64 { grad(grad(cube))(x) }
fn sine_cube(x: f64) -> f64 { sin(x)^3 }
fn sine_cube2(x: f64) -> f64 { jvp(grad(sine_cube))(x; 1) }
//= cube2(0.7) = 4.2
//= sine_cube2(0.7) = 1.459057809531698

// N4: third derivatives.
fn ratio(x: f64) -> f64 { exp(x)/sqrt(sin(x)^3 + cos(x)^3) }
fn ratio1(x: f64) -> f64 { jvp(ratio)(x; 1) }
fn ratio2(x: f64) -> f64 { jvp(ratio1)(x; 1) }
fn ratio3(x: f64) -> f64 { jvp(ratio2)(x; 1) }
fn ratio3_reverse(x: f64) -> f64 { grad(grad(grad(ratio)))(x) }
//= ratio(1.5) = 4.497780053946162
//= ratio1(1.5) = 4.053427893898621
//= ratio2(1.5) = 9.463073681596605
//= ratio3(1.5) = 32.16790451368894 ~ 1e-11
//= ratio3_reverse(1.5) = 32.16790451368894 ~ 1e-11

// N5: a Hessian, its products and its diagonal.
fn bowl[N](x: f64[N]) -> f64 { sum(exp(x[i])*x[mod(i + 1, N)]^2 for i) }
fn gap(x: f64[3], v: f64[3]) -> f64 {
    let H = hessian(bowl)(x);
    let d = hess_diag(bowl)(x);
    norm(H @ v - hvp(bowl)(x; v)) + norm(H - H') + sum(abs(H[i, i] - d[i]) for i)
}
//= gap([0.3, -0.5, 0.9], [1, 2, 3]) = 0 ~ 1e-13

// N6: reverse over reverse is forward over reverse.
fn mixture[K](a: f64[K], x: f64) -> f64 { logsumexp([a[k] - 0.5*(x - f64(k))^2 for k]) }
fn slope[K](a: f64[K], x: f64) -> f64[K] { grad(mixture, wrt = a)(a, x) }
fn modes(a: f64[3], x: f64, v: f64[3]) -> f64 {
    norm(vjp(slope, wrt = a)(a, x; v) - jvp(slope, wrt = a)(a, x; v))
}
//= modes([0.1, -0.4, 0.7], 1.2, [1, -2, 0.5]) = 0 ~ 1e-14

// N7: through a minimisation by descent: the saddle x² − y², y chasing its best answer.
fn pay(x: f64, y: f64) -> f64 { x*y - 0.5*y^2 }
fn answer(x: f64) -> f64 {
    var y = 0.0;
    for k in 0..200 { y = y + 0.2*grad(pay, wrt = y)(x, y); }
    y
}
fn value(x: f64) -> f64 { pay(x, answer(x)) }
fn value1(x: f64) -> f64 { grad(value)(x) }
fn value2(x: f64) -> f64 { grad(value1)(x) }
//= value1(3) = 3 ~ 1e-12
//= value2(3) = 1 ~ 1e-12

// N8: the derivative of a function with a rule, inside one that is differentiated.
fn soft(x: f64) -> f64 { log1p(exp(x)) }
rule jvp soft(x; dx) { dx/(1 + exp(-x)) }
fn through(x: f64) -> f64 { x*grad(soft)(x) }
fn through1(x: f64) -> f64 { grad(through)(x) }
//= through1(0) = 0.5

// N9: a Laplacian.
fn field(p: f64[3]) -> f64 { p[0]^2*p[1] + sin(p[2])*p[0] }
fn laplacian(p: f64[3]) -> f64 { sum(hess_diag(field)(p)) }
//= laplacian([1, 2, 0]) = 4

// N10: derivatives by different arguments.
fn lagrangian(q: f64, v: f64) -> f64 { 0.5*v^2*(1 + q^2) - q^4 }
fn momentum(q: f64, v: f64) -> f64 { grad(lagrangian, wrt = v)(q, v) }
fn force(q: f64, v: f64) -> f64 {
    let mass = grad(momentum, wrt = v)(q, v);
    (grad(lagrangian, wrt = q)(q, v) - grad(momentum, wrt = q)(q, v)*v)/mass
}
fn force1(q: f64, v: f64) -> (f64, f64) { grad(force)(q, v) }
//= force(1, 2) = -4
//= force1(1, 2) = -4; -2
