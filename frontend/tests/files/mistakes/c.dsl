// What people write who come from C, C++, Rust and JavaScript.

// --- a C function
double f(double x) { return x*x; }

//> error[ADC0106]: `double` starts no item
//>   ^ 2:1-2:7 `double`: not part of the language
//>   = help: write `fn f(x: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- types in front of parameters
fn f(double x) -> f64 { x*x }

//> error[ADC0106]: a type in front of a name
//>   ^ 2:6-2:14 `double x`: the name comes first
//>   = help: write `x: f64`

// --- a declaration with its type
fn f(x: f64) -> f64 {
    double y = x*x;
    y
}

//> error[ADC0106]: a type in front of a name
//>   ^ 3:5-3:13 `double y`: not part of the language
//>   = help: write `let y: f64 = …;`, or `var` if it is assigned later

// --- an uninitialised variable
fn f(x: f64) -> f64 {
    double y;
    y = x*x;
    y
}

//> error[ADC0106]: a type in front of a name
//>   ^ 3:5-3:13 `double y`: not part of the language
//>   = help: write `var y = 0.0;`: a variable has a value from the start

// --- a C loop
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for (int i = 0; i < N; i++) { s += x[i]; }
    s
}

//> error[ADC0106]: a `for` with parentheses
//>   ^ 4:5-4:10 `for (`: a loop from another language
//>   = help: write `for i in 0..n { … }`: one variable, no parentheses, and the range ends before `n`

// --- i++
fn f(x: f64) -> f64 {
    var i = 0;
    while i < 10 { i++; }
    f64(i)*x
}

//> error[ADC0106]: `++` is not an operator
//>   ^ 4:22-4:23 `+`: not part of the language
//>   = help: write `x += 1;`

// --- a pointer
fn f(x: *f64) -> f64 { x }

//> error[ADC0106]: there are no pointers
//>   ^ 2:9-2:10 `*`: a pointer
//>   = help: leave out the `*`: an array is `f64[N]`, with the size among the dimensions of the function, `fn f[N](…)`

// --- an array of C
fn f(x: f64) -> f64 {
    double v[3];
    v[0] = x;
    v[0]
}

//> error[ADC0106]: a type in front of a name
//>   ^ 3:5-3:13 `double v`: not part of the language
//>   = help: write `var v = zeros(N);`, then `v[i] = …;`

// --- indices in two brackets
fn f(x: f64[2, 2]) -> f64 {
    var y = x;
    y[0][1] = 1.0;
    y[0][1]
}

//> error[ADC0207]: this cannot be assigned
//>   ^ 4:5-4:12 `y[0][1]`: indices of an index
//>   = help: write all in one: `x[i, j] = e;`

// --- an initialiser in braces
fn f(x: f64) -> f64 {
    let v = {x, 2*x};
    v[0]
}

//> error[ADC0105]: expected an operator or `;`, found `,`
//>   ^ 3:15-3:16 `,`: nothing is listed here
//>   = help: an array is `[a, b]`, several results are `(a, b)`, several names `let (a, b) = e;`

// --- printf
fn f(x: f64) -> f64 {
    printf("%g\n", x);
    x
}

//> error[ADC0106]: `printf` is not a statement
//>   ^ 3:5-3:11 `printf`: not part of the language
//>   = help: nothing is printed from a model: make the value a result of the function

// --- include
#include <math.h>
fn f(x: f64) -> f64 { x }

//> error[ADC0106]: `#` starts no comment
//>   ^ 2:1-2:2 `#`: only `#[…]`
//>   = help: leave it out: built-in functions are always there; items of another adc file come with `use "other.dsl";`

// --- define
#define N 3
fn f(x: f64) -> f64 { x }

//> error[ADC0106]: `#` starts no comment
//>   ^ 2:1-2:2 `#`: only `#[…]`
//>   = help: write `const N: f64 = 3;`

// --- fabs, fmax and pow
fn f(x: f64) -> f64 { fabs(x) + fmax(x, 0) + pow(x, 2) }

//> error[ADC0201]: no function or op called `fabs`
//>   ^ 2:23-2:27 `fabs`: did you mean `abs`?
//>   ! write `abs`: 2:23-2:27 `fabs` -> `abs`
//> error[ADC0201]: no function or op called `fmax`
//>   ^ 2:33-2:37 `fmax`: did you mean `max`?
//>   ! write `max`: 2:33-2:37 `fmax` -> `max`

// --- M_PI
fn f(x: f64) -> f64 { sin(M_PI*x) }

