// Rules, blocks and operators as people write them who have read half the book.

// --- a vjp rule with one result too few
fn f(x: f64, y: f64) -> f64 { x*y }
rule vjp f(x, y; g) { g*y }

//> error[ADC0204]: this is f64, but the vjp rule of `f` gives (f64, f64)
//>   ^ 3:23-3:26 `g*y`: f64
//>   = help: one cotangent for each of x, y, as a tuple: `(…, …)`

// --- a vjp rule with a list
fn f(x: f64, y: f64) -> f64 { x*y }
rule vjp f(x, y; g) { [g*y, g*x] }

//> error[ADC0219]: this is f64[2], but the vjp rule of `f` gives (f64, f64)
//>   ^ 3:23-3:33 `[g*y, g*x]`: f64[2]
//>   = help: one cotangent for each of x, y, as a tuple: `(…, …)`

// --- a vjp rule of an array with a scalar result
fn f[N](x: f64[N]) -> f64 { sum(x^2) }
rule vjp f(x; g) { 2*g }

//> error[ADC0219]: this is f64, but the vjp rule of `f` gives f64[N]
//>   ^ 3:20-3:23 `2*g`: f64
//>   = help: the cotangent of `x` has its shape: a value for each entry

// --- a rule without `;`
fn f(x: f64) -> f64 { x^3 }
rule vjp f(x, g) { 3*x^2*g }

//> error[ADC0105]: expected `;` and the cotangents, found `)`
//>   ^ 3:16-3:17 `)`: the cotangents follow the parameters
//>   = help: write `rule vjp f(x; g) { … }`

// --- a rule with types
fn f(x: f64) -> f64 { x^3 }
rule vjp f(x: f64; g: f64) -> f64 { 3*x^2*g }

//> error[ADC0112]: a type in the head of a rule
//>   ^ 3:13-3:14 `:`: the types are those of `f`
//>   = help: write names alone, and no result: `rule vjp f(x; g) { … }`

// --- a rule without its kind
fn f(x: f64) -> f64 { x^3 }
rule f(x; g) { 3*x^2*g }

//> error[ADC0105]: expected `jvp`, `vjp` or `partial`, found `f`
//>   ^ 3:6-3:7 `f`: in a `rule`
//>   = help: write the kind: `rule vjp f(x; g) { … }`, `rule jvp f(x; dx) { … }`

// --- a rule of an unknown kind
fn f(x: f64) -> f64 { x^3 }
rule grad f(x) { 3*x^2 }

//> error[ADC0105]: expected `jvp`, `vjp` or `partial`, found `grad`
//>   ^ 3:6-3:10 `grad`: in a `rule`
//>   = help: a rule is `rule vjp f(x; g) { … }` (times the cotangent `g`), `rule jvp f(x; dx) { … }` (times the tangent) or `rule partial f(x) { d x: …; }`

// --- two cotangents
fn f(x: f64, y: f64) -> f64 { x*y }
rule vjp f(x, y; gx, gy) { (gx*y, gy*x) }

//> error[ADC0704]: the vjp rule of `f` needs 1 cotangent, but names 2
//>   ^ 3:10-3:11 `f`: 2 behind the `;`
//>   - 2:1-2:28 `fn f(x: f64, y: f64) -> f64`: the function
//>   = help: write `rule vjp f(x, y; g) { … }`: one cotangent (a tuple if there are several results), and one value for each differentiable parameter, `(…, …)`

// --- one tangent for two parameters
fn f(x: f64, y: f64) -> f64 { x*y }
rule jvp f(x, y; dx) { dx*y }

//> error[ADC0704]: the jvp rule of `f` needs 2 tangents, but names 1
//>   ^ 3:10-3:11 `f`: 1 behind the `;`
//>   - 2:1-2:28 `fn f(x: f64, y: f64) -> f64`: the function
//>   = help: one tangent for each differentiable parameter: x, y

// --- a partial with `=`
fn f(x: f64) -> f64 { x^3 }
rule partial f(x) { d x = 3*x^2; }

