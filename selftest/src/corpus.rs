//! The functions that mutants are looked for in: the model library, small programs for every structure, and functions made of
//! the tables.

use crate::Order;
use crate::generated;
use crate::operators::{self, OPERATORS, sites};
use crate::planting::Toolchain;
use adc_checker::{Context, Derivatives, Passes, Settings};
use adc_frontend::Loader;
use adc_ir::{CheckBlock, Derivation, Func, FuncId, Kind, Module, Op, Operator, Region, Type};
use adc_jit::strips::{Fault, Strip};
use adc_jit::{Externs, RuntimeMath};
use adc_simplify::OptLevel;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::{Arc, LazyLock, OnceLock};

/// A derivative program of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Made {
    Vjp,
    Jvp,
    VjpVjp,
    VjpJvp,
}

impl Made {
    pub const ALL: [Made; 4] = [Made::Vjp, Made::Jvp, Made::VjpVjp, Made::VjpJvp];

    pub fn word(self) -> &'static str {
        match self {
            Made::Vjp => "vjp",
            Made::Jvp => "jvp",
            Made::VjpVjp => "vjp-vjp",
            Made::VjpJvp => "vjp-jvp",
        }
    }

    fn order(self) -> Order {
        match self {
            Made::Vjp | Made::Jvp => Order::First,
            Made::VjpVjp | Made::VjpJvp => Order::Second,
        }
    }

    /// What a VJP program of this function is.
    pub fn reverse(m: &Module, f: FuncId, primal: bool) -> Option<Made> {
        match (m.derivative_order(f), made_by(m, f)) {
            (0, _) => primal.then_some(Made::Vjp),
            (1, Some(Operator::Vjp)) => Some(Made::VjpVjp),
            _ => None,
        }
    }

    /// What a JVP program of this function is.
    pub fn forward(m: &Module, f: FuncId) -> Option<Made> {
        match (m.derivative_order(f), made_by(m, f)) {
            (0, _) => Some(Made::Jvp),
            (1, Some(Operator::Vjp)) => Some(Made::VjpJvp),
            _ => None,
        }
    }

    /// What a function is.
    pub fn of(m: &Module, f: FuncId) -> Option<Made> {
        let of = m.func(m.original(f)).origin?.of;
        match made_by(m, f)? {
            Operator::ValueAndVjp => Made::reverse(m, of, true),
            Operator::Vjp => Made::reverse(m, of, false),
            Operator::Jvp => Made::forward(m, of),
            _ => None,
        }
    }
}

/// The operator that a function was made by.
fn made_by(m: &Module, f: FuncId) -> Option<Operator> {
    match m.func(m.original(f)).origin?.program {
        Derivation::Operator(operator) => Some(operator),
        _ => None,
    }
}

/// Where an operator applies in one program.
#[derive(Clone, Copy)]
struct Places {
    /// By its place in the table.
    operator: usize,
    program: Made,
    simplified: bool,
    level: OptLevel,
    count: usize,
}

/// A function with what is checked of it.
#[derive(Clone)]
pub(crate) struct Subject {
    /// Its file and name, or the table's row.
    pub name: String,
    pub module: Arc<Module>,
    pub block: CheckBlock,
    pub opt: OptLevel,
    /// Instructions of its derivatives.
    size: usize,
    /// By order: the ops that are differentiated, with their operands that are complex.
    ops: [FxHashSet<(Op, u8)>; 2],
    /// Where operators apply: found out when one is asked for. No mistakes are made in functions that are made of the tables.
    places: OnceLock<Vec<Places>>,
    /// The loops in lanes of its derivatives of both orders, likewise.
    lanes: OnceLock<[Vec<Strip>; 2]>,
}

/// An op of operands of these types, whatever their precision.
fn key(op: Op, operands: impl Iterator<Item = Type>) -> (Op, u8) {
    (op, operands.enumerate().map(|(i, t)| u8::from(t.scalar().is_complex()) << i).sum())
}

impl Subject {
    pub fn new(name: String, module: Arc<Module>, block: CheckBlock, opt: OptLevel) -> Subject {
        let (ops, places, lanes) =
            (Default::default(), OnceLock::from(Vec::new()), OnceLock::from([Vec::new(), Vec::new()]));
        Subject { name, module, block, opt, size: 0, ops, places, lanes }
    }

