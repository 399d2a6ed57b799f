//! Derivatives as functions that are declared before they are written.

use crate::module::FuncId;

/// The body of a function that is a derivative of another one.
///
/// Its dimensions and parameters are those of `of`, then what [`Operator`] adds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Derived {
    /// Which derivative.
    pub operator: Operator,
    /// The function that is differentiated.
    pub of: FuncId,
    /// Positions of the parameters it is differentiated by, in order.
    pub wrt: Vec<usize>,
}

macro_rules! operators {
    ($($(#[$doc:meta])* $variant:ident $word:literal,)*) => {
        /// A derivative operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Operator { $($(#[$doc])* $variant,)* }

        impl Operator {
            /// Every one with its word in sources and IR text.
            pub const ALL: &'static [(Operator, &'static str)] = &[$((Operator::$variant, $word)),*];

            /// Its word.
            pub fn name(self) -> &'static str { match self { $(Operator::$variant => $word,)* } }

            /// What a word stands for.
            pub fn from_name(name: &str) -> Option<Operator> {
                match name { $($word => Some(Operator::$variant),)* _ => None }
            }
        }
    };
}

operators! {
    /// Of the one real scalar result; a result per `wrt`, like the parameter.
    Grad "grad",
    /// All results of the function, then [`Operator::Grad`].
    ValueAndGrad "value_and_grad",
    /// Further parameters: a tangent per `wrt`. A tangent per differentiable result.
    Jvp "jvp",
    /// All results of the function, then [`Operator::Jvp`].
    ValueAndJvp "value_and_jvp",
    /// Further parameters: a cotangent per differentiable result. A result per `wrt`, like the parameter.
    Vjp "vjp",
    /// All results of the function, then [`Operator::Vjp`].
    ValueAndVjp "value_and_vjp",
    /// The derivative of the gradient along directions. Further parameters: a direction per `wrt`. A result per `wrt`,
    /// like the parameter.
    Hvp "hvp",
    /// For each differentiable result and each of `wrt` an array with the axes of the result, then of the parameter:
    /// ∂f/∂x of a real parameter (complex if the result is), or two of a complex one, ∂f/∂z and ∂f/∂z*.
    Jacobian "jacobian",
    /// For each pair of `wrt`, row by row, an array with the axes of the one, then of the other. Real parameters.
    Hessian "hessian",
    /// The diagonal of [`Operator::Hessian`]: a result per `wrt`, like the parameter.
    HessDiag "hess_diag",
}
