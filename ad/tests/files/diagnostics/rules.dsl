// test: diagnostics

// --- U2: a tangent squared
fn f(x: f64) -> f64 { x }
rule jvp f(x; dx) { dx*dx }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `dx*dx`: a tangent is multiplied by another here
//>   `rule jvp f(x; dx) { dx*dx }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `dx*dx`: a tangent is multiplied by another here
//>   `rule jvp f(x; dx) { dx*dx }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- a constant added
fn f(x: f64) -> f64 { x }
rule vjp f(x; g) { 2*g + 1 }

//> ADC0703: the `vjp` rule of `f` is not linear
//>   `2*g + 1`: a cotangent is added to something that is not one
//>   `rule vjp f(x; g) { 2*g + 1 }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: ADC0703: the `vjp` rule of `f` is not linear
//>   `2*g + 1`: a cotangent is added to something that is not one
//>   `rule vjp f(x; g) { 2*g + 1 }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp f(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- a denominator
fn f(x: f64) -> f64 { x }
rule jvp f(x; dx) { x/dx }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `x/dx`: a tangent is in a denominator here
//>   `rule jvp f(x; dx) { x/dx }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `x/dx`: a tangent is in a denominator here
//>   `rule jvp f(x; dx) { x/dx }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- a function of a tangent
fn f(x: f64, z: c128) -> c128 { x*z }
rule jvp f(x, z; dx, dz) { dx*z + abs(dz) }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `abs(dz)`: a tangent enters `abs` here
//>   `rule jvp f(x, z; dx, dz) { dx*z + abs(dz) }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `abs(dz)`: a tangent enters `abs` here
//>   `rule jvp f(x, z; dx, dz) { dx*z + abs(dz) }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- a decision
fn f(x: f64) -> f64 { x }
rule jvp f(x; dx) { if dx > 0 { dx } else { 2*dx } }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `dx > 0`: a tangent is compared here
//>   `rule jvp f(x; dx) { if dx > 0 { dx } else { 2*dx } }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `dx > 0`: a tangent is compared here
//>   `rule jvp f(x; dx) { if dx > 0 { dx } else { 2*dx } }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- a branch without tangents
fn f(x: f64) -> f64 { x }
rule jvp f(x; dx) { if x > 0 { dx } else { x } }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `if x > 0 { dx } else { x }`: a tangent is used in one branch, and the other is not 0
//>   `rule jvp f(x; dx) { if x > 0 { dx } else { x } }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `if x > 0 { dx } else { x }`: a tangent is used in one branch, and the other is not 0
//>   `rule jvp f(x; dx) { if x > 0 { dx } else { x } }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- a selection
fn f(x: f64) -> f64 { x }
rule vjp f(x; g) { select(x > 0, g, 1.0) }

//> ADC0703: the `vjp` rule of `f` is not linear
//>   `select(x > 0, g, 1.0)`: a cotangent is selected here, and the other value is not 0
//>   `rule vjp f(x; g) { select(x > 0, g, 1.0) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: ADC0703: the `vjp` rule of `f` is not linear
//>   `select(x > 0, g, 1.0)`: a cotangent is selected here, and the other value is not 0
//>   `rule vjp f(x; g) { select(x > 0, g, 1.0) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp f(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- stop_gradient
fn f(x: f64) -> f64 { x }
rule vjp f(x; g) { stop_gradient(g) }

