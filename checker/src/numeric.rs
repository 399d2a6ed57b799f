//! Derivatives by differences alone, for the library and `adc grad --mode fd`.

use crate::cells::{get, set, to_double};
use crate::coordinates::{Part, sizes};
use crate::difference::{self, Along};
use crate::freeze::Freezer;
use crate::runner::Engine;
use crate::settings::{Context, Settings, known_sizes};
use adc_ir::*;

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

/// The numerical gradient of result `output` with respect to parameter `wrt` at a point, in double precision and in the
/// parameter's shape: ∂f/∂x, or 2·CW = ∂f/∂x + i ∂f/∂y for a complex parameter.
///
/// One for a real scalar result. Two for a complex one: those of its real and of its imaginary part. For an array these
/// of each entry, in row-major order. What derivatives freeze (`stop_gradient`) is frozen. Dimensions that are not given
/// follow from the arguments.
pub fn numerical_gradient(
    ctx: &Context,
    func: FuncId,
    dims: &[Option<i64>],
    inputs: &[Datum],
    wrt: usize,
    output: usize,
    fd: Fd,
) -> Result<Vec<Datum>, Diagnostic> {
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
    let settings = Settings { dims: dims.to_vec(), at: vec![inputs.to_vec()], ..Settings::default() };
    let block = CheckBlock::default_for(func, f.params.len(), f.span);
    let dims = crate::dims::choose(f, &block, &settings)?;
    let func = specialise::specialise(&mut module, func, &dims)?;
    adc_ad::expand_for(&mut module, func)?;
    known_sizes(module.func(func), &f.name)?;
    let program = difference::quotient(
        &mut module,
        &mut Freezer::default(),
        func,
        Along::Coordinates,
        &[wrt],
        &[output],
    )?;
    let mut engine = Engine::new(ctx.externs.bind(&module, &[program])?);
    let mut code = engine.compile(&module, &[program])?;
    let mut args: Vec<Datum> = inputs.iter().map(to_double).collect();
    args.push(Datum::Scalar(Const::F64(delta)));
    let values = code[0].call(&mut engine, &args).map_err(|e| e.diagnostic())?;
    let parts = Part::of(f.results[output].ty).len();
    let double = to_double(&inputs[wrt]);
    let (len, complex) = (double.len(), double.elem().is_complex());
    let sizes = sizes(&module.func(func).results[output].data()).unwrap_or_default();
    let mut gradients = Vec::new();
    for j in 0..sizes.iter().product() {
        for part in 0..parts {
            let mut g = Datum::zeros(double.elem(), double.shape());
            for i in 0..len {
                // Column by column: the second part of the parameter is the step along i.
                let at = i * sizes.iter().product::<usize>() + j;
                set(&mut g, i, Part::Whole, get(&values[part], at, Part::Whole));
                if complex {
                    set(&mut g, i, Part::Im, get(&values[parts + part], at, Part::Whole));
                }
            }
            gradients.push(g);
        }
    }
    Ok(gradients)
}
