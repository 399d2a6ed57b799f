//! Derivatives as functions that are declared before they are written.

use crate::builder::Builder;
use crate::diag::Span;
use crate::dims::Dim;
use crate::module::*;
use rustc_hash::FxHashSet;

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

impl Operator {
    /// Whether it has further parameters: tangents, cotangents or directions.
    pub fn takes_seeds(self) -> bool {
        match self {
            Operator::Jvp | Operator::ValueAndJvp | Operator::Vjp | Operator::ValueAndVjp | Operator::Hvp => {
                true
            }
            Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Jacobian
            | Operator::Hessian
            | Operator::HessDiag => false,
        }
    }

    /// Whether all results of the function come first.
    pub fn has_value(self) -> bool {
        matches!(self, Operator::ValueAndGrad | Operator::ValueAndJvp | Operator::ValueAndVjp)
    }
}

impl Derived {
    /// The function of this body, called `name`: its signature follows from the one of [`Self::of`]. `None` if a size
    /// in it is made of results that the derivative does not have.
    pub fn declare(self, m: &Module, name: impl Into<String>, span: Span) -> Option<Func> {
        let of = m.func(self.of);
        let (mut b, params) = Builder::like(of, name);
        b.set_span(span);
        let entry: Vec<Value> = b.func().dims.iter().map(|d| d.value).chain(params.clone()).collect();
        let here = |d: ValueData| -> Option<ValueData> {
            let place = |size: &Dim| {
                let known = size.vars().all(|v| of.entry_position(v).is_some());
                known.then(|| size.rename(|v| entry[of.entry_position(v).unwrap_or(0)]))
            };
            Some(ValueData { ty: d.ty, shape: d.shape.iter().map(place).collect::<Option<_>>()? })
        };
        let mut results: Vec<(String, ValueData)> = Vec::new();
        for r in &of.results {
            results.push((r.name.clone(), here(r.data())?));
        }
        let inputs: Vec<(String, ValueData)> =
            (self.wrt.iter()).map(|&i| (of.params[i].name.clone(), b.data(params[i]).clone())).collect();
        let outputs: Vec<(String, ValueData)> =
            results.iter().filter(|(_, d)| d.ty.is_differentiable()).cloned().collect();
        let named = |suffix: &str, all: &[(String, ValueData)]| -> Vec<(String, ValueData)> {
            all.iter().map(|(n, d)| (format!("{n}_{suffix}"), d.clone())).collect()
        };
        let seeds = match self.operator {
            Operator::Jvp | Operator::ValueAndJvp | Operator::Hvp => named("dot", &inputs),
            Operator::Vjp | Operator::ValueAndVjp => named("bar", &outputs),
            Operator::Grad
            | Operator::ValueAndGrad
            | Operator::Jacobian
            | Operator::Hessian
            | Operator::HessDiag => Vec::new(),
        };
        let mut taken: FxHashSet<String> = b.func().params.iter().map(|p| p.name.clone()).collect();
        for (name, data) in seeds {
            let name = unique(&mut taken, name);
            b.param(name, data);
        }
        if !self.operator.has_value() {
            results.clear();
        }
        let mut taken: FxHashSet<String> = results.iter().map(|(n, _)| n.clone()).collect();
        let derivative = match self.operator {
            Operator::Jvp | Operator::ValueAndJvp => named("dot", &outputs),
            Operator::Grad | Operator::ValueAndGrad | Operator::Vjp | Operator::ValueAndVjp => {
                named("bar", &inputs)
            }
            Operator::Hvp => named("bar_dot", &inputs),
            Operator::HessDiag => named("hess_diag", &inputs),
            Operator::Jacobian => jacobian(&inputs, &outputs),
            Operator::Hessian => inputs
                .iter()
                .flat_map(|(a, x)| {
                    inputs.iter().map(move |(b, y)| (format!("hess_{a}_{b}"), y.outer(&x.shape)))
                })
                .collect(),
        };
        for (name, data) in derivative {
            results.push((unique(&mut taken, name), data));
        }
        let mut func = b.finish(Vec::new());
        func.results = results.into_iter().map(|(name, data)| ResultDecl::new(name, data)).collect();
        func.body = Body::Derived(self);
        func.span = span;
        Some(func)
    }
}

/// ∂y/∂x for every y and x, or two for complex x.
fn jacobian(inputs: &[(String, ValueData)], outputs: &[(String, ValueData)]) -> Vec<(String, ValueData)> {
    let mut all = Vec::new();
    for (y, of) in outputs {
        for (x, by) in inputs {
            let complex = by.ty.scalar().is_complex();
            let elem = of.ty.scalar();
            let elem = if complex { elem.complex().unwrap_or(elem) } else { elem };
            let data = ValueData::array(elem, [of.shape.clone(), by.shape.clone()].concat());
            all.push((format!("d_{y}_d_{x}"), data.clone()));
            if complex {
                all.push((format!("d_{y}_dconj_{x}"), data));
            }
        }
    }
    all
}

fn unique(taken: &mut FxHashSet<String>, name: String) -> String {
    let mut tried = name.clone();
    let mut i = 2;
    while !taken.insert(tried.clone()) {
        tried = format!("{name}.{i}");
        i += 1;
    }
    tried
}
