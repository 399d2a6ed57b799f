//! The one table of scalar ops: name, operand types, formula, smoothness, domain. The enum, the
//! printer and parser of the text form, the type check and the documentation come from it;
//! interpreter, derivative rules and code generator match on [`Op`] exhaustively: what they treat alike by class
//! ([`ops!`](crate::ops)), the rest op by op.
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
    /// `i64, T -> T` for real and complex.
    IntFloat,
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

impl Sig {
    /// Whether operands may be complex.
    pub fn takes_complex(self) -> bool {
        match self {
            Sig::Num1 | Sig::Arith2 | Sig::Field2 | Sig::IntPower | Sig::Float1 | Sig::Abs | Sig::ToReal => {
                true
            }
            Sig::IntFloat => true,
            Sig::ToComplex | Sig::FloatTest | Sig::Equal | Sig::Select | Sig::ToC | Sig::Any1 => true,
            Sig::Int2 | Sig::Ord2 | Sig::Ord3 | Sig::Real1 | Sig::Real2 | Sig::Real3 | Sig::IntReal => false,
            Sig::Pair | Sig::RealTest | Sig::Compare | Sig::Bool2 | Sig::Bool1 => false,
            Sig::ToF64 | Sig::ToF32 | Sig::ToI64 => false,
        }
    }
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

/// The branch cut of a complex function, in the plane of its first operand (of `logaddexp`, of e^a + e^b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// None.
    Uncut,
    /// The real axis up to here.
    Below(f64),
    /// The real axis up to -1, and from 1 on.
    Outside,
    /// The same of the imaginary axis.
    OutsideImaginary,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Uncut => f.write_str("none"),
            Cut::Below(end) => write!(f, "(-inf, {end}]"),
            Cut::Outside => f.write_str("(-inf, -1], [1, inf)"),
            Cut::OutsideImaginary => f.write_str("i(-inf, -1], i[1, inf)"),
        }
    }
}

/// What an op is to those who treat most ops alike. [`ops!`](crate::ops) is the pattern of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Sums, products, quotients, roots: each has code of its own.
    Arith,
    /// A function of real or complex operands that is computed by a native function.
    Elementary,
    /// As [`Class::Elementary`], of an integer and a real number.
    ElementaryInt,
    /// Order, signs and rounding to integers.
    Order,
    /// Parts of complex numbers, and complex numbers of parts.
    Part,
    /// Comparisons and other questions.
    Test,
    /// Of truth values.
    Logic,
    /// To another type.
    Convert,
    /// The operand itself, for the value's sake alone.
    Barrier,
}

/// One row of the op table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The name in IR text.
    pub name: &'static str,
    /// What it is treated as.
    pub class: Class,
    /// Operand and result types.
    pub sig: Sig,
    /// Latency on real operands (or integers and booleans), in cycles of the target, of which a multiplication takes 4: as
    /// `simplify/benches/latency.rs` measured it (2026-11-22), calls included. Of two functions that share a call it is that of one
    /// alone.
    pub cycles: u32,
    /// Where it is not smooth.
    pub smooth: Smoothness,
    /// Real operands for which it and its derivatives are defined.
    pub domain: Domain,
    /// Branch cut of the complex function.
    pub cut: Cut,
    /// The formula, `x` (`a`, `b`, `c` for several) being the operands.
    pub formula: &'static str,
    /// What the book says of the function of this name in the language; empty if the language has none.
    pub book: &'static str,
}

const INF: f64 = f64::INFINITY;

