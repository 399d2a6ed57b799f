// GradBench hello: the square, and its derivative taken inside the model.

fn square(x: f64) -> f64 { x*x }
fn double(x: f64) -> f64 { grad(square)(x) }

check square { x in [-2, 2]; }
check double { x in [-2, 2]; }
bench double { x = 3.0; modes primal, vjp; }
