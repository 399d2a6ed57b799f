//! Sources whose blanks are squeezed and stretched, with comments at random places, and what the formatter must leave alone.

use adc_frontend::format::format;
use adc_frontend::syntax;
use adc_ir::FileId;
use adc_ir::testing::Rng;

/// What goes between two tokens.
const BETWEEN: &[&str] = &[
    " ",
    "  ",
    "\n",
    "\n\n\n",
    "\t",
    " \r\n",
    " /* inside */ ",
    "/**/",
    " /* over\n   two /* nested */ lines */\n",
    " // to the end\n",
    "//\n",
    "\n// own line\n",
    "\n\n  // apart\n\n",
];

/// The pieces of a source with other white space between them. Every tenth place or so changes.
pub(crate) fn scattered(source: &str, rng: &mut Rng) -> String {
    let rate = rng.pick(&[3, 10, 100]);
    let mut out = String::new();
    for piece in pieces(source) {
        let blank = piece.trim().is_empty();
        let mark = matches!(piece, "(" | ")" | "[" | "]" | "{" | "}" | "," | ";");
        let comment = out.ends_with("//") || out.rsplit('\n').next().is_some_and(|l| l.contains("//"));
        match (blank, rng.one_in(rate)) {
            // A line comment ends with its line.
            _ if comment => out.push_str(piece),
            (true, true) => out.push_str(rng.pick(BETWEEN)),
            (true, false) => out.push_str(piece),
            (false, true) if mark => {
                out.push_str(rng.pick(BETWEEN));
                out.push_str(piece);
            }
            (false, _) => out.push_str(piece),
        }
    }
    out
}

/// Cut at white space and brackets; comments and strings in one piece.
fn pieces(source: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => block_comment(rest),
            '"' => rest[1..].find(['"', '\n']).map_or(rest.len(), |i| i + 2),
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' => 1,
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            _ => {
                let end = |(i, c): (usize, char)| {
                    let ends = c.is_whitespace() || "()[]{},;\"".contains(c) || rest[i..].starts_with("//");
                    ends || rest[i..].starts_with("/*")
                };
                rest.char_indices().find(|at| end(*at)).map_or(rest.len(), |(i, _)| i)
            }
        };
        let (piece, more) = rest.split_at(length.max(c.len_utf8()));
        pieces.push(piece);
        rest = more;
    }
    pieces
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut i) = (0, 0);
    while i < text.len() {
        match &text.as_bytes()[i..] {
            [b'/', b'*', ..] => (depth, i) = (depth + 1, i + 2),
            [b'*', b'/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

/// Formats a source: the tree and the comments stay, and the result stays when it is formatted again. What comes out, or nothing if the
/// source has errors.
pub(crate) fn formatted(source: &str) -> Result<Option<String>, String> {
    let Ok(once) = format(FileId(0), source) else { return Ok(None) };
    let twice = format(FileId(0), &once).map_err(|e| format!("formatted, it is no program: {e}"))?;
    if once != twice {
        return Err(format!("formatting twice is not formatting once:\n{}", changed(&once, &twice)));
    }
    if tree(source) != tree(&once) {
        return Err(format!("another tree:\n{}", changed(&tree(source), &tree(&once))));
    }
    let comments = |text: &str| -> Vec<String> {
        let comment = |p: &&str| p.starts_with("//") || p.starts_with("/*");
        pieces(text).into_iter().filter(comment).map(|c| c.replace('\r', "").trim_end().to_string()).collect()
    };
    if comments(source) != comments(&once) {
        return Err("the comments are others".to_string());
    }
    Ok(Some(once))
}

/// The tree without its spans.
fn tree(text: &str) -> String {
    let (file, _) = syntax::parse(FileId(0), text);
    let dump = syntax::dump::dump(&file, text);
    dump.lines().map(|l| l.rsplit_once("  ").map_or(l, |(what, _)| what)).collect::<Vec<_>>().join("\n")
}

/// The first line that differs.
fn changed(a: &str, b: &str) -> String {
    let differs = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    differs.map_or("one is longer".to_string(), |(a, b)| format!("{a}\n{b}"))
}
