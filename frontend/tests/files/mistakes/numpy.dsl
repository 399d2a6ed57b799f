// What people write who come from NumPy, PyTorch and JAX.

// --- import numpy
import numpy as np
fn f(x: f64) -> f64 { np.sin(x) }

//> error[ADC0106]: `import` starts no item
//>   ^ 2:1-2:7 `import`: not part of the language
//>   = help: leave it out for built-in functions, they are always there; items of another adc file come with `use "other.dsl";`
//> error[ADC0106]: there are no modules: `.sin(…)`
//>   ^ 3:23-3:29 `np.sin`: not part of the language
//>   = help: write `sin(x)`

// --- np.sum
fn f[N](x: f64[N]) -> f64 { np.sum(x**2) }

//> error[ADC0106]: there are no modules: `.sum(…)`
//>   ^ 2:29-2:35 `np.sum`: not part of the language
//>   = help: write `sum(x**2)`

// --- np.exp
fn f(x: f64) -> f64 { np.exp(x) }

//> error[ADC0106]: there are no modules: `.exp(…)`
//>   ^ 2:23-2:29 `np.exp`: not part of the language
//>   = help: write `exp(x)`

// --- np.dot
fn f[N](x: f64[N], y: f64[N]) -> f64 { np.dot(x, y) }

//> error[ADC0106]: there are no modules: `.dot(…)`
//>   ^ 2:40-2:46 `np.dot`: not part of the language
//>   = help: write `dot(x, y)` for vectors, `A @ x` for matrices

// --- a method dot
fn f[N](A: f64[N, N], x: f64[N]) -> f64[N] { A.dot(x) }

//> error[ADC0106]: there are no methods: `.dot(…)`
//>   ^ 2:46-2:51 `A.dot`: not part of the language
//>   = help: write `A @ x`

// --- x.sum()
fn f[N](x: f64[N]) -> f64 { x.sum() }

//> error[ADC0106]: there are no methods: `.sum(…)`
//>   ^ 2:29-2:34 `x.sum`: not part of the language
//>   = help: write `sum(x)`

// --- x.mean(axis=0)
fn f[N, M](x: f64[N, M]) -> f64[M] { x.mean(axis=0) }

//> error[ADC0106]: there are no methods: `.mean(…)`
//>   ^ 2:38-2:44 `x.mean`: not part of the language
//>   = help: write `mean(x, axis=0)`

// --- sum along the last axis
fn f[N, M](x: f64[N, M]) -> f64[N] { sum(x, axis=-1) }

//> error[ADC0224]: axis -1, but `x` is f64[N, M]
//>   ^ 2:50-2:52 `-1`: it has 2 axes
//>   = help: axes do not count from the end: write `axis = 1`

// --- sum along an axis that is not there
fn f[N](x: f64[N]) -> f64 { sum(x, axis=1) }

//> error[ADC0224]: axis 1, but `x` is f64[N]
//>   ^ 2:41-2:42 `1`: it has 1 axis
//>   = help: axes are counted from 0: the last one is `axis = 0`

// --- an axis under another name
fn f[N, M](x: f64[N, M]) -> f64[N] { sum(x, dim=1) }

//> error[ADC0106]: an argument with a name
//>   ^ 2:45-2:49 `dim=`: arguments have no names
//>   = help: the word is `axis`, as in `sum(x, axis = 1)` and `softmax(x, axis = 1)`; of several axes it is a comprehension, `[sum(x[i, j, k] for j, k) for i]`

// --- sum of a slice, squared
fn f[N](x: f64[N], k: i64) -> f64 { sum(x[:k]**2) }

//> error[ADC0106]: `**` is not an operator
//>   ^ 2:46-2:48 `**`: a power in other languages
//>   = help: write `^`: `x^2`

// --- a dot product of slices
fn f[N](x: f64[N], y: f64[N], k: i64) -> f64 { x[:k] @ y[:k] }

//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 2:50-2:52 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`
//> error[ADC0220]: the size of this slice depends on `k`, which is not a dimension
//>   ^ 2:58-2:60 `:k`: known at run time only
//>   = help: as the argument of a reduction it may have any size: `sum(x[:k])`; other terms need a generator, `sum(x[j]^2 for j in 0..k)`; a part of fixed size is `slice(x, start, len)`

// --- sum along an axis by position
fn f[N, M](x: f64[N, M]) -> f64[N] { sum(x, 1) }

