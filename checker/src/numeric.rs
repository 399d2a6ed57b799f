//! Derivatives by differences alone, for the library and `adc grad --mode fd`.

use crate::cells::to_double;
use crate::difference::{self, Along};
use crate::freeze::Freezer;
use crate::settings::Context;
use adc_ir::*;
use num_complex::Complex64;

/// A difference formula.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fd {
    /// `(f(x + delta) − f(x − delta)) / (2·delta)`, smaller or one-sided steps next to the edge of a declared
    /// domain.
    Central {
        /// The step.
        delta: f64,
    },
}

/// The numerical gradient of result `output` with respect to parameter `wrt` at a point.
///
/// One number for a real result: ∂f/∂x, or 2·CW = ∂f/∂x + i ∂f/∂y for a complex parameter. Two for a complex
/// result: those of its real and of its imaginary part. What derivatives freeze (`stop_gradient`) is frozen.
pub fn numerical_gradient(
    ctx: &Context,
    func: FuncId,
    inputs: &[Const],
    wrt: usize,
    output: usize,
    fd: Fd,
) -> Result<Vec<Complex64>, Diagnostic> {
    ctx.module.scalar_only(func)?;
    let Fd::Central { delta } = fd;
    let f = ctx.module.func(func);
    for (ty, what) in
        [(f.param_ty(wrt), &f.params[wrt].name), (f.results[output].ty, &f.results[output].name)]
    {
        if !ty.is_differentiable() {
            return Err(Diagnostic::error(
                Code::NotDifferentiable,
                format!("`{what}` of `{}` is {ty} and carries no derivative", f.name),
            )
            .label(crate::settings::header(f), ""));
        }
    }
    let mut module = ctx.module.clone();
    let program = difference::quotient(
        &mut module,
        &mut Freezer::default(),
        func,
        Along::Coordinates,
        &[wrt],
        &[output],
    )?;
    let code = adc_jit::compile(&module, &[program], ctx.externs, &adc_jit::Options::default())?;
    let mut args: Vec<Const> = inputs.iter().map(|c| to_double(*c)).collect();
    args.push(Const::F64(delta));
    let values = code[0].call(&args).map_err(|e| e.diagnostic())?;
    let x: Vec<f64> = values.into_iter().map(|c| c.to_c128().re).collect();
    let rows = f.results[output].ty.scalar().coordinates();
    // Column by column: the second column is the step along i.
    Ok((0..rows).map(|r| Complex64::new(x[r], x.get(rows + r).copied().unwrap_or(0.0))).collect())
}
