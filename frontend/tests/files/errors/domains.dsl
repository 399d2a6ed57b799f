

// --- intervals and sets
fn f(a: f64 in [1, 0], b: f64 in (1, 1), c: f64 in [NAN, 1], d: bool in [0, 1], e: c128 in [0, 1]) -> f64 { a }
fn g(a: f64 in disk(1), b: c128 in annulus(2, 1), c: c128 in disk(1, 2), d: c128 in disk(-1), e: f64 in ball(1)) -> f64 { a }
fn h(a: f64 in [0, true], b: f64 in [0, n], c: i64 in [0.5, 1.5]) -> f64 { a }

//> error[ADC0217]: the domain of `a` is empty
//>   ^ 2:16-2:22 `[1, 0]`: nothing lies in it
//>   = help: write the smaller bound first
//> error[ADC0217]: the domain of `b` is empty
//>   ^ 2:34-2:40 `(1, 1)`: nothing lies in it
//>   = help: write the smaller bound first
//> error[ADC0217]: the domain of `c` is empty
//>   ^ 2:52-2:60 `[NAN, 1]`: nothing lies in it
//>   = help: write the smaller bound first
//> error[ADC0217]: `d` is bool and has no interval
//>   ^ 2:73-2:79 `[0, 1]`: an interval
//>   = help: leave it out
//> error[ADC0217]: `e` is c128 and has no interval
//>   ^ 2:92-2:98 `[0, 1]`: an interval
//>   = help: write `in disk(r)` or `in annulus(r0, r1)`
//> error[ADC0217]: `a` is f64, and `disk` is for complex parameters
//>   ^ 3:16-3:23 `disk(1)`: a set of complex numbers
//>   = help: write an interval: `in [a, b]`
//> error[ADC0217]: the domain of `b` is empty
//>   ^ 3:36-3:49 `annulus(2, 1)`: nothing lies in it
//>   = help: radii are not negative, the smaller one first
//> error[ADC0217]: `disk` takes 1 number
//>   ^ 3:62-3:72 `disk(1, 2)`: here
//>   = help: write `disk(r)` or `annulus(r0, r1)`
//> error[ADC0217]: the domain of `d` is empty
//>   ^ 3:85-3:93 `disk(-1)`: nothing lies in it
//>   = help: radii are not negative, the smaller one first
//> error[ADC0217]: no domain called `ball`
//>   ^ 3:105-3:109 `ball`: unknown
//>   = help: domains are intervals `[a, b]`, `disk(r)` and `annulus(r0, r1)`
//> error[ADC0204]: this is bool, but a bound of a domain is f64
//>   ^ 4:20-4:24 `true`: bool
//>   = help: write `f64(true)`
//> error[ADC0201]: no variable or constant called `n`
//>   ^ 4:41-4:42 `n`: not defined here
//>   = help: declare it before: `let n = …;` here, as a parameter of the function, or `const n: f64 = …;`