//> error[ADC0203]: `sum` takes 1 argument, but 2 are given
//>   ^ 2:38-2:47 `sum(x, 1)`: 2 arguments
//>   = help: along an axis it is `sum(x, axis = 1)`; terms are written `sum(f(x[i]) for i)`

// --- max with keepdims
fn f[N, M](x: f64[N, M]) -> f64[N, M] { x - max(x, axis=1, keepdims=True) }

//> error[ADC0106]: an argument with a name
//>   ^ 2:60-2:69 `keepdims=`: arguments have no names
//>   = help: the axis is gone from the result, and shapes never broadcast: write `let m = max(x, axis = 1); [x[i, j] - m[i] for i, j]`

// --- shape
fn f[N, M](x: f64[N, M]) -> f64 { sum(x) / x.shape[0] }

//> error[ADC0106]: there are no fields: `.shape`
//>   ^ 2:44-2:51 `x.shape`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- size and ndim
fn f[N](x: f64[N]) -> f64 { sum(x) / x.size }

//> error[ADC0106]: there are no fields: `.size`
//>   ^ 2:38-2:44 `x.size`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- the transpose
fn f[N, M](A: f64[N, M], y: f64[N]) -> f64[M] { A.T @ y }

//> error[ADC0106]: there are no fields: `.T`
//>   ^ 2:49-2:52 `A.T`: not part of the language
//>   = help: the transpose is `A'`

// --- transpose as a method
fn f[N, M](A: f64[N, M]) -> f64[M, N] { A.transpose() }

//> error[ADC0106]: there are no methods: `.transpose(…)`
//>   ^ 2:41-2:52 `A.transpose`: not part of the language
//>   = help: write `transpose(A)`

// --- real and imaginary part
fn f(z: c128) -> f64 { z.real^2 + z.imag^2 }

//> error[ADC0106]: there are no fields: `.real`
//>   ^ 2:24-2:30 `z.real`: not part of the language
//>   = help: write `re(z)`
//> error[ADC0106]: there are no fields: `.imag`
//>   ^ 2:35-2:41 `z.imag`: not part of the language
//>   = help: write `im(z)`

// --- conj as a method
fn f(z: c128) -> c128 { z*z.conj() }

//> error[ADC0106]: there are no methods: `.conj(…)`
//>   ^ 2:27-2:33 `z.conj`: not part of the language
//>   = help: write `conj(z)`

// --- matrix times vector with *
fn f[N, M](A: f64[N, M], x: f64[M]) -> f64[N] { A*x }

//> error[ADC0219]: `*` cannot take f64[N, M] and f64[M]
//>   ^ 2:49-2:52 `A*x`: elementwise, so both sides need one shape
//>   - 2:49-2:50 `A`: f64[N, M]
//>   - 2:51-2:52 `x`: f64[M]
//>   = help: the product of matrices and vectors is `A @ x`; `*` multiplies entry by entry, `[a[i, j]*b[j] for i, j]`

// --- matrix times matrix with *
fn f[N, M, K](A: f64[N, M], B: f64[M, K]) -> f64[N, K] { A*B }

//> error[ADC0219]: `*` cannot take f64[N, M] and f64[M, K]
//>   ^ 2:58-2:61 `A*B`: elementwise, so both sides need one shape
//>   - 2:58-2:59 `A`: f64[N, M]
//>   - 2:60-2:61 `B`: f64[M, K]
//>   = help: the product of matrices and vectors is `A @ B`; `*` multiplies entry by entry, `[a[i, j]*b[j] for i, j]`

// --- broadcasting a row
fn f[N, M](A: f64[N, M], mu: f64[M]) -> f64[N, M] { A - mu }

//> error[ADC0219]: `-` cannot take f64[N, M] and f64[M]
//>   ^ 2:53-2:59 `A - mu`: elementwise, so both sides need one shape
//>   - 2:53-2:54 `A`: f64[N, M]
//>   - 2:57-2:59 `mu`: f64[M]
//>   = help: shapes never broadcast; write a comprehension, such as `[a[i, j] … b[j] for i, j]`

// --- broadcasting with None
fn f[N](x: f64[N]) -> f64[N, N] { x[:, None] - x[None, :] }

//> error[ADC0222]: 2 indices for f64[N]
//>   ^ 2:35-2:45 `x[:, None]`: it has 1 axis
//>   = help: axes are not added: write `[x[i] - y[j] for i, j]`
//> error[ADC0222]: 2 indices for f64[N]
//>   ^ 2:48-2:58 `x[None, :]`: it has 1 axis
//>   = help: axes are not added: write `[x[i] - y[j] for i, j]`

