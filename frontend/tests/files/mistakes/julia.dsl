// What people write who come from Julia.

// --- function … end
function f(x)
    x^2
end

//> error[ADC0106]: `function` starts no item
//>   ^ 2:1-2:9 `function`: not part of the language
//>   = help: write `fn f(x: f64) -> f64 { … }`; the last expression of the body, without `;`, is its value

// --- a short definition
f(x) = x^2

//> error[ADC0105]: expected an item, found `f`
//>   ^ 2:1-2:2 `f`: a definition starts with a keyword
//>   = help: write `fn f(x: f64) -> f64 { … }`

// --- a typed short definition
f(x::Float64) = x^2

//> error[ADC0105]: expected an item, found `f`
//>   ^ 2:1-2:2 `f`: a definition starts with a keyword
//>   = help: write `fn f(x: f64) -> f64 { … }`

// --- types with two colons
fn f(x::Float64) -> f64 { x^2 }

//> error[ADC0106]: `::` in front of a type
//>   ^ 2:7-2:9 `::`: a type follows one `:`
//>   = help: write `x: f64`

// --- Float64
fn f(x: Float64) -> Float64 { x^2 }

//> error[ADC0205]: no type called `Float64`
//>   ^ 2:9-2:16 `Float64`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:9-2:16 `Float64` -> `f64`

// --- Vector
fn f(x: Vector{Float64}) -> f64 { sum(x) }

//> error[ADC0106]: a type with `{`
//>   ^ 2:15-2:16 `{`: there are no generic types
//>   = help: an array type is written `f64[N]`, a matrix `f64[N, M]`

// --- broadcasting
fn f[N](x: f64[N]) -> f64 { sum(x.^2) }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:34-2:35 `.`: not part of the language
//>   = help: operators map over arrays as they are: write `^`

// --- broadcasting times
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(x .* y) }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:46-2:47 `.`: not part of the language
//>   = help: operators map over arrays as they are: write `*`

// --- a dotted call
fn f[N](x: f64[N]) -> f64 { sum(sin.(x)) }

//> error[ADC0106]: `.` has no meaning here
//>   ^ 2:36-2:37 `.`: not part of the language
//>   = help: functions and operators map over arrays as they are: leave the point out

// --- ranges with a colon
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i in 1:N { s += x[i]; }
    s
}

//> error[ADC0106]: `:` in a range
//>   ^ 4:15-4:16 `:`: a range has `..`
//>   = help: write `0..n`: indices start at 0, and the range ends before `n`

// --- for =
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i = 1:N { s += x[i]; }
    s
}

//> error[ADC0106]: `=` in a `for`
//>   ^ 4:11-4:12 `=`: `in` belongs here
//>   = help: write `for i in 0..n { … }`: indices start at 0, and the range ends before `n`

// --- 1-based indices
fn f(x: f64[3]) -> f64 { x[1] + x[2] + x[3] }

//> error[ADC0222]: index 3 is outside an axis of size 3
//>   ^ 2:42-2:43 `3`: outside
//>   - 2:40-2:41 `x`: f64[3]
//>   = help: indices are 0-based: the last one is the size minus 1

// --- the inclusive range of Rust and Kotlin
fn f[N](x: f64[N]) -> f64 { sum(x[i] for i in 0..=N-1) }

//> error[ADC0106]: a range with its end included
//>   ^ 2:48-2:51 `..=`: ranges are half-open
//>   = help: write `a..b + 1`

// --- eachindex
fn f[N](x: f64[N]) -> f64 {
    var s = 0.0;
    for i in eachindex(x) { s += x[i]; }
    s
}

//> error[ADC0106]: a loop over something that is not a range
//>   ^ 4:14-4:26 `eachindex(x)`: loops run over `a..b`
//>   = help: write `for i in 0..n` and use `x[i]`

// --- length
fn f[N](x: f64[N]) -> f64 { sum(x)/length(x) }

//> error[ADC0201]: no function or op called `length`
//>   ^ 2:36-2:42 `length`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- size
fn f[N, M](x: f64[N, M]) -> f64 { sum(x)/size(x, 1) }

//> error[ADC0201]: no function or op called `size`
//>   ^ 2:42-2:46 `size`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- end in an index
fn f[N](x: f64[N]) -> f64 { x[end] }

//> error[ADC0201]: no variable or constant called `end`
//>   ^ 2:31-2:34 `end`: not defined here
//>   = help: the last index of an axis of size `N` is `N - 1`; a slice to the end is `x[2:]`

// --- end in a slice
fn f[N](x: f64[N]) -> f64 { sum(x[2:end]) }

//> error[ADC0201]: no variable or constant called `end`
//>   ^ 2:37-2:40 `end`: not defined here
//>   = help: the last index of an axis of size `N` is `N - 1`; a slice to the end is `x[2:]`

// --- begin … end
fn f(x: f64) -> f64 {
    begin
        x^2
    end
}

