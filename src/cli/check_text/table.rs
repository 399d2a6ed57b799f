//! The entries and directions of one point, with everything from which a verdict can be computed again.

use super::{ratio, short};
use crate::cli::args::ConventionArg;
use crate::cli::point::{brief, real_text, text};
use adc_checker::{
    Direction, Entry, Order, Part, PointReport, Probe, Report, Tolerance, Verdict, index_text,
};
use num_complex::Complex64;
use std::fmt::Write;

/// Number of entries shown without `--verbose` in a table, and of an array in one line.
const ENTRIES_SHOWN: usize = 24;

/// How tables are shown.
pub(super) struct Tables {
    pub verbose: bool,
    pub convention: ConventionArg,
}

/// The columns: name, jvp, vjp, fd, ± est, |ad-fd|, tol, err/tol, resolution, verdict.
const COLUMNS: usize = 10;
type Row = [String; COLUMNS];

impl Tables {
    pub(super) fn print(&self, out: &mut String, r: &Report, p: &PointReport) {
        let at: Vec<String> = (r.inputs.iter().zip(&p.inputs))
            .map(|(n, v)| format!("{}={}", n.name, brief(&v.clone().into())))
            .collect();
        let at = at.join(", ");
        let values: Vec<String> = p.value.iter().map(|v| brief(&v.clone().into())).collect();
        let _ = writeln!(out, "    {} at {at}        value {}", r.name, values.join(", "));
        let has_complex = r.inputs.iter().chain(&r.outputs).any(|p| p.ty.scalar().is_complex());
        let first = match has_complex {
            true => {
                &*format!("Jacobian in real coordinates; cotangent convention {}", self.convention.symbols())
            }
            false => "Jacobian",
        };
        for (order, title) in [
            (Order::First, first),
            (Order::Second, "second derivatives: F(x, v) = vᵀJ with respect to x and v"),
        ] {
            self.table(out, r, p, (order, title));
        }
        self.wirtinger(out, p);
    }

    fn table(&self, out: &mut String, r: &Report, p: &PointReport, (order, title): (Order, &str)) {
        let all: Vec<&Entry> = p.entries.iter().filter(|e| e.order == order).collect();
        let entries = self.telling(&all);
        let probes: Vec<&Probe> = p.probes.iter().filter(|e| e.order == order).collect();
        if entries.is_empty() && probes.is_empty() {
            return;
        }
        let head = ["", "jvp", "vjp", "fd", "± est", "|ad-fd|", "tol", "err/tol", "resolution", ""];
        let mut rows = vec![head.map(str::to_string)];
        rows.extend(entries.iter().map(|e| entry_row(e, r.names_outputs() || order == Order::Second)));
        rows.extend(probes.iter().map(|q| probe_row(q)));
        if !self.verbose {
            for row in &mut rows {
                row[6].clear();
                row[8].clear();
            }
        }
        let _ = writeln!(out, "    {title}");
        align(out, &mut rows);
        if entries.len() < all.len() {
            let more = all.len() - entries.len();
            let _ =
                writeln!(out, "    ({more} more {}: --verbose)", if more == 1 { "entry" } else { "entries" });
        }
        let parts = entries.iter().any(|e| e.output_part != Part::Whole || e.input_part != Part::Whole);
        if parts && r.limits.form != Tolerance::Automatic {
            *out += "    (real and imaginary part are compared together: error and tolerance are those of the complex number)\n";
        }
        let identities: Vec<String> = (p.identities.iter().filter(|i| i.order == order))
            .filter(|i| self.verbose || i.status.failing())
            .map(|i| {
                let known = i.tol > 0.0 && !i.ulps().is_nan();
                let ulps = if known { format!(" {} ulp", ulps(i.ulps())) } else { String::new() };
                format!("{}{ulps} {}", i.kind.name(), verdict(i.status, true))
            })
            .collect();
        if !identities.is_empty() {
            let _ = writeln!(out, "    identities: {}", identities.join(", "));
        }
    }

    fn wirtinger(&self, out: &mut String, p: &PointReport) {
        let shown = if self.verbose { p.wirtinger.len() } else { ENTRIES_SHOWN };
        for w in p.wirtinger.iter().take(shown) {
            let form = if w.holomorphic { "holomorphic here" } else { "not holomorphic" };
            let of = |z| text(adc_ir::Const::C128(z));
            let _ = writeln!(
                out,
                "    ∂{0}/∂{1} = {2}   ∂{0}/∂{1}* = {3}   ({form})",
                format_args!("{}{}", w.output, index_text(&w.output_index)),
                format_args!("{}{}", w.input, index_text(&w.input_index)),
                of(w.w),
                of(w.cw)
            );
        }
    }

