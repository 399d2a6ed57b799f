//! What was assumed, in words and as a block.

use super::domains::Domain;
use super::{Assumed, Settled};
use crate::dims::size;
use adc_ir::*;

/// The sizes of a parameter; empty for a scalar.
pub(super) fn shape(func: &Func, i: usize, dims: &[i64]) -> Vec<usize> {
    let of = |d: &Dim| size(func, d, dims).map_or(0, |n| n.max(0) as usize);
    func.shape(func.params[i].value).iter().map(of).collect()
}

/// Sizes as the source declares them.
pub(super) fn symbolic(func: &Func, shape: &[Dim]) -> Vec<String> {
    let name = |v: Value| func.dims.iter().find(|d| d.value == v).map_or("_", |d| d.name.as_str());
    shape.iter().map(|d| d.display(name)).collect()
}

/// What is assumed at the set of sizes of this number.
pub(super) fn assumed(func: &Func, s: &Settled, set: usize) -> Assumed {
    let lines = lines(func, s, set);
    let names = |i: &usize| func.params[*i].name.clone();
    let domains = s.domains.iter().zip(&lines).map(|((i, _), line)| (names(i), line.clone())).collect();
    let dims = if s.guessed { named(func, &s.sizes[set]) } else { Vec::new() };
    let text: Vec<String> = s
        .domains
        .iter()
        .zip(&lines)
        .map(|((i, _), line)| format!("{} {line};", func.params[*i].name))
        .collect();
    let head = format!("check {}{}", func.name, brackets(func, s));
    let block = match text.is_empty() {
        true => format!("{head} {{ }}"),
        false => format!("{head} {{ {} }}", text.join(" ")),
    };
    Assumed { domains, dims, words: words(func, s), block }
}

/// A block that states everything, one line for each parameter without a declared domain.
pub(super) fn whole_block(func: &Func, block: &CheckBlock, s: &Settled) -> String {
    let mut text = format!("check {}{} {{\n", func.name, brackets(func, s));
    for i in super::search::open_params(func, &block.params) {
        let ty = func.param_ty(i).scalar();
        let found = s.domains.iter().find(|(k, _)| *k == i);
        let line = found.and_then(|(_, d)| d.source(ty, &shape(func, i, &s.sizes[0])));
        let line = line.unwrap_or_else(|| Domain::default_source(ty).to_string());
        text += &format!("    {} {line};\n", func.params[i].name);
    }
    text + "}\n"
}

/// The lines of a block, without the names.
fn lines(func: &Func, s: &Settled, set: usize) -> Vec<String> {
    let line = |(i, d): &(usize, Domain)| {
        let shape = shape(func, *i, &s.sizes[set]);
        d.source(func.param_ty(*i).scalar(), &shape).expect("a default is not assumed")
    };
    s.domains.iter().map(line).collect()
}

/// `[N = 4]`, where sizes matter.
fn brackets(func: &Func, s: &Settled) -> String {
    let sized = |d: &Domain| matches!(d, Domain::Increasing | Domain::Definite | Domain::Count(_));
    if !s.chosen && !s.domains.iter().any(|(_, d)| sized(d)) {
        return String::new();
    }
    let list: Vec<String> =
        named(func, &s.sizes[0]).iter().map(|(name, n)| format!("{name} = {n}")).collect();
    if list.is_empty() { String::new() } else { format!("[{}]", list.join(", ")) }
}

fn named(func: &Func, dims: &[i64]) -> Vec<(String, i64)> {
    let free = func.dims.iter().zip(dims).filter(|(d, _)| d.quotient.is_none());
    free.map(|(d, n)| (d.name.clone(), *n)).collect()
}

/// `S, K > 0; n >= 1; N = 4, 8`
fn words(func: &Func, s: &Settled) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (i, d) in &s.domains {
        let (words, name) = (d.words(), func.params[*i].name.as_str());
        match groups.iter_mut().find(|(w, _)| *w == words) {
            Some((_, names)) => names.push(name),
            None => groups.push((words, vec![name])),
        }
    }
    let mut parts: Vec<String> =
        groups.iter().map(|(words, names)| format!("{} {words}", names.join(", "))).collect();
    if s.guessed {
        for (k, (name, _)) in named(func, &s.sizes[0]).iter().enumerate() {
            let mut numbers: Vec<String> =
                s.sizes.iter().map(|set| named(func, set)[k].1.to_string()).collect();
            numbers.dedup();
            parts.push(format!("{name} = {}", numbers.join(", ")));
        }
    }
    parts.join("; ")
}
