fn loss(x: f64[3]) -> f64 { logsumexp(x) + 0.5*norm(x)^2 }

/// Value, and the Hessian along v.
fn along(x: f64[3], v: f64[3]) -> (value: f64, product: f64[3]) { (loss(x), hvp(loss)(x; v)) }
check loss {}
check along {}
