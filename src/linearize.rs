//! A function linearised at a point.

use crate::compiled::{Compiled, Options};
use crate::error::Error;
use crate::function::Function;
use adc_ir::Const;

/// The derivative of a function at one point, as a linear map that can be applied in both directions. Owns the
/// residuals of the evaluation; `Send + Sync`.
#[derive(Clone)]
pub struct Pullback {
    reverse: Compiled,
    forward: Compiled,
    residuals: Vec<Const>,
    inputs: Vec<Const>,
    results: usize,
}

impl Pullback {
    pub(crate) fn at(
        f: &Function,
        inputs: &[Const],
        options: &Options,
    ) -> Result<(Vec<Const>, Pullback), Error> {
        let (wrt, outputs) = (f.params(&[])?, f.results(&[])?);
        let mut module = (*f.module).clone();
        let lin = adc_ad::linearize(&mut module, f.id, &wrt, &outputs).map_err(|d| f.diagnostic(d))?;
        let primal = f.with_module(module.clone(), lin.forward).compile(options)?;
        let reverse = f.with_module(module, lin.pullback).compile(options)?;
        let forward = f.jvp(&[])?.compile(options)?;
        let mut values = primal.call(inputs)?;
        let results = f.ir().results.len();
        let residuals = values.split_off(results);
        Ok((values, Pullback { reverse, forward, residuals, inputs: inputs.to_vec(), results }))
    }

    /// Cotangents of the differentiable parameters for one cotangent per differentiable result.
    ///
    /// # Errors
    /// A wrong number or type of cotangents.
    pub fn vjp(&self, cotangents: &[Const]) -> Result<Vec<Const>, Error> {
        self.reverse.call(&[&self.residuals[..], cotangents].concat())
    }

    /// Tangents of the differentiable results for one tangent per differentiable parameter.
    ///
    /// # Errors
    /// A wrong number or type of tangents.
    pub fn jvp(&self, tangents: &[Const]) -> Result<Vec<Const>, Error> {
        let mut out = self.forward.call(&[&self.inputs[..], tangents].concat())?;
        Ok(out.split_off(self.results))
    }
}