// --- newaxis
fn f[N](x: f64[N]) -> f64[N, N] { x[:, np.newaxis] - x }

//> error[ADC0106]: there are no modules: `.newaxis`
//>   ^ 2:40-2:50 `np.newaxis`: not part of the language
//>   = help: there is no broadcasting: write `[x[i] - y[j] for i, j]`

// --- ellipsis
fn f[N, M](x: f64[N, M]) -> f64[N] { x[..., 0] }

//> error[ADC0106]: `...` starts no expression
//>   ^ 2:40-2:43 `...`: not part of the language
//>   = help: an expression goes on in the next line by itself; all entries of an axis are `x[:, j]`

// --- a boolean mask
fn f[N](x: f64[N]) -> f64 { sum(x[x > 0]) }

//> error[ADC0219]: this is bool[N], but an index is an i64
//>   ^ 2:35-2:40 `x > 0`: bool[N]
//>   = help: arrays have fixed sizes, so nothing is filtered: write `select(x > 0, x, 0)`, or `sum(if c { x[i] } else { 0 } for i)`

// --- an index array
fn f[N](x: f64[N], idx: i64[N]) -> f64 { sum(x[idx]) }

//> error[ADC0219]: `idx` is i64[N], but an index is an i64
//>   ^ 2:48-2:51 `idx`: i64[N]
//>   = help: write `gather(x, idx)`

// --- an array as condition
fn f[N](x: f64[N]) -> f64[N] { if x > 0 { x } else { 0 } }

//> error[ADC0219]: this is bool[N], but `if` needs a bool
//>   ^ 2:35-2:40 `x > 0`: bool[N]
//>   = help: write `select(x > 0, a, b)` to choose entry by entry, `if all(x > 0)` or `if any(x > 0)` for one decision

// --- an array condition, both arrays
fn f[N](x: f64[N], y: f64[N]) -> f64[N] { if x > y { x } else { y } }

//> error[ADC0219]: this is bool[N], but `if` needs a bool
//>   ^ 2:46-2:51 `x > y`: bool[N]
//>   = help: write `select(x > y, a, b)` to choose entry by entry, `if all(x > y)` or `if any(x > y)` for one decision

// --- where
fn relu[N](x: f64[N]) -> f64[N] { where(x > 0, x, 0) }

//> error[ADC0201]: no function or op called `where`
//>   ^ 2:35-2:40 `where`: did you mean `select`?
//>   ! write `select`: 2:35-2:40 `where` -> `select`

// --- np.where
fn relu[N](x: f64[N]) -> f64[N] { np.where(x > 0, x, 0.0) }

//> error[ADC0106]: there are no modules: `.where(…)`
//>   ^ 2:35-2:43 `np.where`: not part of the language
//>   = help: write `select(x > 0, x, 0.0)`

// --- maximum
fn relu[N](x: f64[N]) -> f64[N] { maximum(x, 0) }

//> error[ADC0201]: no function or op called `maximum`
//>   ^ 2:35-2:42 `maximum`: did you mean `max`?
//>   ! write `max`: 2:35-2:42 `maximum` -> `max`

// --- relu
fn f[N](x: f64[N]) -> f64[N] { relu(x) }

//> error[ADC0201]: no function or op called `relu`
//>   ^ 2:32-2:36 `relu`: not part of the language
//>   = help: write `max(x, 0)`

// --- zeros_like
fn f[N](x: f64[N]) -> f64[N] { zeros_like(x) + x }

//> error[ADC0201]: no function or op called `zeros_like`
//>   ^ 2:32-2:42 `zeros_like`: not part of the language
//>   = help: give the sizes, which are dimensions: `zeros(N)`, `ones(N, M)`, `fill(v, N)`

// --- ones_like
fn f[N](x: f64[N]) -> f64[N] { ones_like(x) + x }

//> error[ADC0201]: no function or op called `ones_like`
//>   ^ 2:32-2:41 `ones_like`: not part of the language
//>   = help: give the sizes, which are dimensions: `zeros(N)`, `ones(N, M)`, `fill(v, N)`

// --- zeros of a tuple
fn f[N, M](x: f64[N, M]) -> f64[N, M] { zeros((N, M)) + x }

//> error[ADC0220]: `zeros` takes sizes, but this is a tuple
//>   ^ 2:47-2:53 `(N, M)`: not a size
//>   = help: write each size by itself: `zeros(N, M)`

// --- zeros of a shape
fn f[N](x: f64[N]) -> f64[N] { zeros(x.shape) + x }

