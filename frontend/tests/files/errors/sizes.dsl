// Facts about sizes, slices of any size, axes.

// --- no fact
fn halves[N](x: f64[N]) -> f64[N] {
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

//> error[ADC0219]: this is f64[2*div(N, 2)], but `halves` returns f64[N]
//>   ^ 4:5-4:25 `concat(x[:h], x[:h])`: f64[2*div(N, 2)]
//>   - 2:28-2:34 `f64[N]`: declared here
//>   = help: if they are the same, say so at the start of the block: `assert mod(N, 2) == 0;`

// --- a fact that comes too late
fn halves[N](x: f64[N]) -> f64[N] {
    let h = div(N, 2);
    assert mod(N, 2) == 0;
    concat(x[:h], x[:h])
}

//> error[ADC0219]: this is f64[2*div(N, 2)], but `halves` returns f64[N]
//>   ^ 5:5-5:25 `concat(x[:h], x[:h])`: f64[2*div(N, 2)]
//>   - 2:28-2:34 `f64[N]`: declared here
//>   = help: to be a fact about sizes, an `assert` is at the start of a block: move `assert mod(N, 2) == 0;` there

// --- a fact ends with its block
fn halves[N](x: f64[N]) -> f64[N] {
    let y = { assert mod(N, 2) == 0; x[:div(N, 2)] };
    concat(y, y)
}

//> error[ADC0219]: this is f64[2*div(N, 2)], but `halves` returns f64[N]
//>   ^ 4:5-4:17 `concat(y, y)`: f64[2*div(N, 2)]
//>   - 2:28-2:34 `f64[N]`: declared here
//>   = help: if they are the same, say so at the start of the block: `assert mod(N, 2) == 0;`

// --- another fact than the one needed
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 3) == 0;
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

//> error[ADC0219]: this is f64[2*div(N, 2)], but `halves` returns f64[N]
//>   ^ 5:5-5:25 `concat(x[:h], x[:h])`: f64[2*div(N, 2)]
//>   - 2:28-2:34 `f64[N]`: declared here
//>   = help: if they are the same, say so at the start of the block: `assert mod(N, 2) == 0;`

// --- a condition that is no fact
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 2) != 1;
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

//> error[ADC0219]: this is f64[2*div(N, 2)], but `halves` returns f64[N]
//>   ^ 5:5-5:25 `concat(x[:h], x[:h])`: f64[2*div(N, 2)]
//>   - 2:28-2:34 `f64[N]`: declared here
//>   = help: if they are the same, say so at the start of the block: `assert mod(N, 2) == 0;`

// --- a function called mod
fn mod(a: i64, b: i64) -> i64 { 0 }
fn halves[N](x: f64[N]) -> f64[N] {
    assert mod(N, 2) == 0;
    let h = div(N, 2);
    concat(x[:h], x[:h])
}

//> note[ADC0215]: `mod` shadows the built-in of that name
//>   ^ 2:4-2:7 `mod`: this one is used from here on
//> error[ADC0219]: this is f64[2*div(N, 2)], but `halves` returns f64[N]
//>   ^ 6:5-6:25 `concat(x[:h], x[:h])`: f64[2*div(N, 2)]
//>   - 3:28-3:34 `f64[N]`: declared here
//>   = help: if they are the same, say so at the start of the block: `assert mod(N, 2) == 0;`

// --- a number known at run time only
fn f[N](x: f64[N], n: i64) -> f64[N] {
    assert n == N;
    zeros(n)
}

//> error[ADC0220]: `n` is not a dimension, so it cannot be in the size of an array
//>   ^ 4:11-4:12 `n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument

// --- such a slice elsewhere
fn f[N](x: f64[N], k: i64) -> f64 { sum(x[:k]^2) }
fn g[N](x: f64[N], k: i64) -> f64 { dot(x[:k], x[:k]) }
fn h[N](x: f64[N], k: i64) -> f64 { let y = x[:k]; sum(y) }
fn i[N](x: f64[N], k: i64) -> i64 { argmax(x[:k]) }

//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 2:43-2:45 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`
//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 3:43-3:45 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`
//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 3:50-3:52 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`
//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 4:47-4:49 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`
//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 5:46-5:48 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`

// --- a slice of another kind of numbers
fn f[N](z: c128[N], k: i64) -> f64 { max(z[:k]) }
fn g[N](A: f64[N, N], k: i64) -> f64 { logsumexp(A[:k]) }
fn h[N](x: f64[N], k: i64) -> f64 { sum(x[:0.5]) }

//> error[ADC0204]: `max` takes integers or real numbers, but this is c128
//>   ^ 2:42-2:47 `z[:k]`: c128
//>   = help: take `re(z[:k])`, `im(z[:k])` or `abs(z[:k])`
//> error[ADC0224]: `logsumexp` takes a vector, but this is f64[?, N]
//>   ^ 3:50-3:55 `A[:k]`: f64[?, N]
//>   = help: along an axis it is `logsumexp(A[:k], axis = 0)`
//> error[ADC0204]: this is f64, but an end of a slice is an i64
//>   ^ 4:44-4:47 `0.5`: f64
//>   = help: `i64(0.5)` truncates; `round` or `floor` it first if you mean that

