//! The one table of built-in functions and constants. Conversions are types, not
//! functions, and reductions over a generator are grammar; everything else a source can call without
//! defining it is here.

use crate::syntax::ast::ReduceOp;
use adc_ir::{Op, Sig};

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

/// A built-in of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayFn {
    /// `zeros(N, M)`
    Zeros,
    /// `ones(N, M)`
    Ones,
    /// `fill(v, N, M)`
    Fill,
    /// `eye(N)`
    Eye,
    /// `iota(N)`
    Iota,
    /// `slice(x, start, len)`
    Slice,
    /// `norm(x)`
    Norm,
    /// `logsumexp(x)`
    Logsumexp,
    /// `softmax(x)`
    Softmax,
    /// `cumsum(x)`
    Cumsum,
    /// `cumprod(x)`
    Cumprod,
    /// `transpose(A)`
    Transpose,
    /// `reshape(x, N, M)`
    Reshape,
    /// `concat(a, b, …)`
    Concat,
    /// `stack(a, b, …)`
    Stack,
    /// `flip(x)`
    Flip,
    /// `gather(x, idx)`
    Gather,
    /// `diag(x)`
    Diag,
    /// `trace(A)`
    Trace,
    /// `outer(x, y)`
    Outer,
    /// `dot(x, y)`
    Dot,
    /// `solve(A, b)`
    Solve,
    /// `cholesky(A)`
    Cholesky,
    /// `inv(A)`
    Inv,
    /// `det(A)`
    Det,
    /// `logdet(A)`
    Logdet,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
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

macro_rules! builtins {
    ($($name:literal $means:expr, $doc:literal;)*) => {
        /// Every built-in function, by topic.
        pub const BUILTINS: &[Builtin] = &[$(Builtin { name: $name, means: $means, doc: $doc }),*];
    };
}

use Means::{OpOrReduction, Power, Reduction};

const fn array(f: ArrayFn) -> Means {
    Means::Array(f)
}

const fn op(op: Op) -> Means {
    Means::Op(op)
}

