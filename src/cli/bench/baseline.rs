//! Two documents of `adc bench` compared: what was counted, and times.

use crate::cli::Stop;
use crate::cli::input::io_error;
use crate::json::number;
use adc_ir::{Code, Diagnostic};
use serde_json::{Value as Json, json};
use std::fmt;
use std::path::Path;

/// Bytes of a baseline.
const MAX_FILE: usize = 64 << 20;

/// What is counted, and whether machines of different kinds count the same.
const COUNTS: [(&str, bool); 8] = [
    ("work", true),
    ("flops", true),
    ("transcendentals", true),
    ("bytes", true),
    ("ir_ops", true),
    ("clif_insts", false),
    ("code_bytes", false),
    ("workspace_bytes", false),
];

/// Reads what `--save` wrote.
pub(super) fn read(path: &Path) -> Result<Json, Stop> {
    let name = path.to_string_lossy();
    let text = crate::files::regular(path).and_then(|file| crate::files::text(file, MAX_FILE));
    let text = text.map_err(|e| io_error(&name, &e))?;
    let doc: Option<Json> = serde_json::from_str(&text).ok();
    doc.filter(|doc| doc["schema"] == "adc.bench/1" && doc["results"].is_array()).ok_or_else(|| {
        Diagnostic::error(Code::BadUsage, format!("`{name}` is no baseline"))
            .help("`adc bench --save FILE` writes one")
            .into()
    })
}

/// A count that changed.
struct Change {
    what: &'static str,
    before: u64,
    after: u64,
    /// Beyond what may be.
    grown: bool,
}

impl Change {
    fn ratio(&self) -> f64 {
        self.after as f64 / self.before as f64
    }
}

/// A program that both documents have.
struct Row<'a> {
    of: &'a Json,
    changes: Vec<Change>,
    /// Time of a call over that before.
    time: Option<f64>,
}

/// What became of a baseline.
pub(super) struct Comparison<'a> {
    rows: Vec<Row<'a>>,
    /// Why numbers may not be comparable.
    notes: Vec<String>,
}

/// Compares programs of the same file, function, dimensions and mode. A count may grow by `percent`.
pub(super) fn compare<'a>(before: &Json, after: &'a Json, percent: f64) -> Comparison<'a> {
    let mut notes = Vec::new();
    let same_machine = before["machine"] == after["machine"];
    if !same_machine {
        let [a, b] = [before, after].map(|d| d["machine"].as_str().unwrap_or("an unknown machine"));
        notes.push(format!("the baseline is from {a}, this is {b}: code and times are not compared"));
    }
    let mut same_options = true;
    for key in ["adc", "opt", "fuel", "memory_limit"] {
        let [a, b] = [before, after].map(|d| &d["options"][key]);
        if a != b {
            same_options &= key == "adc";
            notes.push(format!("the baseline has {key} {a}, this has {key} {b}"));
        }
    }
    let list = |d: &'a Json| d["results"].as_array().map_or(&[][..], Vec::as_slice);
    let empty = Vec::new();
    let old = before["results"].as_array().unwrap_or(&empty);
    let same = |a: &Json, b: &Json| ["file", "function", "dims", "mode"].iter().all(|k| a[*k] == b[*k]);
    let mut rows = Vec::new();
    for of in list(after) {
        let Some(was) = old.iter().find(|was| same(was, of)) else {
            notes.push(format!("{} is not in the baseline", label(of)));
            continue;
        };
        let mut changes = Vec::new();
        for (what, _) in COUNTS.iter().filter(|(_, anywhere)| *anywhere || same_machine) {
            let (Some(a), Some(b)) = (was[*what].as_u64(), of[*what].as_u64()) else { continue };
            if a != b {
                let grown = b as f64 > a as f64 * (1.0 + percent / 100.0);
                changes.push(Change { what, before: a, after: b, grown });
            }
        }
        let time = was["ns"].as_f64().zip(of["ns"].as_f64()).map(|(a, b)| b / a);
        rows.push(Row { of, changes, time: time.filter(|_| same_machine && same_options) });
    }
    for was in old.iter().filter(|was| !list(after).iter().any(|of| same(was, of))) {
        notes.push(format!("{} is in the baseline only", label(was)));
    }
    Comparison { rows, notes }
}

/// `file: function[N = 3] mode`.
fn label(of: &Json) -> String {
    let text = |key: &str| of[key].as_str().unwrap_or_default();
    let dims: Vec<String> =
        of["dims"].as_object().into_iter().flatten().map(|(name, n)| format!("{name} = {n}")).collect();
    let dims = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
    format!("{}: {}{dims} {}", text("file"), text("function"), text("mode"))
}

impl Comparison<'_> {
    /// How many counts have grown beyond what may be.
    pub fn grown(&self) -> usize {
        self.rows.iter().flat_map(|r| &r.changes).filter(|c| c.grown).count()
    }

    /// For `--format json`.
    pub fn document(&self) -> Json {
        let row = |r: &Row| {
            let change = |c: &Change| {
                json!({
                    "count": c.what, "before": c.before, "after": c.after, "ratio": number(c.ratio()),
                    "grown": c.grown,
                })
            };
            json!({
                "file": r.of["file"], "function": r.of["function"], "dims": r.of["dims"], "mode": r.of["mode"],
                "time_ratio": r.time.map(number), "changes": r.changes.iter().map(change).collect::<Json>(),
            })
        };
        json!({
            "grown": self.grown(), "notes": self.notes, "programs": self.rows.iter().map(row).collect::<Json>(),
        })
    }
}

impl fmt::Display for Comparison<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        for r in &self.rows {
            if r.changes.is_empty() && r.time.is_none() {
                continue;
            }
            let time = r.time.map_or(String::new(), |t| format!("   time x {t:.2}"));
            writeln!(f, "  {}{time}", label(r.of))?;
            for c in &r.changes {
                let grown = if c.grown { "   GROWN" } else { "" };
                let ratio = if c.before == 0 { String::new() } else { format!("   x {:.3}", c.ratio()) };
                writeln!(f, "    {:16}{} -> {}{ratio}{grown}", c.what, c.before, c.after)?;
            }
        }
        let changed = self.rows.iter().filter(|r| !r.changes.is_empty()).count();
        writeln!(
            f,
            "{} programs compared: counts of {changed} changed, {} grew",
            self.rows.len(),
            self.grown()
        )
    }
}
