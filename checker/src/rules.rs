//! Hand-written rules: each against its primal, all of one function against each other, and which one is
//! to blame for a wrong derivative of a program that reaches several.

use crate::backends::Backends;
use crate::blame::{Blame, BlamedKind, BlamedOp, Stage};
use crate::messages::{self, base_name};
use crate::observe::{entry, point_report};
use crate::points::Origin;
use crate::prepare::Prepared;
use crate::report::Entry;
use crate::settings::{Context, Request, Settings, Tolerance};
use crate::unit::{WHOLE, failing};
use crate::verdict::Verdict;
use adc_ir::interp::{ExternCalls, Interp, ResultType, Val};
use adc_ir::*;
use adc_jit::RuntimeMath;
use std::cell::RefCell;

/// How far two rules of one function may differ, relative to the larger number; they compute the same thing
/// in different ways. Single precision knows fewer digits.
const RULES_AGREE: f64 = 1e-6;
const RULES_AGREE_SINGLE: f64 = 1e-3;
/// At most so many calls of ruled functions are looked at for blame.
const MAX_CALLS: usize = 256;

/// A function with several rules: checks every rule that is not trusted by itself, and all against each other,
/// at the points given. (A single rule is checked by the check of its function.)
pub(crate) fn compare_rules(
    ctx: &Context,
    f: FuncId,
    points: &[Vec<Datum>],
    request: &Request,
) -> Vec<Diagnostic> {
    let func = ctx.module.func(f);
    if func.rules.len() < 2 {
        return Vec::new();
    }
    let func = &Func { name: base_name(&func.name).to_string(), ..func.clone() };
    let mut variants: Vec<(usize, Prepared)> = (0..func.rules.len())
        .filter_map(|k| {
            let mut module = ctx.module.clone();
            let mut variant = func.clone();
            variant.name = module.fresh_name(&format!("{}.only", func.name));
            variant.rules = vec![func.rules[k].clone()];
            let id = module.add(variant);
            Some((
                k,
                prepare(
                    &Context { module: &module, externs: ctx.externs, opt: ctx.opt },
                    (id, &[]),
                    request,
                )?,
            ))
        })
        .collect();
    let mut wrong: Vec<(usize, Entry, Vec<Datum>)> = Vec::new();
    let mut apart: Vec<(usize, usize, Diagnostic)> = Vec::new();
    for point in points {
        for (k, prepared) in &mut variants {
            if prepared.run_point(point, 0).is_err() {
                continue;
            }
            let report = point_report(prepared, Origin::Given(0), point, Vec::new());
            for e in report.entries.into_iter().filter(|e| failing(e.status) && !func.rules[*k].trusted) {
                if !wrong.iter().any(|(j, known, _)| j == k && known.input == e.input) {
                    wrong.push((*k, e, point.clone()));
                }
            }
        }
        for (i, (a, first)) in variants.iter().enumerate() {
            for (b, second) in &variants[i + 1..] {
                if apart.iter().any(|(x, y, _)| (x, y) == (a, b)) {
                    continue;
                }
                if let Some((name, numbers)) = disagreement(first, second) {
                    let pair = (&func.rules[*a], &func.rules[*b]);
                    let d = messages::rules_disagree(func, pair, &name, numbers, point);
                    apart.push((*a, *b, d));
                }
            }
        }
    }
    let wrong = wrong.iter().map(|(k, e, point)| messages::wrong_rule(func, &func.rules[*k], e, point));
    wrong.chain(apart.into_iter().map(|(.., d)| d)).collect()
}

