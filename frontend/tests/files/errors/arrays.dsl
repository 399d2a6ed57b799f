

// --- sizes never match silently
fn add[N, M](x: f64[N], y: f64[M]) -> f64[N] { x + y }
fn two(x: f64[2], y: f64[3]) -> f64[2] { x*y }
fn outer[N](A: f64[N, N], b: f64[N]) -> f64[N, N] { A + b }
fn out[N](x: f64[N]) -> f64[N + 1] { x }
fn let_[N, M](x: f64[N]) -> f64 { let y: f64[M] = x; y[0] }

//> error[ADC0219]: `+` cannot take f64[N] and f64[M]
//>   ^ 2:48-2:53 `x + y`: elementwise, so both sides need one shape
//>   - 2:48-2:49 `x`: f64[N]
//>   - 2:52-2:53 `y`: f64[M]
//>   = help: `N` and `M` may differ: give both the same dimension
//> error[ADC0219]: `*` cannot take f64[2] and f64[3]
//>   ^ 3:42-3:45 `x*y`: elementwise, so both sides need one shape
//>   - 3:42-3:43 `x`: f64[2]
//>   - 3:44-3:45 `y`: f64[3]
//>   = help: 2 and 3 differ: give both the same size
//> note[ADC0215]: `outer` shadows the built-in of that name
//>   ^ 4:4-4:9 `outer`: this one is used from here on
//> error[ADC0219]: `+` cannot take f64[N, N] and f64[N]
//>   ^ 4:53-4:58 `A + b`: elementwise, so both sides need one shape
//>   - 4:53-4:54 `A`: f64[N, N]
//>   - 4:57-4:58 `b`: f64[N]
//>   = help: shapes never broadcast; write a comprehension, such as `[a[i, j] … b[j] for i, j]`
//> error[ADC0219]: `x` is f64[N], but `out` returns f64[N+1]
//>   ^ 5:38-5:39 `x`: f64[N]
//>   - 5:25-5:35 `f64[N + 1]`: declared here
//>   = help: `N` and `N+1` may differ: give both the same dimension
//> error[ADC0219]: `x` is f64[N], but `y` is declared f64[M]
//>   ^ 6:51-6:52 `x`: f64[N]
//>   - 6:42-6:48 `f64[M]`: declared here
//>   = help: `N` and `M` may differ: give both the same dimension

// --- calls bind dimensions
fn f[N, D](X: f64[N, D], w: f64[D]) -> f64[N] { X @ w }
fn g[A, B](x: f64[A, B], y: f64[A]) -> f64 { sum(f(x, y)) }
fn make[K]() -> f64[K] { zeros(K) }
fn h() -> f64 { sum(make()) + sum(make[-1]()) + sum(make[K = 2, K = 3]()) + sum(make[J = 2]()) + sum(make[1, 2]()) }
fn twice[N](x: f64[2*N]) -> f64 { sum(x) }
fn k[N](x: f64[N]) -> f64 { twice(x) + twice[N](x) }
fn rank[N](x: f64[N]) -> f64[N] { f(x, x) }
fn elem[N](n: i64[N, N], w: f64[N]) -> f64[N] { f(n, w) }
fn l[N](x: f64) -> f64 { x }
fn m(x: f64) -> f64 { l(x) + sin[3](x) }

