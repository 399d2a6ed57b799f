//! The one table of built-in functions and constants. Conversions are types, not
//! functions, and reductions over a generator are grammar; everything else a source can call without
//! defining it is here.

use crate::syntax::ast::ReduceOp;
use adc_ir::{Op, Sig};
use std::sync::LazyLock;

/// What a built-in stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// An op of the table.
    Op(Op),
    /// `a^b`, with all that is said of exponents.
    Power,
    /// An op on two operands, a reduction of an array on one.
    OpOrReduction(Op, ReduceOp),
    /// A reduction of an array.
    Reduction(ReduceOp),
    /// Something else of arrays.
    Array(ArrayFn),
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// As it is called.
    pub name: &'static str,
    /// What it stands for.
    pub means: Means,
    /// What it computes.
    pub doc: &'static str,
}

/// Constants that take the precision of their context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// π
    Pi,
    /// e
    E,
    /// ∞
    Inf,
    /// Not a number.
    Nan,
    /// Distance from 1 to the next number.
    Eps,
}

/// Every named constant.
pub const NAMED: [(&str, Named); 5] =
    [("PI", Named::Pi), ("E", Named::E), ("INF", Named::Inf), ("NAN", Named::Nan), ("EPS", Named::Eps)];

impl Named {
    /// Its value, rounded to single precision if `single`.
    pub fn value(self, single: bool) -> f64 {
        match self {
            Named::Pi if single => std::f32::consts::PI as f64,
            Named::Pi => std::f64::consts::PI,
            Named::E if single => std::f32::consts::E as f64,
            Named::E => std::f64::consts::E,
            Named::Inf => f64::INFINITY,
            Named::Nan => f64::NAN,
            Named::Eps if single => f32::EPSILON as f64,
            Named::Eps => f64::EPSILON,
        }
    }
}

use Means::{OpOrReduction, Power, Reduction};

/// Every built-in function: the ops that the op table says a line of, then the others by topic.
pub static BUILTINS: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
    let named =
        Op::ALL.iter().map(|op| Builtin { name: op.name(), means: Means::Op(*op), doc: op.info().book });
    named.filter(|b| !b.doc.is_empty()).chain([OTHERS, ARRAYS].concat()).collect()
});

/// What is no op, or one of another name.
const OTHERS: &[Builtin] = &[
    Builtin { name: "pow", means: Power, doc: "pow(a, b) = a^b" },
    Builtin {
        name: "min",
        means: OpOrReduction(Op::Min, ReduceOp::Min),
        doc: "the smaller, NaN if one is; also of integers",
    },
    Builtin {
        name: "max",
        means: OpOrReduction(Op::Max, ReduceOp::Max),
        doc: "the larger, NaN if one is; also of integers",
    },
    Builtin { name: "div", means: Means::Op(Op::Idiv), doc: "floor(a/b) of integers" },
    Builtin { name: "sum", means: Reduction(ReduceOp::Sum), doc: "sum of all entries" },
    Builtin { name: "prod", means: Reduction(ReduceOp::Prod), doc: "product of all entries" },
    Builtin { name: "argmax", means: Reduction(ReduceOp::Argmax), doc: "first index of the largest" },
    Builtin { name: "argmin", means: Reduction(ReduceOp::Argmin), doc: "first index of the smallest" },
    Builtin { name: "any", means: Reduction(ReduceOp::Any), doc: "whether one entry is true" },
    Builtin { name: "all", means: Reduction(ReduceOp::All), doc: "whether every entry is true" },
    Builtin { name: "mean", means: Reduction(ReduceOp::Mean), doc: "mean of all entries" },
];

/// Any number of arguments.
const ANY: usize = usize::MAX;
/// Whether some arguments are sizes.
const SIZES: bool = true;
const VALUES: bool = false;

macro_rules! array_fns {
    ($($variant:ident $name:literal $arity:expr, $sizes:expr, $call:literal, $doc:literal;)*) => {
        /// A built-in of arrays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ArrayFn { $(#[doc = concat!("`", $call, "`")] $variant,)* }

        const ARRAYS: &[Builtin] = &[
            $(Builtin { name: $name, means: Means::Array(ArrayFn::$variant), doc: $doc },)*
        ];

        impl ArrayFn {
            /// The number of arguments; `None` if it takes any.
            pub fn arity(self) -> Option<usize> {
                let arity = match self { $(ArrayFn::$variant => $arity,)* };
                (arity != ANY).then_some(arity)
            }

            /// How it is called.
            pub fn call(self) -> &'static str {
                match self { $(ArrayFn::$variant => $call,)* }
            }

            /// Whether some of its arguments are sizes, so that it cannot be used as a value.
            pub fn takes_sizes(self) -> bool {
                match self { $(ArrayFn::$variant => $sizes,)* }
            }
        }
    };
}