//> error[ADC0105]: expected `:`, found `=`
//>   ^ 3:25-3:26 `=`: in a line of a `rule partial`
//>   = help: write `d x: …;`

// --- a partial with a value
fn f(x: f64) -> f64 { x^3 }
rule partial f(x) { 3*x^2 }

//> error[ADC0105]: expected `d` or `dconj`, found `3`
//>   ^ 3:21-3:22 `3`: each line gives the derivative by one parameter
//>   = help: write `d x: …;` for each parameter, of a complex one also `dconj x: …;`; a line's value may be a block, `{ let a = …; a*a }`

// --- a partial with dx
fn f(x: f64) -> f64 { x^3 }
rule partial f(x) { dx: 3*x^2; }

//> error[ADC0105]: expected `d` or `dconj`, found `dx`
//>   ^ 3:21-3:23 `dx`: each line gives the derivative by one parameter
//>   = help: write `d x: …;`, with a blank

// --- a partial of another name
fn f(x: f64) -> f64 { x^3 }
rule partial f(x) { d y: 3*x^2; }

//> error[ADC0704]: this rule has no parameter `y`
//>   ^ 3:23-3:24 `y`: unknown
//>   = help: the rule's parameters are x

// --- a partial of a reduction
fn f[N](x: f64[N]) -> f64 { sum(x^2) }
rule partial f(x) { d x: 2*x; }

//> error[ADC0704]: `f` does not map arrays element by element, which `rule partial` needs
//>   ^ 3:14-3:15 `f`: here
//>   - 2:1-2:26 `fn f[N](x: f64[N]) -> f64`: the function
//>   = help: write `rule jvp` or `rule vjp`

// --- a rule for a built-in
rule vjp sin(x; g) { g*cos(x) }

//> error[ADC0201]: no function called `sin`
//>   ^ 2:10-2:13 `sin`: this is a built-in
//>   = help: define a function that calls it: `fn my_sin(x: f64) -> f64 { sin(x) }`

// --- a rule in front of nothing
rule vjp sinn(x; g) { g*cos(x) }

//> error[ADC0201]: no function called `sinn`
//>   ^ 2:10-2:14 `sinn`: not defined in this file or the files it uses
//>   = help: declare it first: `fn f(x: f64) -> f64 { … }`

// --- a rule with the cotangent of an integer parameter
fn f(x: f64, n: i64) -> f64 { x^n }
rule vjp f(x, n; g) { (f64(n)*x^(n - 1)*g, 0) }

//> error[ADC0204]: this is (f64, i64), but the vjp rule of `f` gives f64
//>   ^ 3:23-3:46 `(f64(n)*x^(n - 1)*g, 0)`: (f64, i64)
//>   = help: one cotangent, for `x`: the others are not differentiated

// --- points = 10
fn f(x: f64) -> f64 { x^2 }
check f { points = 10; }

//> error[ADC0218]: `f` has no parameter `points`
//>   ^ 3:11-3:17 `points`: a word of the block
//>   = help: write `points 10;`, without `=`

// --- seed = 1
fn f(x: f64) -> f64 { x^2 }
check f { seed = 1; }

//> error[ADC0218]: `f` has no parameter `seed`
//>   ^ 3:11-3:15 `seed`: a word of the block
//>   = help: write `seed 1;`, without `=`

// --- rtol: 1e-3
fn f(x: f64) -> f64 { x^2 }
check f { rtol: 1e-3; }

//> error[ADC0105]: expected a value, found `:`
//>   ^ 3:15-3:16 `:`: nothing stands between the word and its value
//>   = help: write `rtol 1e-3;`

// --- N = 5
fn f[N](x: f64[N]) -> f64 { sum(x^2) }
check f { N = 5; }

//> error[ADC0218]: `f` has no parameter `N`
//>   ^ 3:11-3:12 `N`: a dimension
//>   = help: write `check f[N = 5] { … }`

