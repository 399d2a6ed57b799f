//! The fenced blocks of Markdown pages: what a page shows is what the tests run.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// A fenced block.
pub struct Block {
    /// First word behind the fence: `dsl`, `console`, `rust`, …
    pub lang: String,
    /// The other words: a file name, or the code of the error that the block shows.
    pub info: String,
    /// The lines between the fences.
    pub text: String,
    /// Line of the opening fence, from 1.
    pub line: usize,
}

impl Block {
    /// The file the block stands for: named behind the fence, or by a comment that is its first line.
    pub fn file(&self) -> Option<&str> {
        let named = |name: &str| name.contains('.') && !name.contains(char::is_whitespace);
        let comment = self.text.lines().next().and_then(|l| l.strip_prefix("// "));
        [Some(self.info.as_str()), comment].into_iter().flatten().find(|name| named(name))
    }

    /// The `$` lines.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.text.lines().filter_map(|l| l.strip_prefix("$ "))
    }
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every fenced block of a page.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in markdown.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(words)) => {
                let (lang, info) = words.split_once([' ', ',']).unwrap_or((words, ""));
                let (lang, info) = (lang.trim().to_string(), info.trim().to_string());
                open = Some(Block { lang, info, text: String::new(), line: i + 1 });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text += line;
                block.text += "\n";
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// README, CONTRIBUTING, the pages of the book and of the examples, relative to [`root`].
pub fn pages() -> Vec<PathBuf> {
    let mut pages = vec![PathBuf::from("README.md"), PathBuf::from("CONTRIBUTING.md")];
    below(Path::new("book/src"), "md", &mut pages);
    below(Path::new("examples"), "md", &mut pages);
    pages
}

/// The files below a directory with this extension, sorted.
pub fn below(dir: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(root().join(dir)).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut names: Vec<_> = entries.map(|e| dir.join(e.expect("a readable directory").file_name())).collect();
    names.sort();
    for path in names {
        if root().join(&path).is_dir() {
            below(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

/// The text of a file of the repository, with the files that a page of the book includes.
pub fn read(path: &Path) -> String {
    let text = |path: &Path| {
        std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let dir = path.parent().expect("a file is in a directory");
    let line = |line: &str| match line.strip_prefix("{{#include ").and_then(|l| l.split_once("}}")) {
        Some((file, end)) => text(&dir.join(file)).trim_end().to_string() + end,
        None => line.to_string(),
    };
    text(path).split_inclusive('\n').map(line).collect()
}
