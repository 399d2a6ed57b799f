//! The messages of verdicts.

pub(crate) mod blame;
pub(crate) mod entries;
mod identities;
pub(crate) mod no_value;
pub(crate) mod nonfinite;

pub(crate) use identities::identity;

use crate::points::Origin;
use crate::report::*;
use crate::rules::{RuleFindings, RulesApart, WrongRule};
use crate::settings::header;
use crate::text::{enumeration, number, show_datum};
use crate::verdict::Verdict;
use adc_ir::*;

/// What all messages about one check have in common.
pub(crate) struct About<'a> {
    /// The function, under the name it has in the source.
    pub func: &'a Func,
    /// How many points there are.
    pub points: usize,
    pub seed: u64,
    /// What differences know in double precision only.
    pub holes: &'a [Hole],
    /// The parameters that the check is about, if it is about a claim of `#[linear]`.
    pub claim: &'a [usize],
}

/// The message about a claim of `#[linear]` that does not hold.
pub(crate) fn not_linear(about: &About, point: &PointReport, points: usize) -> Diagnostic {
    let func = about.func;
    let params: Vec<&Param> = about.claim.iter().map(|&i| &func.params[i]).collect();
    let names: Vec<String> = params.iter().map(|p| format!("`{}`", p.name)).collect();
    let message = format!("`{}` is not linear in {}", func.name, enumeration(&names));
    let d = Diagnostic::error(Code::NotLinear, message);
    let d = params.iter().fold(d, |d, p| d.label(p.span, "`#[linear]` says that it is"));
    d.note(place(about, point, points))
}

/// What to do about it.
pub(crate) const NOT_LINEAR: &str = "find in the native code what is not linear: a constant, a limit, a result that is not cleared; or remove `#[linear]`";

/// What is wrong with the rules of a function.
pub(crate) fn rules(found: &RuleFindings) -> Vec<Diagnostic> {
    let wrong = found.wrong.iter().map(|w| wrong_rule(&found.func, w));
    wrong.chain(found.apart.iter().map(|a| rules_disagree(&found.func, a))).collect()
}

fn wrong_rule(func: &Func, w: &WrongRule) -> Diagnostic {
    let (rule, e) = (&func.rules[w.rule], &w.entry);
    let message = format!(
        "the derivative of `{}` with respect to `{}` is wrong in its `rule {}`",
        func.name,
        e.input,
        word(rule.kind)
    );
    let label = format!(
        "gives {} = {}, finite differences give {}",
        e.name(func.results.len() > 1),
        number(e.wrong_one()),
        e.fd.map_or("no number".to_string(), number),
    );
    let d = Diagnostic::error(Code::WrongDerivative, message)
        .label(rule.span, label)
        .note(at(func, &w.inputs))
        .note(numbers(e));
    match &w.mistake {
        Some(m) => d.note(format!("mistake: {}", m.text)),
        None => d,
    }
}

fn rules_disagree(func: &Func, apart: &RulesApart) -> Diagnostic {
    let RulesApart { rules: (a, b), entry, values: (x, y), inputs } = apart;
    let (a, b) = (&func.rules[*a], &func.rules[*b]);
    Diagnostic::error(
        Code::RulesDisagree,
        format!("the rules `{}` and `{}` of `{}` disagree", word(a.kind), word(b.kind), func.name),
    )
    .label(b.span, format!("gives {entry} = {}", number(*y)))
    .also(a.span, format!("gives {entry} = {}", number(*x)))
    .note(at(func, inputs))
}

/// The message if most points are lost, and most of these to loops that do not end.
pub(crate) fn given_up(func: &Func, counts: &Counts, endless: &Endless) -> Diagnostic {
    let all = counts.points + counts.rejected + counts.given_up;
    let name = &func.name;
    let what = match endless.fuel {
        Some(_) => format!("`{name}` does not end at {} of {all} points", counts.given_up),
        None => format!("the derivatives of `{name}` do not end at {} of {all} points", counts.given_up),
    };
    let label = match endless.fuel {
        Some(fuel) => format!("still running after {fuel} iterations"),
        None => "still running, though the function itself has ended".to_string(),
    };
    Diagnostic::error(Code::OutOfFuel, what).label(endless.span, label).help(
        "the loop may never end; if it does end, raise its limit: `--fuel N`, or `fuel N;` in a `check` block",
    )
}