//> error[ADC0219]: axis 0 of `w` is `D` = B in this call of `f`, but A here
//>   ^ 3:55-3:56 `y`: f64[A]
//>   - 2:29-2:35 `f64[D]`: declared here
//>   - 3:52-3:53 `x`: makes `D` B
//>   = help: `A` and `B` may differ: give both the same dimension
//> error[ADC0221]: dimension `K` of `make` follows from no argument
//>   ^ 5:21-5:27 `make()`: `K` is not known here
//>   - 4:9-4:10 `K`: no parameter has it as a bare size
//>   = help: give it: `make[K = …](…)`
//> error[ADC0513]: a dimension is -1
//>   ^ 5:40-5:42 `-1`: negative
//>   = help: sizes are at least 0; none follows from the others: write it out, `N*M`
//> error[ADC0202]: dimension `K` of `make` is given twice
//>   ^ 5:65-5:66 `K`: the second one
//> error[ADC0221]: dimension `K` of `make` follows from no argument
//>   ^ 5:81-5:94 `make[J = 2]()`: `K` is not known here
//>   - 4:9-4:10 `K`: no parameter has it as a bare size
//>   = help: give it: `make[K = …](…)`
//> error[ADC0203]: `make` has no dimension `J`
//>   ^ 5:86-5:87 `J`: unknown
//>   - 4:1-4:23 `fn make[K]() -> f64[K]`: declared here
//>   = help: its dimensions are K
//> error[ADC0203]: `make` has 1 dimension, but 2 given
//>   ^ 5:110-5:111 `2`: one too many
//>   - 4:1-4:23 `fn make[K]() -> f64[K]`: declared here
//>   = help: its dimensions are K
//> error[ADC0221]: dimension `N` of `twice` follows from no argument
//>   ^ 7:29-7:37 `twice(x)`: `N` is not known here
//>   - 6:10-6:11 `N`: no parameter has it as a bare size
//>   = help: give it: `twice[N = …](…)`
//> error[ADC0219]: axis 0 of `x` is `2*N` in this call of `twice`, but N here
//>   ^ 7:49-7:50 `x`: f64[N]
//>   - 6:16-6:24 `f64[2*N]`: declared here
//>   - 7:46-7:47 `N`: makes `N` N
//>   = help: `N` and `2*N` may differ: give both the same dimension
//> error[ADC0219]: `x` is f64[N], but parameter `X` of `f` is f64[N, D]
//>   ^ 8:37-8:38 `x`: f64[N]
//>   - 2:15-2:24 `f64[N, D]`: declared here
//>   = help: shapes never broadcast; write a comprehension, such as `[a[i, j] … b[j] for i, j]`
//> error[ADC0204]: `n` is i64[N, N], but parameter `X` of `f` is f64[N, N]
//>   ^ 9:51-9:52 `n`: i64[N, N]
//>   - 2:15-2:24 `f64[N, D]`: declared here
//>   = help: write `f64(n)`
//> error[ADC0221]: dimension `N` of `l` follows from no argument
//>   ^ 11:23-11:27 `l(x)`: `N` is not known here
//>   - 10:6-10:7 `N`: no parameter has it as a bare size
//>   = help: give it: `l[N = …](…)`
//> error[ADC0203]: `sin` has no dimensions
//>   ^ 11:34-11:35 `3`: dimensions
//>   = help: only functions declared with `fn f[N](…)` take them

// --- what is no dimension
fn f(n: i64, x: f64) -> f64 { sum(zeros(n)) + sum([x for i in 0..n]) }
fn g[N](x: f64[N], k: i64) -> f64 { let y = x[k:]; sum(x[0:k]) + sum(x[k:k + 2]) }
fn h[N](x: f64[N]) -> f64 { var n = N; n = 3; sum(zeros(n)) + sum(zeros(N*1.5)) + sum(ones(mod(N, 2))) }
fn k(x: f64[M]) -> f64 { x[0] }
fn l[N](x: f64[div(N, 0)]) -> f64 { 1 }
fn o() -> f64 { sum([sum([1.0 for j in 0..i]) for i in 0..3]) }

//> error[ADC0220]: `n` is not a dimension, so it cannot be in the size of an array
//>   ^ 2:41-2:42 `n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument
//> error[ADC0220]: `n` is not a dimension, so it cannot be in the range of a comprehension
//>   ^ 2:63-2:67 `0..n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument
//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 3:47-3:49 `k:`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`
//> error[ADC0220]: `n` is not a dimension, so it cannot be the size of an array
//>   ^ 4:57-4:58 `n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument
//> error[ADC0220]: this cannot be the size of an array
//>   ^ 4:75-4:78 `1.5`: not a dimension expression
//>   - 4:73-4:78 `N*1.5`: in this size
//>   = help: sizes are made of dimensions, integers, `+ - *` and `div(a, b)`; make the value a dimension of the function: `fn f[n](…)`, called `f[n = …](…)`
//> error[ADC0220]: this cannot be the size of an array
//>   ^ 4:92-4:101 `mod(N, 2)`: not a dimension expression
//>   = help: sizes are made of dimensions, integers, `+ - *` and `div(a, b)`; make the value a dimension of the function: `fn f[n](…)`, called `f[n = …](…)`
//> error[ADC0201]: no dimension called `M`
//>   ^ 5:13-5:14 `M`: not defined here
//>   = help: declare it at the function: `fn f[M](…)`; in a block sizes are numbers
//> error[ADC0220]: a size that divides by 0
//>   ^ 6:16-6:25 `div(N, 0)`: in `div(N, 0)`
//>   = help: divide by something else
//> error[ADC0220]: `i` is not a dimension, so it cannot be in the range of a comprehension
//>   ^ 7:40-7:44 `0..i`: known at run time only
//>   = help: make `i` a dimension: `fn f[i](…)`, called `f[i = …](…)` or bound by the size of an argument

