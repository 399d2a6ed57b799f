//! Programs over a leading axis.

use crate::interrupt;
use crate::program::{Program, arguments};
use crate::values::{Arg, Input, object};
use adc::{Cancel, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// A program that is called for every entry along a leading axis, on all cores.
#[pyclass(frozen, module = "adc")]
pub(crate) struct Batch {
    program: Py<Program>,
    inputs: Vec<Input>,
    over: Vec<bool>,
}

impl Batch {
    pub(crate) fn new(program: &Bound<'_, Program>, over: Option<&Bound<'_, PyAny>>) -> PyResult<Batch> {
        let (py, own) = (program.py(), program.get());
        let mut marked = vec![true; own.inputs.len()];
        if let Some(over) = over.filter(|o| !o.is_none()) {
            let names: Vec<String> = match over.is_instance_of::<PyString>() {
                true => vec![over.extract()?],
                false => over.extract()?,
            };
            marked.fill(false);
            for name in names {
                let mut found = false;
                for (mark, input) in marked.iter_mut().zip(&own.inputs) {
                    let same = input.name == name || input.keyword.to_str(py)? == name;
                    *mark |= same;
                    found |= same;
                }
                if !found {
                    return Err(crate::errors::misuse(py, format!("there is no input called `{name}`")));
                }
            }
        }
        let input = |(input, over): (&Input, &bool)| match over {
            true => input.with_rows(py),
            false => input.same(py),
        };
        let inputs = own.inputs.iter().zip(&marked).map(input).collect();
        Ok(Batch { program: program.clone().unbind(), inputs, over: marked })
    }
}

#[pymethods]
impl Batch {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let (py, program) = (args.py(), self.program.get());
        let given = arguments(&self.inputs, program.origin.function.name(), args, kwargs)?;
        let held = given.iter().zip(&self.inputs).map(|(given, input)| input.read(given));
        let held = held.collect::<PyResult<Vec<Arg>>>()?;
        let values: Vec<Value> = held.iter().map(Arg::value).collect();
        let cancel = Cancel::new();
        let run = || program.compiled.call_many_over(&values, &self.over, Some(&cancel));
        let results = interrupt::run(py, &cancel, run)?.map_err(|e| program.failed(py, e))?;
        let results = results.into_iter().map(|v| object(py, v).map(Some));
        program.tree.build(py, &results.collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("{}.batch()", self.program.bind(py).repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let marked = self.inputs.iter().zip(&self.over).filter(|(_, over)| **over);
        let names: Vec<&String> = marked.map(|(input, _)| &input.name).collect();
        let made = py.import("adc._pickle")?.getattr("batch")?;
        Ok((made, (self.program.clone_ref(py), PyTuple::new(py, names)?).into_pyobject(py)?.into_any()))
    }
}
