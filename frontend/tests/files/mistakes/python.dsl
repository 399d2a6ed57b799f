// What people write who come from Python, without NumPy.

// --- def
def square_loss(x, y):
    return (x - y)**2

//> error[ADC0106]: `def` starts no item
//>   ^ 2:1-2:4 `def`: not part of the language
//>   = help: write `fn square_loss(x: f64, y: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- def in front of a function
def half(x):
    return x/2
fn f(x: f64) -> f64 { x }

//> error[ADC0106]: `def` starts no item
//>   ^ 2:1-2:4 `def`: not part of the language
//>   = help: write `fn half(x: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- def with braces
def loss(x: float, y: float) -> float { (x - y)^2 }

//> error[ADC0106]: `def` starts no item
//>   ^ 2:1-2:4 `def`: not part of the language
//>   = help: functions are written `fn name(x: f64) -> f64 { … }`
//> error[ADC0205]: no type called `float`
//>   ^ 2:13-2:18 `float`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:13-2:18 `float` -> `f64`

// --- an untyped parameter
fn loss(x, y) -> f64 { (x - y)^2 }

//> error[ADC0105]: parameters `x`, `y` have no types
//>   ^ 2:9-2:10 `x`: no type
//>   - 2:12-2:13 `y`: no type
//>   = help: write `x: f64, y: f64`; an array is `x: f64[N]`

// --- no result type
fn loss(x: f64) { x^2 }

//> error[ADC0105]: expected `->`, found `{`
//>   ^ 2:15-2:16 `)`: `loss` has no result type
//>   = help: write `-> f64` behind the parameters, or `-> (f64, f64)`

// --- return at the end
fn loss(x: f64) -> f64 { return x^2; }

//> error[ADC0106]: `return` is not a statement
//>   ^ 2:26-2:36 `return x^2`: there is no `return`
//>   = help: the last expression of a block, without `;`, is its value: leave out `return` and the `;`

// --- an early return
fn f(x: f64) -> f64 {
    if x > 0 { return x; }
    return -x;
}

//> error[ADC0106]: `return` is not a statement
//>   ^ 3:16-3:24 `return x`: there is no `return`
//>   = help: a function ends at its end: write `if c { a } else { b }` and put the rest into the branches
//> error[ADC0106]: `return` is not a statement
//>   ^ 4:5-4:14 `return -x`: there is no `return`
//>   = help: the last expression of a block, without `;`, is its value: leave out `return` and the `;`

// --- power
fn f(x: f64) -> f64 { x**2 }

//> error[ADC0106]: `**` is not an operator
//>   ^ 2:24-2:26 `**`: a power in other languages
//>   = help: write `^`: `x^2`

// --- lambda
fn f(x: f64) -> f64 {
    let g = lambda t: t^2;
    g(x)
}

//> error[ADC0106]: there are no closures
//>   ^ 3:13-3:19 `lambda`: a function without a name
//>   = help: declare it with `fn` and give its name; known arguments are given by partial application, `f(_, p)`

// --- elif
fn f(x: f64) -> f64 {
    if x > 1 { 1.0 } elif x < 0 { 0.0 } else { x }
}

//> error[ADC0106]: `elif` is not a keyword
//>   ^ 3:22-3:26 `elif`: not part of the language
//>   = help: write `else if`
//>   ! write `else if`: 3:22-3:26 `elif` -> `else if`

// --- colons in place of braces
fn f(x: f64) -> f64 {
    if x > 0:
        x
    else:
        -x
}

//> error[ADC0106]: `:` starts no block
//>   ^ 3:13-3:14 `:`: a branch of an `if` is a block in braces
//>   = help: write `if c { a } else { b }`

// --- for in range
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i in range(N) { s += x[i]; }
    s
}

//> error[ADC0106]: a loop over something that is not a range
//>   ^ 4:14-4:22 `range(N)`: loops run over `a..b`
//>   = help: write `0..N`

// --- for in range with a colon
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i in range(0, N):
        s += x[i]
    return s
}

//> error[ADC0106]: a loop over something that is not a range
//>   ^ 4:14-4:25 `range(0, N)`: loops run over `a..b`
//>   = help: write `0..N`

// --- for over the elements
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for v in x { s += v; }
    s
}

//> error[ADC0106]: a loop over something that is not a range
//>   ^ 4:14-4:15 `x`: loops run over `a..b`
//>   = help: write `for i in 0..n` and use `x[i]`

