// Programs whose derivative is meant to differ from that of their value.

/// A score-function estimator: the derivative is that of x alone, with the weight held still.
fn weighted(x: f64, w: f64) -> f64 { x^2*stop_gradient(exp(w*x)) }

/// The identity with a clipped gradient: trusted, because it is not the derivative of its value.
fn clip_gradient(x: f64) -> f64 { x }
#[check(trust)]
rule vjp clip_gradient(x; g) { 0.5*g }

/// Everything around the trusted rule is still checked.
fn regularised(x: f64, y: f64) -> f64 { sin(clip_gradient(x*y)) + x^2 }

check weighted { x in [0.5, 1.5]; w in [0.2, 1]; modes slow, fast, forward; }
check regularised { x in [0.6, 1]; y in [0.5, 1]; modes slow, fast, forward; }
