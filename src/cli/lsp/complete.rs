//! Completion and signature help.

use super::hover;
use super::world::Known;
use crate::cli::lexicon;
use adc_frontend::editor::{self, Calling, Expecting, KEYWORDS, Place};
use adc_frontend::symbols::{Def, DefKind};
use adc_frontend::syntax::LINE_WORDS;
use adc_frontend::syntax::ast::DerivOp;
use adc_frontend::{BUILTINS, Builtin, NAMED};
use adc_ir::{FileId, Mode, Scalar};
use lsp_types::{CompletionItemKind as Kind, Range};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Items with a syntax, as snippets.
const ITEMS: &[(&str, &str)] = &[
    ("fn", "fn ${1:f}(${2:x}: ${3:f64}) -> ${4:f64} {\n    $0\n}"),
    ("const", "const ${1:C}: ${2:f64} = $0;"),
    ("extern", "extern fn ${1:f}(${2:x}: ${3:f64}) -> ${4:f64};"),
    ("use", "use \"$0\";"),
    ("rule", "rule ${1|vjp,jvp,partial|} "),
    ("check", "check ${1:f} {\n    $0\n}"),
    ("bench", "bench ${1:f} {\n    $0\n}"),
];

/// Statements and expressions with a syntax.
const STATEMENTS: &[(&str, &str)] = &[
    ("let", "let ${1:x} = $0;"),
    ("var", "var ${1:x} = $0;"),
    ("for", "for ${1:i} in ${2:0}..${3:N} {\n    $0\n}"),
    ("while", "while ${1:c} {\n    $0\n}"),
    ("if", "if ${1:c} { ${2:a} } else { ${3:b} }"),
    ("assert", "assert ${1:c}, \"${2:text}\";"),
];

struct Menu<'a> {
    range: Range,
    snippets: bool,
    known: &'a Known,
    items: Vec<Json>,
}

/// What can be written at byte `at` of the main file.
pub(super) fn items(known: &Known, at: usize, snippets: bool) -> Vec<Json> {
    let Some(text) = known.texts.first() else { return Vec::new() };
    let place = editor::place(text.as_str(), at);
    let range = text.range(place.start as u32, at as u32);
    let mut menu = Menu { range, snippets, known, items: Vec::new() };
    menu.fill(&place, at);
    menu.items
}

