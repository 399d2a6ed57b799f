

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

//> warning[ADC1007]: `log(1 + x)` loses digits where it is close to 0
//>   ^ 3:13-3:23 `log(1 + x)`: write `log1p(x)`
//>   ! write `log1p(x)`: 3:13-3:23 `log(1 + x)` -> `log1p(x)`
//> warning[ADC1007]: `log(x + 1)` loses digits where it is close to 0
//>   ^ 3:26-3:36 `log(x + 1)`: write `log1p(x)`
//>   ! write `log1p(x)`: 3:26-3:36 `log(x + 1)` -> `log1p(x)`
//> warning[ADC1007]: `log(1 - x)` loses digits where it is close to 0
//>   ^ 3:39-3:49 `log(1 - x)`: write `log1p(-x)`
//>   ! write `log1p(-x)`: 3:39-3:49 `log(1 - x)` -> `log1p(-x)`
//> warning[ADC1007]: `log(1 - x*y)` loses digits where it is close to 0
//>   ^ 3:52-3:64 `log(1 - x*y)`: write `log1p(-x*y)`
//>   ! write `log1p(-x*y)`: 3:52-3:64 `log(1 - x*y)` -> `log1p(-x*y)`
//> warning[ADC1007]: `log(1 + x - y)` loses digits where it is close to 0
//>   ^ 3:67-3:81 `log(1 + x - y)`: write `log1p(x - y)`
//>   ! write `log1p(x - y)`: 3:67-3:81 `log(1 + x - y)` -> `log1p(x - y)`
//> warning[ADC1007]: `log(1.0 - (x + y))` loses digits where it is close to 0
//>   ^ 3:84-3:102 `log(1.0 - (x + y))`: write `log1p(-(x + y))`
//>   ! write `log1p(-(x + y))`: 3:84-3:102 `log(1.0 - (x + y))` -> `log1p(-(x + y))`
//> warning[ADC1007]: `exp(x) - 1` loses digits where it is close to 0
//>   ^ 4:13-4:23 `exp(x) - 1`: write `expm1(x)`
//>   ! write `expm1(x)`: 4:13-4:23 `exp(x) - 1` -> `expm1(x)`
//> warning[ADC1007]: `exp(-x) - 1.0` loses digits where it is close to 0
//>   ^ 4:27-4:40 `exp(-x) - 1.0`: write `expm1(-x)`
//>   ! write `expm1(-x)`: 4:27-4:40 `exp(-x) - 1.0` -> `expm1(-x)`
//> warning[ADC1007]: `1 - exp(x + y)` loses digits where it is close to 0
//>   ^ 4:47-4:61 `1 - exp(x + y)`: write `-expm1(x + y)`
//>   ! write `-expm1(x + y)`: 4:47-4:61 `1 - exp(x + y)` -> `-expm1(x + y)`
//> warning[ADC1007]: `1 - cos(x)` loses digits where it is close to 0
//>   ^ 5:13-5:23 `1 - cos(x)`: write `2*sin(x/2)^2`
//>   ! write `2*sin(x/2)^2`: 5:13-5:23 `1 - cos(x)` -> `2*sin(x/2)^2`
//> warning[ADC1007]: `1 - cos(x - y)` loses digits where it is close to 0
//>   ^ 5:27-5:41 `1 - cos(x - y)`: write `2*sin((x - y)/2)^2`
//>   ! write `2*sin((x - y)/2)^2`: 5:27-5:41 `1 - cos(x - y)` -> `2*sin((x - y)/2)^2`
//> warning[ADC1007]: `cos(x) - 1` loses digits where it is close to 0
//>   ^ 5:48-5:58 `cos(x) - 1`: write `-2*sin(x/2)^2`
//>   ! write `-2*sin(x/2)^2`: 5:48-5:58 `cos(x) - 1` -> `-2*sin(x/2)^2`
//> warning[ADC1007]: `1 - erf(x)` loses digits where it is close to 0
//>   ^ 6:13-6:23 `1 - erf(x)`: write `erfc(x)`
//>   ! write `erfc(x)`: 6:13-6:23 `1 - erf(x)` -> `erfc(x)`
//> warning[ADC1007]: `1 - erfc(x)` loses digits where it is close to 0
//>   ^ 6:27-6:38 `1 - erfc(x)`: write `erf(x)`
//>   ! write `erf(x)`: 6:27-6:38 `1 - erfc(x)` -> `erf(x)`
//> warning[ADC1007]: `1 - sigmoid(x)` loses digits where it is close to 0
//>   ^ 6:43-6:57 `1 - sigmoid(x)`: write `sigmoid(-x)`
//>   ! write `sigmoid(-x)`: 6:43-6:57 `1 - sigmoid(x)` -> `sigmoid(-x)`
//> warning[ADC1007]: `1 - sigmoid(-2*x)` loses digits where it is close to 0
//>   ^ 6:62-6:79 `1 - sigmoid(-2*x)`: write `sigmoid(2*x)`
//>   ! write `sigmoid(2*x)`: 6:62-6:79 `1 - sigmoid(-2*x)` -> `sigmoid(2*x)`
//> warning[ADC1007]: `(exp(x) - exp(-x))/2` loses digits where it is close to 0
//>   ^ 7:13-7:33 `(exp(x) - exp(-x))/2`: write `sinh(x)`
//>   ! write `sinh(x)`: 7:13-7:33 `(exp(x) - exp(-x))/2` -> `sinh(x)`
//> warning[ADC1007]: `log(1 + z)` loses digits where it is close to 0
//>   ^ 8:16-8:26 `log(1 + z)`: write `log1p(z)`
//>   ! write `log1p(z)`: 8:16-8:26 `log(1 + z)` -> `log1p(z)`
//> warning[ADC1007]: `exp(z) - 1` loses digits where it is close to 0
//>   ^ 8:30-8:40 `exp(z) - 1`: write `expm1(z)`
//>   ! write `expm1(z)`: 8:30-8:40 `exp(z) - 1` -> `expm1(z)`
//> warning[ADC1007]: `1 - cos(z)` loses digits where it is close to 0
//>   ^ 8:45-8:55 `1 - cos(z)`: write `2*sin(z/2)^2`
//>   ! write `2*sin(z/2)^2`: 8:45-8:55 `1 - cos(z)` -> `2*sin(z/2)^2`

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

