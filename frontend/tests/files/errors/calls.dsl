

// --- numbers of arguments
fn g(x: f64) -> f64 { x }
fn f(x: f64) -> f64 { g() + g(x, x) + sin(x, x) + clamp(x) + pow(x) }

//> error[ADC0203]: `g` takes 1 argument, but none is given
//>   ^ 3:23-3:26 `g()`: 0 arguments
//>   - 2:1-2:20 `fn g(x: f64) -> f64`: declared here
//> error[ADC0203]: `g` takes 1 argument, but 2 are given
//>   ^ 3:29-3:36 `g(x, x)`: 2 arguments
//>   - 2:1-2:20 `fn g(x: f64) -> f64`: declared here
//> error[ADC0203]: `sin` takes 1 argument, but 2 are given
//>   ^ 3:39-3:48 `sin(x, x)`: 2 arguments
//> error[ADC0203]: `clamp` takes 3 arguments, but 1 is given
//>   ^ 3:51-3:59 `clamp(x)`: 1 argument
//> error[ADC0203]: `pow` takes 2 arguments, but 1 is given
//>   ^ 3:62-3:68 `pow(x)`: 1 argument

// --- a call that fails still has a type, and its arguments are looked at
fn g(x: f64) -> f64 { x }
fn f(x: f64) -> f64 { let n: i64 = g(); g(y, z) }

//> error[ADC0203]: `g` takes 1 argument, but none is given
//>   ^ 3:36-3:39 `g()`: 0 arguments
//>   - 2:1-2:20 `fn g(x: f64) -> f64`: declared here
//> error[ADC0204]: this is f64, but `n` is declared i64
//>   ^ 3:36-3:39 `g()`: f64
//>   - 3:30-3:33 `i64`: declared here
//>   = help: `i64(g())` truncates; `round` or `floor` it first if you mean that, or drop `: i64`
//> error[ADC0203]: `g` takes 1 argument, but 2 are given
//>   ^ 3:41-3:48 `g(y, z)`: 2 arguments
//>   - 2:1-2:20 `fn g(x: f64) -> f64`: declared here
//> error[ADC0201]: no variable or constant called `y`
//>   ^ 3:43-3:44 `y`: not defined here
//>   = help: declare it before: `let y = …;` here, as a parameter of the function, or `const y: f64 = …;`
//> error[ADC0201]: no variable or constant called `z`
//>   ^ 3:46-3:47 `z`: not defined here
//>   = help: declare it before: `let z = …;` here, as a parameter of the function, or `const z: f64 = …;`

// --- tangents behind a plain call, a hole outside a function argument
fn g(x: f64) -> f64 { x }
fn f(x: f64) -> f64 { g(_) + g(x) }

//> error[ADC0204]: `_` stands for an argument that is left open
//>   ^ 3:25-3:26 `_`: nothing is left open here
//>   = help: `f(_, p)` is a function, to be passed as an argument

// --- recursion
fn f(x: f64) -> f64 { if x > 0 { f(x - 1) } else { 0 } }

//> error[ADC0211]: `f` calls itself
//>   ^ 2:34-2:42 `f(x - 1)`: closes the cycle f -> f
//>   - 2:4-2:5 `f`: the function
//>   = help: recursion is allowed over dimensions only; write a loop

// --- mutual recursion
fn a(x: f64) -> f64 { b(x) }
fn b(x: f64) -> f64 { c(x) + 1 }
fn c(x: f64) -> f64 { 2*a(x) }
fn d(x: f64) -> f64 { a(x) + d(x) }

//> error[ADC0211]: `a` calls itself
//>   ^ 4:25-4:29 `a(x)`: closes the cycle a -> b -> c -> a
//>   - 2:4-2:5 `a`: the function
//>   = help: recursion is allowed over dimensions only; write a loop
//> error[ADC0211]: `d` calls itself
//>   ^ 5:30-5:34 `d(x)`: closes the cycle d -> d
//>   - 5:4-5:5 `d`: the function
//>   = help: recursion is allowed over dimensions only; write a loop

// --- recursion through a function argument
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn f(x: f64) -> f64 { apply(f, x) }

//> error[ADC0211]: `f` calls itself
//>   ^ 3:29-3:30 `f`: closes the cycle f -> f
//>   - 3:4-3:5 `f`: the function
//>   = help: recursion is allowed over dimensions only; write a loop

// --- function arguments that do not fit
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn two(x: f64, y: f64) -> f64 { x }
fn z(x: c128) -> c128 { x }
fn f(x: f64) -> f64 {
    apply(two, x) + apply(z, x) + apply(x, x) + apply(hypot, x) + apply(isnan, x) + apply(nope, x)
        + apply(two(_, _), x) + apply(two(x, x), x) + apply(two(_, true), x) + apply(hypot(_, x), x) + apply(2*x, x)
}

//> error[ADC0204]: expected a fn(f64) -> f64, but `two` is fn(f64, f64) -> f64
//>   ^ 6:11-6:14 `two`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0204]: expected a fn(f64) -> f64, but `z` is fn(c128) -> c128
//>   ^ 6:27-6:28 `z`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 6:41-6:42 `x`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`
//> error[ADC0204]: `hypot` is not a fn(f64) -> f64
//>   ^ 6:55-6:60 `hypot`: does not fit
//>   = help: write a function of that type that calls `hypot`
//> error[ADC0204]: expected a fn(f64) -> f64, but `isnan` is fn(f64) -> bool
//>   ^ 6:73-6:78 `isnan`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0201]: no function or op called `nope`
//>   ^ 6:91-6:95 `nope`: not defined in this file or the files it uses
//>   = help: `adc explain --list` shows the built-in functions; others are declared with `fn`
//> error[ADC0204]: expected a fn(f64) -> f64, but `two(_, _)` is fn(f64, f64) -> f64
//>   ^ 7:17-7:26 `two(_, _)`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 7:39-7:48 `two(x, x)`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`
//> error[ADC0204]: this is bool, but parameter `y` of `two` is f64
//>   ^ 7:68-7:72 `true`: bool
//>   - 3:19-3:22 `f64`: declared here
//>   = help: write `f64(true)`
//> error[ADC0204]: a built-in cannot be applied partially
//>   ^ 7:86-7:97 `hypot(_, x)`: here
//>   = help: write a function that calls `hypot`
//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 7:110-7:113 `2*x`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`

