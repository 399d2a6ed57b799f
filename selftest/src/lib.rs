//! The self-test: mistakes are planted into derivatives, and the checker has to find each of them.
//!
//! A mistake is a value that stands in the place of adc's own passes ([`adc_checker::Passes`]): the rule table with one wrong row,
//! a wrong rewrite applied by itself, or adc's passes with one instruction of one program changed behind them, before it is
//! simplified or afterwards (`operators`), or with a mistake in the loops in lanes of their code ([`Fault`]). Nothing of it is in the
//! passes. Each is planted where the first derivative has to be found wrong, and where first derivatives are right and the second-order
//! check has to find it. Mistakes of whole programs are models with a wrong hand-written rule. What no check finds is looked at again: programs with and without the mutant, evaluated in double-double
//! at [`EQUIVALENT`] points, are the same formula, or the mutant survived.
//!
//! The functions are the model library, small programs for every structure, and functions made of the tables, so that a new op or
//! rewrite brings its own. Of every operator a sample of functions is taken, one change in each of their programs: which ones
//! follows from their names.

mod corpus;
mod edit;
mod generated;
mod look;
mod operators;
mod planting;
mod rewrites;
mod rows;
mod unreached;

use adc_checker::{Backends, Derivatives, Passes, Precise, Report, Settings, Status};
use adc_ir::{Code, Mode, Severity};
use adc_jit::Externs;
use adc_jit::strips::Fault;
use adc_simplify::OptLevel;
use corpus::{Made, Subject};
use operators::OPERATORS;
pub use planting::mistaken;
use planting::{Candidate, LANES, Planted, Site, Toolchain, candidates, operator_name};

use rayon::prelude::*;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;

/// Points at which a mutant that nothing finds is compared with the original in double-double.
pub const EQUIVALENT: u64 = 10_000;
/// Points of one check.
pub const DEFAULT_POINTS: usize = 16;
/// Points of the check that decides where that comparison cannot, or finds what few points show.
pub const MORE: usize = 1024;
/// Functions in which that is done.
const COMPARED: usize = 6;
/// What rounding to double precision of values in double-double may amount to.
const ROUNDING: f64 = 1e-13;

/// Which derivative a mutant is planted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// In all of them: the first one is wrong.
    First,
    /// In derivatives of derivative programs: only the second one is wrong.
    Second,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only mutants of one of these families, or whose name or description has one of these texts; all of them if there is none.
    pub filter: Vec<String>,
    /// The orders.
    pub orders: Vec<Order>,
    /// Points of one check.
    pub points: usize,
    /// One of so many mutants, chosen by its name; 1 plants them all.
    pub sample: u64,
}

impl Order {
    /// Both.
    pub const BOTH: [Order; 2] = [Order::First, Order::Second];
}

impl Default for Options {
    fn default() -> Options {
        Options { filter: Vec::new(), orders: Order::BOTH.to_vec(), points: DEFAULT_POINTS, sample: 1 }
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// A check failed.
    Killed {
        /// The function.
        function: String,
        /// The verdict, or the code of the diagnostic.
        verdict: String,
        /// What disagrees: an entry, a direction, an identity.
        what: String,
    },
    /// No check failed, and the derivatives are the same at [`EQUIVALENT`] points. Where these cannot be compared, no check of
    /// [`MORE`] points failed.
    Equivalent,
    /// No function of the corpus reaches the place that it changes, or none of their programs is another one.
    Unreached {
        /// Why that cannot be otherwise.
        reason: Option<&'static str>,
    },
    /// No check failed, but the derivative of this function is another one.
    Survived {
        /// The function.
        function: String,
    },
}

impl Fate {
    /// Whether it makes the self-test fail.
    pub fn fails(&self) -> bool {
        matches!(self, Fate::Survived { .. } | Fate::Unreached { reason: None })
    }