//> ADC0703: the `vjp` rule of `f` is not linear
//>   `stop_gradient(g)`: a cotangent enters `stop_gradient` here
//>   `rule vjp f(x; g) { stop_gradient(g) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: ADC0703: the `vjp` rule of `f` is not linear
//>   `stop_gradient(g)`: a cotangent enters `stop_gradient` here
//>   `rule vjp f(x; g) { stop_gradient(g) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp f(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- inside a function that is called
fn helper(a: f64, b: f64) -> f64 { a*exp(b) }
fn f(x: f64) -> f64 { x }
rule jvp f(x; dx) { helper(dx, x) + helper(x, dx) }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `helper(x, dx)`: a tangent enters `helper`, where it enters `exp` here
//>   `rule jvp f(x; dx) { helper(dx, x) + helper(x, dx) }`: in this rule
//>   `exp(b)`: here
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `helper(x, dx)`: a tangent enters `helper`, where it enters `exp` here
//>   `rule jvp f(x; dx) { helper(dx, x) + helper(x, dx) }`: in this rule
//>   `exp(b)`: here
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- nothing of the tangent
fn f(x: f64) -> f64 { x }
rule jvp f(x; dx) { 3*x }

//> ADC0703: the `jvp` rule of `f` is not linear
//>   `3*x`: a tangent does not enter this result, which is not 0 either
//>   `rule jvp f(x; dx) { 3*x }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: a rule gives the derivative times its tangent: multiply this by `dx`
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `f` is not linear
//>   `3*x`: a tangent does not enter this result, which is not 0 either
//>   `rule jvp f(x; dx) { 3*x }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp f(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- zero is linear, and so is everything allowed
fn helper(a: c128, b: f64) -> c128 { a*exp(b) }
fn f(x: f64, z: c128) -> (c128, f64) { (x*z, x) }
rule jvp f(x, z; dx, dz) {
    let a = helper(conj(dz), x)/2 - dx;
    (if x > 0 { a*1i } else { c128(re(dz), im(dz)) }, 0.0)
}

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same

// --- an assertion upon a cotangent
fn f(x: f64) -> f64 { x }
rule vjp f(x; g) { assert g > 0, "positive"; g }

//> ADC0703: the `vjp` rule of `f` is not linear
//>   `g > 0`: a cotangent is compared here
//>   `rule vjp f(x; g) { assert g > 0, "positive"; g }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: ADC0703: the `vjp` rule of `f` is not linear
//>   `g > 0`: a cotangent is compared here
//>   `rule vjp f(x; g) { assert g > 0, "positive"; g }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp f(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- a cotangent that is forgotten
fn f(x: f64) -> f64 { x^3 }
rule vjp f(x; g) { 3*x^2 }

