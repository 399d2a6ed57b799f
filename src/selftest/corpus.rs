//! The functions that mutants are planted in: the model library, small programs for every structure, and functions
//! generated from the tables.

use super::generated;
use crate::Model;
use adc_checker::{Context, Derivatives, Settings};
use adc_frontend::Loader;
use adc_ir::{CheckBlock, Module};
use adc_jit::Externs;
use adc_simplify::OptLevel;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::{Arc, LazyLock};

/// A function with its check.
#[derive(Clone)]
pub(crate) struct Subject {
    /// Its file and name, or the table's row.
    pub name: String,
    pub module: Arc<Module>,
    pub block: CheckBlock,
    pub opt: OptLevel,
    /// Instructions of its derivatives.
    size: usize,
    /// By order: what its differentiation and simplification reach.
    rules: adc_ad::Coverage,
    passes: [FxHashSet<adc_simplify::mutants::Fault>; 2],
}

impl Subject {
    pub(super) fn new(name: String, module: Arc<Module>, block: CheckBlock, opt: OptLevel) -> Subject {
        let (rules, passes) = Default::default();
        Subject { name, module, block, opt, size: 0, rules, passes }
    }

    pub(super) fn context<'a>(&'a self, externs: &'a Externs, opt: OptLevel) -> Context<'a> {
        Context { module: &self.module, externs, opt }
    }

    /// Records what its derivatives reach, as they are by default and as they are without preparation.
    fn look(&mut self) {
        let externs = Externs::default();
        let made = |level: OptLevel| {
            Derivatives::new(&self.context(&externs, level), &self.block, &Settings::default(), true)
        };
        let ((size, rules), passes) = adc_simplify::mutants::observed(|| {
            adc_ad::observed(|| {
                let size = made(OptLevel::O2).map(|mut d| {
                    let all = [&d.first[..], &d.second].concat();
                    let size: usize = all.iter().map(|f| d.module.func(*f).inst_count()).sum();
                    d.simplify(OptLevel::O3);
                    size
                });
                let _ = made(OptLevel::O0);
                size
            })
        });
        (self.rules, self.passes) = (rules, passes);
        self.size = size.unwrap_or(usize::MAX);
    }

    pub(super) fn reaches(&self, site: &Site, second: bool) -> bool {
        match site {
            Site::Rule(s) => (if second { &self.rules.second } else { &self.rules.first }).contains(s),
            Site::Pass(f) => self.passes[usize::from(second)].contains(f),
            Site::Rewrite(name) => self.name.split('/').next() == Some(name),
        }
    }
}

/// Code or data that a mutant changes.
pub(super) enum Site {
    Rule(adc_ad::Site),
    Pass(adc_simplify::mutants::Fault),
    /// The functions generated for a rewrite.
    Rewrite(&'static str),
}

/// Every subject, small ones first.
pub(super) fn subjects() -> &'static [Subject] {
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

/// The checks of a file; `all`: also of functions without a block.
pub(super) fn of_file(name: &str, text: &str, all: bool) -> Vec<Subject> {
    let model = Model::parse_with(name, text, &mut Library)
        .unwrap_or_else(|d| panic!("a model that adc was built with is wrong: {d}"));
    let module = Arc::new(model.module().clone());
    let program = model.program();
    let plan = adc_checker::plan(&module, &program.functions, &program.checks);
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
        Subject::new(full, module.clone(), block, OptLevel::O2)
    };
    blocks.into_iter().map(subject).collect()
}

/// The files that models use.
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
        pub(super) const MODELS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../models/", $name)))),*];
    };
}

models! {
    "activations.dsl"
    "black_scholes.dsl"
    "complex_descent.dsl"
    "damped_oscillator.dsl"
    "fourier.dsl"
    "fresnel.dsl"
    "gaussian_process.dsl"
    "hand_written_rules.dsl"
    "heat.dsl"
    "hidden_markov.dsl"
    "kalman.dsl"
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
    "relativistic_energy.dsl"
    "rlc.dsl"
    "straight_through.dsl"
    "transfer_function.dsl"
    "van_der_waals.dsl"
}
