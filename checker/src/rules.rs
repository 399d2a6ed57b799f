//! Hand-written rules: each against its primal, and all of one function against each other.

use crate::blame;
use crate::observe::{entry, point_report};
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::report::{Entry, Mistake};
use crate::settings::{Backends, Context, Request, Settings, Tolerance};
use crate::text::base_name;
use crate::unit::{WHOLE, failing};
use adc_ir::*;

/// How far two rules of one function may differ, relative to the larger number: they compute the same thing in different
/// ways. Single precision has fewer digits.
const RULES_AGREE: f64 = 1e-6;
const RULES_AGREE_SINGLE: f64 = 1e-3;

/// What is wrong with the rules of a function.
pub(crate) struct RuleFindings {
    /// The function, under the name it has in the source.
    pub func: Func,
    pub wrong: Vec<WrongRule>,
    pub apart: Vec<RulesApart>,
}

/// A rule that is wrong by itself, by its position in the function.
pub(crate) struct WrongRule {
    pub rule: usize,
    pub entry: Entry,
    pub inputs: Vec<Datum>,
    pub mistake: Option<Mistake>,
}

/// Two rules that describe different derivatives: the name of an entry, and its value by each of them.
pub(crate) struct RulesApart {
    pub rules: (usize, usize),
    pub entry: String,
    pub values: (f64, f64),
    pub inputs: Vec<Datum>,
}

/// A function with several rules: checks every rule that is not trusted by itself, and all against each other, at the given
/// points. (A single rule is checked by the check of its function.)
pub(crate) fn compare_rules(
    ctx: &Context,
    f: FuncId,
    points: &[Vec<Datum>],
    request: &Request,
) -> Option<RuleFindings> {
    let func = ctx.module.func(f);
    if func.rules.len() < 2 {
        return None;
    }
    let func = &Func { name: base_name(&func.name).to_string(), ..func.clone() };
    let mut variants: Vec<(usize, Prepared)> = (0..func.rules.len())
        .filter_map(|k| {
            let mut module = ctx.module.clone();
            let mut variant = func.clone();
            variant.name = module.fresh_name(&format!("{}.only", func.name));
            variant.rules = vec![func.rules[k].clone()];
            let id = module.add(variant);
            Some((k, prepare(&Context { module: &module, ..*ctx }, (id, &[]), request)?))
        })
        .collect();
    let mut found = RuleFindings { func: func.clone(), wrong: Vec::new(), apart: Vec::new() };
    for point in points {
        for (rule, prepared) in &mut variants {
            if prepared.run_point(point, 0).is_err() {
                continue;
            }
            let report = point_report(prepared, Origin::Given(0), point, Vec::new());
            let trusted = func.rules[*rule].check.is_trusted();
            for entry in report.entries.into_iter().filter(|e| failing(e.status) && !trusted) {
                if !found.wrong.iter().any(|w| w.rule == *rule && w.entry.input == entry.input) {
                    let mistake = blame::mistake_of(ctx, func, prepared, point);
                    found.wrong.push(WrongRule { rule: *rule, entry, inputs: point.clone(), mistake });
                }
            }
        }
        for (i, (a, first)) in variants.iter().enumerate() {
            for (b, second) in &variants[i + 1..] {
                if found.apart.iter().any(|x| x.rules == (*a, *b)) {
                    continue;
                }
                if let Some((entry, values)) = disagreement(first, second) {
                    found.apart.push(RulesApart { rules: (*a, *b), entry, values, inputs: point.clone() });
                }
            }
        }
    }
    Some(found)
}

/// A slow check of a function with its rules, forwards and backwards where possible; a fast one if the Jacobian is too
/// large to be compared entry by entry.
pub(crate) fn prepare(ctx: &Context, (f, dims): (FuncId, &[i64]), request: &Request) -> Option<Prepared> {
    let func = ctx.module.func(f);
    // A rule must be right in every entry.
    let tolerance = match request.limits.form {
        Tolerance::Relative { max_relative_error, delta, .. } => {
            Tolerance::Relative { max_relative_error, delta, per_entry: true }
        }
        form @ (Tolerance::Automatic | Tolerance::Classic) => form,
    };
    let given = |x: f64| (x > 0.0).then_some(x);
    let of = |modes: &[Mode]| {
        let block = CheckBlock::default_for(f, func.params.len(), func.span);
        let settings = Settings {
            modes: Some(modes.to_vec()),
            eps: given(request.limits.eps),
            atol: given(request.limits.atol),
            rtol: given(request.limits.rtol),
            tolerance,
            backends: Backends::None,
            dims: dims.iter().map(|n| Some(*n)).collect(),
            ..Settings::default()
        };
        Prepared::new(ctx, &block, &settings).ok()
    };
    let slow: [&[Mode]; 3] = [&[Mode::Slow, Mode::Forward], &[Mode::Slow], &[Mode::Forward]];
    let fast: [&[Mode]; 2] = [&[Mode::Fast, Mode::Forward], &[Mode::Fast]];
    let small = |p: &Prepared| tolerance != Tolerance::Automatic || p.units.iter().all(|u| u.size() <= WHOLE);
    slow.into_iter().find_map(of).filter(small).or_else(|| fast.into_iter().find_map(of))
}

/// The first entry where two variants differ at their current point, with both numbers.
fn disagreement(first: &Prepared, second: &Prepared) -> Option<(String, (f64, f64))> {
    let (a, b) = (first.units.first()?, second.units.first()?);
    let n = a.columns.len();
    let part = if a.single() { RULES_AGREE_SINGLE } else { RULES_AGREE };
    let number = |e: &crate::unit::EntryData| if e.vjp.is_nan() { e.jvp } else { e.vjp };
    let scale = a.entries.iter().map(|e| number(e).abs()).fold(0.0, f64::max);
    for (i, (x, y)) in a.entries.iter().zip(&b.entries).enumerate() {
        let (x, y) = (number(x), number(y));
        if (x - y).abs() > part * x.abs().max(y.abs()).max(1e-3 * scale) {
            return Some((entry(first, a, i / n, i % n).name(true), (x, y)));
        }
    }
    None
}

/// The rule that the wrong number of an entry comes from.
pub(crate) fn used<'a>(func: &'a Func, e: &Entry) -> Option<&'a Rule> {
    let off = |x: Option<f64>| match (x, e.fd) {
        (Some(x), Some(fd)) => (x - fd).abs(),
        (Some(x), None) if !x.is_finite() => f64::INFINITY,
        _ => 0.0,
    };
    let order = if off(e.jvp) > off(e.vjp) {
        [RuleKind::Jvp, RuleKind::Partial, RuleKind::Vjp]
    } else {
        [RuleKind::Vjp, RuleKind::Partial, RuleKind::Jvp]
    };
    order.into_iter().find_map(|k| func.rule(k))
}
