//! A function linearised at a point.

use crate::compiled::{Compiled, Options};
use crate::error::Error;
use crate::function::{Convention, Function};
use adc_ir::Const;

/// The derivative of a function at one point, as a linear map that can be applied in both directions. Owns the
/// residuals of the evaluation; `Send + Sync`.
#[derive(Clone, Debug)]
pub struct Pullback {
    reverse: Compiled,
    forward: Compiled,
    residuals: Vec<Const>,
    inputs: Vec<Const>,
    results: usize,
    convention: Convention,
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
        let (inputs, convention) = (inputs.to_vec(), f.convention);
        Ok((values, Pullback { reverse, forward, residuals, inputs, results, convention }))
    }

    /// Cotangents of the differentiable parameters for one cotangent per differentiable result, all in the convention
    /// of the function.
    ///
    /// # Errors
    /// A wrong number or type of cotangents.
    pub fn vjp(&self, cotangents: &[Const]) -> Result<Vec<Const>, Error> {
        let convert = |c: &Const| self.convention.cotangent(*c);
        let given = self.residuals.iter().copied().chain(cotangents.iter().map(convert));
        let found = self.reverse.call(&given.collect::<Vec<_>>())?;
        Ok(found.iter().map(convert).collect())
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