//> error[ADC0201]: no variable or constant called `M_PI`
//>   ^ 2:27-2:31 `M_PI`: did you mean `PI`?
//>   ! write `PI`: 2:27-2:31 `M_PI` -> `PI`

// --- a cast
fn f(n: i64, x: f64) -> f64 { (double)n * x }

//> error[ADC0106]: `n` has no meaning here
//>   ^ 2:39-2:40 `n`: not part of the language
//>   = help: write `f64(n)`, `i64(x)` to convert

// --- a cast with as
fn f(n: i64, x: f64) -> f64 { n as f64 * x }

//> error[ADC0106]: `as` has no meaning here
//>   ^ 2:33-2:35 `as`: not part of the language
//>   = help: write `f64(n)`, `i64(x)` to convert

// --- the conditional operator
fn f(x: f64) -> f64 { x > 0 ? x : -x }

//> error[ADC0106]: `?` has no meaning here
//>   ^ 2:29-2:30 `?`: not part of the language
//>   = help: write `if c { a } else { b }`

// --- exclamation
fn f(x: f64) -> f64 { if !x { 1.0 } else { x } }

//> error[ADC0204]: `!` takes booleans, but `x` is f64
//>   ^ 2:27-2:28 `x`: f64
//>   = help: compare it: `x != 0`

// --- an if with parentheses and no braces
fn f(x: f64) -> f64 {
    if (x > 0) return x;
    else return -x;
}

//> error[ADC0105]: expected `{`, found `return`
//>   ^ 3:16-3:22 `return`: in a branch of an `if`
//>   = help: blocks always have braces: `if c { a } else { b }`

// --- a condition that is a number
fn f(n: i64) -> f64 { if n { 1.0 } else { 0.0 } }

//> error[ADC0204]: `n` is i64, but `if` needs a bool
//>   ^ 2:26-2:27 `n`: i64
//>   = help: compare it: `n != 0`

// --- an assignment as condition
fn f(x: f64) -> f64 { if x = 0 { 1.0 } else { x } }

//> error[ADC0106]: `=` in the condition of an `if`
//>   ^ 2:28-2:29 `=`: this assigns, it does not compare
//>   = help: compare with `==`

// --- void
void f(double x) { }

//> error[ADC0106]: `void` starts no item
//>   ^ 2:1-2:5 `void`: not part of the language
//>   = help: write `fn f(x: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- std::
fn f(x: f64) -> f64 { std::sin(x) }

//> error[ADC0106]: `::` has no meaning here
//>   ^ 2:26-2:28 `::`: not part of the language
//>   = help: there are no modules: write `sin(x)`

// --- f64::
fn f(x: f64) -> f64 { f64::sin(x) }

//> error[ADC0106]: `::` has no meaning here
//>   ^ 2:26-2:28 `::`: not part of the language
//>   = help: there are no modules: write `sin(x)`

// --- a method of Rust
fn f(x: f64) -> f64 { x.sin().powi(2) }

//> error[ADC0106]: there are no methods: `.sin(…)`
//>   ^ 2:23-2:28 `x.sin`: not part of the language
//>   = help: write `sin(x)`

// --- let mut
fn f(x: f64) -> f64 {
    let mut y = x;
    y += 1.0;
    y
}

//> error[ADC0106]: `mut` is not a keyword
//>   ^ 3:5-3:12 `let mut`: declares nothing that can be assigned
//>   = help: write `var y = …;`

// --- Vec
fn f(x: Vec<f64>) -> f64 { sum(x) }

//> error[ADC0106]: a type with `<`
//>   ^ 2:12-2:13 `<`: there are no generic types
//>   = help: an array type is written `f64[N]`, a matrix `f64[N, M]`

// --- a slice of Rust
fn f(x: &[f64]) -> f64 { sum(x) }

//> error[ADC0106]: there are no references
//>   ^ 2:9-2:10 `&`: a reference
//>   = help: leave out the `&`: arrays are values, `f64[N]`, and copied only where it matters

// --- an array type of Rust
fn f(x: [f64; 3]) -> f64 { sum(x) }

//> error[ADC0106]: an array type with its brackets in front
//>   ^ 2:9-2:10 `[`: not a type
//>   = help: write `f64[N]`, `f64[N, 3]`

// --- an iterator
fn f[N](x: f64[N]) -> f64 { x.iter().sum() }

//> error[ADC0106]: there are no methods: `.iter(…)`
//>   ^ 2:29-2:35 `x.iter`: not part of the language
//>   = help: loop over the indices: `sum(x[i] for i)`, `[e for i in 0..N]`

// --- a closure
fn f(x: f64) -> f64 {
    let g = |t| t*t;
    g(x)
}

//> error[ADC0106]: there are no closures
//>   ^ 3:13-3:14 `|`: a function without a name
//>   = help: declare it with `fn` and give its name; known arguments are given by partial application, `f(_, p)`

// --- vec!
fn f(x: f64) -> f64 {
    let v = vec![x, 2*x];
    v[0]
}

//> error[ADC0106]: `!` has no meaning here
//>   ^ 3:16-3:17 `!`: not part of the language
//>   = help: an array is written `[a, b]`, rows are nested: `[[a, b], [c, d]]`

// --- assert!
fn f(x: f64) -> f64 {
    assert!(x > 0);
    x
}

//> error[ADC0106]: `assert!` is not a statement
//>   ^ 3:5-3:12 `assert!`: there are no macros
//>   = help: write `assert c, "text";`

// --- const in a body
fn f(x: f64) -> f64 {
    const k = 2;
    f64(k)*x
}

//> error[ADC0112]: `const` inside a function
//>   ^ 3:5-3:10 `const`: allowed only outside of functions
//>   = help: write `let`, or move it out

// --- static const
static const double K = 2.0;
fn f(x: f64) -> f64 { K*x }

//> error[ADC0106]: `static` starts no item
//>   ^ 2:1-2:7 `static`: not part of the language
//>   = help: leave it out: items are `fn f(x: f64) -> f64 { … }` and `const K: f64 = …;`, and other files can use all of them

// --- auto
fn f(x: f64) -> f64 {
    auto y = x*x;
    y
}

//> error[ADC0106]: `auto` declares nothing
//>   ^ 3:5-3:9 `auto`: not part of the language
//>   = help: write `let y = …;`
//>   ? write `let`: 3:5-3:9 `auto` -> `let`

// --- bit operations
fn f(n: i64) -> i64 { n << 1 }

//> error[ADC0106]: `<<` is not an operator
//>   ^ 2:26-2:27 `<`: not part of the language
//>   = help: integers have no bit operations: write `n*2`, `div(n, 2)`

// --- xor for power
fn f(n: i64) -> i64 { n & 1 }

//> error[ADC0106]: `&` is not an operator
//>   ^ 2:25-2:26 `&`: not part of the language
//>   = help: write `&&`; integers have no bit operations, the last bit of `n` is `mod(n, 2)`

// --- modulo assignment
fn f(n: i64) -> i64 {
    var k = n;
    k %= 2;
    k
}

//> error[ADC0106]: `%=` has no meaning here
//>   ^ 4:7-4:9 `%=`: not part of the language
//>   = help: the assignments are `= += -= *= /=`; write `k = mod(k, 2);`, `x = x^2;`

// --- a template
template <typename T> T f(T x) { return x*x; }

//> error[ADC0106]: `template` starts no item
//>   ^ 2:1-2:9 `template`: not part of the language
//>   = help: there are no type parameters: write a function for numbers, `fn f(x: f64) -> f64 { … }`

// --- generic
fn f<T>(x: T) -> T { x*x }

//> error[ADC0106]: dimensions in angle brackets
//>   ^ 2:5-2:6 `<`: there are no type parameters
//>   = help: dimensions go in square brackets: `fn f[N](x: f64[N]) -> …`

// --- struct
struct P { double a; };
fn f(x: f64) -> f64 { x }

//> error[ADC0106]: `struct` starts no item
//>   ^ 2:1-2:7 `struct`: not part of the language
//>   = help: there are no user-defined types: the types are `bool i64 f32 f64 c64 c128` and arrays of them

// --- Math.sin
fn f(x: f64) -> f64 { Math.sin(x) }

//> error[ADC0106]: there are no modules: `.sin(…)`
//>   ^ 2:23-2:31 `Math.sin`: not part of the language
//>   = help: write `sin(x)`

// --- ===
fn f(x: f64) -> f64 { if x === 0 { 1.0 } else { x } }

//> error[ADC0106]: `===` is not an operator
//>   ^ 2:28-2:31 `===`: not part of the language
//>   = help: write `==` or `!=`

// --- an arrow function
const f = (x) => x*x;

//> error[ADC0106]: there are no closures
//>   ^ 2:7-2:8 `f`: a function is an item of its own
//>   = help: write `fn f(x: f64) -> f64 { … }`

