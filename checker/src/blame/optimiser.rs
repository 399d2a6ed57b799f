//! What of the simplifier makes the optimised program another one than the raw one, where no derivative is wrong: the rewrite or
//! pass without which both agree, found by halving the list of all of them.

use super::data::BlamedRewrite;
use super::stage;
use crate::backends::Backends;
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::settings::{Context, Settings};
use crate::visit::{Visit, examine};
use adc_ir::*;
use adc_simplify::{PASSES, identities_used, rules, run_explained, without};

/// The rewrite or pass without which all forms of all programs agree at a point where they do not.
pub(crate) fn find(
    ctx: &Context,
    block: &CheckBlock,
    settings: &Settings,
    inputs: &[Datum],
) -> Option<BlamedRewrite> {
    let settings = Settings { backends: Backends::Default, at: vec![inputs.to_vec()], ..settings.clone() };
    let agree = || {
        let Ok(mut prepared) = Prepared::new(ctx, block, &settings) else { return false };
        let func = prepared.func().clone();
        let visit = examine(&mut prepared, &func, Origin::Given(0), inputs);
        matches!(visit, Visit::Seen(seen) if seen.backends.is_none())
    };
    let (_, used) = identities_used(agree);
    let exact = ctx.opt.is_exact();
    // What is contained in something else comes first: of two halves that will do, the first one is taken.
    let coarse = |name: &str| matches!(name, "canonicalise" | "identities" | "egraph");
    let (last, passes): (Vec<&str>, Vec<&str>) = PASSES.iter().map(|p| p.0).partition(|name| coarse(name));
    let mut names: Vec<&str> = rules::all().iter().map(|r| r.name).filter(|_| !exact).collect();
    let mut identities: Vec<&str> = used.iter().map(|(name, _)| name.as_str()).collect();
    identities.sort_unstable();
    identities.dedup();
    names.extend(identities.into_iter().chain(passes).chain(last));
    if !without(&names, agree) {
        return None;
    }
    while names.len() > 1 {
        let later = names.split_off(names.len() / 2);
        if !without(&names, agree) {
            if !without(&later, agree) {
                // It takes several.
                return None;
            }
            names = later;
        }
    }
    let name = *names.first()?;
    let mut m = ctx.module.clone();
    Some(match (rules::find(name), PASSES.iter().find(|(pass, _)| *pass == name)) {
        (Some(rule), _) => stage::of_rule(rule, &run_explained(&mut m, &[block.func], ctx.opt)),
        (None, Some((_, says))) => stage::of_pass(name, says, stage::concerned(&m, block.func, name)),
        (None, None) => stage::of_identity(name, &used),
    })
}
