//! What the server knows: open documents, files of the workspace, and the analysis of each, made when it is first asked for.

use super::text::Text;
use crate::{FileLoader, Model};
use adc_frontend::symbols::Symbols;
use adc_frontend::{Analysis, Loader, Program, SourceFile};
use adc_ir::{Datum, Diagnostic, FileId, Span};
use adc_jit::RuntimeMath;
use lsp_types::{Location, Range, Uri};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;
use std::sync::Arc;

/// Most files of the workspace that are searched for references.
const MAX_FILES: usize = 1000;
/// Deepest folder that is searched.
const MAX_DEPTH: usize = 16;

/// What is escaped in the path of a URI.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// An open document.
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Text,
}

/// The texts of open documents by name, as a loader of used files sees them.
#[derive(Clone, Default)]
pub(super) struct Buffers(pub(super) Arc<BTreeMap<String, String>>);

impl Loader for Buffers {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        let name = plain(&Path::new(from).parent().unwrap_or(Path::new("")).join(path));
        match self.0.get(&name) {
            Some(text) => Ok((name, text.clone())),
            None => FileLoader.load(from, path).map(|(_, text)| (name, text)),
        }
    }

    fn array(&mut self, from: &str, path: &str) -> Result<Datum, String> {
        FileLoader.array(from, path)
    }
}

/// A program with everything that is known of it.
pub(super) struct Known {
    pub(super) analysis: Analysis,
    pub(super) symbols: Symbols,
    /// The texts of its files, with lines.
    pub(super) texts: Vec<Text>,
    /// The model, if there are no errors.
    pub(super) model: Option<Model>,
}

impl Known {
    /// The program whose main file is `name`.
    pub(super) fn of(name: &str, text: &str, buffers: &Buffers) -> Known {
        let mut analysis = adc_frontend::analyse(name, text, &mut buffers.clone(), &RuntimeMath);
        let symbols = Symbols::of(&analysis.trees);
        let texts = analysis.files.iter().map(|f| Text::new(f.text.clone())).collect();
        let program = analysis.program.take();
        if let Some(program) = &program {
            analysis.diagnostics.0.extend(adc_ad::check_rules(&program.module).0);
        }
        let files = analysis.files.clone();
        let model = program.filter(|_| !analysis.diagnostics.has_errors()).map(|mut program| {
            let module = Arc::new(std::mem::take(&mut program.module));
            Model { program: Arc::new(Program { files, ..program }), module }
        });
        Known { analysis, symbols, texts, model }
    }

    /// The name of a file.
    pub(super) fn name(&self, file: FileId) -> &str {
        self.analysis.files.get(file.0 as usize).map_or("", |f| f.name.as_str())
    }

    /// The text of a file.
    pub(super) fn text(&self, file: FileId) -> Option<&Text> {
        self.texts.get(file.0 as usize)
    }

    /// The source text of a span.
    pub(super) fn source(&self, span: Span) -> &str {
        let text = self.text(span.file).map_or("", Text::as_str);
        text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The range of a span in its file.
    pub(super) fn range(&self, span: Span) -> Range {
        self.text(span.file).map_or(Range::default(), |t| t.range(span.start, span.end))
    }

    /// A span as a place that a client can go to.
    pub(super) fn location(&self, span: Span) -> Option<Location> {
        self.text(span.file)?;
        Some(Location::new(uri(self.name(span.file))?, self.range(span)))
    }

    /// The type at exactly this place.
    pub(super) fn type_at(&self, span: Span) -> Option<&str> {
        self.analysis.types.iter().find(|(s, _)| *s == span).map(|(_, t)| t.as_str())
    }

    /// Its messages, those about rules included.
    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        &self.analysis.diagnostics.0
    }
}

/// Everything the server knows.
#[derive(Default)]
pub(super) struct World {
    pub(super) documents: BTreeMap<String, Document>,
    /// Folders that are open in the client.
    pub(super) folders: Vec<PathBuf>,
    /// Programs by their main file, as long as nothing changes.
    pub(super) known: RefCell<BTreeMap<String, Rc<Known>>>,
}

impl World {
    /// Forgets what was known before a change.
    pub(super) fn changed(&mut self) {
        self.known.borrow_mut().clear();
    }

    pub(super) fn buffers(&self) -> Buffers {
        Buffers(Arc::new(
            self.documents.iter().map(|(n, d)| (n.clone(), d.text.as_str().to_string())).collect(),
        ))
    }

    /// The program of an open document.
    pub(super) fn program(&self, name: &str) -> Option<Rc<Known>> {
        if let Some(known) = self.known.borrow().get(name) {
            return Some(known.clone());
        }
        let document = self.documents.get(name)?;
        let known = Rc::new(Known::of(name, document.text.as_str(), &self.buffers()));
        self.known.borrow_mut().insert(name.to_string(), known.clone());
        Some(known)
    }

    /// The programs that the file `name` is part of: its own first, then those of open documents and of the workspace.
    pub(super) fn programs_with(&self, name: &str) -> Vec<Rc<Known>> {
        let mut programs: Vec<Rc<Known>> = self.program(name).into_iter().collect();
        let mut names: Vec<String> = self.documents.keys().cloned().collect();
        let own = Path::new(name).parent().map(Path::to_path_buf);
        for folder in self.folders.iter().chain(&own) {
            below(folder, 0, &mut names);
        }
        names.sort();
        names.dedup();
        let buffers = self.buffers();
        for other in names.iter().filter(|n| *n != name) {
            let open = self.documents.contains_key(other);
            let text = match buffers.0.get(other) {
                Some(text) => text.clone(),
                None => FileLoader.load("", other).map(|(_, text)| text).unwrap_or_default(),
            };
            // Most files use no others.
            if !text.contains("use") {
                continue;
            }
            let sources = adc_frontend::read(other, &text, &mut buffers.clone());
            if sources.files.iter().any(|f| f.name == name) {
                let fresh = || Some(Rc::new(Known::of(other, &text, &buffers)));
                programs.extend(if open { self.program(other) } else { fresh() });
            }
        }
        programs
    }
}

fn below(folder: &Path, depth: usize, names: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|e| e.ok().map(|e| e.path())) {
        let hidden = path
            .file_name()
            .is_none_or(|n| n.to_string_lossy().starts_with('.') || n == "target" || n == "node_modules");
        if hidden || names.len() >= MAX_FILES {
            continue;
        }
        if path.is_dir() && depth < MAX_DEPTH {
            below(&path, depth + 1, names);
        } else if path.extension().is_some_and(|e| e == "dsl") {
            names.push(plain(&path));
        }
    }
}

/// A path without `.` and `..`: the name of a file.
fn plain(path: &Path) -> String {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out.to_string_lossy().into_owned()
}

/// The name of a document: its path, or its whole URI if it is no file.
pub(super) fn name(uri: &Uri) -> String {
    match uri.as_str().strip_prefix("file://") {
        Some(path) => plain(Path::new(&*percent_decode_str(path).decode_utf8_lossy())),
        None => uri.as_str().to_string(),
    }
}

/// The URI of a name.
pub(super) fn uri(name: &str) -> Option<Uri> {
    let text = match name.starts_with('/') {
        true => format!("file://{}", utf8_percent_encode(name, ESCAPED)),
        false => name.to_string(),
    };
    Uri::from_str(&text).ok()
}

/// Sources for messages.
pub(super) fn sources(known: &Known) -> &[SourceFile] {
    &known.analysis.files
}
