

// --- integers and reals
fn f(x: f64, n: i64) -> f64 { n*x + x/n + max(n, x) }

//> error[ADC0204]: `*` cannot take i64 and f64
//>   ^ 2:31-2:34 `n*x`: there is no implicit conversion
//>   - 2:31-2:32 `n`: i64
//>   - 2:33-2:34 `x`: f64
//>   = help: write `f64(n)`
//> error[ADC0204]: `/` cannot take f64 and i64
//>   ^ 2:37-2:40 `x/n`: there is no implicit conversion
//>   - 2:37-2:38 `x`: f64
//>   - 2:39-2:40 `n`: i64
//>   = help: write `f64(n)`
//> error[ADC0204]: `max` cannot take i64 and f64
//>   ^ 2:43-2:52 `max(n, x)`: there is no implicit conversion
//>   - 2:47-2:48 `n`: i64
//>   - 2:50-2:51 `x`: f64
//>   = help: write `f64(n)`

// --- precisions
fn f(x: f64, y: f32, z: c64) -> f64 { x + y + re(x*z) }

//> error[ADC0204]: `+` cannot take f64 and f32
//>   ^ 2:39-2:44 `x + y`: there is no implicit conversion
//>   - 2:39-2:40 `x`: f64
//>   - 2:43-2:44 `y`: f32
//>   = help: write `f64(y)`
//> error[ADC0204]: `*` cannot take f64 and c64
//>   ^ 2:50-2:53 `x*z`: there is no implicit conversion
//>   - 2:50-2:51 `x`: f64
//>   - 2:52-2:53 `z`: c64
//>   = help: write `c128(z)`

// --- booleans
fn f(x: f64, b: bool) -> f64 { if x { b + x } else { !x } }

//> error[ADC0204]: `x` is f64, but `if` needs a bool
//>   ^ 2:35-2:36 `x`: f64
//>   = help: compare it: `x != 0`
//> error[ADC0204]: `+` takes numbers, but `b` is bool
//>   ^ 2:39-2:40 `b`: bool
//>   = help: convert it: `f64(b)` is 0 or 1
//> error[ADC0204]: `!` takes booleans, but `x` is f64
//>   ^ 2:55-2:56 `x`: f64
//>   = help: compare it: `x != 0`

// --- comparisons
fn f(x: f64, z: c128, b: bool, n: i64) -> bool { z < 1 || x == n || b == x || b < n }

//> error[ADC0204]: `<` takes integers or real numbers, but `z` is c128
//>   ^ 2:50-2:51 `z`: c128
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0204]: `==` cannot take f64 and i64
//>   ^ 2:59-2:65 `x == n`: there is no implicit conversion
//>   - 2:59-2:60 `x`: f64
//>   - 2:64-2:65 `n`: i64
//>   = help: write `f64(n)`
//> error[ADC0204]: `==` cannot take bool and f64
//>   ^ 2:69-2:75 `b == x`: there is no implicit conversion
//>   - 2:69-2:70 `b`: bool
//>   - 2:74-2:75 `x`: f64
//>   = help: write `f64(b)`
//> error[ADC0204]: `<` cannot take bool and i64
//>   ^ 2:79-2:84 `b < n`: there is no implicit conversion
//>   - 2:79-2:80 `b`: bool
//>   - 2:83-2:84 `n`: i64
//>   = help: write `i64(b)`

// --- built-ins
fn f(x: f64, z: c128, n: i64, b: bool) -> f64 { exp(n) + floor(z) + sin(b) + div(x, 2) + atan2(1, z) + hypot(n, x) }

