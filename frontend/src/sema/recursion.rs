//! Recursion: over dimensions only. A function that may reach itself has dimensions, and so has everything on the way;
//! it does so by calls, not by functions passed as arguments or differentiated.

use super::ctx::Ctx;
use super::hir::{Body, FnIx, Mention};
use adc_ir::{Code, Diagnostic};

/// Reports one cycle for each set of functions that reach each other and must not.
pub fn check(ctx: &Ctx, bodies: &[Option<Body>]) {
    let none: &[Mention] = &[];
    let mentions = |f: usize| bodies[f].as_ref().map_or(none, |b| b.mentions.as_slice());
    let sets = components(bodies.len(), |f| mentions(f).iter().map(|m| m.f.0));
    let mut reported = vec![false; bodies.len()];
    for f in 0..bodies.len() {
        let inside = |m: &&Mention| sets[m.f.0] == sets[f];
        let sized = |f: usize| !ctx.items.func(FnIx(f)).dims.is_empty();
        let bad = |m: &&Mention| inside(m) && (!sized(f) || !sized(m.f.0) || m.value);
        if let Some(m) = mentions(f).iter().find(bad)
            && !std::mem::replace(&mut reported[sets[f]], true)
        {
            let inside = |g: usize| mentions(g).iter().filter(|m| sets[m.f.0] == sets[f]);
            let mut round = path(m.f.0, f, |g| inside(g).map(|m| m.f.0).collect());
            let mut closing = m;
            // Any call closes the cycle; the one of the function that comes first reads best.
            if !m.value {
                let first = (0..round.len()).min_by_key(|i| round[*i]).unwrap_or(0);
                round.rotate_left(first);
                let last = round[round.len() - 1];
                closing = inside(last).find(|m| m.f.0 == round[0]).unwrap_or(m);
            }
            report(ctx, closing, &round);
        }
    }
}

/// The functions from `from` to `to`, one after the other.
fn path(from: usize, to: usize, next: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut before: Vec<(usize, usize)> = vec![(from, usize::MAX)];
    let mut seen = rustc_hash::FxHashSet::from_iter([from]);
    let mut at = 0;
    while at < before.len() && before[at].0 != to {
        for g in next(before[at].0) {
            if seen.insert(g) {
                before.push((g, at));
            }
        }
        at += 1;
    }
    let mut out = Vec::new();
    while let Some((f, previous)) = before.get(at) {
        out.push(*f);
        at = *previous;
    }
    out.reverse();
    out
}

/// By function, a number that those have in common who reach each other.
fn components<I: Iterator<Item = usize>>(count: usize, next: impl Fn(usize) -> I) -> Vec<usize> {
    let forward: Vec<Vec<usize>> = (0..count).map(|f| next(f).collect()).collect();
    let mut backward = vec![Vec::new(); count];
    for (f, to) in forward.iter().enumerate() {
        to.iter().for_each(|g| backward[*g].push(f));
    }
    // Functions, those first whose walks end last; then what reaches them.
    let mut seen = vec![false; count];
    let mut order = Vec::new();
    for f in 0..count {
        walk(&forward, f, &mut seen, &mut |f| order.push(f));
    }
    let mut seen = vec![false; count];
    let mut set = vec![0; count];
    for f in order.into_iter().rev() {
        walk(&backward, f, &mut seen, &mut |g| set[g] = f);
    }
    set
}

/// Depth first over what was not seen; `done` is told each function after those behind it.
fn walk(next: &[Vec<usize>], start: usize, seen: &mut [bool], done: &mut dyn FnMut(usize)) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((f, i)) = path.last_mut() {
        match next[*f].get(*i) {
            Some(&g) => {
                *i += 1;
                if !std::mem::replace(&mut seen[g], true) {
                    path.push((g, 0));
                }
            }
            None => {
                done(*f);
                path.pop();
            }
        }
    }
}

/// `back` leads from what is mentioned to who mentions it.
fn report(ctx: &Ctx, m: &Mention, back: &[usize]) {
    let name = |f: usize| ctx.items.func(FnIx(f)).name;
    let mut round: Vec<&str> = back.iter().map(|f| name(*f)).collect();
    round.push(name(m.f.0));
    let sized = back.iter().all(|f| !ctx.items.func(FnIx(*f)).dims.is_empty());
    let help = if sized {
        "within a recursion over dimensions, the function can only be called, not passed or differentiated"
    } else {
        "recursion is allowed over dimensions only; write a loop"
    };
    ctx.report(
        Diagnostic::error(Code::Recursion, format!("`{}` calls itself", name(m.f.0)))
            .label(m.span, format!("closes the cycle {}", round.join(" -> ")))
            .also(ctx.items.func(m.f).sig.name.span, "the function")
            .help(help),
    );
}
