

// --- numbers of parameters, tangents and cotangents
fn f(x: f64, n: i64) -> f64 { x }
rule jvp f(x; dx) { dx }
rule vjp f(x, n; g, h) { g }
fn g(x: f64, y: f64) -> f64 { x }
rule jvp g(x, y; dx) { dx }

//> error[ADC0704]: `f` has 2 parameters, but its jvp rule names 1
//>   ^ 3:10-3:11 `f`: 1 name
//>   - 2:1-2:28 `fn f(x: f64, n: i64) -> f64`: the function
//>   = help: name each of them: `(x, n)`; the names are the rule's own
//> error[ADC0704]: the vjp rule of `f` needs 1 cotangent, but names 2
//>   ^ 4:10-4:11 `f`: 2 behind the `;`
//>   - 2:1-2:28 `fn f(x: f64, n: i64) -> f64`: the function
//>   = help: write `rule vjp f(x, n; g) { … }`: one cotangent (a tuple if there are several results), and one value for each differentiable parameter, `(…)`
//> error[ADC0704]: the jvp rule of `g` needs 2 tangents, but names 1
//>   ^ 6:10-6:11 `g`: 1 behind the `;`
//>   - 5:1-5:28 `fn g(x: f64, y: f64) -> f64`: the function
//>   = help: one tangent for each differentiable parameter: x, y

// --- values of another type or number
fn f(x: f64, z: c128) -> f64 { x }
rule vjp f(x, z; g) { g }
rule jvp f(x, z; dx, dz) { dz }
fn g(x: f64) -> (f64, f64) { (x, x) }
rule jvp g(x; dx) { dx }

//> error[ADC0204]: `g` is f64, but the vjp rule of `f` gives (f64, c128)
//>   ^ 3:23-3:24 `g`: f64
//>   = help: one cotangent for each of x, z, as a tuple: `(…, …)`
//> error[ADC0204]: `dz` is c128, but the jvp rule of `f` gives f64
//>   ^ 4:28-4:30 `dz`: c128
//>   = help: take `re(dz)`, `im(dz)` or `abs(dz)`
//> error[ADC0204]: `dx` is f64, but the jvp rule of `g` gives (f64, f64)
//>   ^ 6:21-6:23 `dx`: f64
//>   = help: one tangent for each result, as a tuple: `(…, …)`

// --- nothing to differentiate
fn f(n: i64) -> f64 { 1 }
rule jvp f(n; dn) { 0 }
fn g(x: f64) -> i64 { 1 }
rule vjp g(x; v) { v }

//> error[ADC0704]: `f` has nothing to differentiate
//>   ^ 3:10-3:11 `f`: no real or complex parameter, or no such result
//>   - 2:1-2:20 `fn f(n: i64) -> f64`: the function
//>   = help: remove the rule
//> error[ADC0704]: `g` has nothing to differentiate
//>   ^ 5:10-5:11 `g`: no real or complex parameter, or no such result
//>   - 4:1-4:20 `fn g(x: f64) -> i64`: the function
//>   = help: remove the rule

// --- partials
fn f(z: c128, a: f64, n: i64) -> c128 { z*a }
rule partial f(z, a, n) { d z: a; d z: 2; dconj a: 1; d n: 1; d q: 2; }
fn g(z: c128) -> c128 { conj(z) }
rule partial g(z) { dconj z: 1; }
fn h(x: f64) -> (f64, f64) { (x, x) }
rule partial h(x) { d x: 1; }
fn r(x: f64, y: f64) -> f64 { x*y }
rule partial r(x, y) { d x: 1i; }

//> error[ADC0704]: `d z` is given twice
//>   ^ 3:35-3:41 `d z: 2`: the second one
//>   = help: keep one of them
//> error[ADC0704]: `a` is real and has no `dconj`
//>   ^ 3:43-3:53 `dconj a: 1`: for complex parameters
//>   = help: give `d a` only
//> error[ADC0704]: `n` is not differentiated
//>   ^ 3:55-3:61 `d n: 1`: not real or complex, or `#[nodiff]`
//>   = help: remove the line
//> error[ADC0704]: this rule has no parameter `q`
//>   ^ 3:65-3:66 `q`: unknown
//>   = help: the rule's parameters are z, a, n
//> error[ADC0704]: the derivative with respect to `z` is missing
//>   ^ 5:14-5:15 `g`: here
//>   = help: add `d z: …;` (0 if it does not depend on `z` itself)
//> error[ADC0704]: `h` has several results, which `rule partial` cannot describe
//>   ^ 7:14-7:15 `h`: here
//>   - 6:1-6:27 `fn h(x: f64) -> (f64, f64)`: the function
//>   = help: write `rule jvp` or `rule vjp`
//> error[ADC0704]: the derivative with respect to `y` is missing
//>   ^ 9:14-9:15 `r`: here
//>   = help: add `d y: …;`

// --- names in a rule
fn f(x: f64, y: f64) -> f64 { x*y }
rule jvp f(x, x; dx, y) { out*dx + unknown }

//> error[ADC0202]: this rule names `x` twice
//>   ^ 3:15-3:16 `x`: the second one
//>   - 3:12-3:13 `x`: the first one
//> error[ADC0201]: no variable or constant called `unknown`
//>   ^ 3:36-3:43 `unknown`: not defined here
//>   = help: declare it before: `let unknown = …;` here, as a parameter of the function, or `const unknown: f64 = …;`

// --- rules of functions that take functions
fn f(g: fn(f64) -> f64, x: f64) -> f64 { g(x) }
rule jvp f(g, x; dx) { dx }

//> error[ADC0704]: `f` takes a function, so it has no jvp rule
//>   ^ 3:10-3:11 `f`: compiled separately for each function it takes
//>   - 2:1-2:39 `fn f(g: fn(f64) -> f64, x: f64) -> f64`: the function
//>   = help: write the rule for a function that calls it with a function by name