// --- enumerate
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i, v in enumerate(x) { s += i*v; }
    s
}

//> error[ADC0106]: a `for` with several variables
//>   ^ 4:10-4:11 `,`: a loop has one variable
//>   = help: loop over the indices: `for i in 0..n { … }`, with `x[i]` inside

// --- len
fn mean_of(x: f64[N]) -> f64 { sum(x) / len(x) }

//> error[ADC0201]: no dimension called `N`
//>   ^ 2:19-2:20 `N`: not defined here
//>   = help: declare it at the function: `fn f[N](…)`; in a block sizes are numbers

// --- len with a dimension
fn mean_of[N](x: f64[N]) -> f64 { sum(x) / len(x) }

//> error[ADC0201]: no function or op called `len`
//>   ^ 2:44-2:47 `len`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- a size is an integer
fn mean_of[N](x: f64[N]) -> f64 { sum(x) / N + x / N }

//> error[ADC0204]: `/` cannot take f64 and i64
//>   ^ 2:35-2:45 `sum(x) / N`: there is no implicit conversion
//>   - 2:35-2:41 `sum(x)`: f64
//>   - 2:44-2:45 `N`: i64
//>   = help: write `f64(N)`
//> error[ADC0204]: `/` cannot take f64[N] and i64
//>   ^ 2:48-2:53 `x / N`: there is no implicit conversion
//>   - 2:48-2:49 `x`: f64[N]
//>   - 2:52-2:53 `N`: i64
//>   = help: write `f64(N)`

// --- variables without let
fn f(x: f64) -> f64 {
    y = x^2;
    y + 1
}

//> error[ADC0201]: no variable called `y`
//>   ^ 3:5-3:6 `y`: not defined here
//>   = help: declare it: `var y = …;` (or `let` if it never changes)

// --- lines without semicolons
fn f(x: f64) -> f64 {
    let y = x^2
    let z = y + 1
    z
}

//> error[ADC0105]: expected `;`, found `let`
//>   ^ 3:15-3:16 `2`: `;` is missing behind a `let`
//>   = help: end it with `;`
//>   ! insert `;`: 3:16-3:16 `` -> `;`
//> error[ADC0105]: expected `;`, found `z`
//>   ^ 4:17-4:18 `1`: `;` is missing behind a `let`
//>   = help: end it with `;`
//>   ! insert `;`: 4:18-4:18 `` -> `;`

// --- None
fn f(x: f64) -> f64 {
    var y = None;
    y = x;
    y
}

//> error[ADC0201]: no variable or constant called `None`
//>   ^ 3:13-3:17 `None`: not defined here
//>   = help: every variable has a number from the start: `var y = 0.0;`

// --- True and False
fn f(x: f64) -> bool { if x > 0 { True } else { False } }

//> error[ADC0201]: no variable or constant called `True`
//>   ^ 2:35-2:39 `True`: did you mean `true`?
//>   ! write `true`: 2:35-2:39 `True` -> `true`
//> error[ADC0201]: no variable or constant called `False`
//>   ^ 2:49-2:54 `False`: did you mean `false`?
//>   ! write `false`: 2:49-2:54 `False` -> `false`

// --- and, or, not
fn f(x: f64, y: f64) -> f64 { if x > 0 and not y > 0 or x < -1 { x } else { y } }

//> error[ADC0106]: `and` is not an operator
//>   ^ 2:40-2:43 `and`: not part of the language
//>   = help: write `&&`
//>   ! write `&&`: 2:40-2:43 `and` -> `&&`
//> error[ADC0106]: `not` is not an operator
//>   ^ 2:44-2:47 `not`: from another language
//>   = help: write `!`: `!(a < b)`
//> error[ADC0106]: `or` is not an operator
//>   ^ 2:54-2:56 `or`: not part of the language
//>   = help: write `||`
//>   ! write `||`: 2:54-2:56 `or` -> `||`

// --- a conditional expression
fn f(x: f64) -> f64 { x if x > 0 else 0 }

//> error[ADC0106]: `if` has no meaning here
//>   ^ 2:25-2:27 `if`: not part of the language
//>   = help: write `if c { a } else { b }`, the condition first

// --- the remainder
fn f(n: i64) -> i64 { n % 2 }

//> error[ADC0106]: `%` is not an operator
//>   ^ 2:25-2:26 `%`: not part of the language
//>   = help: write `mod(a, b)`

