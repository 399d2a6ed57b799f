// --- close to 0
fn f(x: f64, y: f64, z: c128) -> f64 {
    let a = log(1 + x) + log(x + 1) + log(1 - x) + log(1 - x*y) + log(1 + x - y) + log(1.0 - (x + y));
    let b = exp(x) - 1 + (exp(-x) - 1.0)/x + (1 - exp(x + y));
    let c = 1 - cos(x) + (1 - cos(x - y))^2 + (cos(x) - 1);
    let d = 1 - erf(x) + (1 - erfc(x)) + (1 - sigmoid(x)) + (1 - sigmoid(-2*x));
    let e = (exp(x) - exp(-x))/2;
    let g = re(log(1 + z) + (exp(z) - 1) + (1 - cos(z)));
    a + b + c + d + e + g
}

// --- large
fn f[N](x: f64, y: f64, v: f64[N], A: f64[N, N]) -> f64 {
    let a = 1/(1 + exp(-x)) + 1/(1 + exp(x)) + 1/(exp(-(x - y)) + 1) + 1/(1 + exp(-x/y));
    let b = exp(x)/(1 + exp(x)) + 2/(1 + exp(-x)) - 1;
    let c = log(1 + exp(x)) + log(exp(-x) + 1) + log(exp(x) + exp(y)) + log(sigmoid(x)) + log(cosh(x));
    let d = log(sum(exp(v))) + log(sum(exp(v[i]/2) for i)) + log(sum(exp(v[i] + v[j]) for i in 0..N, j in 0..N));
    let e = sum(exp(v)/sum(exp(v))) + sum(log(softmax(v)));
    let g = log(det(A)) + log(abs(det(A)));
    let h = (exp(x) - exp(-x))/(exp(x) + exp(-x));
    a + b + c + d + e + g + h
}

// --- lengths and inverses
fn f[N](x: f64, y: f64, v: f64[N], w: f64[N], A: f64[N, N], z: c128) -> f64 {
    let a = sqrt(x^2 + y^2) + sqrt(x*x + y*y) + sqrt((x - y)^2 + square(y)) + (x^2 + y^2)^0.5;
    let b = sqrt(sum(v[i]^2 for i)) + sqrt(sum((v[i] - w[i])^2 for i)) + sqrt(sum(v^2)) + sqrt(v @ v) + sqrt(dot(v, v));
    let c = sqrt(abs2(z));
    let d = sum(inv(A) @ v) + sum(inv(A) @ v @ A);
    a + b + c + d
}

// --- nothing to say
fn logsumexp_by_hand[N](x: f64[N], t: f64) -> f64 {
    let m = max(x);
    let s = stop_gradient(max(x[i] for i));
    let a = m + log(sum(exp(x - m))) + s + log(sum(exp(x[i] - s) for i));
    let b = if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) };
    let c = log(2 + t) + log(1 + 0.5) + exp(t) - 2 + cos(t) + sqrt(t^2 + 1) + sqrt(t^2 + 2*t + t^4);
    let d = 1/(2 + exp(-t)) + t - 1 + (1 - sin(t)) + sqrt(sum(x[i]^3 for i)) + log(sum(x));
    a + b + c + d
}

// --- names that are taken
fn log1p(x: f64) -> f64 { log(1 + x) }
fn f(x: f64, hypot: f64) -> f64 { sqrt(x^2 + hypot^2) }

// --- strict rounding: only proposed
#[fp(strict)]
fn f(x: f64) -> f64 { log(1 + x) }

// --- in rules, and allowed
fn f(x: f64) -> f64 { exp(x) - 1 }
rule vjp f(x; g) { g*(1 + (exp(x) - 1)) }
#[allow(unstable_formula)]
fn g(x: f64) -> f64 { exp(x) - 1 }

// --- a function with a rule of its own: its value is right
fn logistic(t: f64) -> f64 { 1/(1 + exp(-t)) }
rule vjp logistic(t; g) { g*out*(1 - out) }
fn softplus_by_hand(t: f64) -> f64 { log(1 + exp(t)) }
rule vjp softplus_by_hand(t; g) { g*sigmoid(t) }
