//! The JSON report of `adc check`, schema `adc.check/1`.

use super::Exit;
use super::args::CheckArgs;
use super::check_command::{reproduce, reproduce_small};
use super::check_files::Checked;
use super::check_suggest;
use crate::convention::Convention;
use crate::json::{constant, diagnostic, number, span, value};
use crate::report::FileReport;
use crate::{Diagnostics, SourceFile};
use adc_checker::{
    Birth, Blame, BlamedKind, ComparedAt, Direction, Entry, Identity, IdentityKind, Iteration, Named, Order,
    Part, PointReport, Probe, Report, Root, Severity, Status, Tally, Tolerance, Verdict, Zero,
};
use adc_ir::{Const, Datum};
use num_complex::Complex64;
use serde_json::{Map, Value as Json, json};

/// The whole report.
pub(crate) fn document(checked: &[Checked], args: &CheckArgs, exit: Exit) -> String {
    let mut results = Vec::new();
    let mut diagnostics = Vec::new();
    let mut left_out = Vec::new();
    for file in checked {
        match file {
            Checked::Refused(d) => diagnostics.extend(d.items.iter().map(|i| diagnostic(&d.files, i))),
            Checked::Done(f) => {
                results.extend(f.reports.iter().map(|r| result(f, r, args)));
                for r in &f.rows() {
                    diagnostics.extend(r.diagnostics.iter().map(|d| diagnostic(&f.files, d)));
                }
                diagnostics.extend(f.warnings.iter().map(|d| diagnostic(&f.files, d)));
                left_out.extend(not_checked(f));
            }
        }
    }
    let doc = json!({
        "schema": "adc.check/1",
        "adc": env!("CARGO_PKG_VERSION"),
        "interrupted": exit == Exit::Interrupted,
        "summary": summary(checked, exit),
        "results": results,
        "not_checked": left_out,
        "diagnostics": diagnostics,
    });
    format!("{doc:#}\n")
}

/// One function, as a separate line.
pub(crate) fn line_of_function(f: &FileReport, r: &Report, args: &CheckArgs) -> String {
    let messages: Vec<Json> = r.diagnostics.iter().map(|d| diagnostic(&f.files, d)).collect();
    line("function", json!({"result": result(f, r, args), "diagnostics": messages}))
}

/// The rest of a file after its functions.
pub(crate) fn line_of_file(f: &FileReport) -> String {
    let messages: Vec<Json> = f.warnings.iter().map(|d| diagnostic(&f.files, d)).collect();
    let name = f.files.first().map_or("", |s| s.name.as_str());
    line("file", json!({"file": name, "not_checked": not_checked(f), "diagnostics": messages}))
}

/// A file that could not be checked.
pub(crate) fn line_of_refused(d: &Diagnostics) -> String {
    let messages: Vec<Json> = d.items.iter().map(|i| diagnostic(&d.files, i)).collect();
    let name = d.files.first().map_or("", |s| s.name.as_str());
    line("file", json!({"file": name, "not_checked": [], "diagnostics": messages}))
}

/// The last line: if it is missing, the report is incomplete.
pub(crate) fn line_of_summary(checked: &[Checked], exit: Exit) -> String {
    let interrupted = exit == Exit::Interrupted;
    line("summary", json!({"interrupted": interrupted, "summary": summary(checked, exit)}))
}

fn line(kind: &str, rest: Json) -> String {
    let mut doc = json!({"schema": "adc.check-line/1", "kind": kind});
    if let (Json::Object(doc), Json::Object(rest)) = (&mut doc, rest) {
        doc.extend(rest);
    }
    format!("{doc}\n")
}

/// The functions of a file that were not checked.
fn not_checked(f: &FileReport) -> Vec<Json> {
    let file = f.files.first().map_or("", |s| s.name.as_str());
    let left_out = |name: &str, reason: &str| json!({"file": file, "function": name, "reason": reason});
    let unreached = f.not_checked.iter().map(|f| left_out(f, "no `check` block reaches it"));
    let unbound = f.unbound.iter().map(|(f, say)| left_out(f, &format!("say {say}")));
    unreached.chain(unbound).chain(f.skipped.iter().map(|(f, reason)| left_out(f, reason))).collect()
}

