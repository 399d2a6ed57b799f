//! The findings at the points of a check, and what they are attributed to.

use crate::blame;
use crate::fixed_steps::Slopes;
use crate::nonfinite::{self, root::Root};
use crate::observe::worse;
use crate::prepare::Prepared;
use crate::report::*;
use crate::settings::{Context, Tolerance};
use crate::sites::{self, Found};
use crate::verdict::{About, Severity, Verdict};
use adc_ir::Datum;
use std::rc::Rc;

/// Entries of one parameter with one verdict other than `ok`, represented by the worst of them.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub entry: Entry,
    /// Where the worst one is.
    pub point: Rc<PointReport>,
    /// Points with such entries, and the last of them.
    pub points: usize,
    last: Rc<PointReport>,
    /// The kink of the function at the point, if there is one; automatic tolerances have a verdict for it.
    pub kink: Option<Kink>,
    /// The deciding op.
    pub found: Option<Found>,
    /// The origin of a value that is not finite.
    pub root: Option<Root>,
}

impl Finding {
    pub(crate) fn verdict(&self) -> Verdict {
        self.entry.status
    }

    /// The arguments of the function that the entry belongs to.
    fn inputs(&self) -> Vec<Datum> {
        let mut inputs = self.point.inputs.clone();
        if self.entry.order == Order::Second {
            inputs.extend(self.point.cotangents.iter().cloned());
        }
        inputs
    }

    /// The key that findings about the same thing share.
    fn key(&self) -> (Order, Verdict, usize) {
        (self.entry.order, self.entry.status, self.entry.parameter)
    }
}

/// A point where the one-sided slopes of the function differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kink {
    pub slopes: Slopes,
    /// Whether the derivative lies between them: a subgradient, not a mistake.
    pub between: bool,
}

impl Kink {
    /// The kink along an entry of the function's Jacobian.
    fn of(e: &Entry, slopes: Slopes) -> Kink {
        let (low, high) = (slopes.left.min(slopes.right), slopes.left.max(slopes.right));
        let inside = |x: f64| low - e.tol <= x && x <= high + e.tol;
        Kink { slopes, between: [e.vjp, e.jvp].into_iter().flatten().all(inside) }
    }
}

/// Findings with one cause, the worst first.
pub(crate) struct Cause<'a> {
    pub findings: Vec<&'a Finding>,
    /// The rule to blame for them.
    pub blame: Option<Blame>,
}

/// All findings.
#[derive(Default)]
pub(crate) struct Findings {
    pub entries: Vec<Finding>,
    /// One direction for each order and verdict.
    pub directions: Vec<(Probe, Rc<PointReport>)>,
    /// For each identity that fails, or loses digits, the worst case.
    pub identities: Vec<(Identity, Rc<PointReport>)>,
}

impl Findings {
    /// Adds what is new or worse at a point.
    pub(crate) fn add(&mut self, point: PointReport) {
        let point = Rc::new(point);
        for entry in point.entries.iter().filter(|e| e.status != Verdict::Ok) {
            let new = || {
                let (entry, point, last) = (entry.clone(), point.clone(), point.clone());
                Finding { entry, point, points: 1, last, kink: None, found: None, root: None }
            };
            let key = (entry.order, entry.status, entry.parameter);
            match self.entries.iter_mut().find(|f| f.key() == key) {
                Some(f) => {
                    f.points += usize::from(!Rc::ptr_eq(&f.last, &point));
                    f.last = point.clone();
                    if worse(entry, &f.entry) {
                        (f.entry, f.point) = (entry.clone(), point.clone());
                    }
                }
                None => self.entries.push(new()),
            }
        }
        for probe in point.probes.iter().filter(|p| p.status != Verdict::Ok) {
            let same = |(p, _): &(Probe, _)| (p.order, p.status) == (probe.order, probe.status);
            if !self.directions.iter().any(same) {
                self.directions.push((probe.clone(), point.clone()));
            }
        }
        for identity in point.identities.iter().filter(|i| i.status.failing() || loses_digits(i.status)) {
            let key = (identity.order, identity.kind);
            match self.identities.iter_mut().find(|(i, _)| (i.order, i.kind) == key) {
                Some(known) if identity.ulps() > known.0.ulps() => *known = (identity.clone(), point.clone()),
                Some(_) => {}
                None => self.identities.push((identity.clone(), point.clone())),
            }
        }
    }

