//! `adc bench`: work and time of functions and their derivatives.

mod baseline;

use super::args::{BenchArgs, Format};
use super::{Exit, Session, Stop, check_files, input, padded};
use crate::bench::Measured;
use crate::{Options, json};
use adc_ir::{Code, Diagnostic};
use serde_json::{Map, Value as Json, json};
use std::io::Write as _;

pub(crate) fn run(session: &mut Session, args: &BenchArgs) -> Result<Exit, Stop> {
    if args.compare.len() > 1 && args.save.is_some() {
        let d =
            Diagnostic::error(Code::BadUsage, "two baselines are compared, and nothing is measured to save");
        return Err(d.help("leave out `--save`, or one of the files").into());
    }
    if let [before, after] = &args.compare[..] {
        let [before, after] = [before, after].map(|path| baseline::read(path));
        let (before, mut after) = (before?, after?);
        return compared(session, args, &before, &mut after);
    }
    if args.compare.len() > 1 {
        return Err(Diagnostic::error(Code::BadUsage, "`--compare` takes one file or two").into());
    }
    // Before anything is measured, which takes long.
    let before = args.compare.first().map(|path| baseline::read(path)).transpose()?;
    let (mut doc, failures) = measure(session, args)?;
    if let Some(path) = &args.save {
        let text = format!("{doc:#}\n");
        crate::files::replace(path, |file| file.write_all(text.as_bytes()))
            .map_err(|e| input::write_error(&path.to_string_lossy(), &e))?;
    }
    let exit = match &before {
        Some(before) => compared(session, args, before, &mut doc)?,
        None => {
            if session.format == Format::Json {
                writeln!(session.io.out, "{doc:#}")?;
            }
            Exit::Ok
        }
    };
    if session.format != Format::Json {
        for d in &failures {
            write!(session.io.out, "\n{}", d.render(session.out_style))?;
        }
    }
    Ok(if failures.is_empty() { exit } else { Exit::No })
}

/// Compares two documents and prints that: as a table, or in the newer document.
fn compared(session: &mut Session, args: &BenchArgs, before: &Json, after: &mut Json) -> Result<Exit, Stop> {
    let found = baseline::compare(before, after, args.max_regress);
    let exit = if found.grown() == 0 { Exit::Ok } else { Exit::No };
    match session.format == Format::Json {
        true => {
            after["comparison"] = found.document();
            writeln!(session.io.out, "{after:#}")?;
        }
        // After the table, if something was measured.
        false if args.compare.len() == 1 => write!(session.io.out, "\n{found}")?,
        false => write!(session.io.out, "{found}")?,
    }
    Ok(exit)
}

/// Measures every `bench` block that is asked for: the document, and the bounds that were exceeded.
fn measure(session: &mut Session, args: &BenchArgs) -> Result<(Json, Vec<crate::Diagnostics>), Stop> {
    let mut options = Options::default().with_opt(args.opt).with_externs(input::externs(&args.lib)?);
    options.fp = args.fp.map(Into::into);
    options.limits.fuel = args.fuel.unwrap_or(options.limits.fuel);
    options.limits.bytes = args.memory_limit.unwrap_or(options.limits.bytes);
    let mut results = Vec::new();
    let mut failures = Vec::new();
    for path in check_files::files(&args.paths)? {
        let model = input::model(session, &path)?;
        let wanted = |name: &str| args.function.as_deref().is_none_or(|f| crate::report::is_of(name, f));
        let mut first = true;
        for block in &model.program().benches {
            if !wanted(&model.module().func(block.func).name) {
                continue;
            }
            let measured = crate::bench::bench(&model, block, &options, !args.no_time)?;
            if session.format != Format::Json {
                if std::mem::take(&mut first) {
                    writeln!(session.io.out, "  {}", path.display())?;
                }
                table(session, &measured)?;
            }
            for m in &measured {
                let files = model.program().files.clone();
                failures.extend(m.failure.clone().map(|d| crate::Diagnostics { files, items: vec![d] }));
                results.push(document(&path.to_string_lossy(), m));
            }
        }
    }
    if results.is_empty() {
        let what = match &args.function {
            Some(name) => format!("no `bench` block of a function called `{name}`"),
            None => "no `bench` block in these files".to_string(),
        };
        return Err(Diagnostic::error(Code::NothingChecked, what)
            .help("write one: `bench f[N = 1000] { x ~ normal(0, 1); modes primal, vjp; }`")
            .into());
    }
    let machine = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let all: Json =
        failures.iter().flat_map(|d| d.items.iter().map(|i| json::diagnostic(&d.files, i))).collect();
    let mut made = json!({
        "adc": env!("CARGO_PKG_VERSION"), "opt": args.opt as u8,
        "fuel": options.limits.fuel, "memory_limit": options.limits.bytes,
    });
    if let Some(mode) = options.fp {
        made["fp"] = mode.name().into();
    }
    let doc = json!({
        "schema": "adc.bench/1", "machine": machine, "options": made, "results": results, "diagnostics": all,
    });
    Ok((doc, failures))
}

