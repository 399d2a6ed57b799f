

// --- what cannot be assigned
const K: f64 = 1.0;
fn g(x: f64) -> f64 { x }
fn f(x: f64) -> f64 { let y = x; y = 2; x += 1; K = 2; g = 3; sin = 2; z = 1; vv = x; var vw = 1.0; vx = 2; y }

//> error[ADC0207]: `y` cannot be assigned
//>   ^ 4:34-4:35 `y`: assigned here
//>   - 4:27-4:28 `y`: a `let`
//>   = help: declare it with `var y = …;`, or shadow it with a new `let y = …;`
//> error[ADC0207]: `x` cannot be assigned
//>   ^ 4:41-4:42 `x`: assigned here
//>   - 4:6-4:7 `x`: a parameter
//>   = help: copy it to a variable first: `var x = x;`
//> error[ADC0207]: `K` cannot be assigned
//>   ^ 4:49-4:50 `K`: a constant
//> error[ADC0207]: `g` cannot be assigned
//>   ^ 4:56-4:57 `g`: a function
//> error[ADC0201]: no variable called `sin`
//>   ^ 4:63-4:66 `sin`: not defined here
//>   = help: declare it: `var sin = …;` (or `let` if it never changes)
//> error[ADC0201]: no variable called `z`
//>   ^ 4:72-4:73 `z`: not defined here
//>   = help: declare it: `var z = …;` (or `let` if it never changes)
//> error[ADC0201]: no variable called `vv`
//>   ^ 4:79-4:81 `vv`: not defined here
//>   = help: declare it: `var vv = …;` (or `let` if it never changes)
//> error[ADC0201]: no variable called `vx`
//>   ^ 4:101-4:103 `vx`: did you mean `vw`?
//>   ? write `vw`: 4:101-4:103 `vx` -> `vw`

// --- values of another type
fn f(x: f64, n: i64) -> f64 { var s = x; s = n; s += n; var b = true; b = 1; b += 1; s }

//> error[ADC0204]: `n` is i64, but `s` is f64
//>   ^ 2:46-2:47 `n`: i64
//>   - 2:35-2:36 `s`: declared here
//>   = help: write `f64(n)`
//> error[ADC0204]: `n` is i64, but `s` is f64
//>   ^ 2:54-2:55 `n`: i64
//>   - 2:35-2:36 `s`: declared here
//>   = help: write `f64(n)`
//> error[ADC0204]: this is i64, but `b` is bool
//>   ^ 2:75-2:76 `1`: i64
//>   - 2:61-2:62 `b`: declared here
//>   = help: compare it: `1 != 0`
//> error[ADC0204]: this is i64, but `b` is bool
//>   ^ 2:83-2:84 `1`: i64
//>   - 2:61-2:62 `b`: declared here
//>   = help: compare it: `1 != 0`