//> ADC0703: the `vjp` rule of `f` is not linear
//>   `3*x^2`: a cotangent does not enter this result, which is not 0 either
//>   `rule vjp f(x; g) { 3*x^2 }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: a rule gives the derivative times its cotangent: multiply this by `g`
//> jvp: ADC0703: the `vjp` rule of `f` is not linear
//>   `3*x^2`: a cotangent does not enter this result, which is not 0 either
//>   `rule vjp f(x; g) { 3*x^2 }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp f(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- a native adjoint
extern fn k(x: f64) -> f64;
extern fn back(x: f64, #[linear] g: f64) -> f64;
rule vjp k(x; g) { 2*back(x, g) - back(x, -g) }
fn f(x: f64) -> f64 { k(x) }

//> jvp: ADC0702: `k` has no `jvp` rule, and its `vjp` rule cannot be transposed
//>   `back(x, g)`: differentiated with respect to `g` here
//>   `extern fn back(x: f64, #[linear] g: f64) -> f64;`: declared here
//>   = note: `#[linear]` gives forward mode only, with respect to `g`
//>   = note: the extern function `back` has no derivative rule for reverse mode
//>   = help: write `rule vjp back(…)`
//>   = help: write `rule jvp k(…)`
//> vjp: fine
//> vjp of every parameter: the same

// --- a native adjoint and a native tangent
extern fn k(x: f64, y: f64) -> f64;
extern fn back(x: f64, #[linear] g: f64) -> (f64, f64);
extern fn along(x: f64, #[linear] dx: f64, #[linear] dy: f64) -> f64;
rule vjp k(x, y; g) { back(x, g) }
rule jvp k(x, y; dx, dy) { along(x, dx, dy) + along(x, dx, 0) }
fn f(x: f64) -> f64 { k(x, 2*x) }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same

// --- a native function that is not linear in what it is given
extern fn k(x: f64) -> f64;
extern fn back(x: f64, #[linear] g: f64) -> f64;
rule vjp k(x; g) { back(g, x) }
extern fn l(x: f64) -> f64;
rule vjp l(x; g) { back(x, g*g) }
extern fn m(x: f64) -> f64;
rule vjp m(x; g) { back(x, g + 1) }
fn f(x: f64) -> f64 { k(x) + l(x) + m(x) }

//> ADC0703: the `vjp` rule of `k` is not linear
//>   `back(g, x)`: a cotangent enters `back`, where it is given to the extern function `back`, which may not be linear in `x`, which is not marked `#[linear]`
//>   `rule vjp k(x; g) { back(g, x) }`: in this rule
//>   `extern fn back(x: f64, #[linear] g: f64) -> f64;`: here
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> ADC0703: the `vjp` rule of `l` is not linear
//>   `g*g`: a cotangent is multiplied by another here
//>   `rule vjp l(x; g) { back(x, g*g) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> ADC0703: the `vjp` rule of `m` is not linear
//>   `g + 1`: a cotangent is added to something that is not one
//>   `rule vjp m(x; g) { back(x, g + 1) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: ADC0703: the `vjp` rule of `m` is not linear
//>   `g + 1`: a cotangent is added to something that is not one
//>   `rule vjp m(x; g) { back(x, g + 1) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp m(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- a native function that is linear in several parameters together
extern fn k(x: f64) -> f64;
extern fn back(#[linear] g: f64, #[linear] h: f64) -> f64;
rule vjp k(x; g) { back(g, x) }
fn f(x: f64) -> f64 { k(x) }

//> ADC0703: the `vjp` rule of `k` is not linear
//>   `back(g, x)`: a cotangent enters `back`, which is linear in all its `#[linear]` parameters together, and what is given for `h` is not 0
//>   `rule vjp k(x; g) { back(g, x) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: ADC0703: the `vjp` rule of `k` is not linear
//>   `back(g, x)`: a cotangent enters `back`, which is linear in all its `#[linear]` parameters together, and what is given for `h` is not 0
//>   `rule vjp k(x; g) { back(g, x) }`: in this rule
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule jvp k(…)`, or make this rule linear
//> vjp: fine
//> vjp of every parameter: the same

// --- a native function that is linear in all that is differentiated
extern fn back(#[linear] g: f64, n: i64) -> f64;
fn f(x: f64) -> f64 { back(sin(x), 2)*x }

//> jvp: fine
//> vjp: ADC0702: the extern function `back` has no derivative rule for reverse mode
//>   `back(sin(x), 2)`: differentiated with respect to `g` here
//>   `extern fn back(#[linear] g: f64, n: i64) -> f64;`: declared here
//>   = note: `#[linear]` gives forward mode only, with respect to `g`
//>   = help: write `rule vjp back(…)`
//> vjp of every parameter: the same

// --- a native function that is linear in something else
extern fn back(x: f64, #[linear] g: f64) -> f64;
fn f(x: f64) -> f64 { back(x, 2*x) }

//> jvp: ADC0702: the extern function `back` has no derivative rule
//>   `back(x, 2*x)`: differentiated with respect to `x` here
//>   `extern fn back(x: f64, #[linear] g: f64) -> f64;`: declared here
//>   = note: `#[linear]` gives the derivative with respect to `g` only
//>   = help: write `rule vjp back(…)`, `rule jvp back(…)` or `rule partial back(…)`, or mark the parameter `#[nodiff]`
//> vjp: ADC0702: the extern function `back` has no derivative rule
//>   `back(x, 2*x)`: differentiated with respect to `x` here
//>   `extern fn back(x: f64, #[linear] g: f64) -> f64;`: declared here
//>   = note: `#[linear]` gives the derivative with respect to `g` only
//>   = help: write `rule vjp back(…)`, or mark the parameter `#[nodiff]`
//> vjp of every parameter: the same

// --- a nonlinear rule
fn clip(x: f64) -> f64 { x }
#[nonlinear]
rule vjp clip(x; g) { clamp(g, -1, 1) }
fn f(x: f64) -> f64 { clip(x)^2 }

//> jvp: ADC0703: `clip` has no derivative in forward mode
//>   `clip(x)`: its tangent is needed here
//>   `rule vjp clip(x; g) { clamp(g, -1, 1) }`: this `#[nonlinear]` rule has no transpose
//>   = help: use reverse mode (`grad`, `vjp`), or write `rule jvp clip(…)`
//> vjp: fine
//> vjp of every parameter: the same

// --- a nonlinear rule, and one for forward mode
fn clip(x: f64) -> f64 { x }
#[nonlinear]
rule vjp clip(x; g) { clamp(g, -1, 1) }
rule jvp clip(x; dx) { dx }
fn f(x: f64) -> f64 { clip(x)^2 }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same

// --- a rule made of the derivative of another function
fn other(x: f64, y: f64) -> f64 { x^2*y }
fn h(x: f64, y: f64) -> f64 { x^2*y }
rule vjp h(x, y; g) { vjp(other)(x, y; g) }
fn f(x: f64) -> f64 { h(x, sin(x)) }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same

// --- the value beside the derivative of another function
fn other(x: f64, y: f64) -> f64 { x^2*y }
fn h(x: f64, y: f64) -> f64 { x^2*y }
rule jvp h(x, y; dx, dy) { let (value, tangent) = value_and_jvp(other)(x, y; dx, dy); tangent }
fn f(x: f64) -> f64 { h(x, sin(x)) }

//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same

// --- a tangent beside one that is not 0
fn other(x: f64, y: f64) -> f64 { x^2*y }
fn h(x: f64) -> f64 { x^3 }
rule jvp h(x; dx) { jvp(other)(x, x; dx, 1) }
fn f(x: f64) -> f64 { h(x) }

//> ADC0703: the `jvp` rule of `h` is not linear
//>   `jvp(other)(x, x; dx, 1)`: a tangent enters `jvp.other`, which is linear in all its seeds together, and what is given for `y_dot` is not 0
//>   `rule jvp h(x; dx) { jvp(other)(x, x; dx, 1) }`: in this rule
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: ADC0703: the `jvp` rule of `h` is not linear
//>   `jvp(other)(x, x; dx, 1)`: a tangent enters `jvp.other`, where it enters `other.jvp`, where it is added to something that is not one
//>   `rule jvp h(x; dx) { jvp(other)(x, x; dx, 1) }`: in this rule
//>   `x^2*y`: here
//>   = note: a tangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = note: the derivative asked for needs the other mode, so the rule has to be transposed
//>   = help: write `rule vjp h(…)`, or make this rule linear
//> vjp of every parameter: the same

// --- a derivative at a cotangent
fn other(x: f64, y: f64) -> f64 { x^2*y }
fn h(x: f64) -> f64 { x^3 }
rule vjp h(x; g) { grad(other, wrt = 0)(g, x) }
fn f(x: f64) -> f64 { h(x) }

//> ADC0703: the `vjp` rule of `h` is not linear
//>   `grad(other, wrt = 0)(g, x)`: a cotangent enters `grad.other`, where it is the argument `x` at which `other` is differentiated, which need not be linear
//>   `rule vjp h(x; g) { grad(other, wrt = 0)(g, x) }`: in this rule
//>   `fn other(x: f64, y: f64) -> f64 { x^2*y }`: here
//>   = note: a cotangent may be added to another, negated, conjugated, split by `re` and `im`, and scaled by values that do not depend on it
//>   = help: make the rule linear
//> jvp: fine
//> vjp: the same
//> vjp of every parameter: the same
