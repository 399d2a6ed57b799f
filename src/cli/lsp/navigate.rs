//! Definitions, references, new names, also across files.

use super::world::{Known, World, name as name_of};
use adc_frontend::symbols::DefId;
use adc_ir::{Edit, FileId, Severity, Span};
use lsp_types::{Location, Uri};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Where what stands at byte `at` of the main file is defined: a name, or the file of a `use`.
pub(super) fn definition(known: &Known, at: u32) -> Option<Location> {
    let here = |s: &Span| s.file == FileId(0) && s.start <= at && at <= s.end;
    if let Some((_, file)) = known.analysis.uses.iter().find(|(s, _)| here(s)) {
        return known.location(Span::new(*file, 0, 0));
    }
    let def = known.symbols.def_at(FileId(0), at)?;
    known.location(known.symbols.defs[def].span)
}

/// A definition by file and place, the same in every program.
fn same_def(known: &Known, file: &str, span: (u32, u32)) -> Option<DefId> {
    let same = |s: Span| known.name(s.file) == file && (s.start, s.end) == span;
    known.symbols.defs.iter().position(|d| same(d.span))
}

/// Every place of a name in every program that it is part of: by file, in order.
fn places(world: &World, known: &Known, def: DefId, itself: bool) -> BTreeMap<String, Vec<Span>> {
    let span = known.symbols.defs[def].span;
    let file = known.name(span.file).to_string();
    let mut places: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    let own = [known];
    let others = world.programs_with(&file);
    for program in own.into_iter().chain(others.iter().map(|p| &**p)) {
        let Some(def) = same_def(program, &file, (span.start, span.end)) else { continue };
        let itself = itself.then_some(program.symbols.defs[def].span);
        for at in program.symbols.uses_of(def).chain(itself) {
            let list = places.entry(program.name(at.file).to_string()).or_default();
            if !list.iter().any(|s| (s.start, s.end) == (at.start, at.end)) {
                list.push(at);
            }
        }
    }
    places.values_mut().for_each(|list| list.sort_by_key(|s| s.start));
    places
}

/// Uses of the name at byte `at`, with its definition if asked for.
pub(super) fn references(world: &World, known: &Known, at: u32, itself: bool) -> Vec<Location> {
    let Some(def) = known.symbols.def_at(FileId(0), at) else { return Vec::new() };
    let mut found = Vec::new();
    for (file, spans) in places(world, known, def, itself) {
        let (Some(uri), Some(text)) = (super::world::uri(&file), text_of(world, &file)) else { continue };
        found.extend(spans.iter().map(|s| Location::new(uri.clone(), text.range(s.start, s.end))));
    }
    found
}

/// The places of the name in the main file alone.
pub(super) fn highlights(known: &Known, at: u32) -> Vec<Json> {
    let Some(def) = known.symbols.def_at(FileId(0), at) else { return Vec::new() };
    let itself = known.symbols.defs[def].span;
    let spans = known.symbols.uses_of(def).chain([itself]).filter(|s| s.file == FileId(0));
    spans.map(|s| json!({"range": known.range(s), "kind": if s == itself { 3 } else { 2 }})).collect()
}

fn text_of(world: &World, file: &str) -> Option<super::text::Text> {
    use adc_frontend::Loader;
    match world.documents.get(file) {
        Some(document) => Some(document.text.clone()),
        None => crate::FileLoader.load("", file).ok().map(|(_, text)| super::text::Text::new(text)),
    }
}

/// The name that can be changed at byte `at`.
pub(super) fn prepare_rename(known: &Known, at: u32) -> Option<Json> {
    let def = known.symbols.def_at(FileId(0), at)?;
    let spans = known.symbols.uses_of(def).chain([known.symbols.defs[def].span]);
    let span = spans.into_iter().find(|s| s.file == FileId(0) && s.start <= at && at <= s.end)?;
    Some(json!({"range": known.range(span), "placeholder": known.symbols.defs[def].name}))
}