// --- generators
fn f[N, M](x: f64[N], y: f64[M]) -> f64 { sum(x[i]*y[i] for i) }
fn g[N](x: f64[N]) -> f64 { sum(x[i + 1] for i) }
fn h[N](x: f64[N]) -> f64 { sum({ let t = 2*x; t[i] } for i) }
fn k[N](x: f64[N]) -> f64 { var s = 0.0; let y = [{ s += x[i]; s } for i]; s + sum(y) }
fn l[N](x: f64[N]) -> f64 { argmax(x[i] for i, j) + sum(x[i] for i in 0..1.5) }
fn m[N](x: f64[N]) -> f64 { sum(x[i] for i in 0..N step 0) + sum(nothing[i] for i) }
fn w[N](x: f64[N]) -> f64 { var s = 0.0; while { s += 1; s < 3 } { } s }

//> error[ADC0219]: `i` runs over an axis of size N and one of size M
//>   ^ 2:54-2:55 `i`: size M
//>   - 2:49-2:50 `i`: size N
//>   = help: say which: `for i in 0..N`
//> error[ADC0223]: the range of `i` cannot be inferred
//>   ^ 3:46-3:47 `i`: no array outside has exactly `i` as an index
//>   = help: write one: `for i in 0..n`
//> error[ADC0223]: the range of `i` cannot be inferred
//>   ^ 4:59-4:60 `i`: no array outside has exactly `i` as an index
//>   = help: write one: `for i in 0..n`
//> error[ADC0207]: `s` cannot be assigned
//>   ^ 5:53-5:54 `s`: inside this comprehension
//>   - 5:33-5:34 `s`: declared outside
//>   = help: use a `for` loop, or a reduction such as `sum(… for i in a..b)`
//> error[ADC0223]: the range of `j` cannot be inferred
//>   ^ 6:48-6:49 `j`: no array outside has exactly `j` as an index
//>   = help: write one: `for j in 0..n`
//> error[ADC0224]: `argmax` takes one variable
//>   ^ 6:48-6:49 `j`: the second one
//>   = help: number the entries: one index over all of them, taken apart with `div` and `mod`
//> error[ADC0204]: this is f64, but an end of a range is an i64
//>   ^ 6:74-6:77 `1.5`: f64
//>   = help: `i64(1.5)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0509]: a step of 0
//>   ^ 7:57-7:58 `0`: not positive
//>   = help: loops count upwards; reverse the index: `n - 1 - i`
//> error[ADC0201]: no variable or constant called `nothing`
//>   ^ 7:66-7:73 `nothing`: not defined here
//>   = help: every variable has a number from the start: `var y = 0.0;`
//> error[ADC0207]: `s` cannot be assigned
//>   ^ 8:50-8:51 `s`: inside the condition of a `while`
//>   - 8:33-8:34 `s`: declared outside
//>   = help: use a `for` loop, or a reduction such as `sum(… for i in a..b)`

// --- indices
fn f(x: f64[3], A: f64[2, 2]) -> f64 { x[3] + x[-1] + x[0, 1] + A[0, 2] + x[1.5] }
fn g[N](x: f64[N]) -> f64 { x[N] + x[N - 1] + sum(x[0:N + 1]) + sum(x[2:1]) }
fn h(x: f64) -> f64 { x[0] }
fn k[N](x: f64[N]) -> f64 { x[0] = 1; x[0] }
fn l[N](x: f64[N]) -> f64 { var y = x; y[0] = [1.0]; y[0:2] = [1.0, 2, 3]; y[0] = true; y += [1.0]; for i in 0..N { i = 2; } y[0] }