//> error[ADC0106]: `begin` is not a statement
//>   ^ 3:5-3:10 `begin`: not part of the language
//>   = help: a block is `{ … }`

// --- if … end
fn f(x: f64) -> f64 {
    if x > 0
        x
    else
        -x
    end
}

//> error[ADC0105]: expected `{`, found `x`
//>   ^ 4:9-4:10 `x`: in a branch of an `if`
//>   = help: blocks always have braces: `if c { a } else { b }`

// --- implicit multiplication
fn f(x: f64) -> f64 { 2x + 1 }

//> error[ADC0104]: `2x` is not a number
//>   ^ 2:23-2:25 `2x`: letters right after a number
//>   = help: a product needs its `*`: `2*x`

// --- implicit multiplication with parentheses
fn f(x: f64) -> f64 { 2(x + 1) }

//> error[ADC0209]: a number cannot be called
//>   ^ 2:23-2:31 `2(x + 1)`: a product needs its `*`
//>   = help: write `2*(x + 1)`

// --- an anonymous function
fn f[N](x: f64[N]) -> f64 { sum(map(t -> t^2, x)) }

//> error[ADC0106]: `->` has no meaning here
//>   ^ 2:39-2:41 `->`: not part of the language
//>   = help: there are no closures: declare `fn g(t: f64) -> f64 { … }` and give its name; elsewhere `->` belongs before a result type

// --- sum with a function
fn f[N](x: f64[N]) -> f64 { sum(abs2, x) }

//> error[ADC0203]: `sum` takes 1 argument, but 2 are given
//>   ^ 2:29-2:41 `sum(abs2, x)`: 2 arguments
//>   = help: along an axis it is `sum(x, axis = 1)`; terms are written `sum(f(x[i]) for i)`

// --- a matrix literal
fn f(x: f64) -> f64 { sum([1 x; x 1]) }

//> error[ADC0106]: `;` in an array literal
//>   ^ 2:31-2:32 `;`: separates rows or gives a length in other languages
//>   - 2:27-2:28 `[`: opened here
//>   = help: rows are nested, `[[1.0, 2.0], [3.0, 4.0]]`; one value repeated is `fill(v, n)`

// --- a vector literal with blanks
fn f(x: f64) -> f64 { sum([1 2 3]) }

//> error[ADC0105]: expected `,`, found `2`
//>   ^ 2:30-2:31 `2`: blanks separate nothing
//>   = help: elements are separated by commas: `[1.0, 2.0]`, rows are nested: `[[1.0, 2.0], [3.0, 4.0]]`

// --- π and im
fn f(x: f64) -> c128 { exp(2π*im*x) }

//> error[ADC0104]: `2π` is not a number
//>   ^ 2:28-2:30 `2π`: letters right after a number
//>   = help: a product needs its `*`: `2*π`

// --- π
fn f(x: f64) -> f64 { sin(π*x) }

//> error[ADC0201]: no variable or constant called `π`
//>   ^ 2:27-2:28 `π`: did you mean `PI`?
//>   ! write `PI`: 2:27-2:28 `π` -> `PI`

// --- the backslash
fn f[N](A: f64[N, N], b: f64[N]) -> f64[N] { A \ b }

//> error[ADC0101]: `\` is not part of the language
//>   ^ 2:48-2:49 `\`: no token starts with this
//>   = help: a quotient is written `/`, a linear system `solve(A, b)`

// --- nothing
fn f(x: f64) -> f64 {
    let y = nothing;
    x
}

//> error[ADC0201]: no variable or constant called `nothing`
//>   ^ 3:13-3:20 `nothing`: not defined here
//>   = help: every variable has a number from the start: `var y = 0.0;`

// --- a pipe
fn f(x: f64) -> f64 { x |> sin }

//> error[ADC0106]: `|>` is not an operator
//>   ^ 2:25-2:27 `|>`: not part of the language
//>   = help: write `f(x)`

// --- division of integers
fn f(n: i64) -> i64 { n ÷ 2 }

//> error[ADC0101]: `÷` is not part of the language
//>   ^ 2:25-2:26 `÷`: no token starts with this
//>   = help: a quotient is written `/`, of integers `div(a, b)`

// --- not equal
fn f(x: f64) -> f64 { if x ≠ 0 { 1/x } else { 0 } }

//> error[ADC0101]: `≠` is not part of the language
//>   ^ 2:28-2:29 `≠`: no token starts with this
//>   = help: "not equal" is written `!=`
//>   ! write `!=`: 2:28-2:29 `≠` -> `!=`

// --- less or equal
fn f(x: f64) -> f64 { if x ≤ 0 { 0 } else { x } }

//> error[ADC0101]: `≤` is not part of the language
//>   ^ 2:28-2:29 `≤`: no token starts with this
//>   = help: "at most" is written `<=`
//>   ! write `<=`: 2:28-2:29 `≤` -> `<=`