//> error[ADC0106]: there are no fields: `.shape`
//>   ^ 2:38-2:45 `x.shape`: not part of the language
//>   = help: sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`

// --- empty
fn f[N](x: f64[N]) -> f64[N] {
    var y = empty(N);
    for i in 0..N { y[i] = x[i]; }
    y
}

//> error[ADC0201]: no function or op called `empty`
//>   ^ 3:13-3:18 `empty`: not part of the language
//>   = help: give the sizes, which are dimensions: `zeros(N)`, `ones(N, M)`, `fill(v, N)`

// --- full
fn f(n: i64) -> f64[3] { full(3, 1.5) }

//> error[ADC0201]: no function or op called `full`
//>   ^ 2:26-2:30 `full`: not part of the language
//>   = help: the value comes first: `fill(v, N)`

// --- array
fn f(x: f64) -> f64[2] { array([x, 2*x]) }

//> error[ADC0201]: no function or op called `array`
//>   ^ 2:26-2:31 `array`: not part of the language
//>   = help: an array is written `[a, b]`, rows are nested: `[[a, b], [c, d]]`

// --- np.array of arrays
fn f(x: f64) -> f64[2] { np.array([x, 2*x]) }

//> error[ADC0106]: there are no modules: `.array(…)`
//>   ^ 2:26-2:34 `np.array`: not part of the language
//>   = help: an array is written `[a, b]`, rows are nested: `[[a, b], [c, d]]`

// --- arange
fn f[N](x: f64[N]) -> f64 { sum(x*arange(N)) }

//> error[ADC0201]: no function or op called `arange`
//>   ^ 2:35-2:41 `arange`: not part of the language
//>   = help: `iota(N)` is 0, 1, …, N-1; real numbers are `[f64(i) for i in 0..N]`

// --- linspace
fn f(x: f64) -> f64 { sum(linspace(0, x, 100)) }

//> error[ADC0201]: no function or op called `linspace`
//>   ^ 2:27-2:35 `linspace`: not part of the language
//>   = help: write `[a + (b - a)*f64(i)/f64(N - 1) for i in 0..N]`

// --- concatenate
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(concatenate([x, y])) }

//> error[ADC0201]: no function or op called `concatenate`
//>   ^ 2:44-2:55 `concatenate`: not part of the language
//>   = help: write `concat(a, b)` to join along the first axis, `stack(a, b)` for a new axis

// --- concat of a list
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(concat([x, y])) }

//> error[ADC0203]: `concat` takes the arrays themselves
//>   ^ 2:51-2:57 `[x, y]`: one array of arrays
//>   = help: write `concat(x, y)`

// --- hstack
fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(hstack(x, y)) }

//> error[ADC0201]: no function or op called `hstack`
//>   ^ 2:44-2:50 `hstack`: not part of the language
//>   = help: write `concat(a, b)` to join along the first axis, `stack(a, b)` for a new axis

// --- einsum
fn f[N, M](A: f64[N, M], B: f64[M, N]) -> f64 { einsum("ij,ji->", A, B) }

//> error[ADC0201]: no function or op called `einsum`
//>   ^ 2:49-2:55 `einsum`: not part of the language
//>   = help: write the sum: `[sum(A[i, k]*B[k, j] for k) for i, j]`

// --- matmul
fn f[N](A: f64[N, N], x: f64[N]) -> f64[N] { matmul(A, x) }

//> error[ADC0201]: no function or op called `matmul`
//>   ^ 2:46-2:52 `matmul`: not part of the language
//>   = help: write `A @ x` for products of matrices and vectors, `a*b` for elementwise ones

// --- np.linalg.solve
fn f[N](A: f64[N, N], b: f64[N]) -> f64[N] { np.linalg.solve(A, b) }

//> error[ADC0106]: there are no modules: `.solve(…)`
//>   ^ 2:46-2:61 `np.linalg.solve`: not part of the language
//>   = help: write `solve(A, b)`

// --- np.linalg.norm
fn f[N](x: f64[N]) -> f64 { np.linalg.norm(x) }

//> error[ADC0106]: there are no modules: `.norm(…)`
//>   ^ 2:29-2:43 `np.linalg.norm`: not part of the language
//>   = help: write `norm(x)`

// --- linalg.det, imported
fn f[N](A: f64[N, N]) -> f64 { linalg.det(A) }

//> error[ADC0106]: there are no modules: `.det(…)`
//>   ^ 2:32-2:42 `linalg.det`: not part of the language
//>   = help: write `det(A)`