//> error[ADC0222]: index 3 is outside an axis of size 3
//>   ^ 2:42-2:43 `3`: outside
//>   - 2:40-2:41 `x`: f64[3]
//>   = help: indices are 0-based: the last one is the size minus 1
//> error[ADC0222]: index -1 is outside an axis of size 3
//>   ^ 2:49-2:51 `-1`: outside
//>   - 2:47-2:48 `x`: f64[3]
//>   = help: indices do not count from the end: write `x[3 - 1]`
//> error[ADC0222]: 2 indices for f64[3]
//>   ^ 2:55-2:62 `x[0, 1]`: it has 1 axis
//>   = help: give at most one index for each axis
//> error[ADC0222]: index 2 is outside an axis of size 2
//>   ^ 2:70-2:71 `2`: outside
//>   - 2:65-2:66 `A`: f64[2, 2]
//>   = help: indices are 0-based: the last one is the size minus 1
//> error[ADC0204]: this is f64, but an index is an i64
//>   ^ 2:77-2:80 `1.5`: f64
//>   = help: `i64(1.5)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0222]: index N is outside an axis of size N
//>   ^ 3:31-3:32 `N`: outside
//>   - 3:29-3:30 `x`: f64[N]
//>   = help: indices are 0-based: the last one is the size minus 1
//> error[ADC0222]: the slice 0:N+1 is outside its axis
//>   ^ 3:53-3:60 `0:N + 1`: the axis has size N
//>   - 3:51-3:52 `x`: f64[N]
//>   = help: `a:b` are the indices from `a` up to `b`, without `b`
//> error[ADC0222]: the slice 2:1 is outside its axis
//>   ^ 3:71-3:74 `2:1`: it ends before it starts
//>   - 3:69-3:70 `x`: f64[N]
//>   = help: `a:b` are the indices from `a` up to `b`, without `b`
//> error[ADC0222]: `x` is f64, which has no entries
//>   ^ 4:23-4:27 `x[0]`: only arrays can be indexed
//> error[ADC0207]: `x` cannot be assigned
//>   ^ 5:29-5:30 `x`: assigned here
//>   - 5:9-5:10 `x`: a parameter
//>   = help: copy it to a variable first: `var x = x;`
//> error[ADC0219]: this is f64[1], but this part of `y` is f64
//>   ^ 6:47-6:52 `[1.0]`: f64[1]
//>   - 6:33-6:34 `y`: declared here
//>   = help: index it, or reduce it: `sum(x)`
//> error[ADC0219]: this is f64[3], but this part of `y` is f64[2]
//>   ^ 6:63-6:74 `[1.0, 2, 3]`: f64[3]
//>   - 6:33-6:34 `y`: declared here
//>   = help: 3 and 2 differ: give both the same size
//> error[ADC0204]: this is bool, but this part of `y` is f64
//>   ^ 6:83-6:87 `true`: bool
//>   - 6:33-6:34 `y`: declared here
//>   = help: write `f64(true)`
//> error[ADC0219]: this is f64[1], but `y` is f64[N]
//>   ^ 6:94-6:99 `[1.0]`: f64[1]
//>   - 6:33-6:34 `y`: declared here
//>   = help: `1` and `N` may differ: give both the same dimension
//> error[ADC0207]: `i` cannot be assigned
//>   ^ 6:117-6:118 `i`: assigned here
//>   - 6:105-6:106 `i`: a loop variable
//>   = help: copy it to a variable of another name: `var k = i;`

