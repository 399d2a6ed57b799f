

// --- one error for each construct, nothing behind it
fn f[N](x: f64[N]) -> f64 { sum(x) + nonsense }
fn g(x: f64[3], n: i64) -> f64 { x[0] }
fn h(x: f64) -> f64 { f([x]) + g(x, 1) + 1 }
check f[N = 3] { x ~ normal(0, 1); }

//> error[ADC0201]: no variable or constant called `nonsense`
//>   ^ 2:38-2:46 `nonsense`: not defined here
//>   = help: declare it before: `let nonsense = …;` here, as a parameter of the function, or `const nonsense: f64 = …;`
//> error[ADC0219]: `x` is f64, but parameter `x` of `g` is f64[3]
//>   ^ 4:34-4:35 `x`: f64
//>   - 3:9-3:15 `f64[3]`: declared here
//>   = help: `fill(x, 3)` is an array of it

// --- entries, annotations, function arguments
fn apply(f: fn(f64) -> f64, x: f64) -> f64 { f(x) }
fn f(x: f64) -> f64 { var y = x; y[0] = 1; let z: f64[2] = y; apply(grad(sin), x) + apply(f[3], x) + f[2](x) }
check apply { }
check f { x = load("x.npy"); }

//> error[ADC0222]: `y` is f64, which has no entries
//>   ^ 3:34-3:38 `y[0]`: only arrays can be indexed
//> error[ADC0219]: `y` is f64, but `z` is declared f64[2]
//>   ^ 3:60-3:61 `y`: f64
//>   - 3:51-3:57 `f64[2]`: declared here
//>   = help: `fill(y, 2)` is an array of it
//> error[ADC0211]: `f` calls itself
//>   ^ 3:91-3:92 `f`: closes the cycle f -> f
//>   - 3:4-3:5 `f`: the function
//>   = help: recursion is allowed over dimensions only; write a loop
//> error[ADC0203]: `f` has 0 dimensions, but 1 given
//>   ^ 3:93-3:94 `3`: one too many
//>   - 3:1-3:20 `fn f(x: f64) -> f64`: declared here
//>   = help: call it without brackets
//> error[ADC0203]: `f` has 0 dimensions, but 1 given
//>   ^ 3:104-3:105 `2`: one too many
//>   - 3:1-3:20 `fn f(x: f64) -> f64`: declared here
//>   = help: call it without brackets
//> error[ADC0801]: cannot load `x.npy`: arrays cannot be loaded from files here
//>   ^ 5:20-5:27 `"x.npy"`: this file
//>   = help: the path is relative to this file