//> warning[ADC1007]: `1/(1 + exp(-x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 3:13-3:28 `1/(1 + exp(-x))`: write `sigmoid(x)`
//>   ! write `sigmoid(x)`: 3:13-3:28 `1/(1 + exp(-x))` -> `sigmoid(x)`
//> warning[ADC1007]: `1/(1 + exp(x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 3:31-3:45 `1/(1 + exp(x))`: write `sigmoid(-x)`
//>   ! write `sigmoid(-x)`: 3:31-3:45 `1/(1 + exp(x))` -> `sigmoid(-x)`
//> warning[ADC1007]: `1/(exp(-(x - y)) + 1)` overflows where `exp` does, and its derivative is NaN then
//>   ^ 3:48-3:69 `1/(exp(-(x - y)) + 1)`: write `sigmoid(x - y)`
//>   ! write `sigmoid(x - y)`: 3:48-3:69 `1/(exp(-(x - y)) + 1)` -> `sigmoid(x - y)`
//> warning[ADC1007]: `1/(1 + exp(-x/y))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 3:72-3:89 `1/(1 + exp(-x/y))`: write `sigmoid(x/y)`
//>   ! write `sigmoid(x/y)`: 3:72-3:89 `1/(1 + exp(-x/y))` -> `sigmoid(x/y)`
//> warning[ADC1007]: `exp(x)/(1 + exp(x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 4:13-4:32 `exp(x)/(1 + exp(x))`: write `sigmoid(x)`
//>   ! write `sigmoid(x)`: 4:13-4:32 `exp(x)/(1 + exp(x))` -> `sigmoid(x)`
//> warning[ADC1007]: `2/(1 + exp(-x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 4:35-4:50 `2/(1 + exp(-x))`: write `2*sigmoid(x)`
//>   ! write `2*sigmoid(x)`: 4:35-4:50 `2/(1 + exp(-x))` -> `2*sigmoid(x)`
//> warning[ADC1007]: `log(1 + exp(x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 5:13-5:28 `log(1 + exp(x))`: write `softplus(x)`
//>   ! write `softplus(x)`: 5:13-5:28 `log(1 + exp(x))` -> `softplus(x)`
//> warning[ADC1007]: `log(exp(-x) + 1)` overflows where `exp` does, and its derivative is NaN then
//>   ^ 5:31-5:47 `log(exp(-x) + 1)`: write `softplus(-x)`
//>   ! write `softplus(-x)`: 5:31-5:47 `log(exp(-x) + 1)` -> `softplus(-x)`
//> warning[ADC1007]: `log(exp(x) + exp(y))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 5:50-5:70 `log(exp(x) + exp(y))`: write `logaddexp(x, y)`
//>   ! write `logaddexp(x, y)`: 5:50-5:70 `log(exp(x) + exp(y))` -> `logaddexp(x, y)`
//> warning[ADC1007]: `log(sigmoid(x))` is -inf where the argument of `log` underflows
//>   ^ 5:73-5:88 `log(sigmoid(x))`: write `log_sigmoid(x)`
//>   ! write `log_sigmoid(x)`: 5:73-5:88 `log(sigmoid(x))` -> `log_sigmoid(x)`
//> warning[ADC1007]: `log(cosh(x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 5:91-5:103 `log(cosh(x))`: write `(logaddexp(x, -x) - log(2))`
//>   ! write `(logaddexp(x, -x) - log(2))`: 5:91-5:103 `log(cosh(x))` -> `(logaddexp(x, -x) - log(2))`
//> warning[ADC1007]: `log(sum(exp(v)))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 6:13-6:29 `log(sum(exp(v)))`: write `logsumexp(v)`
//>   ! write `logsumexp(v)`: 6:13-6:29 `log(sum(exp(v)))` -> `logsumexp(v)`
//> warning[ADC1007]: `log(sum(exp(v[i]/2) for i))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 6:32-6:59 `log(sum(exp(v[i]/2) for i))`: write `logsumexp(v[i]/2 for i)`
//>   ! write `logsumexp(v[i]/2 for i)`: 6:32-6:59 `log(sum(exp(v[i]/2) for i))` -> `logsumexp(v[i]/2 for i)`
//> warning[ADC1007]: `exp(v)/sum(exp(v))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 7:17-7:35 `exp(v)/sum(exp(v))`: write `softmax(v)`
//>   ! write `softmax(v)`: 7:17-7:35 `exp(v)/sum(exp(v))` -> `softmax(v)`
//> warning[ADC1007]: `log(softmax(v))` is -inf where the argument of `log` underflows
//>   ^ 7:43-7:58 `log(softmax(v))`: write `(v - logsumexp(v))`
//>   ! write `(v - logsumexp(v))`: 7:43-7:58 `log(softmax(v))` -> `(v - logsumexp(v))`
//> warning[ADC1007]: `log(det(A))` overflows or underflows where the determinant does
//>   ^ 8:13-8:24 `log(det(A))`: write `logdet(A)`
//>   ? write `logdet(A)`: 8:13-8:24 `log(det(A))` -> `logdet(A)`
//> warning[ADC1007]: `log(abs(det(A)))` overflows or underflows where the determinant does
//>   ^ 8:27-8:43 `log(abs(det(A)))`: write `logdet(A)`
//>   ! write `logdet(A)`: 8:27-8:43 `log(abs(det(A)))` -> `logdet(A)`
//> warning[ADC1007]: `(exp(x) - exp(-x))/(exp(x) + exp(-x))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 9:13-9:50 `(exp(x) - exp(-x))/(exp(x) + exp(-x))`: write `tanh(x)`
//>   ! write `tanh(x)`: 9:13-9:50 `(exp(x) - exp(-x))/(exp(x) + exp(-x))` -> `tanh(x)`

