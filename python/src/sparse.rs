//! Sparse Jacobians and Hessians.

use crate::function::Origin;
use crate::interrupt;
use crate::layout::{By, Tree};
use crate::program::arguments;
use crate::values::{Arg, Input};
use adc::{Cancel, Value, Wrt};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// A program for a sparse matrix: a call returns one of `scipy.sparse`.
#[pyclass(frozen, module = "adc")]
pub(crate) struct Sparse {
    origin: Arc<Origin>,
    hessian: bool,
    by: By,
    program: adc::Sparse,
    inputs: Vec<Input>,
    tree: Tree,
}

impl Sparse {
    pub(crate) fn new(py: Python<'_>, origin: &Arc<Origin>, by: By, hessian: bool) -> PyResult<Sparse> {
        let f = &origin.function;
        let wrt = Wrt::of(by.names.clone());
        let made = py.detach(|| match hessian {
            true => f.sparse_hessian(wrt, &origin.options),
            false => f.sparse_jacobian(wrt, &origin.options),
        });
        let program = made.map_err(|e| origin.failed(py, e))?;
        let inputs = f.inputs().iter().map(|p| Input::new(py, p)).collect::<PyResult<_>>()?;
        let mut next = 0..;
        let mut leaf = || Ok(Tree::Leaf(next.next().unwrap_or(0)));
        let tree = match hessian {
            true => Tree::by(py, &by, |_| Tree::by(py, &by, |_| leaf()))?,
            false => {
                Tree::results(py, f, &f.ir().differentiable_results(), |_| Tree::by(py, &by, |_| leaf()))?
            }
        };
        Ok(Sparse { origin: origin.clone(), hessian, by, program, inputs, tree })
    }
}

#[pymethods]
impl Sparse {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        let py = args.py();
        let given = arguments(&self.inputs, self.origin.function.name(), args, kwargs)?;
        let held = given.iter().zip(&self.inputs).map(|(given, input)| input.read(given));
        let held = held.collect::<PyResult<Vec<Arg>>>()?;
        let values: Vec<Value> = held.iter().map(Arg::value).collect();
        let cancel = Cancel::new();
        let done = interrupt::run(py, &cancel, || self.program.blocks_until(&values, Some(&cancel)))?;
        let blocks = done.map_err(|e| self.origin.failed(py, e))?;
        let made = py.import("adc._sparse")?.getattr("matrix")?;
        let block = |b: adc::Coo| -> PyResult<Option<Py<PyAny>>> {
            // The numbers are below 2³¹: arrays are smaller.
            let indices = |list: &[u32]| PyArray1::from_vec(py, list.iter().map(|i| *i as i32).collect());
            let (col, starts) = (indices(&b.col), indices(&b.starts));
            let value = PyArray1::from_vec(py, b.value);
            Ok(Some(made.call1((value, col, starts, (b.shape[0], b.shape[1])))?.unbind()))
        };
        self.tree.build(py, &blocks.into_iter().map(block).collect::<PyResult<Vec<_>>>()?)
    }

    /// Number of products that a call runs: colours of columns or rows. 0 before the first call.
    #[getter]
    fn colours(&self) -> usize {
        self.program.colours()
    }

    /// Number of entries that can be different from zero. 0 before the first call.
    #[getter]
    fn entries(&self) -> usize {
        self.program.entries()
    }

    fn __repr__(&self) -> String {
        let kind = if self.hessian { "hessian" } else { "jacobian" };
        format!("<adc {}.sparse_{kind} by {}>", self.origin.function.name(), self.by.names.join(", "))
    }
}
