//! Messages about blame: labels in the source, the experiment, the stage, the likely mistake.

use crate::coordinates::index_text;
use crate::report::{
    Blame, BlamedKind, BlamedOp, BlamedRewrite, Counterfactual, Entry, Iteration, Order, Stage,
};
use crate::text::{number, show_datum};
use adc_ir::*;

/// The label at the blamed op.
pub(super) fn label(op: &BlamedOp) -> String {
    let what = match op.kind {
        BlamedKind::Rule(_) => format!("this rule of `{}` gives", op.name),
        BlamedKind::Op => format!("the derivative rule of `{}` gives", op.name),
        BlamedKind::Region => {
            format!("everything in this {} is right, but its derivative gives", region(op))
        }
        BlamedKind::Call => "the derivative of this call gives".to_string(),
        BlamedKind::Accumulation => {
            return format!("the contributions of the uses of {} are not summed", op.name);
        }
    };
    format!("{what} {}, {}", equation(op), differences(op))
}

fn region(op: &BlamedOp) -> String {
    match op.name.as_str() {
        "loop" | "comprehension" => op.name.clone(),
        name => format!("`{name}`"),
    }
}

/// `∂/∂t = 0.38`
fn equation(op: &BlamedOp) -> String {
    format!("{} = {}", op.entry.name(false), number(op.rule_value))
}

fn differences(op: &BlamedOp) -> String {
    match (op.entry.slopes, op.fd_value) {
        (Some((l, r)), _) => format!("the one-sided slopes are {} and {}", number(l), number(r)),
        (None, Some(fd)) => format!("finite differences give {}", number(fd)),
        (None, None) => "finite differences give no number".to_string(),
    }
}

/// Notes about a blame: the op, the experiment, the stage, the mistake. `own`: the function that is checked, whose call
/// needs no explanation.
pub(super) fn notes(mut d: Diagnostic, blame: &Blame, e: &Entry, own: &str) -> Diagnostic {
    let entry = e.name(e.order == Order::Second);
    if let Some(op) = &blame.op {
        for iteration in &op.iterations {
            d = d.also(iteration.span, format!("first {}", iteration_text(iteration)));
        }
        let who = match op.kind {
            BlamedKind::Rule(kind) => format!("rule {} of `{}`. It gives", super::word(kind), op.name),
            BlamedKind::Op => format!("op `{}`. Its rule gives", op.name),
            BlamedKind::Region => {
                format!("the {} itself, not its contents. Its derivative gives", region(op))
            }
            BlamedKind::Call => format!("the call of `{}`, not the function. Its derivative gives", op.name),
            BlamedKind::Accumulation => {
                format!("accumulation: {} is used several times, and their sum gives", op.name)
            }
        };
        d = d.note(format!("blame: {who} {}, {}", equation(op), differences(op)));
        if let Some(c) = blame.counterfactual {
            d = d.note(format!("evidence: with the difference instead, {}", becomes(&entry, c)));
        }
        if op.name != own {
            let args: Vec<String> = op.inputs.iter().map(show_datum).collect();
            let what = match op.kind {
                BlamedKind::Rule(_) | BlamedKind::Call => format!("`{}` is called with", op.name),
                BlamedKind::Op => format!("`{}` is applied to", op.name),
                BlamedKind::Region | BlamedKind::Accumulation => "its inputs are".to_string(),
            };
            d = d.note(format!("{what} ({}) there", args.join(", ")));
        }
    }
    if let Some(r) = &blame.rewrite {
        d = d.note(rewrite(r));
        if let Some(c) = blame.counterfactual {
            d = d.note(format!("evidence: without this rewrite, {}", becomes(&entry, c)));
        }
    }
    if let Some(m) = &blame.mistake {
        d = d.note(format!("mistake: {}", m.text));
    }
    d.note(stage(blame))
}

/// `∂/∂x becomes 0.4 and the check passes`
fn becomes(entry: &str, c: Counterfactual) -> String {
    let passes = if c.passes { " and the check passes" } else { "" };
    format!("{entry} becomes {}{passes}", number(c.value))
}

fn rewrite(r: &BlamedRewrite) -> String {
    let text = format!("blame: `{}`: {}", r.name, r.says);
    match &r.domain {
        Some(domain) => format!("{text}; it holds for {domain}"),
        None => text,
    }
}

/// A message about an optimised program that differs from the raw one, with the rewrite or pass that causes it.
pub(crate) fn optimiser(d: Diagnostic, blamed: Option<&BlamedRewrite>) -> Diagnostic {
    let Some(r) = blamed else { return d };
    let d = if r.span.is_none() { d } else { d.also(r.span, format!("`{}` is applied here", r.name)) };
    d.note(rewrite(r)).note("evidence: without this rewrite, they agree")
}

/// `in iteration 3 of this loop`
fn iteration_text(iteration: &Iteration) -> String {
    match iteration.indices[..] {
        [i] => format!("in iteration {i} of this loop"),
        _ => {
            let list: Vec<usize> = iteration.indices.iter().map(|i| *i as usize).collect();
            format!("at {} of this comprehension", index_text(&list))
        }
    }
}

fn stage(blame: &Blame) -> String {
    let values: Vec<String> =
        blame.stages.iter().map(|(s, x)| format!("{} {}", s.title(), number(*x))).collect();
    match blame.stage {
        Stage::Ad => {
            "stage: wrong already in the raw derivative; simplification and compilation are not to blame"
                .into()
        }
        Stage::Simplify => {
            format!("stage: simplification makes a right derivative wrong: {}", values.join(", "))
        }
        Stage::Jit => format!("stage: compiled code differs from the interpreter: {}", values.join(", ")),
    }
}