// --- lengths and inverses
fn f[N](x: f64, y: f64, v: f64[N], w: f64[N], A: f64[N, N], z: c128) -> f64 {
    let a = sqrt(x^2 + y^2) + sqrt(x*x + y*y) + sqrt((x - y)^2 + square(y)) + (x^2 + y^2)^0.5;
    let b = sqrt(sum(v[i]^2 for i)) + sqrt(sum((v[i] - w[i])^2 for i)) + sqrt(sum(v^2)) + sqrt(v @ v) + sqrt(dot(v, v));
    let c = sqrt(abs2(z));
    let d = sum(inv(A) @ v) + sum(inv(A) @ v @ A);
    a + b + c + d
}

//> warning[ADC1007]: `sqrt(x^2 + y^2)` overflows for large numbers, and has no derivative at 0
//>   ^ 3:13-3:28 `sqrt(x^2 + y^2)`: write `hypot(x, y)`
//>   ! write `hypot(x, y)`: 3:13-3:28 `sqrt(x^2 + y^2)` -> `hypot(x, y)`
//> warning[ADC1007]: `sqrt(x*x + y*y)` overflows for large numbers, and has no derivative at 0
//>   ^ 3:31-3:46 `sqrt(x*x + y*y)`: write `hypot(x, y)`
//>   ! write `hypot(x, y)`: 3:31-3:46 `sqrt(x*x + y*y)` -> `hypot(x, y)`
//> warning[ADC1007]: `sqrt((x - y)^2 + square(y))` overflows for large numbers, and has no derivative at 0
//>   ^ 3:49-3:76 `sqrt((x - y)^2 + square(y))`: write `hypot(x - y, y)`
//>   ! write `hypot(x - y, y)`: 3:49-3:76 `sqrt((x - y)^2 + square(y))` -> `hypot(x - y, y)`
//> warning[ADC1007]: `(x^2 + y^2)^0.5` overflows for large numbers, and has no derivative at 0
//>   ^ 3:79-3:94 `(x^2 + y^2)^0.5`: write `hypot(x, y)`
//>   ! write `hypot(x, y)`: 3:79-3:94 `(x^2 + y^2)^0.5` -> `hypot(x, y)`
//> warning[ADC1007]: `sqrt(sum(v[i]^2 for i))` overflows for large numbers, and has no derivative at 0
//>   ^ 4:13-4:36 `sqrt(sum(v[i]^2 for i))`: write `norm(v[i] for i)`
//>   ! write `norm(v[i] for i)`: 4:13-4:36 `sqrt(sum(v[i]^2 for i))` -> `norm(v[i] for i)`
//> warning[ADC1007]: `sqrt(sum((v[i] - w[i])^2 for i))` overflows for large numbers, and has no derivative at 0
//>   ^ 4:39-4:71 `sqrt(sum((v[i] - w[i])^2 for i))`: write `norm(v[i] - w[i] for i)`
//>   ! write `norm(v[i] - w[i] for i)`: 4:39-4:71 `sqrt(sum((v[i] - w[i])^2 for i))` -> `norm(v[i] - w[i] for i)`
//> warning[ADC1007]: `sqrt(sum(v^2))` overflows for large numbers, and has no derivative at 0
//>   ^ 4:74-4:88 `sqrt(sum(v^2))`: write `norm(v)`
//>   ! write `norm(v)`: 4:74-4:88 `sqrt(sum(v^2))` -> `norm(v)`
//> warning[ADC1007]: `sqrt(v @ v)` overflows for large numbers, and has no derivative at 0
//>   ^ 4:91-4:102 `sqrt(v @ v)`: write `norm(v)`
//>   ! write `norm(v)`: 4:91-4:102 `sqrt(v @ v)` -> `norm(v)`
//> warning[ADC1007]: `sqrt(dot(v, v))` overflows for large numbers, and has no derivative at 0
//>   ^ 4:105-4:120 `sqrt(dot(v, v))`: write `norm(v)`
//>   ! write `norm(v)`: 4:105-4:120 `sqrt(dot(v, v))` -> `norm(v)`
//> warning[ADC1007]: `sqrt(abs2(z))` overflows for large numbers, and has no derivative at 0
//>   ^ 5:13-5:26 `sqrt(abs2(z))`: write `abs(z)`
//>   ! write `abs(z)`: 5:13-5:26 `sqrt(abs2(z))` -> `abs(z)`
//> warning[ADC1007]: `inv(A) @ v` computes an inverse, which costs time and digits
//>   ^ 6:17-6:27 `inv(A) @ v`: write `solve(A, v)`
//>   ! write `solve(A, v)`: 6:17-6:27 `inv(A) @ v` -> `solve(A, v)`
//> warning[ADC1007]: `inv(A) @ v` computes an inverse, which costs time and digits
//>   ^ 6:35-6:45 `inv(A) @ v`: write `solve(A, v)`
//>   ! write `solve(A, v)`: 6:35-6:45 `inv(A) @ v` -> `solve(A, v)`

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

