//! Measuring a model: the library's side of `adc bench`.

use crate::compiled::{Compiled, Options};
use crate::error::Error;
use crate::function::Function;
use crate::value::Value;
use crate::wrt::Wrt;
use crate::{Model, Workspace};
use adc_checker::Context;
use adc_ir::interp::{Cost, Interp, Val};
use adc_ir::{BenchBlock, Code, Const, Datum, Diagnostic, Scalar, Trap};
use adc_jit::RuntimeMath;
use std::time::Instant;

/// The measurements of one program of a `bench` block.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Measured {
    /// The function.
    pub function: String,
    /// Its dimensions.
    pub dims: Vec<(String, i64)>,
    /// `primal`, `jvp` or `vjp`; derivatives compute the value, too.
    pub mode: String,
    /// Counted work of one call.
    pub cost: Cost,
    /// Its work over the function's.
    pub ratio: f64,
    /// The limit that the block sets.
    pub max_ratio: Option<f64>,
    /// Size of the code.
    pub stats: adc_jit::Stats,
    /// Time of one call.
    pub time: Option<Time>,
    /// The exceeded limit.
    pub failure: Option<Diagnostic>,
}

/// Nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// From source IR to the end of the first call.
    pub first_call: f64,
    /// A later call.
    pub call: f64,
    /// Its 95 % confidence interval.
    pub interval: (f64, f64),
    /// A call in the fastest part of a batch: what other programs on the machine disturb least.
    pub least: f64,
}

/// Measures a `bench` block: for each of its modes counted work, and times if asked for.
///
/// # Errors
/// Sizes that do not fit; errors of compiling and running the function and its derivatives.
pub fn bench(
    model: &Model,
    block: &BenchBlock,
    options: &Options,
    times: bool,
) -> Result<Vec<Measured>, Error> {
    let symbolic = model.at(block.func);
    let refuse = |d| symbolic.diagnostic(d);
    let ctx = Context { fp: options.fp, ..Context::new(model.module(), &options.externs, options.opt) };
    let (dims, lines) = adc_checker::bench_lines(&ctx, block).map_err(refuse)?;
    let named = symbolic.ir().dims.iter().zip(&dims).filter(|(d, _)| d.quotient.is_none());
    let named: Vec<(String, i64)> = named.map(|(d, n)| (d.name.clone(), *n)).collect();
    let f = if dims.is_empty() { symbolic.clone() } else { symbolic.at_dims(&dims)? };
    let point = adc_checker::sample_point(f.ir(), &lines).map_err(refuse)?;
    let wrt = block.wrt.clone().unwrap_or_else(|| f.ir().differentiable_params());
    let wrt = wrt.into_iter().filter(|i| !block.nodiff.contains(i)).collect();
    let primal = Program { f: f.clone(), point, wrt };
    let base = primal.cost(options)?;
    let all = ["primal", "jvp", "vjp"].map(String::from);
    let modes = if block.modes.is_empty() { &all[..] } else { &block.modes };
    let mut out = Vec::new();
    for mode in modes {
        let start = Instant::now();
        let program = primal.derived(mode)?;
        let compiled = program.f.compile(options)?;
        // Before the work is counted: the interpreter is no part of the first call.
        let time = if times { Some(program.time(&compiled, start)?) } else { None };
        let cost = if mode == "primal" { base } else { program.cost(options)? };
        let ratio = cost.work() as f64 / base.work().max(1) as f64;
        let max_ratio = block.max_ratio.filter(|_| mode != "primal");
        let failure = max_ratio.filter(|max| ratio > *max).map(|max| {
            let name = symbolic.name();
            let message = format!("the {mode} of `{name}` works {ratio:.2} times as much as `{name}`");
            Diagnostic::error(Code::TooMuchWork, message)
                .label(block.span, format!("`max_ratio` allows {max}"))
                .help("`adc emit` shows the derivative's program; a wider bound accepts it")
        });
        let (function, dims) = (symbolic.name().to_string(), named.clone());
        let stats = compiled.stats();
        out.push(Measured {
            function,
            dims,
            mode: mode.clone(),
            cost,
            ratio,
            max_ratio,
            stats,
            time,
            failure,
        });
    }
    Ok(out)
}

/// A program with arguments.
struct Program {
    f: Function,
    point: Vec<Datum>,
    /// Positions of the parameters that are differentiated.
    wrt: Vec<usize>,
}