    /// Its word in the table.
    pub fn word(&self) -> &'static str {
        match self {
            Fate::Killed { .. } => "killed",
            Fate::Equivalent => "equivalent",
            Fate::Unreached { .. } => "unreached",
            Fate::Survived { .. } => "SURVIVED",
        }
    }
}

/// One row of the kill table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The mutant.
    pub name: String,
    /// Its family.
    pub family: &'static str,
    /// What is wrong.
    pub what: String,
    /// Which derivative it is planted in.
    pub order: Order,
    /// What became of it.
    pub fate: Fate,
}

/// Everything that was found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By mutant and order.
    pub rows: Vec<Row>,
    /// Functions that fail without a mutant, with what is said.
    pub baseline: Vec<(String, String)>,
    /// Correct derivatives that are hard for differences: how many checks there were, and those that raised an alarm.
    pub traps: (usize, Vec<(String, String)>),
    /// Mutants that are reached although there is a reason why they cannot be, with the reason.
    pub stale: Vec<(String, String)>,
    /// Functions that a mutant was looked for in.
    pub functions: usize,
}

impl Outcome {
    fn keep(&mut self, row: Row) {
        if let (Some(why), false) =
            (unreached::reason(&row.name, row.order), matches!(row.fate, Fate::Unreached { .. }))
        {
            self.stale.push((row.name.clone(), why.into()));
        }
        self.rows.push(row);
    }

    /// Whether every mutant was killed, is equivalent, or is unreached for a reason, and nothing that is right was called wrong.
    pub fn passed(&self) -> bool {
        let wrong = [&self.baseline, &self.stale, &self.traps.1];
        self.rows.iter().all(|r| !r.fate.fails()) && wrong.iter().all(|list| list.is_empty())
    }

    /// By family and order: how many were killed, are equivalent, are unreached, survived.
    pub fn totals(&self) -> BTreeMap<(&'static str, Order), [usize; 4]> {
        let mut out: BTreeMap<(&'static str, Order), [usize; 4]> = BTreeMap::new();
        for row in &self.rows {
            let k = match row.fate {
                Fate::Killed { .. } => 0,
                Fate::Equivalent => 1,
                Fate::Unreached { .. } => 2,
                Fate::Survived { .. } => 3,
            };
            out.entry((row.family, row.order)).or_default()[k] += 1;
        }
        out
    }
}

impl Options {
    fn wants(&self, name: &str, family: &str, what: &str) -> bool {
        let has = |text: &String| name.contains(text) || family == text || what.contains(text);
        self.filter.is_empty() || self.filter.iter().any(has)
    }

    /// Whether a mutant, planted in derivatives of this order, is in the sample.
    fn takes(&self, name: &str, order: Order) -> bool {
        planting::seeded(&format!("{name} {order}")).is_multiple_of(self.sample)
    }