// --- append
fn f(x: f64) -> f64 {
    var v = [];
    for i in 0..3 { v.append(x); }
    sum(v)
}

//> error[ADC0113]: an array literal without elements
//>   ^ 3:13-3:15 `[]`: no element gives it a type
//>   = help: write `zeros(0)`
//> error[ADC0106]: there are no methods: `.append(…)`
//>   ^ 4:21-4:29 `v.append`: not part of the language
//>   = help: arrays have a fixed size: declare it, `var v = zeros(N);`, then `v[i] = …;`, or write `[e for i in 0..N]`

// --- a filter in a comprehension
fn f[N](x: f64[N]) -> f64 { sum([x[i] for i in 0..N if x[i] > 0]) }

//> error[ADC0106]: a condition in a generator
//>   ^ 2:53-2:55 `if`: generators filter nothing
//>   = help: choose inside: `sum(if c { e } else { 0 } for i in 0..n)`

// --- a filter in a reduction
fn f[N](x: f64[N]) -> f64 { sum(x[i] for i if x[i] > 0) }

//> error[ADC0106]: a condition in a generator
//>   ^ 2:44-2:46 `if`: generators filter nothing
//>   = help: choose inside: `sum(if c { e } else { 0 } for i in 0..n)`

// --- import
import math
fn f(x: f64) -> f64 { math.sin(x) }

//> error[ADC0106]: `import` starts no item
//>   ^ 2:1-2:7 `import`: not part of the language
//>   = help: leave it out for built-in functions, they are always there; items of another adc file come with `use "other.dsl";`
//> error[ADC0106]: there are no modules: `.sin(…)`
//>   ^ 3:23-3:31 `math.sin`: not part of the language
//>   = help: write `sin(x)`

// --- from import
from math import sin
fn f(x: f64) -> f64 { sin(x) }

//> error[ADC0106]: `from` starts no item
//>   ^ 2:1-2:5 `from`: not part of the language
//>   = help: leave it out for built-in functions, they are always there; items of another adc file come with `use "other.dsl";`

// --- math.pi
fn f(x: f64) -> f64 { sin(math.pi*x) }

//> error[ADC0106]: there are no modules: `.pi`
//>   ^ 2:27-2:34 `math.pi`: not part of the language
//>   = help: write `PI`

// --- pi
fn f(x: f64) -> f64 { sin(pi*x) }

//> error[ADC0201]: no variable or constant called `pi`
//>   ^ 2:27-2:29 `pi`: did you mean `PI`?
//>   ! write `PI`: 2:27-2:29 `pi` -> `PI`

// --- print
fn f(x: f64) -> f64 {
    print(x);
    x
}

//> error[ADC0106]: `print` is not a statement
//>   ^ 3:5-3:10 `print`: not part of the language
//>   = help: nothing is printed from a model: make the value a result of the function

// --- a comment
# the loss
fn f(x: f64) -> f64 { x }

//> error[ADC0106]: `#` starts no comment
//>   ^ 2:1-2:2 `#`: only `#[…]`
//>   = help: comments start with `//`; attributes are written `#[inline]`

// --- a comment in the body
fn f(x: f64) -> f64 {
    # square it
    x^2
}

//> error[ADC0106]: `#` starts no comment
//>   ^ 3:5-3:6 `#`: only `#[…]`
//>   = help: comments start with `//`; attributes are written `#[inline]`

// --- a docstring
fn f(x: f64) -> f64 {
    """the square"""
    x^2
}

//> error[ADC0106]: a string is not a value
//>   ^ 3:5-3:7 `""`: a string
//>   = help: comments start with `//`, the documentation of a function in front of it with `///`

// --- negative indices
fn last[N](x: f64[N]) -> f64 { x[-1] }

//> error[ADC0222]: index -1 is outside an axis of size N
//>   ^ 2:34-2:36 `-1`: outside
//>   - 2:32-2:33 `x`: f64[N]
//>   = help: indices do not count from the end: write `x[N - 1]`

// --- a negative end of a slice
fn f[N](x: f64[N]) -> f64 { sum(x[1:] - x[:-1]) }

//> error[ADC0222]: the slice 0:-1 is outside its axis
//>   ^ 2:43-2:46 `:-1`: slices do not count from the end
//>   - 2:41-2:42 `x`: f64[N]
//>   = help: `a:b` are the indices from `a` up to `b`, without `b`: write `N-1` for `-1`