//> error[ADC0204]: `exp` takes real or complex numbers, but `n` is i64
//>   ^ 2:53-2:54 `n`: i64
//>   = help: convert it: `f64(n)`
//> error[ADC0204]: `floor` takes real numbers, but `z` is c128
//>   ^ 2:64-2:65 `z`: c128
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0204]: `sin` takes real or complex numbers, but `b` is bool
//>   ^ 2:73-2:74 `b`: bool
//>   = help: convert it: `f64(b)` is 0 or 1
//> error[ADC0204]: `div` takes integers, but `x` is f64
//>   ^ 2:82-2:83 `x`: f64
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0204]: `atan2` takes real numbers, but `z` is c128
//>   ^ 2:99-2:100 `z`: c128
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0204]: `hypot` takes real numbers, but `n` is i64
//>   ^ 2:110-2:111 `n`: i64
//>   = help: convert it: `f64(n)`

// --- annotations
fn f(x: f64, z: c128, n: i64) -> f64 {
    let a: i64 = x;
    let b: f64 = z;
    var c: f32 = x;
    let d: bool = n;
    let (e, g): (f64, i64) = (1, x);
    e
}

//> error[ADC0204]: `x` is f64, but `a` is declared i64
//>   ^ 3:18-3:19 `x`: f64
//>   - 3:12-3:15 `i64`: declared here
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that, or drop `: i64`
//> error[ADC0204]: `z` is c128, but `b` is declared f64
//>   ^ 4:18-4:19 `z`: c128
//>   - 4:12-4:15 `f64`: declared here
//>   = help: take `re(z)`, `im(z)` or `abs(z)`, or drop `: f64`
//> error[ADC0204]: `x` is f64, but `c` is declared f32
//>   ^ 5:18-5:19 `x`: f64
//>   - 5:12-5:15 `f32`: declared here
//>   = help: write `f32(x)`, or drop `: f32`
//> error[ADC0204]: `n` is i64, but `d` is declared bool
//>   ^ 6:19-6:20 `n`: i64
//>   - 6:12-6:16 `bool`: declared here
//>   = help: compare it: `n != 0`, or drop `: bool`
//> error[ADC0204]: `x` is f64, but `e` is declared i64
//>   ^ 7:34-7:35 `x`: f64
//>   - 7:17-7:27 `(f64, i64)`: declared here
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that, or drop `: (f64, i64)`

// --- arguments and results
fn g(x: f64, n: i64) -> f64 { x }
fn f(z: c128, x: f64) -> i64 { g(z, x) }

//> error[ADC0204]: `g` returns f64, but `f` returns i64
//>   ^ 3:32-3:39 `g(z, x)`: f64
//>   - 3:26-3:29 `i64`: declared here
//>   = help: `i64(g(z, x))` truncates; `round` or `floor` it first if you mean that
//> error[ADC0204]: `z` is c128, but parameter `x` of `g` is f64
//>   ^ 3:34-3:35 `z`: c128
//>   - 2:9-2:12 `f64`: declared here
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0204]: `x` is f64, but parameter `n` of `g` is i64
//>   ^ 3:37-3:38 `x`: f64
//>   - 2:17-2:20 `i64`: declared here
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that

// --- results of branches point at the branch
fn f(x: f64, z: c128) -> f64 {
    if x > 0 {
        x
    } else {
        z
    }
}

//> error[ADC0204]: `z` is c128, but `f` returns f64
//>   ^ 6:9-6:10 `z`: c128
//>   - 2:26-2:29 `f64`: declared here
//>   = help: take `re(z)`, `im(z)` or `abs(z)`

// --- branches that differ
fn f(x: f64, n: i64) -> f64 { let y = if x > 0 { x } else { n }; let w = if x > 1 { true } else if x > 0 { 1 } else { 2 }; y }

//> error[ADC0204]: the branches of this `if` are f64 and i64
//>   ^ 2:61-2:62 `n`: i64
//>   - 2:50-2:51 `x`: f64
//>   = help: convert one of them, with `f64(…)` for example
//> error[ADC0204]: the branches of this `if` are bool and i64
//>   ^ 2:108-2:109 `1`: i64
//>   - 2:85-2:89 `true`: bool
//>   = help: convert one of them, with `f64(…)` for example