    fn settings(&self, order: Order, backends: Backends) -> Settings {
        let mut s = Settings::default();
        s.points = Some(self.points);
        s.max_failures = Some(1);
        s.no_blame = true;
        s.backends = backends;
        s.modes = Some(order.modes().to_vec());
        s
    }
}

/// Name, family and description of every mutant that the options ask for.
pub fn list(options: &Options) -> Vec<(String, &'static str, String)> {
    let all = candidates(options, corpus::subjects());
    let mut out: Vec<_> = all.into_iter().map(|c| (c.name, c.family, c.what)).collect();
    for s in programs() {
        let what = "a model with a wrong rule".to_string();
        let name = name_of(&s);
        if options.wants(&name, "program", &what) {
            out.push((name, "program", what));
        }
    }
    out
}

/// Runs the self-test.
pub fn run(options: &Options) -> Outcome {
    let subjects = corpus::subjects();
    let candidates = candidates(options, subjects);
    let tasks: Vec<(&Candidate, Order)> = candidates
        .iter()
        .flat_map(|c| c.orders.iter().map(move |o| (c, *o)))
        .filter(|(c, o)| options.orders.contains(o) && options.takes(&c.name, *o))
        .collect();
    // One by one: some take a thousand times as long as others.
    let done: Vec<(Row, Vec<usize>)> =
        tasks.par_iter().with_max_len(1).map(|(c, order)| one(c, *order, subjects, options)).collect();
    let mut out = Outcome::default();
    let mut used: Vec<(usize, Order)> = Vec::new();
    let nowhere = unreached_operators(options, subjects).into_iter().map(|row| (row, Vec::new()));
    for (row, functions) in done.into_iter().chain(nowhere) {
        used.extend(functions.into_iter().map(|k| (k, row.order)));
        out.keep(row);
    }
    used.sort_unstable();
    used.dedup();
    out.functions = used.iter().map(|(k, _)| *k).collect::<std::collections::BTreeSet<_>>().len();
    let baseline = |(k, order): &(usize, Order)| {
        let s: &Subject = &subjects[*k];
        let settings = options.settings(*order, Backends::None);
        let report = checked(s, s.opt, &settings, &Toolchain::Right);
        (!report.status.passes(false)).then(|| (s.name.clone(), said(&report)))
    };
    out.baseline = used.par_iter().with_max_len(1).filter_map(baseline).collect();
    out.baseline.dedup();
    programs_and_traps(options, &mut out);
    out
}

/// The mutants whose place no function of the corpus reaches, in no derivative; of operators their names.
pub fn nowhere() -> Vec<String> {
    let (subjects, both) = (corpus::subjects(), [Order::First, Order::Second]);
    let reached = |c: &Candidate| {
        let by = |(k, s): (usize, &Subject)| both.iter().any(|order| c.planted.reaches(k, s, *order));
        subjects.iter().enumerate().any(by)
    };
    let all = candidates(&Options::default(), subjects);
    let mut out: Vec<String> = all.into_iter().filter(|c| !reached(c)).map(|c| c.name).collect();
    let nowhere = unreached_operators(&Options::default(), subjects);
    out.extend(
        nowhere
            .iter()
            .filter(|row| matches!(row.fate, Fate::Unreached { reason: None }))
            .filter(|row| nowhere.iter().filter(|r| r.name == row.name).count() == both.len())
            .map(|row| row.name.clone()),
    );
    out.dedup();
    out
}

/// The models that functions are taken from.
pub fn models() -> impl Iterator<Item = &'static str> {
    corpus::MODELS.iter().map(|(name, _)| *name)
}

/// Operators, and mistakes in loops in lanes, that apply to no program of an order.
fn unreached_operators(options: &Options, subjects: &[Subject]) -> Vec<Row> {
    let mut out = Vec::new();
    for fault in Fault::ALL.into_iter().filter(|f| options.wants(f.name(), LANES, f.what())) {
        for order in options.orders.iter().copied() {
            if subjects.iter().all(|s| s.places_in_lanes(fault, order) == 0) {
                let (name, what) = (fault.name().to_string(), fault.what().into());
                let fate = Fate::Unreached { reason: unreached::reason(&name, order) };
                out.push(Row { name, family: LANES, what, order, fate });
            }
        }
    }
    for (operator, simplified) in OPERATORS.iter().flat_map(|o| [(o, false), (o, true)]) {
        let name = operator_name(operator, simplified);
        let family = planting::family(operator, simplified);
        for order in options.orders.iter().copied().filter(|_| options.wants(&name, family, operator.what)) {
            if subjects.iter().all(|s| s.sites(operator, order, simplified).next().is_none()) {
                let fate = Fate::Unreached { reason: unreached::reason(&name, order) };
                out.push(Row { name: name.clone(), family, what: operator.what.into(), order, fate });
            }
        }
    }
    out
}

