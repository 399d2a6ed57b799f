

// --- ranks and sizes
fn f[N, M](x: f64[N], y: f64[M], A: f64[N, M], n: i64[N], z: c128[N], s: f64) -> f64 {
    let a = norm(s);
    let b = logsumexp(A);
    let c = softmax(z);
    let d = transpose(x);
    let e = dot(x, y);
    let f = inv(A);
    let g = solve(A, x);
    let h = outer(x, A);
    let i = diag(s);
    let j = trace(x);
    let k = gather(x, x);
    let l = gather(x, 1);
    let m = norm(n);
    s
}

//> error[ADC0224]: `norm` takes an array, but `s` is f64
//>   ^ 3:18-3:19 `s`: f64
//>   = help: `abs` takes one number
//> error[ADC0224]: `logsumexp` takes a vector, but `A` is f64[N, M]
//>   ^ 4:23-4:24 `A`: f64[N, M]
//>   = help: along an axis it is `logsumexp(A, axis = 0)`
//> error[ADC0204]: `softmax` takes real numbers, but `z` is c128[N]
//>   ^ 5:21-5:22 `z`: c128[N]
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0224]: `transpose` takes a matrix, but `x` is f64[N]
//>   ^ 6:23-6:24 `x`: f64[N]
//>   = help: a comprehension reorders axes: `[x[k, j, i] for i, j, k]`
//> error[ADC0219]: `dot` cannot take f64[N] and f64[M]
//>   ^ 7:13-7:22 `dot(x, y)`: sums over both, so they need one size
//>   - 7:17-7:18 `x`: f64[N]
//>   - 7:20-7:21 `y`: f64[M]
//>   = help: give both the same dimension
//> error[ADC0219]: `inv` takes a square matrix, but `A` is f64[N, M]
//>   ^ 8:17-8:18 `A`: f64[N, M]
//>   = help: give both axes the same dimension
//> error[ADC0219]: `solve` takes a square matrix, but `A` is f64[N, M]
//>   ^ 9:19-9:20 `A`: f64[N, M]
//>   = help: give both axes the same dimension
//> error[ADC0224]: `outer` takes a vector, but `A` is f64[N, M]
//>   ^ 10:22-10:23 `A`: f64[N, M]
//>   = help: take it row by row: `[outer(A[i]) for i]`
//> error[ADC0224]: `diag` takes a vector or a matrix, but `s` is f64
//>   ^ 11:18-11:19 `s`: f64
//>   = help: use a comprehension for other diagonals
//> error[ADC0224]: `trace` takes a square matrix, but `x` is f64[N]
//>   ^ 12:19-12:20 `x`: f64[N]
//>   = help: declare it with one dimension twice: `f64[N, N]`
//> error[ADC0204]: `gather` takes integers as indices, but `x` is f64[N]
//>   ^ 13:23-13:24 `x`: f64[N]
//>   = help: `i64(x)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0224]: `gather` takes an array of indices, but this is i64
//>   ^ 14:23-14:24 `1`: i64
//>   = help: one part is `x[i]`
//> error[ADC0204]: `norm` takes real or complex numbers, but `n` is i64[N]
//>   ^ 15:18-15:19 `n`: i64[N]
//>   = help: convert it: `f64(n)`

// --- sizes of what is joined, reshaped, cut out
fn f[N, M](x: f64[N], y: f64[M], A: f64[N, M], B: f64[N, 3], b: bool[N], n: i64) -> f64 {
    let a = concat(A, B);
    let c = stack(x, y);
    let d = concat(x, 1.0);
    let e = concat(x, b);
    let f = reshape(A, N, N);
    let g = reshape(A, n);
    let h = slice(x, 1.5, 2);
    let i = slice(x, 0, n);
    let j = reshape(A);
    let k = dot(x);
    let l = zeros();
    let o = stack();
    let p = concat(1i*x, f32(2)*[f32(1)]);
    0
}