// --- an open variable that was decided elsewhere
fn f(x: f64, n: i64) -> f64 { let a = 2; let b = a*n; a*x }

//> error[ADC0204]: `*` cannot take i64 and f64
//>   ^ 2:55-2:58 `a*x`: there is no implicit conversion
//>   - 2:55-2:56 `a`: i64
//>   - 2:57-2:58 `x`: f64
//>   - 2:52-2:53 `n`: this makes `a` i64
//>   = help: write `f64(a)`

// --- complex flows into a real var
fn f(x: f64, z: c128) -> f64 { var s = x; s += z; s }

//> error[ADC0204]: `z` is c128, but `s` is f64
//>   ^ 2:48-2:49 `z`: c128
//>   - 2:36-2:37 `s`: declared here
//>   = help: take `re(z)`, `im(z)` or `abs(z)`

// --- a var grows complex, its real uses are found
fn f(x: f64, z: c128) -> f64 { var s = 0; let t = floor(s); s += x; s += z; s }

//> error[ADC0204]: `floor` takes real numbers, but `s` is c128
//>   ^ 2:57-2:58 `s`: c128
//>   = help: take `re(s)`, `im(s)` or `abs(s)`
//> error[ADC0204]: `s` is c128, but `f` returns f64
//>   ^ 2:77-2:78 `s`: c128
//>   - 2:26-2:29 `f64`: declared here
//>   = help: take `re(s)`, `im(s)` or `abs(s)`

// --- integer and real powers
fn f(x: f64, n: i64) -> f64 { let a = n^0.5; let b = n^x; let c = n^2.0; let d = n^-2; let e = 2^-1; x }

//> error[ADC0204]: an integer to a real power
//>   ^ 2:39-2:44 `n^0.5`: there is no implicit conversion
//>   - 2:39-2:40 `n`: i64
//>   - 2:41-2:44 `0.5`: not an integer
//>   = help: write `f64(n)^0.5`
//> error[ADC0204]: an integer to a real power
//>   ^ 2:54-2:57 `n^x`: there is no implicit conversion
//>   - 2:54-2:55 `n`: i64
//>   - 2:56-2:57 `x`: not an integer
//>   = help: write `f64(n)^x`
//> error[ADC0204]: an integer to a real power
//>   ^ 2:67-2:72 `n^2.0`: there is no implicit conversion
//>   - 2:67-2:68 `n`: i64
//>   - 2:69-2:72 `2.0`: not an integer
//>   = help: write `n^2`
//> error[ADC0212]: an integer to a negative power
//>   ^ 2:82-2:86 `n^-2`: has no integer value
//>   = help: make the base real: `f64(n)^-2`
//> error[ADC0212]: an integer to a negative power
//>   ^ 2:96-2:100 `2^-1`: has no integer value
//>   = help: make the base real: `2.0^-1`

// --- tuples
fn two(x: f64) -> (f64, f64) { (x, x) }
fn f(x: f64) -> f64 { let t = two(x); let (a, b, c) = t; let (d, e) = x; t + 1 }

//> error[ADC0204]: 3 names for (f64, f64)
//>   ^ 3:43-3:52 `(a, b, c)`: does not match the value
//>   = help: the value has 2 parts
//> error[ADC0204]: 2 names for f64
//>   ^ 3:62-3:68 `(d, e)`: does not match the value
//>   = help: the value is not a tuple
//> error[ADC0204]: `+` takes numbers, but `t` is (f64, f64)
//>   ^ 3:74-3:75 `t`: (f64, f64)
//>   = help: take it apart: `let (a, b) = …;`

// --- tuples of another length
fn f(x: f64) -> (f64, f64) { if x > 0 { (x, x) } else { (x, x, x) } }

//> error[ADC0204]: the branches of this `if` are (f64, f64) and (f64, f64, f64)
//>   ^ 2:57-2:66 `(x, x, x)`: (f64, f64, f64)
//>   - 2:41-2:47 `(x, x)`: (f64, f64)
//>   = help: convert one of them, with `f64(…)` for example

