

// --- results that are not one real scalar
fn c(z: c128) -> c128 { z^2 }
fn t(x: f64) -> (f64, f64) { (x, x) }
fn n(x: f64) -> i64 { i64(x) }
fn g(x: f64, z: c128) -> f64 {
    let a = grad(c)(z);
    let b = value_and_grad(t)(x);
    let d = grad(n)(x);
    let e = jvp(n)(x; 1);
    let f = hvp(c)(z; z);
    x
}

//> error[ADC0706]: `grad` needs one real scalar, but `c` returns c128
//>   ^ 6:18-6:19 `c`: c128
//>   - 6:13-6:17 `grad`: this operator
//>   = help: make it real, with `re` or `abs2` in a function of its own, or ask for `vjp(c)(…; g)`
//> error[ADC0706]: `value_and_grad` needs one real scalar, but `t` returns (f64, f64)
//>   ^ 7:28-7:29 `t`: (f64, f64)
//>   - 7:13-7:27 `value_and_grad`: this operator
//>   = help: write a function that returns the part you mean, or ask for `vjp(t)(…; g)` with a cotangent for each part
//> error[ADC0706]: `grad` needs one real scalar, but `n` returns i64
//>   ^ 8:18-8:19 `n`: i64
//>   - 8:13-8:17 `grad`: this operator
//>   = help: make the result real: `f64(…)` of it has derivative 0
//> error[ADC0705]: `n` has no result that carries a derivative
//>   ^ 9:17-9:18 `n`: returns i64
//>   = help: differentiate a function with a real or complex result
//> error[ADC0706]: `hvp` needs one real scalar, but `c` returns c128
//>   ^ 10:17-10:18 `c`: c128
//>   - 10:13-10:16 `hvp`: this operator
//>   = help: make it real, with `re` or `abs2` in a function of its own, or ask for `vjp(c)(…; g)`

// --- wrt
fn f(x: f64, n: i64, #[nodiff] y: f64) -> f64 { x*y + f64(n) }
fn discrete(n: i64, b: bool) -> f64 { f64(n) }
fn apply(h: fn(f64) -> f64, x: f64) -> f64 { grad(h, wrt = x)(x) + grad(h, wrt = 1)(x) }
fn g(x: f64) -> f64 {
    let a = grad(f, wrt = z)(x, 1, 2);
    let a = grad(f, wrt = n)(x, 1, 2);
    let a = grad(f, wrt = y)(x, 1, 2);
    let a = grad(f, wrt = 7)(x, 1, 2);
    let a = grad(f, wrt = (x, 0))(x, 1, 2);
    let a = grad(discrete)(1, true);
    let a = grad(apply, wrt = h)(sin, x);
    x
}

//> error[ADC0707]: `h` has no parameter `x`
//>   ^ 4:60-4:61 `x`: its parameters have no names
//>   - 4:13-4:27 `fn(f64) -> f64`: the function
//>   = help: give its position: `wrt = 0` is the first parameter of `h`
//> error[ADC0707]: `h` has 1 parameter
//>   ^ 4:82-4:83 `1`: no such position
//>   - 4:13-4:27 `fn(f64) -> f64`: the function
//>   = help: positions begin with 0
//> error[ADC0707]: `f` has no parameter `z`
//>   ^ 6:27-6:28 `z`: unknown
//>   - 2:1-2:46 `fn f(x: f64, n: i64, #[nodiff] y: f64) -> f64`: the function
//>   = help: its parameters are `x`, `n`, `y`
//> error[ADC0701]: `n` of `f` is i64 and carries no derivative
//>   ^ 7:27-7:28 `n`: cannot be in `wrt`
//>   - 2:14-2:20 `n: i64`: declared here
//>   = help: declare `n` `f64`, or leave it out of `wrt`
//> error[ADC0701]: `y` of `f` is `#[nodiff]` and carries no derivative
//>   ^ 8:27-8:28 `y`: cannot be in `wrt`
//>   - 2:32-2:38 `y: f64`: declared here
//>   = help: remove the `#[nodiff]`, or leave `y` out of `wrt`
//> error[ADC0707]: `f` has 3 parameters
//>   ^ 9:27-9:28 `7`: no such position
//>   - 2:1-2:46 `fn f(x: f64, n: i64, #[nodiff] y: f64) -> f64`: the function
//>   = help: positions begin with 0 and end with 2
//> error[ADC0707]: a parameter is in `wrt` twice
//>   ^ 10:31-10:32 `0`: the second time
//>   - 10:28-10:29 `x`: the first time
//>   = help: keep one
//> error[ADC0701]: `discrete` has no parameter to differentiate with respect to
//>   ^ 11:18-11:26 `discrete`: no real or complex parameter
//>   = help: make a parameter `f64`, or remove its `#[nodiff]`
//> error[ADC0701]: `h` of `apply` is fn(f64) -> f64 and carries no derivative
//>   ^ 12:31-12:32 `h`: cannot be in `wrt`
//>   - 4:10-4:27 `h: fn(f64) -> f64`: declared here
//>   = help: leave `h` out of `wrt`

// --- complex parameters of hessians
fn f(z: c128, x: f64) -> f64 { abs2(z)*x }
fn g(z: c128) -> f64 {
    let a = hessian(f)(z, 1);
    let b = hess_diag(f, wrt = z)(z, 1);
    hessian(f, wrt = x)(z, 1)
}

//> error[ADC0706]: `hessian` needs real parameters, but `z` is c128
//>   ^ 4:21-4:22 `f`: complex
//>   = help: write `hvp(f)(…; v)`: the derivative of the gradient along `v`
//> error[ADC0706]: `hess_diag` needs real parameters, but `z` is c128
//>   ^ 5:32-5:33 `z`: complex
//>   = help: write `hvp(f)(…; v)`: the derivative of the gradient along `v`

// --- numbers of arguments and tangents
fn f(x: f64, y: f64) -> f64 { x*y }
fn g(x: f64) -> f64 {
    grad(f)(x)
}
fn h(x: f64) -> f64 {
    let a = grad(f)(x);
    let b = jvp(f)(x, x; 1);
    let c = vjp(f, wrt = x)(x, x);
    let e = jvp(f)(x, true; x, 1);
    x
}

//> error[ADC0203]: `grad(f)` takes 2 arguments, but 1 is given
//>   ^ 4:5-4:15 `grad(f)(x)`: 1 argument
//>   - 2:1-2:28 `fn f(x: f64, y: f64) -> f64`: declared here
//> error[ADC0203]: `grad(f)` takes 2 arguments, but 1 is given
//>   ^ 7:13-7:23 `grad(f)(x)`: 1 argument
//>   - 2:1-2:28 `fn f(x: f64, y: f64) -> f64`: declared here
//> error[ADC0203]: `jvp(f)` takes 2 tangents, but 1 is given
//>   ^ 8:26-8:27 `1`: 1 behind the `;`
//>   = help: one for each parameter in `wrt`: `jvp(f)(…; v0, v1)`
//> error[ADC0203]: `vjp(f, wrt = x)` takes 1 cotangent, but none is given
//>   ^ 9:13-9:34 `vjp(f, wrt = x)(x, x)`: 0 behind the `;`
//>   = help: one for each real or complex result: `vjp(f, wrt = x)(…; v)`
//> error[ADC0204]: this is bool, but parameter `y` of `f` is f64
//>   ^ 10:23-10:27 `true`: bool
//>   - 2:17-2:20 `f64`: declared here
//>   = help: write `f64(true)`

// --- what is no function
fn f(x: f64) -> f64 { grad(x)(x) + grad(2)(x) + grad(nothing)(x) + grad(f)(x) }
const C: f64 = grad(sin)(1);
fn h(x: f64) -> f64 { jvp(sin)(true; 1) + grad(polygamma, wrt = 0)(1, x) }
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn i(x: f64) -> f64 { apply(jvp(sin), x) + apply(grad(sin)(x), x) }

//> error[ADC0204]: expected a function
//>   ^ 2:28-2:29 `x`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`
//> error[ADC0204]: expected a function
//>   ^ 2:41-2:42 `2`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`
//> error[ADC0201]: no function or op called `nothing`
//>   ^ 2:54-2:61 `nothing`: not defined in this file or the files it uses
//>   = help: `adc explain --list` shows the built-in functions; others are declared with `fn`
//> error[ADC0211]: `f` calls itself
//>   ^ 2:73-2:74 `f`: closes the cycle f -> f
//>   - 2:4-2:5 `f`: the function
//>   = help: recursion is allowed over dimensions only; write a loop
//> error[ADC0210]: `C` cannot call `grad`
//>   ^ 3:16-3:28 `grad(sin)(1)`: known at run time only
//>   = help: use literals, constants and built-in functions of them
//> error[ADC0204]: `sin` takes real or complex numbers, but this is bool
//>   ^ 4:32-4:36 `true`: bool
//>   = help: convert it: `f64(true)` is 0 or 1
//> error[ADC0701]: parameter 0 of `polygamma` is i64 and carries no derivative
//>   ^ 4:65-4:66 `0`: cannot be in `wrt`
//>   = help: declare parameter 0 `f64`, or leave it out of `wrt`
//> error[ADC0204]: expected a fn(f64) -> f64, but `jvp(sin)` is fn(f64, f64) -> f64
//>   ^ 6:29-6:37 `jvp(sin)`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 6:50-6:62 `grad(sin)(x)`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`

// --- arrays
fn v[N](x: f64[N]) -> f64[N] { x }
fn half[N](x: f64[N]) -> f64[div(N, 2)] { x[0:div(N, 2)] }
fn free[K](s: f64) -> f64[K] { fill(s, K) }
fn apply[N](f: fn(f64[N]) -> f64[N], x: f64[N]) -> f64[N] { f(x) }
fn two(x: f64[2]) -> f64[2] { x }
fn deep(x: f64[2, 2, 2, 2, 2]) -> f64 { sum(x) }
fn g[N, M](x: f64[N], y: f64[M], z: f64[2, 2, 2, 2, 2]) -> f64 {
    let a = grad(v)(x);
    let b = jacobian(half)(x);
    let c = jacobian(free)(1);
    let d = apply(two, x);
    let e = vjp(v)(x; y);
    let f = jvp(v)(x; 1);
    let h = grad(zeros)(x);
    let i = apply(v[M], x);
    let j = hessian(deep)(z);
    let k = grad(v[3, 4])(x);
    let l = grad(x[0])(x);
    let m = apply(sum, x);
    0
}

//> error[ADC0706]: `grad` needs one real scalar, but `v` returns f64[N]
//>   ^ 9:18-9:19 `v`: f64[N]
//>   - 9:13-9:17 `grad`: this operator
//>   = help: reduce it to a number in a function of its own, or ask for `vjp(v)(…; g)` or `jacobian(v)(…)`
//> error[ADC0221]: dimension `K` of `free` follows from no argument
//>   ^ 11:22-11:26 `free`: `K` is not known here
//>   - 4:9-4:10 `K`: no parameter has it as a bare size
//>   = help: give it: `free[K = …](…)`
//> error[ADC0204]: expected a fn(f64[N]) -> f64[N], but `two` is fn(f64[2]) -> f64[2]
//>   ^ 12:19-12:22 `two`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0219]: `y` is f64[M], but `vjp` takes f64[N] here
//>   ^ 13:23-13:24 `y`: f64[M]
//>   = help: `M` and `N` may differ: give both the same dimension
//> error[ADC0219]: this is i64, but `jvp` takes f64[N] here
//>   ^ 14:23-14:24 `1`: i64
//>   = help: `fill(1, N)` is an array of it
//> error[ADC0204]: `zeros` takes sizes, which are not values
//>   ^ 15:18-15:23 `zeros`: cannot be used as a function here
//>   = help: write a function that calls `zeros`
//> error[ADC0204]: expected a fn(f64[N]) -> f64[N], but `v[M]` is fn(f64[M]) -> f64[M]
//>   ^ 16:19-16:23 `v[M]`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0224]: arrays have at most 8 axes
//>   ^ 17:13-17:26 `hessian(deep)`: 10 axes
//>   = help: use several arrays
//> error[ADC0203]: `v` has 1 dimension, but 2 given
//>   ^ 18:23-18:24 `4`: one too many
//>   - 2:1-2:29 `fn v[N](x: f64[N]) -> f64[N]`: declared here
//>   = help: its dimensions are N
//> error[ADC0203]: `x` has no dimensions
//>   ^ 19:20-19:21 `0`: dimensions
//>   = help: only functions declared with `fn f[N](…)` take them
//> error[ADC0204]: expected a fn(f64[N]) -> f64[N], but `sum` is fn(f64[N]) -> f64
//>   ^ 20:19-20:22 `sum`: does not fit
//>   = help: parameters and result must be of exactly these types

// --- sizes that leave the bounds
fn f[N](x: f64[N]) -> f64[N*N*N*N*N*N*N*N] { zeros(N*N*N*N*N*N*N*N) }
fn h[N](x: f64[N], y: f64[N*N*N*N*N*N*N*N]) -> f64 { sum(x) }
fn g[M](x: f64[M*M*M]) -> f64 { sum(f(x)) + sum(jacobian(f)(x)) + sum(grad(h, wrt = x)(x, zeros(1))) }

//> error[ADC0220]: a size that is too large
//>   ^ 4:31-4:103 `{ sum(f(x)) + sum(jacobian(f)(x)) + sum(grad(h, wrt = x)(x, zeros(1))) }`: its normal form has too many terms, or too large numbers
//>   = note: or a size in the signature of the called function divides by 0
//>   = help: make a part of it a dimension of its own: `fn f[n](…)`, called `f[n = …](…)`
//> error[ADC0220]: a size that is too large
//>   ^ 4:37-4:41 `f(x)`: its normal form has too many terms, or too large numbers
//>   = note: or a size in the signature of the called function divides by 0
//>   = help: make a part of it a dimension of its own: `fn f[n](…)`, called `f[n = …](…)`
//> error[ADC0220]: the size `N*N*N*N*N*N*N*N` of `f` is too large here
//>   ^ 4:58-4:59 `f`: its normal form has too many terms, or too large numbers
//>   - 2:1-2:43 `fn f[N](x: f64[N]) -> f64[N*N*N*N*N*N*N*N]`: declared here
//>   = help: make a part of it a dimension of its own
//> error[ADC0220]: the size `N*N*N*N*N*N*N*N` of `h` is too large here
//>   ^ 4:76-4:77 `h`: its normal form has too many terms, or too large numbers
//>   - 3:1-3:51 `fn h[N](x: f64[N], y: f64[N*N*N*N*N*N*N*N]) -> f64`: declared here
//>   = help: make a part of it a dimension of its own

// --- open arguments
fn a(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn g(x: f64) -> f64 { a(a(_, x), x) + a(grad(_), x) + grad(a)(_, x) }
fn h(x: f64) -> f64 { grad(a)(x, sin) + jvp(a)(sin, x; cos) + grad(a(sin, _))(x) }

//> error[ADC0204]: expected a fn(f64) -> f64, but `a(_, x)` is fn(fn(f64) -> f64) -> f64
//>   ^ 3:25-3:32 `a(_, x)`: does not fit
//>   = help: parameters and result must be of exactly these types
//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 3:46-3:47 `_`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`
//> error[ADC0204]: `_` stands for an argument that is left open
//>   ^ 3:63-3:64 `_`: nothing is left open here
//>   = help: `f(_, p)` is a function, to be passed as an argument
//> error[ADC0204]: expected a fn(f64) -> f64
//>   ^ 4:31-4:32 `x`: not a function
//>   = help: give the name of a function, or one with arguments left open: `f(_, p)`
//> error[ADC0204]: `sin` is a function, not a value
//>   ^ 4:34-4:37 `sin`: a function
//>   = help: call it, `sin(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function
//> error[ADC0204]: `cos` is a function, not a value
//>   ^ 4:56-4:59 `cos`: a function
//>   = help: call it, `cos(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function