impl Menu<'_> {
    fn add(&mut self, label: &str, kind: Kind, detail: Option<&str>, doc: Option<String>) {
        self.insert(label, label, kind, detail, doc);
    }

    fn insert(&mut self, label: &str, text: &str, kind: Kind, detail: Option<&str>, doc: Option<String>) {
        let snippet = text.contains('$');
        let text = if snippet && !self.snippets { label } else { text };
        let mut item = json!({
            "label": label,
            "kind": kind,
            "textEdit": {"range": self.range, "newText": text},
            "insertTextFormat": if snippet && self.snippets { 2 } else { 1 },
        });
        if let Some(detail) = detail {
            item["detail"] = detail.into();
        }
        if let Some(doc) = doc.filter(|d| !d.is_empty()) {
            item["documentation"] = json!({"kind": "markdown", "value": doc});
        }
        self.items.push(item);
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w str>, kind: Kind) {
        for word in words {
            self.add(word, kind, lexicon::meaning(word), None);
        }
    }

    fn fill(&mut self, place: &Place, at: usize) {
        match &place.expecting {
            Expecting::Nothing => {}
            Expecting::Item => {
                for (word, snippet) in ITEMS {
                    self.insert(word, snippet, Kind::KEYWORD, lexicon::meaning(word), None);
                }
            }
            Expecting::Type => {
                self.words(Scalar::all().map(Scalar::name), Kind::STRUCT);
                self.words(["fn"], Kind::KEYWORD);
            }
            Expecting::Attribute => {
                for (name, place, forms) in adc_frontend::syntax::attributes() {
                    self.add(name, Kind::PROPERTY, Some(&format!("on {place}: {forms}")), None);
                }
            }
            Expecting::Path => self.paths(),
            Expecting::RuleKind => self.words(["jvp", "vjp", "partial"], Kind::KEYWORD),
            Expecting::Function => {
                self.definitions(at, |d| matches!(d.kind, DefKind::Fn | DefKind::ExternFn))
            }
            Expecting::Line(function) => {
                self.members(function, DefKind::Param);
                self.words(LINE_WORDS.iter().copied(), Kind::KEYWORD);
            }
            Expecting::Parameter(function) => self.members(function, DefKind::Param),
            Expecting::Result(function) => {
                self.members(function, DefKind::Result);
                self.add("out", Kind::VARIABLE, Some("the result"), None);
            }
            Expecting::Distribution => {
                for (word, form) in adc_frontend::distributions() {
                    let doc = lexicon::meaning(word).map(String::from);
                    self.insert(word, &format!("{word}($0)"), Kind::FUNCTION, Some(form), doc);
                }
            }
            Expecting::Mode => {
                self.words(Mode::all().map(Mode::name), Kind::ENUM_MEMBER);
                self.words(["primal", "jvp", "vjp"], Kind::ENUM_MEMBER);
            }
            Expecting::Verdict => {
                self.words(adc_ir::Expect::all().map(adc_ir::Expect::name), Kind::ENUM_MEMBER);
            }
            Expecting::Expression => self.expression(at),
        }
    }

    fn expression(&mut self, at: usize) {
        self.definitions(at, |_| true);
        let taken = |menu: &Self, name: &str| menu.items.iter().any(|i| i["label"] == name);
        for b in BUILTINS.iter() {
            if !taken(self, b.name) {
                let doc = hover::builtin(b.name);
                self.insert(b.name, &format!("{}($0)", b.name), Kind::FUNCTION, Some(b.doc), doc);
            }
        }
        for (name, value) in NAMED {
            if !taken(self, name) {
                let value = adc_ir::numbers::real(value.value(false));
                self.add(name, Kind::CONSTANT, Some(&value), None);
            }
        }
        for op in DerivOp::ALL {
            let text = if op.takes_seeds() { "($1)($2; $0)" } else { "($1)($0)" };
            let word = op.text();
            self.insert(word, &format!("{word}{text}"), Kind::FUNCTION, lexicon::meaning(word), None);
        }
        self.words(Scalar::all().map(Scalar::name), Kind::STRUCT);
        for (word, snippet) in STATEMENTS {
            self.insert(word, snippet, Kind::KEYWORD, lexicon::meaning(word), None);
        }
        let items = ["fn", "const", "use", "extern"];
        let rest = KEYWORDS.iter().copied();
        let rest = rest.filter(|k| !items.contains(k) && STATEMENTS.iter().all(|(w, _)| w != k));
        self.words(rest, Kind::KEYWORD);
    }

    /// Names that can be seen at a byte.
    fn definitions(&mut self, at: usize, wanted: impl Fn(&Def) -> bool) {
        let known = self.known;
        for id in known.symbols.visible(FileId(0), at as u32) {
            let def = &known.symbols.defs[id];
            if wanted(def) {
                self.definition(def);
            }
        }
    }

    fn members(&mut self, function: &str, kind: DefKind) {
        let known = self.known;
        let Some(function) = known.symbols.item(function) else { return };
        for (_, def) in known.symbols.members(function, kind) {
            self.definition(def);
        }
    }

    fn definition(&mut self, def: &Def) {
        let known = self.known;
        let (kind, detail) = match def.kind {
            DefKind::Fn | DefKind::ExternFn => (Kind::FUNCTION, hover::signature(known, def)),
            DefKind::Const => (Kind::CONSTANT, known.source(def.whole).to_string()),
            DefKind::Dim => (Kind::TYPE_PARAMETER, "i64".to_string()),
            DefKind::Param | DefKind::Result => (Kind::VARIABLE, known.source(def.whole).to_string()),
            DefKind::RuleParam | DefKind::Let | DefKind::Var | DefKind::Index => {
                (Kind::VARIABLE, known.type_at(def.span).unwrap_or("").to_string())
            }
        };
        let doc = if def.kind.is_item() { Some(hover::documentation(known, def)) } else { None };
        self.add(&def.name, kind, Some(&detail), doc);
    }

    /// Models beside the main file.
    fn paths(&mut self) {
        let own = Path::new(self.known.name(FileId(0)));
        let Some(entries) = own.parent().and_then(|dir| std::fs::read_dir(dir).ok()) else { return };
        let mut names: Vec<String> = entries
            .filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()))
            .filter(|n| n.ends_with(".dsl") && own.file_name().is_none_or(|own| own.to_string_lossy() != *n))
            .collect();
        names.sort();
        names.iter().for_each(|n| self.add(n, Kind::FILE, None, None));
    }
}

/// The parameters of the call around byte `at`.
pub(super) fn signature_help(known: &Known, at: usize) -> Option<Json> {
    let text = known.texts.first()?;
    let calling = editor::place(text.as_str(), at).calling?;
    let (label, params, doc) = shown(known, &calling)?;
    let active = calling.argument.min(params.len().saturating_sub(1));
    Some(json!({
        "signatures": [{
            "label": label,
            "documentation": {"kind": "markdown", "value": doc},
            "parameters": params.iter().map(|p| json!({"label": p})).collect::<Vec<_>>(),
        }],
        "activeSignature": 0,
        "activeParameter": active,
    }))
}

/// Label, parameters and documentation of a call.
fn shown(known: &Known, calling: &Calling) -> Option<(String, Vec<String>, String)> {
    let name = calling.function.as_str();
    let item = known.symbols.item(name).filter(|f| known.symbols.defs[*f].kind != DefKind::Const);
    let Some(id) = item else {
        let b = Builtin::find(name)?;
        let params = b.parameters();
        let label = format!("{name}({})", params.join(", "));
        return Some((label, params, b.doc.to_string()));
    };
    let def = &known.symbols.defs[id];
    let params: Vec<String> =
        known.symbols.members(id, DefKind::Param).map(|(_, p)| known.source(p.whole).to_string()).collect();
    let doc = hover::documentation(known, def);
    match calling.derivative {
        None => Some((hover::signature(known, def), params, doc)),
        Some(op) => {
            let seeds = match op {
                DerivOp::Vjp | DerivOp::ValueAndVjp => "; cotangents",
                _ if op.takes_seeds() => "; tangents",
                _ => "",
            };
            let label = format!("{}({name})({}{seeds})", op.text(), params.join(", "));
            let params = if calling.seed { vec![seeds[2..].to_string()] } else { params };
            Some((label, params, doc))
        }
    }
}
