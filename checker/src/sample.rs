//! Points of `bench` blocks: the dimensions and the first point that a check with the same lines would use.

use crate::assume;
use crate::coordinates::sizes;
use crate::points::Sampler;
use crate::settings::{Context, DEFAULT_SEED, header};
use adc_ir::{BenchBlock, CheckBlock, Code, Datum, Diagnostic, Distribution, Func};

/// The numbers of a block's dimensions: stated, or those of its arrays, or small ones; and its lines, with those that a
/// check would assume if the first point has no value without them.
///
/// # Errors
/// Arrays whose sizes do not fit, and no small sizes do.
pub fn bench_lines(
    ctx: &Context,
    block: &BenchBlock,
) -> Result<(Vec<i64>, Vec<Option<Distribution>>), Diagnostic> {
    let lines = CheckBlock {
        dims: block.dims.clone(),
        params: block.params.clone(),
        ..CheckBlock::default_for(block.func, block.params.len(), block.span)
    };
    assume::complete(ctx, &lines)
}

/// A point of a function without dimensions: `lines` says how each parameter is chosen, as in [`CheckBlock::params`].
///
/// # Errors
/// A parameter whose sizes are not numbers.
pub fn sample_point(func: &Func, lines: &[Option<Distribution>]) -> Result<Vec<Datum>, Diagnostic> {
    if let Some(p) = func.params.iter().find(|p| sizes(func.data(p.value)).is_none()) {
        let message = format!("the sizes of `{}` depend on other arguments", p.name);
        return Err(Diagnostic::error(Code::BadUsage, message)
            .label(header(func), "")
            .help("make them dimensions: `fn f[N](x: f64[N])`"));
    }
    Ok(Sampler::new(func, lines, DEFAULT_SEED).draw(0))
}