fn document(file: &str, m: &Measured) -> Json {
    let dims: Map<String, Json> = m.dims.iter().map(|(name, n)| (name.clone(), (*n).into())).collect();
    let s = &m.stats;
    let mut doc = json!({
        "file": file, "function": m.function, "dims": dims, "mode": m.mode,
        "ir_ops": s.ir_ops, "clif_insts": s.clif_insts, "code_bytes": s.code_bytes, "workspace_bytes": s.frame_bytes,
        "flops": m.cost.ops, "transcendentals": m.cost.transcendentals, "bytes": m.cost.bytes, "work": m.cost.work(),
        "ratio_to_primal": json::number(m.ratio), "max_ratio": m.max_ratio.map(json::number),
    });
    if let Some(t) = m.time {
        doc["ns"] = json::number(t.call);
        doc["ns_ci95"] = json!([json::number(t.interval.0), json::number(t.interval.1)]);
        doc["ns_least"] = json::number(t.least);
        doc["first_call_ns"] = json::number(t.first_call);
    }
    doc
}

/// One line per program.
fn table(session: &mut Session, measured: &[Measured]) -> Result<(), Stop> {
    let Some(first) = measured.first() else { return Ok(()) };
    let dims: Vec<String> = first.dims.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    let dims = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
    writeln!(session.io.out, "    {}{dims}", first.function)?;
    let cells = |m: &Measured| {
        let time = m.time.map_or(String::new(), |t| {
            let half = (t.interval.1 - t.interval.0) / 2.0;
            format!("{} ± {}", duration(t.call), duration(half))
        });
        let ratio = match (m.mode.as_str(), m.max_ratio) {
            ("primal", _) => String::new(),
            (_, None) => format!("{:.2} x primal", m.ratio),
            (_, Some(max)) => format!("{:.2} x primal (at most {max})", m.ratio),
        };
        let verdict = if m.failure.is_some() { "TOO MUCH" } else { "" };
        [
            m.mode.clone(),
            format!("{} ops", m.cost.ops),
            format!("{} transcendental", m.cost.transcendentals),
            format!("work {}", m.cost.work()),
            ratio,
            time,
            verdict.to_string(),
        ]
    };
    let rows: Vec<[String; 7]> = measured.iter().map(cells).collect();
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    for row in &rows {
        let mut line = String::from("      ");
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[i] - cell.chars().count());
            match i {
                0 | 4 | 6 => line += &padded(cell, widths[i]),
                _ => line += &(pad + cell),
            }
            line += "   ";
        }
        let line = if session.out_style.ascii { line.replace('±', "+-") } else { line };
        writeln!(session.io.out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Three digits and a unit.
fn duration(ns: f64) -> String {
    let (x, unit) = match ns {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "us"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = if x < 10.0 { 2 } else { usize::from(x < 100.0) };
    format!("{x:.digits$} {unit}")
}