// --- std and var
fn f[N](x: f64[N]) -> f64 { std(x) }

//> error[ADC0201]: no function or op called `std`
//>   ^ 2:29-2:32 `std`: not part of the language
//>   = help: the mean is `mean(x)`, the variance `{ let m = mean(x); mean((x[i] - m)^2 for i) }`

// --- a variance
fn f[N](x: f64[N]) -> f64 { variance(x) }

//> error[ADC0201]: no function or op called `variance`
//>   ^ 2:29-2:37 `variance`: not part of the language
//>   = help: the mean is `mean(x)`, the variance `{ let m = mean(x); mean((x[i] - m)^2 for i) }`

// --- power and square root by name
fn f(x: f64) -> f64 { power(x, 2) + np.sqrt(x) }

//> error[ADC0106]: there are no modules: `.sqrt(…)`
//>   ^ 2:37-2:44 `np.sqrt`: not part of the language
//>   = help: write `sqrt(x)`

// --- arctan2 and log base
fn f(x: f64, y: f64) -> f64 { arctan2(y, x) + ln(x) }

//> error[ADC0201]: no function or op called `arctan2`
//>   ^ 2:31-2:38 `arctan2`: did you mean `atan2`?
//>   ! write `atan2`: 2:31-2:38 `arctan2` -> `atan2`
//> error[ADC0201]: no function or op called `ln`
//>   ^ 2:47-2:49 `ln`: did you mean `log`?
//>   ! write `log`: 2:47-2:49 `ln` -> `log`

// --- isclose
fn f(x: f64) -> f64 { if isclose(x, 0) { 1.0 } else { sin(x)/x } }

//> error[ADC0201]: no function or op called `isclose`
//>   ^ 2:26-2:33 `isclose`: not part of the language
//>   = help: write `abs(a - b) < 1e-9`, with the tolerance you mean

// --- astype
fn f(n: i64) -> f64 { n.astype(float) }

//> error[ADC0106]: there are no methods: `.astype(…)`
//>   ^ 2:23-2:31 `n.astype`: not part of the language
//>   = help: write `f64(n)`, `i64(n)` or `c128(n)`

// --- dtype
fn f[N](x: f64[N]) -> f64[N] { x + zeros(N, dtype=float) }

//> error[ADC0106]: an argument with a name
//>   ^ 2:45-2:51 `dtype=`: arguments have no names
//>   = help: leave it out: the type follows from where the value is used

// --- copy
fn f[N](x: f64[N]) -> f64[N] {
    var y = x.copy();
    y[0] = 1;
    y
}

//> error[ADC0106]: there are no methods: `.copy(…)`
//>   ^ 3:13-3:19 `x.copy`: not part of the language
//>   = help: leave it out: arrays are values, `var y = x;` is a copy

// --- flatten
fn f[N, M](x: f64[N, M]) -> f64 { sum(x.flatten()) }

//> error[ADC0106]: there are no methods: `.flatten(…)`
//>   ^ 2:39-2:48 `x.flatten`: not part of the language
//>   = help: write `reshape(x, N*M)`; `sum(x)` sums all entries as it is

// --- reshape with -1
fn f[N, M](x: f64[N, M]) -> f64 { sum(reshape(x, -1)) }

//> error[ADC0513]: the size of an array is -1
//>   ^ 2:50-2:52 `-1`: negative
//>   = help: sizes are at least 0; none follows from the others: write it out, `N*M`

// --- reshape as a method
fn f[N](x: f64[N]) -> f64 { sum(x.reshape(N, 1)) }

//> error[ADC0106]: there are no methods: `.reshape(…)`
//>   ^ 2:33-2:42 `x.reshape`: not part of the language
//>   = help: write `reshape(x, N, 1)`

// --- random
fn f[N](x: f64[N]) -> f64 { sum(x + np.random.randn(N)) }

//> error[ADC0106]: there are no modules: `.randn(…)`
//>   ^ 2:37-2:52 `np.random.randn`: not part of the language
//>   = help: models are deterministic: make the random numbers a parameter

// --- jax.grad
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { jax.grad(g)(x) }

//> error[ADC0106]: there are no modules: `.grad(…)`
//>   ^ 3:23-3:31 `jax.grad`: not part of the language
//>   = help: write `grad(g)`

// --- grad with argnums
fn g(x: f64, y: f64) -> f64 { x^2*y }
fn f(x: f64) -> f64 { grad(g, argnums=1)(x, 2.0) }

