

// --- functions of the program
fn f(x: f64) -> f64 { x }
const K: f64 = f(1);

//> error[ADC0210]: `K` cannot call `f`
//>   ^ 3:16-3:20 `f(1)`: known at run time only
//>   = help: use literals, constants and built-in functions of them

// --- cycles
const A: f64 = B + 1;
const B: f64 = C;
const C: f64 = 2*A;
const D: f64 = D;

//> error[ADC0210]: the constant `A` needs itself
//>   ^ 2:7-2:8 `A`: A -> B -> C -> A
//>   = help: give one of them a value that does not depend on the others
//> error[ADC0210]: the constant `D` needs itself
//>   ^ 5:7-5:8 `D`: D -> D
//>   = help: give one of them a value that does not depend on the others

// --- types, and what fails when it is evaluated
const A: i64 = 1.5;
const B: f64 = true;
const C: i64 = 9223372036854775807 + 1;
const D: i64 = div(1, 0);
const E1: i64 = i64(NAN);

//> error[ADC0204]: this is f64, but `A` is i64
//>   ^ 2:16-2:19 `1.5`: f64
//>   - 2:10-2:13 `i64`: declared here
//>   = help: `i64(1.5)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0204]: this is bool, but `B` is f64
//>   ^ 3:16-3:20 `true`: bool
//>   - 3:10-3:13 `f64`: declared here
//>   = help: write `f64(true)`
//> error[ADC0501]: integer overflow
//>   ^ 4:16-4:39 `9223372036854775807 + 1`: leaves the range of `i64`
//>   = note: in a constant expression, which is evaluated at compile time
//>   = help: compute in `f64`, or bound the operands
//> error[ADC0502]: integer division by zero
//>   ^ 5:16-5:25 `div(1, 0)`: the divisor is 0 here
//>   = note: in a constant expression, which is evaluated at compile time
//>   = help: guard it with an `if`
//> error[ADC0503]: a real number has no `i64` value
//>   ^ 6:17-6:25 `i64(NAN)`: is NaN or out of range here
//>   = note: in a constant expression, which is evaluated at compile time
//>   = help: guard it with `isfinite`, or clamp it

// --- a constant that failed says nothing more
const A: f64 = oops;
const B: f64 = 2*A;
fn f(x: f64 in [0, B]) -> f64 { x*A + B }

//> error[ADC0201]: no variable or constant called `oops`
//>   ^ 2:16-2:20 `oops`: not defined here
//>   = help: declare it before: `let oops = …;` here, as a parameter of the function, or `const oops: f64 = …;`