/// A direction along which something is wrong, if single entries do not show it.
pub(crate) fn direction(about: &About, p: &Probe, point: &PointReport) -> Diagnostic {
    let name = &about.func.name;
    let info = p.status.info();
    let code = match (p.status, p.order) {
        (Verdict::Wrong, Order::Second) => Code::WrongSecondDerivative,
        (_, Order::First | Order::Second) => info.code.expect("what is ok is not reported"),
    };
    let which = if p.order == Order::Second { "second derivative" } else { "derivative" };
    let what = match p.status {
        Verdict::Wrong => format!("the {which} of `{name}` along a random direction is wrong"),
        _ => format!("the {which} of `{name}` along a random direction: {}", info.meaning),
    };
    let d = with_severity(p.status, code, what)
        .label(header(about.func), "")
        .note(place(about, point, 1))
        .note(format!("{}: derivative {}, finite differences {}", p.title(), p.derivative, p.fd));
    let d = match p.ratio.is_nan() {
        true => d,
        false => d.note(format!(
            "error {:.1e}, tolerance {:.1e}, error/tolerance {:.1e}",
            p.abs_err, p.tol, p.ratio
        )),
    };
    match p.status.failing() && point.entries.iter().any(|e| e.order == p.order) {
        true => d.note("every single entry passes, but their errors add up to more than the tolerance"),
        false => d,
    }
}

/// A message as serious as its verdict.
fn with_severity(verdict: Verdict, code: Code, message: String) -> Diagnostic {
    match verdict.info().severity {
        crate::verdict::Severity::Pass => Diagnostic::note_only(code, message),
        crate::verdict::Severity::Warning | crate::verdict::Severity::Unsure => {
            Diagnostic::warning(code, message)
        }
        crate::verdict::Severity::Failure => Diagnostic::error(code, message),
    }
}

/// `∂out/∂x: vjp 2, jvp 2, fd 1 ± 1.2e-16, error 1.0e0, tolerance 1.8e-15, error/tolerance 5.6e14`
fn numbers(e: &Entry) -> String {
    let mut parts = vec![];
    for (what, x) in [("vjp", e.vjp), ("jvp", e.jvp)] {
        parts.extend(x.map(|x| format!("{what} {}", number(x))));
    }
    if let Some(fd) = e.fd {
        let est = e.est.map_or(String::new(), |x| format!(" ± {x:.1e}"));
        parts.push(format!("fd {}{est}", number(fd)));
    }
    if e.ratio.is_finite() {
        parts.push(format!("error {:.1e}", e.abs_err));
        parts.push(format!("tolerance {:.1e}", e.tol));
        parts.push(format!("error/tolerance {:.1e}", e.ratio));
    }
    format!("{}: {}", e.name(true), parts.join(", "))
}

fn at(func: &Func, inputs: &[Datum]) -> String {
    let values: Vec<String> =
        func.params.iter().zip(inputs).map(|(p, c)| format!("{} = {}", p.name, show_datum(c))).collect();
    format!("at: {}", values.join(", "))
}

/// The point, and the number of similar ones.
fn place(about: &About, point: &PointReport, points: usize) -> String {
    let (place, seed) = (at(about.func, &point.inputs), about.seed);
    let place = match point.origin {
        Origin::Drawn(k) if about.points > k => {
            format!("{place} (point {} of {}, seed {seed})", k + 1, about.points)
        }
        Origin::Drawn(k) => format!("{place} (point {}, seed {seed})", k + 1),
        Origin::Edge(_) => format!("{place} (edge point)"),
        Origin::Special(_) => format!("{place} (special point, seed {seed})"),
        Origin::Searched(k) => format!("{place} (search point {}, seed {seed})", k + 1),
        Origin::Given(_) => place,
    };
    match points {
        0 | 1 => place,
        2 => format!("{place}, and at 1 other"),
        n => format!("{place}, and at {} others", n - 1),
    }
}

/// A derivative program that ended in a run-time error.
pub(crate) fn ended(about: &About, ended: &Ended) -> Diagnostic {
    let program = match ended.order {
        Order::First => "a derivative",
        Order::Second => "a second derivative",
    };
    (ended.error.diagnostic())
        .note(format!("in {program} of `{}`; the function itself has a value there", about.func.name))
        .note(place(about, &ended.point, 1))
}

fn word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Jvp => "jvp",
        RuleKind::Vjp => "vjp",
        RuleKind::Partial => "partial",
    }
}