//> warning[ADC1007]: `log(1 + x)` loses digits where it is close to 0
//>   ^ 3:23-3:33 `log(1 + x)`: write `log1p(x)`
//>   ? write `log1p(x)`: 3:23-3:33 `log(1 + x)` -> `log1p(x)`

// --- in rules, and allowed
fn f(x: f64) -> f64 { exp(x) - 1 }
rule vjp f(x; g) { g*(1 + (exp(x) - 1)) }
#[allow(unstable_formula)]
fn g(x: f64) -> f64 { exp(x) - 1 }

//> warning[ADC1007]: `exp(x) - 1` loses digits where it is close to 0
//>   ^ 2:23-2:33 `exp(x) - 1`: write `expm1(x)`
//>   ! write `expm1(x)`: 2:23-2:33 `exp(x) - 1` -> `expm1(x)`
//> warning[ADC1007]: `exp(x) - 1` loses digits where it is close to 0
//>   ^ 3:28-3:38 `exp(x) - 1`: write `expm1(x)`
//>   ! write `expm1(x)`: 3:28-3:38 `exp(x) - 1` -> `expm1(x)`

// --- a function with a rule of its own: its value is right
fn logistic(t: f64) -> f64 { 1/(1 + exp(-t)) }
rule vjp logistic(t; g) { g*out*(1 - out) }
fn softplus_by_hand(t: f64) -> f64 { log(1 + exp(t)) }
rule vjp softplus_by_hand(t; g) { g*sigmoid(t) }

//> warning[ADC1007]: `log(1 + exp(t))` overflows where `exp` does, and its derivative is NaN then
//>   ^ 4:38-4:53 `log(1 + exp(t))`: write `softplus(t)`
//>   ! write `softplus(t)`: 4:38-4:53 `log(1 + exp(t))` -> `softplus(t)`
