//! Every mutant, and the passes that make programs with it.

use crate::corpus::{Made, Subject, look_for_places};
use crate::edit::{self, Edit};
use crate::operators::{OPERATORS, Operator, sites};
use crate::rewrites;
use crate::rows;
use crate::{Options, Order};
use adc_ad::{Linearized, Method, Policy, Rules};
use adc_checker::{Backends, Passes};
use adc_ir::{Diagnostic, FuncId, Module};
use adc_jit::strips::Fault;
use adc_simplify::rules::{self, Rule};
use adc_simplify::{Done, OptLevel};

/// What is planted.
#[derive(Clone, Copy)]
pub(crate) enum Planted {
    /// A wrong row of the rule table.
    Row(&'static rows::Wrong),
    /// A wrong rewrite by itself: in the pipeline many rows win over others here and there only.
    Rewrite(&'static rewrites::Wrong),
    /// A mistake in a program that was made.
    Program(Site),
    /// A mistake in the loops in lanes of the programs of a function, by its place in the corpus.
    Lanes { fault: Fault, number: usize, subject: usize },
}

/// Where a mistake is made in a program.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub operator: &'static Operator,
    /// The function, by its place in the corpus.
    pub subject: usize,
    pub program: Made,
    /// Whether in the simplified program, else in what differentiation made.
    pub simplified: bool,
    pub level: OptLevel,
    /// Which of the sites of the operator; where there are fewer, it begins again.
    pub number: usize,
}

/// The passes with one thing planted, or nothing.
#[derive(Clone, Copy)]
pub(crate) enum Toolchain {
    /// Nothing.
    Right,
    /// Rules that act in derivatives of this order, and of derivatives of them.
    Rules(&'static Rules, Order),
    /// No simplification but this one, in derivatives of this order.
    Rewrite(Option<(usize, &'static Rule)>, Order),
    /// A mistake in a program.
    Site(Site),
    /// A mistake in loops in lanes, in the place of this number.
    Lanes(Fault, usize),
    /// A wrong rewrite in its place in the pipeline.
    InPipeline(usize, &'static Rule),
    /// A mistake wherever it can be made, in all programs that differentiation makes.
    Everywhere(&'static Operator),
    /// A mistake wherever it can be made in simplified programs, unless this pass is left out.
    Pass(&'static Operator, &'static str),
}

/// Passes that make the mistake of a name wherever they can: a mutant of a table, or an operator. `pass`: it is made by this part of
/// simplification, so that without that part there is none. `None` if there is no such name.
pub fn mistaken(name: &str, pass: Option<&str>) -> Option<impl Passes + use<>> {
    let operator = OPERATORS.iter().find(|o| o.name == name);
    if let (Some(operator), Some(pass)) = (operator, pass) {
        return Some(Toolchain::Pass(operator, String::leak(pass.into())));
    }
    let row = || rows::all().iter().find(|w| w.name == name);
    let rewrite = || rewrites::all().iter().find(|w| w.name == name);
    operator
        .map(Toolchain::Everywhere)
        .or_else(|| Some(Toolchain::Rules(&row()?.rules, Order::First)))
        .or_else(|| rewrite().map(|w| Toolchain::InPipeline(w.row, w.rule)))
}

impl Planted {
    /// The passes with the mutant.
    pub fn wrong(self, order: Order) -> Toolchain {
        match self {
            Planted::Row(w) => Toolchain::Rules(&w.rules, order),
            Planted::Rewrite(w) => Toolchain::Rewrite(Some((w.row, w.rule)), order),
            Planted::Program(site) => Toolchain::Site(site),
            Planted::Lanes { fault, number, .. } => Toolchain::Lanes(fault, number),
        }
    }

    /// The passes with what is right in its place.
    pub fn right(self, order: Order) -> Toolchain {
        match self {
            Planted::Row(_) | Planted::Program(_) | Planted::Lanes { .. } => Toolchain::Right,
            Planted::Rewrite(w) => Toolchain::Rewrite(rules::find(w.base()).map(|rule| (w.row, rule)), order),
        }
    }

    /// Whether a function may show the mutant.
    pub fn reaches(self, k: usize, s: &Subject, order: Order) -> bool {
        let reaches = match self {
            Planted::Row(w) => s.has_op(w.op, &w.operands, order),
            Planted::Rewrite(w) => s.name.split('/').next() == Some(w.base()),
            Planted::Program(site) => site.subject == k,
            Planted::Lanes { subject, .. } => subject == k,
        };
        reaches && s.compares(order)
    }

    /// The levels at which programs are checked.
    pub fn levels(&self) -> &[OptLevel] {
        match self {
            // As they are by default, and as differentiation makes them of what is written.
            Planted::Row(_) => &[OptLevel::O2, OptLevel::O0],
            // Everything that simplification does.
            Planted::Rewrite(_) => &[OptLevel::O3],
            Planted::Program(site) => std::slice::from_ref(&site.level),
            Planted::Lanes { .. } => &[OptLevel::O2],
        }
    }

    pub fn backends(self) -> Backends {
        match self {
            // Compiled code is compared with the interpreter.
            Planted::Lanes { .. } => Backends::Default,
            _ if self.is_of_simplifier() => Backends::Default,
            _ => Backends::None,
        }
    }

    /// Whether it is simplification that is wrong.
    pub fn is_of_simplifier(self) -> bool {
        match self {
            Planted::Row(_) => false,
            Planted::Rewrite(_) => true,
            Planted::Program(site) => site.simplified,
            Planted::Lanes { .. } => false,
        }
    }
}

impl Order {
    /// Whether the derivative of a function is of this order, or of a higher one.
    fn is_of(self, m: &Module, f: FuncId) -> bool {
        self == Order::First || m.derivative_order(f) > 0
    }
}

impl Toolchain {
    fn method(&self, m: &Module, f: FuncId, policy: Policy) -> Method<'static> {
        match self {
            Toolchain::Rules(rules, order) if order.is_of(m, f) => Method { rules, policy },
            _ => Method { policy, ..Method::default() },
        }
    }

    /// A program was made; it may be the one with the mistake.
    fn plant(&self, m: &mut Module, f: FuncId, made: FuncId, is_new: bool, program: Option<Made>) {
        if let Toolchain::Everywhere(operator) = self
            && is_new
        {
            let seeds = m.func(f).params.len();
            everywhere(operator, m, made, Some(seeds));
        }
        if let Toolchain::Site(site) = self
            && !site.simplified
            && is_new
            && program == Some(site.program)
            && !m.func(f).name.contains(".only")
        {
            let seeds = m.func(f).params.len();
            site.apply(m, made, Some(seeds));
        }
    }
}

impl Site {
    fn apply(&self, m: &mut Module, program: FuncId, seeds: Option<usize>) {
        let list = sites(self.operator, m.func(program), seeds);
        if let Some((at, edit)) = list.get(self.number % list.len().max(1)) {
            edit::apply(m, program, *at, edit);
        }
    }
}

/// Makes a mistake wherever an operator finds a place.
fn everywhere(operator: &Operator, m: &mut Module, program: FuncId, seeds: Option<usize>) {
    let list = sites(operator, m.func(program), seeds);
    // From behind, where nothing has moved yet. A result is replaced by one value only.
    let mut before = None;
    for (at, edit) in list.iter().rev() {
        if before != Some(*at) || !matches!(edit, Edit::Forward(_)) {
            edit::apply(m, program, *at, edit);
        }
        before = Some(*at);
    }
}

impl Passes for Toolchain {
    fn vjp(
        &self,
        m: &mut Module,
        f: FuncId,
        (wrt, outputs): (&[usize], &[usize]),
        primal: bool,
        policy: Policy,
    ) -> Result<FuncId, Diagnostic> {
        let before = m.funcs.len();
        let made = self.method(m, f, policy).vjp(m, f, wrt, outputs, primal)?;
        let program = Made::reverse(m, f, primal);
        self.plant(m, f, made, made.0 as usize >= before, program);
        Ok(made)
    }

    fn jvp(&self, m: &mut Module, f: FuncId, wrt: &[usize]) -> Result<FuncId, Diagnostic> {
        let before = m.funcs.len();
        let made = self.method(m, f, Policy::default()).jvp(m, f, wrt)?;
        let program = Made::forward(m, f);
        self.plant(m, f, made, made.0 as usize >= before, program);
        Ok(made)
    }

    fn linearize(
        &self,
        m: &mut Module,
        f: FuncId,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<Linearized, Diagnostic> {
        let before = m.funcs.len();
        let made = self.method(m, f, Policy::default()).linearize(m, f, wrt, outputs)?;
        if let Toolchain::Everywhere(operator) = self
            && made.pullback.0 as usize >= before
        {
            everywhere(operator, m, made.pullback, Some(made.residuals));
        }
        Ok(made)
    }

    fn code(&self) -> adc_jit::Options {
        let mut options = adc_jit::Options::default();
        if let Toolchain::Lanes(fault, number) = self {
            options.fault = Some((*fault, *number));
        }
        options
    }

    fn prepare(&self, m: &mut Module, roots: &[FuncId], options: &adc_simplify::Options) -> Done {
        match self {
            Toolchain::Rewrite(..) => Done::default(),
            _ => adc_simplify::prepare_with(m, roots, options),
        }
    }

    fn simplify(&self, m: &mut Module, roots: &[FuncId], options: &adc_simplify::Options) -> Done {
        if let Toolchain::Rewrite(rewrite, order) = self {
            let mut which = vec![false; m.funcs.len()];
            for f in m.reachable_from(roots) {
                which[f.0 as usize] = *order == Order::First || m.derivative_order(f) > 1;
            }
            if let Some((row, rule)) = rewrite {
                adc_simplify::egraph::alone(m, &which, *row, rule);
            }
            adc_simplify::canonicalise(m);
            return Done::default();
        }
        if let Toolchain::InPipeline(row, rule) = self {
            let rewrite = Some((*row, *rule));
            return adc_simplify::run_with(m, roots, &adc_simplify::Options { rewrite, ..*options });
        }
        let done = adc_simplify::run_with(m, roots, options);
        if let Toolchain::Pass(operator, pass) = self
            && !options.without.contains(pass)
        {
            for f in roots {
                everywhere(operator, m, *f, None);
            }
        }
        if let Toolchain::Site(site) = self
            && site.simplified
        {
            let wanted = |f: &&FuncId| Made::of(m, **f) == Some(site.program);
            if let Some(program) = roots.iter().find(wanted).copied() {
                site.apply(m, program, None);
            }
        }
        done
    }
}

/// A mutant with what the table says of it.
pub(crate) struct Candidate {
    pub name: String,
    pub family: &'static str,
    pub what: String,
    pub planted: Planted,
    /// Sites that are as good, for when this one changes nothing.
    pub instead: Vec<usize>,
    /// The orders in which it is planted.
    pub orders: &'static [Order],
}

impl Candidate {
    fn of_table(name: &str, family: &'static str, what: &str, planted: Planted) -> Candidate {
        let orders = &[Order::First, Order::Second];
        Candidate { name: name.into(), family, what: what.into(), planted, instead: Vec::new(), orders }
    }
}

/// Programs in which one operator makes a mistake, of each order: what a run of the self-test has time for.
const FUNCTIONS: usize = 6;
/// Sites in one program that are tried until one changes it.
const SITES: usize = 4;

/// Those that the options ask for; of operators only if `subjects` are given.
pub(crate) fn candidates(options: &Options, subjects: &[Subject]) -> Vec<Candidate> {
    let of_rows = rows::all().iter().map(|w| Candidate::of_table(&w.name, "rule", &w.what, Planted::Row(w)));
    // A filter may be the whole name of one.
    let named = |f: &Fault| options.filter.iter().any(|text| text.starts_with(f.name()));
    let of_lanes = Fault::ALL.into_iter().filter(|f| options.wants(f.name(), LANES, f.what()) || named(f));
    let of_rewrites =
        rewrites::all().iter().map(|w| Candidate::of_table(&w.name, "rewrite", &w.what, Planted::Rewrite(w)));
    let mut all: Vec<Candidate> = of_rows.collect();
    let operators =
        [false, true].into_iter().flat_map(|simplified| OPERATORS.iter().map(move |o| (o, simplified)));
    // Where they apply takes as long to find out as many checks.
    let operators: Vec<_> =
        operators.filter(|(o, simplified)| may_want(options, o, *simplified, subjects)).collect();
    if !operators.is_empty() {
        look_for_places(subjects);
    }
    for (operator, simplified) in operators {
        for order in [Order::First, Order::Second] {
            all.extend(of_operator(operator, order, simplified, subjects));
        }
    }
    for fault in of_lanes {
        all.extend(Order::BOTH.into_iter().flat_map(|order| of_fault(fault, order, subjects)));
    }
    all.extend(of_rewrites);
    all.retain(|c| options.wants(&c.name, c.family, &c.what));
    all
}

/// Whether the options ask for mutants that an operator could have.
fn may_want(options: &Options, operator: &Operator, simplified: bool, subjects: &[Subject]) -> bool {
    let (name, family) = (operator_name(operator, simplified), family(operator, simplified));
    let wants = |name: &str| options.wants(name, family, operator.what);
    wants(&name)
        || subjects.iter().any(|s| Made::ALL.iter().any(|program| wants(&mutant_name(&name, s, *program))))
}

/// The name of an operator's mutants.
pub(crate) fn operator_name(operator: &Operator, simplified: bool) -> String {
    format!("{}{}", if simplified { "simplified-" } else { "" }, operator.name)
}

/// The family of an operator's mutants.
pub(crate) fn family(operator: &Operator, simplified: bool) -> &'static str {
    if simplified { "pass" } else { operator.family }
}

fn mutant_name(operator: &str, subject: &Subject, program: Made) -> String {
    format!("{operator}/{}/{}", subject.short(), program.word())
}

/// The mistakes of one operator: one in every program of a sample of all functions.
fn of_operator(
    operator: &'static Operator,
    order: Order,
    simplified: bool,
    subjects: &[Subject],
) -> Vec<Candidate> {
    let name = operator_name(operator, simplified);
    let mut found: Vec<(u64, usize, Made, OptLevel, usize)> = Vec::new();
    for (k, s) in subjects.iter().enumerate() {
        for (program, level, count) in s.sites(operator, order, simplified) {
            found.push((seeded(&format!("{name}/{}/{}", s.name, program.word())), k, program, level, count));
        }
    }
    found.sort_unstable_by_key(|(seed, k, program, ..)| (*seed, *k, *program));
    found.truncate(FUNCTIONS);
    found.sort_unstable_by_key(|(_, k, program, ..)| (*k, *program));
    let orders: &'static [Order] = if order == Order::First { &[Order::First] } else { &[Order::Second] };
    let candidate = |(seed, subject, program, level, count): (u64, usize, Made, OptLevel, usize)| {
        // Apart from each other, so that they are not of one instruction.
        let first = seed as usize % count;
        let mut numbers = (0..SITES).map(|j| (first + j * count.div_ceil(SITES)) % count);
        let number = numbers.next().unwrap_or(0);
        let site = Site { operator, subject, program, simplified, level, number };
        Candidate {
            name: mutant_name(&name, &subjects[subject], program),
            family: family(operator, simplified),
            what: operator.what.into(),
            planted: Planted::Program(site),
            instead: numbers.collect(),
            orders,
        }
    };
    found.into_iter().map(candidate).collect()
}

/// The family of mistakes in loops in lanes.
pub(crate) const LANES: &str = "lanes";

/// One kind of mistake in loops in lanes, in a sample of the functions that have a place for it.
fn of_fault(fault: Fault, order: Order, subjects: &[Subject]) -> Vec<Candidate> {
    let mut found: Vec<(u64, usize, usize)> = Vec::new();
    for (k, s) in subjects.iter().enumerate() {
        let places = s.places_in_lanes(fault, order);
        if places > 0 {
            found.push((seeded(&format!("{}/{}", fault.name(), s.name)), k, places));
        }
    }
    found.sort_unstable();
    found.truncate(FUNCTIONS);
    let orders: &'static [Order] = if order == Order::First { &[Order::First] } else { &[Order::Second] };
    let candidate = |(seed, subject, places): (u64, usize, usize)| Candidate {
        name: format!("{}/{}", fault.name(), subjects[subject].short()),
        family: LANES,
        what: fault.what().into(),
        planted: Planted::Lanes { fault, number: seed as usize % places, subject },
        instead: Vec::new(),
        orders,
    };
    found.into_iter().map(candidate).collect()
}

/// A number that a name stands for: FNV-1a.
pub(crate) fn seeded(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    // The low bits of a product know little of the high ones.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    hash ^ (hash >> 29)
}