// --- generators of logsumexp and norm
fn f[N](A: f64[N, N]) -> f64 { logsumexp(A[i] for i) }
fn g(z: c128) -> f64 { logsumexp(f64(i)*z for i in 0..3) }

//> error[ADC0224]: `logsumexp` reduces scalars, but this is f64[N]
//>   ^ 2:42-2:46 `A[i]`: f64[N]
//>   = help: reduce its entries, too: `logsumexp(x[i, j] for i, j)`
//> error[ADC0204]: `logsumexp` takes real numbers, but this is c128
//>   ^ 3:34-3:42 `f64(i)*z`: c128
//>   = help: take `re(f64(i)*z)`, `im(f64(i)*z)` or `abs(f64(i)*z)`

// --- no such axis
fn f[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = 2) }
fn g[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = -1) }
fn h[N](x: f64[N]) -> f64 { max(x, axis = -2) }
fn i(x: f64) -> f64 { sum(x, axis = 0) }
fn j[N](x: f64[N], k: i64) -> f64 { sum(x, axis = k) }
fn k[N](x: f64[N]) -> f64 { sum(x, axis = 0.0) }

//> error[ADC0224]: axis 2, but `A` is f64[N, M]
//>   ^ 2:52-2:53 `2`: it has 2 axes
//>   = help: axes are counted from 0: the last one is `axis = 1`
//> error[ADC0224]: axis -1, but `A` is f64[N, M]
//>   ^ 3:52-3:54 `-1`: it has 2 axes
//>   = help: axes do not count from the end: write `axis = 1`
//> error[ADC0224]: axis -2, but `x` is f64[N]
//>   ^ 4:43-4:45 `-2`: it has 1 axis
//>   = help: axes are counted from 0: the last one is `axis = 0`
//> error[ADC0224]: `sum` along an axis takes an array, but `x` is f64
//>   ^ 5:27-5:28 `x`: f64
//>   = help: a number has no axes
//> error[ADC0224]: the axis is not a number
//>   ^ 6:51-6:52 `k`: not known here
//>   = help: write its number: `sum(x, axis = 0)`
//> error[ADC0224]: the axis is not a number
//>   ^ 7:43-7:46 `0.0`: not known here
//>   = help: write its number: `sum(x, axis = 0)`

// --- a function without axis
fn f[N, M](A: f64[N, M]) -> f64[N, M] { exp(A, axis = 0) }
fn g[N, M](A: f64[N, M]) -> f64[N, M] { flip(A, axis = 1) }
fn own(x: f64) -> f64 { x }
fn h[N, M](A: f64[N, M]) -> f64[N] { own(A, axis = 1) }
fn i[N, M](A: f64[N, M]) -> f64[N] { max(A, 0, axis = 1) }
fn j[N, M](A: f64[N, M]) -> f64[N] { sun(A, axis = 1) }
fn k[N, M](A: f64[N, M]) -> f64[N] { sum(A, axis = 1, axis = 0) }
fn l[N, M](A: f64[N, M]) -> f64[N] { sum(A[i] for i, axis = 1) }

//> error[ADC0203]: `exp` takes no axis
//>   ^ 2:55-2:56 `0`: given here
//>   = help: reductions such as `sum` and `max`, `softmax`, `cumsum` and `cumprod` do; others are applied row by row: `[exp(x[i]) for i]`
//> error[ADC0203]: `flip` takes no axis
//>   ^ 3:56-3:57 `1`: given here
//>   = help: reductions such as `sum` and `max`, `softmax`, `cumsum` and `cumprod` do; others are applied row by row: `[flip(x[i]) for i]`
//> error[ADC0203]: `own` takes no axis
//>   ^ 5:52-5:53 `1`: given here
//>   = help: reductions such as `sum` and `max`, `softmax`, `cumsum` and `cumprod` do; others are applied row by row: `[own(x[i]) for i]`
//> error[ADC0203]: `max` along an axis takes 1 array, but 2 are given
//>   ^ 6:38-6:57 `max(A, 0, axis = 1)`: one array, and the axis
//>   = help: write `max(x, axis = 0)`
//> error[ADC0106]: an argument with a name
//>   ^ 8:55-8:61 `axis =`: arguments have no names
//>   = help: the word is `axis`, as in `sum(x, axis = 1)` and `softmax(x, axis = 1)`; of several axes it is a comprehension, `[sum(x[i, j, k] for j, k) for i]`
//> error[ADC0106]: `=` has no meaning here
//>   ^ 9:59-9:60 `=`: not part of the language
//>   = help: `=` belongs in `let`, `var` and assignments, one for each name; compare with `==`
