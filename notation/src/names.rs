//! Identifiers as symbols.

use crate::expr::{Doc, Symbol};
use crate::print::Style;

/// Greek letters with their own names in LaTeX; π is the number.
#[rustfmt::skip]
const GREEK: [(&str, &str); 32] = [
    ("alpha", "α"), ("beta", "β"), ("gamma", "γ"), ("delta", "δ"), ("epsilon", "ε"), ("zeta", "ζ"),
    ("eta", "η"), ("theta", "θ"), ("iota", "ι"), ("kappa", "κ"), ("lambda", "λ"), ("mu", "μ"), ("nu", "ν"),
    ("xi", "ξ"), ("rho", "ρ"), ("sigma", "σ"), ("tau", "τ"), ("upsilon", "υ"), ("phi", "φ"), ("chi", "χ"),
    ("psi", "ψ"), ("omega", "ω"), ("Delta", "Δ"), ("Theta", "Θ"), ("Lambda", "Λ"), ("Xi", "Ξ"), ("Pi", "Π"),
    ("Sigma", "Σ"), ("Upsilon", "Υ"), ("Phi", "Φ"), ("Psi", "Ψ"), ("Omega", "Ω"),
];

/// Accents above a letter.
const ACCENTS: [(&str, &str); 4] =
    [("bar", r"\bar"), ("dot", r"\dot"), ("hat", r"\hat"), ("tilde", r"\tilde")];

/// The name unchanged, upright.
fn verbatim(name: &str) -> String {
    let mut out = String::from(r"\mathrm{");
    for c in name.chars() {
        match c {
            '_' => out.push_str(r"\_"),
            c if c.is_alphanumeric() || c == '.' => out.push(c),
            // Identifiers have no other characters.
            _ => out.push('?'),
        }
    }
    out.push('}');
    out
}

/// One part of a name.
fn word(part: &str) -> String {
    match GREEK.iter().find(|(n, _)| *n == part) {
        Some((name, _)) => format!(r"\{name}"),
        None if part.chars().count() == 1 || part.chars().all(|c| c.is_ascii_digit()) => part.to_string(),
        None => verbatim(part),
    }
}

/// A name in LaTeX: Greek letters, subscripts after `_` and for digits at the end, accents. A bar over a complex
/// number would be its conjugate.
pub(super) fn tex(name: &str, complex: bool) -> String {
    let mut parts: Vec<&str> = name.split('_').collect();
    if parts.iter().any(|p| p.is_empty()) || parts[0].starts_with(|c: char| c.is_ascii_digit()) {
        return verbatim(name);
    }
    let mut accent = "";
    if let [_, .., last] = parts.as_slice() {
        let found = ACCENTS.iter().find(|(n, _)| n == last);
        if let Some((_, command)) = found.filter(|(n, _)| !(complex && *n == "bar")) {
            accent = command;
            parts.pop();
        }
    }
    let mut base = parts[0];
    let mut subscripts: Vec<String> = parts[1..].iter().map(|p| word(p)).collect();
    let letters = base.trim_end_matches(|c: char| c.is_ascii_digit());
    let short = letters.chars().count() == 1 || GREEK.iter().any(|(n, _)| *n == letters);
    if short && letters.len() < base.len() {
        subscripts.insert(0, base[letters.len()..].to_string());
        base = letters;
    }
    let mut out = word(base);
    if !accent.is_empty() {
        out = format!("{accent}{{{out}}}");
    }
    if !subscripts.is_empty() {
        out = format!("{out}_{{{}}}", subscripts.join(","));
    }
    out
}

/// A name in plain text.
fn plain(name: &str) -> String {
    let (base, rest) = name.split_once('_').unwrap_or((name, ""));
    match GREEK.iter().find(|(n, _)| *n == base) {
        Some((_, letter)) if rest.is_empty() => letter.to_string(),
        Some((_, letter)) => format!("{letter}_{rest}"),
        None => name.to_string(),
    }
}

/// The name of a function that is called.
pub(super) fn function(name: &str, style: Style) -> String {
    match style {
        Style::Latex => format!(r"\operatorname{{{}}}", &verbatim(name)),
        Style::Plain => name.to_string(),
    }
}

/// The names of one document, all different.
pub(super) struct Names {
    pub(super) function: String,
    pub(super) syms: Vec<String>,
    pub(super) def: String,
    pub(super) carry: String,
    pub(super) iterations: String,
}

impl Names {
    pub(super) fn new(doc: &Doc, style: Style) -> Names {
        let mut taken: Vec<String> = Vec::new();
        let mut add = |name: &str, complex: bool| {
            let (nice, safe) = match style {
                Style::Latex => (tex(name, complex), verbatim(name)),
                Style::Plain => (plain(name), name.to_string()),
            };
            let chosen = if taken.contains(&nice) { safe } else { nice };
            taken.push(chosen.clone());
            chosen
        };
        let function = add(&doc.name, false);
        let named: Vec<Option<String>> = (doc.syms.iter())
            .map(|s| match s {
                Symbol::Named(name, complex) => Some(add(name, *complex)),
                Symbol::Index(_) => None,
            })
            .collect();
        // Letters that are not names, nor names with subscripts.
        let letters = |wish: &str| -> Vec<String> {
            let free = |c: &char| {
                !taken.iter().any(|n| {
                    n.trim_end_matches(|c: char| c.is_ascii_digit()) == c.to_string()
                        || n.starts_with(&format!("{c}_"))
                })
            };
            let mut list: Vec<String> = wish.chars().filter(free).map(String::from).collect();
            // A name cannot begin with a prime.
            list.extend((1..).map(|n| format!("{}{}", &wish[..1], "'".repeat(n))).take(64));
            list
        };
        let indices = letters("ijklmnopq");
        let syms = (doc.syms.iter().zip(named))
            .map(|(s, name)| match s {
                Symbol::Named(..) => name.expect("it has a name"),
                Symbol::Index(depth) => indices[(*depth).min(indices.len() - 1)].clone(),
            })
            .collect();
        let first = |wish: &str| letters(wish)[0].clone();
        Names { function, syms, def: first("tsqrpwghlm"), carry: first("uvwxyz"), iterations: first("KTRLM") }
    }
}
