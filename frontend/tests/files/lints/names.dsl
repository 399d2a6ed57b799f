

// --- nothing reads it
fn f(x: f64, y: f64) -> f64 {
    let a = x^2;
    let (b, c) = (x, y);
    var d = 0.0;
    d += x;
    var e = 1.0;
    let _kept = sin(x);
    a*b
}

//> warning[ADC1001]: nothing reads `c`
//>   ^ 4:13-4:14 `c`: never used
//>   = help: write `_` for a part that is not used
//>   ! write `_`: 4:13-4:14 `c` -> `_`
//> warning[ADC1001]: nothing reads `d`
//>   ^ 5:9-5:10 `d`: only assigned
//>   - 6:5-6:6 `d`: assigned here
//>   = help: remove it with its assignments
//> warning[ADC1001]: nothing reads `e`
//>   ^ 7:9-7:10 `e`: never used
//>   = help: remove it, or call it `_e`
//>   ! remove `e`: 7:1-8:1 `    var e = 1.0; …` -> ``

// --- nothing reads these
fn f(x: f64) -> f64 {
    let a = x^2;
    let (b, c) = (x, 2*x);
    var d = 0.0;
    d += x;
    var e = 1.0;
    let _kept = sin(x);
    b
}

//> warning[ADC1001]: nothing reads `a`
//>   ^ 3:9-3:10 `a`: never used
//>   = help: remove it, or call it `_a`
//>   ! remove `a`: 3:1-4:1 `    let a = x^2; …` -> ``
//> warning[ADC1001]: nothing reads `c`
//>   ^ 4:13-4:14 `c`: never used
//>   = help: write `_` for a part that is not used
//>   ! write `_`: 4:13-4:14 `c` -> `_`
//> warning[ADC1001]: nothing reads `d`
//>   ^ 5:9-5:10 `d`: only assigned
//>   - 6:5-6:6 `d`: assigned here
//>   = help: remove it with its assignments
//> warning[ADC1001]: nothing reads `e`
//>   ^ 7:9-7:10 `e`: never used
//>   = help: remove it, or call it `_e`
//>   ! remove `e`: 7:1-8:1 `    var e = 1.0; …` -> ``

// --- a call stays, because it may assert
fn g(x: f64) -> f64 { assert x > 0; log(x) }
fn f(x: f64) -> f64 {
    let y = g(x);
    x
}

//> warning[ADC1001]: nothing reads `y`
//>   ^ 4:9-4:10 `y`: never used
//>   = help: write `let _ = …;`
//>   ! write `_`: 4:9-4:10 `y` -> `_`

// --- sizes and dimensions read variables
fn h[n](x: f64) -> f64 { f64(n)*x }
fn f[N](v: f64[N]) -> f64 {
    let n = N - 1;
    let m = N + 1;
    let k = 2;
    sum(zeros(n)) + h[n = m](v[0]) + sum(v[j] for j in 0..k)
}


// --- parameters
fn f(x: f64, y: f64, _z: f64) -> f64 { x }
fn g[N](x: f64[N], y: f64[N], n: i64) -> f64 { sum(x) }
fn sized[N](v: f64[N]) -> f64 { f64(N) }
check f { y ~ normal(0, 1);  wrt x, y; }

//> warning[ADC1002]: nothing reads the parameter `y`
//>   ^ 2:14-2:15 `y`: `f` does not depend on it
//>   = help: remove it, or call it `_y`
//>   ? call it `_y`: 2:14-2:15 `y` -> `_y`, 5:11-5:12 `y` -> `_y`, 5:37-5:38 `y` -> `_y`
//> warning[ADC1002]: nothing reads the parameter `y`
//>   ^ 3:20-3:21 `y`: `g` does not depend on it
//>   = help: remove it, or call it `_y`
//>   ? call it `_y`: 3:20-3:21 `y` -> `_y`
//> warning[ADC1002]: nothing reads the parameter `n`
//>   ^ 3:31-3:32 `n`: `g` does not depend on it
//>   = help: remove it, or call it `_n`
//>   ? call it `_n`: 3:31-3:32 `n` -> `_n`