fn summary(checked: &[Checked], exit: Exit) -> Json {
    let rows = checked.iter().flat_map(|c| match c {
        Checked::Refused(_) => Vec::new(),
        Checked::Done(f) => f.rows(),
    });
    let (mut points, mut untestable, mut functions) = (0, 0, 0);
    let mut tally: Map<String, Json> = Map::new();
    let mut verdicts = Tally::default();
    for word in ["ok", "kink", "warned", "unsure", "failed", "interrupted", "error"] {
        tally.insert(word.into(), 0.into());
    }
    for r in rows {
        functions += 1;
        points += r.counts.points;
        untestable += r.counts.total.untestable;
        verdicts.merge(&r.counts.total.verdicts);
        let n = tally[status(r.status)].as_u64().unwrap_or(0) + 1;
        tally[status(r.status)] = n.into();
    }
    let mut summary = Map::new();
    summary.insert("functions".into(), functions.into());
    summary.insert("points".into(), points.into());
    summary.extend(tally);
    summary.insert("untestable_entries".into(), untestable.into());
    summary.insert("verdicts".into(), tally_of(&verdicts));
    summary.insert("exit_code".into(), (exit as u8).into());
    summary.into()
}

fn status(s: Status) -> &'static str {
    match s {
        Status::Ok => "ok",
        Status::Kink => "kink",
        Status::Warned => "warned",
        Status::Unsure => "unsure",
        Status::Failed => "failed",
        Status::Interrupted => "interrupted",
        Status::Error => "error",
    }
}

fn result(f: &FileReport, r: &Report, args: &CheckArgs) -> Json {
    let ports = |list: &[Named]| -> Json {
        list.iter().map(|p| json!({"name": p.name, "type": p.to_string()})).collect()
    };
    let tolerance = match r.limits.form {
        Tolerance::Automatic => "auto".into(),
        Tolerance::Classic => {
            json!({"form": "classic", "eps": r.limits.eps, "atol": r.limits.atol, "rtol": r.limits.rtol})
        }
        Tolerance::Relative { max_relative_error, delta, per_entry } => json!({
            "form": "relative", "max_relative_error": max_relative_error, "delta": delta, "per_entry": per_entry,
        }),
    };
    let c = &r.counts;
    let mut doc = json!({
        "file": f.files.first().map(|s| s.name.as_str()),
        "function": r.name,
        "status": status(r.status),
        "expected": r.expected.map(|e| e.name()),
        "dims": r.dims.iter().map(|(n, k)| (n.clone(), Json::from(*k))).collect::<Map<_, _>>(),
        "signature": {"inputs": ports(&r.inputs), "outputs": ports(&r.outputs)},
        "options": {
            "seed": r.seed, "modes": r.modes.iter().map(|m| m.name()).collect::<Vec<_>>(),
            "tolerance": tolerance, "complex_convention": args.convention.formula(),
        },
        "counts": {
            "points": c.points, "special": c.special, "searched": c.searched, "rejected": c.rejected, "given_up": c.given_up, "failed_points": c.failed_points, "compared": c.total.compared(),
            "failed": c.total.failed(), "unchecked": c.total.unchecked(), "untestable": c.total.untestable,
            "entries": c.total.entries, "directions": c.total.directions, "kinks": c.total.kinks(), "kink_points": c.kink_points,
            "warned": c.total.warned(), "unsure": c.total.unsure(),
            "verdicts": tally_of(&c.total.verdicts), "points_by_verdict": tally_of(&c.points_by),
        },
        "resolution": {
            "median": r.counts.total.resolution.median().map(number), "p99": r.counts.total.resolution.quantile(0.99).map(number),
            "worst": r.counts.total.resolution.worst().map(number),
        },
        "compared_by": r.means.iter().map(|m| m.word()).collect::<Vec<_>>(),
        "holes": r.holes.iter().map(|h| json!({"name": h.name, "span": span(&f.files, h.span)})).collect::<Vec<_>>(),
        "sites": r.sites.iter().map(|s| json!({
            "verdict": s.verdict.word(), "op": s.op, "span": span(&f.files, s.span), "margin": number(s.margin),
        })).collect::<Vec<_>>(),
        "worst_ratio": number(r.worst_ratio),
        "worst_entry": r.worst_entry,
        "trusted": r.trusted,
        "first_order": r.first_order,
        "codes": r.diagnostics.iter().map(|d| d.code.to_string()).collect::<Vec<_>>(),
    });
    if let Some(a) = &r.assumed {
        doc["assumed"] = check_suggest::assumed(a);
    }
    if let Some(p) = &r.worst {
        let convention = Convention::from(args.convention);
        doc["point"] = named(&r.inputs, &p.inputs);
        doc["value"] = p.value.iter().map(data).collect();
        doc["cotangents"] =
            p.cotangents.iter().map(|v| value(&convention.cotangents(v.clone().into()))).collect();
        doc["entries"] = p.entries.iter().map(entry).collect();
        doc["entries_omitted"] = p.entries_omitted.into();
        doc["probes"] = p.probes.iter().map(probe).collect();
        doc["identities"] = p.identities.iter().map(identity).collect();
        let adjoint = p.identities.iter().find(|i| i.kind == IdentityKind::Adjoint);
        doc["adjoint_identity"] = adjoint
            .map_or(Json::Null, |i| json!({"ulps": number(i.ulps()), "status": entry_status(i.status)}));
        doc["wirtinger"] = wirtinger(p);
        doc["reproduce"] = reproduce(&f.files, r, &p.inputs, args).into();
    }
    if let Some(small) = small(&f.files, r, args) {
        doc["small"] = small;
    }
    if r.interrupted {
        doc["interrupted"] = true.into();
    }
    if let Some(endless) = &r.given_up_by {
        doc["given_up"] = json!({"loop": span(&f.files, endless.span), "fuel": endless.fuel});
    }
    if let Some(root) = &r.root {
        doc["origin"] = origin(&f.files, root);
    }
    if let Some(b) = &r.blame {
        doc["blame"] = blame(&f.files, b);
    }
    if r.compared_at != ComparedAt::default() {
        doc["compared_at"] =
            json!({"entries": r.compared_at.entries, "interpreter": r.compared_at.interpreter});
    }
    for (key, names) in [("nonlinear", &r.nonlinear), ("linear", &r.linear)] {
        if !names.is_empty() {
            doc[key] = names.clone().into();
        }
    }
    for (key, skipped) in [
        ("forward_skipped", &r.forward_skipped),
        ("reverse_skipped", &r.reverse_skipped),
        ("gradgrad_skipped", &r.gradgrad_skipped),
    ] {
        if let Some(skipped) = skipped {
            doc[key] = skipped.message.clone().into();
        }
    }
    doc
}

