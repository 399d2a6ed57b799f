//! A function linearised at a point.

use crate::compiled::{Compiled, Options};
use crate::convention::Convention;
use crate::error::Error;
use crate::function::Function;
use crate::value::Value;

/// The derivative of a function at one point, as a linear map that can be applied in both directions. Owns the
/// residuals of the evaluation; `Send + Sync`.
#[derive(Clone, Debug)]
pub struct Pullback {
    reverse: Compiled,
    forward: Compiled,
    residuals: Vec<Value<'static>>,
    inputs: Vec<Value<'static>>,
    results: usize,
    convention: Convention,
}

impl Pullback {
    pub(crate) fn at(
        f: &Function,
        inputs: &[Value],
        options: &Options,
    ) -> Result<(Vec<Value<'static>>, Pullback), Error> {
        let dims = crate::call::check_inputs(f, inputs)?;
        if !dims.is_empty() {
            return Pullback::at(&f.at_dims(&dims)?, inputs, options);
        }
        let (wrt, outputs) = (f.params(&[])?, f.results(&[])?);
        let mut module = f.expanded()?;
        let lin = adc_ad::linearize(&mut module, f.id, &wrt, &outputs).map_err(|d| f.diagnostic(d))?;
        let primal = f.with_module(module.clone(), lin.forward).compile(options)?;
        let reverse = f.with_module(module, lin.pullback).compile(options)?;
        let forward = f.jvp(&[])?.compile(options)?;
        let mut values = primal.call(inputs)?;
        let results = f.ir().results.len();
        let residuals = values.split_off(results);
        let inputs = inputs.iter().map(|v| v.clone().into_owned()).collect();
        let convention = f.convention;
        Ok((values, Pullback { reverse, forward, residuals, inputs, results, convention }))
    }

    /// Cotangents of the differentiable parameters for one cotangent per differentiable result, all in the convention
    /// of the function.
    ///
    /// # Errors
    /// A wrong number, type or size of cotangents.
    pub fn vjp(&self, cotangents: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        let convert = |v: Value| self.convention.cotangents(v);
        let mut given: Vec<Value> = self.residuals.iter().map(Value::borrowed).collect();
        given.extend(cotangents.iter().map(|v| convert(v.borrowed())));
        Ok(self.reverse.call(&given)?.into_iter().map(convert).collect())
    }

    /// Tangents of the differentiable results for one tangent per differentiable parameter.
    ///
    /// # Errors
    /// A wrong number, type or size of tangents.
    pub fn jvp(&self, tangents: &[Value]) -> Result<Vec<Value<'static>>, Error> {
        let given: Vec<Value> = self.inputs.iter().chain(tangents).map(Value::borrowed).collect();
        let mut out = self.forward.call(&given)?;
        Ok(out.split_off(self.results))
    }
}
