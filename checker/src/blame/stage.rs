//! Which rewrite or pass of the simplifier makes a right derivative wrong: the one without which the entry is right again.

use super::copy::Subject;
use super::data::{BlamedRewrite, Counterfactual};
use super::trial::Target;
use crate::settings::Context;
use crate::simplified;
use adc_ir::*;
use adc_simplify::egraph::Explanation;
use adc_simplify::rules::Rule;
use adc_simplify::{OptLevel, PASSES, egraph, identities_used, rules, without};

/// Rewrites of the e-graph pass that are left out one by one.
const MAX_REWRITES: usize = 64;

impl Target<'_> {
    /// The entry of the simplified derivative, interpreted.
    pub(super) fn simplified(&self, s: &Subject, opt: OptLevel) -> Option<f64> {
        let (m, f, program) = self.prepared(s, opt)?;
        let mut m = m;
        adc_simplify::run(&mut m, &[program], opt);
        self.read(&m, f, program, self.externs)
    }

    /// The derivative of the function as the library simplifies it, not simplified itself.
    fn prepared(&self, s: &Subject, opt: OptLevel) -> Option<(Module, FuncId, FuncId)> {
        let mut m = s.module.clone();
        let f = if opt >= OptLevel::O2 { simplified::copy(&mut m, s.func) } else { s.func };
        let program = match self.reverse {
            true => adc_ad::vjp(&mut m, f, self.wrt, self.outputs, false),
            false => adc_ad::jvp(&mut m, f, self.wrt),
        };
        let program = program.ok()?;
        Some((m, f, program))
    }
}

/// What of the simplifier is to blame.
pub(super) fn find(ctx: &Context, s: &Subject, target: &Target) -> Option<(BlamedRewrite, Counterfactual)> {
    let opt = ctx.opt;
    let repaired = |name: &str| {
        let value = without(&[name], || target.simplified(s, opt))?;
        target.is_right(value).then_some(Counterfactual { value, passes: true })
    };
    // Rewrites that the result shows, then all others; identities that were used.
    let explained = target.prepared(s, opt).map(|(mut m, _, program)| {
        let ((), used) = identities_used(|| {
            let _ = target.simplified(s, opt);
        });
        (adc_simplify::run_explained(&mut m, &[program], opt), used)
    });
    let (shown, used) = explained.unwrap_or_default();
    if !opt.is_exact() && repaired("egraph").is_some() {
        let mut names: Vec<&str> =
            shown.iter().map(|e| e.rule).filter(|r| rules::find(r).is_some()).collect();
        names.extend(rules::all().iter().map(|r| r.name));
        let mut tried: Vec<&str> = Vec::new();
        for name in names {
            if tried.contains(&name) || tried.len() >= MAX_REWRITES {
                continue;
            }
            tried.push(name);
            if let (Some(c), Some(rule)) = (repaired(name), rules::find(name)) {
                return Some((of_rule(rule, &shown), c));
            }
        }
    }
    let mut names: Vec<&str> = used.iter().map(|(n, _)| n.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        if let Some(c) = repaired(name) {
            return Some((of_identity(name, &used), c));
        }
    }
    // The finer ones before those that contain them.
    let order = |name: &&(&str, &str)| matches!(name.0, "canonicalise" | "identities" | "egraph");
    let (coarse, fine): (Vec<_>, Vec<_>) = PASSES.iter().partition(order);
    for &(name, says) in fine.into_iter().chain(coarse) {
        if let Some(c) = repaired(name) {
            let shown = shown.iter().find(|e| name == "fma" && e.rule == egraph::CONTRACT);
            let span = shown.map_or_else(|| concerned(&s.module, s.func, name), |e| e.span);
            return Some((of_pass(name, says, span), c));
        }
    }
    None
}

/// A rewrite, where it was shown to be used.
pub(super) fn of_rule(rule: &Rule, shown: &[Explanation]) -> BlamedRewrite {
    let guards: Vec<String> = rule.guards.iter().map(|g| g.to_string()).collect();
    BlamedRewrite {
        name: rule.name.into(),
        span: shown.iter().find(|e| e.rule == rule.name).map_or(Span::NONE, |e| e.span),
        says: format!("{} becomes {}", rule.lhs, rule.rhs),
        domain: (!guards.is_empty()).then(|| guards.join(", ")),
    }
}

/// Identities of one op, where one of them was used first.
pub(super) fn of_identity(name: &str, used: &[(String, Span)]) -> BlamedRewrite {
    let span = used.iter().find(|(n, _)| n == name).map_or(Span::NONE, |(_, s)| *s);
    let says = "exact identities of the canonicaliser".into();
    BlamedRewrite { name: name.into(), span, says, domain: None }
}

/// One of [`PASSES`].
pub(super) fn of_pass(name: &str, says: &str, span: Span) -> BlamedRewrite {
    BlamedRewrite { name: name.into(), span, says: format!("the pass of this name: {says}"), domain: None }
}

/// The first instruction that a pass is about, in the order of the source.
pub(super) fn concerned(m: &Module, f: FuncId, pass: &str) -> Span {
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
        "arms" => *k == Kind::If,
        "contractions" => matches!(k, Kind::MatMul | Kind::Transpose),
        "unroll" | "scalars" | "inline_build" | "merge" | "hoist" => k.is_loop(),
        _ => false,
    };
    let mut out = Vec::new();
    m.func(f).region().into_iter().for_each(|r| walk(r, &about, &mut out));
    out.into_iter().min_by_key(|s| (s.file.0, s.start)).unwrap_or(Span::NONE)
}