/// Looks for one mutant in every function that may show it; the row, and the functions that were checked.
fn one(c: &Candidate, order: Order, subjects: &[Subject], options: &Options) -> (Row, Vec<usize>) {
    let row = |fate| Row { name: c.name.clone(), family: c.family, what: c.what.clone(), order, fate };
    let settings = options.settings(order, c.planted.backends());
    let (mut used, mut unfound) = (Vec::new(), Vec::new());
    let other = |number: &usize| match c.planted {
        Planted::Program(site) => Planted::Program(Site { number: *number, ..site }),
        planted => planted,
    };
    for planted in std::iter::once(c.planted).chain(c.instead.iter().map(other)) {
        let reached = subjects.iter().enumerate().filter(|(k, s)| planted.reaches(*k, s, order));
        let cases = planted.levels().iter().flat_map(|l| reached.clone().map(|(k, s)| (k, s, *l)));
        for (k, s, level) in cases {
            if !changes(planted, order, s, level) {
                continue;
            }
            used.push(k);
            let report = checked(s, level, &settings, &planted.wrong(order));
            // A check that could not be carried out has found nothing.
            if report.status == Status::Failed {
                let mut found = (verdict(&report), report.worst_entry.clone());
                // The left side of a rewrite may be what is ill-conditioned about it: then it is something else that has to be found.
                if matches!(planted, Planted::Rewrite(_)) {
                    let own = checked(s, level, &settings, &planted.right(order));
                    if !own.status.passes(false) {
                        used.pop();
                        let errors = |r: &Report| -> Vec<Code> {
                            let list = r.diagnostics.iter().filter(|d| d.severity == Severity::Error);
                            list.map(|d| d.code).collect()
                        };
                        let before = errors(&own);
                        match errors(&report).into_iter().find(|code| !before.contains(code)) {
                            Some(code) => found.0 = code.to_string(),
                            None => continue,
                        }
                    }
                }
                let (function, (verdict, what)) = (s.name.clone(), found);
                return (row(Fate::Killed { function, verdict, what }), used);
            }
            unfound.push((planted, s, level));
        }
        if !unfound.is_empty() {
            break;
        }
    }
    if unfound.is_empty() {
        // Sites of an operator that leave the simplified program as it is.
        let fate = match c.planted {
            Planted::Program(_) => Fate::Equivalent,
            Planted::Row(_) | Planted::Rewrite(_) | Planted::Lanes { .. } => {
                Fate::Unreached { reason: unreached::reason(&c.name, order) }
            }
        };
        return (row(fate), used);
    }
    // Where there are few operations there is little to be the same by chance.
    for (planted, s, level) in unfound.into_iter().take(COMPARED) {
        // The program is the same: only its code is wrong.
        let of_code = matches!(planted, Planted::Lanes { .. });
        let compared = if of_code { None } else { same(planted, order, s, level) };
        if compared == Some(true) {
            continue;
        }
        let (function, mut settings) = (s.name.clone(), settings.clone());
        settings.points = Some(MORE);
        let report = checked(s, level, &settings, &planted.wrong(order));
        let found = report.status == Status::Failed;
        // What is right may fail there as well: then it is not the mutant that was found.
        if found && checked(s, level, &settings, &planted.right(order)).status.passes(false) {
            let what = format!("{} (at one of {MORE} points)", report.worst_entry);
            return (row(Fate::Killed { function, verdict: verdict(&report), what }), used);
        }
        if found || compared == Some(false) {
            return (row(Fate::Survived { function }), used);
        }
    }
    (row(Fate::Equivalent), used)
}

/// Whether a function's derivatives are other programs with the mutant. What was changed in a program has to be more than what
/// simplification drops.
fn changes(planted: Planted, order: Order, s: &Subject, level: OptLevel) -> bool {
    if let Planted::Lanes { fault, .. } = planted {
        return s.places_in_lanes(fault, order) > 0;
    }
    let (externs, second) = (Externs::default(), order == Order::Second);
    let simplified = planted.is_of_simplifier() || matches!(planted, Planted::Program(_));
    let text = |passes: &Toolchain| {
        let ctx = s.context(&externs, level, passes);
        let mut d = Derivatives::new(&ctx, &s.block, &Settings::default(), second).ok()?;
        if simplified {
            d.simplify(&ctx);
        }
        Some(d.text(second))
    };
    text(&planted.right(order)) != text(&planted.wrong(order))
}