/// Gives the name at byte `at` another one, everywhere.
///
/// # Errors
/// What stands in the way: no name there, no valid name, or a clash.
pub(super) fn rename(world: &World, known: &Known, at: u32, new: &str) -> Result<Json, String> {
    let def = known.symbols.def_at(FileId(0), at).ok_or("there is no name of this program here")?;
    let old = &known.symbols.defs[def].name;
    if !is_name(new) {
        return Err(format!("`{new}` cannot be a name"));
    }
    let span = known.symbols.defs[def].span;
    let file = known.name(span.file).to_string();
    let places = places(world, known, def, true);
    // The changed texts, as a client would have them.
    let mut buffers = (*world.buffers().0).clone();
    for (name, spans) in &places {
        let text = text_of(world, name).ok_or_else(|| format!("`{name}` cannot be read"))?;
        let edit = |s: &Span| Edit { span: *s, text: new.to_string() };
        let edits: Vec<Edit> = spans.iter().map(edit).collect();
        let changed = adc_ir::edited(text.as_str(), &edits).ok_or("the places of the name overlap")?;
        buffers.insert(name.clone(), changed);
    }
    let buffers = super::world::Buffers(std::sync::Arc::new(buffers));
    let others = world.programs_with(&file);
    for before in [known].into_iter().chain(others.iter().map(|p| &**p)) {
        let main = before.name(FileId(0));
        let text = buffers.0.get(main).cloned().or_else(|| Some(before.texts.first()?.as_str().to_string()));
        let after = Known::of(main, &text.unwrap_or_default(), &buffers);
        same_meaning(before, &after).map_err(|why| format!("`{old}` cannot become `{new}`: {why}"))?;
    }
    let mut files = serde_json::Map::new();
    for (name, spans) in &places {
        let (Some(uri), Some(text)) = (super::world::uri(name), text_of(world, name)) else { continue };
        let edit = |s: &Span| json!({"range": text.range(s.start, s.end), "newText": new});
        files.insert(uri.as_str().to_string(), spans.iter().map(edit).collect());
    }
    Ok(json!({"changes": files}))
}

/// Whether a word can be the name of something.
fn is_name(word: &str) -> bool {
    let source = format!("fn {word}(x: f64) -> f64 {{ x }}");
    let (tree, errors) = adc_frontend::syntax::parse(FileId(0), &source);
    let named = |i: &adc_frontend::syntax::ast::Item| match &i.kind {
        adc_frontend::syntax::ast::ItemKind::Fn(sig, _) => sig.name.text == word,
        _ => false,
    };
    errors.0.is_empty() && word != "_" && tree.items.len() == 1 && named(&tree.items[0])
}

/// Every use has to stand for the same definition, and there must be no new error.
fn same_meaning(before: &Known, after: &Known) -> Result<(), String> {
    let errors = |k: &Known| k.diagnostics().iter().filter(|d| d.severity == Severity::Error).count();
    if errors(after) > errors(before) {
        let known = |d: &adc_ir::Diagnostic| before.diagnostics().iter().any(|b| b.message == d.message);
        // That a name is taken explains what else is wrong.
        let taken = |d: &&adc_ir::Diagnostic| d.code != adc_ir::Code::DuplicateName;
        let new = after
            .diagnostics()
            .iter()
            .filter(|d| d.severity == Severity::Error && !known(d))
            .min_by_key(taken);
        return Err(new.map_or("it would be an error".to_string(), |d| d.message.clone()));
    }
    let (old, new) = (&before.symbols, &after.symbols);
    let moved = |i: usize| old.uses.get(i).map(|u| u.target) != new.uses.get(i).map(|u| u.target);
    if old.defs.len() != new.defs.len() || old.uses.len() != new.uses.len() {
        return Err("the program would be another one".to_string());
    }
    if let Some(i) = (0..new.uses.len()).find(|i| moved(*i)) {
        let at = after.location(new.uses[i].span);
        let line = at.map_or(0, |l| l.range.start.line + 1);
        let word = after.source(new.uses[i].span);
        return Err(format!(
            "`{word}` in line {line} of `{}` would stand for something else",
            after.name(new.uses[i].span.file)
        ));
    }
    Ok(())
}

/// The name of a document of a request.
pub(super) fn document(uri: &Uri) -> String {
    name_of(uri)
}