    /// If there are many entries, the most informative ones, in order.
    fn telling<'e>(&self, all: &[&'e Entry]) -> Vec<&'e Entry> {
        let mut order: Vec<usize> = (0..all.len()).collect();
        if all.len() > ENTRIES_SHOWN && !self.verbose {
            let ratio = |i: usize| if all[i].ratio.is_nan() { 0.0 } else { all[i].ratio };
            order.sort_by(|&i, &j| all[j].status.cmp(&all[i].status).then(ratio(j).total_cmp(&ratio(i))));
            order.truncate(ENTRIES_SHOWN);
            order.sort_unstable();
        }
        order.into_iter().map(|i| all[i]).collect()
    }
}

fn entry_row(e: &Entry, with_output: bool) -> Row {
    let fd = match e.slopes {
        Some((left, right)) => format!("{} | {}", number(left), number(right)),
        None => optional(e.fd),
    };
    [
        e.name(with_output),
        optional(e.jvp),
        optional(e.vjp),
        fd,
        estimate(e.est),
        or_dash(e.abs_err),
        or_dash(e.tol),
        over_tolerance(e.ratio),
        e.resolution.map_or(String::new(), short),
        verdict(e.status, e.testable),
    ]
}

fn probe_row(q: &Probe) -> Row {
    let derivative = complex(q.derivative);
    let (jvp, vjp) = match q.direction {
        Direction::Positive => (String::new(), derivative),
        Direction::Signs | Direction::PositiveReal | Direction::PositiveImaginary => {
            (derivative, String::new())
        }
    };
    [
        format!("{}: {}", q.mode.name(), q.name()),
        jvp,
        vjp,
        if q.fd.re.is_nan() { "-".to_string() } else { complex(q.fd) },
        estimate(q.est),
        or_dash(q.abs_err),
        or_dash(q.tol),
        over_tolerance(q.ratio),
        q.resolution.map_or(String::new(), short),
        verdict(q.status, true),
    ]
}

/// `ok`, or another verdict: `FAIL (bad_kink)`.
fn verdict(status: Verdict, testable: bool) -> String {
    let info = status.info();
    match status {
        Verdict::Ok if !testable => "ok (too small to test)".to_string(),
        Verdict::Ok | Verdict::Wrong => info.shown.to_string(),
        _ if info.word == info.shown => info.shown.to_string(),
        _ => format!("{} ({})", info.shown, info.word),
    }
}

fn estimate(est: Option<f64>) -> String {
    est.map_or(String::new(), |x| format!("± {}", short(x)))
}

fn or_dash(x: f64) -> String {
    if x.is_nan() { "-".to_string() } else { short(x) }
}

fn over_tolerance(x: f64) -> String {
    if x.is_nan() { "-".to_string() } else { ratio(x) }
}

fn optional(x: Option<f64>) -> String {
    x.map_or("-".to_string(), number)
}

/// Units in the last place: a few, or very many.
fn ulps(x: f64) -> String {
    if x < 1e3 { format!("{x:.0}") } else { short(x) }
}

/// Ten decimals if they are significant, else scientific.
fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_string(),
        a if !a.is_finite() => real_text(x),
        a if (1e-4..1e7).contains(&a) => format!("{x:.10}"),
        _ => format!("{x:.9e}"),
    }
}

fn complex(z: Complex64) -> String {
    let sign = if z.im < 0.0 { "-" } else { "+" };
    if z.im == 0.0 { number(z.re) } else { format!("{}{sign}{}i", number(z.re), number(z.im.abs())) }
}

/// Columns, names and verdicts to the left, numbers to the right.
fn align(out: &mut String, rows: &mut [Row]) {
    // Numbers that were not computed have no column.
    for i in 1..COLUMNS - 1 {
        if rows[1..].iter().all(|r| r[i].is_empty() || r[i] == "-") {
            rows.iter_mut().for_each(|r| r[i].clear());
        }
    }
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    for row in rows.iter() {
        let mut line = String::from("    ");
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[i] - cell.chars().count());
            match i {
                0 => line += &format!("{cell}{pad}"),
                9 => line += &format!("   {cell}"),
                _ if widths[i] == 0 => {}
                4 => line += &format!(" {cell}{pad}"),
                _ => line += &format!("   {pad}{cell}"),
            }
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
