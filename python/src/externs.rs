//! Python functions, and functions of shared libraries, for the `extern fn`s of a model.

use crate::errors::{exception, misuse};
use crate::values::object;
use adc::ir::{Func, Module};
use adc::{Element, Externs, Slice, SliceMut, Type, Value};
use numpy::{Complex32, Complex64, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The status of a call in which Python raised an exception.
const RAISED: i32 = 1;

/// Where an exception waits until the run that it ends is over.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// The extern functions of a model.
pub(crate) struct Functions {
    externs: Externs,
    given: Vec<(String, Py<PyAny>)>,
    libs: Vec<PathBuf>,
    raised: Raised,
}

impl Functions {
    pub(crate) fn given(
        py: Python<'_>,
        functions: Option<&Bound<'_, PyDict>>,
        libs: Option<Vec<PathBuf>>,
    ) -> PyResult<Functions> {
        let libs = libs.unwrap_or_default();
        let mut externs = Externs::new();
        for lib in &libs {
            externs.extend(Externs::load(lib).map_err(|e| exception(py, e.into()))?);
        }
        let mut given = Vec::new();
        for (name, function) in functions.into_iter().flat_map(|f| f.iter()) {
            given.push((name.extract()?, function.unbind()));
        }
        Ok(Functions { externs, given, libs, raised: Raised::default() })
    }

    /// With the Python functions bound to the declarations of a model.
    pub(crate) fn bound(mut self, py: Python<'_>, module: &Module) -> PyResult<Functions> {
        for (name, function) in &self.given {
            let Some(declared) = module.find(name).map(|id| module.func(id)).filter(|f| f.region().is_none())
            else {
                let d = format!("the model declares no `extern fn {name}`");
                return Err(misuse(py, d));
            };
            define(&mut self.externs, name, function.clone_ref(py), declared.clone(), self.raised.clone());
        }
        Ok(self)
    }

    pub(crate) fn externs(&self) -> &Externs {
        &self.externs
    }

    /// The exception that ended the last run.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// As pickle carries them: by reference.
    pub(crate) fn pickled<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyTuple>)> {
        let given = self.given.iter().map(|(name, f)| (name, f.clone_ref(py)));
        let libs = self.libs.iter().map(|l| l.to_string_lossy().into_owned());
        Ok((PyTuple::new(py, given.collect::<Vec<_>>())?, PyTuple::new(py, libs.collect::<Vec<_>>())?))
    }
}

fn define(externs: &mut Externs, name: &str, function: Py<PyAny>, f: Func, raised: Raised) {
    let params: Vec<Type> = (0..f.params.len()).map(|i| f.param_ty(i)).collect();
    let results: Vec<Type> = f.results.iter().map(|r| r.ty).collect();
    externs.define(name, &params, &results, move |dims, args, results| {
        Python::attach(|py| {
            call(py, function.bind(py), &f, dims, args, results).map_err(|e| {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                RAISED
            })
        })
    });
}

/// Calls a Python function with numbers and arrays of its own, and takes its results.
fn call(
    py: Python<'_>,
    function: &Bound<'_, PyAny>,
    f: &Func,
    dims: &[i64],
    args: &[Slice<'_>],
    results: &mut [SliceMut<'_>],
) -> PyResult<()> {
    // Sizes are made of dimensions and of integer parameters.
    let number = |v| match f.entry_position(v) {
        Some(i) if i < dims.len() => dims[i],
        Some(i) => match args[i - dims.len()] {
            Slice::I64(n) => n[0],
            _ => 0,
        },
        None => 0,
    };
    let sizes = |shape: &[adc::ir::Dim]| -> Vec<usize> {
        shape.iter().map(|d| d.eval(number).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)).collect()
    };
    let mut given = Vec::new();
    for (param, slice) in f.params.iter().zip(args) {
        let shape = sizes(f.shape(param.value));
        let value = match slice {
            Slice::Bool(s) => Value::array(&shape, s.to_vec()),
            Slice::I64(s) => Value::array(&shape, s.to_vec()),
            Slice::F32(s) => Value::array(&shape, s.to_vec()),
            Slice::F64(s) => Value::array(&shape, s.to_vec()),
            Slice::C64(s) => Value::array(&shape, s.to_vec()),
            Slice::C128(s) => Value::array(&shape, s.to_vec()),
        };
        given.push(object(py, value.map_err(|e| misuse(py, e.to_string()))?)?);
    }
    let returned = function.call1(PyTuple::new(py, given)?)?;
    let all: Vec<Bound<'_, PyAny>> = match results.len() {
        1 => vec![returned],
        n => {
            let all: Vec<Bound<'_, PyAny>> = returned.extract()?;
            if all.len() != n {
                let text = format!("`{}` returned {} results, but is declared with {n}", f.name, all.len());
                return Err(misuse(py, text));
            }
            all
        }
    };
    for ((decl, place), found) in f.results.iter().zip(results).zip(all) {
        let shape = sizes(&decl.shape);
        match place {
            SliceMut::Bool(to) => take(&found, "bool", &shape, to, &f.name)?,
            SliceMut::I64(to) => take(&found, "int64", &shape, to, &f.name)?,
            SliceMut::F32(to) => take(&found, "float32", &shape, to, &f.name)?,
            SliceMut::F64(to) => take(&found, "float64", &shape, to, &f.name)?,
            SliceMut::C64(to) => take::<Complex32>(&found, "complex64", &shape, to, &f.name)?,
            SliceMut::C128(to) => take::<Complex64>(&found, "complex128", &shape, to, &f.name)?,
        }
    }
    Ok(())
}

/// Copies a result.
fn take<T: Element + numpy::Element>(
    found: &Bound<'_, PyAny>,
    dtype: &str,
    shape: &[usize],
    to: &mut [T],
    name: &str,
) -> PyResult<()> {
    let py = found.py();
    let array = py.import("numpy")?.call_method1("asarray", (found, dtype))?;
    // A copy in standard layout; `ascontiguousarray` would give a number an axis.
    let array = array.call_method1("copy", ("C",))?;
    let array = array.cast::<PyArrayDyn<T>>()?;
    if array.shape() != shape {
        let text = format!(
            "`{name}` returned an array of shape {:?}, but is declared with {shape:?}",
            array.shape()
        );
        return Err(misuse(py, text));
    }
    let array = array.try_readonly().map_err(|e| misuse(py, e.to_string()))?;
    to.copy_from_slice(array.as_slice().map_err(|e| misuse(py, e.to_string()))?);
    Ok(())
}
