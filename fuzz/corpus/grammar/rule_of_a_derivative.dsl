fn core(x: f64, y: f64[3]) -> f64 { sin(x)*sum(y^2) }
fn h(x: f64, y: f64[3]) -> f64 { core(x, y) }
rule vjp h(x, y; g) { vjp(core)(x, y; g) }
fn k(x: f64, y: f64[3]) -> f64 { core(x, y) }
rule jvp k(x, y; dx, dy) { jvp(core)(x, y; dx, dy) }
fn f(x: f64, y: f64[3]) -> f64 { h(x, y) + k(x, y) }