/// Whether a function's derivatives have the same values with the mutant at [`EQUIVALENT`] points. `None` where only the formula in
/// double-double has no value with it: what overflows there need not overflow in the compiled program.
fn same(planted: Planted, order: Order, s: &Subject, level: OptLevel) -> Option<bool> {
    let (externs, second) = (Externs::default(), order == Order::Second);
    let made = |passes: &Toolchain| {
        let ctx = s.context(&externs, level, passes);
        let mut d = Derivatives::new(&ctx, &s.block, &Settings::default(), second).ok()?;
        if planted.is_of_simplifier() {
            d.simplify(&ctx);
        }
        if let Planted::Program(site) = planted {
            // The others are what they were.
            let list = if second { &mut d.second } else { &mut d.first };
            list.swap(0, usize::from(matches!(site.program, Made::Jvp | Made::VjpJvp)));
            list.truncate(1);
        }
        Precise::new(d, second, &ctx)
    };
    let (plain, other) = (made(&planted.right(order)), made(&planted.wrong(order)));
    let (Some(mut plain), Some(mut other)) = (plain, other) else { return Some(false) };
    let mut known = true;
    for k in 0..EQUIVALENT {
        let [a, b] = [&mut plain, &mut other].map(|p| p.at(&s.block, 1, k));
        let same = match (a, b) {
            (Some(a), Some(b)) if b.iter().zip(&a).any(|(b, a)| b.is_nan() && !a.is_nan()) => {
                known = false;
                true
            }
            (Some(a), Some(b)) => {
                let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let near = |(x, y): (&f64, &f64)| {
                    let bound = ROUNDING * (x.abs().max(y.abs()) + 1e-12 * size);
                    x == y || (x - y).abs() <= bound || (x.is_nan() && y.is_nan())
                };
                a.len() == b.len() && a.iter().zip(&b).all(near)
            }
            (None, None) => true,
            _ => false,
        };
        if !same {
            return Some(false);
        }
    }
    known.then_some(true)
}

fn checked(s: &Subject, level: OptLevel, settings: &Settings, passes: &dyn Passes) -> Report {
    let externs = Externs::default();
    adc_checker::check(&s.context(&externs, level, passes), &s.block, settings)
}

/// The word of what a check found.
fn verdict(report: &Report) -> String {
    let worst = report.counts.total.verdicts.worst().filter(|v| v.failing());
    match (worst, report.diagnostics.first()) {
        (Some(v), _) => v.word().to_string(),
        (None, Some(d)) => d.code.to_string(),
        (None, None) => "failed".into(),
    }
}

fn said(report: &Report) -> String {
    report.diagnostics.first().map_or_else(|| verdict(report), |d| d.message.clone())
}

/// Models with one wrong rule each.
fn programs() -> Vec<Subject> {
    let mut all = corpus::of_file("mutants.dsl", include_str!("../../tests/oracle/mutants.dsl"), true);
    all.extend(corpus::of_file("dense.dsl", include_str!("dense.dsl"), true));
    all.extend(corpus::of_file("nonlinear.dsl", include_str!("nonlinear.dsl"), true));
    // Helpers are wrong only as part of others.
    all.retain(|s| {
        let name = name_of(s);
        let helper = name == "m27_transposed" || name == "m29_at_equal_inputs";
        let starts = ["m", "second_", "vector_", "nonlinear_", "beside_nonlinear_"];
        starts.iter().any(|start| name.starts_with(start)) && !helper
    });
    all
}

fn name_of(s: &Subject) -> String {
    s.name.split_once(':').map_or(s.name.clone(), |(_, f)| f.to_string())
}