// --- N = 5 in parentheses
fn f[N](x: f64[N]) -> f64 { sum(x^2) }
check f(N = 5) { }

//> error[ADC0105]: expected `{`, found `(`
//>   ^ 3:8-3:9 `(`: in a `check` block
//>   = help: dimensions are in square brackets, `check f[N = 5] { … }`, values in the block: `x = 2.0;`

// --- an unknown name
fn f(x: f64, y: f64) -> f64 { x*y }
check f { z ~ normal(0, 1); }

//> error[ADC0218]: `f` has no parameter `z`
//>   ^ 3:11-3:12 `z`: unknown
//>   = help: its parameters are x, y

// --- an unknown name with a value
fn f(x: f64, y: f64) -> f64 { x*y }
check f { tolerance = 1e-3; }

//> error[ADC0218]: `f` has no parameter `tolerance`
//>   ^ 3:11-3:20 `tolerance`: a word of the block
//>   = help: write `rtol 1e-3;`, without `=`

// --- an unknown word
fn f(x: f64, y: f64) -> f64 { x*y }
check f { samples 20; }

//> error[ADC0105]: expected a line of a `check` block, found `samples`
//>   ^ 3:11-3:18 `samples`: did you mean `points`?
//>   = help: write `points`
//>   ? write `points`: 3:11-3:18 `samples` -> `points`

// --- x = normal(0, 1)
fn f(x: f64) -> f64 { x^2 }
check f { x = normal(0, 1); }

//> error[ADC0218]: `normal` is a distribution, not a value
//>   ^ 3:15-3:27 `normal(0, 1)`: `=` is for values
//>   = help: write `x ~ normal(0, 1);`

// --- x ~ Normal(0, 1)
fn f(x: f64) -> f64 { x^2 }
check f { x ~ Normal(0, 1); }

//> error[ADC0218]: no distribution called `Normal`
//>   ^ 3:15-3:21 `Normal`: did you mean `normal`?
//>   = help: one of normal, uniform, lognormal, int, choice, disk, annulus, near
//>   ? write `normal`: 3:15-3:21 `Normal` -> `normal`

// --- x ~ gaussian
fn f(x: f64) -> f64 { x^2 }
check f { x ~ gaussian(0, 1); }

//> error[ADC0218]: no distribution called `gaussian`
//>   ^ 3:15-3:23 `gaussian`: did you mean `normal`?
//>   = help: one of normal, uniform, lognormal, int, choice, disk, annulus, near
//>   ? write `normal`: 3:15-3:23 `gaussian` -> `normal`

// --- x ~ N(0, 1)
fn f(x: f64) -> f64 { x^2 }
check f { x ~ N(0, 1); }

//> error[ADC0218]: no distribution called `N`
//>   ^ 3:15-3:16 `N`: did you mean `normal`?
//>   = help: one of normal, uniform, lognormal, int, choice, disk, annulus, near
//>   ? write `normal`: 3:15-3:16 `N` -> `normal`

// --- x ~ uniform of one number
fn f(x: f64) -> f64 { x^2 }
check f { x ~ uniform(1); }

//> error[ADC0218]: `uniform` takes 2 arguments
//>   ^ 3:11-3:25 `x ~ uniform(1)`: here
//>   = help: write `x ~ uniform(-1, 1);`

// --- x in 0..1
fn f(x: f64) -> f64 { x^2 }
check f { x in 0..1; }

//> error[ADC0105]: expected an interval, found `0`
//>   ^ 3:16-3:17 `0`: in a domain
//>   = help: for example `in [0, 1]`, `in (0, INF)`, `in disk(2)`

// --- x > 0
fn f(x: f64) -> f64 { log(x) }
check f { x > 0; }

//> error[ADC0105]: expected a line of a `check` block, found `x`
//>   ^ 3:11-3:12 `x`: a bound is an interval
//>   = help: write `x in (0, 10];`, with finite bounds, or `x ~ lognormal(0, 1);`

