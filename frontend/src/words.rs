//! Words of other languages, and what to write instead. Here are names: of functions, methods, values, types, arguments and
//! lines of blocks. Words with a syntax of their own (`def`, `elif`, `x++`) are in `syntax/parser/foreign.rs`.

use adc_ir::Scalar;

/// What to write in place of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Another name with the same arguments.
    Name(&'static str),
    /// Something else, as a help line.
    Write(&'static str),
}

use Instead::{Name, Write};

const SIZES: Instead =
    Write("sizes are dimensions: in `fn f[N](x: f64[N])` the size of `x` is `N`, as a real number `f64(N)`");
const NORMAL: Instead =
    Write("write the log density: `-0.5*((y - mu)/sigma)^2 - log(sigma) - 0.5*log(2*PI)`");
const DENSITY: Instead = Write("there are no distributions: write the log density, a sum over the data");
const PRINT: Instead = Write("nothing is printed from a model: make the value a result of the function");
const FIXED: Instead = Write(
    "arrays have a fixed size: declare it, `var v = zeros(N);`, then `v[i] = …;`, or write `[e for i in 0..N]`",
);
const LIKE: Instead = Write("give the sizes, which are dimensions: `zeros(N)`, `ones(N, M)`, `fill(v, N)`");
const ARRAY: Instead = Write("an array is written `[a, b]`, rows are nested: `[[a, b], [c, d]]`");
const RANGE: Instead = Write("`iota(N)` is 0, 1, …, N-1; real numbers are `[f64(i) for i in 0..N]`");
const SPREAD: Instead =
    Write("the mean is `mean(x)`, the variance `{ let m = mean(x); mean((x[i] - m)^2 for i) }`");
const MAP: Instead = Write("built-ins and operators map over arrays; other functions in `[f(x[i]) for i]`");
const GRAD: Instead = Write("write `grad(f)(x)`, of one parameter `grad(f, wrt = x)(x, y)`");
const STACKED: Instead =
    Write("write `concat(a, b)` to join along the first axis, `stack(a, b)` for a new axis");
const REPEAT: Instead =
    Write("write a comprehension: `[x[mod(i, N)] for i in 0..2*N]`, a column of rows `[x for i in 0..M]`");
const RANDOM: Instead = Write("models are deterministic: make the random numbers a parameter");
const EIGEN: Instead = Write(
    "of a symmetric or Hermitian matrix write `let (w, V) = eigh(A);`, of the eigenvalues alone `eigvalsh(A)`; there are none of other matrices",
);
const CLOSE: Instead = Write("write `abs(a - b) < 1e-9`, with the tolerance you mean");
const BOOLS: Instead = Write("write `a && b`, `a || b`, `!a`; of arrays `all(x)`, `any(x)`");
const FLAT: Instead = Write("write `reshape(x, N*M)`; `sum(x)` sums all entries as it is");
const NOTHING: Instead = Write("every variable has a number from the start: `var y = 0.0;`");
const IMAGINARY: Instead = Write("the imaginary unit is `1i`");
const END: Instead = Write("the last index of an axis of size `N` is `N - 1`; a slice to the end is `x[2:]`");
const AXIS_ADDED: Instead = Write("there is no broadcasting: write `[x[i] - y[j] for i, j]`");
const OBJECT: Instead = Write("there are no objects: what a function needs are its parameters");
const TARGET: Instead =
    Write("start with `var target = 0.0;`, add with `target += …;`, and end the function with `target`");
const CAST: Instead = Write("write `f64(x)`, `i64(x)` or `c128(x)` to convert");

/// Names of functions and methods.
#[rustfmt::skip]
const FUNCTIONS: &[(&[&str], Instead)] = &[
    (&["ln"], Name("log")),
    (&["fabs", "absolute", "modulus"], Name("abs")),
    (&["arcsin"], Name("asin")),
    (&["arccos"], Name("acos")),
    (&["arctan"], Name("atan")),
    (&["arctan2"], Name("atan2")),
    (&["arsinh", "arcsinh"], Name("asinh")),
    (&["arcosh", "arccosh"], Name("acosh")),
    (&["artanh", "arctanh"], Name("atanh")),
    (&["power", "powf", "powi"], Name("pow")),
    (&["sqr"], Name("square")),
    (&["imag"], Name("im")),
    (&["conjugate"], Name("conj")),
    (&["angle", "phase"], Name("arg")),
    (&["sgn", "signum"], Name("sign")),
    (&["where", "ifelse", "if_else"], Name("select")),
    (&["fmod", "rem", "remainder"], Name("mod")),
    (&["gammaln", "loggamma", "lgam"], Name("lgamma")),
    (&["tgamma"], Name("gamma")),
    (&["besselj0"], Name("j0")),
    (&["besselj1"], Name("j1")),
    (&["bessely0"], Name("y0")),
    (&["bessely1"], Name("y1")),
    (&["psi"], Name("digamma")),
    (&["logistic", "expit", "inv_logit", "logistic_sigmoid"], Name("sigmoid")),
    (&["log1p_exp", "log1pexp"], Name("softplus")),
    (&["log_inv_logit", "logsigmoid"], Name("log_sigmoid")),
    (&["log_sum_exp"], Name("logsumexp")),
    (&["detach", "stop_grad"], Name("stop_gradient")),
    (&["maximum", "fmax"], Name("max")),
    (&["minimum", "fmin"], Name("min")),
    (&["amax"], Name("max")),
    (&["amin"], Name("min")),
    (&["clip"], Name("clamp")),
    (&["average"], Name("mean")),
    (&["product"], Name("prod")),
    (&["dot_product", "inner", "vdot"], Name("dot")),
    (&["cholesky_decompose", "chol"], Name("cholesky")),
    (&["log_determinant", "log_det"], Name("logdet")),
    (&["mdivide_left", "linsolve"], Name("solve")),
    (&["lstsq", "lm", "pinv"], Write("write the least squares: `let (Q, R) = qr(A); solve(R, Q' @ y)`")),
    (&["qr_thin", "qr_thin_Q", "qr_thin_R", "qr_Q", "qr_R"], Name("qr")),
    (&["singular_values", "svdvec"], Name("svdvals")),
    (&["svd_U", "svd_V"], Name("svd")),
    (&["inverse", "matrix_inverse"], Name("inv")),
    (&["determinant"], Name("det")),
    (&["tr"], Name("trace")),
    (&["rint"], Name("round")),
    (&["fix"], Name("trunc")),
    (&["reverse", "fliplr", "flipud"], Name("flip")),
    (&["identity", "identity_matrix"], Name("eye")),
    (&["sorted", "sort_asc"], Name("sort")),
    (&["sortperm", "sort_indices_asc"], Name("argsort")),
    (&["sort_desc"], Write("write `flip(sort(x))`")),
    (&["median", "quantile", "percentile"], Write("take it from `sort(x)`: of `x: f64[2*N + 1]` the median is `sort(x)[N]`")),
    (&["eig", "eigen", "eigvals", "eigenvalues", "eigenvectors", "eigs", "eigsh", "eigvecs", "eigenvalues_sym", "eigenvectors_sym"], EIGEN),
    (&["full"], Write("the value comes first: `fill(v, N)`")),
    (&["rep_vector", "rep_array", "rep_matrix"], Name("fill")),
    (&["take"], Name("gather")),
    (&["len", "length", "size", "numel", "ndims", "ndim", "shape", "sizeof", "nrow", "ncol", "rows", "cols", "num_elements"], SIZES),
    (&["zeros_like", "ones_like", "full_like", "empty_like", "empty", "similar"], LIKE),
    (&["array", "asarray", "tensor", "vec", "c", "list", "as_tensor"], ARRAY),
    (&["append", "push", "push_back", "extend", "insert", "pop"], FIXED),
    (&["arange", "range", "seq", "eachindex"], RANGE),
    (&["linspace", "LinRange"], Write("write `[a + (b - a)*f64(i)/f64(N - 1) for i in 0..N]`")),
    (&["std", "var", "variance", "sd", "stdev", "cov"], SPREAD),
    (&["map", "vmap", "apply", "vectorize", "lapply", "sapply", "pmap", "reduce", "filter", "broadcast"], MAP),
    (&["zip", "enumerate"], Write("loop over the indices: `sum(x[i]*y[i] for i)`, `for i in 0..N { … }`")),
    (&["matmul", "mm", "mv", "bmm", "mul", "multiply", "gemm", "crossprod"], Write("write `A @ x` for products of matrices and vectors, `a*b` for elementwise ones")),
    (&["einsum", "tensordot"], Write("write the sum: `[sum(A[i, k]*B[k, j] for k) for i, j]`")),
    (&["add", "subtract", "divide"], Write("write `a + b`, `a - b`, `a/b`")),
    (&["concatenate", "cat", "hstack", "vstack", "hcat", "vcat", "rbind", "cbind", "append_row", "append_array", "column_stack"], STACKED),
    (&["repmat", "tile", "repeat", "rep"], REPEAT),
    (&["random", "rand", "randn", "rnorm", "runif", "normal_rng"], RANDOM),
    (&["isclose", "allclose", "isapprox"], CLOSE),
    (&["logical_and", "logical_or", "logical_not"], BOOLS),
    (&["flatten", "ravel", "to_vector", "view", "squeeze"], FLAT),
    (&["unsqueeze", "expand_dims", "expand", "broadcast_to", "meshgrid"], AXIS_ADDED),
    (&["copy", "deepcopy", "clone", "contiguous", "numpy", "item"], Write("leave it out: arrays are values, `var y = x;` is a copy")),
    (&["astype", "to_real", "toFloat", "double", "to", "convert"], CAST),
    (&["print", "println", "printf", "disp", "display", "fprintf", "cout", "show"], PRINT),
    (&["reject", "error", "stop", "panic"], Write("write `assert c, \"text\";`")),
    (&["gradient", "derivative", "Gradient", "autograd", "diffgrad"], GRAD),
    (&["backward", "zero_grad", "requires_grad_", "retain_grad"], Write("nothing is recorded: put the expression into a function `f` and write `grad(f)(x)`")),
    (&["d", "D", "dx"], GRAD),
    (&["value_and_gradient"], Name("value_and_grad")),
    (&["jit", "njit", "compile"], Write("leave it out: everything is compiled")),
    (&["scan", "fori_loop", "while_loop", "cond"], Write("write a loop: `var s = …; for i in 0..N { s = …; }`")),
    (&["relu"], Write("write `max(x, 0)`")),
    (&["gelu", "silu", "swish"], Write("write `x*sigmoid(x)`, or the formula you mean")),
    (&["logit"], Write("write `log(x/(1 - x))`")),
    (&["trapz", "trapezoid", "cumtrapz", "quad", "integrate"], Write("write the sum: `sum(0.5*(x[i] + x[i + 1])*h for i in 0..N - 1)`")),
    (&["interp", "interp1"], Write("there is no interpolation: write it with `if` or a sum over the nodes")),
    (&["diff", "ediff1d"], Write("write `x[1:] - x[:N - 1]`")),
    (&["roll", "circshift"], Write("write `[x[mod(i - 1, N)] for i in 0..N]`")),
    (&["cross"], Write("write it out: `[a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]`")),
    (&["kron"], Write("write a comprehension: `[A[div(i, P), div(j, Q)]*B[mod(i, P), mod(j, Q)] for i in 0..N*P, j in 0..M*Q]`")),
    (&["slogdet"], Name("logdet")),
    (&["tril", "triu"], Write("write `[if j <= i { A[i, j] } else { 0 } for i, j]`")),
    (&["quad_form"], Write("write `x @ A @ x`, of a matrix `B' @ A @ B`")),
    (&["inv_square"], Write("write `1/x^2`")),
    (&["inv_sqrt", "rsqrt"], Write("write `1/sqrt(x)`")),
    (&["Phi", "normcdf", "ndtr", "pnorm"], Write("write `0.5*erfc(-x/sqrt(2.0))`")),
    (&["beta"], Write("write `exp(lgamma(a) + lgamma(b) - lgamma(a + b))`")),
    (&["lbeta", "betaln"], Write("write `lgamma(a) + lgamma(b) - lgamma(a + b)`")),
    (&["lchoose", "choose", "binomial_coefficient_log"], Write("write `lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)`")),
    (&["factorial"], Write("write `exp(lgamma(x + 1))`")),
    (&["normal_lpdf", "normal_lupdf", "dnorm", "logpdf"], NORMAL),
    (&["log_prob", "Normal", "observe", "sample", "bernoulli_lpmf", "poisson_lpmf", "exponential_lpdf", "gamma_lpdf", "cauchy_lpdf", "uniform_lpdf"], DENSITY),
    (&["bernoulli_logit_lpmf", "bernoulli_logit", "binary_cross_entropy"], Write("write `y*log_sigmoid(eta) + (1 - y)*log_sigmoid(-eta)`")),
    (&["set", "index_add", "index_put"], Write("copy and assign: `var y = x; y[i] = e;`")),
    (&["iter", "collect", "values", "keys"], Write("loop over the indices: `sum(x[i] for i)`, `[e for i in 0..N]`")),
];

/// Names of values.
#[rustfmt::skip]
const VALUES: &[(&[&str], Instead)] = &[
    (&["pi", "π", "Pi", "M_PI"], Name("PI")),
    (&["e", "M_E", "ℯ"], Name("E")),
    (&["True", "TRUE"], Name("true")),
    (&["False", "FALSE"], Name("false")),
    (&["infinity", "Infinity", "HUGE_VAL", "DBL_MAX"], Name("INF")),
    (&["epsilon", "DBL_EPSILON"], Name("EPS")),
    (&["None", "null", "NULL", "nil", "nothing", "nullptr", "undefined", "missing", "NA"], NOTHING),
    (&["end"], END),
    (&["i", "j", "1j"], IMAGINARY),
    (&["I"], Write("the imaginary unit is `1i`, the identity matrix `eye(N)`")),
    (&["newaxis"], AXIS_ADDED),
    (&["self", "this"], OBJECT),
    (&["target"], TARGET),
];

/// What is written `x.word`, without parentheses.
#[rustfmt::skip]
const FIELDS: &[(&[&str], Instead)] = &[
    (&["real"], Name("re")),
    (&["imag"], Name("im")),
    (&["shape", "size", "ndim", "len", "length"], SIZES),
    (&["dtype"], CAST),
    (&["grad"], GRAD),
    (&["at"], Write("copy and assign: `var y = x; y[i] = e;`")),
];

/// Arguments with a name.
#[rustfmt::skip]
const ARGUMENTS: &[(&[&str], &str)] = &[
    (&["axis", "dim", "dims", "axes"], "the word is `axis`, as in `sum(x, axis = 1)` and `softmax(x, axis = 1)`; of several axes it is a comprehension, `[sum(x[i, j, k] for j, k) for i]`"),
    (&["keepdims", "keepdim"], "the axis is gone from the result, and shapes never broadcast: write `let m = max(x, axis = 1); [x[i, j] - m[i] for i, j]`"),
    (&["dtype", "type"], "leave it out: the type follows from where the value is used"),
    (&["requires_grad", "device", "out", "order", "copy"], "leave it out: derivatives are asked for with `grad(f)(x)` or by `adc grad`"),
];

/// Lines of blocks.
#[rustfmt::skip]
const LINES: &[(&[&str], &str)] = &[
    (&["samples", "trials", "num_points", "npoints", "count", "n_points", "runs", "iterations"], "points"),
    (&["tol", "tolerance", "reltol", "rel_tol", "relative_tolerance", "rel"], "rtol"),
    (&["abstol", "abs_tol", "absolute_tolerance"], "atol"),
    (&["random_seed", "random_state", "rng"], "seed"),
    (&["step", "h", "delta"], "eps"),
    (&["parameters", "params", "variables", "active", "inputs"], "wrt"),
    (&["results", "output", "outs"], "outputs"),
    (&["fixed", "constant", "frozen"], "nodiff"),
    (&["expected", "should", "expects"], "expect"),
    (&["memory", "mem"], "memory_limit"),
    (&["edges", "corners"], "edge"),
];

/// Distributions.
#[rustfmt::skip]
const DISTRIBUTIONS: &[(&[&str], &str)] = &[
    (&["gaussian", "Gaussian", "N", "norm", "randn", "gauss"], "normal"),
    (&["U", "unif", "rand", "Unif"], "uniform"),
    (&["integer", "randint", "integers"], "int"),
    (&["oneof", "categorical", "bernoulli", "discrete"], "choice"),
];

/// What other languages call the scalar types, in any case of letters.
#[rustfmt::skip]
const TYPES: &[(&str, Scalar)] = &[
    ("double", Scalar::F64), ("float", Scalar::F64), ("float64", Scalar::F64), ("real", Scalar::F64), ("number", Scalar::F64),
    ("single", Scalar::F32), ("float32", Scalar::F32),
    ("complex", Scalar::C128), ("complex128", Scalar::C128), ("complexf64", Scalar::C128), ("complex64", Scalar::C64),
    ("int", Scalar::I64), ("int64", Scalar::I64), ("integer", Scalar::I64), ("usize", Scalar::I64), ("long", Scalar::I64),
    ("i32", Scalar::I64), ("u64", Scalar::I64), ("size_t", Scalar::I64),
    ("boolean", Scalar::Bool), ("logical", Scalar::Bool),
];

/// What other languages call arrays, in any case of letters.
const ARRAY_TYPES: &[&str] = &[
    "vector",
    "matrix",
    "array",
    "ndarray",
    "tensor",
    "list",
    "vec",
    "mat",
    "row_vector",
    "simplex",
    "arraylike",
    "abstractvector",
    "abstractmatrix",
    "vectorxd",
    "matrixxd",
    "cov_matrix",
    "corr_matrix",
    "slice",
];

/// Modules of other languages that functions are taken from.
const MODULES: &[&str] = &[
    "np",
    "numpy",
    "math",
    "cmath",
    "torch",
    "tf",
    "jnp",
    "jax",
    "scipy",
    "sp",
    "linalg",
    "random",
    "nn",
    "lax",
    "Math",
    "std",
    "LinearAlgebra",
    "special",
    "stats",
    "F",
    "tensorflow",
    "autograd",
    "mpmath",
    "sympy",
    "Statistics",
    "f64",
    "f32",
];

fn find<T: Copy>(table: &[(&[&str], T)], word: &str) -> Option<T> {
    table.iter().find(|(words, _)| words.contains(&word)).map(|(_, instead)| *instead)
}

/// What to write for a function or method of another language.
pub fn function(word: &str) -> Option<Instead> {
    find(FUNCTIONS, word)
}

/// What to write for a value of another language.
pub fn value(word: &str) -> Option<Instead> {
    find(VALUES, word)
}

/// What to write for `x.word`.
pub fn field(word: &str) -> Option<Instead> {
    find(FIELDS, word)
}

/// What to write for an argument with a name.
pub fn argument(word: &str) -> Option<&'static str> {
    find(ARGUMENTS, word)
}

