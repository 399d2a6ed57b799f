//! What a check differentiates: the function with numbers for its dimensions, and what its derivatives are made of.

use crate::passes::Passes;
use crate::settings::{Context, Request, Settings, Tolerance};
use crate::{dims, sums};
use adc_ir::*;
use adc_simplify::{OptLevel, Options};

/// The function of a check.
pub(crate) struct Differentiated {
    pub module: Module,
    /// The numbers of the function's dimensions.
    pub dims: Vec<i64>,
    /// The function asked for; what is checked may be the sums of its results.
    pub original: FuncId,
    pub request: Request,
    /// What is differentiated.
    pub source: FuncId,
}

impl Differentiated {
    pub(crate) fn new(
        ctx: &Context,
        block: &CheckBlock,
        settings: &Settings,
    ) -> Result<Differentiated, Diagnostic> {
        let func = ctx.module.func(block.func);
        let dims = dims::choose(func, block, settings)?;
        let mut module = ctx.module.clone();
        ctx.fp.into_iter().for_each(|mode| module.limit_fp(mode));
        let original = specialise::specialise(&mut module, block.func, &dims)?;
        adc_ad::expand_for(&mut module, original)?;
        // Around a rule that is no derivative, the derivative of the body is compared. What the function computes by such rules
        // has been written, and stays.
        module.funcs.iter_mut().for_each(|f| f.rules.retain(|r| r.check != RuleCheck::Nonlinear));
        let by_sums = matches!(settings.tolerance, Tolerance::Relative { per_entry: false, .. });
        let f = if by_sums { sums::of(&mut module, original) } else { original };
        let request = Request::new(&module, f, &func.name, block, settings)?;
        let source = source(&mut module, f, ctx.opt, ctx.passes);
        Ok(Differentiated { module, dims, original, request, source })
    }
}

/// What derivatives of a function are made of at a level: the function, or a simplified copy of it, so that difference programs,
/// which call the function itself, do not depend on what simplification does.
pub(crate) fn source(m: &mut Module, f: FuncId, level: OptLevel, passes: &dyn Passes) -> FuncId {
    if !level.prepares() {
        return f;
    }
    let copy = m.copy_reachable(f, ".simplified", |g| g.region().is_some()).first().copied().unwrap_or(f);
    passes.prepare(m, &[copy], &Options::default());
    copy
}
