//! Derivative operators as functions of a module: gradient, Hessian-vector product, Jacobian, Hessian and its diagonal.
//! Each is a small wrapper that calls JVP and VJP programs; inlining and sharing make one program of it. Derivatives along
//! the elements of arrays are loops over one-hot seeds.

mod directions;
mod expand;
mod hessian;
mod jacobian;

pub use expand::{expand, expand_for};
pub use hessian::{hess_diag, hessian};
pub use jacobian::jacobian;

use crate::calls::entry;
use crate::program::program_name;
use crate::request::{jvp, vjp_with};
use crate::storage::Policy;
use adc_ir::{Builder, Code, Derivation, Diagnostic, Func, FuncId, Module, Operator, Origin, Type};

/// What a Jacobian holds for one parameter and one result: values with the axes of the result, then of the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// One value, ∂f/∂x: real parameter (complex if the result is).
    D,
    /// Two values, W = ∂f/∂z and CW = ∂f/∂z*: complex parameter.
    Wirtinger,
}

impl Block {
    /// The form of the block for a parameter of type `param`.
    pub fn of(param: Type) -> Block {
        if param.scalar().is_complex() { Block::Wirtinger } else { Block::D }
    }

    /// Number of values in the block.
    pub fn len(self) -> usize {
        match self {
            Block::D => 1,
            Block::Wirtinger => 2,
        }
    }

    /// Never: a block has values.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// `f.grad`: the gradient of the real scalar result `output` with respect to `wrt`, preceded by all results
/// of `f` if `value`. A complex parameter's gradient is ∂L/∂x + i ∂L/∂y.
///
/// # Errors
/// [`Code::NeedsScalar`] if the result is complex or discrete; otherwise as [`crate::vjp`].
pub fn grad(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    output: usize,
    value: bool,
) -> Result<FuncId, Diagnostic> {
    grad_with(m, f, wrt, output, value, Policy::default())
}

/// As [`grad`], storing what `policy` says.
///
/// # Errors
/// As [`grad`].
pub fn grad_with(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    output: usize,
    value: bool,
    policy: Policy,
) -> Result<FuncId, Diagnostic> {
    let func = m.func(f);
    let result = &func.results[output];
    if result.ty.is_array() || !result.ty.scalar().is_real() {
        let (what, help) = match result.ty.is_array() {
            true => ("real scalar", "sum its elements, or ask for a VJP or the Jacobian"),
            false => (
                "real",
                "differentiate `re(…)`, `im(…)` or `abs2(…)` of it, or ask for a VJP or the Jacobian",
            ),
        };
        return Err(Diagnostic::error(
            Code::NeedsScalar,
            format!(
                "the gradient of `{}` needs a {what} result, but `{}` is {}",
                func.name, result.name, result.ty
            ),
        )
        .label(func.span, "declared here")
        .help(help));
    }
    let one_of = result.ty.scalar();
    let operator = if value { Operator::ValueAndGrad } else { Operator::Grad };
    let name = program_name(func, Derivation::Operator(operator), wrt, &[output]);
    let name = name + policy.suffix();
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let vjp = vjp_with(m, f, wrt, &[output], value, policy)?;
    let (mut b, _) = Builder::like(m.func(f), name);
    let mut args = entry(b.func());
    args.push(b.num(1.0, one_of));
    let results = b.call_of(m, vjp, &args);
    let names = m.func(vjp).results.iter().map(|r| r.name.clone());
    Ok(add(m, (f, operator), b.finish(names.zip(results).collect())))
}

/// `f.hvp`: the derivative of the gradient along `v`: parameters of `f`, then one direction per `wrt`; one
/// result per `wrt`. Forward over reverse.
///
/// # Errors
/// As [`grad`] and [`crate::jvp`].
pub fn hvp(m: &mut Module, f: FuncId, wrt: &[usize], output: usize) -> Result<FuncId, Diagnostic> {
    let name = program_name(m.func(f), Derivation::Operator(Operator::Hvp), wrt, &[output]);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let gradient = grad(m, f, wrt, output, false)?;
    let jvp = jvp(m, gradient, wrt)?;
    let n = m.func(gradient).results.len();
    let (mut b, _) = Builder::like(m.func(jvp), name);
    let args = entry(b.func());
    let results = b.call_of(m, jvp, &args);
    let names: Vec<String> = m.func(gradient).results.iter().map(|r| r.name.clone()).collect();
    Ok(add(m, (f, Operator::Hvp), b.finish(names.into_iter().zip(results.into_iter().skip(n)).collect())))
}

/// Adds what an operator gives for a function.
fn add(m: &mut Module, (of, operator): (FuncId, Operator), func: Func) -> FuncId {
    let origin = Some(Origin { of, program: Derivation::Operator(operator) });
    m.add(Func { origin, ..func })
}
