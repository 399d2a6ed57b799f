//! What a client draws beside and over a text: the outline, colours, types of variables, lenses.

use super::world::Known;
use adc_frontend::editor::{Class, pieces};
use adc_frontend::symbols::{DefKind, Target};
use adc_frontend::syntax::ast::{DerivOp, ItemKind};
use adc_ir::{FileId, Span};
use lsp_types::{Range, SymbolKind};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

/// The kinds of semantic tokens, in the order of their numbers.
pub(super) const TOKENS: [&str; 11] = [
    "keyword",
    "function",
    "variable",
    "parameter",
    "typeParameter",
    "type",
    "number",
    "string",
    "comment",
    "operator",
    "decorator",
];
/// Their modifiers, in the order of their bits.
pub(super) const MODIFIERS: [&str; 3] = ["declaration", "readonly", "defaultLibrary"];

/// The items of the main file.
pub(super) fn outline(known: &Known) -> Vec<Json> {
    let Some(tree) = known.analysis.trees.first() else { return Vec::new() };
    let symbol = |name: &str, detail: String, kind: SymbolKind, whole: Span, selection: Span| {
        json!({
            "name": name, "detail": detail, "kind": kind,
            "range": known.range(whole), "selectionRange": known.range(selection),
        })
    };
    let mut symbols = Vec::new();
    for item in &tree.items {
        let one = match &item.kind {
            ItemKind::Fn(sig, _) | ItemKind::ExternFn(sig) => {
                let detail = known.source(Span { start: sig.name.span.end, ..sig.span }).to_string();
                symbol(&sig.name.text, detail, SymbolKind::FUNCTION, item.span, sig.name.span)
            }
            ItemKind::Const(c) => {
                let detail = known.source(c.ty.span).to_string();
                symbol(&c.name.text, detail, SymbolKind::CONSTANT, item.span, c.name.span)
            }
            ItemKind::Rule(r) => {
                let name = format!("rule {} {}", r.kind.name(), r.target.text);
                symbol(&name, String::new(), SymbolKind::METHOD, item.span, r.target.span)
            }
            ItemKind::Check(c) => {
                let name = format!("check {}", c.target.text);
                symbol(&name, String::new(), SymbolKind::EVENT, item.span, c.target.span)
            }
            ItemKind::Bench(c) => {
                let name = format!("bench {}", c.target.text);
                symbol(&name, String::new(), SymbolKind::EVENT, item.span, c.target.span)
            }
            ItemKind::Use(path) => {
                symbol(&path.text, "use".to_string(), SymbolKind::FILE, item.span, path.span)
            }
        };
        symbols.push(one);
    }
    symbols
}

/// The ranges that can be folded: items of several lines.
pub(super) fn folds(known: &Known) -> Vec<Json> {
    let items = known.analysis.trees.first().map_or(&[][..], |t| &t.items);
    let ranges = items.iter().map(|i| known.range(i.span)).filter(|r| r.end.line > r.start.line);
    ranges.map(|r| json!({"startLine": r.start.line, "endLine": r.end.line})).collect()
}

/// The types of variables that have none in the source.
pub(super) fn hints(known: &Known, range: Range) -> Vec<Json> {
    let wanted = |kind| matches!(kind, DefKind::Let | DefKind::Var);
    let defs = known.symbols.defs.iter().filter(|d| d.span.file == FileId(0) && wanted(d.kind) && !d.typed);
    let hint = |d: &adc_frontend::symbols::Def| {
        let at = known.range(d.span).end;
        let ty = known.type_at(d.span).filter(|t| !t.contains("unknown"))?;
        let inside = range.start <= at && at <= range.end;
        inside.then(|| json!({"position": at, "label": format!(": {ty}"), "kind": 1, "paddingLeft": false}))
    };
    defs.filter_map(hint).collect()
}

