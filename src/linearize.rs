//! A function linearised at a point.

use crate::compiled::{Compiled, Options};
use crate::error::Error;
use crate::function::Function;
use crate::value::Value;
use crate::wrt::Wrt;
use adc_jit::Cancel;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock, RwLock};

/// The derivative of a function at one point, as a linear map that can be applied in both directions. Owns the
/// residuals of the evaluation; `Send + Sync`. Its compiled programs are kept: [`Self::at`] uses them at other points.
#[derive(Clone)]
pub struct Linearization {
    source: Arc<Source>,
    programs: Arc<Programs>,
    residuals: Vec<Value<'static>>,
    inputs: Vec<Value<'static>>,
}

/// What is linearised, and its programs so far.
struct Source {
    function: Function,
    options: Options,
    /// By dimensions.
    programs: RwLock<BTreeMap<Vec<i64>, Arc<Programs>>>,
}

/// The programs of a function without dimensions.
struct Programs {
    function: Function,
    /// Results and residuals.
    primal: Compiled,
    reverse: Compiled,
    /// Made when it is first asked for.
    forward: OnceLock<Compiled>,
}

impl fmt::Debug for Linearization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = self.source.function.name();
        f.debug_struct("Linearization").field("function", &function).field("inputs", &self.inputs).finish()
    }
}

impl Programs {
    fn new(function: Function, options: &Options) -> Result<Programs, Error> {
        let (wrt, outputs) = (function.params(&Wrt::All)?, function.ir().differentiable_results());
        let mut module = function.expanded()?;
        let programs = adc_ad::linearize(&mut module, function.id, &wrt, &outputs);
        let programs = programs.map_err(|d| function.diagnostic(d))?;
        let primal = function.with_module(module.clone(), programs.forward).compile(options)?;
        let reverse = function.with_module(module, programs.pullback).compile(options)?;
        Ok(Programs { function, primal, reverse, forward: OnceLock::new() })
    }
}

impl Source {
    fn programs(&self, inputs: &[Value]) -> Result<Arc<Programs>, Error> {
        let dims = crate::call::check_inputs(&self.function, inputs)?;
        let known = self.programs.read().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = known.get(&dims) {
            return Ok(found.clone());
        }
        drop(known);
        let function = match dims.is_empty() {
            true => self.function.clone(),
            false => self.function.at_dims(&dims)?,
        };
        let made = Arc::new(Programs::new(function, &self.options)?);
        let mut known = self.programs.write().unwrap_or_else(|e| e.into_inner());
        Ok(known.entry(dims).or_insert(made).clone())
    }
}

/// Calls a program, until it is cancelled.
fn call(program: &Compiled, inputs: &[Value], cancel: Option<&Cancel>) -> Result<Vec<Value<'static>>, Error> {
    if cancel.is_none() {
        return program.call(inputs);
    }
    let mut caller = program.caller();
    caller.set_cancel(cancel.cloned());
    let mut out = vec![Value::Bool(false); program.outputs().len()];
    caller.call_into(inputs, &mut out)?;
    Ok(out)
}

impl Linearization {
    pub(crate) fn new(
        f: &Function,
        inputs: &[Value],
        options: &Options,
        cancel: Option<&Cancel>,
    ) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        let (function, options) = (f.clone(), options.clone());
        let source = Source { function, options, programs: RwLock::default() };
        Linearization::of(Arc::new(source), inputs, cancel)
    }

    fn of(
        source: Arc<Source>,
        inputs: &[Value],
        cancel: Option<&Cancel>,
    ) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        let programs = source.programs(inputs)?;
        let mut values = call(&programs.primal, inputs, cancel)?;
        let residuals = values.split_off(programs.function.ir().results.len());
        let inputs = inputs.iter().map(|v| v.clone().into_owned()).collect();
        Ok((values, Linearization { source, programs, residuals, inputs }))
    }

    /// The same function's values and linearisation at another point. Compiles nothing, unless the sizes of arrays are new.
    ///
    /// # Errors
    /// As [`crate::Compiled::call`].
    ///
    /// ```
    /// let model = adc::Model::parse("f.dsl", "fn f(x: f64) -> f64 { x^2 }")?;
    /// let (_, mut slope) = model.function("f")?.linearize(&[1.0.into()])?;
    /// for x in [2.0, 3.0] {
    ///     let (y, here) = slope.at(&[x.into()])?;
    ///     assert_eq!((&y[..], here.vjp(&[1.0.into()])?), (&[(x*x).into()][..], vec![(2.0*x).into()]));
    ///     slope = here;
    /// }
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn at(&self, inputs: &[Value]) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        self.at_until(inputs, None)
    }

    /// As [`Self::at`], until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::at`].
    pub fn at_until(
        &self,
        inputs: &[Value],
        cancel: Option<&Cancel>,
    ) -> Result<(Vec<Value<'static>>, Linearization), Error> {
        Linearization::of(self.source.clone(), inputs, cancel)
    }

    /// Cotangents of the differentiable parameters for one cotangent per differentiable result, all in the convention
    /// of the function.
    ///
    /// # Errors
    /// A wrong number, type or size of cotangents.
    pub fn vjp(&self, cotangents: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        self.vjp_until(cotangents, None)
    }

    /// As [`Self::vjp`], until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::vjp`].
    pub fn vjp_until(
        &self,
        cotangents: &[Value],
        cancel: Option<&Cancel>,
    ) -> Result<Vec<Value<'static>>, Error> {
        let convert = |v: Value| self.source.function.convention.cotangents(v);
        let mut given: Vec<Value> = self.residuals.iter().map(Value::borrowed).collect();
        given.extend(cotangents.iter().map(|v| convert(v.borrowed())));
        Ok(call(&self.programs.reverse, &given, cancel)?.into_iter().map(convert).collect())
    }

    /// Tangents of the differentiable results for one tangent per differentiable parameter. The first call compiles the program
    /// for that.
    ///
    /// # Errors
    /// A wrong number, type or size of tangents; extern functions without a rule for forward mode.
    pub fn jvp(&self, tangents: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        self.jvp_until(tangents, None)
    }

    /// As [`Self::jvp`], until it is cancelled.
    ///
    /// # Errors
    /// As [`Self::jvp`].
    pub fn jvp_until(
        &self,
        tangents: &[Value],
        cancel: Option<&Cancel>,
    ) -> Result<Vec<Value<'static>>, Error> {
        let given: Vec<Value> = self.inputs.iter().chain(tangents).map(Value::borrowed).collect();
        let mut out = call(self.forward()?, &given, cancel)?;
        Ok(out.split_off(self.programs.function.ir().results.len()))
    }

    fn forward(&self) -> Result<&Compiled, Error> {
        let Programs { function, forward, .. } = &*self.programs;
        if let Some(made) = forward.get() {
            return Ok(made);
        }
        let made = function.jvp(Wrt::All)?.compile(&self.source.options)?;
        Ok(forward.get_or_init(|| made))
    }
}
