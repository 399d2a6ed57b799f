//! Constant expressions: inferred like a body, lowered to a function without parameters, and run by the
//! reference interpreter.

use super::ctx::Ctx;
use super::dims::is_unknown;
use super::hir::{Body, ConstIx, Expr, ExprKind};
use super::infer::Infer;
use super::items::Constant;
use super::types::Ty;
use super::visit;
use crate::lower;
use crate::syntax::ast;
use adc_ir::interp::{Interp, Limits, NoExterns, Val};
use adc_ir::{Code, Const, Diagnostic, Module, Span};

/// Most entries of an array that is a constant.
pub const MAX_ENTRIES: usize = 65_536;

/// What evaluating a constant may use.
const LIMITS: Limits = Limits { fuel: 1 << 24, bytes: 1 << 27 };

/// Evaluates every `const` of the program, each after those it names.
pub fn evaluate(ctx: &mut Ctx) {
    let bodies: Vec<Option<Body>> = (0..ctx.items.consts.len())
        .map(|i| {
            let item = &ctx.items.consts[i];
            if ctx.damaged(item.decl.value.span) {
                return None;
            }
            let before = ctx.errors();
            let name = item.decl.name.text.as_str();
            let body = Infer::constant(ctx, &item.decl.value, &item.ty, name, Some(item.decl.ty.span));
            (ctx.errors() == before && !matches!(item.ty, Ty::Error)).then_some(body)
        })
        .collect();
    let needs: Vec<Vec<ConstIx>> = bodies
        .iter()
        .map(|b| {
            let mut out = Vec::new();
            b.iter().for_each(|b| b.values.iter().for_each(|(e, _)| mentioned(e, &mut out)));
            out
        })
        .collect();
    let mut state = vec![State::New; bodies.len()];
    for i in 0..bodies.len() {
        visit(ctx, ConstIx(i), &bodies, &needs, &mut state);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth-first over an explicit stack: constants may name each other in chains of any length.
fn visit(
    ctx: &mut Ctx,
    start: ConstIx,
    bodies: &[Option<Body>],
    needs: &[Vec<ConstIx>],
    state: &mut [State],
) {
    let mut path = vec![(start, 0)];
    if state[start.0] != State::New {
        return;
    }
    state[start.0] = State::Open;
    while let Some((at, next)) = path.last_mut() {
        let at = *at;
        match needs[at.0].get(*next) {
            Some(&need) => {
                *next += 1;
                match state[need.0] {
                    State::New => {
                        state[need.0] = State::Open;
                        path.push((need, 0));
                    }
                    State::Open => report_cycle(ctx, &path, need),
                    State::Done => {}
                }
            }
            None => {
                path.pop();
                state[at.0] = State::Done;
                let known = needs[at.0].iter().all(|n| ctx.items.consts[n.0].value.is_some());
                if let (Some(body), true) = (&bodies[at.0], known) {
                    let value = run(ctx, body, ctx.items.consts[at.0].decl.value.span);
                    ctx.items.consts[at.0].value = value;
                }
            }
        }
    }
}

fn report_cycle(ctx: &Ctx, path: &[(ConstIx, usize)], again: ConstIx) {
    let from = path.iter().position(|(c, _)| *c == again).unwrap_or(0);
    let name = |c: ConstIx| ctx.items.consts[c.0].decl.name.text.as_str();
    let mut round: Vec<&str> = path[from..].iter().map(|(c, _)| name(*c)).collect();
    round.push(name(again));
    ctx.report(
        Diagnostic::error(Code::ConstNotConstant, format!("the constant `{}` needs itself", name(again)))
            .label(ctx.items.consts[again.0].decl.name.span, round.join(" -> "))
            .help("give one of them a value that does not depend on the others"),
    );
}

/// The value of a constant expression of type `ty`; `words` say what it is for. `None`: reported.
pub fn number<'a>(ctx: &Ctx<'a>, e: &'a ast::Expr, ty: &Ty, words: &'a str) -> Option<Const> {
    if ctx.damaged(e.span) {
        return None;
    }
    let before = ctx.errors();
    let body = Infer::constant(ctx, e, ty, words, None);
    let mut needs = Vec::new();
    body.values.iter().for_each(|(e, _)| mentioned(e, &mut needs));
    let known = needs.iter().all(|n| ctx.items.consts[n.0].value.is_some());
    let fine = ctx.errors() == before && known && ty.declared().is_some();
    fine.then(|| run(ctx, &body, e.span))?.and_then(|c| c.scalar())
}

/// The value of a constant expression that is a number of type `elem`, or an array of such; as [`number`].
pub fn value<'a>(ctx: &Ctx<'a>, e: &'a ast::Expr, elem: &Ty, words: &'a str) -> Option<Constant> {
    if ctx.damaged(e.span) {
        return None;
    }
    let before = ctx.errors();
    let body = Infer::constant_of(ctx, e, elem, words);
    let mut needs = Vec::new();
    body.values.iter().for_each(|(e, _)| mentioned(e, &mut needs));
    let known = needs.iter().all(|n| ctx.items.consts[n.0].value.is_some());
    let fine = ctx.errors() == before && known && elem.declared().is_some();
    fine.then(|| run(ctx, &body, e.span))?
}

/// Evaluates a body without parameters.
fn run(ctx: &Ctx, body: &Body, span: Span) -> Option<Constant> {
    if ctx.damaged(span) || body.values.iter().any(|(e, ty)| is_broken(e) || ty.is_error()) {
        return None;
    }
    let func = match lower::constant(ctx, body, span) {
        Ok(func) => func,
        Err(d) => {
            ctx.report(d);
            return None;
        }
    };
    let ty = func.results[0].ty.scalar();
    let mut module = Module::default();
    let id = module.add(func);
    let interp = Interp { limits: LIMITS, ..Interp::new(&module, ctx.math, &NoExterns) };
    let value = match interp.call(id, &[]) {
        Ok(mut values) => values.remove(0),
        Err(e) => {
            ctx.report(e.diagnostic().note("in a constant expression, which is evaluated at compile time"));
            return None;
        }
    };
    let shape = match &value {
        Val::Array(a) => a.shape().to_vec(),
        _ => Vec::new(),
    };
    let data = value.to_consts(ty);
    if data.len() > MAX_ENTRIES {
        let message = format!("a constant of more than {MAX_ENTRIES} entries");
        ctx.report(
            Diagnostic::error(Code::ArrayTooLarge, message)
                .label(span, format!("{} entries", data.len()))
                .help("make it a parameter"),
        );
        return None;
    }
    Some(Constant { shape, data })
}

/// Whether something in it was reported, maybe elsewhere: at a constant it names.
fn is_broken(e: &Expr) -> bool {
    let mut broken = false;
    visit::expr(e, &mut |n| {
        if let visit::Node::Expr(e) = n {
            broken |=
                matches!(e.kind, ExprKind::Error) || e.ty.is_error() || e.ty.shape().iter().any(is_unknown);
        }
    });
    broken
}

/// The constants an expression names.
pub fn mentioned(e: &Expr, out: &mut Vec<ConstIx>) {
    visit::expr(e, &mut |n| {
        if let visit::Node::Expr(Expr { kind: ExprKind::Const(ix, _), .. }) = n {
            out.push(*ix);
        }
    });
}
