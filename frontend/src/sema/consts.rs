//! Constant expressions: inferred like a body, lowered to a function without parameters, and run by the
//! reference interpreter.

use super::ctx::Ctx;
use super::hir::{Arg, Block, Body, ConstIx, Expr, ExprKind, Stmt};
use super::infer::Infer;
use super::types::Ty;
use crate::lower;
use crate::syntax::ast;
use adc_ir::interp::{Interp, NoExterns};
use adc_ir::{Code, Const, Diagnostic, Module, Span};

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
    (ctx.errors() == before && known && ty.declared().is_some()).then(|| run(ctx, &body, e.span))?
}

/// Evaluates a body without parameters.
fn run(ctx: &Ctx, body: &Body, span: Span) -> Option<Const> {
    if ctx.damaged(span) {
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
    let interp = Interp::new(&module, ctx.math, &NoExterns);
    match interp.call(id, &[]) {
        Ok(values) => Some(values[0].to_const(ty)),
        Err(e) => {
            ctx.report(e.diagnostic().note("in a constant expression, which is evaluated at compile time"));
            None
        }
    }
}

/// The constants an expression names.
fn mentioned(e: &Expr, out: &mut Vec<ConstIx>) {
    match &e.kind {
        ExprKind::Const(ix, _) => out.push(*ix),
        ExprKind::Error
        | ExprKind::Int(_)
        | ExprKind::Real(_)
        | ExprKind::Imag(_)
        | ExprKind::Bool(_)
        | ExprKind::Named(_)
        | ExprKind::Local(_) => {}
        ExprKind::Prim { args, .. } | ExprKind::Convert(_, args) | ExprKind::Tuple(args) => {
            args.iter().for_each(|a| mentioned(a, out));
        }
        ExprKind::BoolOrder { args, .. } | ExprKind::Power(args) | ExprKind::Lazy { args, .. } => {
            mentioned(&args.0, out);
            mentioned(&args.1, out);
        }
        ExprKind::PowerInt(x, _) => mentioned(x, out),
        ExprKind::Call(_, _, args) | ExprKind::CallLocal(_, _, args) | ExprKind::CallFn(_, _, args) => {
            args.iter().for_each(|a| match a {
                Arg::Value(e) => mentioned(e, out),
                Arg::Fn(_) => {}
            })
        }
        ExprKind::If { branches, otherwise } => {
            for (c, b) in branches {
                mentioned(c, out);
                mentioned_in(b, out);
            }
            otherwise.iter().for_each(|b| mentioned_in(b, out));
        }
        ExprKind::Block(b) => mentioned_in(b, out),
    }
}

fn mentioned_in(b: &Block, out: &mut Vec<ConstIx>) {
    for s in &b.stmts {
        match s {
            Stmt::Bind(_, e) | Stmt::Assign(_, e) | Stmt::Expr(e) | Stmt::Assert(e, _) => mentioned(e, out),
        }
    }
    b.value.iter().for_each(|e| mentioned(e, out));
}
