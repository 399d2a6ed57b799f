//! The one table of scalar ops: name, operand types, formula, smoothness, domain. The enum, the
//! printer and parser of the text form, the type check and the documentation come from it;
//! interpreter, derivative rules and code generator match on [`Op`] exhaustively.
//!
//! Values of single precision: `+ − × ÷ √` and sign or comparison ops work in the type itself, every
//! other function is the double-precision one, rounded once.

use crate::types::{Scalar, Type};
use std::fmt;

/// Which operand types an op takes, and what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sig {
    /// `T -> T` for `i64`, real, complex.
    Num1,
    /// `i64, i64 -> i64`, or real and complex operands of one precision in any mixture; complex if
    /// one of them is. Mixed arithmetic is componentwise, never a promotion.
    Arith2,
    /// As [`Sig::Arith2`] without integers.
    Field2,
    /// `i64, i64 -> i64`.
    Int2,
    /// `T, T -> T` for `i64` and real.
    Ord2,
    /// `T, T, T -> T` for `i64` and real.
    Ord3,
    /// `T, i64 -> T` for `i64`, real, complex.
    IntPower,
    /// `T -> T` for real and complex.
    Float1,
    /// `R -> R`.
    Real1,
    /// `R, R -> R`.
    Real2,
    /// `R, R, R -> R`.
    Real3,
    /// `i64, R -> R`.
    IntReal,
    /// `T -> real part's type` for `i64` (to `i64`), real and complex.
    Abs,
    /// `T -> real part's type` for real and complex.
    ToReal,
    /// Real or complex to complex.
    ToComplex,
    /// `R, R -> C`.
    Pair,
    /// Real or complex to `bool`.
    FloatTest,
    /// Real to `bool`.
    RealTest,
    /// `T, T -> bool` for `i64`, real.
    Compare,
    /// `T, T -> bool` for every type.
    Equal,
    /// `bool, bool -> bool`.
    Bool2,
    /// `bool -> bool`.
    Bool1,
    /// `bool, T, T -> T`.
    Select,
    /// `bool`, `i64`, real to `f64`.
    ToF64,
    /// `bool`, `i64`, real to `f32`.
    ToF32,
    /// `bool`, real to `i64`; real operands truncate, NaN and out of range are run-time errors.
    ToI64,
    /// Complex to the other complex precision.
    ToC,
    /// `T -> T` for every type.
    Any1,
}

/// Where and how an op fails to be smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothness {
    /// Linear over the reals in each operand that carries a derivative, all of them together.
    Linear,
    /// Infinitely often differentiable inside its domain and off its cut.
    Smooth,
    /// Continuous, with a kink at the place named.
    Kink(&'static str),
    /// Piecewise constant or otherwise discontinuous at the place named.
    Jump(&'static str),
    /// Its result carries no derivative (booleans, integers), or it stops derivatives.
    Discrete,
}

/// The real operands for which value and derivatives are defined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// Everywhere.
    All,
    /// Everywhere but at 0 (of the last operand).
    NonZero,
    /// Between the bounds, open ends.
    Open(f64, f64),
    /// Not at 0, -1, -2, …
    NotPole,
    /// As the formula says (`pow`, `mod`).
    Special,
}

/// One row of the op table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The name in IR text.
    pub name: &'static str,
    /// Operand and result types.
    pub sig: Sig,
    /// Where it is not smooth.
    pub smooth: Smoothness,
    /// Real operands for which it and its derivatives are defined.
    pub domain: Domain,
    /// Branch cut of the complex function; empty if it has none.
    pub cut: &'static str,
    /// The formula, `x` (`a`, `b`, `c` for several) being the operands.
    pub formula: &'static str,
}

const INF: f64 = f64::INFINITY;

macro_rules! ops {
    ($($name:ident $text:literal $sig:ident, $smooth:expr, $domain:expr, $cut:literal, $formula:literal;)*) => {
        /// A scalar operation. Its row is [`Op::info`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $(#[doc = $formula] $name,)* }

        impl Op {
            /// Every op, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// The op's row of the table.
            pub fn info(self) -> &'static OpInfo {
                #[allow(unused_imports)]
                use {Domain::*, Smoothness::*};
                match self {
                    $(Op::$name => {
                        const ROW: OpInfo = OpInfo {
                            name: $text, sig: Sig::$sig, smooth: $smooth, domain: $domain,
                            cut: $cut, formula: $formula,
                        };
                        &ROW
                    })*
                }
            }

            /// The op a text name stands for.
            pub fn from_name(name: &str) -> Option<Op> {
                match name { $($text => Some(Op::$name),)* _ => None }
            }
        }
    };
}

