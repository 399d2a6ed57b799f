//! Derivatives by differences alone, for the library and `adc grad --mode fd`.

use crate::coordinates::{Part, sizes};
use crate::fixed_steps::FixedSteps;
use crate::oracle::{self, Builders, Version};
use crate::runner::Engine;
use crate::settings::{Context, Settings, known_sizes};
use crate::slots::{set, to_double};
use adc_ir::*;

/// How a numerical derivative is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fd {
    /// (f(x + δ) − f(x − δ)) / (2δ) for every real coordinate, with smaller or one-sided steps next to the edge of a declared domain.
    Central {
        /// δ, in the units of the input.
        delta: f64,
    },
}

impl Default for Fd {
    /// δ = 1e-6, the classic step.
    fn default() -> Fd {
        Fd::Central { delta: 1e-6 }
    }
}

/// The numerical gradient of result `output` with respect to parameter `wrt` at a point, in double precision and in the
/// parameter's shape: ∂f/∂x, or 2·CW = ∂f/∂x + i ∂f/∂y for a complex parameter.
///
/// One array for a real scalar result. Two for a complex one: those of its real and of its imaginary part. For an array,
/// those of each entry, in row-major order. What derivatives hold fixed (`stop_gradient`) is held fixed. Dimensions that
/// are not given follow from the arguments. `limits` are those of one evaluation of the function.
pub fn numerical_gradient(
    ctx: &Context,
    (func, dims): (FuncId, &[Option<i64>]),
    inputs: &[Datum],
    (wrt, output): (usize, usize),
    fd: Fd,
    limits: interp::Limits,
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
    let (builders, which) = (&mut Builders::default(), (&[wrt][..], &[output][..]));
    let program = oracle::programs(&mut module, builders, func, which, (true, false), Version::Plain)?;
    let externs = ctx.externs.bind(&module, program.coordinates.as_slice())?;
    let mut engine = Engine::new(externs, all(limits, inputs, wrt));
    let code = engine.compile(&module, program.coordinates.as_slice())?.pop();
    let func = module.func(func);
    let mut fixed = FixedSteps::new(func, which.0, which.1, (code, None));
    let double = to_double(&inputs[wrt]);
    let len = sizes(&func.results[output].data()).unwrap_or_default().iter().product::<usize>();
    let rows = len * Part::of(func.results[output].ty).len();
    let mut gradients = vec![Datum::zeros(double.elem(), double.shape()); rows];
    let parts = Part::of(double.elem().into());
    let keep = |row: usize, column: usize, x: f64| {
        set(&mut gradients[row], column / parts.len(), parts[column % parts.len()], x);
    };
    fixed.run(&mut engine, inputs, delta, keep).map_err(|e| e.diagnostic())?;
    Ok(gradients)
}

/// The limits of all evaluations together: at both sides of every coordinate, each possibly in two versions, one of which
/// is held fixed; plus the loops around them, over coordinates and over the entries of displaced arrays.
fn all(one: interp::Limits, inputs: &[Datum], wrt: usize) -> interp::Limits {
    let x = &inputs[wrt];
    let evaluations = (2 * 2 * x.elem().coordinates() * x.len()) as u64;
    let entries: u64 = inputs.iter().map(|x| x.len() as u64 + 1).sum();
    let each = one.fuel.saturating_add(entries);
    interp::Limits { fuel: evaluations.saturating_mul(each), ..one }
}