// --- a slice with a step
fn f[N](x: f64[N]) -> f64 { sum(x[::2]) }

//> error[ADC0106]: a slice with a stride
//>   ^ 2:35-2:37 `::`: more than `a:b`
//>   = help: write `[x[2*i] for i in 0..n]`

// --- a keyword argument
fn g(x: f64, a: f64) -> f64 { a*x }
fn f(x: f64) -> f64 { g(x, a=2) }

//> error[ADC0106]: an argument with a name
//>   ^ 3:28-3:30 `a=`: arguments have no names
//>   = help: give the arguments in the order of the parameters

// --- a default value
fn f(x: f64, a: f64 = 2.0) -> f64 { a*x }

//> error[ADC0106]: a parameter with a default value
//>   ^ 2:21-2:22 `=`: callers give every argument
//>   = help: leave it out; a `const` can hold the usual value

// --- a chain of comparisons
fn f(x: f64) -> f64 { if 0 < x < 1 { x } else { 0 } }

//> error[ADC0108]: comparisons do not chain
//>   ^ 2:26-2:35 `0 < x < 1`: `<` compares the result of another comparison
//>   - 2:32-2:33 `<`: second comparison
//>   = help: write `0 < x && x < 1`

// --- a string
fn f(x: f64) -> f64 {
    let name = "x";
    x
}

//> error[ADC0112]: a string is not a value
//>   ^ 3:16-3:19 `"x"`: a string
//>   = help: strings belong in `assert c, "text";`, `use "file.dsl";` and `x = load("x.npy");` of a `check` block

// --- a single-quoted string
fn f(x: f64) -> f64 {
    let name = 'x';
    x
}

//> error[ADC0106]: `'` starts no expression
//>   ^ 3:16-3:17 `'`: strings are not written with `'`
//>   = help: strings are written with `"`; the transpose `A'` has its `'` behind

// --- is None
fn f(x: f64) -> f64 { if x is None { 0 } else { x } }

//> error[ADC0106]: `is` is not an operator
//>   ^ 2:28-2:30 `is`: not part of the language
//>   = help: write `==`; every variable has a number, so there is no `None`

// --- in
fn f(n: i64) -> f64 { if n in [1, 2, 3] { 1.0 } else { 0.0 } }

//> error[ADC0106]: `in` has no meaning here
//>   ^ 2:28-2:30 `in`: not part of the language
//>   = help: there is no test of membership: write `n == 1 || n == 2`

// --- pass
fn f(x: f64) -> f64 {
    if x > 0 { pass }
    x
}

//> error[ADC0106]: `pass` is not a statement
//>   ^ 3:16-3:20 `pass`: not part of the language
//>   = help: an empty block is `{}`

// --- break
fn f(x: f64) -> f64 {
    var y = x;
    for i in 0..10 {
        if y > 1 { break; }
        y = 2*y;
    }
    y
}

//> error[ADC0106]: `break` is not a statement
//>   ^ 5:20-5:25 `break`: not part of the language
//>   = help: there is no `break`: put the condition into `while c { … }`

// --- global
fn f(x: f64) -> f64 {
    global K;
    K*x
}

//> error[ADC0106]: `global` is not a statement
//>   ^ 3:5-3:11 `global`: not part of the language
//>   = help: a function sees its parameters and the constants of the file only

// --- a module constant
K = 2.0
fn f(x: f64) -> f64 { K*x }

//> error[ADC0105]: expected an item, found `K`
//>   ^ 2:1-2:2 `K`: a definition starts with a keyword
//>   = help: write `const K: f64 = …;`

// --- a tuple is unpacked
fn g(x: f64) -> (f64, f64) { (x, -x) }
fn f(x: f64) -> f64 {
    a, b = g(x)
    a*b
}

//> error[ADC0106]: several names in front of `=`
//>   ^ 4:6-4:7 `,`: not part of the language
//>   = help: write `let (a, b) = …;` for new names; variables are assigned one by one, new values first: `let (a, b) = …;`

// --- several assignments at once
fn f(x: f64) -> f64 {
    var a = 0.0; var b = 1.0;
    a, b = b, a + b;
    a*x
}

//> error[ADC0106]: several names in front of `=`
//>   ^ 4:6-4:7 `,`: not part of the language
//>   = help: write `let (a, b) = …;` for new names; variables are assigned one by one, new values first: `let (a, b) = …;`

