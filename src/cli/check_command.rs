//! Commands that repeat a check.

use super::args::{BackendsArg, CheckArgs, ConventionArg};
use super::input;
use super::point;
use crate::SourceFile;
use adc_checker::{Named, Report, Small};
use adc_ir::Datum;
use adc_simplify::OptLevel;

/// The point of a report as `--at` takes it.
pub(crate) fn point_text(inputs: &[Named], values: &[Datum]) -> String {
    let values: Vec<crate::Value> = values.iter().cloned().map(crate::Value::from).collect();
    point::point_text(inputs.iter().map(|n| n.name.as_str()), &values)
}

/// The command that repeats the check of one function at one point, under the flags of this run; at all points of the run if
/// this one is too long to type. As directions and cotangents depend on seed and point only, every number comes out the same.
pub(crate) fn reproduce(files: &[SourceFile], r: &Report, inputs: &[Datum], args: &CheckArgs) -> String {
    /// Numbers of a point that are still written out.
    const TYPED: usize = 64;
    let file = files.first().map(|f| f.name.as_str()).filter(|name| *name != input::STDIN).unwrap_or("-");
    let mut command = format!("adc check {} --fn {}", quoted(file), r.name);
    let short = inputs.iter().map(Datum::len).sum::<usize>() <= TYPED;
    let at = match short {
        true => vec![point_text(&r.inputs, inputs)],
        // What was given is given again.
        false => args.at.clone(),
    };
    for at in &at {
        command += &format!(" --at '{}'", at.replace('\'', "'\\''"));
    }
    let mut flag = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            command += &format!(" --{name} {}", quoted(&value));
        }
    };
    let names = |list: &[String]| (!list.is_empty()).then(|| list.join(","));
    let modes: Vec<String> = args.mode.iter().map(|m| m.name().to_string()).collect();
    let number = |x: Option<f64>| x.map(point::real_text);
    flag("data", args.data.as_ref().filter(|_| !short).map(|p| p.to_string_lossy().into_owned()));
    flag("points", args.points.filter(|_| !short).map(|n| n.to_string()));
    flag("special", args.special.filter(|_| !short).map(|n| n.to_string()));
    flag("search", Some(args.search).filter(|n| *n > 0 && !short).map(|n| n.to_string()));
    let said = |name: &String| args.dims.iter().any(|(n, _)| n == name);
    let dims = r.dims.iter().filter(|(name, _)| said(name) || r.open_dims.contains(name));
    let dims: Vec<String> = dims.map(|(name, n)| format!("{name}={n}")).collect();
    flag("dims", names(&dims));
    flag("mode", names(&modes));
    flag("wrt", names(&args.wrt));
    flag("output", names(&args.output));
    flag("nodiff", names(&args.nodiff));
    flag("seed", args.seed.map(|s| s.number.to_string()));
    flag("eps", number(args.eps));
    flag("atol", number(args.atol));
    flag("rtol", number(args.rtol));
    flag("max-relative-error", number(args.max_relative_error));
    flag("delta", number(args.delta));
    flag("fuel", args.fuel.map(|n| n.to_string()));
    flag("memory-limit", args.memory_limit.map(|n| n.to_string()));
    for lib in &args.lib {
        flag("lib", Some(lib.to_string_lossy().into_owned()));
    }
    flag("opt", (args.opt != OptLevel::default()).then(|| (args.opt as u8).to_string()));
    flag("fp", args.fp.map(|mode| adc_ir::FpMode::from(mode).to_string()));
    flag("convention", (args.convention == ConventionArg::Jax).then(|| "jax".to_string()));
    flag("backends", (args.backends == BackendsArg::All).then(|| "all".to_string()));
    for (set, name) in [(args.classic, "classic"), (args.per_entry, "per-entry"), (args.strict, "strict")] {
        if set {
            command += &format!(" --{name}");
        }
    }
    command
}

/// The command that shows a failure at its small point.
pub(crate) fn reproduce_small(files: &[SourceFile], r: &Report, small: &Small, args: &CheckArgs) -> String {
    let at = point_text(&r.inputs, &small.inputs);
    let wrt = small.wrt.clone().unwrap_or_else(|| args.wrt.clone());
    let mut report = Report { small: None, ..r.clone() };
    let mut args = CheckArgs { wrt, at: vec![at], ..args.clone() };
    if !small.dims.is_empty() {
        report.dims.clone_from(&small.dims);
        args.dims.clone_from(&small.dims);
    }
    reproduce(files, &report, &small.inputs, &args)
}

/// What fails at a small point, and the command that shows it.
pub(crate) fn small(files: &[SourceFile], r: &Report, args: &CheckArgs) -> Option<String> {
    let small = r.small.as_ref()?;
    let (entry, at) = (small.entry.name(r.names_outputs()), point_text(&r.inputs, &small.inputs));
    Some(format!("{entry} also fails at {at}: {}", reproduce_small(files, r, small, args)))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
