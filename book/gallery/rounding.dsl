// A derivative that is right in mathematics and loses its digits: where tanh(x) is near 1, 1 - tanh(x)^2 is what rounding leaves.
fn th(x: f64) -> f64 { tanh(x) }
rule partial th(x) { d x: 1 - out^2; }
check th { x = 10.0; }

// The same derivative without the difference.
fn th_by_cosh(x: f64) -> f64 { tanh(x) }
rule partial th_by_cosh(x) { d x: 1/cosh(x)^2; }
check th_by_cosh { x = 10.0; }