#[rustfmt::skip]
ops! {
    // arithmetic
    Neg     "neg"      Num1,     Linear,            All,       "",  "-x";
    Add     "add"      Arith2,   Linear,            All,       "",  "a + b";
    Sub     "sub"      Arith2,   Linear,            All,       "",  "a - b";
    Mul     "mul"      Arith2,   Smooth,            All,       "",  "a b";
    Div     "div"      Field2,   Smooth,            NonZero,   "",  "a / b";
    Idiv    "idiv"     Int2,     Discrete,          NonZero,   "",  "floor(a / b)";
    Mod     "mod"      Ord2,     Jump("a/b integer"), NonZero, "",  "a - b floor(a / b)";
    Powi    "powi"     IntPower, Smooth,            Special,   "",  "a^n, n integer";
    Pow     "pow"      Field2,   Smooth,            Special,   "(-inf, 0] of a", "a^b = exp(b log a)";
    Recip   "recip"    Float1,   Smooth,            NonZero,   "",  "1 / x";
    Square  "square"   Float1,   Smooth,            All,       "",  "x^2";
    Fma     "fma"      Real3,    Smooth,            All,       "",  "a b + c, rounded once";
    // exponentials and logarithms
    Exp     "exp"      Float1,   Smooth,            All,       "",  "e^x";
    Expm1   "expm1"    Float1,   Smooth,            All,       "",  "e^x - 1";
    Exp2    "exp2"     Real1,    Smooth,            All,       "",  "2^x";
    Log     "log"      Float1,   Smooth,            Open(0.0, INF),  "(-inf, 0]", "ln x";
    Log2    "log2"     Float1,   Smooth,            Open(0.0, INF),  "(-inf, 0]", "ln x / ln 2";
    Log10   "log10"    Float1,   Smooth,            Open(0.0, INF),  "(-inf, 0]", "ln x / ln 10";
    Log1p   "log1p"    Float1,   Smooth,            Open(-1.0, INF), "(-inf, -1]", "ln(1 + x)";
    Sqrt    "sqrt"     Float1,   Smooth,            Open(0.0, INF),  "(-inf, 0]", "x^(1/2)";
    Cbrt    "cbrt"     Real1,    Smooth,            NonZero,   "",  "x^(1/3), odd";
    // circular and hyperbolic
    Sin     "sin"      Float1,   Smooth,            All,       "",  "sin x";
    Cos     "cos"      Float1,   Smooth,            All,       "",  "cos x";
    Tan     "tan"      Float1,   Smooth,            All,       "",  "tan x";
    Asin    "asin"     Float1,   Smooth,            Open(-1.0, 1.0), "(-inf, -1], [1, inf)", "arcsin x";
    Acos    "acos"     Float1,   Smooth,            Open(-1.0, 1.0), "(-inf, -1], [1, inf)", "arccos x";
    Atan    "atan"     Float1,   Smooth,            All,       "i(-inf, -1], i[1, inf)", "arctan x";
    Sinh    "sinh"     Float1,   Smooth,            All,       "",  "sinh x";
    Cosh    "cosh"     Float1,   Smooth,            All,       "",  "cosh x";
    Tanh    "tanh"     Float1,   Smooth,            All,       "",  "tanh x";
    Asinh   "asinh"    Float1,   Smooth,            All,       "i(-inf, -1], i[1, inf)", "arsinh x";
    Acosh   "acosh"    Float1,   Smooth,            Open(1.0, INF),  "(-inf, 1]", "arcosh x";
    Atanh   "atanh"    Float1,   Smooth,            Open(-1.0, 1.0), "(-inf, -1], [1, inf)", "artanh x";
    Sinc    "sinc"     Real1,    Smooth,            All,       "",  "sin(pi x)/(pi x), 1 at 0";
    // statistics and special functions
    Sigmoid    "sigmoid"     Float1, Smooth,        All,       "",  "1/(1 + e^-x)";
    Softplus   "softplus"    Real1,  Smooth,        All,       "",  "ln(1 + e^x)";
    LogSigmoid "log_sigmoid" Real1,  Smooth,        All,       "",  "-ln(1 + e^-x)";
    Logaddexp  "logaddexp"   Real2,  Smooth,        All,       "",  "ln(e^a + e^b)";
    Erf        "erf"         Real1,  Smooth,        All,       "",  "2/sqrt(pi) int_0^x e^(-t^2) dt";
    Erfc       "erfc"        Real1,  Smooth,        All,       "",  "1 - erf x";
    Lgamma     "lgamma"      Real1,  Smooth,        NotPole,   "",  "ln |Gamma(x)|";
    Digamma    "digamma"     Real1,  Smooth,        NotPole,   "",  "d/dx ln |Gamma(x)|";
    Polygamma  "polygamma"   IntReal, Smooth,       NotPole,   "",  "n-th derivative of digamma at x, n >= 0";
    // two real operands
    Hypot   "hypot"    Real2,    Kink("a = b = 0"), All,       "",  "sqrt(a^2 + b^2)";
    Atan2   "atan2"    Real2,    Jump("a = 0, b <= 0"), All,   "",  "arg(b + i a)";
    Copysign "copysign" Real2,   Kink("a = 0, jump at b = 0"), All, "", "|a| with the sign of b";
    // order
    Min     "min"      Ord2,     Kink("a = b"),     All,       "",  "the smaller; NaN if one is";
    Max     "max"      Ord2,     Kink("a = b"),     All,       "",  "the larger; NaN if one is";
    Clamp   "clamp"    Ord3,     Kink("x at a bound"), All,    "",  "min(max(x, lo), hi)";
    Floor   "floor"    Real1,    Jump("integers"),  All,       "",  "largest integer <= x";
    Ceil    "ceil"     Real1,    Jump("integers"),  All,       "",  "smallest integer >= x";
    Round   "round"    Real1,    Jump("half-integers"), All,   "",  "nearest integer, ties to even";
    Trunc   "trunc"    Real1,    Jump("integers but 0"), All,  "",  "integer part";
    Abs     "abs"      Abs,      Kink("0"),         All,       "",  "|x|";
    Sign    "sign"     Num1,     Jump("0"),         All,       "",  "x/|x|, 0 at 0";
    // complex
    Abs2    "abs2"     ToReal,   Smooth,            All,       "",  "|x|^2";
    Conj    "conj"     Float1,   Linear,            All,       "",  "re x - i im x";
    Re      "re"       ToReal,   Linear,            All,       "",  "real part";
    Im      "im"       ToReal,   Linear,            All,       "",  "imaginary part";
    Arg     "arg"      ToReal,   Smooth,            NonZero,   "(-inf, 0]", "argument in (-pi, pi], 0 at 0";
    Cis     "cis"      ToComplex, Smooth,           All,       "",  "e^(i x)";
    Complex "complex"  Pair,     Linear,            All,       "",  "a + i b";
    // tests
    IsNan    "isnan"    FloatTest, Discrete,        All,       "",  "a part is NaN";
    IsFinite "isfinite" FloatTest, Discrete,        All,       "",  "no part is NaN or infinite";
    IsInf    "isinf"    RealTest,  Discrete,        All,       "",  "x is inf or -inf";
    Lt      "lt"       Compare,  Discrete,          All,       "",  "a < b";
    Le      "le"       Compare,  Discrete,          All,       "",  "a <= b";
    Gt      "gt"       Compare,  Discrete,          All,       "",  "a > b";
    Ge      "ge"       Compare,  Discrete,          All,       "",  "a >= b";
    Eq      "eq"       Equal,    Discrete,          All,       "",  "a = b";
    Ne      "ne"       Equal,    Discrete,          All,       "",  "a /= b";
    And     "and"      Bool2,    Discrete,          All,       "",  "a and b";
    Or      "or"       Bool2,    Discrete,          All,       "",  "a or b";
    Not     "not"      Bool1,    Discrete,          All,       "",  "not x";
    Select  "select"   Select,   Linear,            All,       "",  "b if a, else c";
    // conversions
    ToF64   "to_f64"   ToF64,    Linear,            All,       "",  "x as f64";
    ToF32   "to_f32"   ToF32,    Linear,            All,       "",  "x rounded to f32";
    ToI64   "to_i64"   ToI64,    Discrete,          Special,   "",  "x truncated to i64";
    ToC     "to_c"     ToC,      Linear,            All,       "",  "x in the other complex precision";
    // what derivatives need
    Sech2    "sech2"    Float1,  Smooth,            All,       "",  "1/cosh(x)^2, the derivative of tanh";
    DSigmoid "dsigmoid" Float1,  Smooth,            All,       "",  "e^-x/(1 + e^-x)^2, the derivative of sigmoid";
    DSinc    "dsinc"    IntReal, Smooth,            All,       "",  "n-th derivative of sinc at x, n >= 0";
    StopGradient "stop_gradient" Any1, Discrete,    All,       "",  "x, with derivative 0";
}

