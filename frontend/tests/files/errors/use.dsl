

// --- a file that is not there
use "nowhere.dsl";
fn f(x: f64) -> f64 { x }

//> error[ADC0214]: `nowhere.dsl` cannot be read
//>   ^ 2:5-2:18 `"nowhere.dsl"`: no such file
//>   = help: the path is relative to `main.dsl`

// --- a cycle
use "a.dsl";
//== a.dsl
use "b.dsl";
//== b.dsl
use "a.dsl";

//> error[ADC0214]: `a.dsl` uses itself
//>   ^ b.dsl:1:5-1:12 `"a.dsl"`: the files use each other: a.dsl -> b.dsl -> a.dsl
//>   = help: move what both need to a third file

// --- a file that uses itself
use "main.dsl";

//> error[ADC0214]: `main.dsl` uses itself
//>   ^ 2:5-2:15 `"main.dsl"`: the files use each other: main.dsl -> main.dsl
//>   = help: move what both need to a third file

// --- names of two files
use "a.dsl";
fn f(x: f64) -> f64 { x }
//== a.dsl
fn f(x: f64) -> f64 { 2*x }

//> error[ADC0202]: `f` is defined twice
//>   ^ a.dsl:1:4-1:5 `f`: the second definition
//>   - 3:4-3:5 `f`: the first one
//>   = help: rename one of them; files joined by `use` share their names

// --- errors in a used file
use "a.dsl";
fn f(x: f64) -> f64 { g(x, 1) }
//== a.dsl
fn g(x: f64) -> f64 { y }

//> error[ADC0203]: `g` takes 1 argument, but 2 are given
//>   ^ 3:23-3:30 `g(x, 1)`: 2 arguments
//>   - a.dsl:1:1-1:20 `fn g(x: f64) -> f64`: declared here
//> error[ADC0201]: no variable or constant called `y`
//>   ^ a.dsl:1:23-1:24 `y`: not defined here
//>   = help: declare it before: `let y = …;` here, as a parameter of the function, or `const y: f64 = …;`