/// The classes of all tokens, as the protocol encodes them.
pub(super) fn tokens(known: &Known) -> Vec<u32> {
    let Some(text) = known.texts.first() else { return Vec::new() };
    let mut names: FxHashMap<u32, (usize, u32)> = FxHashMap::default();
    let of_kind = |kind: DefKind| match kind {
        DefKind::Fn | DefKind::ExternFn => (1, 0),
        DefKind::Const => (2, 2),
        DefKind::Dim => (4, 2),
        DefKind::Param | DefKind::RuleParam => (3, 2),
        DefKind::Result | DefKind::Let | DefKind::Index => (2, 2),
        DefKind::Var => (2, 0),
    };
    for d in known.symbols.defs.iter().filter(|d| d.span.file == FileId(0)) {
        let (kind, bits) = of_kind(d.kind);
        names.insert(d.span.start, (kind, bits | 1));
    }
    for u in known.symbols.uses.iter().filter(|u| u.span.file == FileId(0)) {
        let class = match u.target {
            Target::Def(def) => of_kind(known.symbols.defs[def].kind),
            Target::Builtin => (1, 4),
            Target::Named => (2, 6),
            Target::Type => (5, 4),
            Target::Out => (2, 2),
            Target::Unknown => (2, 0),
        };
        names.entry(u.span.start).or_insert(class);
    }
    let (mut out, mut before) = (Vec::new(), (0, 0));
    let (mut hash, mut attribute) = (false, false);
    for p in pieces(text.as_str()) {
        let word = &text.as_str()[p.start as usize..p.end as usize];
        // `#[…]`
        attribute = (attribute && word != "]") || (hash && word == "[");
        hash = word == "#";
        let class = match p.class {
            Class::Keyword => Some((0, 0)),
            Class::Name => Some(match names.get(&p.start) {
                Some(class) => *class,
                None if attribute => (10, 0),
                None if DerivOp::from_text(word).is_some() => (1, 4),
                // What is no name of anything is a word of the grammar.
                None => (0, 0),
            }),
            Class::Number => Some((6, 0)),
            Class::Text => Some((7, 0)),
            Class::Comment => Some((8, 0)),
            Class::Operator => Some((9, 0)),
            Class::Mark => None,
        };
        let Some((kind, bits)) = class else { continue };
        // A token is within a line.
        let mut start = p.start as usize;
        for line in word.split_inclusive('\n') {
            let shown = line.trim_end_matches(['\n', '\r']);
            let at = text.position(start);
            let length: u32 = shown.chars().map(|c| c.len_utf16() as u32).sum();
            if length > 0 {
                let (line, column) = before;
                let same = at.line == line;
                out.extend([at.line - line, if same { at.character - column } else { at.character }]);
                out.extend([length, kind as u32, bits]);
                before = (at.line, at.character);
            }
            start += line.len();
        }
    }
    out
}

/// `check` above functions and blocks, `show derivative` above functions.
pub(super) fn lenses(known: &Known, uri: &str) -> Vec<Json> {
    let Some(tree) = known.analysis.trees.first() else { return Vec::new() };
    let lens = |span: Span, title: &str, command: &str, function: &str| {
        json!({
            "range": known.range(span),
            "command": {"title": title, "command": command, "arguments": [uri, function]},
        })
    };
    let mut lenses = Vec::new();
    for item in &tree.items {
        match &item.kind {
            ItemKind::Fn(sig, _) => {
                lenses.push(lens(sig.name.span, "▸ check", super::commands::CHECK, &sig.name.text));
                lenses.push(lens(
                    sig.name.span,
                    "∂ show derivative",
                    super::commands::DERIVATIVE,
                    &sig.name.text,
                ));
            }
            ItemKind::Check(c) => {
                lenses.push(lens(c.target.span, "▸ check", super::commands::CHECK, &c.target.text));
            }
            ItemKind::ExternFn(_)
            | ItemKind::Const(_)
            | ItemKind::Rule(_)
            | ItemKind::Bench(_)
            | ItemKind::Use(_) => {}
        }
    }
    lenses
}
