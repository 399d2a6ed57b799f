//! Every mutant, how it is planted, and where it shows.

use super::corpus::Site;
use super::{Options, Order};
use adc_ad::When;
use adc_checker::Backends;
use adc_simplify::OptLevel;
use adc_simplify::mutants::{self as passes, Alone};
use adc_simplify::rules::{self, Rule};

/// What is planted.
#[derive(Clone, Copy)]
pub(super) enum Planted {
    Rule(&'static adc_ad::Mutant),
    Pass(&'static passes::Mutant, passes::Fault),
    /// A rewrite by itself: in the pipeline many rows only win over others in some programs. With the row that it replaces,
    /// and that row if it is a wrong form of it.
    Rewrite {
        row: usize,
        wrong: &'static Rule,
        right: Option<&'static Rule>,
    },
}

impl Planted {
    fn of(m: &'static passes::Mutant) -> Planted {
        match m.site {
            passes::Site::Fault(fault) => Planted::Pass(m, fault),
            passes::Site::Rewrite(row) => {
                let wrong = m.rewrite().expect("its site is a row");
                Planted::Rewrite { row, wrong, right: rules::find(base(wrong)) }
            }
        }
    }

    /// Runs `f` with the mutant.
    pub fn run<R>(self, order: Order, f: impl FnOnce() -> R) -> R {
        let when = self.when(order);
        match self {
            Planted::Rule(m) => only(Some((m, when)), None, None, f),
            Planted::Pass(m, _) => only(None, Some((m, when)), None, f),
            Planted::Rewrite { row, wrong, .. } => {
                only(None, None, Some(Alone { rewrite: Some((row, wrong)), when }), f)
            }
        }
    }

    /// Runs `f` with the right form in its place.
    pub fn without<R>(self, order: Order, f: impl FnOnce() -> R) -> R {
        match self {
            Planted::Rule(_) | Planted::Pass(..) => only(None, None, None, f),
            Planted::Rewrite { row, right, .. } => {
                let rewrite = right.map(|rule| (row, rule));
                only(None, None, Some(Alone { rewrite, when: self.when(order) }), f)
            }
        }
    }

    fn when(self, order: Order) -> When {
        if order == Order::First { When::Always } else { When::Derivatives }
    }

    pub fn site(self) -> Site {
        match self {
            Planted::Rule(m) => Site::Rule(m.site),
            Planted::Pass(_, fault) => Site::Pass(fault),
            Planted::Rewrite { wrong, .. } => Site::Rewrite(base(wrong)),
        }
    }

    /// The levels at which programs are checked.
    pub fn levels(self) -> &'static [OptLevel] {
        match self {
            // As derivatives are by default, and as differentiation makes them without preparation.
            Planted::Rule(_) => &[OptLevel::O2, OptLevel::O0],
            // Everything that simplification does.
            Planted::Pass(..) | Planted::Rewrite { .. } => &[OptLevel::O3],
        }
    }

    pub fn backends(self) -> Backends {
        match self {
            Planted::Rule(_) => Backends::None,
            Planted::Pass(..) | Planted::Rewrite { .. } => Backends::Default,
        }
    }

    pub fn is_pass(self) -> bool {
        !matches!(self, Planted::Rule(_))
    }
}

/// The name of the row that a wrong rewrite is a form of.
fn base(rule: &'static Rule) -> &'static str {
    rule.name.split('/').next().unwrap_or(rule.name)
}

/// Runs `f` with only this planted: a thread that waits for others may be in the middle of another mutant.
fn only<R>(
    rule: Option<(&'static adc_ad::Mutant, When)>,
    pass: Option<(&'static passes::Mutant, When)>,
    alone: Option<Alone>,
    f: impl FnOnce() -> R,
) -> R {
    adc_ad::planted(rule, || passes::planted(pass, || passes::alone(alone, f)))
}

/// Runs `f` with nothing planted.
pub(super) fn nothing<R>(f: impl FnOnce() -> R) -> R {
    only(None, None, None, f)
}

/// A mutant with its row of the table.
pub(super) struct Candidate {
    pub name: String,
    pub family: &'static str,
    pub what: String,
    pub planted: Planted,
}

/// Those that the options select.
pub(super) fn candidates(options: &Options) -> Vec<Candidate> {
    let rules = adc_ad::mutants().iter().map(|m| Candidate {
        name: m.name.clone(),
        family: m.family.word(),
        what: m.what.clone(),
        planted: Planted::Rule(m),
    });
    let passes = passes::mutants().iter().map(|m| Candidate {
        name: m.name.clone(),
        family: if m.rewrite().is_some() { "rewrite" } else { "pass" },
        what: m.what.clone(),
        planted: Planted::of(m),
    });
    let mut all: Vec<Candidate> = rules.chain(passes).collect();
    all.retain(|c| options.wants(&c.name, c.family, &c.what));
    all
}
