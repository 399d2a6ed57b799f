//! Messages about entries of Jacobians, one for each verdict.

use super::{About, blame, numbers, place, with_severity};
use crate::findings::{Cause, Finding, Findings};
use crate::report::*;
use crate::settings::header;
use crate::text::{enumeration, number, show_datum};
use crate::verdict::Verdict;
use adc_ir::*;

/// Number of slopes and limits that are written out.
const SHOWN: usize = 4;

/// The message about entries with one cause. `program` is the function they belong to: that of `about`, or its VJP program.
pub(crate) fn of(about: &About, program: &Func, cause: &Cause) -> Diagnostic {
    let m = Message::new(about, program, cause);
    match m.finding.verdict() {
        Verdict::Ok => unreachable!("what is ok is not reported"),
        Verdict::Kink => m.kink(),
        Verdict::Imprecise | Verdict::Unstable => m.rounding(),
        Verdict::Unchecked => m.unchecked(),
        Verdict::OutOfDomain => m.out_of_domain(),
        Verdict::Unsure => m.unsure(),
        Verdict::Wrong | Verdict::Inconsistent | Verdict::Nondeterministic | Verdict::NonFinite => m.wrong(),
        Verdict::BadKink => m.bad_kink(),
        Verdict::Discontinuous => m.discontinuous(),
    }
}

struct Message<'a> {
    about: &'a About<'a>,
    program: &'a Func,
    cause: &'a Cause<'a>,
    /// The worst of the findings.
    finding: &'a Finding,
    entry: &'a Entry,
    /// The parameters concerned, by position in the program.
    inputs: Vec<usize>,
    second: bool,
}

