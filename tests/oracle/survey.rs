//! What checks found, added up over points and functions.

use adc::{CheckOptions, Model, Selection};
use adc_checker::{Backends, Context, PointReport, Report, Severity};
use adc_ir::testing::{Knobs, Rng, module};
use adc_ir::{CheckBlock, FuncId, Mode, Module, specialise};

/// The model, which has to compile.
pub fn model(name: &str, source: &str) -> Model {
    Model::parse(name, source).unwrap_or_else(|d| panic!("{d}"))
}

/// A generated program of smooth functions, and the one to check; `None` if nothing of it can be differentiated.
pub fn generated(seed: u64, steps: usize, funcs: usize) -> Option<(Module, FuncId)> {
    let knobs = Knobs { steps, funcs, single: false, smooth: true, stop_gradient: false, ..Knobs::arrays() };
    let mut m = module(seed, &knobs);
    m.funcs.iter_mut().flat_map(|f| &mut f.params).for_each(|p| p.nodiff = false);
    let f = FuncId(m.funcs.len() as u32 - 1);
    let (dims, _) = adc_ir::testing::array_inputs(&mut Rng::new(seed), m.func(f), false);
    let f = specialise::specialise(&mut m, f, &dims).expect("small");
    let func = m.func(f);
    let smooth = !func.differentiable_params().is_empty() && !func.differentiable_results().is_empty();
    smooth.then_some((m, f))
}

/// The report of a program's check without a block.
pub fn check_program(m: &Module, f: FuncId, options: &CheckOptions) -> Report {
    let func = m.func(f);
    let block = CheckBlock::default_for(f, func.params.len(), func.span);
    let ctx = Context::new(m, &options.externs, options.opt);
    adc_checker::check(&ctx, &block, &options.settings)
}

/// The reports of one function's checks.
pub fn check(model: &Model, function: &str, options: &CheckOptions) -> Vec<Report> {
    let selection = Selection::default().with_function(function);
    adc::check_selected(model, options, &selection).unwrap_or_else(|d| panic!("{d}")).reports
}

/// All modes, entry by entry also for second derivatives.
pub fn every_mode() -> CheckOptions {
    let mut options = CheckOptions::default();
    options.settings.modes = Some(vec![Mode::Slow, Mode::Fast, Mode::Forward, Mode::Gradgrad]);
    options.settings.every_point = true;
    options.settings.backends = Backends::None;
    options
}

/// Figures of many reports.
#[derive(Default)]
pub struct Survey {
    points: usize,
    /// Entries, probes and identities.
    compared: usize,
    /// Entries that are zero: there is nothing to resolve.
    zeros: usize,
    unsure: usize,
    /// Of every other entry the smallest relative error that would have been seen.
    resolutions: Vec<f64>,
    /// Whatever is said against a derivative.
    pub alarms: Vec<String>,
    /// Whatever is not resolved to 1e-9.
    pub coarse: Vec<String>,
}

impl Survey {
    pub fn add(&mut self, r: &Report) {
        // Comparisons of backends, rules and errors have no point.
        if r.points.is_empty() {
            self.alarms.extend(r.diagnostics.iter().map(|d| format!("{}: {}", r.name, d.message)));
        }
        for point in &r.points {
            self.points += 1;
            self.point(r, point);
        }
    }

    fn point(&mut self, r: &Report, p: &PointReport) {
        let entries = p
            .entries
            .iter()
            .map(|e| (e.status, format!("{:?}", (e.name(true), e.vjp, e.jvp, e.fd, e.exact, e.tol))));
        let probes = p
            .probes
            .iter()
            .map(|p| (p.status, format!("{:?}", (&p.output, p.order, p.derivative, p.fd, p.tol))));
        let identities =
            p.identities.iter().map(|i| (i.status, format!("{:?}", (i.kind, i.order, i.sides, i.tol))));
        for (status, name) in entries.chain(probes).chain(identities) {
            self.compared += 1;
            match status.info().severity {
                Severity::Pass => {}
                Severity::Unsure => {
                    self.unsure += 1;
                    self.coarse.push(format!("{}: {name} is `{}` at {:?}", r.name, status.word(), p.inputs));
                }
                Severity::Warning | Severity::Failure => {
                    self.alarms.push(format!("{}: {name} is `{}` at {:?}", r.name, status.word(), p.inputs));
                }
            }
        }
        for e in &p.entries {
            match e.resolution {
                Some(0.0) => self.zeros += 1,
                Some(x) if x.is_finite() => {
                    self.resolutions.push(x);
                    if x > 1e-9 {
                        self.coarse.push(format!(
                            "{}: {} is resolved to {x:.1e} at {:?}: {e:?}",
                            r.name,
                            e.name(true),
                            p.inputs
                        ));
                    }
                }
                _ => {}
            }
        }
    }

    /// The resolution that this part of the entries has, or a better one.
    pub fn quantile(&mut self, part: f64) -> f64 {
        self.resolutions.sort_by(f64::total_cmp);
        if self.resolutions.is_empty() {
            return f64::NAN;
        }
        let at = (part * self.resolutions.len() as f64).ceil() as usize;
        self.resolutions[at.clamp(1, self.resolutions.len()) - 1]
    }

    /// Alarms where something is not resolved.
    pub fn needs_all(&mut self) {
        self.alarms.append(&mut self.coarse);
    }

    /// The figures.
    pub fn line(&mut self) -> String {
        let quantiles = [0.5, 0.99, 1.0].map(|part| self.quantile(part));
        format!(
            "{} points, {} comparisons: {} alarms, {:.3} % unsure; {} entries with median resolution {:.1e}, 99 % {:.1e}, \
             worst {:.1e}; {} entries are 0",
            self.points,
            self.compared,
            self.alarms.len(),
            100.0 * self.unsure as f64 / self.compared as f64,
            self.resolutions.len(),
            quantiles[0],
            quantiles[1],
            quantiles[2],
            self.zeros,
        )
    }

    /// Prints the figures, and insists on them.
    pub fn conclude(mut self, what: &str) {
        println!("{what}: {}", self.line());
        let shown = &self.alarms[..self.alarms.len().min(20)];
        assert!(shown.is_empty(), "{} alarms: {shown:#?}", self.alarms.len());
        let (median, most) = (self.quantile(0.5), self.quantile(0.99));
        let unsure = self.unsure as f64 / self.compared as f64;
        assert!(median <= 1e-11 && most <= 1e-9 && unsure <= 0.01, "{what}: too coarse");
    }
}
