// Activation functions and their derivatives.

/// Smooth maximum of 0 and x with sharpness beta.
fn soft(x: f64, beta: f64 in (0, INF)) -> f64 { softplus(beta*x)/beta }

/// x times the probability that a standard normal variable is below x.
fn gelu(x: f64) -> f64 { 0.5*x*erfc(-x/sqrt(2)) }

/// The usual approximation of gelu.
fn gelu_tanh(x: f64) -> f64 { 0.5*x*(1 + tanh(sqrt(2/PI)*(x + 0.044715*x^3))) }

/// x sigmoid(x).
fn swish(x: f64) -> f64 { x*sigmoid(x) }

check soft { x in [0.5, 1.5]; beta in [0.5, 1.5]; modes slow, fast, forward; }
check gelu { x in [-0.5, 1]; modes slow, fast, forward, gradgrad; }
check gelu_tanh { x in [-0.5, 1]; modes slow, fast, forward, gradgrad; }
check swish { x in [-1, 1.5]; modes slow, fast, forward, gradgrad; }