impl<'a> Message<'a> {
    fn new(about: &'a About, program: &'a Func, cause: &'a Cause) -> Message<'a> {
        let finding = cause.findings[0];
        let mut inputs: Vec<usize> = cause.findings.iter().map(|f| f.entry.parameter).collect();
        inputs.sort_unstable();
        let (entry, second) = (&finding.entry, finding.entry.order == Order::Second);
        Message { about, program, cause, finding, entry, inputs, second }
    }

    /// ``the derivative of `f` (result `y`) with respect to `x` and `z` ``
    fn subject(&self) -> String {
        let which = if self.second { "second derivative" } else { "derivative" };
        let several = self.cause.findings.iter().any(|f| f.entry.output != self.entry.output);
        let result = match self.about.func.results.len() {
            1 => String::new(),
            _ if self.second || several => String::new(),
            _ => format!(" (result `{}`)", self.entry.output),
        };
        let names: Vec<String> =
            self.inputs.iter().map(|i| format!("`{}`", self.program.params[*i].name)).collect();
        format!("the {which} of `{}`{result} with respect to {}", self.about.func.name, enumeration(&names))
    }

    /// The rule to blame.
    fn op(&self) -> Option<&BlamedOp> {
        self.cause.blame.as_ref().and_then(|b| b.op.as_ref())
    }

    /// The rewrite to blame.
    fn rewrite(&self) -> Option<&BlamedRewrite> {
        self.cause.blame.as_ref().and_then(|b| b.rewrite.as_ref())
    }

    /// The function or its gradient, whichever is (or is not) differentiable.
    fn object(&self) -> String {
        let name = &self.about.func.name;
        if self.second { format!("the derivative of `{name}`") } else { format!("`{name}`") }
    }

    fn new_message(&self, message: String) -> Diagnostic {
        let verdict = self.finding.verdict();
        let code = match verdict {
            Verdict::Wrong if self.second => Code::WrongSecondDerivative,
            _ => verdict.info().code.expect("what is ok is not reported"),
        };
        with_severity(verdict, code, message)
    }

    /// The deciding op as the main label; without one the function.
    fn at_site(&self, d: Diagnostic) -> Diagnostic {
        match &self.finding.found {
            Some(found) if !found.site.span.is_none() => d.label(found.site.span, found.text.clone()),
            Some(_) | None => d.label(header(self.about.func), ""),
        }
    }

    fn with_inputs(&self, mut d: Diagnostic) -> Diagnostic {
        for p in self.inputs.iter().filter_map(|i| self.about.func.params.get(*i)) {
            d = d.also(p.span, "with respect to this input");
        }
        d
    }

    fn with_place(&self, d: Diagnostic) -> Diagnostic {
        let d = d.note(place(self.about, &self.finding.point, self.finding.points));
        let cotangents = &self.finding.point.cotangents;
        if !self.second || cotangents.is_empty() {
            return d;
        }
        let names = self.program.params[self.about.func.params.len()..].iter().map(|p| p.name.as_str());
        let v: Vec<String> = names.zip(cotangents).map(|(n, c)| format!("{n} = {}", show_datum(c))).collect();
        d.note(format!("F(x, v) = vᵀJ was differenced with v: {}", v.join(", ")))
    }

    /// Both numbers, at the rule to blame or at the function.
    fn with_numbers(&self, d: Diagnostic) -> Diagnostic {
        let derivative = |what: &str, x: Option<f64>| x.map(|x| format!("{what} {}", number(x)));
        let e = self.entry;
        match (self.op(), self.rewrite()) {
            (Some(op), _) => d.label(op.span, blame::label(op)),
            (None, Some(r)) if !r.span.is_none() => d.label(r.span, format!("rewritten by `{}`", r.name)),
            (None, _) => {
                let parts = [
                    derivative("vjp gives", e.vjp),
                    derivative("jvp gives", e.jvp),
                    derivative("finite differences give", e.fd),
                ];
                let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
                d.label(header(self.about.func), text)
            }
        }
    }

    /// Adds the notes about the blame.
    fn with_blame(&self, d: Diagnostic) -> Diagnostic {
        match &self.cause.blame {
            Some(b) => blame::notes(d, b, self.entry, &self.about.func.name),
            None => d,
        }
    }

    /// A wrong or non-finite derivative, by both modes or by one.
    fn wrong(&self) -> Diagnostic {
        let (e, subject) = (self.entry, self.subject());
        let kink = self.finding.kink;
        if !self.about.claim.is_empty() && e.status != Verdict::NonFinite {
            return self.not_linear();
        }
        let message = match e.status {
            Verdict::NonFinite => {
                let bad = [e.vjp, e.jvp].into_iter().flatten().find(|x| !x.is_finite());
                let what = if bad.is_none_or(f64::is_nan) { "NaN" } else { "infinite" };
                format!("{subject} is {what} although the value is finite")
            }
            Verdict::Inconsistent => format!("{subject} is wrong in {} mode", modes(e).0),
            _ if kink.is_some_and(|k| k.between) => format!("{subject} cannot be checked: there is a kink"),
            _ => format!("{subject} is wrong"),
        };
        let d = self.new_message(message);
        // A hand-written rule is named as such.
        let rule = self.op().is_some_and(|op| matches!(op.kind, BlamedKind::Rule(_)));
        if let Some(root) = self.finding.root.as_ref().filter(|_| !rule) {
            return self.with_place(super::nonfinite::with_root(d, self.program, root)).note(numbers(e));
        }
        let d = self.with_inputs(self.with_numbers(d));
        let mut d = self.with_blame(self.with_place(d).note(numbers(e)));
        if let Some(k) = kink {
            let slopes = format!("left {}, right {}", number(k.slopes.left), number(k.slopes.right));
            let verdict = if k.between {
                "the derivative lies between them, but a central difference cannot confirm it"
            } else {
                "the derivative does not lie between them"
            };
            let name = &self.about.func.name;
            d = d.note(format!("one-sided slopes: {slopes}; `{name}` has a kink here: {verdict}"));
            return match k.between {
                true => d.help("`expect kink` in the `check` block accepts the point"),
                false => d,
            };
        }
        match (e.status, Findings::adjoint(self.finding)) {
            (Verdict::Inconsistent, i) => {
                let d = d.note(format!("{} mode agrees with finite differences", modes(e).1));
                let fails = i.filter(|i| i.status.failing());
                fails.map_or(d.clone(), |i| d.note(format!("the adjoint identity fails: {}", super::identities::sides(i))))
            }
            (Verdict::Wrong, Some(i)) if i.status == Verdict::Ok && self.cause.blame.is_none() => d.note(
                "forward and reverse mode agree (⟨v, J u⟩ = ⟨VJP(v), u⟩): a rule is wrong, not its transposition",
            ),
            (Verdict::Wrong, Some(i)) if i.status.failing() => d.note(format!(
                "forward and reverse mode disagree, too: {}",
                super::identities::sides(i)
            )),
            _ => d,
        }
    }

    /// A native function whose derivative is not the function itself.
    fn not_linear(&self) -> Diagnostic {
        let e = self.entry;
        let d = super::not_linear(self.about, &self.finding.point, self.finding.points);
        let [own, fd] = [e.jvp, e.fd].map(|x| x.map_or("no number".to_string(), number));
        let name = e.name(self.about.func.results.len() > 1);
        d.note(format!("{name}: for that tangent alone it gives {own}, finite differences give {fd}"))
            .note(numbers(e))
            .help(super::NOT_LINEAR)
    }

    /// A derivative whose formula is right, but which loses digits.
    fn rounding(&self) -> Diagnostic {
        let e = self.op().map_or(self.entry, |b| &b.entry);
        let exact = e.exact.or(e.fd).unwrap_or(f64::NAN);
        let off = |e: &Entry| {
            let exact = e.exact.or(e.fd).unwrap_or(f64::NAN);
            let error = [e.vjp, e.jvp].into_iter().flatten().map(|g| (g - exact).abs()).fold(0.0, f64::max);
            error / exact.abs()
        };
        let d = self.new_message(format!(
            "{} has a relative error of {:.1e}: its formula loses digits to rounding",
            self.subject(),
            off(self.entry)
        ));
        let (g, precise) = (e.wrong_one(), "in double-double the same formula gives");
        let d = match self.op() {
            Some(b) => d.label(
                b.span,
                format!(
                    "this rule of `{}` gives {} = {}, {precise} {}",
                    b.name,
                    e.name(false),
                    number(g),
                    number(exact)
                ),
            ),
            None => d.label(
                header(self.about.func),
                format!("{} = {}, {precise} {}", e.name(false), number(g), number(exact)),
            ),
        };
        let d = self.with_blame(self.with_place(self.with_inputs(d)).note(numbers(self.entry)));
        d.help("rewrite the formula so that it does not subtract nearly equal numbers")
    }

    /// `slopes: left -1, right 0; adc returns -0.5 (ties share equally), which lies between them`
    fn slopes(&self, f: &Finding, verdict: &str) -> Option<String> {
        let (left, right) = f.entry.slopes?;
        let along = match self.program.params.len() {
            1 => String::new(),
            _ => format!(" along {}", f.entry.name(false)),
        };
        let shares = f.found.as_ref().is_some_and(|found| found.shares && found.site.margin == 0.0);
        let ties = if shares { " (ties share equally)" } else { "" };
        let returned = f.entry.wrong_one();
        Some(format!(
            "slopes{along}: left {}, right {}; adc returns {}{ties}, which {verdict} them",
            number(left),
            number(right),
            number(returned)
        ))
    }

    fn with_slopes(&self, mut d: Diagnostic, verdict: &str) -> Diagnostic {
        for f in self.cause.findings.iter().take(SHOWN) {
            d = self.slopes(f, verdict).into_iter().fold(d, Diagnostic::note);
        }
        d
    }

    fn with_why(&self, d: Diagnostic) -> Diagnostic {
        match &self.finding.found {
            Some(found) if found.choice => {
                d.note("why: adc returns the derivative of the branch that is taken")
            }
            Some(found) => d.note(format!("why: `adc explain {}`", found.site.op)),
            None => d,
        }
    }

    fn kink(&self) -> Diagnostic {
        let message =
            format!("{} is not differentiable here; the value adc returns is accepted", self.object());
        let d = self.with_place(self.at_site(self.new_message(message)));
        self.with_why(self.with_slopes(d, "lies between"))
    }

    fn bad_kink(&self) -> Diagnostic {
        let subject = self.subject();
        let d = match self.entry.slopes {
            Some(_) => self.new_message(format!("{subject} does not lie between the one-sided slopes")),
            None => {
                self.new_message(format!("{subject} is wrong: its kinks cancel, their derivatives do not"))
            }
        };
        let d = match self.op() {
            Some(_) => self.with_numbers(d),
            None => self.at_site(d),
        };
        let d = self.with_blame(self.with_place(self.with_inputs(d)).note(numbers(self.entry)));
        match self.entry.slopes {
            Some(_) => self.with_why(self.with_slopes(d, "does not lie between")),
            None => d.note(format!(
                "{} is smooth here although ops in it are not, and the values taken at their kinks do not add up to its derivative",
                self.object()
            )),
        }
    }

    fn discontinuous(&self) -> Diagnostic {
        let d = self.new_message(format!("{} jumps here and has no derivative", self.object()));
        let d = self.with_place(self.at_site(d));
        let d = d.note(format!("{}: adc returns {}", self.entry.name(true), number(self.entry.wrong_one())));
        d.help("choose other points; `expect discontinuous` in the `check` block accepts them")
    }

    fn out_of_domain(&self) -> Diagnostic {
        let d = self.new_message(format!("{} has no value on one side of the point", self.object()));
        let d = self.with_place(self.at_site(d)).note(numbers(self.entry));
        d.help("declare the domain, `x: f64 in [0, INF)`: differences then stay inside it")
    }

    fn unsure(&self) -> Diagnostic {
        let e = self.entry;
        let d = self.new_message(format!("differences cannot tell whether {} is right", self.subject()));
        let d = self.with_place(self.with_numbers(d)).note(numbers(e));
        let d = match e.resolution {
            Some(r) => d.note(format!("resolution {r:.1e}: smaller relative errors would not be seen")),
            None => d.note("differences at different steps contradict each other"),
        };
        let d = match &self.finding.found {
            Some(found) if !found.site.span.is_none() => d.also(found.site.span, found.text.clone()),
            Some(_) | None => d,
        };
        let d = self.with_holes(d);
        d.help("choose other points; with `--strict` this is a failure")
    }

    /// Names the functions for which differences lack digits.
    fn with_holes(&self, mut d: Diagnostic) -> Diagnostic {
        for hole in self.about.holes.iter().take(SHOWN) {
            d = d.note(format!(
                "`{}` is evaluated in double precision only, and its rounding limits the differences",
                hole.name
            ));
        }
        match self.about.holes.is_empty() {
            true => d,
            false => d.help("`--classic` compares with fixed steps and tolerances"),
        }
    }

    fn unchecked(&self) -> Diagnostic {
        let d = self.new_message(format!("there is no difference to compare {} with", self.subject()));
        let d = self.with_place(self.at_site(d)).note(numbers(self.entry));
        d.note("the function has no finite value at displaced points, or they round to the point itself")
            .help("choose points further inside the function's domain")
    }
}

/// The mode that disagrees, and the one that agrees.
fn modes(e: &Entry) -> (&'static str, &'static str) {
    let off = |x: Option<f64>| x.zip(e.fd).map_or(0.0, |(x, fd)| (x - fd).abs());
    if off(e.jvp) > off(e.vjp) { ("forward", "reverse") } else { ("reverse", "forward") }
}
