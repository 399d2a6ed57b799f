//! The last line of a report.

use adc_checker::{Means, Report, Status};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Sums over all functions.
#[derive(Clone, Default)]
pub(super) struct Totals {
    pub functions: usize,
    pub failed: usize,
    pub refused: usize,
    errors: usize,
    unsure: usize,
    warned: usize,
    points: usize,
    failed_points: usize,
    entries: usize,
    directions: usize,
    failed_comparisons: usize,
    untestable: usize,
    unchecked: usize,
    expected: usize,
    /// With `--strict`: functions for which something was assumed.
    assumed: usize,
    means: Vec<Means>,
    interrupted: bool,
}

impl Totals {
    pub(super) fn add(&mut self, r: &Report, strict: bool) {
        let c = &r.counts;
        self.functions += 1;
        self.failed += usize::from(r.status == Status::Failed);
        self.errors += usize::from(r.status == Status::Error);
        self.unsure += usize::from(r.status == Status::Unsure);
        self.warned += usize::from(r.status == Status::Warned);
        self.points += c.points;
        self.entries += c.total.entries;
        self.directions += c.total.directions;
        self.untestable += c.total.untestable;
        self.expected += usize::from(r.expected.is_some());
        self.assumed += usize::from(strict && r.assumed.is_some());
        if r.status == Status::Failed {
            self.failed_points += c.failed_points;
            self.failed_comparisons += c.total.failed();
        }
        if r.status != Status::Unsure {
            self.unchecked += c.total.unchecked();
        }
        self.means.extend(&r.means);
    }

    /// The sums of another report besides.
    pub(super) fn append(&mut self, o: &Totals) {
        let (mine, others) = (self.numbers(), o.clone().numbers().map(|n| *n));
        mine.into_iter().zip(others).for_each(|(n, o)| *n += o);
        self.means.extend(&o.means);
    }

    /// Every number.
    fn numbers(&mut self) -> [&mut usize; 15] {
        [
            &mut self.functions,
            &mut self.failed,
            &mut self.refused,
            &mut self.errors,
            &mut self.unsure,
            &mut self.warned,
            &mut self.points,
            &mut self.failed_points,
            &mut self.entries,
            &mut self.directions,
            &mut self.failed_comparisons,
            &mut self.untestable,
            &mut self.unchecked,
            &mut self.expected,
            &mut self.assumed,
        ]
    }

    pub(super) fn to_json(&self) -> Json {
        let numbers = self.clone().numbers().map(|n| *n);
        let means: Vec<&str> = self.means.iter().map(|m| m.word()).collect();
        json!({"numbers": numbers, "means": means})
    }

    pub(super) fn from_json(doc: &Json) -> Option<Totals> {
        const MEANS: [Means; 4] = [Means::Jvp, Means::Vjp, Means::Adjoint, Means::Jit];
        let mut totals = Totals::default();
        let numbers = doc["numbers"].as_array()?;
        let mine = totals.numbers();
        if numbers.len() != mine.len() {
            return None;
        }
        for (to, n) in mine.into_iter().zip(numbers) {
            *to = n.as_u64()? as usize;
        }
        let mean = |m: &Json| MEANS.into_iter().find(|k| m.as_str() == Some(k.word()));
        totals.means = doc["means"].as_array()?.iter().map(mean).collect::<Option<_>>()?;
        Some(totals)
    }

    /// `3 functions, 48 points, 112 derivative entries: all agree (jvp, vjp, adjoint, jit)`
    pub(super) fn print(&mut self, out: &mut String) {
        let mut line = String::new();
        if self.functions > 0 {
            let _ = write!(line, "{}, {}", count(self.functions, "function"), count(self.points, "point"));
            let compared = match (self.entries, self.directions) {
                (0, 0) => "no comparison".to_string(),
                (0, n) => count(n, "direction"),
                (n, 0) => entries(n),
                (n, m) => format!("{} and {}", entries(n), count(m, "direction")),
            };
            let _ = write!(line, ", {compared}: {}", self.answer());
        } else {
            line += if self.interrupted { "interrupted; nothing was checked" } else { "nothing was checked" };
        }
        if self.refused > 0 {
            let _ = write!(line, "; {} could not be checked", count(self.refused, "file"));
        }
        let _ = writeln!(out, "\n{line}");
        if self.assumed > 0 {
            let _ = writeln!(
                out,
                "--strict rejects the domains assumed for {}: state them in a `check` block",
                count(self.assumed, "function")
            );
        }
        if self.untestable > 0 {
            let _ = writeln!(
                out,
                "{} smaller than 100 atol: too small to be tested with these tolerances",
                plural(self.untestable, "entry is", "entries are")
            );
        }
        if self.unchecked > 0 {
            let _ = writeln!(
                out,
                "{} no difference to compare with: the function has no value at a displaced point",
                plural(self.unchecked, "entry has", "entries have")
            );
        }
    }

    /// The same for an interrupted report: functions, and files, are missing.
    pub(super) fn print_interrupted(&mut self, (functions, files): (usize, usize), out: &mut String) {
        self.interrupted = true;
        self.print(out);
        let missing = match (functions, files) {
            (0, 0) => return,
            (n, 0) => count(n, "function"),
            (0, m) => count(m, "file"),
            (n, m) => format!("{} and {}", count(n, "function"), count(m, "file")),
        };
        let _ = writeln!(out, "{missing} not checked");
    }

    fn answer(&mut self) -> String {
        let bad = self.failed + self.errors;
        let others = match (self.unsure, self.warned) {
            (0, 0) => String::new(),
            (n, 0) => format!("{n} unsure"),
            (0, m) => count(m, "warning"),
            (n, m) => format!("{n} unsure, {}", count(m, "warning")),
        };
        self.means.sort_unstable();
        self.means.dedup();
        let means: Vec<&str> = self.means.iter().map(|m| m.word()).collect();
        let means = if means.is_empty() { String::new() } else { format!(" ({})", means.join(", ")) };
        match (bad, others.is_empty()) {
            (0, _) if self.interrupted => "interrupted; nothing disagrees so far".to_string(),
            (0, true) if self.expected > 0 => "all as expected".to_string(),
            (0, true) => format!("all agree{means}"),
            (0, false) => format!("nothing disagrees{means}; {others}"),
            (bad, _) => {
                let what = match self.failed_comparisons {
                    0 => String::new(),
                    n => format!(
                        " ({} at {} of {})",
                        count(n, "comparison"),
                        self.failed_points,
                        count(self.points, "point")
                    ),
                };
                let others = if others.is_empty() { others } else { format!("; {others}") };
                let so_far = if self.interrupted { "interrupted; " } else { "" };
                format!("{so_far}{bad} FAILED{what}{others}")
            }
        }
    }
}

fn entries(n: usize) -> String {
    plural(n, "derivative entry", "derivative entries")
}

pub(super) fn count(n: usize, what: &str) -> String {
    plural(n, what, &format!("{what}s"))
}

fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