impl Op {
    /// The name in IR text.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        match self.info().sig {
            Sig::Num1
            | Sig::Float1
            | Sig::Real1
            | Sig::Abs
            | Sig::ToReal
            | Sig::ToComplex
            | Sig::FloatTest
            | Sig::RealTest
            | Sig::Bool1
            | Sig::ToF64
            | Sig::ToF32
            | Sig::ToI64
            | Sig::ToC
            | Sig::Any1 => 1,
            Sig::Arith2
            | Sig::Field2
            | Sig::Int2
            | Sig::Ord2
            | Sig::IntPower
            | Sig::Real2
            | Sig::IntReal
            | Sig::Pair
            | Sig::Compare
            | Sig::Equal
            | Sig::Bool2 => 2,
            Sig::Ord3 | Sig::Real3 | Sig::Select => 3,
        }
    }

    /// The result type for operands of types `args`, or `None` if the op does not take them.
    pub fn result_type(self, args: &[Type]) -> Option<Type> {
        use Scalar::*;
        if args.len() != self.arity() || args.iter().any(|t| t.is_array()) {
            return None;
        }
        let s: Vec<Scalar> = args.iter().map(|t| t.scalar()).collect();
        let x = s[0];
        let same = s.iter().all(|t| *t == x);
        let precision = |t: Scalar| t.is_float().then(|| t.is_single());
        let mixed = || {
            (s.iter().all(|t| t.is_float()) && s.iter().all(|t| precision(*t) == precision(x)))
                .then(|| s.iter().copied().find(|t| t.is_complex()).unwrap_or(x))
        };
        let when = |ok: bool, t: Scalar| ok.then_some(t);
        let out = match self.info().sig {
            Sig::Num1 => when(x != Bool, x),
            Sig::Arith2 if x == I64 => when(same, I64),
            Sig::Arith2 | Sig::Field2 => mixed(),
            Sig::Int2 => when(same && x == I64, I64),
            Sig::Ord2 | Sig::Ord3 => when(same && (x == I64 || x.is_real()), x),
            Sig::IntPower => when(x != Bool && s[1] == I64, x),
            Sig::Float1 => when(x.is_float(), x),
            Sig::Real1 | Sig::Real2 | Sig::Real3 => when(same && x.is_real(), x),
            Sig::IntReal => when(x == I64 && s[1].is_real(), s[1]),
            Sig::Abs => when(x != Bool, x.real()),
            Sig::ToReal => when(x.is_float(), x.real()),
            Sig::ToComplex => x.complex(),
            Sig::Pair if same && x.is_real() => x.complex(),
            Sig::Pair => None,
            Sig::FloatTest => when(x.is_float(), Bool),
            Sig::RealTest => when(x.is_real(), Bool),
            Sig::Compare => when(same && (x == I64 || x.is_real()), Bool),
            Sig::Equal => when(same, Bool),
            Sig::Bool2 | Sig::Bool1 => when(same && x == Bool, Bool),
            Sig::Select => when(x == Bool && s[1] == s[2], s[1]),
            Sig::ToF64 => when(matches!(x, Bool | I64 | F32 | F64), F64),
            Sig::ToF32 => when(matches!(x, Bool | I64 | F32 | F64), F32),
            Sig::ToI64 => when(matches!(x, Bool | I64 | F32 | F64), I64),
            Sig::ToC => match x {
                C64 => Some(C128),
                C128 => Some(C64),
                Bool | I64 | F32 | F64 => None,
            },
            Sig::Any1 => Some(x),
        };
        out.map(Type::Scalar)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
