// Rules that give a right first derivative and a wrong second one.

//# growth: dropped_term
fn grown(x: f64) -> f64 { exp(2*x) }
rule jvp grown(x; dx) { 2*stop_gradient(out)*dx } // <-
check grown { x in [-1, 1]; points 3; }

//# growth_called: dropped_term
fn grown(x: f64) -> f64 { exp(2*x) }
rule vjp grown(x; g) { 2*stop_gradient(out)*g } // <-
fn yeast(x: f64, y: f64) -> f64 { grown(sin(x)*y)*y + cos(y) }
check yeast { x in [0.5, 1]; y in [0.5, 1]; points 3; }

//# still_by_parameter: dropped_term
fn rate(#[nodiff] now: f64) -> f64 { 2*now }
fn grown(x: f64) -> f64 { exp(2*x) }
rule vjp grown(x; g) { rate(out)*g } // <-
fn yeast(x: f64, y: f64) -> f64 { grown(sin(x)*y)*y }
check yeast { x in [0.5, 1]; y in [0.5, 1]; points 3; }

//# still_in_a_function: *
fn rate(now: f64) -> f64 { 2*stop_gradient(now) }
fn grown(x: f64) -> f64 { exp(2*x) }
rule vjp grown(x; g) { rate(out)*g } // <-
fn yeast(x: f64, y: f64) -> f64 { grown(sin(x)*y)*y }
check yeast { x in [0.5, 1]; y in [0.5, 1]; points 3; }

//# intensity_held: *
fn intensity(z: c128) -> f64 { abs2(z) }
rule vjp intensity(z; g) { 2*g*stop_gradient(z) } // <-
fn gain(z: c128) -> f64 { log1p(intensity(z*z)) }
check gain { z ~ near(0.5 + 0.5i, 0.3); points 3; }

//# partial_held: *
fn lens(r: f64, n: f64) -> f64 { r^2*n }
rule partial lens(r, n) { d r: 2*r*stop_gradient(n); d n: r^2; } // <-
fn optics(r: f64, n: f64) -> f64 { lens(r, n)*lens(n, r) }
check optics { r in [1, 2]; n in [1, 2]; points 3; }

//# form_held: *
fn form(A: f64[3, 3], x: f64[3]) -> f64 { dot(x, A @ x) }
rule vjp form(A, x; g) {
    let B = stop_gradient(A); // <-
    (g*[x[i]*x[j] for i in 0..3, j in 0..3], g*(B @ x + B' @ x))
}
fn potential(A: f64[3, 3], x: f64[3]) -> f64 { form(A, 0.5*x) }
check potential { A ~ normal(0, 1); x ~ normal(0, 1); points 3; }

//# loop_held: dropped_term
fn logistic(x: f64) -> f64 { 1/(1 + exp(-x)) }
rule vjp logistic(x; g) { g*out*(1 - stop_gradient(out)) } // <-
fn chain(x0: f64, a: f64) -> f64 {
    var x = x0;
    for k in 0..6 { x = a*logistic(x); }
    x
}
check chain { x0 in [0.5, 1]; a in [2, 3]; points 3; }

//# inner_rule: factor
fn slope(x: f64) -> f64 { 2*exp(2*x) }
rule vjp slope(x; g) { 2*g*exp(2*x) } // <-
fn grown(x: f64) -> f64 { exp(2*x) }
rule jvp grown(x; dx) { slope(x)*dx }
fn yeast(x: f64, y: f64) -> f64 { grown(x*y) }
check yeast { x in [0.5, 1]; y in [0.5, 1]; points 3; }

//# in_the_model: *
fn grown(x: f64) -> f64 { exp(2*x) }
rule vjp grown(x; g) { 2*g*stop_gradient(out) } // <-
fn force(x: f64, y: f64) -> f64 { grad(grown)(x*y)*y }
check force { x in [0.5, 1]; y in [0.5, 1]; points 3; }
