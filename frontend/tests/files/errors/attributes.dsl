

// --- linear, where it says nothing
fn f(#[linear] x: f64) -> f64 { 2*x }
extern fn k(a: f64, #[linear] n: i64) -> f64;
extern fn l(#[nodiff] #[linear] g: f64) -> f64;
extern fn m(#[linear] g: f64 in [0, 1]) -> f64;
extern fn o(#[linear] g: f64) -> (y: f64, n: i64);
#[linear]
extern fn p(g: f64) -> f64;
extern fn q(#[linear(g)] g: f64) -> f64;

//> error[ADC0216]: `#[linear]` is for extern functions, and `f` has a body
//>   ^ 2:6-2:15 `#[linear]`: not needed here
//>   = help: remove it: the compiler sees whether a body is linear
//> error[ADC0216]: `n` is neither real nor complex, so `k` cannot be linear in it
//>   ^ 3:21-3:37 `#[linear] n: i64`: carries no derivative
//>   = help: remove the attribute
//> error[ADC0216]: `g` cannot be `#[linear]` and `#[nodiff]`
//>   ^ 4:23-4:39 `#[linear] g: f64`: both
//>   = help: keep one of them: `#[nodiff]` parameters have no tangents
//> error[ADC0216]: `g` is `#[linear]` and has a domain
//>   ^ 5:33-5:39 `[0, 1]`: here
//>   = help: leave the domain out: every tangent and cotangent may be passed
//> error[ADC0216]: `o` cannot be linear: its result `n` is neither real nor complex
//>   ^ 6:13-6:22 `#[linear]`: in all results
//>   = help: remove the attribute
//> error[ADC0216]: `#[linear]` does not belong here
//>   ^ 7:1-7:10 `#[linear]`: goes on a parameter of an `extern fn`
//>   = help: put it right before a parameter of an `extern fn`, or remove it
//> error[ADC0216]: `#[linear]` with wrong arguments
//>   ^ 9:13-9:25 `#[linear(g)]`: cannot be read
//>   = help: write `#[linear]`

// --- nonlinear rules that are none
fn f(x: f64) -> f64 { x }
#[nonlinear]
rule jvp f(x; dx) { clamp(dx, -1, 1) }
fn g(x: f64) -> f64 { x }
#[nonlinear]
rule partial g(x) { d x: 1; }
#[nonlinear(yes)]
rule vjp g(x; v) { clamp(v, -1, 1) }
#[nonlinear]
fn h(x: f64) -> f64 { x }

//> error[ADC0216]: `#[nonlinear]` is for `vjp` rules, and this is a `jvp` rule
//>   ^ 3:1-3:13 `#[nonlinear]`: does not belong here
//>   - 4:10-4:11 `f`: of this rule
//>   = help: a derivative in forward mode is linear: remove it, or write `rule vjp f(…)`
//> error[ADC0216]: `#[nonlinear]` with wrong arguments
//>   ^ 8:1-8:18 `#[nonlinear(yes)]`: cannot be read
//>   = help: write `#[nonlinear]`
//> error[ADC0216]: `#[nonlinear]` does not belong here
//>   ^ 10:1-10:13 `#[nonlinear]`: goes on a `vjp` rule
//>   = help: put it right before a `vjp` rule, or remove it

// --- a nonlinear rule of native code
extern fn k(x: f64) -> f64;
#[nonlinear]
rule vjp k(x; g) { clamp(g, -1, 1) }

//> error[ADC0216]: the only rule of the extern function `k` is `#[nonlinear]`
//>   ^ 3:1-3:13 `#[nonlinear]`: checks use the derivative of the body in its place, and there is none
//>   - 2:1-2:27 `extern fn k(x: f64) -> f64`: native code
//>   = help: give `k` its derivative by a rule, and write this one for a function that calls it: `fn clipped(x: f64) -> f64 { k(x) }`

// --- lints
#[allow(unused_variables)]
fn f(x: f64) -> f64 { x }
#[allow(everything)]
fn g(x: f64) -> f64 { x }
#[allow]
fn h(x: f64) -> f64 { x }
fn k(x: f64) -> f64 {
    #[allow(shadowing)]
    if x > 0 { x } else { 0.0 }
}

//> error[ADC0216]: no lint called `unused_variables`
//>   ^ 2:9-2:25 `unused_variables`: did you mean `unused_variable`?
//>   = help: the lints are `unused_variable`, `unused_parameter`, `unused_function`, `shadowing`, `constant_condition`, `float_equality`, `unstable_formula`
//>   ? write `unused_variable`: 2:9-2:25 `unused_variables` -> `unused_variable`
//> error[ADC0216]: no lint called `everything`
//>   ^ 4:9-4:19 `everything`: unknown
//>   = help: the lints are `unused_variable`, `unused_parameter`, `unused_function`, `shadowing`, `constant_condition`, `float_equality`, `unstable_formula`
//> error[ADC0216]: `#[allow]` with wrong arguments
//>   ^ 6:1-6:9 `#[allow]`: cannot be read
//>   = help: write `#[allow(unused_variable)]`
//> error[ADC0216]: `#[allow]` does not belong here
//>   ^ 9:5-9:24 `#[allow(shadowing)]`: goes on a function, rule, parameter, `let`, `var` or loop
//>   = help: put it right before a function, rule, parameter, `let`, `var` or loop, or remove it
