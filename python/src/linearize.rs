//! Functions linearised at a point.

use crate::errors::exception;
use crate::function::Origin;
use crate::interrupt;
use crate::layout::{By, Tree};
use crate::program::arguments;
use crate::values::{Arg, Input, object};
use adc::{Cancel, Linearization, Port, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};

/// Gives the value of a function at a point, and its derivative there. Compiles at the first call.
#[pyclass(frozen, module = "adc")]
pub(crate) struct Linearizer {
    origin: Arc<Origin>,
    /// Any linearisation: it has the programs.
    known: Mutex<Option<Linearization>>,
}

impl Linearizer {
    pub(crate) fn new(origin: Arc<Origin>) -> Linearizer {
        Linearizer { origin, known: Mutex::default() }
    }
}

fn inputs<'p>(py: Python<'_>, ports: impl Iterator<Item = &'p Port>) -> PyResult<Vec<Input>> {
    ports.map(|p| Input::new(py, p)).collect()
}

/// Results in their form.
fn built(py: Python<'_>, tree: &Tree, values: Vec<Value<'static>>) -> PyResult<Py<PyAny>> {
    let values = values.into_iter().map(|v| object(py, v).map(Some)).collect::<PyResult<Vec<_>>>()?;
    tree.build(py, &values)
}

#[pymethods]
impl Linearizer {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<(Py<PyAny>, Linear)> {
        let (py, f) = (args.py(), &self.origin.function);
        let inputs = inputs(py, f.inputs().iter())?;
        let given = arguments(&inputs, f.name(), args, kwargs)?;
        let held = given.iter().zip(&inputs).map(|(given, input)| input.read(given));
        let held = held.collect::<PyResult<Vec<Arg>>>()?;
        let values: Vec<Value> = held.iter().map(Arg::value).collect();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let cancel = Cancel::new();
        let done = interrupt::run(py, &cancel, || match known {
            Some(known) => known.at_until(&values, Some(&cancel)),
            None => f.linearize_until(&self.origin.options, &values, Some(&cancel)),
        })?;
        let (results, linear) = done.map_err(|e| self.origin.failed(py, e))?;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(linear.clone());
        let mut next = 0..;
        let all: Vec<usize> = (0..f.outputs().len()).collect();
        let tree = Tree::results(py, f, &all, |_| Ok(Tree::Leaf(next.next().unwrap_or(0))))?;
        Ok((built(py, &tree, results)?, Linear { origin: self.origin.clone(), linear }))
    }

    fn __repr__(&self) -> String {
        format!("<adc {}.linearize>", self.origin.function.name())
    }
}

/// The derivative of a function at a point: a linear map that is applied in both directions.
#[pyclass(frozen, module = "adc")]
pub(crate) struct Linear {
    origin: Arc<Origin>,
    linear: Linearization,
}

impl Linear {
    /// Which parameters and results it relates.
    fn ends(&self) -> (Vec<&Port>, Vec<usize>) {
        let f = &self.origin.function;
        let params = f.ir().differentiable_params().into_iter().map(|i| &f.inputs()[i]);
        (params.collect(), f.ir().differentiable_results())
    }

    /// Applies it to seeds, given in order or by the names of these ports.
    fn apply(
        &self,
        ports: &[&Port],
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        run: impl FnOnce(&[Value], Option<&Cancel>) -> Result<Vec<Value<'static>>, adc::Error> + Send,
    ) -> PyResult<Vec<Value<'static>>> {
        let py = args.py();
        let inputs = inputs(py, ports.iter().copied())?;
        let given = arguments(&inputs, self.origin.function.name(), args, kwargs)?;
        let held = given.iter().zip(&inputs).map(|(given, input)| input.read(given));
        let held = held.collect::<PyResult<Vec<Arg>>>()?;
        let values: Vec<Value> = held.iter().map(Arg::value).collect();
        let cancel = Cancel::new();
        interrupt::run(py, &cancel, || run(&values, Some(&cancel)))?.map_err(|e| exception(py, e))
    }
}

#[pymethods]
impl Linear {
    /// Cotangents of the parameters as a dictionary, for a cotangent of each result, in order or by the result's name.
    #[pyo3(signature = (*args, **kwargs))]
    fn vjp(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let (py, f) = (args.py(), &self.origin.function);
        let (params, results) = self.ends();
        let ports: Vec<&Port> = results.iter().map(|i| &f.outputs()[*i]).collect();
        let found = self.apply(&ports, args, kwargs, |seeds, cancel| self.linear.vjp_until(seeds, cancel))?;
        let by = By { names: params.iter().map(|p| p.name.clone()).collect(), bare: false };
        let mut next = 0..;
        built(py, &Tree::by(py, &by, |_| Ok(Tree::Leaf(next.next().unwrap_or(0))))?, found)
    }

    /// Tangents of the results, for a tangent of each parameter, in order or by the parameter's name.
    #[pyo3(signature = (*args, **kwargs))]
    fn jvp(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let (py, f) = (args.py(), &self.origin.function);
        let (params, results) = self.ends();
        let found =
            self.apply(&params, args, kwargs, |seeds, cancel| self.linear.jvp_until(seeds, cancel))?;
        let mut next = 0..;
        built(py, &Tree::results(py, f, &results, |_| Ok(Tree::Leaf(next.next().unwrap_or(0))))?, found)
    }

    fn __repr__(&self) -> String {
        format!("<adc derivative of {} at a point>", self.origin.function.name())
    }
}