// --- not of a function that is passed on, of extern functions and of rules
extern fn native(x: f64, y: f64) -> f64;
rule vjp native(x, y; g) { (g, g) }
fn residual(x: f64, p: f64) -> f64 { x }
fn flat(x: f64, p: f64) -> f64 { x }
fn solve_for(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn use_both(x: f64, p: f64) -> f64 { solve_for(residual(_, p), x) + native(x, p) }
check use_both {}

//> warning[ADC1002]: nothing reads the parameter `p`
//>   ^ 5:17-5:18 `p`: `flat` does not depend on it
//>   = help: remove it, or call it `_p`
//>   ? call it `_p`: 5:17-5:18 `p` -> `_p`

// --- hides another
const K: f64 = 2.0;
fn f[N](x: f64[N], y: f64) -> f64 {
    let y = sum(x);
    let K = y;
    let z = K + y;
    let z = z/2;
    var t = 0.0;
    for i in 0..N {
        t += x[i] + sum(x[i]*x[j] for i, j);
    }
    let z2 = 1.0;
    if t > 0 {
        let t = z2;
        z + t
    } else { z }
}

//> warning[ADC1002]: nothing reads the parameter `y`
//>   ^ 3:20-3:21 `y`: `f` does not depend on it
//>   = help: remove it, or call it `_y`
//>   ? call it `_y`: 3:20-3:21 `y` -> `_y`
//> warning[ADC1004]: `y` hides another `y`
//>   ^ 4:9-4:10 `y`: from here on the name means this
//>   - 3:20-3:21 `y`: hidden
//>   = help: give one of them another name
//>   ? rename it to `y2`: 4:9-4:10 `y` -> `y2`, 5:13-5:14 `y` -> `y2`, 6:17-6:18 `y` -> `y2`
//> warning[ADC1004]: `K` hides another `K`
//>   ^ 5:9-5:10 `K`: from here on the name means this
//>   - 2:7-2:8 `K`: hidden
//>   = help: give one of them another name
//>   ? rename it to `K2`: 5:9-5:10 `K` -> `K2`, 6:13-6:14 `K` -> `K2`
//> warning[ADC1004]: `i` hides another `i`
//>   ^ 10:39-10:40 `i`: from here on the name means this
//>   - 9:9-9:10 `i`: hidden
//>   = help: give one of them another name
//>   ? rename it to `i2`: 10:39-10:40 `i` -> `i2`, 10:27-10:28 `i` -> `i2`
//> warning[ADC1004]: `t` hides another `t`
//>   ^ 14:13-14:14 `t`: from here on the name means this
//>   - 8:9-8:10 `t`: hidden
//>   = help: give one of them another name
//>   ? rename it to `t2`: 14:13-14:14 `t` -> `t2`, 15:13-15:14 `t` -> `t2`

// --- one after the other hides nothing
fn f[N](x: f64[N]) -> f64 {
    let a = sum(x[i] for i);
    let b = sum(x[i]^2 for i);
    let c = if a > b { let d = a; d*a } else { let d = b; d*b };
    a + b + c
}


// --- allowed
#[allow(unused_variable, shadowing)]
fn f(x: f64) -> f64 {
    let a = 1.0;
    let x = 2.0;
    x
}
fn g(#[allow(unused_parameter)] x: f64, y: f64) -> f64 {
    #[allow(unused_variable)]
    let b = y;
    let c = y;
    y
}

//> warning[ADC1002]: nothing reads the parameter `x`
//>   ^ 3:6-3:7 `x`: `f` does not depend on it
//>   = help: remove it, or call it `_x`
//>   ? call it `_x`: 3:6-3:7 `x` -> `_x`
//> warning[ADC1001]: nothing reads `c`
//>   ^ 11:9-11:10 `c`: never used
//>   = help: remove it, or call it `_c`
//>   ! remove `c`: 11:1-12:1 `    let c = y; …` -> ``

// --- functions
fn used(n: i64) -> i64 { n + 1 }
fn lost(n: i64) -> i64 { lost_too(n) }
fn lost_too(n: i64) -> i64 { used(n) }
fn applied(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn twice(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }
fn model(x: f64, n: i64) -> f64 { x*f64(used(n)) }
fn another(x: f64) -> f64 { x }
fn by_name(x: f64) -> f64 { x }
fn _private(n: i64) -> i64 { n }
fn of_bench(n: i64) -> i64 { n }
check model {}
check twice { f = by_name; }
bench of_bench { n = 1; }

//> warning[ADC1003]: nothing uses the function `lost`
//>   ^ 3:4-3:8 `lost`: no block and no model of the file reaches it
//>   = help: remove it, or call it from a model
//>   ? remove it: 3:1-4:1 `fn lost(n: i64) -> i64 { lost_too(n) } …` -> ``
//> warning[ADC1003]: nothing uses the function `lost_too`
//>   ^ 4:4-4:12 `lost_too`: no block and no model of the file reaches it
//>   = help: remove it, or call it from a model
//> warning[ADC1003]: nothing uses the function `applied`
//>   ^ 5:4-5:11 `applied`: no block and no model of the file reaches it
//>   = help: remove it, or call it from a model
//>   ? remove it: 5:1-6:1 `fn applied(f: fn(f64) -> f64, x: f64) -> f64 { f(x) } …` -> ``

// --- a file without blocks may be a library
fn index(i: i64, n: i64) -> i64 { i*n }
fn loss(x: f64) -> f64 { x^2 }


// --- only in the main file
use "other.dsl";
fn f(x: f64) -> f64 { idle(x) }
//== other.dsl
fn idle(x: f64) -> f64 { let a = log(1 + x); x }