macro_rules! table {
    ($($name:ident $text:literal $class:ident $sig:ident $cycles:literal, $smooth:expr, $domain:expr, $cut:expr,
        $formula:literal, $book:literal;)*) => {
        /// A scalar operation. Its row is [`Op::info`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $(#[doc = $formula] $name,)* }

        impl Op {
            /// Every op, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// The op's row of the table.
            pub fn info(self) -> &'static OpInfo {
                #[allow(unused_imports)]
                use {Cut::*, Domain::*, Smoothness::*};
                match self {
                    $(Op::$name => {
                        const ROW: OpInfo = OpInfo {
                            name: $text, class: Class::$class, sig: Sig::$sig, cycles: $cycles, smooth: $smooth,
                            domain: $domain, cut: $cut, formula: $formula, book: $book,
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

        classes! { [$($class $name)*] [] [] [] [] [] [] [] [] [] }
    };
}

/// Sorts the ops of the table by class, in table order, and makes the pattern of each class.
#[rustfmt::skip]
macro_rules! classes {
    ([Arith $o:ident $($r:tt)*] [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] [$($x)* $o] $($y)* } };
    ([Elementary $o:ident $($r:tt)*] $a:tt [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] $a [$($x)* $o] $($y)* } };
    ([ElementaryInt $o:ident $($r:tt)*] $a:tt $b:tt [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] $a $b [$($x)* $o] $($y)* } };
    ([Order $o:ident $($r:tt)*] $a:tt $b:tt $c:tt [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] $a $b $c [$($x)* $o] $($y)* } };
    ([Part $o:ident $($r:tt)*] $a:tt $b:tt $c:tt $d:tt [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] $a $b $c $d [$($x)* $o] $($y)* } };
    ([Test $o:ident $($r:tt)*] $a:tt $b:tt $c:tt $d:tt $e:tt [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] $a $b $c $d $e [$($x)* $o] $($y)* } };
    ([Logic $o:ident $($r:tt)*] $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt [$($x:tt)*] $($y:tt)*) => { classes! { [$($r)*] $a $b $c $d $e $f [$($x)* $o] $($y)* } };
    ([Convert $o:ident $($r:tt)*] $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt [$($x:tt)*] $y:tt) => { classes! { [$($r)*] $a $b $c $d $e $f $g [$($x)* $o] $y } };
    ([Barrier $o:ident $($r:tt)*] $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt [$($x:tt)*]) => { classes! { [$($r)*] $a $b $c $d $e $f $g $h [$($x)* $o] } };
    ([] [$($a:ident)*] [$($b:ident)*] [$($c:ident)*] [$($d:ident)*] [$($e:ident)*] [$($f:ident)*] [$($g:ident)*] [$($h:ident)*] [$($i:ident)*]) => {
        /// The pattern of all ops of a [`Class`](crate::Class): `match op { Op::Mod => …, ops!(Arith) => … }`.
        ///
        /// So a match names what is treated apart, first, and then the classes, and a new op has an arm by its class; a match that
        /// leaves out a class does not compile.
        #[macro_export]
        macro_rules! ops {
            (Arith) => { $($crate::Op::$a)|* };
            (Elementary) => { $($crate::Op::$b)|* };
            (ElementaryInt) => { $($crate::Op::$c)|* };
            (Order) => { $($crate::Op::$d)|* };
            (Part) => { $($crate::Op::$e)|* };
            (Test) => { $($crate::Op::$f)|* };
            (Logic) => { $($crate::Op::$g)|* };
            (Convert) => { $($crate::Op::$h)|* };
            (Barrier) => { $($crate::Op::$i)|* };
        }
    };
}

#[rustfmt::skip]
table! {
    // arithmetic
    Neg          "neg"           Arith         Num1        1, Linear,      All,             Uncut,            "-x", "";
    Add          "add"           Arith         Arith2      3, Linear,      All,             Uncut,            "a + b", "";
    Sub          "sub"           Arith         Arith2      3, Linear,      All,             Uncut,            "a - b", "";
    Mul          "mul"           Arith         Arith2      4, Smooth,      All,             Uncut,            "a b", "";
    Div          "div"           Arith         Field2     15, Smooth,      NonZero,         Uncut,            "a / b", "";
    Idiv         "idiv"          Arith         Int2       25, Discrete,    NonZero,         Uncut,            "floor(a / b)", "";
    Mod          "mod"           Arith         Ord2       43, Jump("a/b integer"), NonZero,         Uncut,            "a - b floor(a / b)", "a - b floor(a/b); also of integers";
    Powi         "powi"          Arith         IntPower   12, Smooth,      Special,         Uncut,            "a^n, n integer", "";
    Pow          "pow"           Elementary    Field2    125, Smooth,      Special,         Below(0.0),       "a^b = exp(b log a)", "";
    Recip        "recip"         Arith         Float1     15, Smooth,      NonZero,         Uncut,            "1 / x", "1/x";
    Square       "square"        Arith         Float1      4, Smooth,      All,             Uncut,            "x^2", "x^2";
    Fma          "fma"           Arith         Real3       4, Smooth,      All,             Uncut,            "a b + c, rounded once", "fma(a, b, c) = a b + c, rounded once";
    // exponentials and logarithms
    Exp          "exp"           Elementary    Float1     60, Smooth,      All,             Uncut,            "e^x", "e^x";
    Expm1        "expm1"         Elementary    Float1     68, Smooth,      All,             Uncut,            "e^x - 1", "e^x - 1, exact near 0";
    Exp2         "exp2"          Elementary    Float1     60, Smooth,      All,             Uncut,            "2^x", "2^x";
    Log          "log"           Elementary    Float1     87, Smooth,      Open(0.0, INF),  Below(0.0),       "ln x", "natural logarithm";
    Log2         "log2"          Elementary    Float1     98, Smooth,      Open(0.0, INF),  Below(0.0),       "ln x / ln 2", "logarithm to base 2";
    Log10        "log10"         Elementary    Float1     98, Smooth,      Open(0.0, INF),  Below(0.0),       "ln x / ln 10", "logarithm to base 10";
    Log1p        "log1p"         Elementary    Float1     98, Smooth,      Open(-1.0, INF), Below(-1.0),      "ln(1 + x)", "log(1 + x), exact near 0";
    Sqrt         "sqrt"          Arith         Float1     20, Smooth,      Open(0.0, INF),  Below(0.0),       "x^(1/2)", "square root";
    Cbrt         "cbrt"          Elementary    Real1     141, Smooth,      NonZero,         Uncut,            "x^(1/3), odd", "cube root";
    // circular and hyperbolic
    Sin          "sin"           Elementary    Float1     71, Smooth,      All,             Uncut,            "sin x", "sine";
    Cos          "cos"           Elementary    Float1     69, Smooth,      All,             Uncut,            "cos x", "cosine";
    Tan          "tan"           Elementary    Float1     79, Smooth,      All,             Uncut,            "tan x", "tangent";
    Asin         "asin"          Elementary    Float1     74, Smooth,      Open(-1.0, 1.0), Outside,          "arcsin x", "inverse sine";
    Acos         "acos"          Elementary    Float1     74, Smooth,      Open(-1.0, 1.0), Outside,          "arccos x", "inverse cosine";
    Atan         "atan"          Elementary    Float1     79, Smooth,      All,             OutsideImaginary, "arctan x", "inverse tangent";
    Sinh         "sinh"          Elementary    Float1     79, Smooth,      All,             Uncut,            "sinh x", "hyperbolic sine";
    Cosh         "cosh"          Elementary    Float1     79, Smooth,      All,             Uncut,            "cosh x", "hyperbolic cosine";
    Tanh         "tanh"          Elementary    Float1     97, Smooth,      All,             Uncut,            "tanh x", "hyperbolic tangent";
    Asinh        "asinh"         Elementary    Float1    168, Smooth,      All,             OutsideImaginary, "arsinh x", "inverse hyperbolic sine";
    Acosh        "acosh"         Elementary    Float1    141, Smooth,      Open(1.0, INF),  Below(1.0),       "arcosh x", "inverse hyperbolic cosine";
    Atanh        "atanh"         Elementary    Float1    141, Smooth,      Open(-1.0, 1.0), Outside,          "artanh x", "inverse hyperbolic tangent";
    Sinc         "sinc"          Elementary    Float1    105, Smooth,      All,             Uncut,            "sin(pi x)/(pi x), 1 at 0", "sin(pi x)/(pi x), 1 at 0";
    // statistics and special functions
    Sigmoid      "sigmoid"       Elementary    Float1    118, Smooth,      All,             Uncut,            "1/(1 + e^-x)", "1/(1 + exp(-x))";
    Softplus     "softplus"      Elementary    Real1     135, Smooth,      All,             Uncut,            "ln(1 + e^x)", "log(1 + exp(x)) without overflow";
    LogSigmoid   "log_sigmoid"   Elementary    Real1     135, Smooth,      All,             Uncut,            "-ln(1 + e^-x)", "log(sigmoid(x)) without underflow";
    Logaddexp    "logaddexp"     Elementary    Field2    135, Smooth,      All,             Below(0.0),       "ln(e^a + e^b), cut where e^a + e^b is negative", "log(exp(a) + exp(b)) without overflow";
    Erf          "erf"           Elementary    Real1      52, Smooth,      All,             Uncut,            "2/sqrt(pi) int_0^x e^(-t^2) dt", "error function";
    Erfc         "erfc"          Elementary    Real1      52, Smooth,      All,             Uncut,            "1 - erf x", "1 - erf(x), exact for large x";
    Gamma        "gamma"         Elementary    Real1      90, Smooth,      NotPole,         Uncut,            "Gamma(x) = int_0^inf t^(x-1) e^-t dt", "gamma function";
    Lgamma       "lgamma"        Elementary    Real1      91, Smooth,      NotPole,         Uncut,            "ln |Gamma(x)|", "log |Gamma(x)|";
    Digamma      "digamma"       Elementary    Real1     259, Smooth,      NotPole,         Uncut,            "d/dx ln |Gamma(x)|", "derivative of lgamma";
    Polygamma    "polygamma"     ElementaryInt IntReal   259, Smooth,      NotPole,         Uncut,            "n-th derivative of digamma at x, n >= 0", "polygamma(n, x), n-th derivative of digamma";
    J0           "j0"            Elementary    Real1     110, Smooth,      All,             Uncut,            "Bessel function J_0(x)", "Bessel function of the first kind, order 0";
    J1           "j1"            Elementary    Real1     110, Smooth,      All,             Uncut,            "Bessel function J_1(x)", "Bessel function of the first kind, order 1";
    Y0           "y0"            Elementary    Real1     150, Smooth,      Open(0.0, INF),  Uncut,            "Bessel function Y_0(x)", "Bessel function of the second kind, order 0";
    Y1           "y1"            Elementary    Real1     150, Smooth,      Open(0.0, INF),  Uncut,            "Bessel function Y_1(x)", "Bessel function of the second kind, order 1";
    // two real operands
    Hypot        "hypot"         Elementary    Real2      83, Kink("a = b = 0"), All,             Uncut,            "sqrt(a^2 + b^2)", "sqrt(a^2 + b^2) without overflow";
    Atan2        "atan2"         Elementary    Real2     105, Jump("a = 0, b <= 0"), All,             Uncut,            "arg(b + i a)", "atan2(y, x), the argument of x + i y";
    Copysign     "copysign"      Order         Real2       4, Kink("a = 0, jump at b = 0"), All,             Uncut,            "|a| with the sign of b", "|a| with the sign of b";
    // order
    Min          "min"           Order         Ord2        8, Kink("a = b"), All,             Uncut,            "the smaller; NaN if one is", "";
    Max          "max"           Order         Ord2        8, Kink("a = b"), All,             Uncut,            "the larger; NaN if one is", "";
    Clamp        "clamp"         Order         Ord3       16, Kink("x at a bound"), All,             Uncut,            "min(max(x, lo), hi)", "clamp(x, lo, hi) = min(max(x, lo), hi); also of integers";
    Floor        "floor"         Order         Real1       8, Jump("integers"), All,             Uncut,            "largest integer <= x", "largest integer <= x";
    Ceil         "ceil"          Order         Real1       8, Jump("integers"), All,             Uncut,            "smallest integer >= x", "smallest integer >= x";
    Round        "round"         Order         Real1       8, Jump("half-integers"), All,             Uncut,            "nearest integer, ties to even", "nearest integer, ties to even";
    Trunc        "trunc"         Order         Real1       8, Jump("integers but 0"), All,             Uncut,            "integer part", "integer part";
    Abs          "abs"           Order         Abs         1, Kink("0"),   All,             Uncut,            "|x|", "|x|; also of integers";
    Sign         "sign"          Order         Num1        8, Jump("0"),   All,             Uncut,            "x/|x|, 0 at 0", "x/|x|, 0 at 0; also of integers";
    // complex
    Abs2         "abs2"          Part          ToReal      4, Smooth,      All,             Uncut,            "|x|^2", "|x|^2";
    Conj         "conj"          Part          Float1      0, Linear,      All,             Uncut,            "re x - i im x", "complex conjugate";
    Re           "re"            Part          ToReal      0, Linear,      All,             Uncut,            "real part", "real part";
    Im           "im"            Part          ToReal      0, Linear,      All,             Uncut,            "imaginary part", "imaginary part";
    Arg          "arg"           Part          ToReal    105, Smooth,      NonZero,         Below(0.0),       "argument in [-pi, pi], atan2(im x, re x)", "argument in [-pi, pi], atan2(im(x), re(x))";
    Cis          "cis"           Part          ToComplex 105, Smooth,      All,             Uncut,            "e^(i x)", "exp(i x)";
    Complex      "complex"       Part          Pair        0, Linear,      All,             Uncut,            "a + i b", "";
    // tests
    IsNan        "isnan"         Test          FloatTest   4, Discrete,    All,             Uncut,            "a part is NaN", "whether a part is NaN";
    IsFinite     "isfinite"      Test          FloatTest   4, Discrete,    All,             Uncut,            "no part is NaN or infinite", "whether no part is NaN or infinite";
    IsInf        "isinf"         Test          RealTest    4, Discrete,    All,             Uncut,            "x is inf or -inf", "whether x is infinite";
    Lt           "lt"            Test          Compare     4, Discrete,    All,             Uncut,            "a < b", "";
    Le           "le"            Test          Compare     4, Discrete,    All,             Uncut,            "a <= b", "";
    Gt           "gt"            Test          Compare     4, Discrete,    All,             Uncut,            "a > b", "";
    Ge           "ge"            Test          Compare     4, Discrete,    All,             Uncut,            "a >= b", "";
    Eq           "eq"            Test          Equal       4, Discrete,    All,             Uncut,            "a = b", "";
    Ne           "ne"            Test          Equal       4, Discrete,    All,             Uncut,            "a /= b", "";
    And          "and"           Logic         Bool2       1, Discrete,    All,             Uncut,            "a and b", "";
    Or           "or"            Logic         Bool2       1, Discrete,    All,             Uncut,            "a or b", "";
    Not          "not"           Logic         Bool1       1, Discrete,    All,             Uncut,            "not x", "";
    Select       "select"        Logic         Select      4, Linear,      All,             Uncut,            "b if a, else c", "select(c, a, b): a if c, else b; evaluates both";
    // conversions
    ToF64        "to_f64"        Convert       ToF64       4, Linear,      All,             Uncut,            "x as f64", "";
    ToF32        "to_f32"        Convert       ToF32       4, Linear,      All,             Uncut,            "x rounded to f32", "";
    ToI64        "to_i64"        Convert       ToI64       8, Discrete,    Special,         Uncut,            "x truncated to i64", "";
    ToC          "to_c"          Convert       ToC         0, Linear,      All,             Uncut,            "x in the other complex precision", "";
    // what derivatives need
    Sech2        "sech2"         Elementary    Float1    134, Smooth,      All,             Uncut,            "1/cosh(x)^2, the derivative of tanh", "";
    DSigmoid     "dsigmoid"      Elementary    Float1    116, Smooth,      All,             Uncut,            "e^-x/(1 + e^-x)^2, the derivative of sigmoid", "";
    DSinc        "dsinc"         ElementaryInt IntFloat  259, Smooth,      All,             Uncut,            "n-th derivative of sinc at x, n >= 0", "";
    Jn           "jn"            ElementaryInt IntReal   260, Smooth,      All,             Uncut,            "Bessel function J_n(x), |n| <= 1000", "";
    Yn           "yn"            ElementaryInt IntReal   300, Smooth,      Open(0.0, INF),  Uncut,            "Bessel function Y_n(x), |n| <= 1000", "";
    StopGradient "stop_gradient" Barrier       Any1        0, Discrete,    All,             Uncut,            "x, with derivative 0", "x, with derivative 0";
}

impl Op {
    /// The name in IR text.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether swapping the first two operands keeps the bits. `hypot` and `logaddexp` of the runtime may look at their order.
    pub fn commutes(self) -> bool {
        matches!(self, Op::Add | Op::Mul | Op::Fma | Op::Min | Op::Max | Op::Eq | Op::Ne | Op::And | Op::Or)
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
            | Sig::IntFloat
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
            Sig::IntFloat => when(x == I64 && s[1].is_float(), s[1]),
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