// --- lines without `;`
fn f(x: f64, y: f64) -> f64 { x*y }
check f {
    x ~ normal(0, 1)
    y = 2.0
}

//> error[ADC0105]: expected `;`, found `y`
//>   ^ 4:20-4:21 `)`: `;` is missing behind a line of the block
//>   = help: end it with `;`
//>   ! insert `;`: 4:21-4:21 `` -> `;`

// --- with respect to an unknown name
fn f(x: f64, y: f64) -> f64 { x*y }
check f { wrt z; }

//> error[ADC0218]: `f` has no parameter `z`
//>   ^ 3:15-3:16 `z`: unknown
//>   = help: its parameters are x, y

// --- wrt = x
fn f(x: f64, y: f64) -> f64 { x*y }
check f { wrt = x; }

//> error[ADC0218]: `f` has no parameter `wrt`
//>   ^ 3:11-3:14 `wrt`: a word of the block
//>   = help: write `wrt x;`, without `=`

// --- wrt an integer
fn f(x: f64, n: i64) -> f64 { x^n }
check f { wrt n; }

//> error[ADC0701]: `n` is i64 and carries no derivative
//>   ^ 3:15-3:16 `n`: cannot be in `wrt`
//>   - 2:14-2:20 `n: i64`: declared here
//>   = help: leave `n` out of `wrt`

// --- modes
fn f(x: f64) -> f64 { x^2 }
check f { modes reverse; }

//> error[ADC0218]: no mode called `reverse`
//>   ^ 3:17-3:24 `reverse`: unknown
//>   = help: one of slow, fast, forward, gradgrad

// --- mode
fn f(x: f64) -> f64 { x^2 }
check f { mode fast; }

//> error[ADC0105]: expected a line of a `check` block, found `mode`
//>   ^ 3:11-3:15 `mode`: did you mean `modes`?
//>   = help: write `modes`
//>   ? write `modes`: 3:11-3:15 `mode` -> `modes`

// --- expect
fn f(x: f64) -> f64 { x^2 }
check f { expect failure; }

//> error[ADC0218]: no verdict called `failure`
//>   ^ 3:18-3:25 `failure`: unknown
//>   = help: one of ok, fail, error, kink, imprecise, unstable, out_of_domain, unsure, unchecked, wrong, inconsistent, bad_kink, discontinuous, nondeterministic, nan

// --- an array for a number
fn f(x: f64) -> f64 { x^2 }
check f { x = [1.0, 2.0]; }

//> error[ADC0218]: `x` is a number, but this is an array
//>   ^ 3:15-3:25 `[1.0, 2.0]`: of sizes [2]
//>   = help: `x` is declared f64

// --- an array of another size
fn f(x: f64[3]) -> f64 { sum(x) }
check f { x = [1.0, 2.0]; }

//> error[ADC0218]: axis 0 of `x` has size 3, but 2 here
//>   ^ 3:15-3:25 `[1.0, 2.0]`: of sizes [2]
//>   = help: `x` is declared with the sizes [3]

// --- zeros(N) in a block without N
fn f[N](x: f64[N]) -> f64 { sum(x) }
check f { x = zeros(N); }

//> error[ADC0201]: no dimension called `N`
//>   ^ 3:21-3:22 `N`: not defined here
//>   = help: declare it at the function: `fn f[N](…)`; in a block sizes are numbers

// --- a block of two functions
fn f(x: f64) -> f64 { x^2 }
fn g(x: f64) -> f64 { x^2 }
check f, g { }

//> error[ADC0105]: expected `{`, found `,`
//>   ^ 4:8-4:9 `,`: in a `check` block
//>   = help: write a block for each function: `check f { … }`

// --- a block without a function
fn f(x: f64) -> f64 { x^2 }
check { x ~ normal(0, 1); }

//> error[ADC0105]: expected the name of a function, found `{`
//>   ^ 3:7-3:8 `{`: in a `check` block
//>   = help: write `check f { … }`

// --- a block with a call
fn f(x: f64) -> f64 { x^2 }
check f(2.0)

