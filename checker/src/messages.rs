//! The words of verdicts.

use crate::check::Cause;
use crate::coordinates::{Part, index_text};
use crate::points::Origin;
use crate::report::*;
use crate::settings::header;
use crate::verdict::Verdict;
use adc_ir::*;

/// A wrong or non-finite derivative. `program` is the function the entry belongs to: `func`, or its VJP program.
pub(crate) fn wrong(
    func: &Func,
    program: &Func,
    cause: &Cause,
    point: &PointReport,
    (points, seed): (usize, u64),
) -> Diagnostic {
    let (finding, blame) = (cause.findings[0], cause.blame.as_ref());
    let e = &finding.entry;
    let mut inputs: Vec<usize> = cause.findings.iter().map(|f| f.input).collect();
    inputs.sort_unstable();
    let second = finding.order == Order::Second;
    let which = if second { "second derivative" } else { "derivative" };
    let result = match func.results.len() {
        1 => String::new(),
        _ if second || cause.findings.iter().any(|f| f.entry.output != e.output) => String::new(),
        _ => format!(" (result `{}`)", e.output),
    };
    let names: Vec<String> = inputs.iter().map(|i| format!("`{}`", program.params[*i].name)).collect();
    let subject = format!("the {which} of `{}`{result} with respect to {}", func.name, enumeration(&names));
    let derivative = |what: &str, x: Option<f64>| x.map(|x| format!("{what} {}", number(x)));
    let (code, message) = match e.status {
        Verdict::NonFinite => {
            let bad = [e.vjp, e.jvp].into_iter().flatten().find(|x| !x.is_finite()).unwrap_or(f64::NAN);
            let what = if bad.is_nan() { "NaN" } else { "infinite" };
            (Code::NonFinite, format!("{subject} is {what} although the value is finite"))
        }
        _ => {
            let code = if second { Code::WrongSecondDerivative } else { Code::WrongDerivative };
            match finding.kink {
                Some(k) if k.between => (code, format!("{subject} cannot be compared: there is a kink")),
                Some(_) | None => (code, format!("{subject} is wrong")),
            }
        }
    };
    let mut d = Diagnostic::error(code, message);
    d = match blame {
        Some(b) => {
            let text = format!(
                "this rule of `{}` gives {} = {}, finite differences give {}",
                b.name,
                b.entry.name(false),
                number(wrong_one(&b.entry)),
                b.entry.fd.map_or("no number".to_string(), number),
            );
            d.label(b.span, text)
        }
        None => {
            let parts = [
                derivative("vjp gives", e.vjp),
                derivative("jvp gives", e.jvp),
                derivative("finite differences give", e.fd),
            ];
            d.label(header(func), parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
    };
    for p in inputs.iter().filter_map(|i| func.params.get(*i)) {
        d = d.also(p.span, "with respect to this input");
    }
    d = d.note(place(func, point, points, seed)).note(numbers(e));
    if second && !point.cotangents.is_empty() {
        let names = program.params[func.params.len()..].iter().map(|p| p.name.as_str());
        let v: Vec<String> =
            names.zip(&point.cotangents).map(|(n, c)| format!("{n} = {}", show_datum(c))).collect();
        d = d.note(format!("F(x, v) = vᵀJ was differenced with v: {}", v.join(", ")));
    }
    if let Some(b) = blame.filter(|b| b.name != func.name) {
        let args: Vec<String> = b.inputs.iter().map(show_datum).collect();
        d = d.note(format!("`{}` is called with ({}) there", b.name, args.join(", ")));
    }
    if let Some(k) = finding.kink {
        let slopes = format!("left {}, right {}", number(k.slopes.left), number(k.slopes.right));
        let verdict = if k.between {
            "the derivative lies between them, but a central difference says nothing"
        } else {
            "the derivative does not lie between them"
        };
        d = d.note(format!("one-sided slopes: {slopes}; `{}` has a kink here: {verdict}", func.name));
        return match k.between {
            true => d.help("`expect kink` in the `check` block accepts the point"),
            false => d,
        };
    }
    let suspect = blame.map_or(e, |b| &b.entry);
    match guess(suspect) {
        Some(text) => d.note(text),
        None => d,
    }
}

/// The name a function has in the source: without the numbers of an instance.
pub(crate) fn base_name(name: &str) -> &str {
    name.split_once('[').map_or(name, |(base, _)| base)
}

/// `a`, `a and b`, `a, b and c`.
fn enumeration(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A rule that is wrong by itself, found by checking each rule of a function.
pub(crate) fn wrong_rule(func: &Func, rule: &Rule, e: &Entry, inputs: &[Datum]) -> Diagnostic {
    let message = format!(
        "the derivative of `{}` with respect to `{}` is wrong in its `rule {}`",
        func.name,
        e.input,
        word(rule.kind)
    );
    let label = format!(
        "gives {} = {}, finite differences give {}",
        e.name(func.results.len() > 1),
        number(wrong_one(e)),
        e.fd.map_or("no number".to_string(), number),
    );
    let d = Diagnostic::error(Code::WrongDerivative, message)
        .label(rule.span, label)
        .note(at(func, inputs))
        .note(numbers(e));
    match guess(e) {
        Some(text) => d.note(text),
        None => d,
    }
}

/// Two rules of one function that describe different derivatives.
pub(crate) fn rules_disagree(
    func: &Func,
    (a, b): (&Rule, &Rule),
    name: &str,
    (x, y): (f64, f64),
    inputs: &[Datum],
) -> Diagnostic {
    Diagnostic::error(
        Code::RulesDisagree,
        format!("the rules `{}` and `{}` of `{}` disagree", word(a.kind), word(b.kind), func.name),
    )
    .label(b.span, format!("gives {name} = {}", number(y)))
    .also(a.span, format!("gives {name} = {}", number(x)))
    .note(at(func, inputs))
}

/// A projection that failed although every entry passes.
pub(crate) fn wrong_direction(func: &Func, p: &Probe, point: &PointReport, seed: u64) -> Diagnostic {
    let code = match (p.status, p.order) {
        (Verdict::NonFinite, _) => Code::NonFinite,
        (_, Order::First) => Code::WrongDerivative,
        (_, Order::Second) => Code::WrongSecondDerivative,
    };
    let mut d = Diagnostic::error(
        code,
        format!("the derivative of `{}` along a random direction is wrong", func.name),
    )
    .label(header(func), "")
    .note(place(func, point, 0, seed))
    .note(format!("{}: derivative {}, finite differences {}", probe_name(p), p.derivative, p.fd))
    .note(format!("error {:.1e}, tolerance {:.1e}, error/tolerance {:.1e}", p.abs_err, p.tol, p.ratio));
    if point.entries.iter().any(|e| e.order == p.order) {
        d = d.note(
            "every single entry passes: the errors of several are within the tolerance, their sum is not",
        );
    }
    d
}

/// What a direction is called in reports.
pub(crate) fn probe_name(p: &Probe) -> String {
    let index = index_text(&p.output_index);
    match (p.mode, p.part) {
        (Mode::Forward, Part::Im) => format!("∂{}{index} along i·u_i", p.output),
        (Mode::Forward, _) => format!("∂{}{index} along u_r", p.output),
        (_, part) => format!("∂{}{index}{} along u", p.output, part.suffix()),
    }
}

fn numbers(e: &Entry) -> String {
    let mut parts = vec![];
    for (what, x) in [("vjp", e.vjp), ("jvp", e.jvp), ("fd", e.fd)] {
        parts.extend(x.map(|x| format!("{what} {}", number(x))));
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

fn place(func: &Func, point: &PointReport, points: usize, seed: u64) -> String {
    let place = at(func, &point.inputs);
    match point.origin {
        Origin::Drawn(k) if points > k => format!("{place} (point {} of {points}, seed {seed})", k + 1),
        Origin::Drawn(k) => format!("{place} (point {}, seed {seed})", k + 1),
        Origin::Edge(_) => format!("{place} (edge point)"),
        Origin::Given(_) => place,
    }
}

/// The derivative of an entry that is off: by VJP, or by JVP if that one is.
fn wrong_one(e: &Entry) -> f64 {
    let off =
        |x: f64| e.fd.map_or(f64::INFINITY, |fd| if x.is_finite() { (x - fd).abs() } else { f64::INFINITY });
    match (e.vjp, e.jvp) {
        (Some(v), Some(j)) if off(j) > off(v) => j,
        (Some(v), _) => v,
        (None, j) => j.unwrap_or(f64::NAN),
    }
}

/// The likely mistake behind two numbers.
fn guess(e: &Entry) -> Option<String> {
    /// Quotient of derivative and difference, and what it suggests.
    const FACTORS: [(f64, &str); 5] = [
        (2.0, "twice the difference: a factor 2 too many"),
        (0.5, "half the difference: a factor 2 is missing"),
        (-1.0, "minus the difference: a sign, or a missing `conj`"),
        (4.0, "four times the difference"),
        (0.25, "a quarter of the difference"),
    ];
    let (a, n) = (wrong_one(e), e.fd?);
    if a == 0.0 {
        return Some("the derivative is 0: a term is missing".to_string());
    }
    let ratio = a / n;
    let near = |f: f64| (ratio - f).abs() <= 1e-3 * f.abs();
    FACTORS.iter().find(|(f, _)| near(*f)).map(|(_, text)| format!("the derivative is {text}"))
}

fn word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Jvp => "jvp",
        RuleKind::Vjp => "vjp",
        RuleKind::Partial => "partial",
    }
}

/// A number for reading: eleven digits.
fn number(x: f64) -> String {
    if !x.is_finite() {
        return if x.is_nan() { "NaN".into() } else { format!("{x}") };
    }
    let short = format!("{x:.10e}").parse::<f64>().expect("Rust reads what it writes");
    match x.abs() {
        a if a == 0.0 || (1e-4..1e15).contains(&a) => format!("{short}"),
        _ => format!("{short:e}"),
    }
}

/// Entries of an array that a message shows at most.
const SHOWN: usize = 16;

/// A value as [`show`] writes it; long arrays in part.
pub(crate) fn show_datum(d: &Datum) -> String {
    fn nested(d: &Datum, shape: &[usize], at: usize) -> String {
        let Some((n, inner)) = shape.split_first() else { return show(d.get(at)) };
        let stride: usize = inner.iter().product();
        let list: Vec<String> = (0..*n).map(|i| nested(d, inner, at + i * stride)).collect();
        format!("[{}]", list.join(", "))
    }
    if d.len() <= SHOWN {
        return nested(d, d.shape(), 0);
    }
    let first: Vec<String> = d.elements().take(SHOWN / 2).map(show).collect();
    let sizes: Vec<String> = d.shape().iter().map(usize::to_string).collect();
    format!("[{}, … ({} entries)]", first.join(", "), sizes.join("×"))
}

/// A value as `--at` reads it, to the last bit.
pub(crate) fn show(c: Const) -> String {
    let complex = |re: String, im: String| {
        let sign = if im.starts_with('-') { "" } else { "+" };
        format!("{re}{sign}{im}i")
    };
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(n) => n.to_string(),
        Const::F32(x) => x.to_string(),
        Const::F64(x) => x.to_string(),
        Const::C64(z) => complex(z.re.to_string(), z.im.to_string()),
        Const::C128(z) => complex(z.re.to_string(), z.im.to_string()),
    }
}
