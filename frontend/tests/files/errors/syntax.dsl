

// --- a function with a syntax error says nothing more, the others do
fn f(x: f64) -> f64 { let y = x +; z }
fn g(x: f64) -> f64 { let n: i64 = x; h(x) }
fn h(x: f64 -> f64 { x }
const K: f64 = ;
fn k(x: f64 in [0, K]) -> f64 { K*x + f(x, x) }
rule jvp k(x; dx) { dx + }
check g { x ~ normal(0, }

//> error[ADC0105]: expected an expression, found `;`
//>   ^ 2:34-2:35 `;`: no expression starts with this
//>   = help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0204]: `x` is f64, but `n` is declared i64
//>   ^ 3:36-3:37 `x`: f64
//>   - 3:30-3:33 `i64`: declared here
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that, or drop `: i64`
//> error[ADC0105]: expected `,` or `)`, found `->`
//>   ^ 4:13-4:15 `->`: in the parameters of `h`
//>   - 4:5-4:6 `(`: opened here
//>   = help: parameters are written `x: f64, y: f64[N]`
//> error[ADC0105]: expected an expression, found `;`
//>   ^ 5:16-5:17 `;`: no expression starts with this
//>   = help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0203]: `f` takes 1 argument, but 2 are given
//>   ^ 6:39-6:46 `f(x, x)`: 2 arguments
//>   - 2:1-2:20 `fn f(x: f64) -> f64`: declared here
//> error[ADC0105]: expected an expression, found `}`
//>   ^ 7:26-7:27 `}`: no expression starts with this
//>   = help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
//> error[ADC0105]: expected an expression, found `}`
//>   ^ 8:25-8:26 `}`: no expression starts with this
//>   = help: write a number, a name, `(…)`, `[…]`, `{ … }` or `if … { … } else { … }`
