//! The files of a program: the main one and, through `use`, others.

use crate::source::{Loader, SourceFile};
use crate::syntax::{self, ast};
use adc_ir::{Code, Diagnostic, Diagnostics, FileId, Span};

/// Most files a program may consist of.
pub const MAX_FILES: usize = 1000;

/// Most bytes a program may consist of, all files together.
pub const MAX_BYTES: usize = 16 << 20;

/// Longest chain of files that use each other.
pub const MAX_USE_DEPTH: usize = 64;

/// Sources and their trees, both indexed by [`FileId`]; the main file is the first.
#[derive(Default)]
pub struct Files {
    /// Names and texts.
    pub sources: Vec<SourceFile>,
    /// What was read.
    pub trees: Vec<ast::File>,
    /// What could not be read.
    pub diagnostics: Diagnostics,
    /// The file that each `use` names, by the place of its path.
    pub uses: Vec<(Span, FileId)>,
    bytes: usize,
}

/// Reads the main file and everything it uses.
pub fn load(name: &str, text: &str, loader: &mut dyn Loader) -> Files {
    let mut files = Files::default();
    files.add(name.to_string(), text.to_string(), loader, &mut Vec::new());
    files
}

impl Files {
    fn add(&mut self, name: String, text: String, loader: &mut dyn Loader, path: &mut Vec<FileId>) {
        let id = FileId(self.sources.len() as u32);
        self.bytes += text.len();
        let (tree, found) = syntax::parse(id, &text);
        self.diagnostics.0.extend(found.0);
        let uses: Vec<ast::Str> = tree.items.iter().filter_map(used).cloned().collect();
        self.sources.push(SourceFile { name, text });
        self.trees.push(tree);
        path.push(id);
        for file in &uses {
            if let Err(d) = self.follow(id, file, loader, path) {
                self.diagnostics.push(d);
            }
        }
        path.pop();
    }

    /// Loads one `use`, unless its file is there already.
    fn follow(
        &mut self,
        from: FileId,
        file: &ast::Str,
        loader: &mut dyn Loader,
        path: &mut Vec<FileId>,
    ) -> Result<(), Diagnostic> {
        let from_name = self.sources[from.0 as usize].name.clone();
        let (name, text) = loader.load(&from_name, &file.text).map_err(|why| {
            Diagnostic::error(Code::UseFailed, format!("`{}` cannot be read", file.text))
                .label(file.span, why)
                .help(format!("the path is relative to `{from_name}`"))
        })?;
        if let Some(at) = path.iter().position(|f| self.sources[f.0 as usize].name == name) {
            let mut round: Vec<&str> =
                path[at..].iter().map(|f| self.sources[f.0 as usize].name.as_str()).collect();
            round.push(&name);
            return Err(Diagnostic::error(Code::UseFailed, format!("`{name}` uses itself"))
                .label(file.span, format!("the files use each other: {}", round.join(" -> ")))
                .help("move what both need to a third file"));
        }
        if let Some(there) = self.sources.iter().position(|f| f.name == name) {
            self.uses.push((file.span, FileId(there as u32)));
            return Ok(());
        }
        let too_large = |what: String| {
            Err(Diagnostic::error(Code::TooLarge, "the program is too large").label(file.span, what))
        };
        if path.len() >= MAX_USE_DEPTH {
            return too_large(format!("files may use each other {MAX_USE_DEPTH} deep"));
        }
        if self.sources.len() >= MAX_FILES {
            return too_large(format!("a program may have {MAX_FILES} files"));
        }
        if self.bytes + text.len() > MAX_BYTES {
            return too_large(format!("all files together may have {MAX_BYTES} bytes"));
        }
        self.uses.push((file.span, FileId(self.sources.len() as u32)));
        self.add(name, text, loader, path);
        Ok(())
    }
}

fn used(item: &ast::Item) -> Option<&ast::Str> {
    match &item.kind {
        ast::ItemKind::Use(file) => Some(file),
        ast::ItemKind::Fn(..)
        | ast::ItemKind::ExternFn(_)
        | ast::ItemKind::Const(_)
        | ast::ItemKind::Rule(_)
        | ast::ItemKind::Check(_)
        | ast::ItemKind::Bench(_) => None,
    }
}