    /// Looks up kinks under fixed tolerances, and the deciding ops under automatic ones. Sorts failures first.
    pub(crate) fn examine(&mut self, prepared: &mut Prepared) {
        let automatic = prepared.request.limits.form == Tolerance::Automatic;
        for f in &mut self.entries {
            if f.verdict() == Verdict::NonFinite {
                f.root = nonfinite::find(prepared, &f.entry, &f.inputs());
            }
            if automatic {
                f.found = located(f.verdict()).then(|| find(prepared, f)).flatten();
                continue;
            }
            // If a symmetric subgradient hides a kink from the first derivative, the second one shows it.
            let first = match f.entry.order {
                _ if !f.verdict().failing() => None,
                Order::First => Some(&f.entry),
                Order::Second => {
                    f.point.entries.iter().find(|e| e.order == Order::First && e.input == f.entry.input)
                }
            };
            f.kink = first.and_then(|e| Some(Kink::of(e, prepared.kink(e, &f.point.inputs)?)));
        }
        if !automatic {
            // A difference that could not be evaluated is counted, and reported only if there is nothing else.
            self.entries.retain(|f| f.verdict() != Verdict::Unchecked);
            self.directions.retain(|(p, _)| p.status != Verdict::Unchecked);
        }
        let rank = |v: Verdict| std::cmp::Reverse(v.info().severity);
        self.entries.sort_by_key(|f| (rank(f.verdict()), f.entry.order, f.entry.parameter));
        // What single entries show is not repeated for directions, nor what first derivatives show for second ones.
        let entries = &self.entries;
        self.directions.retain(|(p, _)| {
            let covers = |f: &Finding| {
                f.entry.order <= p.order && f.verdict().info().severity >= p.status.info().severity
            };
            !entries.iter().any(covers)
        });
        self.directions.sort_by_key(|(p, _)| (rank(p.status), p.order));
    }

    /// The findings by cause: the consequences of one rule, or of one deciding op, are reported once.
    pub(crate) fn causes(&self, ctx: &Context, prepared: &Prepared) -> Vec<Cause<'_>> {
        let mut causes: Vec<Cause> = Vec::new();
        let mut known = blame::Known::default();
        for f in &self.entries {
            let mut blame = None;
            if of_a_rule(f.verdict()) && !prepared.request.no_blame && !prepared.engine.is_cancelled() {
                let rounding = loses_digits(f.verdict());
                let wanted = |v: Verdict| if rounding { loses_digits(v) } else { v.failing() };
                blame = blame::find(ctx, prepared, &f.entry, f.inputs(), &wanted, &mut known)
                    .filter(|_| !prepared.engine.is_cancelled());
            }
            match causes.iter_mut().find(|c| same_cause(c, f, &blame)) {
                Some(c) if worse(&f.entry, &c.findings[0].entry) => {
                    c.findings.insert(0, f);
                    c.blame = blame;
                }
                Some(c) => c.findings.push(f),
                None => causes.push(Cause { findings: vec![f], blame }),
            }
        }
        causes
    }

    /// The result of an identity at the point of a finding.
    pub(crate) fn adjoint(f: &Finding) -> Option<&Identity> {
        let same = |i: &&Identity| (i.order, i.kind) == (f.entry.order, IdentityKind::Adjoint);
        f.point.identities.iter().find(same)
    }
}

/// Whether a finding has the cause of others.
fn same_cause(c: &Cause, f: &Finding, blame: &Option<Blame>) -> bool {
    let other = c.findings[0];
    if (other.entry.order, other.verdict()) != (f.entry.order, f.verdict()) {
        return false;
    }
    let rule = |b: &Option<Blame>| b.as_ref().map(|b| b.op.as_ref().map(|op| (op.kind, op.span)));
    let place = |f: &Finding| f.found.as_ref().map(|s| (s.site.span, s.site.op));
    match f.verdict().info().severity {
        Severity::Failure if place(f).is_none() => {
            blame.is_some() && rule(&c.blame) == rule(blame) && other.kink.is_none() && f.kink.is_none()
        }
        _ => rule(&c.blame) == rule(blame) && place(other) == place(f),
    }
}

/// Verdicts that an op of the program decides.
fn located(v: Verdict) -> bool {
    v.info().about == About::Op
}

/// Verdicts that a hand-written rule may be to blame for.
fn of_a_rule(v: Verdict) -> bool {
    v.failing() && v != Verdict::Nondeterministic && v != Verdict::Discontinuous || loses_digits(v)
}

fn loses_digits(v: Verdict) -> bool {
    v.info().about == About::Digits
}

fn find(prepared: &Prepared, f: &Finding) -> Option<Found> {
    sites::find(prepared, (f.entry.order, f.verdict()), Some(f.entry.place.1), &f.inputs())
}