    /// With these passes.
    pub fn context<'a>(&'a self, externs: &'a Externs, opt: OptLevel, passes: &'a dyn Passes) -> Context<'a> {
        Context { passes, ..Context::new(&self.module, externs, opt) }
    }

    /// Its derivative programs as they are, or `None` if it has none.
    fn derivatives(&self, level: OptLevel, simplified: bool) -> Option<Derivatives> {
        let externs = Externs::default();
        let ctx = self.context(&externs, level, &Toolchain::Right);
        let mut d = Derivatives::new(&ctx, &self.block, &Settings::default(), true).ok()?;
        if simplified {
            d.simplify(&ctx);
        }
        Some(d)
    }

    /// Finds out what its derivatives are made of.
    fn look(&mut self) {
        self.size = usize::MAX;
        for level in [OptLevel::O2, OptLevel::O0] {
            let Some(d) = self.derivatives(level, false) else { continue };
            if level == OptLevel::O2 {
                let all = [&d.first[..], &d.second].concat();
                self.size = all.iter().map(|f| d.module.func(*f).inst_count()).sum();
            }
            self.note_ops(&d.module);
        }
    }

    /// Where operators apply.
    fn places(&self) -> &[Places] {
        self.places.get_or_init(|| self.look_for_places())
    }

    fn look_for_places(&self) -> Vec<Places> {
        let mut places: Vec<Places> = Vec::new();
        // What is written out or inlined by default stays where it is at level 0.
        for (level, simplified) in [(OptLevel::O2, false), (OptLevel::O0, false), (OptLevel::O3, true)] {
            let Some(d) = self.derivatives(level, simplified) else { continue };
            for f in [&d.first[..2], &d.second[..2]].concat() {
                let Some(program) = Made::of(&d.module, f) else { continue };
                let func = d.module.func(f);
                let seeds = (!simplified).then(|| seeds(&d, f, program));
                for (operator, row) in OPERATORS.iter().enumerate() {
                    let known =
                        |p: &Places| (p.operator, p.program, p.simplified) == (operator, program, simplified);
                    if places.iter().any(known) {
                        continue;
                    }
                    let count = sites(row, func, seeds).len();
                    if count > 0 {
                        places.push(Places { operator, program, simplified, level, count });
                    }
                }
            }
        }
        places
    }

    /// In how many places a mistake can be made in loops in lanes of its derivatives of an order, if they are compared.
    pub fn places_in_lanes(&self, fault: Fault, order: Order) -> usize {
        let lanes = self.lanes.get_or_init(|| {
            let Some(d) = self.derivatives(OptLevel::O2, true) else { return Default::default() };
            [&d.first, &d.second].map(|list| adc_jit::strips_of(&d.module, list).unwrap_or_default())
        });
        match self.compares(order) {
            // A mistake is made in all loops that have a place for it.
            true => lanes[order as usize].iter().map(|s| fault.places(s)).max().unwrap_or(0),
            false => 0,
        }
    }

    fn note_ops(&mut self, m: &Module) {
        fn walk(f: &Func, r: &Region, out: &mut FxHashSet<(Op, u8)>) {
            for inst in &r.insts {
                if let Kind::Op(op) = inst.kind {
                    out.insert(key(op, inst.args.iter().map(|v| f.ty(*v))));
                }
                inst.regions.iter().for_each(|r| walk(f, r, out));
            }
        }
        for (k, f) in m.funcs.iter().enumerate() {
            let order = m.derivative_order(FuncId(k as u32));
            // The body of a rule is a derivative that may be differentiated to transpose it.
            let orders: &[usize] = match (order, f.of_rule.is_some()) {
                (0, _) => &[0],
                (1, true) => &[0, 1],
                _ => &[1],
            };
            for k in orders {
                f.region().into_iter().for_each(|r| walk(f, r, &mut self.ops[*k]));
            }
        }
    }

    /// Whether a derivative of this order may ask for the partials of an op of such operands.
    pub fn has_op(&self, op: Op, operands: &[Type], order: Order) -> bool {
        self.ops[order as usize].contains(&key(op, operands.iter().copied()))
    }

    /// Whether its block has derivatives of this order compared.
    pub fn compares(&self, order: Order) -> bool {
        self.block.modes.as_ref().is_none_or(|modes| order.modes().iter().any(|m| modes.contains(m)))
    }

    /// Where an operator applies in programs of this order, if they are compared: program, level, how often.
    pub fn sites(
        &self,
        operator: &'static operators::Operator,
        order: Order,
        simplified: bool,
    ) -> impl Iterator<Item = (Made, OptLevel, usize)> + '_ {
        let fits = move |p: &&Places| {
            std::ptr::eq(&OPERATORS[p.operator], operator)
                && p.program.order() == order
                && self.compares(order)
                && p.simplified == simplified
        };
        self.places().iter().filter(fits).map(|p| (p.program, p.level, p.count))
    }

    /// Its name without the file that all small programs are in.
    pub fn short(&self) -> &str {
        self.name.strip_prefix("structures.dsl:").unwrap_or(&self.name)
    }
}