#[rustfmt::skip]
builtins! {
    // real and complex
    "exp"      op(Op::Exp),      "e^x";
    "expm1"    op(Op::Expm1),    "e^x - 1, exact near 0";
    "log"      op(Op::Log),      "natural logarithm";
    "log2"     op(Op::Log2),     "logarithm to base 2";
    "log10"    op(Op::Log10),    "logarithm to base 10";
    "log1p"    op(Op::Log1p),    "log(1 + x), exact near 0";
    "sqrt"     op(Op::Sqrt),     "square root";
    "sin"      op(Op::Sin),      "sine";
    "cos"      op(Op::Cos),      "cosine";
    "tan"      op(Op::Tan),      "tangent";
    "asin"     op(Op::Asin),     "inverse sine";
    "acos"     op(Op::Acos),     "inverse cosine";
    "atan"     op(Op::Atan),     "inverse tangent";
    "sinh"     op(Op::Sinh),     "hyperbolic sine";
    "cosh"     op(Op::Cosh),     "hyperbolic cosine";
    "tanh"     op(Op::Tanh),     "hyperbolic tangent";
    "asinh"    op(Op::Asinh),    "inverse hyperbolic sine";
    "acosh"    op(Op::Acosh),    "inverse hyperbolic cosine";
    "atanh"    op(Op::Atanh),    "inverse hyperbolic tangent";
    "sigmoid"  op(Op::Sigmoid),  "1/(1 + exp(-x))";
    "pow"      Power,            "pow(a, b) = a^b";
    "recip"    op(Op::Recip),    "1/x";
    "square"   op(Op::Square),   "x^2";
    "sign"     op(Op::Sign),     "x/|x|, 0 at 0; also of integers";
    "abs"      op(Op::Abs),      "|x|; also of integers";
    "abs2"     op(Op::Abs2),     "|x|^2";
    "isnan"    op(Op::IsNan),    "whether a part is NaN";
    "isfinite" op(Op::IsFinite), "whether no part is NaN or infinite";
    "conj"     op(Op::Conj),     "complex conjugate";
    "re"       op(Op::Re),       "real part";
    "im"       op(Op::Im),       "imaginary part";
    "arg"      op(Op::Arg),      "argument in (-pi, pi], 0 at 0";
    "cis"      op(Op::Cis),      "exp(i x)";
    // real
    "cbrt"        op(Op::Cbrt),       "cube root";
    "hypot"       op(Op::Hypot),      "sqrt(a^2 + b^2) without overflow";
    "atan2"       op(Op::Atan2),      "atan2(y, x), the argument of x + i y";
    "min"         OpOrReduction(Op::Min, ReduceOp::Min), "the smaller, NaN if one is; also of integers";
    "max"         OpOrReduction(Op::Max, ReduceOp::Max), "the larger, NaN if one is; also of integers";
    "clamp"       op(Op::Clamp),      "clamp(x, lo, hi) = min(max(x, lo), hi); also of integers";
    "floor"       op(Op::Floor),      "largest integer <= x";
    "ceil"        op(Op::Ceil),       "smallest integer >= x";
    "round"       op(Op::Round),      "nearest integer, ties to even";
    "trunc"       op(Op::Trunc),      "integer part";
    "mod"         op(Op::Mod),        "a - b floor(a/b); also of integers";
    "div"         op(Op::Idiv),       "floor(a/b) of integers";
    "copysign"    op(Op::Copysign),   "|a| with the sign of b";
    "fma"         op(Op::Fma),        "fma(a, b, c) = a b + c, rounded once";
    "isinf"       op(Op::IsInf),      "whether x is infinite";
    "erf"         op(Op::Erf),        "error function";
    "erfc"        op(Op::Erfc),       "1 - erf(x), exact for large x";
    "lgamma"      op(Op::Lgamma),     "log |Gamma(x)|";
    "digamma"     op(Op::Digamma),    "derivative of lgamma";
    "polygamma"   op(Op::Polygamma),  "polygamma(n, x), n-th derivative of digamma";
    "softplus"    op(Op::Softplus),   "log(1 + exp(x)) without overflow";
    "log_sigmoid" op(Op::LogSigmoid), "log(sigmoid(x)) without underflow";
    "logaddexp"   op(Op::Logaddexp),  "log(exp(a) + exp(b)) without overflow";
    "exp2"        op(Op::Exp2),       "2^x";
    "sinc"        op(Op::Sinc),       "sin(pi x)/(pi x), 1 at 0";
    // any type
    "select"        op(Op::Select),       "select(c, a, b): a if c, else b; evaluates both";
    "stop_gradient" op(Op::StopGradient), "x, with derivative 0";
    // arrays
    "zeros"     array(ArrayFn::Zeros), "zeros(N, M)";
    "ones"      array(ArrayFn::Ones), "ones(N)";
    "fill"      array(ArrayFn::Fill), "fill(v, N)";
    "eye"       array(ArrayFn::Eye), "identity matrix";
    "iota"      array(ArrayFn::Iota), "0, 1, ..., N-1";
    "slice"     array(ArrayFn::Slice), "slice(x, start, len)";
    "sum"       Reduction(ReduceOp::Sum), "sum of all entries";
    "prod"      Reduction(ReduceOp::Prod), "product of all entries";
    "argmax"    Reduction(ReduceOp::Argmax), "first index of the largest";
    "argmin"    Reduction(ReduceOp::Argmin), "first index of the smallest";
    "any"       Reduction(ReduceOp::Any), "whether one entry is true";
    "all"       Reduction(ReduceOp::All), "whether every entry is true";
    "mean"      Reduction(ReduceOp::Mean), "mean of all entries";
    "norm"      array(ArrayFn::Norm), "root of the sum of squared absolute values";
    "logsumexp" array(ArrayFn::Logsumexp), "log of the sum of exponentials";
    "softmax"   array(ArrayFn::Softmax), "exponentials over their sum";
    "cumsum"    array(ArrayFn::Cumsum), "cumulative sums";
    "cumprod"   array(ArrayFn::Cumprod), "cumulative products";
    "transpose" array(ArrayFn::Transpose), "transpose, without conjugation";
    "reshape"   array(ArrayFn::Reshape), "reshape(x, 2, 3)";
    "concat"    array(ArrayFn::Concat), "joined along the first axis";
    "stack"     array(ArrayFn::Stack), "joined along a new first axis";
    "flip"      array(ArrayFn::Flip), "reversed along the first axis";
    "gather"    array(ArrayFn::Gather), "gather(x, idx) along the first axis";
    "diag"      array(ArrayFn::Diag), "diagonal matrix of a vector, diagonal of a matrix";
    "trace"     array(ArrayFn::Trace), "sum of the diagonal";
    "outer"     array(ArrayFn::Outer), "outer product";
    "dot"       array(ArrayFn::Dot), "sum of conj(a_i) b_i";
    "solve"     array(ArrayFn::Solve), "solution of A x = b";
    "cholesky"  array(ArrayFn::Cholesky), "lower Cholesky factor";
    "inv"       array(ArrayFn::Inv), "inverse";
    "det"       array(ArrayFn::Det), "determinant";
    "logdet"    array(ArrayFn::Logdet), "log |det A|";
}

/// What other languages call some of them.
const ALIASES: [(&str, &str); 22] = [
    ("ln", "log"),
    ("fabs", "abs"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("arsinh", "asinh"),
    ("arcosh", "acosh"),
    ("artanh", "atanh"),
    ("power", "pow"),
    ("sqr", "square"),
    ("real", "re"),
    ("imag", "im"),
    ("conjugate", "conj"),
    ("angle", "arg"),
    ("sgn", "sign"),
    ("signum", "sign"),
    ("where", "select"),
    ("fmod", "mod"),
    ("gammaln", "lgamma"),
    ("logistic", "sigmoid"),
    ("detach", "stop_gradient"),
];

impl Builtin {
    /// The built-in of a name.
    pub fn find(name: &str) -> Option<&'static Builtin> {
        BUILTINS.iter().find(|b| b.name == name)
    }

    /// The built-in that another language calls `name`.
    pub fn alias(name: &str) -> Option<&'static str> {
        ALIASES.iter().find(|(other, _)| *other == name).map(|(_, ours)| *ours)
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

/// The named constant of a name.
pub fn named(name: &str) -> Option<Named> {
    NAMED.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
}

/// The types an op takes, in the words of messages.
pub fn takes(sig: Sig) -> &'static str {
    match sig {
        Sig::Num1 | Sig::Arith2 | Sig::IntPower | Sig::Abs => "numbers",
        Sig::Field2 | Sig::Float1 | Sig::ToReal | Sig::ToComplex | Sig::FloatTest => {
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
    fn names_are_unique_and_aliases_name_built_ins() {
        for (i, b) in BUILTINS.iter().enumerate() {
            assert!(BUILTINS[..i].iter().all(|o| o.name != b.name), "{} twice", b.name);
            assert!(!b.doc.is_empty());
        }
        for (other, ours) in ALIASES {
            assert!(Builtin::find(ours).is_some() && Builtin::find(other).is_none(), "{other}");
        }
    }
}