//> error[ADC0105]: expected `{`, found `(`
//>   ^ 3:8-3:9 `(`: in a `check` block
//>   = help: values are in the block: `check f { x = 2.0; }`

// --- a block of a built-in
check sin { }

//> error[ADC0201]: no function called `sin`
//>   ^ 2:7-2:10 `sin`: this is a built-in
//>   = help: define a function that calls it: `fn my_sin(x: f64) -> f64 { sin(x) }`

// --- a domain with a word
fn f(x: f64 > 0) -> f64 { log(x) }

//> error[ADC0106]: a comparison behind a type
//>   ^ 2:13-2:14 `>`: bounds are a domain
//>   = help: write `x: f64 in (0, INF)`, with round brackets for open ends

// --- a domain in braces
fn f(x: f64 in {1, 2}) -> f64 { log(x) }

//> error[ADC0105]: expected an interval, found `{`
//>   ^ 2:16-2:17 `{`: in a domain
//>   = help: for example `in [0, 1]`, `in (0, INF)`, `in disk(2)`

// --- a domain without a bracket
fn f(x: f64 in 0..1) -> f64 { log(x) }

//> error[ADC0105]: expected an interval, found `0`
//>   ^ 2:16-2:17 `0`: in a domain
//>   = help: for example `in [0, 1]`, `in (0, INF)`, `in disk(2)`

// --- an unbounded domain
fn f(x: f64 in [0, ∞)) -> f64 { sqrt(x) }

//> error[ADC0101]: `∞` is not part of the language
//>   ^ 2:20-2:21 `∞`: no token starts with this
//>   = help: infinity is written `INF`

// --- an unbounded domain with inf
fn f(x: f64 in [0, inf)) -> f64 { sqrt(x) }

//> error[ADC0201]: no variable or constant called `inf`
//>   ^ 2:20-2:23 `inf`: did you mean `INF`?
//>   ? write `INF`: 2:20-2:23 `inf` -> `INF`

// --- grad of a complex function
fn g(z: c128) -> c128 { z^2 }
fn f(z: c128) -> c128 { grad(g)(z) }

//> error[ADC0706]: `grad` needs one real scalar, but `g` returns c128
//>   ^ 3:30-3:31 `g`: c128
//>   - 3:25-3:29 `grad`: this operator
//>   = help: make it real, with `re` or `abs2` in a function of its own, or ask for `vjp(g)(…; g)`

// --- grad of an array function
fn g[N](x: f64[N]) -> f64[N] { x^2 }
fn f[N](x: f64[N]) -> f64[N] { grad(g)(x) }

//> error[ADC0706]: `grad` needs one real scalar, but `g` returns f64[N]
//>   ^ 3:37-3:38 `g`: f64[N]
//>   - 3:32-3:36 `grad`: this operator
//>   = help: reduce it to a number in a function of its own, or ask for `vjp(g)(…; g)` or `jacobian(g)(…)`

// --- grad of an integer parameter
fn g(n: i64) -> f64 { f64(n) }
fn f(n: i64) -> f64 { grad(g)(n) }

//> error[ADC0701]: `g` has no parameter to differentiate with respect to
//>   ^ 3:28-3:29 `g`: no real or complex parameter
//>   = help: make a parameter `f64`, or remove its `#[nodiff]`

// --- wrt an unknown name in an operator
fn g(x: f64, y: f64) -> f64 { x*y }
fn f(x: f64) -> f64 { grad(g, wrt = z)(x, x) }

//> error[ADC0707]: `g` has no parameter `z`
//>   ^ 3:37-3:38 `z`: unknown
//>   - 2:1-2:28 `fn g(x: f64, y: f64) -> f64`: the function
//>   = help: its parameters are `x`, `y`

// --- wrt as a string
fn g(x: f64, y: f64) -> f64 { x*y }
fn f(x: f64) -> f64 { grad(g, wrt = "x")(x, x) }