//> error[ADC0219]: `concat` cannot take f64[N, M] and f64[N, 3]
//>   ^ 3:13-3:25 `concat(A, B)`: axes behind the first need one size
//>   - 3:20-3:21 `A`: f64[N, M]
//>   - 3:23-3:24 `B`: f64[N, 3]
//>   = help: give both the same dimension
//> error[ADC0219]: `stack` cannot take f64[N] and f64[M]
//>   ^ 4:13-4:24 `stack(x, y)`: what is stacked needs one shape
//>   - 4:19-4:20 `x`: f64[N]
//>   - 4:22-4:23 `y`: f64[M]
//>   = help: give both the same dimension
//> error[ADC0224]: `concat` takes arrays, but this is f64
//>   ^ 5:23-5:26 `1.0`: f64
//>   = help: an array of one number is `[1.0]`
//> error[ADC0204]: `concat` cannot take f64[N] and bool[N]
//>   ^ 6:13-6:25 `concat(x, b)`: there is no implicit conversion
//>   - 6:20-6:21 `x`: f64[N]
//>   - 6:23-6:24 `b`: bool[N]
//>   = help: write `f64(b)`
//> error[ADC0219]: `reshape` to [N, N] needs N*N entries, but `A` is f64[N, M]
//>   ^ 7:13-7:29 `reshape(A, N, N)`: N*M entries
//>   = help: the product of the sizes must stay the same
//> error[ADC0220]: `n` is not a dimension, so it cannot be in the size of an array
//>   ^ 8:24-8:25 `n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument
//> error[ADC0204]: this is f64, but `slice` takes i64 here
//>   ^ 9:22-9:25 `1.5`: f64
//>   = help: `i64(1.5)` truncates; `round` or `floor` it first if you mean that
//> error[ADC0220]: `n` is not a dimension, so it cannot be in the length of a slice
//>   ^ 10:25-10:26 `n`: known at run time only
//>   = help: make `n` a dimension: `fn f[n](…)`, called `f[n = …](…)` or bound by the size of an argument
//> error[ADC0203]: `reshape` needs a size
//>   ^ 11:13-11:23 `reshape(A)`: no size
//>   = help: write `reshape(N)`
//> error[ADC0203]: `dot` takes 2 arguments, but 1 is given
//>   ^ 12:13-12:19 `dot(x)`: 1 argument
//> error[ADC0203]: `zeros` needs a size
//>   ^ 13:13-13:20 `zeros()`: no size
//>   = help: write `zeros(N)`
//> error[ADC0203]: `stack` takes 2 arguments, but none is given
//>   ^ 14:13-14:20 `stack()`: 0 arguments
//> error[ADC0204]: `concat` cannot take c128[N] and f32[1]
//>   ^ 15:13-15:42 `concat(1i*x, f32(2)*[f32(1)])`: there is no implicit conversion
//>   - 15:20-15:24 `1i*x`: c128[N]
//>   - 15:26-15:41 `f32(2)*[f32(1)]`: f32[1]
//>   = help: write `f64(f32(2)*[f32(1)])`

// --- what fits
fn f[N, M](x: f64[N], A: f64[N, M], S: f64[M, M], k: i64) -> f64[2*N + 2] {
    let a: f64[M*N] = reshape(A, N*M);
    let b: f64[M, N] = transpose(A);
    let c: f64[M] = solve(S, slice(a, k, M));
    let d = concat(x, x, [1, 2]);
    d + norm(b)*c[0]
}
fn g(x: f64) -> f64 { nothing(x) }

//> error[ADC0201]: no function or op called `nothing`
//>   ^ 9:23-9:30 `nothing`: not defined in this file or the files it uses
//>   = help: `adc explain --list` shows the built-in functions; others are declared with `fn`

// --- eigenvalues of what is not square
fn oblong[N, M](A: f64[N, M]) -> f64[N] { eigvalsh(A) }

//> error[ADC0219]: `eigvalsh` takes a square matrix, but `A` is f64[N, M]
//>   ^ 2:52-2:53 `A`: f64[N, M]
//>   = help: give both axes the same dimension

// --- sorting needs an order
fn complex(z: c128[3]) -> c128[3] { sort(z) }
fn rows(A: f64[3, 3]) -> i64[3] { argsort(A) }

//> error[ADC0204]: `sort` takes integers or real numbers, but `z` is c128[3]
//>   ^ 2:42-2:43 `z`: c128[3]
//>   = help: take `re(z)`, `im(z)` or `abs(z)`
//> error[ADC0224]: `argsort` takes a vector, but `A` is f64[3, 3]
//>   ^ 3:43-3:44 `A`: f64[3, 3]
//>   = help: take it row by row: `[argsort(A[i]) for i]`

// --- factors of what is no matrix of numbers with a fraction
fn f[N](x: f64[N], n: i64[N, N]) -> f64 {
    let a = svdvals(x);
    let (Q, R) = qr(n);
    0
}
fn g(A: f64[2, 3]) -> f64[3, 3] { let (U, s, V) = svd(A); V }

//> error[ADC0224]: `svdvals` takes a matrix, but `x` is f64[N]
//>   ^ 3:21-3:22 `x`: f64[N]
//>   = help: declare it with two dimensions: `f64[N, M]`
//> error[ADC0204]: `qr` takes real or complex numbers, but `n` is i64[N, N]
//>   ^ 4:21-4:22 `n`: i64[N, N]
//>   = help: convert it: `f64(n)`
//> error[ADC0219]: `V` is f64[3, 2], but `g` returns f64[3, 3]
//>   ^ 7:59-7:60 `V`: f64[3, 2]
//>   - 7:23-7:32 `f64[3, 3]`: declared here
//>   = help: 2 and 3 differ: give both the same size