//> error[ADC0105]: expected `wrt = …`, found `argnums`
//>   ^ 3:31-3:38 `argnums`: `grad` has a function and `wrt` in its first brackets
//>   = help: write `grad(g, wrt = 1)(…)`; the point follows in brackets of its own: `grad(g)(x)`

// --- grad of a value
fn f(x: f64) -> f64 { grad(x^2) }

//> error[ADC0204]: `grad(x^2)` is a function, not a value
//>   ^ 2:23-2:32 `grad(x^2)`: a function
//>   = help: `grad` takes the name of a function: put the expression into one, `fn g(x: f64) -> f64 { x^2 }`, and write `grad(g)(x)`

// --- grad called with everything
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { grad(g, x) }

//> error[ADC0105]: expected `wrt = …`, found `x`
//>   ^ 3:31-3:32 `x`: `grad` has a function and `wrt` in its first brackets
//>   = help: write `grad(g, wrt = x)(…)`; the point follows in brackets of its own: `grad(g)(x)`

// --- jvp in the manner of JAX
fn g(x: f64) -> f64 { x^2 }
fn f(x: f64) -> f64 { jvp(g, (x,), (1.0,)) }

//> error[ADC0105]: expected `wrt = …`, found `(`
//>   ^ 3:30-3:31 `(`: `jvp` has a function and `wrt` in its first brackets
//>   = help: write `jvp(g, wrt = x)(…)`; the point follows in brackets of its own: `jvp(g)(x; v)`

// --- vmap
fn g(x: f64) -> f64 { x^2 }
fn f[N](x: f64[N]) -> f64[N] { vmap(g)(x) }

//> error[ADC0201]: no function or op called `vmap`
//>   ^ 3:32-3:36 `vmap`: not part of the language
//>   = help: built-ins and operators map over arrays; other functions in `[f(x[i]) for i]`

// --- a user's function of an array
fn g(x: f64) -> f64 { x^2 }
fn f[N](x: f64[N]) -> f64[N] { g(x) }

//> error[ADC0219]: `x` is f64[N], but parameter `x` of `g` is f64
//>   ^ 3:34-3:35 `x`: f64[N]
//>   - 2:9-2:12 `f64`: declared here
//>   = help: `g` takes one number at a time: write `[g(x[i]) for i]`

// --- lax.scan
fn f[N](x: f64[N]) -> f64 { lax.scan(x) }

//> error[ADC0106]: there are no modules: `.scan(…)`
//>   ^ 2:29-2:37 `lax.scan`: not part of the language
//>   = help: write a loop: `var s = …; for i in 0..N { s = …; }`

// --- backward
fn f(x: f64) -> f64 {
    let y = x^2;
    y.backward();
    x.grad
}

//> error[ADC0106]: there are no methods: `.backward(…)`
//>   ^ 4:5-4:15 `y.backward`: not part of the language
//>   = help: nothing is recorded: put the expression into a function `f` and write `grad(f)(x)`
//> error[ADC0106]: there are no fields: `.grad`
//>   ^ 5:5-5:11 `x.grad`: not part of the language
//>   = help: write `grad(f)(x)`, of one parameter `grad(f, wrt = x)(x, y)`

// --- detach
fn f(x: f64) -> f64 { x*x.detach() }

//> error[ADC0106]: there are no methods: `.detach(…)`
//>   ^ 2:25-2:33 `x.detach`: not part of the language
//>   = help: write `stop_gradient(x)`

// --- requires_grad
fn f(x: f64) -> f64 { tensor(x, requires_grad=True) }

//> error[ADC0106]: an argument with a name
//>   ^ 2:33-2:47 `requires_grad=`: arguments have no names
//>   = help: leave it out: derivatives are asked for with `grad(f)(x)` or by `adc grad`

// --- a decorator
@jit
fn f(x: f64) -> f64 { x^2 }

//> error[ADC0106]: `@` starts no item
//>   ^ 2:1-2:2 `@`: not part of the language
//>   = help: there are no decorators and macros: leave it out; attributes are `#[inline]`

// --- .at[].set()
fn f[N](x: f64[N]) -> f64[N] { x.at[0].set(1.0) }

//> error[ADC0106]: there are no fields: `.at`
//>   ^ 2:32-2:36 `x.at`: not part of the language
//>   = help: copy and assign: `var y = x; y[i] = e;`

// --- a parameter is assigned
fn f[N](x: f64[N]) -> f64[N] {
    x[0] = 0.0;
    x
}

//> error[ADC0207]: `x` cannot be assigned
//>   ^ 3:5-3:6 `x`: assigned here
//>   - 2:9-2:10 `x`: a parameter
//>   = help: copy it to a variable first: `var x = x;`