// --- values of blocks that have none
fn f(x: f64) -> f64 { x + 1; }
fn g(x: f64) -> f64 { var y = x; y = 1; }
fn h(x: f64) -> f64 { if x > 0 { x } else { 2*x; } }
fn k(x: f64) -> f64 { let y = { let z = x; }; let w = 1 + { x; }; x }
fn l(x: f64) -> f64 { }

//> error[ADC0204]: this block has no value, but `f` returns f64
//>   ^ 2:23-2:28 `x + 1`: this would be the value
//>   = help: remove the `;` behind it
//>   ! remove the `;`: 2:28-2:29 `;` -> ``
//> error[ADC0204]: this block has no value, but `g` returns f64
//>   ^ 3:41-3:42 `}`: a value is missing before this
//>   = help: end the block with an expression, without `;`
//> error[ADC0204]: a branch of this `if` has no value
//>   ^ 4:45-4:48 `2*x`: no value
//>   - 4:34-4:35 `x`: f64
//>   = help: end each branch with its value, without `;`
//> error[ADC0204]: `=` needs a value
//>   ^ 5:31-5:45 `{ let z = x; }`: has no value
//> error[ADC0204]: `+` needs a value
//>   ^ 5:61-5:62 `x`: this would be the value
//>   = help: remove the `;` behind it
//>   ! remove the `;`: 5:62-5:63 `;` -> ``
//> error[ADC0204]: this block has no value, but `l` returns f64
//>   ^ 6:23-6:24 `}`: a value is missing before this
//>   = help: end the block with an expression, without `;`

// --- an if without else as a value
fn f(x: f64) -> f64 { let y = if x > 0 { 1 }; if x > 1 { y } }

//> error[ADC0208]: an `if` used as a value needs an `else`
//>   ^ 2:31-2:45 `if x > 0 { 1 }`: has no value if the condition is false
//>   = help: add `else { … }`, or end the value with `;` if it is not wanted
//> error[ADC0208]: an `if` used as a value needs an `else`
//>   ^ 2:47-2:61 `if x > 1 { y }`: has no value if the condition is false
//>   = help: add `else { … }`, or end the value with `;` if it is not wanted

// --- expressions as statements
fn f(x: f64) -> f64 { x + 1; sin(x); if x > 0 { x; } x }

//> error[ADC0106]: an expression is not a statement
//>   ^ 2:23-2:28 `x + 1`: its value is not used
//>   = help: bind it with `let`, assign it to a `var`, or remove it
//> error[ADC0106]: an expression is not a statement
//>   ^ 2:30-2:36 `sin(x)`: its value is not used
//>   = help: bind it with `let`, assign it to a `var`, or remove it
//> error[ADC0106]: an expression is not a statement
//>   ^ 2:49-2:50 `x`: its value is not used
//>   = help: bind it with `let`, assign it to a `var`, or remove it

// --- conversions
fn f(z: c128, x: f64, b: bool) -> f64 { f64(z) + f64(x, x) + re(c128(z, x)) + f64() + f32((x, x)) + i64(1i) }

//> error[ADC0204]: `+` cannot take f64 and f32
//>   ^ 2:41-2:98 `f64(z) + f64(x, x) + re(c128(z, x)) + f64() + f32((x, x))`: there is no implicit conversion
//>   - 2:41-2:84 `f64(z) + f64(x, x) + re(c128(z, x)) + f64()`: f64
//>   - 2:87-2:98 `f32((x, x))`: f32
//>   = help: write `f64(f32((x, x)))`
//> error[ADC0204]: `f64` takes real numbers, but `z` is c128
//>   ^ 2:45-2:46 `z`: c128
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0203]: `f64` takes one number
//>   ^ 2:50-2:59 `f64(x, x)`: 2 arguments
//>   = help: write `f64(x)`
//> error[ADC0204]: `c128` takes real numbers, but `z` is c128
//>   ^ 2:70-2:71 `z`: c128
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0203]: `f64` takes one number
//>   ^ 2:79-2:84 `f64()`: 0 arguments
//>   = help: write `f64(x)`
//> error[ADC0204]: `f32` takes numbers and booleans, but this is (f64, f64)
//>   ^ 2:91-2:97 `(x, x)`: (f64, f64)
//>   = help: take it apart: `let (a, b) = …;`
//> error[ADC0204]: `i64` takes real numbers, but this is c128
//>   ^ 2:105-2:107 `1i`: c128
//>   = help: take `re(1i)`, `im(1i)` or `abs(1i)`

