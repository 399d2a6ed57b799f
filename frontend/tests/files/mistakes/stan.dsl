// What people write who come from Stan, BUGS, PyMC and Turing.

// --- blocks
data {
    int N;
    vector[N] y;
}
parameters { real mu; }
model { y ~ normal(mu, 1); }

//> error[ADC0106]: `data` starts no item
//>   ^ 2:1-2:5 `data`: not part of the language
//>   = help: a model is a function of its data and parameters that returns the log density: `fn log_density[N](y: f64[N], mu: f64) -> f64 { sum(-0.5*(y[i] - mu)^2 for i) }`

// --- real x;
fn f(x: f64) -> f64 {
    real y;
    y = x^2;
    y
}

//> error[ADC0106]: a type in front of a name
//>   ^ 3:5-3:11 `real y`: not part of the language
//>   = help: write `var y = 0.0;`: a variable has a value from the start

// --- real x = e;
fn f(x: f64) -> f64 {
    real y = x^2;
    y
}

//> error[ADC0106]: a type in front of a name
//>   ^ 3:5-3:11 `real y`: not part of the language
//>   = help: write `let y: f64 = …;`, or `var` if it is assigned later

// --- vector
fn f(x: vector[3]) -> real { sum(x) }

//> error[ADC0205]: no type called `vector`
//>   ^ 2:9-2:15 `vector`: write `f64[N]`
//>   = help: an array type has its sizes behind the type of its entries: `fn f[N, M](x: f64[N], A: f64[N, M]) -> …`
//> error[ADC0205]: no type called `real`
//>   ^ 2:23-2:27 `real`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:23-2:27 `real` -> `f64`

// --- vector with a length
fn f(x: f64) -> f64 {
    vector[3] v;
    v[1] = x;
    v[1]
}

//> error[ADC0106]: a type in front of a name
//>   ^ 3:5-3:16 `vector[3] v`: not part of the language
//>   = help: write `var v = zeros(3);`, then `v[i] = …;`

// --- matrix
fn f(A: matrix[3, 3]) -> f64 { det(A) }

//> error[ADC0205]: no type called `matrix`
//>   ^ 2:9-2:15 `matrix`: write `f64[N]`
//>   = help: an array type has its sizes behind the type of its entries: `fn f[N, M](x: f64[N], A: f64[N, M]) -> …`

// --- array[N] real
fn f(x: array[3] real) -> f64 { sum(x) }

//> error[ADC0205]: no type called `array`
//>   ^ 2:9-2:14 `array`: write `f64[N]`
//>   = help: an array type has its sizes behind the type of its entries: `fn f[N, M](x: f64[N], A: f64[N, M]) -> …`

// --- a sampling statement
fn f(y: f64, mu: f64) -> f64 {
    y ~ normal(mu, 1);
    0
}

//> error[ADC0106]: `~` has no meaning here
//>   ^ 3:7-3:8 `~`: not part of the language
//>   = help: there are no distributions in a function: add the log density, `lp += -0.5*((y - mu)/s)^2 - log(s);`, and return `lp`

// --- a sampling statement in a block of another form
fn f(y: f64, mu: f64) -> f64 {
    mu ~ normal(0, 10);
    y ~ normal(mu, 1);
}

//> error[ADC0106]: `~` has no meaning here
//>   ^ 3:8-3:9 `~`: not part of the language
//>   = help: there are no distributions in a function: add the log density, `lp += -0.5*((y - mu)/s)^2 - log(s);`, and return `lp`
//> error[ADC0106]: `~` has no meaning here
//>   ^ 4:7-4:8 `~`: not part of the language
//>   = help: there are no distributions in a function: add the log density, `lp += -0.5*((y - mu)/s)^2 - log(s);`, and return `lp`

// --- target +=
fn f(y: f64, mu: f64) -> f64 {
    target += normal_lpdf(y | mu, 1);
    target
}

//> error[ADC0106]: `|` is not an operator
//>   ^ 3:29-3:30 `|`: not part of the language
//>   = help: of booleans write `||`; integers have no bit operations; a density `p(y | m)` is written out: `-0.5*((y - m)/s)^2 - log(s)`

// --- normal_lpdf
fn f(y: f64, mu: f64) -> f64 { normal_lpdf(y, mu, 1) }

//> error[ADC0201]: no function or op called `normal_lpdf`
//>   ^ 2:32-2:43 `normal_lpdf`: not part of the language
//>   = help: write the log density: `-0.5*((y - mu)/sigma)^2 - log(sigma) - 0.5*log(2*PI)`

// --- a bar among arguments
fn f(y: f64, mu: f64) -> f64 { normal_lpdf(y | mu, 1) }