// --- a let is assigned
fn f[N](x: f64[N]) -> f64 {
    let s = 0.0;
    for i in 0..N { s += x[i]; }
    s
}

//> error[ADC0207]: `s` cannot be assigned
//>   ^ 4:21-4:22 `s`: assigned here
//>   - 3:9-3:10 `s`: a `let`
//>   = help: declare it with `var s = …;`, or shadow it with a new `let s = …;`

// --- the absolute value squared
fn f(z: c128) -> f64 { abs(z)^2 + z*conj(z) }

//> error[ADC0204]: this is c128, but `f` returns f64
//>   ^ 2:24-2:44 `abs(z)^2 + z*conj(z)`: c128
//>   - 2:18-2:21 `f64`: declared here
//>   = help: take `re(abs(z)^2 + z*conj(z))`, `im(abs(z)^2 + z*conj(z))` or `abs(abs(z)^2 + z*conj(z))`

// --- a complex result where a real one is declared
fn f(z: c128) -> f64 { conj(z)*z }

//> error[ADC0204]: this is c128, but `f` returns f64
//>   ^ 2:24-2:33 `conj(z)*z`: c128
//>   - 2:18-2:21 `f64`: declared here
//>   = help: take `re(conj(z)*z)`, `im(conj(z)*z)` or `abs(conj(z)*z)`

// --- a type of NumPy
fn f(x: float64, z: np.complex128) -> float64 { x }

//> error[ADC0205]: no type called `float64`
//>   ^ 2:9-2:16 `float64`: write `f64`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `f64`: 2:9-2:16 `float64` -> `f64`
//> error[ADC0205]: no type called `complex128`
//>   ^ 2:21-2:34 `np.complex128`: write `c128`
//>   = help: the types are `bool`, `i64`, `f32`, `f64`, `c64` (two `f32`) and `c128` (two `f64`)
//>   ! write `c128`: 2:21-2:34 `np.complex128` -> `c128`

// --- an array type of NumPy
fn f(x: ndarray) -> f64 { sum(x) }

//> error[ADC0205]: no type called `ndarray`
//>   ^ 2:9-2:16 `ndarray`: write `f64[N]`
//>   = help: an array type has its sizes behind the type of its entries: `fn f[N, M](x: f64[N], A: f64[N, M]) -> …`

// --- an array type with an unknown size
fn f(x: f64[]) -> f64 { sum(x) }

//> error[ADC0105]: expected a size, found `]`
//>   ^ 2:13-2:14 `]`: an array type names its sizes
//>   = help: declare a dimension: `fn f[N](x: f64[N]) -> …`

// --- an array type with colons
fn f(x: f64[:, :]) -> f64 { sum(x) }

//> error[ADC0105]: expected a size, found `:`
//>   ^ 2:13-2:14 `:`: an array type names its sizes
//>   = help: declare a dimension: `fn f[N](x: f64[N]) -> …`

// --- max of a list
fn f(x: f64, y: f64, z: f64) -> f64 { max(x, y, z) }

//> error[ADC0203]: `max` takes 2 arguments, but 3 are given
//>   ^ 2:39-2:51 `max(x, y, z)`: 3 arguments
//>   = help: write `max([a, b, c])`

// --- log of an integer
fn f(n: i64) -> f64 { log(n) }

//> error[ADC0204]: `log` takes real or complex numbers, but `n` is i64
//>   ^ 2:27-2:28 `n`: i64
//>   = help: convert it: `f64(n)`

// --- an integer times a real
fn f(n: i64, x: f64) -> f64 { n*x }

//> error[ADC0204]: `*` cannot take i64 and f64
//>   ^ 2:31-2:34 `n*x`: there is no implicit conversion
//>   - 2:31-2:32 `n`: i64
//>   - 2:33-2:34 `x`: f64
//>   = help: write `f64(n)`

// --- median
fn f[N](x: f64[N]) -> f64 { np.median(x) }

//> error[ADC0106]: there are no modules: `.median(…)`
//>   ^ 2:29-2:38 `np.median`: not part of the language
//>   = help: take it from `sort(x)`: of `x: f64[2*N + 1]` the median is `sort(x)[N]`

// --- eig
fn f(A: f64[3, 3]) -> f64 { let (w, V) = np.linalg.eig(A); w[0] }

