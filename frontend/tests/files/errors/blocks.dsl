

// --- lines that do not fit
fn f(x: f64, n: i64, #[nodiff] w: f64, z: c128) -> (a: f64, k: i64) { (x, n) }
check f {
    x ~ int(0, 3); n ~ normal(0, 1); y ~ normal(0, 1); z ~ uniform(0, 1); w ~ gaussian(0, 1);
    wrt n, w, q; outputs k, b;
    modes slow, fats; expect fial;
    points 0; seed -1; eps 0; atol INF; max_ratio 2;
}
check f { x ~ normal(0); x ~ uniform(2, 1); n ~ int(3, 1); x in [0, INF]; z ~ disk(-1); n in (0, 1); x ~ choice(); x = true; }
check f { x = 1; x = 2; points 3; points 4; z in [0, 1]; x in disk(1); }
bench f { points 3; modes slow; max_ratio -1; wrt x; }

//> error[ADC0218]: `x` is f64 and cannot be int
//>   ^ 4:5-4:18 `x ~ int(0, 3)`: wrong type
//>   = help: use `normal`, `uniform`, `lognormal`, `choice` or `near`
//> error[ADC0218]: `n` is i64 and cannot be normal
//>   ^ 4:20-4:36 `n ~ normal(0, 1)`: wrong type
//>   = help: use `int(a, b)` or `choice(…)`
//> error[ADC0218]: `f` has no parameter `y`
//>   ^ 4:38-4:39 `y`: unknown
//>   = help: its parameters are x, n, w, z
//> error[ADC0218]: `z` is c128 and cannot be uniform
//>   ^ 4:56-4:73 `z ~ uniform(0, 1)`: wrong type
//>   = help: use `normal`, `disk`, `annulus`, `choice` or `near`
//> error[ADC0218]: no distribution called `gaussian`
//>   ^ 4:79-4:87 `gaussian`: did you mean `normal`?
//>   = help: one of normal, uniform, lognormal, int, choice, disk, annulus, near
//>   ? write `normal`: 4:79-4:87 `gaussian` -> `normal`
//> error[ADC0701]: `n` is i64 and carries no derivative
//>   ^ 5:9-5:10 `n`: cannot be in `wrt`
//>   - 2:14-2:20 `n: i64`: declared here
//>   = help: leave `n` out of `wrt`
//> error[ADC0701]: `w` is `#[nodiff]` and carries no derivative
//>   ^ 5:12-5:13 `w`: cannot be in `wrt`
//>   - 2:32-2:38 `w: f64`: declared here
//>   = help: leave `w` out of `wrt`
//> error[ADC0218]: `f` has no parameter `q`
//>   ^ 5:15-5:16 `q`: unknown
//>   = help: its parameters are x, n, w, z
//> error[ADC0701]: `k` carries no derivative
//>   ^ 5:26-5:27 `k`: an integer or boolean result
//> error[ADC0218]: `f` has no result `b`
//>   ^ 5:29-5:30 `b`: unknown
//>   = help: its results are a, k
//> error[ADC0218]: no mode called `fats`
//>   ^ 6:17-6:21 `fats`: did you mean `fast`?
//>   = help: one of slow, fast, forward, gradgrad
//>   ? write `fast`: 6:17-6:21 `fats` -> `fast`
//> error[ADC0218]: no verdict called `fial`
//>   ^ 6:30-6:34 `fial`: did you mean `fail`?
//>   = help: one of ok, fail, error, kink, imprecise, unstable, out_of_domain, unsure, unchecked, wrong, inconsistent, bad_kink, discontinuous, nondeterministic, nan
//>   ? write `fail`: 6:30-6:34 `fial` -> `fail`
//> error[ADC0218]: `points` must be at least 1
//>   ^ 7:12-7:13 `0`: too small
//> error[ADC0218]: `seed` must be at least 0
//>   ^ 7:20-7:22 `-1`: too small
//> error[ADC0218]: `eps` must be positive
//>   ^ 7:28-7:29 `0`: not a positive number
//> error[ADC0218]: `atol` must be positive
//>   ^ 7:36-7:39 `INF`: not a positive number
//> error[ADC0218]: `max_ratio` is for `bench` blocks
//>   ^ 7:41-7:50 `max_ratio`: not in a `check` block
//> error[ADC0218]: `normal` takes 2 arguments
//>   ^ 9:11-9:24 `x ~ normal(0)`: here
//>   = help: write `x ~ normal(0, 1);`
//> error[ADC0218]: `uniform` has no such values
//>   ^ 9:26-9:43 `x ~ uniform(2, 1)`: out of range
//>   = help: the smaller bound first
//> error[ADC0218]: `int` has no such values
//>   ^ 9:45-9:58 `n ~ int(3, 1)`: out of range
//>   = help: the smaller bound first
//> error[ADC0218]: a uniform distribution needs finite bounds
//>   ^ 9:65-9:73 `[0, INF]`: unbounded
//>   = help: give finite bounds, or a distribution: `~ normal(0, 1)`
//> error[ADC0218]: `disk` has no such values
//>   ^ 9:75-9:87 `z ~ disk(-1)`: out of range
//>   = help: radii are not negative
//> error[ADC0218]: no integer for `n`
//>   ^ 9:94-9:100 `(0, 1)`: holds no integer
//> error[ADC0218]: `choice` takes at least 1 argument
//>   ^ 9:102-9:114 `x ~ choice()`: here
//>   = help: write `x ~ choice(1, 2);`
//> error[ADC0204]: this is bool, but `x` is f64
//>   ^ 9:120-9:124 `true`: bool
//>   = help: write `f64(true)`
//> error[ADC0218]: this line is there twice
//>   ^ 10:18-10:23 `x = 2`: the second one
//>   = help: keep one of them
//> error[ADC0218]: this line is there twice
//>   ^ 10:35-10:43 `points 4`: the second one
//>   = help: keep one of them
//> error[ADC0217]: `z` is c128 and has no interval
//>   ^ 10:50-10:56 `[0, 1]`: an interval
//>   = help: write `in disk(r)` or `in annulus(r0, r1)`
//> error[ADC0217]: `x` is f64, and `disk` is for complex parameters
//>   ^ 10:63-10:70 `disk(1)`: a set of complex numbers
//>   = help: write an interval: `in [a, b]`
//> error[ADC0218]: this line is for `check` blocks
//>   ^ 11:11-11:19 `points 3`: not in a `bench` block
//>   = help: a `bench` block has parameter lines, `wrt`, `nodiff`, `modes` and `max_ratio`
//> error[ADC0218]: no mode called `slow`
//>   ^ 11:27-11:31 `slow`: unknown
//>   = help: one of primal, jvp, vjp
//> error[ADC0218]: `max_ratio` must be positive
//>   ^ 11:43-11:45 `-1`: not a positive number

// --- wrt and nodiff
fn f(x: f64, y: f64) -> f64 { x*y }
check f { wrt x; nodiff x; }

//> error[ADC0218]: `x` is in `wrt` and in `nodiff`
//>   ^ 3:7-3:8 `f`: in this block
//>   = help: keep it in one of them

// --- arrays
fn f[N, D](x: f64[N, D], w: f64[D], n: i64[N], s: f64) -> f64 { s }
fn g(x: f64) -> f64 { x }
fn h(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
check f[N = 3, E = 2] { w = [1.0]; }
check f[3, 2, 1] { x ~ disk(2); }
check f[N = -1, N = 2] { s = [1.0, 2.0]; }
check f[N = 3, D = 2] { w = [1.0, 2, 3]; x = [1.0, 2]; n = [1.5, 2, 3]; }
check f { w = load("w.npy"); wrt n; }
check g[2] { }
check f[N = 1.5] { }
check h { f = sin(x); x = 1; }
check f { w = nothing; }

//> error[ADC0218]: `f` has no dimension `E`
//>   ^ 5:16-5:17 `E`: unknown
//>   = help: its dimensions are N, D
//> error[ADC0218]: `f` has 2 dimensions
//>   ^ 6:15-6:16 `1`: one too many
//>   = help: its dimensions are N, D
//> error[ADC0218]: `x` is f64 and cannot be disk
//>   ^ 6:20-6:31 `x ~ disk(2)`: wrong type
//>   = help: use `normal`, `uniform`, `lognormal`, `choice` or `near`
//> error[ADC0218]: `N` is -1
//>   ^ 7:13-7:15 `-1`: negative
//>   = help: sizes are at least 0
//> error[ADC0218]: `s` is a number, but this is an array
//>   ^ 7:30-7:40 `[1.0, 2.0]`: of sizes [2]
//>   = help: `s` is declared f64
//> error[ADC0218]: axis 0 of `w` has size 2, but 3 here
//>   ^ 8:29-8:40 `[1.0, 2, 3]`: of sizes [3]
//>   = help: `w` is declared with the sizes [D]
//> error[ADC0218]: `x` has 2 axes, but this has 1 axis
//>   ^ 8:46-8:54 `[1.0, 2]`: of sizes [2]
//>   = help: `x` is declared f64[N, D]
//> error[ADC0204]: this is f64[3], but `n` is i64[3]
//>   ^ 8:60-8:71 `[1.5, 2, 3]`: f64[3]
//>   = help: `i64([1.5, 2, 3])` truncates; `round` or `floor` it first if you mean that
//> error[ADC0801]: cannot load `w.npy`: arrays cannot be loaded from files here
//>   ^ 9:20-9:27 `"w.npy"`: this file
//>   = help: the path is relative to this file
//> error[ADC0701]: `n` is i64 and carries no derivative
//>   ^ 9:34-9:35 `n`: cannot be in `wrt`
//>   - 2:37-2:46 `n: i64[N]`: declared here
//>   = help: leave `n` out of `wrt`
//> error[ADC0218]: `g` has 0 dimensions
//>   ^ 10:9-10:10 `2`: one too many
//>   = help: it is declared without dimensions: leave out the brackets
//> error[ADC0204]: this is f64, but a dimension is i64
//>   ^ 11:13-11:16 `1.5`: f64
//>   = help: `i64(1.5)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0218]: `h` takes a function, which this block does not name
//>   ^ 12:7-12:8 `h`: takes a function
//>   - 4:1-4:39 `fn h(f: fn(f64) -> f64, x: f64) -> f64`: declared here
//>   = help: give the name of a function or built-in, nothing more: `f = sin;`; or write a function that calls `h`, and a `check` block for that
//> error[ADC0201]: no variable or constant called `nothing`
//>   ^ 13:15-13:22 `nothing`: not defined here
//>   = help: every variable has a number from the start: `var y = 0.0;`