#[rustfmt::skip]
array_fns! {
    Zeros     "zeros"     ANY, SIZES, "zeros(N, M)", "zeros(N, M)";
    Ones      "ones"      ANY, SIZES, "ones(N, M)", "ones(N)";
    Fill      "fill"      ANY, SIZES, "fill(v, N, M)", "fill(v, N)";
    Eye       "eye"       1,   SIZES, "eye(N)", "identity matrix";
    Iota      "iota"      1,   SIZES, "iota(N)", "0, 1, ..., N-1";
    Slice     "slice"     3,   SIZES, "slice(x, start, len)", "slice(x, start, len)";
    Norm      "norm"      1,   VALUES, "norm(x)", "root of the sum of squared absolute values";
    Logsumexp "logsumexp" 1,   VALUES, "logsumexp(x)", "log of the sum of exponentials";
    Softmax   "softmax"   1,   VALUES, "softmax(x)", "exponentials over their sum";
    Cumsum    "cumsum"    1,   VALUES, "cumsum(x)", "cumulative sums";
    Cumprod   "cumprod"   1,   VALUES, "cumprod(x)", "cumulative products";
    Sort      "sort"      1,   VALUES, "sort(x)", "in ascending order, NaN last";
    Argsort   "argsort"   1,   VALUES, "argsort(x)", "the indices that sort: of equal entries the first one first, NaN last";
    Transpose "transpose" 1,   VALUES, "transpose(A)", "transpose, without conjugation";
    Reshape   "reshape"   ANY, SIZES, "reshape(x, N, M)", "reshape(x, 2, 3)";
    Concat    "concat"    ANY, VALUES, "concat(a, b, …)", "joined along the first axis";
    Stack     "stack"     ANY, VALUES, "stack(a, b, …)", "joined along a new first axis";
    Flip      "flip"      1,   VALUES, "flip(x)", "reversed along the first axis";
    Gather    "gather"    2,   VALUES, "gather(x, idx)", "gather(x, idx) along the first axis";
    Diag      "diag"      1,   VALUES, "diag(x)", "diagonal matrix of a vector, diagonal of a matrix";
    Trace     "trace"     1,   VALUES, "trace(A)", "sum of the diagonal";
    Outer     "outer"     2,   VALUES, "outer(x, y)", "outer product";
    Dot       "dot"       2,   VALUES, "dot(x, y)", "sum of conj(a_i) b_i";
    Solve     "solve"     2,   VALUES, "solve(A, b)", "solution of A x = b";
    Cholesky  "cholesky"  1,   VALUES, "cholesky(A)", "lower Cholesky factor";
    Inv       "inv"       1,   VALUES, "inv(A)", "inverse";
    Det       "det"       1,   VALUES, "det(A)", "determinant";
    Logdet    "logdet"    1,   VALUES, "logdet(A)", "log |det A|";
    Eigh      "eigh"      1,   VALUES, "eigh(A)", "eigenvalues (ascending) and eigenvectors (columns) of a Hermitian matrix";
    Eigvalsh  "eigvalsh"  1,   VALUES, "eigvalsh(A)", "the eigenvalues alone";
    Qr        "qr"        1,   VALUES, "qr(A)", "Q with orthonormal columns and upper triangular R with a diagonal ≥ 0, A = Q @ R";
    Svd       "svd"       1,   VALUES, "svd(A)", "U, singular values s (descending) and V (not its transpose), A = U @ diag(s) @ V'";
    Svdvals   "svdvals"   1,   VALUES, "svdvals(A)", "the singular values alone";
}

impl Builtin {
    /// The built-in of a name.
    pub fn find(name: &str) -> Option<&'static Builtin> {
        BUILTINS.iter().find(|b| b.name == name)
    }

    /// How many arguments it takes; `None` for those of arrays.
    pub fn arity(&self) -> Option<usize> {
        match self.means {
            Means::Op(op) | Means::OpOrReduction(op, _) => Some(op.arity()),
            Means::Power => Some(2),
            Means::Reduction(_) => Some(1),
            Means::Array(_) => None,
        }
    }
}

impl Builtin {
    /// Names for its arguments, as in its formula.
    pub fn parameters(&self) -> Vec<String> {
        let names = match self.means {
            Means::Array(f) => f.call().split_once('(').map_or("", |(_, args)| args.trim_end_matches(')')),
            Means::Reduction(_) => "x",
            Means::Power | Means::OpOrReduction(..) => "a, b",
            Means::Op(op) => ["", "x", "a, b", "a, b, c"].get(op.arity()).copied().unwrap_or(""),
        };
        names.split(", ").filter(|n| !n.is_empty()).map(String::from).collect()
    }
}

/// The named constant of a name.
pub fn named(name: &str) -> Option<Named> {
    NAMED.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
}

/// The types an op takes, in the words of messages.
pub fn takes(sig: Sig) -> &'static str {
    match sig {
        Sig::Num1 | Sig::Arith2 | Sig::IntPower | Sig::Abs => "numbers",
        Sig::Field2 | Sig::Float1 | Sig::IntFloat | Sig::ToReal | Sig::ToComplex | Sig::FloatTest => {
            "real or complex numbers"
        }
        Sig::Int2 => "integers",
        Sig::Ord2 | Sig::Ord3 | Sig::Compare => "integers or real numbers",
        Sig::Real1 | Sig::Real2 | Sig::Real3 | Sig::IntReal | Sig::Pair | Sig::RealTest => "real numbers",
        Sig::Equal | Sig::Any1 | Sig::Select => "scalars",
        Sig::Bool2 | Sig::Bool1 => "booleans",
        Sig::ToF64 | Sig::ToF32 | Sig::ToI64 | Sig::ToC => "scalars",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (i, b) in BUILTINS.iter().enumerate() {
            assert!(BUILTINS[..i].iter().all(|o| o.name != b.name), "{} twice", b.name);
            assert!(!b.doc.is_empty());
        }
    }
}