// --- a function of JavaScript
function f(x) { return x*x; }

//> error[ADC0106]: `function` starts no item
//>   ^ 2:1-2:9 `function`: not part of the language
//>   = help: write `fn f(x: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- var without a value
fn f[N](x: f64[N]) -> f64 {
    var s;
    for i in 0..N { s += x[i]; }
    s
}

//> error[ADC0105]: expected `=`, found `;`
//>   ^ 3:10-3:11 `;`: a `var` has a value from the start
//>   = help: write `var x = 0.0;`, for an array `var x = zeros(N);`

// --- nullptr
fn f(x: f64) -> f64 { if x == NULL { 0 } else { x } }

//> error[ADC0201]: no variable or constant called `NULL`
//>   ^ 2:31-2:35 `NULL`: not defined here
//>   = help: every variable has a number from the start: `var y = 0.0;`

// --- a float suffix
fn f(x: f64) -> f64 { 0.5f*x }

//> error[ADC0104]: `0.5f` is not a number
//>   ^ 2:23-2:27 `0.5f`: a number has no suffix
//>   = help: the type comes from where the number is used; convert with `f32(…)`

// --- a point without digits
fn f(x: f64) -> f64 { .5*x }

//> error[ADC0106]: a real starts with a digit
//>   ^ 2:23-2:24 `.`: starts with a point
//>   = help: write `0.5`

// --- hexadecimal
fn f(n: i64) -> i64 { n + 0xff }

//> error[ADC0104]: `0xff` is not a number
//>   ^ 2:27-2:31 `0xff`: only decimal numbers exist
//>   = help: write the number in decimal

// --- switch
fn f(n: i64) -> f64 {
    switch (n) {
        case 0: return 1.0;
        default: return 0.0;
    }
}

//> error[ADC0106]: `switch` is not a statement
//>   ^ 3:5-3:11 `switch`: not part of the language
//>   = help: write `if … { … } else if … { … } else { … }`

// --- do while
fn f(x: f64) -> f64 {
    var y = x;
    do { y *= 2; } while (y < 10);
    y
}

//> error[ADC0106]: `do` is not a statement
//>   ^ 4:5-4:7 `do`: not part of the language
//>   = help: write `for i in 0..n { … }` or `while c { … }`

// --- sizeof
fn f[N](x: f64[N]) -> f64 { sum(x)/sizeof(x) }

//> error[ADC0201]: no function or op called `sizeof`
//>   ^ 2:36-2:42 `sizeof`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- try
fn f(x: f64) -> f64 {
    try { sqrt(x) } catch { 0 }
}

//> error[ADC0106]: `try` is not a statement
//>   ^ 3:5-3:8 `try`: not part of the language
//>   = help: there are no exceptions; `assert c, "text";` ends a run

// --- a comma for two declarations
fn f(x: f64) -> f64 {
    let a = x, b = 2*x;
    a + b
}

//> error[ADC0105]: expected an operator or `;`, found `,`
//>   ^ 3:14-3:15 `,`: one name for each
//>   = help: write a statement for each name: `let a = x; let b = 2*x;`

// --- an else without braces
fn f(x: f64) -> f64 {
    if x > 0 { x } else -x
}

//> error[ADC0105]: expected `{`, found `-`
//>   ^ 3:25-3:26 `-`: in the `else` branch
//>   = help: blocks always have braces: `if c { a } else { b }`

// --- an if without else as value
fn f(x: f64) -> f64 {
    if x > 0 { x }
}

//> error[ADC0208]: an `if` used as a value needs an `else`
//>   ^ 3:5-3:19 `if x > 0 { x }`: has no value if the condition is false
//>   = help: add `else { … }`, or end the value with `;` if it is not wanted

// --- a semicolon behind the value
fn f(x: f64) -> f64 {
    x^2;
}

//> error[ADC0204]: this block has no value, but `f` returns f64
//>   ^ 3:5-3:8 `x^2`: this would be the value
//>   = help: remove the `;` behind it
//>   ! remove the `;`: 3:8-3:9 `;` -> ``

// --- recursion
fn fact(n: i64) -> i64 { if n < 2 { 1 } else { n*fact(n - 1) } }

//> error[ADC0211]: `fact` calls itself
//>   ^ 2:50-2:61 `fact(n - 1)`: closes the cycle fact -> fact
//>   - 2:4-2:8 `fact`: the function
//>   = help: recursion is allowed over dimensions only; write a loop