//> error[ADC0106]: `|` is not an operator
//>   ^ 2:46-2:47 `|`: not part of the language
//>   = help: of booleans write `||`; integers have no bit operations; a density `p(y | m)` is written out: `-0.5*((y - m)/s)^2 - log(s)`

// --- bernoulli_logit
fn f(y: f64, mu: f64) -> f64 { bernoulli_logit_lpmf(y, mu) }

//> error[ADC0201]: no function or op called `bernoulli_logit_lpmf`
//>   ^ 2:32-2:52 `bernoulli_logit_lpmf`: not part of the language
//>   = help: write `y*log_sigmoid(eta) + (1 - y)*log_sigmoid(-eta)`

// --- bounds
fn f(real<lower=0> sigma) -> f64 { log(sigma) }

//> error[ADC0106]: a type in front of a name
//>   ^ 2:6-2:10 `real`: the name comes first, bounds are a domain
//>   = help: write `sigma: f64 in (0, INF)`

// --- bounds behind the name
fn f(sigma: f64<lower=0>) -> f64 { log(sigma) }

//> error[ADC0106]: a type with `<`
//>   ^ 2:16-2:17 `<`: bounds are a domain
//>   = help: write `sigma: f64 in (0, INF)`, with round brackets for open ends

// --- for (n in 1:N)
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for (n in 1:N) { s += x[n]; }
    s
}

//> error[ADC0106]: a `for` with parentheses
//>   ^ 4:5-4:10 `for (`: a loop from another language
//>   = help: write `for i in 0..n { … }`: one variable, no parentheses, and the range ends before `n`

// --- a range that starts at 1
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for n in 1:N { s += x[n]; }
    s
}

//> error[ADC0106]: `:` in a range
//>   ^ 4:15-4:16 `:`: a range has `..`
//>   = help: write `0..n`: indices start at 0, and the range ends before `n`

// --- inv_logit
fn f(x: f64) -> f64 { inv_logit(x) }

//> error[ADC0201]: no function or op called `inv_logit`
//>   ^ 2:23-2:32 `inv_logit`: did you mean `sigmoid`?
//>   ! write `sigmoid`: 2:23-2:32 `inv_logit` -> `sigmoid`

// --- logit
fn f(x: f64) -> f64 { logit(x) }

//> error[ADC0201]: no function or op called `logit`
//>   ^ 2:23-2:28 `logit`: not part of the language
//>   = help: write `log(x/(1 - x))`

// --- log1p_exp
fn f(x: f64) -> f64 { log1p_exp(x) }

//> error[ADC0201]: no function or op called `log1p_exp`
//>   ^ 2:23-2:32 `log1p_exp`: did you mean `softplus`?
//>   ! write `softplus`: 2:23-2:32 `log1p_exp` -> `softplus`

// --- log_sum_exp
fn f[N](x: f64[N]) -> f64 { log_sum_exp(x) }

//> error[ADC0201]: no function or op called `log_sum_exp`
//>   ^ 2:29-2:40 `log_sum_exp`: did you mean `logsumexp`?
//>   ! write `logsumexp`: 2:29-2:40 `log_sum_exp` -> `logsumexp`

// --- dot_product
fn f[N](x: f64[N], y: f64[N]) -> f64 { dot_product(x, y) }

//> error[ADC0201]: no function or op called `dot_product`
//>   ^ 2:40-2:51 `dot_product`: did you mean `dot`?
//>   ! write `dot`: 2:40-2:51 `dot_product` -> `dot`

// --- rep_vector
fn f[N](x: f64[N]) -> f64[N] { x + rep_vector(0, N) }

//> error[ADC0201]: no function or op called `rep_vector`
//>   ^ 2:36-2:46 `rep_vector`: did you mean `fill`?
//>   ! write `fill`: 2:36-2:46 `rep_vector` -> `fill`

// --- to_vector
fn f[N, M](x: f64[N, M]) -> f64 { sum(to_vector(x)) }

//> error[ADC0201]: no function or op called `to_vector`
//>   ^ 2:39-2:48 `to_vector`: not part of the language
//>   = help: write `reshape(x, N*M)`; `sum(x)` sums all entries as it is

// --- cholesky_decompose
fn f[N](A: f64[N, N]) -> f64[N, N] { cholesky_decompose(A) }

//> error[ADC0201]: no function or op called `cholesky_decompose`
//>   ^ 2:38-2:56 `cholesky_decompose`: did you mean `cholesky`?
//>   ! write `cholesky`: 2:38-2:56 `cholesky_decompose` -> `cholesky`

// --- log_determinant
fn f[N](A: f64[N, N]) -> f64 { log_determinant(A) }

//> error[ADC0201]: no function or op called `log_determinant`
//>   ^ 2:32-2:47 `log_determinant`: did you mean `logdet`?
//>   ! write `logdet`: 2:32-2:47 `log_determinant` -> `logdet`

