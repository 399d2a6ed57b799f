//! What is said of a name: its declaration, its documentation, its derivative.

use super::world::Known;
use crate::cli::{explain, lexicon};
use adc_frontend::symbols::{Def, DefId, DefKind, Target};
use adc_ir::{FileId, Op, Span};
use serde_json::{Value as Json, json};

/// Functions with more instructions get no formula: nobody would read it.
const MAX_FORMULA: usize = 120;
/// Longer formulas are not shown, either.
const MAX_LINES: usize = 24;

/// What is known of byte `at` of the main file, in Markdown.
pub(super) fn hover(known: &Known, at: u32) -> Option<Json> {
    let (span, text) =
        at_name(known, at).or_else(|| at_word(known, at)).or_else(|| at_expression(known, at))?;
    Some(json!({"contents": {"kind": "markdown", "value": text}, "range": known.range(span)}))
}

fn at_name(known: &Known, at: u32) -> Option<(Span, String)> {
    let file = FileId(0);
    let symbols = &known.symbols;
    if let Some(used) = symbols.use_at(file, at) {
        let text = match used.target {
            Target::Def(def) => definition(known, def),
            Target::Builtin | Target::Named | Target::Type | Target::Unknown => {
                builtin(known.source(used.span))?
            }
            Target::Out => {
                let ty = known.type_at(used.span).map_or(String::new(), |t| format!(": {t}"));
                format!("{}\nthe value of the function", code(&format!("out{ty}")))
            }
        };
        return Some((used.span, text));
    }
    let def =
        symbols.defs.iter().position(|d| d.span.file == file && d.span.start <= at && at <= d.span.end)?;
    Some((symbols.defs[def].span, definition(known, def)))
}

/// A word of the language.
fn at_word(known: &Known, at: u32) -> Option<(Span, String)> {
    let text = known.texts.first()?.as_str();
    let piece = adc_frontend::editor::pieces(text).into_iter().find(|p| p.start <= at && at < p.end)?;
    let word = &text[piece.start as usize..piece.end as usize];
    let plain = word.starts_with(|c: char| c.is_alphabetic());
    let page = lexicon::page(word).filter(|_| plain || matches!(word, "^" | "@"))?;
    Some((Span::new(FileId(0), piece.start as usize, piece.end as usize), code_page(&page)))
}

/// The type of the smallest expression.
fn at_expression(known: &Known, at: u32) -> Option<(Span, String)> {
    let here = |s: &Span| s.file == FileId(0) && s.start <= at && at < s.end;
    let types = known.analysis.types.iter().filter(|(s, _)| here(s));
    let (span, ty) = types.min_by_key(|(s, _)| s.end - s.start)?;
    Some((*span, code(ty)))
}

/// A declaration.
fn definition(known: &Known, id: DefId) -> String {
    let def = &known.symbols.defs[id];
    match def.kind {
        DefKind::Fn | DefKind::ExternFn => {
            let mut text = code(&signature(known, def));
            let doc = documentation(known, def);
            if !doc.is_empty() {
                text += &format!("\n{doc}\n");
            }
            let rules = rules(known, &def.name);
            if !rules.is_empty() {
                text += &format!("\nderivative written by hand: `{}`\n", rules.join("`, `"));
            }
            if let Some(formula) = formula(known, &def.name) {
                text += &format!("\n```\n{}\n```\n", formula.trim_end());
            }
            text
        }
        DefKind::Const => code(known.source(def.whole).trim_end_matches(';')) + &documented(known, def),
        DefKind::Dim => format!("{}\na dimension{}", code(&format!("{}: i64", def.name)), owner(known, def)),
        DefKind::Param => {
            format!("{}\na parameter{}", code(known.source(def.whole)), owner(known, def))
        }
        DefKind::Result => format!("{}\na result{}", code(known.source(def.whole)), owner(known, def)),
        DefKind::RuleParam | DefKind::Let | DefKind::Var | DefKind::Index => {
            let ty = known.type_at(def.span).map_or(String::new(), |t| format!(": {t}"));
            let word = match def.kind {
                DefKind::Var => "var ",
                DefKind::Let => "let ",
                _ => "",
            };
            code(&format!("{word}{}{ty}", def.name))
        }
    }
}

fn documented(known: &Known, def: &Def) -> String {
    let doc = documentation(known, def);
    if doc.is_empty() { doc } else { format!("\n{doc}") }
}

/// ` of `f``
fn owner(known: &Known, def: &Def) -> String {
    def.of.map_or(String::new(), |f| format!(" of `{}`", known.symbols.defs[f].name))
}

/// From `fn` to the result, as it is written.
pub(super) fn signature(known: &Known, def: &Def) -> String {
    use adc_frontend::syntax::ast::ItemKind;
    let tree = known.analysis.trees.get(def.span.file.0 as usize);
    let item = tree.and_then(|t| t.items.iter().find(|i| i.span == def.whole));
    match item.map(|i| &i.kind) {
        Some(ItemKind::Fn(sig, _) | ItemKind::ExternFn(sig)) => known.source(sig.span).to_string(),
        _ => def.name.clone(),
    }
}

/// The `///` lines of an item.
pub(super) fn documentation(known: &Known, def: &Def) -> String {
    let tree = known.analysis.trees.get(def.span.file.0 as usize);
    let item = tree.and_then(|t| t.items.iter().find(|i| i.span == def.whole));
    item.map_or(String::new(), |i| i.doc.clone())
}

/// The kinds of rules that a function has.
fn rules(known: &Known, name: &str) -> Vec<String> {
    use adc_frontend::syntax::ast::ItemKind;
    let items = known.analysis.trees.iter().flat_map(|t| &t.items);
    let rule = |kind: &ItemKind| match kind {
        ItemKind::Rule(r) if r.target.text == name => Some(format!("rule {}", r.kind.name())),
        _ => None,
    };
    items.filter_map(|i| rule(&i.kind)).collect()
}

/// The derivative of a small function, as mathematics.
fn formula(known: &Known, name: &str) -> Option<String> {
    let f = known.model.as_ref()?.function(name).ok()?;
    if f.ir().inst_count() > MAX_FORMULA || !f.ir().rules.is_empty() {
        return None;
    }
    let text = crate::cli::emit::formula(&f)?;
    (text.lines().count() <= MAX_LINES).then_some(text)
}

/// A built-in, a type or a constant of the language.
pub(super) fn builtin(word: &str) -> Option<String> {
    let page = lexicon::page(word);
    let op = Op::from_name(word).map(explain::op_page);
    match (page, op) {
        (None, None) => None,
        (page, op) => Some(code_page(&[page.unwrap_or_default(), op.unwrap_or_default()].join("\n"))),
    }
}

/// A page of `adc explain`, as Markdown.
fn code_page(page: &str) -> String {
    format!("```text\n{}\n```\n", page.trim_end())
}

fn code(text: &str) -> String {
    format!("```adc\n{text}\n```\n")
}