// --- the places a tuple or function cannot be
fn f(x: (f64, f64), g: fn(f64) -> f64) -> (f64, (f64, f64)) { (1, (2, 3)) }
const C: (f64, f64) = (1, 2);
extern fn e(f: fn(f64) -> f64) -> f64;
fn h(x: f64) -> f64 { let g: fn(f64) -> f64 = h; x }
fn k(x: f64) -> fn(f64) -> f64 { x }

//> error[ADC0204]: a parameter cannot be a tuple
//>   ^ 2:9-2:19 `(f64, f64)`: here
//>   = help: make each part a parameter of its own
//> error[ADC0204]: a result cannot be a tuple itself
//>   ^ 2:49-2:59 `(f64, f64)`: here
//>   = help: list its parts as results
//> error[ADC0204]: a constant is a scalar or an array
//>   ^ 3:10-3:20 `(f64, f64)`: wrong type
//> error[ADC0204]: an extern function cannot take a function
//>   ^ 4:16-4:30 `fn(f64) -> f64`: here
//>   = help: pass numbers to native code
//> error[ADC0204]: a variable cannot be a function
//>   ^ 5:30-5:44 `fn(f64) -> f64`: here
//>   = help: functions are named items, or parameters of type `fn(…) -> …`
//> error[ADC0204]: `h` is a function, not a value
//>   ^ 5:47-5:48 `h`: a function
//>   = help: call it, `h(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function
//> error[ADC0204]: a result cannot be a function
//>   ^ 6:17-6:31 `fn(f64) -> f64`: here
//>   = help: take the function as a parameter where it is used

// --- one mistake, one message
fn f(x: f64) -> f64 { let a = unknown(x); let b = a + 1; let h = 1/2; let c = h*b; if c > 2 { b } else { c } }

//> error[ADC0201]: no function or op called `unknown`
//>   ^ 2:31-2:38 `unknown`: not defined in this file or the files it uses
//>   = help: `adc explain --list` shows the built-in functions; others are declared with `fn`

// --- values of an if that end with a semicolon
fn f(x: f64) -> f64 { if x > 0 { x; } else { 2*x; } }
fn g(x: f64) -> f64 { if x > 0 { x; } else { 2*x; } 1 }
fn h(x: f64) -> f64 { if x > 0 { 1 } else if x > 2 { x; } else { 3 } }

//> error[ADC0204]: this block has no value, but `f` returns f64
//>   ^ 2:34-2:35 `x`: this would be the value
//>   - 2:46-2:49 `2*x`: and this
//>   = help: remove the `;` behind it
//>   ! remove the `;`: 2:35-2:36 `;` -> ``, 2:49-2:50 `;` -> ``
//> error[ADC0106]: an expression is not a statement
//>   ^ 3:34-3:35 `x`: its value is not used
//>   = help: bind it with `let`, assign it to a `var`, or remove it
//> error[ADC0106]: an expression is not a statement
//>   ^ 3:46-3:49 `2*x`: its value is not used
//>   = help: bind it with `let`, assign it to a `var`, or remove it
//> error[ADC0204]: a branch of this `if` has no value
//>   ^ 4:54-4:55 `x`: no value
//>   - 4:34-4:35 `1`: i64
//>   = help: end each branch with its value, without `;`