// --- a dot product
fn f[N](x: f64[N], y: f64[N]) -> f64 { x ⋅ y }

//> error[ADC0101]: `⋅` is not part of the language
//>   ^ 2:42-2:43 `⋅`: no token starts with this
//>   = help: a product is written `*`, of vectors `dot(x, y)`

// --- the root sign
fn f(x: f64) -> f64 { √x }

//> error[ADC0101]: `√` is not part of the language
//>   ^ 2:23-2:24 `√`: no token starts with this
//>   = help: the square root is written `sqrt(x)`

// --- push!
fn f(x: f64) -> f64 {
    var v = zeros(3);
    push!(v, x);
    sum(v)
}

//> error[ADC0106]: `!` has no meaning here
//>   ^ 4:9-4:10 `!`: not part of the language
//>   = help: arrays have a fixed size: declare it, `var v = zeros(N);`, then `v[i] = …;`, or write `[e for i in 0..N]`

// --- a macro
fn f[N](x: f64[N]) -> f64 {
    @inbounds x[0]
}

//> error[ADC0106]: `@` starts no expression
//>   ^ 3:5-3:6 `@`: nothing stands left of it
//>   = help: a function is given by its name, `f`; there are no macros and no closures: declare `fn g(t: f64) -> f64 { … }`

// --- using
using LinearAlgebra
fn f[N](A: f64[N, N]) -> f64 { tr(A) }

//> error[ADC0106]: `using` starts no item
//>   ^ 2:1-2:6 `using`: not part of the language
//>   = help: leave it out for built-in functions, they are always there; items of another adc file come with `use "other.dsl";`

// --- struct
struct Params
    a::Float64
end
fn f(p: Params) -> f64 { p.a }

//> error[ADC0106]: `struct` starts no item
//>   ^ 2:1-2:7 `struct`: not part of the language
//>   = help: there are no user-defined types: the types are `bool i64 f32 f64 c64 c128` and arrays of them
//> error[ADC0106]: there are no fields: `.a`
//>   ^ 5:26-5:29 `p.a`: not part of the language
//>   = help: every value has a name of its own: a part is `x[i]`, functions are called `f(x)`

// --- where with types
fn f(x: T) -> T where T { x }

//> error[ADC0106]: `where` has no meaning here
//>   ^ 2:17-2:22 `where`: not part of the language
//>   = help: put a `let` before the expression; there are no type parameters

// --- isapprox
fn f(x: f64) -> f64 { if x ≈ 0 { 1.0 } else { x } }

//> error[ADC0101]: `≈` is not part of the language
//>   ^ 2:28-2:29 `≈`: no token starts with this
//>   = help: "about equal" is written `abs(a - b) < 1e-9`

// --- const without a type
const K = 2.0;
fn f(x: f64) -> f64 { K*x }

//> error[ADC0105]: expected `:`, found `=`
//>   ^ 2:7-2:8 `K`: this constant has no type
//>   = help: write `const K: f64 = …;`

// --- ternary
fn f(x: f64) -> f64 { x > 0 ? x : 0 }

//> error[ADC0106]: `?` has no meaning here
//>   ^ 2:29-2:30 `?`: not part of the language
//>   = help: write `if c { a } else { b }`

// --- the gradient
fn g[N](x: f64[N]) -> f64 { sum(x^2) }
fn f[N](x: f64[N]) -> f64[N] { gradient(g, x) }

//> error[ADC0201]: no function or op called `gradient`
//>   ^ 3:32-3:40 `gradient`: not part of the language
//>   = help: write `grad(f)(x)`, of one parameter `grad(f, wrt = x)(x, y)`

// --- zeros with a type
fn f[N](x: f64[N]) -> f64[N] { x + zeros(Float64, N) }

//> error[ADC0220]: `zeros` takes sizes, but this is a type
//>   ^ 2:42-2:49 `Float64`: not a size
//>   = help: write the sizes only, `zeros(N)`: the type follows from where the array is used

// --- fill in the other order
fn f[N](x: f64[N]) -> f64[N] { x + fill(N, 2.0) }

//> error[ADC0220]: `fill` takes sizes, but this is a real number
//>   ^ 2:44-2:47 `2.0`: not a size
//>   = help: the value comes first: `fill(v, N)`

// --- I
fn f[N](A: f64[N, N]) -> f64[N, N] { A + I }

//> error[ADC0201]: no variable or constant called `I`
//>   ^ 2:42-2:43 `I`: not defined here
//>   = help: the imaginary unit is `1i`, the identity matrix `eye(N)`

// --- let with in-place update
fn f[N](x: f64[N]) -> f64[N] {
    var y = x;
    y .= 2*y;
    y
}

//> error[ADC0106]: `.` has no meaning here
//>   ^ 4:7-4:8 `.`: not part of the language
//>   = help: operators map over arrays as they are: write `=`