// --- a function parameter is called with other types
fn apply(f: fn(f64, i64) -> f64, x: f64) -> f64 { f(x) + f(x, x) + f }

//> error[ADC0203]: `f` takes 2 arguments, but 1 is given
//>   ^ 2:51-2:55 `f(x)`: 1 argument
//>   - 2:13-2:32 `fn(f64, i64) -> f64`: declared here
//> error[ADC0204]: `x` is f64, but `f` takes i64 here
//>   ^ 2:63-2:64 `x`: f64
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0204]: `f` is a function, not a value
//>   ^ 2:68-2:69 `f`: a function
//>   = help: call it, `f(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function

// --- function types that cannot be, built-ins that do not fit them
fn a(f: fn(f64) -> fn(f64) -> f64, x: f64) -> f64 { x }
fn b(f: fn((f64, f64)) -> f64, x: f64) -> f64 { x }
fn c(f: fn(f64) -> (f64, f64), g: fn(fn(f64) -> f64, f64) -> f64, x: f64) -> f64 { x }
fn d(x: f64) -> f64 { let t: (f64, fn(f64) -> f64) = (x, x); c(sin, sin, x) }

//> error[ADC0204]: a function is not a value
//>   ^ 2:20-2:34 `fn(f64) -> f64`: here
//>   = help: functions are named items, or parameters of type `fn(…) -> …`
//> error[ADC0204]: a parameter cannot be a tuple
//>   ^ 3:12-3:22 `(f64, f64)`: here
//>   = help: make each part a parameter of its own
//> error[ADC0204]: a function is not a value
//>   ^ 5:36-5:50 `fn(f64) -> f64`: here
//>   = help: functions are named items, or parameters of type `fn(…) -> …`
//> error[ADC0204]: expected a fn(f64) -> (f64, f64), but `sin` is fn(f64) -> f64
//>   ^ 5:64-5:67 `sin`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0204]: `sin` is not a fn(fn(f64) -> f64, f64) -> f64
//>   ^ 5:69-5:72 `sin`: does not fit
//>   = help: write a function of that type that calls `sin`

// --- recursion over dimensions: smaller ones, by calls, dimensions all the way
fn same[N](x: f64[N]) -> f64 { same(x) }
fn through[N](x: f64[N]) -> f64 { plain(x[0]) }
fn plain(x: f64) -> f64 { through[3]([x, x, x]) }
fn apply[N](f: fn(f64[N]) -> f64, x: f64[N]) -> f64 { f(x) }
fn value[N](x: f64[N]) -> f64 { if N == 0 { 0 } else { apply(value, x[1:]) } }
fn derived[N](x: f64[N]) -> f64 { if N == 0 { 0 } else { sum(grad(derived)(x[1:])) } }
fn fine[N](x: f64[N]) -> f64 { if N == 0 { 0 } else { other(x[1:]) } }
fn other[N](x: f64[N]) -> f64 { if N == 0 { 1 } else { x[0]*fine(x[1:]) } }

//> error[ADC0211]: `same` calls itself with the same dimensions
//>   ^ 2:32-2:39 `same(x)`: never ends
//>   - 2:4-2:8 `same`: the function
//>   = help: make a dimension smaller: `same[N - 1](…)`
//> error[ADC0211]: `through` calls itself
//>   ^ 4:27-4:48 `through[3]([x, x, x])`: closes the cycle through -> plain -> through
//>   - 3:4-3:11 `through`: the function
//>   = help: recursion is allowed over dimensions only; write a loop
//> error[ADC0211]: `value` calls itself
//>   ^ 6:62-6:67 `value`: closes the cycle value -> value
//>   - 6:4-6:9 `value`: the function
//>   = help: within a recursion over dimensions, the function can only be called, not passed or differentiated
//> error[ADC0211]: `derived` calls itself
//>   ^ 7:67-7:74 `derived`: closes the cycle derived -> derived
//>   - 7:4-7:11 `derived`: the function
//>   = help: within a recursion over dimensions, the function can only be called, not passed or differentiated

// --- functions of blocks that are not there, or do not fit
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn two(x: f64, y: f64) -> f64 { x*y }
check apply { f = sine; }
check apply { f = two; }
check apply { f = 3; }

//> error[ADC0201]: no function or op called `sine`
//>   ^ 4:19-4:23 `sine`: did you mean `sinc`?
//>   ? write `sinc`: 4:19-4:23 `sine` -> `sinc`
//> error[ADC0204]: expected a fn(f64) -> f64, but `two` is fn(f64, f64) -> f64
//>   ^ 5:19-5:22 `two`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0218]: `apply` takes a function, which this block does not name
//>   ^ 6:7-6:12 `apply`: takes a function
//>   - 2:1-2:43 `fn apply(f: fn(f64) -> f64, x: f64) -> f64`: declared here
//>   = help: give the name of a function or built-in, nothing more: `f = sin;`; or write a function that calls `apply`, and a `check` block for that