//> error[ADC0106]: there are no modules: `.eig(…)`
//>   ^ 2:42-2:55 `np.linalg.eig`: not part of the language
//>   = help: of a symmetric or Hermitian matrix write `let (w, V) = eigh(A);`, of the eigenvalues alone `eigvalsh(A)`; there are none of other matrices

// --- clip
fn f(x: f64) -> f64 { clip(x, 0, 1) }

//> error[ADC0201]: no function or op called `clip`
//>   ^ 2:23-2:27 `clip`: did you mean `clamp`?
//>   ! write `clamp`: 2:23-2:27 `clip` -> `clamp`

// --- trapezoidal rule
fn f[N](x: f64[N]) -> f64 { trapz(x) }

//> error[ADC0201]: no function or op called `trapz`
//>   ^ 2:29-2:34 `trapz`: not part of the language
//>   = help: write the sum: `sum(0.5*(x[i] + x[i + 1])*h for i in 0..N - 1)`

// --- logical_and
fn f(x: f64) -> f64 { if logical_and(x > 0, x < 1) { x } else { 0 } }

//> error[ADC0201]: no function or op called `logical_and`
//>   ^ 2:26-2:37 `logical_and`: not part of the language
//>   = help: write `a && b`, `a || b`, `!a`; of arrays `all(x)`, `any(x)`

// --- interp
fn f[N](x: f64[N], t: f64) -> f64 { interp(t, x, x) }

//> error[ADC0201]: no function or op called `interp`
//>   ^ 2:37-2:43 `interp`: not part of the language
//>   = help: there is no interpolation: write it with `if` or a sum over the nodes

// --- softmax along an axis
fn f[N, M](x: f64[N, M]) -> f64[N, M] { softmax(x, dim=1) }

//> error[ADC0106]: an argument with a name
//>   ^ 2:52-2:56 `dim=`: arguments have no names
//>   = help: the word is `axis`, as in `sum(x, axis = 1)` and `softmax(x, axis = 1)`; of several axes it is a comprehension, `[sum(x[i, j, k] for j, k) for i]`

// --- softmax of a matrix
fn f[N, M](x: f64[N, M]) -> f64[N, M] { softmax(x) }

//> error[ADC0224]: `softmax` takes a vector, but `x` is f64[N, M]
//>   ^ 2:49-2:50 `x`: f64[N, M]
//>   = help: along an axis it is `softmax(x, axis = 0)`

// --- a singular value decomposition
fn f[N, M](x: f64[N, M]) -> f64[N, M] { pinv(x) }

//> error[ADC0201]: no function or op called `pinv`
//>   ^ 2:41-2:45 `pinv`: not part of the language
//>   = help: write the least squares: `let (Q, R) = qr(A); solve(R, Q' @ y)`

// --- cross
fn f(a: f64[3], b: f64[3]) -> f64[3] { cross(a, b) }

//> error[ADC0201]: no function or op called `cross`
//>   ^ 2:40-2:45 `cross`: not part of the language
//>   = help: write it out: `[a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]`

// --- diff
fn f[N](x: f64[N]) -> f64 { sum(diff(x)^2) }

//> error[ADC0201]: no function or op called `diff`
//>   ^ 2:33-2:37 `diff`: not part of the language
//>   = help: write `x[1:] - x[:N - 1]`

// --- roll
fn f[N](x: f64[N]) -> f64[N] { roll(x, 1) }

//> error[ADC0201]: no function or op called `roll`
//>   ^ 2:32-2:36 `roll`: not part of the language
//>   = help: write `[x[mod(i - 1, N)] for i in 0..N]`

// --- tile
fn f[N](x: f64[N]) -> f64 { sum(tile(x, 2)) }

//> error[ADC0201]: no function or op called `tile`
//>   ^ 2:33-2:37 `tile`: not part of the language
//>   = help: write a comprehension: `[x[mod(i, N)] for i in 0..2*N]`, a column of rows `[x for i in 0..M]`

// --- unknown sizes do not match
fn f[N, M](x: f64[N], y: f64[M]) -> f64 { sum(x*y) }

//> error[ADC0219]: `*` cannot take f64[N] and f64[M]
//>   ^ 2:47-2:50 `x*y`: elementwise, so both sides need one shape
//>   - 2:47-2:48 `x`: f64[N]
//>   - 2:49-2:50 `y`: f64[M]
//>   = help: `N` and `M` may differ: give both the same dimension

// --- a run-time size
fn f(n: i64) -> f64 { sum(zeros(n)) }

//> error[ADC0220]: `n` is not a dimension, so it cannot be in the size of an array
//>   ^ 2:33-2:34 `n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument
