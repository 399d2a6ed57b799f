//! The small vocabularies of the grammar, one table each: operators, reductions, derivative operators,
//! numeric settings of `check` blocks, lints.

use adc_ir::Code;

macro_rules! words {
    ($(#[$m:meta])* $name:ident { $($(#[$v:meta])* $var:ident = $text:literal,)* }) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$v])* #[doc = concat!("`", $text, "`")] $var,)* }

        impl $name {
            /// Every one, in the order of the table.
            pub const ALL: &'static [$name] = &[$($name::$var),*];

            /// As it is written in a source.
            pub fn text(self) -> &'static str { match self { $($name::$var => $text,)* } }

            /// The one that is written so.
            pub fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$var),)* _ => None }
            }
        }
    };
}

words! {
    /// A prefix operator.
    UnaryOp {
        Neg = "-",
        Not = "!",
    }
}

words! {
    /// An infix operator.
    BinaryOp {
        Add = "+",
        Sub = "-",
        Mul = "*",
        Div = "/",
        MatMul = "@",
        Pow = "^",
        Eq = "==",
        Ne = "!=",
        Lt = "<",
        Le = "<=",
        Gt = ">",
        Ge = ">=",
        And = "&&",
        Or = "||",
    }
}

words! {
    /// An assignment.
    AssignOp {
        Set = "=",
        Add = "+=",
        Sub = "-=",
        Mul = "*=",
        Div = "/=",
    }
}

words! {
    /// What a generator is reduced with.
    ReduceOp {
        Sum = "sum",
        Prod = "prod",
        Max = "max",
        Min = "min",
        Argmax = "argmax",
        Argmin = "argmin",
        Any = "any",
        All = "all",
        Mean = "mean",
        Logsumexp = "logsumexp",
        Norm = "norm",
    }
}

words! {
    /// A derivative operator; the names are reserved.
    DerivOp {
        Grad = "grad",
        ValueAndGrad = "value_and_grad",
        Jvp = "jvp",
        ValueAndJvp = "value_and_jvp",
        Vjp = "vjp",
        ValueAndVjp = "value_and_vjp",
        Hvp = "hvp",
        Jacobian = "jacobian",
        Hessian = "hessian",
        HessDiag = "hess_diag",
    }
}

words! {
    /// A setting with a number in a `check` or `bench` block.
    Setting {
        Points = "points",
        Seed = "seed",
        Eps = "eps",
        Atol = "atol",
        Rtol = "rtol",
        Fuel = "fuel",
        MemoryLimit = "memory_limit",
        MaxRatio = "max_ratio",
    }
}

words! {
    /// A lint, as `#[allow(…)]` names it.
    Lint {
        UnusedVariable = "unused_variable",
        UnusedParameter = "unused_parameter",
        UnusedFunction = "unused_function",
        Shadowing = "shadowing",
        ConstantCondition = "constant_condition",
        FloatEquality = "float_equality",
        UnstableFormula = "unstable_formula",
    }
}

impl Lint {
    /// The code of its warnings.
    pub fn code(self) -> Code {
        match self {
            Lint::UnusedVariable => Code::UnusedVariable,
            Lint::UnusedParameter => Code::UnusedParameter,
            Lint::UnusedFunction => Code::UnusedFunction,
            Lint::Shadowing => Code::Shadowing,
            Lint::ConstantCondition => Code::ConstantCondition,
            Lint::FloatEquality => Code::FloatEquality,
            Lint::UnstableFormula => Code::UnstableFormula,
        }
    }

    /// The lint of a code.
    pub fn of_code(code: Code) -> Option<Lint> {
        Lint::ALL.iter().copied().find(|l| l.code() == code)
    }
}

impl BinaryOp {
    /// How tightly it binds: higher is tighter. `^` is not in this scale, see the parser.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Or => 1,
            BinaryOp::And => 2,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 3,
            BinaryOp::Add | BinaryOp::Sub => 4,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::MatMul => 5,
            BinaryOp::Pow => 7,
        }
    }

    /// `==`, `<` and the like.
    pub fn is_comparison(self) -> bool {
        self.precedence() == BinaryOp::Eq.precedence()
    }
}

impl DerivOp {
    /// Whether its call takes tangents or cotangents behind a `;`.
    pub fn takes_seeds(self) -> bool {
        match self {
            DerivOp::Jvp | DerivOp::ValueAndJvp | DerivOp::Vjp | DerivOp::ValueAndVjp | DerivOp::Hvp => true,
            DerivOp::Grad
            | DerivOp::ValueAndGrad
            | DerivOp::Jacobian
            | DerivOp::Hessian
            | DerivOp::HessDiag => false,
        }
    }
}