impl Program {
    /// The function, or a derivative of it with tangents or cotangents of 1.
    fn derived(&self, mode: &str) -> Result<Program, Error> {
        let ones = |elem: Scalar, shape: &[usize]| {
            let mut d = Datum::zeros(elem, shape);
            (0..d.len()).for_each(|i| d.set(i, Const::real(1.0, elem)));
            d
        };
        let mut point = self.point.clone();
        let inputs = self.f.inputs();
        let names: Vec<&str> = self.wrt.iter().map(|&i| inputs[i].name.as_str()).collect();
        let wrt = Wrt::listed(&names);
        let f = match mode {
            "jvp" => {
                for &i in &self.wrt {
                    point.push(ones(self.point[i].elem(), self.point[i].shape()));
                }
                self.f.jvp(wrt)?
            }
            "vjp" => {
                let outputs = self.f.outputs();
                for i in self.f.ir().differentiable_results() {
                    let shape = match outputs[i].sizes() {
                        Some(shape) => shape,
                        None => {
                            let late =
                                format!("the size of `{}` is known only after a call", outputs[i].name);
                            return Err(self.f.diagnostic(Diagnostic::error(Code::BadUsage, late)));
                        }
                    };
                    point.push(ones(outputs[i].ty.scalar(), &shape));
                }
                self.f.vjp(wrt)?
            }
            _ => self.f.clone(),
        };
        Ok(Program { f, point, wrt: self.wrt.clone() })
    }

    /// The counted work of the simplified program; of the variant that stores less if memory does not suffice.
    fn cost(&self, options: &Options) -> Result<Cost, Error> {
        match self.cost_of(&self.f, options) {
            Err(Error::Runtime { error, diagnostics }) if error.trap == Trap::OutOfMemory => {
                match self.f.small(&[]) {
                    Some(small) => self.cost_of(&small?, options),
                    None => Err(Error::Runtime { error, diagnostics }),
                }
            }
            other => other,
        }
    }

    fn cost_of(&self, f: &Function, options: &Options) -> Result<Cost, Error> {
        let (module, id) = f.simplified(options)?;
        let externs = options.externs.bind(&module, &[id]).map_err(|d| f.diagnostic(d))?;
        let mut interp = Interp::new(&module, &RuntimeMath, &externs);
        interp.limits = options.limits;
        let args: Vec<Val<f64>> = self.point.iter().map(Datum::to_val).collect();
        interp
            .count(id, &[], &args)
            .map(|(_, cost)| cost)
            .map_err(|e| f.failed_within(e, &options.limits, None))
    }

    fn time(&self, compiled: &Compiled, start: Instant) -> Result<Time, Error> {
        /// Calls are timed in batches that are long enough for the clock.
        const BATCHES: usize = 20;
        const BATCH_NS: f64 = 5e6;
        const PARTS: usize = 10;
        let inputs: Vec<Value> = self.point.iter().cloned().map(Value::from).collect();
        let mut out = vec![Value::Bool(false); compiled.outputs().len()];
        let mut workspace = Workspace::default();
        let mut bound = compiled.bind(&mut workspace);
        bound.call_into(&inputs, &mut out)?;
        let first_call = start.elapsed().as_nanos() as f64;
        let mut run = |n: usize| -> Result<f64, Error> {
            let start = Instant::now();
            (0..n).try_for_each(|_| bound.call_into(&inputs, &mut out))?;
            Ok(start.elapsed().as_nanos() as f64 / n as f64)
        };
        let once = run(3)?.max(1.0);
        let n = (BATCH_NS / once).ceil().clamp(1.0, 1e6) as usize;
        let parts = PARTS.min(n);
        let mut least = f64::INFINITY;
        let mut batch = || -> Result<f64, Error> {
            let times = (0..parts).map(|_| run(n / parts)).collect::<Result<Vec<f64>, _>>()?;
            least = times.iter().copied().fold(least, f64::min);
            Ok(times.iter().sum::<f64>() / parts as f64)
        };
        let samples = (0..BATCHES).map(|_| batch()).collect::<Result<Vec<f64>, _>>()?;
        let mean = samples.iter().sum::<f64>() / BATCHES as f64;
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (BATCHES - 1) as f64;
        let half = 1.96 * (variance / BATCHES as f64).sqrt();
        Ok(Time { first_call, call: mean, interval: (mean - half, mean + half), least })
    }
}