/// Where the parameters of a program begin that are tangents or cotangents of it.
fn seeds(d: &Derivatives, f: FuncId, program: Made) -> usize {
    let params = d.module.func(d.func).params.len();
    let count = d.module.func(f).params.len();
    match program {
        Made::Vjp | Made::Jvp => params,
        Made::VjpVjp | Made::VjpJvp => {
            // Those of the VJP program come behind those of the function.
            let origin = d.module.func(d.module.original(f)).origin;
            origin.map_or(count, |o| d.module.func(o.of).params.len())
        }
    }
}

/// Finds out where operators apply, of all subjects at once.
pub(crate) fn look_for_places(subjects: &[Subject]) {
    subjects.par_iter().with_max_len(1).for_each(|s| {
        s.places();
    });
}

/// Every subject, small ones first.
pub(crate) fn subjects() -> &'static [Subject] {
    static ALL: LazyLock<Vec<Subject>> = LazyLock::new(made);
    &ALL
}

fn made() -> Vec<Subject> {
    let mut all = of_file("structures.dsl", include_str!("structures.dsl"), false);
    for (name, text) in MODELS {
        all.extend(of_file(name, text, false));
    }
    all.extend(generated::of_rules());
    let mut rewrites = generated::of_rewrites();
    // Those with respect to a factor alone are for their rewrite, and come first.
    let whole = rewrites.par_iter_mut().filter(|s| s.block.wrt.is_none());
    all.par_iter_mut().chain(whole).for_each(Subject::look);
    all.extend(rewrites);
    all.sort_by(|a, b| (a.size, &a.name).cmp(&(b.size, &b.name)));
    all
}

/// The checks of a file; `all`: also of functions that no block is about.
pub(crate) fn of_file(name: &str, text: &str, all: bool) -> Vec<Subject> {
    let program = adc_frontend::compile(name, text, &mut Library, &RuntimeMath);
    let program = program
        .unwrap_or_else(|e| panic!("`{name}`, which adc was built with, is wrong: {:?}", e.diagnostics));
    let module = &program.module;
    let plan = adc_checker::plan(module, &program.functions, &program.checks);
    let mut blocks = plan.checks;
    if all {
        for f in &program.functions {
            let func = module.func(*f);
            if blocks.iter().all(|b| b.func != *f) {
                blocks.push(CheckBlock::default_for(*f, func.params.len(), func.span));
            }
        }
    }
    blocks.retain(|b| b.expect.is_none());
    let mut names: FxHashSet<String> = FxHashSet::default();
    let subject = |block: CheckBlock| {
        let mut full = format!("{name}:{}", module.func(block.func).name);
        let (base, mut k) = (full.clone(), 1);
        while !names.insert(full.clone()) {
            k += 1;
            full = format!("{base}#{k}");
        }
        let (module, func) = module.needed_by(block.func);
        let made = Subject::new(full, Arc::new(module), CheckBlock { func, ..block }, OptLevel::O2);
        Subject { places: OnceLock::new(), lanes: OnceLock::new(), ..made }
    };
    blocks.into_iter().map(subject).collect()
}

/// The models that use another one find it here.
struct Library;

impl Loader for Library {
    fn load(&mut self, _from: &str, path: &str) -> Result<(String, String), String> {
        let found = MODELS.iter().find(|(name, _)| *name == path);
        found
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .ok_or_else(|| "it is no model of adc's".into())
    }
}

macro_rules! models {
    ($($name:literal)*) => {
        /// The model library.
        pub(crate) const MODELS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../models/", $name)))),*];
    };
}

models! {
    "activations.dsl"
    "attention.dsl"
    "black_scholes.dsl"
    "complex_descent.dsl"
    "cox.dsl"
    "damped_oscillator.dsl"
    "fft.dsl"
    "fourier.dsl"
    "fresnel.dsl"
    "gaussian_process.dsl"
    "hand_written_rules.dsl"
    "heat.dsl"
    "hidden_markov.dsl"
    "kalman.dsl"
    "kalman_smoother.dsl"
    "leapfrog.dsl"
    "lennard_jones.dsl"
    "logistic_loss.dsl"
    "logistic_regression.dsl"
    "mandelbrot.dsl"
    "michaelis_menten.dsl"
    "moebius.dsl"
    "n_body.dsl"
    "neural_ode.dsl"
    "newton_solve.dsl"
    "normal.dsl"
    "peng_robinson.dsl"
    "phase_retrieval.dsl"
    "planck.dsl"
    "potential_flow.dsl"
    "principal_components.dsl"
    "rabi.dsl"
    "relativistic_energy.dsl"
    "rlc.dsl"
    "straight_through.dsl"
    "tight_binding.dsl"
    "transfer_function.dsl"
    "van_der_waals.dsl"
}