/// A slow check of a function with the rules it has, forwards and backwards where possible; a fast one of a Jacobian too large
/// to be compared whole.
fn prepare(ctx: &Context, (f, dims): (FuncId, &[i64]), request: &Request) -> Option<Prepared> {
    let func = ctx.module.func(f);
    // A rule is right in every entry.
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

/// The rule to blame for a wrong derivative of `f` at a point: that of `f` itself, or that of the only function
/// `f` reaches there whose rule fails by itself, at the values it is called with.
/// `wanted` says which verdicts on its entries count.
pub(crate) fn blame(
    ctx: &Context,
    f: FuncId,
    inputs: &[Datum],
    request: &Request,
    wanted: impl Fn(Verdict) -> bool,
) -> Option<Blame> {
    let ruled = |g: &FuncId| !ctx.module.func(*g).rules.is_empty();
    let calls = if ruled(&f) {
        vec![Traced { func: f, dims: Vec::new(), args: inputs.to_vec() }]
    } else {
        if !ctx.module.reachable(f).iter().any(ruled) {
            return None;
        }
        trace(ctx, f, inputs)
    };
    let mut prepared: Vec<(FuncId, Vec<i64>, Option<Prepared>)> = Vec::new();
    let mut found: Option<(FuncId, Blame)> = None;
    for Traced { func: g, dims, args } in calls {
        let known = prepared.iter().position(|(h, d, _)| (*h, d) == (g, &dims));
        let at = known.unwrap_or_else(|| {
            let made = prepare(ctx, (g, &dims), request);
            prepared.push((g, dims, made));
            prepared.len() - 1
        });
        let Some(p) = prepared[at].2.as_mut() else { continue };
        if p.run_point(&args, 0).is_err() {
            continue;
        }
        let report = point_report(p, Origin::Given(0), &args, Vec::new());
        let worst = report
            .entries
            .into_iter()
            .filter(|e| wanted(e.status))
            .max_by(|a, b| a.ratio.total_cmp(&b.ratio));
        let Some(entry) = worst else { continue };
        match &found {
            Some((h, _)) if *h != g => return None,
            Some(_) => {}
            None => {
                let func = ctx.module.func(g);
                let rule = used(func, &entry)?;
                let op = BlamedOp {
                    kind: BlamedKind::Rule(rule.kind),
                    name: base_name(&func.name).to_string(),
                    span: rule.span,
                    turns: Vec::new(),
                    inputs: args,
                    rule_value: messages::wrong_one(&entry),
                    fd_value: entry.fd,
                    entry: entry.clone(),
                };
                let (stage, stages) = (Stage::Ad, Vec::new());
                let (rewrite, mistake, counterfactual) = (None, None, None);
                let op = Some(op);
                found = Some((g, Blame { entry, stage, stages, op, rewrite, mistake, counterfactual }));
            }
        }
    }
    found.map(|(_, b)| b)
}

/// The rule the wrong number of an entry comes from.
fn used<'a>(func: &'a Func, e: &Entry) -> Option<&'a Rule> {
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

/// Every call of a ruled function during the evaluation of `f`, with its arguments, in order. Calls inside the
/// body of a ruled function do not count: its rule stands for all of it.
fn trace(ctx: &Context, f: FuncId, inputs: &[Datum]) -> Vec<Traced> {
    // In a copy of the module, ruled functions are native ones, which the tracer carries out by the original.
    let mut module = ctx.module.clone();
    let mut ruled = Vec::new();
    for g in ctx.module.reachable(f) {
        if !ctx.module.func(g).rules.is_empty() {
            let symbol = format!("traced {}", g.0);
            module.funcs[g.0 as usize].body = Body::Extern(symbol.clone());
            ruled.push((symbol, g));
        }
    }
    let natives = ctx.externs.bind(ctx.module, &[f]).unwrap_or_else(|_| ctx.externs.clone());
    let tracer = Tracer { module: ctx.module, ruled, natives: &natives, calls: RefCell::default() };
    let interp = Interp::new(&module, &RuntimeMath, &tracer);
    let args: Vec<Val<f64>> = inputs.iter().map(Datum::to_val).collect();
    // The point was accepted, so this does not fail; what was recorded before an error is worth as much.
    let _ = interp.call(f, &args);
    let mut calls = tracer.calls.into_inner();
    calls.dedup();
    calls
}

/// A call of a ruled function.
#[derive(PartialEq)]
struct Traced {
    func: FuncId,
    dims: Vec<i64>,
    args: Vec<Datum>,
}

struct Tracer<'a> {
    /// The module as it is.
    module: &'a Module,
    /// Symbol and function.
    ruled: Vec<(String, FuncId)>,
    natives: &'a dyn ExternCalls<f64>,
    calls: RefCell<Vec<Traced>>,
}

impl ExternCalls<f64> for Tracer<'_> {
    fn call(&self, name: &str, args: &[Val<f64>], results: &[ResultType]) -> Result<Vec<Val<f64>>, i32> {
        let Some((_, g)) = self.ruled.iter().find(|(symbol, _)| symbol == name) else {
            return self.natives.call(name, args, results);
        };
        let func = self.module.func(*g);
        let dims: Vec<i64> = args[..func.dims.len()].iter().map(Val::i64).collect();
        let args = &args[func.dims.len()..];
        if self.calls.borrow().len() < MAX_CALLS {
            let data = args.iter().zip(&func.params);
            let args = data.map(|(a, p)| Datum::from_val(a, func.ty(p.value).scalar())).collect();
            self.calls.borrow_mut().push(Traced { func: *g, dims: dims.clone(), args });
        }
        Interp::new(self.module, &RuntimeMath, self.natives).call_with_dims(*g, &dims, args).map_err(|_| -1)
    }
}