/// The failure at a small point, if one was found.
pub(crate) fn small(files: &[SourceFile], r: &Report, args: &CheckArgs) -> Option<Json> {
    let small = r.small.as_ref()?;
    Some(json!({
        "point": named(&r.inputs, &small.inputs),
        "dims": small.dims.iter().map(|(n, k)| (n.clone(), Json::from(*k))).collect::<Map<_, _>>(),
        "wrt": small.wrt,
        "entry": entry(&small.entry),
        "reproduce": reproduce_small(files, r, small, args),
    }))
}

/// The origin of a derivative that is not finite.
fn origin(files: &[SourceFile], r: &Root) -> Json {
    let iteration = |t: &Iteration| json!({"span": span(files, t.span), "indices": t.indices});
    let birth = |b: &Birth| {
        let zero = match b.zero {
            Some(Zero::At(s)) => json!({"span": span(files, s)}),
            Some(Zero::Input(k)) => json!({"input": k}),
            None => Json::Null,
        };
        json!({
            "span": span(files, b.span), "op": b.how.word(), "result": number(b.result), "zero": zero,
            "operands": b.operands.iter().map(|x| number(*x)).collect::<Vec<_>>(),
            "derivative_of": b.derivative_of.map(|op| op.name()),
            "iteration": b.iterations.iter().map(iteration).collect::<Vec<_>>(),
        })
    };
    json!({
        "mode": if r.reverse { "reverse" } else { "forward" }, "born": birth(&r.born),
        "met": r.met.as_ref().map(birth), "rewrite": r.rewrite,
    })
}