//> error[ADC0105]: expected the name of a parameter, found `"x"`
//>   ^ 3:37-3:40 `"x"`: a string
//>   = help: write `wrt = x`

// --- jvp without a tangent
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { jvp(g)(x) }

//> error[ADC0203]: `jvp(g)` takes 1 tangent, but none is given
//>   ^ 3:23-3:32 `jvp(g)(x)`: 0 behind the `;`
//>   = help: one for each parameter in `wrt`: `jvp(g)(…; v)`

// --- jvp with a comma
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { jvp(g)(x, 1.0) }

//> error[ADC0203]: `jvp(g)` takes its tangents behind a `;`
//>   ^ 3:23-3:37 `jvp(g)(x, 1.0)`: only commas
//>   = help: write `jvp(g)(x; 1.0)`

// --- hvp of two parameters
fn g(x: f64, y: f64) -> f64 { x^2*y }
fn f(x: f64) -> f64 { hvp(g)(x, x; 1.0) }

//> error[ADC0203]: `hvp(g)` takes 2 tangents, but 1 is given
//>   ^ 3:36-3:39 `1.0`: 1 behind the `;`
//>   = help: one for each parameter in `wrt`: `hvp(g)(…; v0, v1)`

// --- d/dx
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { d(g(x))/d(x) }

//> error[ADC0201]: no function or op called `d`
//>   ^ 3:23-3:24 `d`: not part of the language
//>   = help: write `grad(f)(x)`, of one parameter `grad(f, wrt = x)(x, y)`

