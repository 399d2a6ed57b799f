//! Which rewrite or pass of the simplifier makes a right derivative wrong: the one without which the entry is right again.

use super::copy::Subject;
use super::trial::Target;
use crate::differentiated;
use crate::passes::{Passes, Without};
use crate::report::{BlamedRewrite, Counterfactual};
use crate::settings::Context;
use adc_ir::*;
use adc_simplify::rules::Rule;
use adc_simplify::{CONTRACT, Explanation, OptLevel, Options, PASSES, rules};

impl Target<'_> {
    /// The entry of the simplified derivative, interpreted.
    pub(super) fn simplified(&self, s: &Subject, opt: OptLevel, passes: &dyn Passes) -> Option<f64> {
        let (mut m, f, program) = self.prepared(s, opt, passes)?;
        passes.simplify(&mut m, &[program], &Options { level: opt, ..Options::default() });
        self.read(&m, f, program, self.externs)
    }

    /// The derivative of the function as the library simplifies it, not simplified itself.
    fn prepared(&self, s: &Subject, opt: OptLevel, passes: &dyn Passes) -> Option<(Module, FuncId, FuncId)> {
        let mut m = s.module.clone();
        let f = differentiated::source(&mut m, s.func, opt, passes);
        let program = self.program(passes, &mut m, f)?;
        Some((m, f, program))
    }
}

/// What in the simplifier is to blame.
pub(super) fn find(ctx: &Context, s: &Subject, target: &Target) -> Option<(BlamedRewrite, Counterfactual)> {
    let opt = ctx.opt;
    let (mut m, _, program) = target.prepared(s, opt, ctx.passes)?;
    let all = Without::new(ctx.passes, &[]);
    target.simplified(s, opt, &all);
    let used = all.used();
    let options = Options { explain: true, ..ctx.options() };
    let shown = ctx.passes.simplify(&mut m, &[program], &options).rewrites;
    let repaired =
        |passes: &Without| target.simplified(s, opt, passes).filter(|value| target.is_right(*value));
    let name = culprit(ctx, &shown, &used, |passes| repaired(passes).is_some())?;
    let value = repaired(&Without::new(ctx.passes, &[name]))?;
    Some((described(name, &shown, &used, (&s.module, s.func)), Counterfactual { value, passes: true }))
}

/// The rewrite, identities of an op, or pass without which `is_right` holds, found by bisection over the list of all of
/// them; the first if there are several. `None` if more than one has to be left out. `shown` are the rewrites that a result
/// shows, `used` the identities that were used.
pub(super) fn culprit<'a>(
    ctx: &Context,
    shown: &[Explanation],
    used: &'a [(String, Span)],
    is_right: impl Fn(&Without) -> bool,
) -> Option<&'a str> {
    let is_right = |without: &[&str]| is_right(&Without::new(ctx.passes, without));
    // What is contained in something else comes before it: if either part of the list would do, the first one is taken.
    let mut names: Vec<&str> = Vec::new();
    if !ctx.opt.is_exact() {
        let all = rules::all().iter().map(|r| r.name);
        names.extend(all.clone().filter(|name| shown.iter().any(|e| e.rule == *name)));
        names.extend(all.filter(|name| shown.iter().all(|e| e.rule != *name)));
    }
    let mut identities: Vec<&str> = used.iter().map(|(name, _)| name.as_str()).collect();
    identities.sort_unstable();
    identities.dedup();
    let is_coarse = |name: &&str| matches!(*name, "canonicalise" | "identities" | "egraph");
    let (coarse, fine): (Vec<&str>, Vec<&str>) = PASSES.iter().map(|p| p.0).partition(is_coarse);
    names.extend(identities.into_iter().chain(fine).chain(coarse));
    if !is_right(&names) {
        return None;
    }
    while names.len() > 1 {
        let later = names.split_off(names.len() / 2);
        if !is_right(&names) {
            if !is_right(&later) {
                return None;
            }
            names = later;
        }
    }
    names.pop()
}

/// What a name of [`culprit`] stands for, in a simplified function.
pub(super) fn described(
    name: &str,
    shown: &[Explanation],
    used: &[(String, Span)],
    (m, f): (&Module, FuncId),
) -> BlamedRewrite {
    match (rules::find(name), PASSES.iter().find(|(pass, _)| *pass == name)) {
        (Some(rule), _) => of_rule(rule, shown),
        (None, Some((_, says))) => {
            let fused = shown.iter().find(|e| name == "fma" && e.rule == CONTRACT);
            of_pass(name, says, fused.map_or_else(|| concerned(m, f, name), |e| e.span))
        }
        (None, None) => of_identity(name, used),
    }
}

/// A rewrite, at the place where it was used.
fn of_rule(rule: &Rule, shown: &[Explanation]) -> BlamedRewrite {
    let guards: Vec<String> = rule.guards.iter().map(|g| g.to_string()).collect();
    BlamedRewrite {
        name: rule.name.into(),
        span: shown.iter().find(|e| e.rule == rule.name).map_or(Span::NONE, |e| e.span),
        says: format!("{} becomes {}", rule.lhs, rule.rhs),
        domain: (!guards.is_empty()).then(|| guards.join(", ")),
    }
}

/// Identities of one op, at the first place where one of them was used.
fn of_identity(name: &str, used: &[(String, Span)]) -> BlamedRewrite {
    let span = used.iter().find(|(n, _)| n == name).map_or(Span::NONE, |(_, s)| *s);
    let says = "exact identities of the canonicaliser".into();
    BlamedRewrite { name: name.into(), span, says, domain: None }
}

/// One of [`PASSES`].
fn of_pass(name: &str, says: &str, span: Span) -> BlamedRewrite {
    BlamedRewrite { name: name.into(), span, says: format!("the pass of this name: {says}"), domain: None }
}

/// The first instruction that a pass concerns, in the order of the source.
fn concerned(m: &Module, f: FuncId, pass: &str) -> Span {
    fn walk(r: &Region, about: &dyn Fn(&Kind) -> bool, out: &mut Vec<Span>) {
        for inst in &r.insts {
            if about(&inst.kind) && !inst.span.is_none() {
                out.push(inst.span);
            }
            inst.regions.iter().for_each(|r| walk(r, about, out));
        }
    }
    let about = |k: &Kind| match pass {
        "inline" => matches!(k, Kind::Call(_)),
        "arms" | "branches" | "conditional" => *k == Kind::If,
        "comparisons" => matches!(k, Kind::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne)),
        "reciprocals" => *k == Kind::Op(Op::Div),
        "seeds" => *k == Kind::Update,
        "common_factors" => *k == Kind::AddAt,
        "elements" => matches!(k, Kind::Update | Kind::AddAt),
        "contractions" | "beside" => matches!(k, Kind::MatMul | Kind::Transpose),
        "unroll" | "extrema" | "scalars" | "rows" | "inline_build" | "keep" | "merge" | "hoist" | "sums"
        | "fission" | "cycles" | "waiting" | "late" | "partials" | "accumulators" | "terms"
        | "recurrences" | "carries" | "gathered" | "jam" | "tables" | "transposed" | "slices" | "taps"
        | "row_sums" | "interchange" | "borders" | "collect" | "element_sums" | "parts" | "products"
        | "versions" | "maps" | "functions" => k.is_loop(),
        _ => false,
    };
    let mut out = Vec::new();
    m.func(f).region().into_iter().for_each(|r| walk(r, &about, &mut out));
    out.into_iter().min_by_key(|s| (s.file.0, s.start)).unwrap_or(Span::NONE)
}
