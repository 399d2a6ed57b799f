//! What in the simplifier makes the optimised program differ from the raw one although no derivative is wrong: the rewrite
//! or pass without which both agree.

use super::stage;
use crate::evaluate::{Evaluation, examine};
use crate::passes::Without;
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::report::BlamedRewrite;
use crate::settings::Backends;
use crate::settings::{Context, Settings};
use adc_ir::*;
use adc_simplify::Options;

/// The rewrite or pass without which all forms of all programs agree at a point where they otherwise do not.
pub(crate) fn find(
    ctx: &Context,
    block: &CheckBlock,
    settings: &Settings,
    inputs: &[Datum],
) -> Option<BlamedRewrite> {
    let settings = Settings { backends: Backends::Default, at: vec![inputs.to_vec()], ..settings.clone() };
    let agree = |passes: &Without| {
        let Ok(mut prepared) = Prepared::new(&Context { passes, ..*ctx }, block, &settings) else {
            return false;
        };
        let (func, fuel) = (prepared.func().clone(), prepared.request.run.fuel);
        let evaluation = examine(&mut prepared, &func, fuel, Origin::Given(0), inputs);
        matches!(evaluation, Evaluation::Seen(seen) if seen.backends.is_none())
    };
    let all = Without::new(ctx.passes, &[]);
    agree(&all);
    let used = all.used();
    let options = Options { explain: true, ..ctx.options() };
    let mut module = ctx.module.clone();
    ctx.fp.into_iter().for_each(|mode| module.limit_fp(mode));
    let shown = ctx.passes.simplify(&mut module, &[block.func], &options).rewrites;
    let name = stage::culprit(ctx, &[], &used, agree)?;
    Some(stage::described(name, &shown, &used, (ctx.module, block.func)))
}