/// The word of a block that is meant.
pub fn line(word: &str) -> Option<&'static str> {
    find(LINES, word)
}

/// The distribution that is meant.
pub fn distribution(word: &str) -> Option<&'static str> {
    find(DISTRIBUTIONS, word)
}

/// The scalar type that is meant.
pub fn scalar(word: &str) -> Option<Scalar> {
    TYPES.iter().find(|(n, _)| n.eq_ignore_ascii_case(word)).map(|(_, s)| *s)
}

/// The name of the scalar type that is meant; of another type as it is.
pub fn type_name(word: &str) -> String {
    scalar(word).map_or_else(|| word.to_string(), |s| s.name().to_string())
}

/// Whether arrays are called so elsewhere.
pub fn is_array_type(word: &str) -> bool {
    ARRAY_TYPES.iter().any(|w| w.eq_ignore_ascii_case(word))
}

/// Whether functions are taken from a module of this name elsewhere.
pub fn is_module(word: &str) -> bool {
    MODULES.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sema::builtins::{Builtin, named};
    use crate::syntax::ast::DerivOp;

    #[test]
    fn words_are_unique_and_name_what_is_there() {
        let known = |n: &str| Builtin::find(n).is_some() || DerivOp::from_text(n).is_some();
        for (table, what) in [(FUNCTIONS, "function"), (VALUES, "value"), (FIELDS, "field")] {
            let mut seen = std::collections::BTreeSet::new();
            for (words, instead) in table {
                for word in *words {
                    assert!(seen.insert(*word), "{what} {word} twice");
                    let ours = what != "field" && (Builtin::find(word).is_some() || named(word).is_some());
                    assert!(!ours, "{word} is in the language: remove its row");
                }
                if let Name(n) = instead {
                    let there = known(n) || named(n).is_some() || matches!(*n, "true" | "false");
                    assert!(there, "{n} is not in the language");
                }
            }
        }
    }
}