// --- a prime
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { g'(x) }

//> error[ADC0209]: this cannot be called
//>   ^ 3:23-3:25 `g'`: not the name of a function
//>   = help: a derivative is written `grad(g)(x)`

// --- derivative
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { derivative(g)(x) }

//> error[ADC0201]: no function or op called `derivative`
//>   ^ 3:23-3:33 `derivative`: not part of the language
//>   = help: write `grad(f)(x)`, of one parameter `grad(f, wrt = x)(x, y)`

// --- a function value in a variable
fn f(x: f64) -> f64 {
    let g = sin;
    g(x)
}

//> error[ADC0204]: `sin` is a function, not a value
//>   ^ 3:13-3:16 `sin`: a function
//>   = help: call it, `sin(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function

// --- a function parameter without its type
fn f(g: fn, x: f64) -> f64 { g(x) }

//> error[ADC0105]: expected `(`, found `,`
//>   ^ 2:11-2:12 `,`: in a function type
//>   = help: write its parameters and result: `fn(f64) -> f64`

// --- a function type in another form
fn f(g: f64 -> f64, x: f64) -> f64 { g(x) }

//> error[ADC0105]: expected `,` or `)`, found `->`
//>   ^ 2:13-2:15 `->`: in the parameters of `f`
//>   = help: a function type is written `fn(f64) -> f64`

// --- a function with another signature as argument
fn h(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn g(x: f64, y: f64) -> f64 { x*y }
fn k(x: f64) -> f64 { h(g, x) }

//> error[ADC0204]: expected a fn(f64) -> f64, but `g` is fn(f64, f64) -> f64
//>   ^ 4:25-4:26 `g`: does not fit
//>   = help: parameters and result must be of exactly these types

// --- a call as argument where a function belongs
fn h(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn k(x: f64) -> f64 { h(sin(x), x) }

//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 3:25-3:31 `sin(x)`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`

// --- a dimension that was not declared
fn f(x: f64[N]) -> f64 { sum(x) }

//> error[ADC0201]: no dimension called `N`
//>   ^ 2:13-2:14 `N`: not defined here
//>   = help: declare it at the function: `fn f[N](…)`; in a block sizes are numbers

// --- a dimension that no argument gives
fn g[N]() -> f64[N] { zeros(N) }
fn f(x: f64) -> f64 { x + sum(g()) }

//> error[ADC0221]: dimension `N` of `g` follows from no argument
//>   ^ 3:31-3:34 `g()`: `N` is not known here
//>   - 2:6-2:7 `N`: no parameter has it as a bare size
//>   = help: give it: `g[N = …](…)`

// --- a size that depends on a value
fn f(n: i64, x: f64) -> f64[n] { fill(x, n) }

//> error[ADC0201]: no dimension called `n`
//>   ^ 2:29-2:30 `n`: not defined here
//>   = help: declare it at the function: `fn f[n](…)`; in a block sizes are numbers

// --- a comprehension with a size known at run time
fn f(n: i64, x: f64) -> f64 { sum([x for i in 0..n]) }

//> error[ADC0220]: `n` is not a dimension, so it cannot be in the range of a comprehension
//>   ^ 2:47-2:51 `0..n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument

// --- a bare index that indexes nothing
fn f(x: f64) -> f64 { sum(x*i for i) }

//> error[ADC0204]: `*` cannot take f64 and i64
//>   ^ 2:27-2:30 `x*i`: there is no implicit conversion
//>   - 2:27-2:28 `x`: f64
//>   - 2:29-2:30 `i`: i64
//>   = help: write `f64(i)`

// --- two sizes for one bare index
fn f[N, M](x: f64[N], y: f64[M]) -> f64 { sum(x[i]*y[i] for i) }

//> error[ADC0219]: `i` runs over an axis of size N and one of size M
//>   ^ 2:54-2:55 `i`: size M
//>   - 2:49-2:50 `i`: size N
//>   = help: say which: `for i in 0..N`

// --- an attribute that is not there
#[jit]
fn f(x: f64) -> f64 { x^2 }

//> error[ADC0216]: unknown attribute `jit`
//>   ^ 2:3-2:6 `jit`: no attribute of this name
//>   = help: there are `allow`, `inline`, `fp`, `nodiff`, `check`, `linear`, `nonlinear`, `checkpoint`

// --- an attribute at the wrong place
#[nodiff]
fn f(x: f64) -> f64 { x^2 }

//> error[ADC0216]: `#[nodiff]` does not belong here
//>   ^ 2:1-2:10 `#[nodiff]`: goes on a parameter
//>   = help: put it right before a parameter, or remove it

// --- extern with a body
extern fn f(x: f64) -> f64 { x^2 }

//> error[ADC0112]: an `extern fn` with a body
//>   ^ 2:28-2:29 `{`: native code is its body
//>   = help: end it with `;`, or drop `extern`

// --- use without quotes
use helpers;
fn f(x: f64) -> f64 { x^2 }

//> error[ADC0105]: expected a string, found `helpers`
//>   ^ 2:5-2:12 `helpers`: `use` takes the path of a file
//>   = help: write `use "other.dsl";`, relative to this file

// --- a tuple as parameter
fn f(p: (f64, f64)) -> f64 { 0 }

//> error[ADC0204]: a parameter cannot be a tuple
//>   ^ 2:9-2:19 `(f64, f64)`: here
//>   = help: make each part a parameter of its own

// --- a part of a tuple
fn g(x: f64) -> (f64, f64) { (x, -x) }
fn f(x: f64) -> f64 { g(x).0 }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 3:27-3:28 `.`: not part of the language
//>   = help: parts of a tuple get names: `let (a, b) = t;`; a real is written `0.5`

// --- a part of a tuple by index
fn g(x: f64) -> (f64, f64) { (x, -x) }
fn f(x: f64) -> f64 { g(x)[0] }

//> error[ADC0222]: `g` returns (f64, f64), which has no entries
//>   ^ 3:23-3:30 `g(x)[0]`: only arrays can be indexed
//>   = help: take the tuple apart: `let (a, b) = …;`

// --- a tuple is not a number
fn g(x: f64) -> (f64, f64) { (x, -x) }
fn f(x: f64) -> f64 { g(x) + 1 }

//> error[ADC0204]: `+` takes numbers, but `g` returns (f64, f64)
//>   ^ 3:23-3:27 `g(x)`: (f64, f64)
//>   = help: take it apart: `let (a, b) = …;`
