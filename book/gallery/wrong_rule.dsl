// A hand-written derivative with a mistake: the factor 2.
fn logistic(t: f64) -> f64 { 1/(1 + exp(-t)) }
rule vjp logistic(t; g) { 2*g*out*(1 - out) }

fn energy[N](x: f64[N], s: f64) -> f64 { sum(logistic(s*x[i])^2 for i) }
check energy[N = 4] { x ~ normal(0, 2); s in [0.5, 2]; }
