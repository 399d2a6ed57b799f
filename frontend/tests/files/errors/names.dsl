

// --- the command line's mock-up
fn loss(z: c128, a: f64) -> f64 {
    let w: i64 = abs(z);
    let r = abs(w - conj(z));
    r * r + tahn(a)
}

//> error[ADC0204]: `abs` returns f64, but `w` is declared i64
//>   ^ 3:18-3:24 `abs(z)`: f64
//>   - 3:12-3:15 `i64`: declared here
//>   = help: `i64(abs(z))` truncates; `round` or `floor` it first if you mean that, or drop `: i64`
//> error[ADC0204]: `-` cannot take i64 and c128
//>   ^ 4:17-4:28 `w - conj(z)`: there is no implicit conversion
//>   - 4:17-4:18 `w`: i64
//>   - 4:21-4:28 `conj(z)`: c128
//>   = help: write `f64(w)`
//> error[ADC0201]: no function or op called `tahn`
//>   ^ 5:13-5:17 `tahn`: did you mean `tanh`?
//>   ? write `tanh`: 5:13-5:17 `tahn` -> `tanh`

// --- variables, with and without a near one
fn f(alpha: f64) -> f64 { alhpa + beta + pi + i }

//> error[ADC0201]: no variable or constant called `alhpa`
//>   ^ 2:27-2:32 `alhpa`: did you mean `alpha`?
//>   ? write `alpha`: 2:27-2:32 `alhpa` -> `alpha`
//> error[ADC0201]: no variable or constant called `beta`
//>   ^ 2:35-2:39 `beta`: not defined here
//>   = help: declare it before: `let beta = …;` here, as a parameter of the function, or `const beta: f64 = …;`
//> error[ADC0201]: no variable or constant called `pi`
//>   ^ 2:42-2:44 `pi`: did you mean `PI`?
//>   ! write `PI`: 2:42-2:44 `pi` -> `PI`
//> error[ADC0201]: no variable or constant called `i`
//>   ^ 2:47-2:48 `i`: not defined here
//>   = help: the imaginary unit is `1i`

// --- functions: other languages' names, far names
fn f(x: f64) -> f64 { ln(x) + arctan(x) + frobnicate(x) + Sin(x) }

//> error[ADC0201]: no function or op called `ln`
//>   ^ 2:23-2:25 `ln`: did you mean `log`?
//>   ! write `log`: 2:23-2:25 `ln` -> `log`
//> error[ADC0201]: no function or op called `arctan`
//>   ^ 2:31-2:37 `arctan`: did you mean `atan`?
//>   ! write `atan`: 2:31-2:37 `arctan` -> `atan`
//> error[ADC0201]: no function or op called `frobnicate`
//>   ^ 2:43-2:53 `frobnicate`: not defined in this file or the files it uses
//>   = help: `adc explain --list` shows the built-in functions; others are declared with `fn`
//> error[ADC0201]: no function or op called `Sin`
//>   ^ 2:59-2:62 `Sin`: did you mean `sin`?
//>   ? write `sin`: 2:59-2:62 `Sin` -> `sin`

// --- a function used as a value, a value used as a function
const K: f64 = 1.0;
fn g(x: f64) -> f64 { x }
fn f(x: f64) -> f64 { g + sin + x(2) + K(1) + (x + 1)(2) }

//> error[ADC0204]: `g` is a function, not a value
//>   ^ 4:23-4:24 `g`: a function
//>   = help: call it, `g(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function
//> error[ADC0204]: `sin` is a function, not a value
//>   ^ 4:27-4:30 `sin`: a function
//>   = help: call it, `sin(…)`, or pass it to a parameter of type `fn(…) -> …`; a variable holds no function
//> error[ADC0209]: `x` is a variable, not a function
//>   ^ 4:33-4:37 `x(2)`: called here
//>   = help: a product needs its `*`: `x*(…)`
//> error[ADC0209]: `K` is a constant, not a function
//>   ^ 4:40-4:41 `K`: called here
//>   = help: a product needs its `*`: `K*(…)`
//> error[ADC0209]: this cannot be called
//>   ^ 4:47-4:54 `(x + 1)`: not the name of a function
//>   = help: a function is called by its name, `f(x)`; a product needs its `*`