// --- one assignment to two names
fn f(x: f64) -> f64 {
    var a = b = x;
    a
}

//> error[ADC0106]: `=` has no meaning here
//>   ^ 3:15-3:16 `=`: not part of the language
//>   = help: `=` belongs in `let`, `var` and assignments, one for each name; compare with `==`

// --- zip
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(a*b for a, b in zip(x, y)) }

//> error[ADC0106]: a loop over something that is not a range
//>   ^ 2:60-2:69 `zip(x, y)`: loops run over `a..b`
//>   = help: write `for i in 0..n` and use `x[i]`

// --- the built-in abs of a list, map
fn f[N](x: f64[N]) -> f64 { sum(map(abs, x)) }

//> error[ADC0201]: no function or op called `map`
//>   ^ 2:33-2:36 `map`: not part of the language
//>   = help: built-ins and operators map over arrays; other functions in `[f(x[i]) for i]`

// --- int and float
fn f(x: f64) -> f64 { float(int(x)) }

//> error[ADC0205]: no type called `float`
//>   ^ 2:23-2:28 `float`: write `f64`
//>   = help: write `f64(…)` to convert
//>   ! write `f64`: 2:23-2:28 `float` -> `f64`
//> error[ADC0205]: no type called `int`
//>   ^ 2:29-2:32 `int`: write `i64`
//>   = help: write `i64(…)` to convert
//>   ! write `i64`: 2:29-2:32 `int` -> `i64`

// --- complex
fn f(x: f64) -> c128 { complex(x, 1) }

//> error[ADC0205]: no type called `complex`
//>   ^ 2:24-2:31 `complex`: write `c128`
//>   = help: write `c128(…)` to convert
//>   ! write `c128`: 2:24-2:31 `complex` -> `c128`

// --- the imaginary unit
fn f(x: f64) -> c128 { exp(1j*x) }

//> error[ADC0104]: `1j` is not a number
//>   ^ 2:28-2:30 `1j`: an imaginary number ends in `i`
//>   = help: write `1i`

// --- raise
fn f(x: f64) -> f64 {
    if x < 0 { raise ValueError("negative"); }
    sqrt(x)
}

//> error[ADC0106]: `raise` is not a statement
//>   ^ 3:16-3:21 `raise`: not part of the language
//>   = help: write `assert c, "text";`, with the condition that must hold

// --- assert with parentheses
fn f(x: f64) -> f64 {
    assert(x > 0, "positive");
    log(x)
}

//> error[ADC0106]: an `assert` with parentheses
//>   ^ 3:5-3:12 `assert(`: a statement, not a function
//>   = help: write `assert c, "positive";`

// --- a nested function
fn f(x: f64) -> f64 {
    def g(t):
        return t^2
    return g(x)
}

//> error[ADC0106]: `def` is not a statement
//>   ^ 3:5-3:8 `def`: not part of the language
//>   = help: functions do not nest: move it out, `fn name(x: f64) -> f64 { … }`

// --- while with a colon
fn f(x: f64) -> f64 {
    var y = x;
    while y < 10:
        y *= 2
    y
}

//> error[ADC0106]: `:` starts no block
//>   ^ 4:17-4:18 `:`: the body of a `while` loop is a block in braces
//>   = help: write `while c { … }`

// --- class
class Model:
    def __init__(self):
        self.w = 0

//> error[ADC0106]: `class` starts no item
//>   ^ 2:1-2:6 `class`: not part of the language
//>   = help: there are no user-defined types: the types are `bool i64 f32 f64 c64 c128` and arrays of them

// --- matrix multiplication with the wrong sizes
fn f[N, M](A: f64[N, M], x: f64[N]) -> f64[N] { A @ x }

//> error[ADC0219]: `@` cannot take f64[N, M] and f64[N]
//>   ^ 2:49-2:54 `A @ x`: sums over M on the left, over N on the right
//>   - 2:49-2:50 `A`: f64[N, M]
//>   - 2:53-2:54 `x`: f64[N]
//>   = help: `A' @ x` fits

// --- a walrus
fn f(x: f64) -> f64 { if (y := x^2) > 1 { y } else { x } }

//> error[ADC0106]: `:=` has no meaning here
//>   ^ 2:29-2:31 `:=`: not part of the language
//>   = help: write `let x = e;` in a statement before, `x = e;` for a `var`
