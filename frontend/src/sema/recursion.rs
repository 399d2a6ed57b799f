//! No function may reach itself: neither by calls nor by functions passed as arguments.

use super::ctx::Ctx;
use super::hir::{Body, FnIx};
use adc_ir::{Code, Diagnostic, Span};

/// Reports every cycle found by one depth-first walk over what functions name.
pub fn check(ctx: &Ctx, bodies: &[Option<Body>]) {
    let none: &[(FnIx, Span)] = &[];
    let mentions = |f: FnIx| bodies[f.0].as_ref().map_or(none, |b| b.mentions.as_slice());
    // 0: not seen, 1: on the path, 2: done.
    let mut state = vec![0u8; bodies.len()];
    for start in (0..bodies.len()).map(FnIx) {
        if state[start.0] != 0 {
            continue;
        }
        state[start.0] = 1;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let Some(&(callee, span)) = mentions(at).get(*next) else {
                state[at.0] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            match state[callee.0] {
                0 => {
                    state[callee.0] = 1;
                    path.push((callee, 0));
                }
                1 => report(ctx, &path, callee, span),
                _ => {}
            }
        }
    }
}

fn report(ctx: &Ctx, path: &[(FnIx, usize)], again: FnIx, span: Span) {
    let from = path.iter().position(|(f, _)| *f == again).unwrap_or(0);
    let name = |f: FnIx| ctx.items.func(f).name;
    let mut round: Vec<&str> = path[from..].iter().map(|(f, _)| name(*f)).collect();
    round.push(name(again));
    ctx.report(
        Diagnostic::error(Code::Recursion, format!("`{}` calls itself", name(again)))
            .label(span, format!("closes the cycle {}", round.join(" -> ")))
            .also(ctx.items.func(again).sig.name.span, "the function")
            .help("recursion is allowed over dimensions only; write a loop"),
    );
}