fn blame(files: &[SourceFile], b: &Blame) -> Json {
    let iteration = |t: &Iteration| json!({"span": span(files, t.span), "indices": t.indices});
    let op = b.op.as_ref().map(|op| {
        let rule = match op.kind {
            BlamedKind::Rule(kind) => Some(kind.name()),
            _ => None,
        };
        json!({
            "kind": op.kind.word(), "name": op.name, "rule": rule, "span": span(files, op.span),
            "iteration": op.iterations.iter().map(iteration).collect::<Vec<_>>(),
            "inputs": op.inputs.iter().map(data).collect::<Vec<_>>(),
            "rule_value": number(op.rule_value), "fd_value": op.fd_value.map(number), "entry": entry(&op.entry),
        })
    });
    let rewrite = b
        .rewrite
        .as_ref()
        .map(|r| json!({"name": r.name, "span": span(files, r.span), "says": r.says, "domain": r.domain}));
    json!({
        "stage": b.stage.name(),
        "stages": b.stages.iter().map(|(s, x)| json!({"stage": s.name(), "value": number(*x)})).collect::<Vec<_>>(),
        "op": op, "rewrite": rewrite,
        "mistake": b.mistake.as_ref().map(|m| json!({"kind": m.kind.word(), "text": m.text})),
        "counterfactual": b.counterfactual.map(|c| json!({"value": number(c.value), "passes": c.passes})),
        "counterfactual_passes": b.counterfactual.is_some_and(|c| c.passes),
        "entry": entry(&b.entry),
    })
}

fn data(d: &Datum) -> Json {
    value(&d.clone().into())
}

fn named(ports: &[Named], values: &[Datum]) -> Json {
    let fields: Map<String, Json> =
        ports.iter().zip(values).map(|(n, v)| (n.name.clone(), data(v))).collect();
    fields.into()
}

fn entry(e: &Entry) -> Json {
    json!({
        "order": order(e.order),
        "output": e.output, "output_index": e.output_index, "output_part": part(e.output_part),
        "input": e.input, "index": e.input_index, "part": part(e.input_part),
        "jvp": e.jvp.map(number), "vjp": e.vjp.map(number), "fd": e.fd.map(number),
        "abs_err": number(e.abs_err), "tol": number(e.tol), "ratio": number(e.ratio),
        "status": entry_status(e.status), "testable": e.testable,
        "verdict": e.status.word(), "fd_est": e.est.map(number), "resolution": e.resolution.map(number),
        "slopes": e.slopes.map(|(left, right)| json!({"left": number(left), "right": number(right)})),
        "exact": e.exact.map(number),
    })
}

fn probe(p: &Probe) -> Json {
    json!({
        "order": order(p.order), "mode": p.mode.name(), "output": p.output, "output_index": p.output_index, "part": part(p.part),
        "derivative": complex(p.derivative), "fd": complex(p.fd),
        "abs_err": number(p.abs_err), "tol": number(p.tol), "ratio": number(p.ratio), "status": entry_status(p.status),
        "direction": direction(p.direction), "input": p.input, "verdict": p.status.word(),
        "fd_est": p.est.map(number), "resolution": p.resolution.map(number),
    })
}

fn direction(d: Direction) -> &'static str {
    match d {
        Direction::Signs => "signs",
        Direction::Positive => "u",
        Direction::PositiveReal => "u_r",
        Direction::PositiveImaginary => "i u_i",
    }
}

fn identity(i: &Identity) -> Json {
    json!({
        "order": order(i.order), "kind": i.kind.name(), "statement": i.kind.statement(),
        "sides": [number(i.sides.0), number(i.sides.1)], "tol": number(i.tol), "ulps": number(i.ulps()),
        "status": entry_status(i.status), "verdict": i.status.word(),
    })
}

/// The verdicts that occur, with their numbers.
fn tally_of(t: &Tally) -> Json {
    t.iter().map(|(v, n)| (v.word().to_string(), Json::from(n))).collect::<Map<_, _>>().into()
}

fn wirtinger(p: &PointReport) -> Json {
    p.wirtinger
        .iter()
        .map(|w| {
            json!({"output": w.output, "output_index": w.output_index, "input": w.input, "index": w.input_index, "w": complex(w.w), "cw": complex(w.cw), "holomorphic": w.holomorphic})
        })
        .collect()
}

fn complex(z: Complex64) -> Json {
    constant(Const::C128(z))
}

fn order(o: Order) -> u8 {
    match o {
        Order::First => 1,
        Order::Second => 2,
    }
}

fn part(p: Part) -> Json {
    match p {
        Part::Whole => Json::Null,
        Part::Re => "re".into(),
        Part::Im => "im".into(),
    }
}

/// The severity of a verdict; `verdict` has its word.
fn entry_status(v: Verdict) -> &'static str {
    match (v, v.info().severity) {
        (Verdict::Unchecked, _) => "unchecked",
        (Verdict::NonFinite, _) => "non_finite",
        (_, Severity::Pass) => "ok",
        (_, Severity::Warning) => "warned",
        (_, Severity::Unsure) => "unsure",
        (_, Severity::Failure) => "failed",
    }
}