// --- products, transposes, reductions
fn f[N, M](A: f64[N, M], x: f64[N]) -> f64[N] { A @ x }
fn g[N](T: f64[N, N, N], n: i64[N]) -> f64 { sum(T') + n @ n + T @ T + 2 @ n }
fn h(x: f64, b: bool[2]) -> f64 { sum(x) + sum(b) + argmax([[1.0]]) + f64(max(b)) + f64(any([1, 2])) }
fn k(z: c128[2]) -> f64 { max(z) + max(abs(z)) }
fn l(n: i64[3]) -> f64 { mean(n) + f64(sum(n)/3) }

//> error[ADC0219]: `@` cannot take f64[N, M] and f64[N]
//>   ^ 2:49-2:54 `A @ x`: sums over M on the left, over N on the right
//>   - 2:49-2:50 `A`: f64[N, M]
//>   - 2:53-2:54 `x`: f64[N]
//>   = help: `A' @ x` fits
//> error[ADC0224]: `'` is for vectors and matrices, but `T` is f64[N, N, N]
//>   ^ 3:50-3:51 `T`: f64[N, N, N]
//>   = help: `transpose` and a comprehension reorder axes: `[x[k, j, i] for i, j, k]`
//> error[ADC0204]: `@` takes arrays of real or complex numbers, but `n` is i64[N]
//>   ^ 3:56-3:57 `n`: i64[N]
//>   = help: convert it: `f64(n)`
//> error[ADC0204]: `@` takes arrays of real or complex numbers, but `n` is i64[N]
//>   ^ 3:60-3:61 `n`: i64[N]
//>   = help: convert it: `f64(n)`
//> error[ADC0224]: `@` is for vectors and matrices, but `T` is f64[N, N, N]
//>   ^ 3:64-3:65 `T`: f64[N, N, N]
//>   = help: the product with a number is `*`
//> error[ADC0204]: `@` takes arrays of real or complex numbers, but `n` is i64[N]
//>   ^ 3:76-3:77 `n`: i64[N]
//>   = help: convert it: `f64(n)`
//> error[ADC0224]: `sum` of one argument reduces an array, but `x` is f64
//>   ^ 4:39-4:40 `x`: f64
//>   = help: or reduce over a generator: `sum(… for i in a..b)`
//> error[ADC0204]: `sum` takes numbers, but `b` is bool[2]
//>   ^ 4:48-4:49 `b`: bool[2]
//>   = help: convert it: `f64(b)` is 0 or 1
//> error[ADC0224]: `argmax` of one argument reduces a vector, but this is f64[1, 1]
//>   ^ 4:60-4:67 `[[1.0]]`: f64[1, 1]
//>   = help: or reduce over a generator: `argmax(… for i in a..b)`
//> error[ADC0204]: `max` takes integers or real numbers, but `b` is bool[2]
//>   ^ 4:79-4:80 `b`: bool[2]
//>   = help: convert it: `f64(b)` is 0 or 1
//> error[ADC0204]: `any` takes booleans, but this is i64[2]
//>   ^ 4:93-4:99 `[1, 2]`: i64[2]
//>   = help: compare it: `[1, 2] != 0`
//> error[ADC0204]: `max` takes integers or real numbers, but `z` is c128[2]
//>   ^ 5:31-5:32 `z`: c128[2]
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0204]: `mean` takes real or complex numbers, but `n` is i64[3]
//>   ^ 6:31-6:32 `n`: i64[3]
//>   = help: convert it: `f64(n)`
//> error[ADC0206]: `/` between integers
//>   ^ 6:40-6:48 `sum(n)/3`: both sides are integers
//>   = help: write `f64(sum(n))/f64(3)` for a real quotient, `div(sum(n), 3)` for its floor

// --- literals
fn f() -> f64 { let a = [1.0, true]; let b = [[1.0, 2], [3]]; let c = [1.0, [2]]; let d = [(1, 2)]; 1 }
fn g() -> f64[1, 1, 1, 1, 1, 1, 1, 1, 1] { zeros(1, 1, 1, 1, 1, 1, 1, 1, 1) }
fn h() -> f64 { zeros()[0] + fill(1.0)[0] + iota(2, 3)[0] }
const C: f64[2] = [1.0, 2, 3];
const D: i64[2] = [div(1, 0), 2];
const E: f64[70000] = zeros(70000);

//> error[ADC0204]: `[…]` cannot take f64 and bool
//>   ^ 2:25-2:36 `[1.0, true]`: there is no implicit conversion
//>   - 2:26-2:29 `1.0`: f64
//>   - 2:31-2:35 `true`: bool
//>   = help: write `f64(true)`
//> error[ADC0219]: an array cannot hold f64[2] and i64[1]
//>   ^ 2:46-2:61 `[[1.0, 2], [3]]`: its elements need one shape
//>   - 2:47-2:55 `[1.0, 2]`: f64[2]
//>   - 2:57-2:60 `[3]`: i64[1]
//>   = help: give all of them the same size; `concat` joins arrays of different size
//> error[ADC0219]: an array cannot hold f64 and i64[1]
//>   ^ 2:71-2:81 `[1.0, [2]]`: its elements need one shape
//>   - 2:72-2:75 `1.0`: f64
//>   - 2:77-2:80 `[2]`: i64[1]
//>   = help: give all of them the same size; `concat` joins arrays of different size
//> error[ADC0204]: `[…]` takes scalars and arrays, but this is (i64, i64)
//>   ^ 2:92-2:98 `(1, 2)`: (i64, i64)
//>   = help: take it apart: `let (a, b) = …;`
//> error[ADC0224]: arrays have at most 8 axes
//>   ^ 3:11-3:41 `f64[1, 1, 1, 1, 1, 1, 1, 1, 1]`: 9 axes
//>   = help: use several arrays
//> error[ADC0203]: `zeros` needs a size
//>   ^ 4:17-4:24 `zeros()`: no size
//>   = help: write `zeros(N)`
//> error[ADC0203]: `fill` needs a size
//>   ^ 4:30-4:39 `fill(1.0)`: no size
//>   = help: write `fill(v, N)`
//> error[ADC0203]: `iota` takes 1 argument, but 2 are given
//>   ^ 4:45-4:55 `iota(2, 3)`: 2 arguments
//> error[ADC0219]: this is f64[3], but `C` is f64[2]
//>   ^ 5:19-5:30 `[1.0, 2, 3]`: f64[3]
//>   - 5:10-5:16 `f64[2]`: declared here
//>   = help: 3 and 2 differ: give both the same size
//> error[ADC0502]: integer division by zero
//>   ^ 6:20-6:29 `div(1, 0)`: the divisor is 0 here
//>   = note: in a constant expression, which is evaluated at compile time
//>   = help: guard it with an `if`
//> note[ADC0215]: `E` shadows the built-in of that name
//>   ^ 7:7-7:8 `E`: this one is used from here on
//> error[ADC0604]: a constant of more than 65536 entries
//>   ^ 7:23-7:35 `zeros(70000)`: 70000 entries
//>   = help: make it a parameter

// --- branches
fn f[N, M](c: bool, x: f64[N], y: f64[M]) -> f64 { sum(if c { x } else { y }) }
fn g[N](x: f64[N]) -> f64 { if x > 0 { 1 } else { 2 } }
fn h[N](x: f64[N], y: bool[N]) -> bool[N] { y && x > 0 }
fn l(x: f64) -> f64 { var s = x; #[checkpoint(revolve, 0)] for i in 0..3 { s *= x; } s }
fn d[N, N](N: i64) -> i64 { N }
fn e[N](x: f64[N]) -> f64 { N = 3; N/2 }

//> error[ADC0219]: the branches of this `if` are f64[N] and f64[M]
//>   ^ 2:74-2:75 `y`: f64[M]
//>   - 2:63-2:64 `x`: f64[N]
//>   = help: give both branches one shape: a number in every entry is `fill(v, N)`
//> error[ADC0219]: this is bool[N], but `if` needs a bool
//>   ^ 3:32-3:37 `x > 0`: bool[N]
//>   = help: write `select(x > 0, a, b)` to choose entry by entry, `if all(x > 0)` or `if any(x > 0)` for one decision
//> error[ADC0219]: `y` is bool[N], but `&&` needs a bool
//>   ^ 4:45-4:46 `y`: bool[N]
//>   = help: write `all(y)` or `any(y)`
//> error[ADC0219]: this is bool, but `h` returns bool[N]
//>   ^ 4:45-4:55 `y && x > 0`: bool
//>   - 4:35-4:42 `bool[N]`: declared here
//>   = help: `fill(y && x > 0, N)` is an array of it
//> error[ADC0219]: this is bool[N], but `&&` needs a bool
//>   ^ 4:50-4:55 `x > 0`: bool[N]
//>   = help: write `all(x > 0)` or `any(x > 0)`
//> error[ADC0216]: the number of checkpoints must be at least 1
//>   ^ 5:56-5:57 `0`: out of range
//>   = help: `#[checkpoint(revolve, 10)]` stores 10 states
//> error[ADC0202]: `d` has a dimension `N` and something else of that name
//>   ^ 6:9-6:10 `N`: the second one
//>   - 6:6-6:7 `N`: the first one
//> error[ADC0202]: `d` has a dimension `N` and something else of that name
//>   ^ 6:12-6:13 `N`: the second one
//>   - 6:9-6:10 `N`: the first one
//> error[ADC0207]: `N` cannot be assigned
//>   ^ 7:29-7:30 `N`: assigned here
//>   - 7:6-7:7 `N`: a dimension
//>   = help: copy it to a variable of another name: `var k = N;`
//> error[ADC0206]: `/` between integers
//>   ^ 7:36-7:39 `N/2`: both sides are integers
//>   = help: write `f64(N)/f64(2)` for a real quotient, `div(N, 2)` for its floor
