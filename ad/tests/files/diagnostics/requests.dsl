// test: diagnostics

// --- an extern function without a rule
extern fn kernel(a: f64, n: i64) -> f64;
fn f(x: f64, n: i64) -> f64 { 2*kernel(sin(x), n) }

//> jvp: ADC0702: the extern function `kernel` has no derivative rule
//>   `kernel(sin(x), n)`: differentiated with respect to `a` here
//>   `extern fn kernel(a: f64, n: i64) -> f64;`: declared here
//>   = help: write `rule vjp kernel(…)`, `rule jvp kernel(…)` or `rule partial kernel(…)`, or mark the parameter `#[nodiff]`
//> vjp: the same
//> vjp of every parameter: ADC0701: `f` cannot be differentiated with respect to `n`: it is i64
//>   `n: i64`: this parameter
//>   = help: make it real or complex, or leave it out of `wrt`

// --- an extern function that is not differentiated
extern fn kernel(a: f64) -> f64;
fn f(x: f64, #[nodiff] y: f64) -> f64 { x*kernel(y) + x*stop_gradient(kernel(x)) }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: ADC0701: `f` cannot be differentiated with respect to `y`: it is marked `#[nodiff]`
//>   `y: f64`: this parameter
//>   = help: make it real or complex, or leave it out of `wrt`

// --- an extern function with a rule
extern fn kernel(a: f64) -> f64;
rule jvp kernel(a; da) { 3*da }
fn f(x: f64) -> f64 { kernel(x) }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same

// --- a parameter that is not differentiable
fn f(n: i64, x: f64) -> f64 { x^n }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: ADC0701: `f` cannot be differentiated with respect to `n`: it is i64
//>   `n: i64`: this parameter
//>   = help: make it real or complex, or leave it out of `wrt`

// --- a nodiff parameter
fn f(x: f64, #[nodiff] y: f64) -> f64 { x*y }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: ADC0701: `f` cannot be differentiated with respect to `y`: it is marked `#[nodiff]`
//>   `y: f64`: this parameter
//>   = help: make it real or complex, or leave it out of `wrt`

// --- no result to differentiate
fn f(x: f64) -> bool { x > 0 }

//> jvp: ADC0705: `f` has no result that could carry a derivative
//>   `fn f(x: f64) -> bool { x > 0 }`: every result is an integer or a boolean
//>   = help: convert a result with `f64(…)`, or differentiate another function
//> vjp: the same
//> vjp of every parameter: the same