// --- mdivide_left
fn f[N](A: f64[N, N], b: f64[N]) -> f64[N] { mdivide_left(A, b) }

//> error[ADC0201]: no function or op called `mdivide_left`
//>   ^ 2:46-2:58 `mdivide_left`: did you mean `solve`?
//>   ! write `solve`: 2:46-2:58 `mdivide_left` -> `solve`

// --- quad_form
fn f[N](A: f64[N, N], x: f64[N]) -> f64 { quad_form(A, x) }

//> error[ADC0201]: no function or op called `quad_form`
//>   ^ 2:43-2:52 `quad_form`: not part of the language
//>   = help: write `x @ A @ x`, of a matrix `B' @ A @ B`

// --- square and inv
fn f(x: f64) -> f64 { square(x) + inv(x) }

//> error[ADC0224]: `inv` takes a square matrix, but `x` is f64
//>   ^ 2:39-2:40 `x`: f64
//>   = help: of a number write `1/x`

// --- inv_square
fn f(x: f64) -> f64 { inv_square(x) }

//> error[ADC0201]: no function or op called `inv_square`
//>   ^ 2:23-2:33 `inv_square`: not part of the language
//>   = help: write `1/x^2`

// --- Phi
fn f(x: f64) -> f64 { Phi(x) }

//> error[ADC0201]: no function or op called `Phi`
//>   ^ 2:23-2:26 `Phi`: not part of the language
//>   = help: write `0.5*erfc(-x/sqrt(2.0))`

// --- tgamma
fn f(x: f64) -> f64 { log(tgamma(x)) }

//> error[ADC0201]: no function or op called `tgamma`
//>   ^ 2:27-2:33 `tgamma`: did you mean `gamma`?
//>   ! write `gamma`: 2:27-2:33 `tgamma` -> `gamma`

// --- lbeta
fn f(x: f64, y: f64) -> f64 { lbeta(x, y) }

//> error[ADC0201]: no function or op called `lbeta`
//>   ^ 2:31-2:36 `lbeta`: not part of the language
//>   = help: write `lgamma(a) + lgamma(b) - lgamma(a + b)`

// --- lchoose
fn f(n: f64, k: f64) -> f64 { lchoose(n, k) }

//> error[ADC0201]: no function or op called `lchoose`
//>   ^ 2:31-2:38 `lchoose`: not part of the language
//>   = help: write `lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)`

// --- int to_real
fn f(n: i64) -> f64 { to_real(n) }

//> error[ADC0201]: no function or op called `to_real`
//>   ^ 2:23-2:30 `to_real`: not part of the language
//>   = help: write `f64(x)`, `i64(x)` or `c128(x)` to convert

// --- reject
fn f(x: f64) -> f64 {
    reject("x must be positive");
    x
}

//> error[ADC0106]: `reject` is not a statement
//>   ^ 3:5-3:11 `reject`: not part of the language
//>   = help: write `assert c, "text";`, with the condition that must hold

// --- functions { }
functions {
    real f(real x) { return x^2; }
}

//> error[ADC0106]: `functions` starts no item
//>   ^ 2:1-2:10 `functions`: not part of the language
//>   = help: a model is a function of its data and parameters that returns the log density: `fn log_density[N](y: f64[N], mu: f64) -> f64 { sum(-0.5*(y[i] - mu)^2 for i) }`

// --- transformed parameters
transformed parameters { real y = 2; }

//> error[ADC0106]: `transformed` starts no item
//>   ^ 2:1-2:12 `transformed`: not part of the language
//>   = help: a model is a function of its data and parameters that returns the log density: `fn log_density[N](y: f64[N], mu: f64) -> f64 { sum(-0.5*(y[i] - mu)^2 for i) }`

// --- elementwise product
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(x .* y) }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:46-2:47 `.`: not part of the language
//>   = help: operators map over arrays as they are: write `*`

// --- an int parameter
fn f(int n, real x) -> real { n*x }

//> error[ADC0106]: a type in front of a name
//>   ^ 2:6-2:11 `int n`: the name comes first
//>   = help: write `n: i64`
//> error[ADC0205]: no type called `real`
//>   ^ 2:24-2:28 `real`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:24-2:28 `real` -> `f64`

// --- Turing
@model function f(y)
    mu ~ Normal(0, 1)
end

//> error[ADC0106]: `@` starts no item
//>   ^ 2:1-2:2 `@`: not part of the language
//>   = help: there are no decorators and macros: leave it out; attributes are `#[inline]`

// --- a log density of the normal
fn f(y: f64, mu: f64) -> f64 { Normal(mu, 1).log_prob(y) }

//> error[ADC0106]: there are no methods: `.log_prob(…)`
//>   ^ 2:32-2:54 `Normal(mu, 1).log_prob`: not part of the language
//>   = help: there are no distributions: write the log density, a sum over the data
