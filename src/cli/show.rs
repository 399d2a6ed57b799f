//! Values for people: lines `label = value`, arrays row by row, long ones abbreviated; and as files and JSON.

use super::point;
use super::{Session, Stop, padded};
use crate::port::Port;
use crate::value::Value;
use crate::{Coo, json, npy};
use adc_ir::{Const, Diagnostic};
use serde_json::{Value as Json, json};
use std::path::Path;

/// An array of at most this many entries is shown completely.
const SHOWN: usize = 64;
/// Entries shown at each end of an axis of a longer one.
const ENDS: usize = 3;

/// A value as text.
pub(crate) struct Text {
    text: String,
    /// Whether something was omitted.
    abbreviated: bool,
}

/// A value; completely if `all`.
pub(crate) fn text(v: &Value, all: bool) -> Text {
    let long = !all && v.consts().len() > SHOWN;
    let text = point::abbreviated(v, if long { ENDS } else { usize::MAX });
    Text { abbreviated: text.contains('…'), text }
}

/// A value with every number as `number` writes it.
pub(crate) fn mapped(v: &Value, number: impl Fn(Const) -> String) -> Text {
    Text { text: point::nested_text(v, usize::MAX, &number), abbreviated: false }
}

/// Prints `label = value` lines, and notes what was omitted.
pub(crate) fn lines(session: &mut Session, lines: Vec<(String, Text)>) -> Result<(), Stop> {
    let width = lines.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0);
    for (label, value) in &lines {
        writeln!(session.io.out, "{} = {}", padded(label, width), rows(&value.text, width + 3))?;
    }
    if lines.iter().any(|(_, v)| v.abbreviated) && !session.quiet {
        writeln!(
            session.io.out,
            "(long arrays are abbreviated; -v, --format json or --out FILE.npy has all of them)"
        )?;
    }
    Ok(())
}

/// Each row of a matrix on a line of its own.
fn rows(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            // Between rows, and around the mark for omitted rows.
            ',' if depth > 0 && (out.ends_with("],") || out.ends_with("…,")) && rest_is_row(&chars) => {
                chars.next();
                out.push('\n');
                out.push_str(&" ".repeat(indent + depth));
            }
            _ => {}
        }
    }
    out
}

fn rest_is_row(rest: &std::iter::Peekable<std::str::Chars>) -> bool {
    let mut rest = rest.clone();
    rest.next();
    matches!(rest.next(), Some('[' | '…'))
}

/// Outputs in a document.
pub(crate) fn outputs(ports: &[Port], values: &[Value]) -> Json {
    let output =
        |(o, v): (&Port, &Value)| json!({"name": o.name, "type": v.describe(), "value": json::value(v)});
    ports.iter().zip(values).map(output).collect()
}

/// Writes values to `.npy` files and prints their paths.
pub(crate) fn files(session: &mut Session, path: &Path, values: &[(&str, &Value)]) -> Result<(), Stop> {
    for (name, value) in values {
        let file = match values.len() {
            1 => path.to_path_buf(),
            _ => {
                let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
                path.with_file_name(format!("{stem}.{name}.npy"))
            }
        };
        npy::write(&file, value).map_err(Diagnostic::from)?;
        if session.verbose {
            let _ = writeln!(session.io.err, "wrote {} ({})", file.display(), value.describe());
        }
    }
    Ok(())
}

/// Writes sparse matrices to `.npz` files as SciPy does, and prints their paths.
pub(crate) fn npz(session: &mut Session, path: &Path, blocks: &[Coo]) -> Result<(), Stop> {
    for b in blocks {
        let file = match blocks.len() {
            1 => path.to_path_buf(),
            _ => {
                let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
                path.with_file_name(format!("{stem}.{}.{}.npz", b.row_name, b.column_name))
            }
        };
        npy::write_sparse(&file, b).map_err(Diagnostic::from)?;
        if session.verbose {
            let ([m, n], count) = (b.shape, b.value.len());
            let _ = writeln!(session.io.err, "wrote {} ({count} of {m} × {n} entries)", file.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_as_text() {
        let v = |shape: &[usize]| {
            Value::array(shape, (0..shape.iter().product::<usize>()).map(|i| i as f64).collect()).unwrap()
        };
        let show = |shape: &[usize], all| rows(&text(&v(shape), all).text, 4);
        assert_eq!(show(&[3], false), "[0, 1, 2]");
        assert_eq!(show(&[0], false), "[]");
        assert_eq!(show(&[2, 2], false), "[[0, 1],\n     [2, 3]]");
        assert_eq!(show(&[1, 2, 2], false), "[[[0, 1],\n      [2, 3]]]");
        assert_eq!(show(&[2, 1, 1], false), "[[[0]],\n     [[1]]]");
        assert_eq!(show(&[65], false), "[0, 1, 2, …, 62, 63, 64]");
        let matrix = "[[0, 1],\n     [2, 3],\n     [4, 5],\n     …,\n     [194, 195],\n     [196, 197],\n     [198, 199]]";
        assert_eq!(show(&[100, 2], false), matrix);
        assert!(!text(&v(&[100, 2]), true).abbreviated);
    }
}
