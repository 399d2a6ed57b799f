// Not differentiable at some points: what adc returns there lies between the slopes on both sides.
fn hinge(x: f64, y: f64) -> f64 { max(0, 1 - x*y) }
check hinge { x = 1.0; y = 1.0; }

fn total_variation[N](x: f64[N]) -> f64 { sum(abs(x[i + 1] - x[i]) for i in 0..N - 1) }
check total_variation[N = 5] { x ~ choice(-1.0, 0.0, 1.0); }