// --- a variable hides a built-in
fn f(re: f64, z: c128) -> f64 { re(z) }

//> error[ADC0209]: `re` is a variable, not a function
//>   ^ 2:33-2:38 `re(z)`: called here
//>   = help: it hides the built-in `re`: rename it

// --- types
fn f(x: double, y: f46, z: complex) -> Complex128 { let a: quux = 1; a }

//> error[ADC0205]: no type called `double`
//>   ^ 2:9-2:15 `double`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:9-2:15 `double` -> `f64`
//> error[ADC0205]: no type called `f46`
//>   ^ 2:20-2:23 `f46`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ? write `f64`: 2:20-2:23 `f46` -> `f64`
//> error[ADC0205]: no type called `complex`
//>   ^ 2:28-2:35 `complex`: write `c128`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `c128`: 2:28-2:35 `complex` -> `c128`
//> error[ADC0205]: no type called `Complex128`
//>   ^ 2:40-2:50 `Complex128`: write `c128`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `c128`: 2:40-2:50 `Complex128` -> `c128`

// --- types as functions
fn f(x: f64) -> f64 { double(x) + float32(x) + bool(x) }

//> error[ADC0205]: no type called `double`
//>   ^ 2:23-2:29 `double`: write `f64`
//>   = help: write `f64(…)` to convert
//>   ! write `f64`: 2:23-2:29 `double` -> `f64`
//> error[ADC0205]: no type called `float32`
//>   ^ 2:35-2:42 `float32`: write `f32`
//>   = help: write `f32(…)` to convert
//>   ! write `f32`: 2:35-2:42 `float32` -> `f32`
//> error[ADC0204]: nothing converts to bool
//>   ^ 2:48-2:55 `bool(x)`: not a conversion
//>   = help: compare: `x != 0`

// --- two items of one name, two parameters, two results, two rules
fn f(x: f64, x: f64) -> (a: f64, a: f64) { (x, x) }
fn f(x: f64) -> f64 { x }
const f: f64 = 1.0;
fn g(x: f64) -> f64 { x }
rule jvp g(x; dx) { dx }
rule jvp g(y; dy) { dy }

//> error[ADC0202]: `f` has two parameters called `x`
//>   ^ 2:14-2:15 `x`: the second one
//>   - 2:6-2:12 `x: f64`: the first one
//> error[ADC0202]: `f` has two results called `a`
//>   ^ 2:34-2:40 `a: f64`: the second one
//> error[ADC0202]: `f` is defined twice
//>   ^ 3:4-3:5 `f`: the second definition
//>   - 2:4-2:5 `f`: the first one
//>   = help: rename one of them; files joined by `use` share their names
//> error[ADC0202]: `f` is defined twice
//>   ^ 4:7-4:8 `f`: the second definition
//>   - 2:4-2:5 `f`: the first one
//>   = help: rename one of them; files joined by `use` share their names
//> error[ADC0202]: `g` has two `jvp` rules
//>   ^ 7:10-7:11 `g`: the second one
//>   - 6:10-6:11 `g`: the first one
//>   = help: keep one of each kind

// --- rules and blocks of functions that are not there
const K: f64 = 1.0;
fn sqr(x: f64) -> f64 { x }
rule jvp sqrr(x; dx) { dx }
rule vjp K(x; g) { g }
check sin { }
check sqq { }
bench K { }

//> error[ADC0201]: no function called `sqrr`
//>   ^ 4:10-4:14 `sqrr`: did you mean `sqr`?
//>   ? write `sqr`: 4:10-4:14 `sqrr` -> `sqr`
//> error[ADC0209]: `K` is a constant
//>   ^ 5:10-5:11 `K`: a rule belongs to a function
//> error[ADC0201]: no function called `sin`
//>   ^ 6:7-6:10 `sin`: this is a built-in
//>   = help: define a function that calls it: `fn my_sin(x: f64) -> f64 { sin(x) }`
//> error[ADC0201]: no function called `sqq`
//>   ^ 7:7-7:10 `sqq`: did you mean `sqr`?
//>   ? write `sqr`: 7:7-7:10 `sqq` -> `sqr`
//> error[ADC0218]: `K` is a constant
//>   ^ 8:7-8:8 `K`: a `bench` block is about a function