/// Finds the wrong rules, and nothing wrong with what is right.
fn programs_and_traps(options: &Options, out: &mut Outcome) {
    let second = |name: &str| name.contains("second_") || name.ends_with("_second");
    let wanted = |s: &Subject| {
        let name = name_of(s);
        let order = if second(&name) { Order::Second } else { Order::First };
        let wanted = options.wants(&name, "program", "a model with a wrong rule");
        wanted && options.orders.contains(&order) && options.takes(&name, order)
    };
    let programs: Vec<Subject> = programs().into_iter().filter(wanted).collect();
    let row = |s: &Subject| {
        let name = name_of(s);
        let order = if second(&name) { Order::Second } else { Order::First };
        let mut settings = options.settings(Order::First, Backends::None);
        settings.points = if s.name.starts_with("dense") { Some(1) } else { settings.points };
        settings.modes = None;
        let report = checked(s, s.opt, &settings, &Toolchain::Right);
        // Of a second derivative the first one has to be right.
        let first_too = report.worst.iter().flat_map(|p| &p.entries);
        let spoilt = order == Order::Second
            && first_too.clone().any(|e| e.order == adc_checker::Order::First && e.status.failing());
        let fate = match report.status == Status::Failed && !spoilt {
            true => Fate::Killed {
                function: s.name.clone(),
                verdict: verdict(&report),
                what: report.worst_entry.clone(),
            },
            false => match unreached::reason(&name, order) {
                reason @ Some(_) => Fate::Unreached { reason },
                None => Fate::Survived { function: s.name.clone() },
            },
        };
        Row { name, family: "program", what: "a model with a wrong rule".into(), order, fate }
    };
    for row in programs.par_iter().with_max_len(1).map(row).collect::<Vec<_>>() {
        out.keep(row);
    }
    if !options.filter.is_empty() && !options.filter.iter().any(|f| f == "trap") {
        return;
    }
    let traps = corpus::of_file("traps.dsl", include_str!("../../tests/oracle/traps.dsl"), false);
    let mut settings = Settings::default();
    settings.points = Some(options.points);
    settings.backends = Backends::None;
    let alarm = |s: &Subject| {
        let report = checked(s, s.opt, &settings, &Toolchain::Right);
        let alarmed = matches!(report.status, Status::Failed | Status::Error | Status::Warned);
        alarmed.then(|| (s.name.clone(), said(&report)))
    };
    let alarms = traps.par_iter().with_max_len(1).filter_map(alarm).collect();
    out.traps = (traps.len(), alarms);
}

impl Order {
    /// The modes that compare derivatives of this order.
    pub(crate) fn modes(self) -> &'static [Mode] {
        match self {
            Order::First => &[Mode::Slow, Mode::Fast, Mode::Forward],
            Order::Second => &[Mode::Gradgrad],
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::First => "first",
            Order::Second => "second",
        })
    }
}

impl Outcome {
    /// As JSON, schema `adc.selftest/1`.
    pub fn to_json(&self) -> Json {
        let row = |r: &Row| {
            let mut out = serde_json::json!({
                "name": r.name, "family": r.family, "what": r.what, "order": r.order.to_string(), "fate": r.fate.word().to_lowercase(),
            });
            match &r.fate {
                Fate::Killed { function, verdict, what } => {
                    out["function"] = function.as_str().into();
                    out["verdict"] = verdict.as_str().into();
                    out["by"] = what.as_str().into();
                }
                Fate::Survived { function } => out["function"] = function.as_str().into(),
                Fate::Unreached { reason: Some(why) } => out["reason"] = (*why).into(),
                Fate::Equivalent | Fate::Unreached { reason: None } => {}
            }
            out
        };
        let said = |list: &[(String, String)]| -> Vec<Json> {
            list.iter().map(|(f, what)| serde_json::json!({"function": f, "message": what})).collect()
        };
        serde_json::json!({
            "schema": "adc.selftest/1",
            "passed": self.passed(),
            "functions": self.functions,
            "mutants": self.rows.iter().map(row).collect::<Vec<_>>(),
            "baseline": said(&self.baseline),
            "stale": said(&self.stale),
            "traps": {"checks": self.traps.0, "alarms": said(&self.traps.1)},
        })
    }
}
