//! Functions of models.

use crate::errors::exception;
use crate::externs::Functions;
use crate::layout::{By, Transform};
use crate::linearize::Linearizer;
use crate::model::{Model, Shared};
use crate::program::Program;
use crate::sparse::Sparse;
use adc::{Convention, Options, Port, Trap};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What a function was made of.
pub(crate) struct Origin {
    pub(crate) model: Arc<Shared>,
    pub(crate) function: adc::Function,
    pub(crate) options: Options,
    pub(crate) request: Request,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Request {
    pub(crate) name: String,
    pub(crate) dims: Vec<(String, i64)>,
    pub(crate) outputs: Option<Vec<String>>,
    /// Functions for parameters that are functions.
    pub(crate) functions: Vec<(String, String)>,
    pub(crate) jax: bool,
    pub(crate) opt: u8,
    pub(crate) fuel: Option<u64>,
    pub(crate) memory_limit: Option<u64>,
    /// Of the function of a block of rows: the parameters that have them.
    pub(crate) rows: Option<Vec<String>>,
}

impl Origin {
    pub(crate) fn functions(&self) -> &Functions {
        &self.model.functions
    }

    /// The exception for an error of a run. If a Python function raised one, that is its cause.
    pub(crate) fn failed(&self, py: Python<'_>, e: adc::Error) -> PyErr {
        let native =
            matches!(&e, adc::Error::Runtime { error, .. } if matches!(error.trap, Trap::Extern { .. }));
        let made = exception(py, e);
        if native {
            made.set_cause(py, self.functions().raised());
        }
        made
    }

    pub(crate) fn doc(&self, transform: Option<&str>) -> String {
        let doc = self.function.doc();
        match transform {
            None => doc,
            Some(t) => format!("The {t} of `{}`. {doc}", self.function.name()).trim().to_string(),
        }
    }
}

// A function of a model. Calling it runs it; `grad()` and its other methods give programs for its derivatives, each of which is
// compiled once. No `///`: the documentation is the model's own, of each function.
#[pyclass(frozen, weakref, module = "adc")]
pub(crate) struct Function {
    pub(crate) origin: Arc<Origin>,
    programs: Mutex<HashMap<(Transform, By), Py<Program>>>,
    primal: OnceLock<Py<Program>>,
}

impl Function {
    pub(crate) fn of(origin: Arc<Origin>) -> Function {
        Function { origin, programs: Mutex::default(), primal: OnceLock::new() }
    }

    pub(crate) fn derived_by(&self, py: Python<'_>, transform: Transform, by: By) -> PyResult<Py<Program>> {
        let key = (transform, by);
        let programs = || self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = programs().get(&key) {
            return Ok(found.clone_ref(py));
        }
        let made = Py::new(py, Program::new(py, &self.origin, transform, key.1.clone())?)?;
        Ok(programs().entry(key).or_insert(made).clone_ref(py))
    }

    fn derived(
        &self,
        transform: Transform,
        wrt: Option<&Bound<'_, PyAny>>,
        py: Python<'_>,
    ) -> PyResult<Py<Program>> {
        self.derived_by(py, transform, By::new(&self.origin.function, wrt)?)
    }

    fn run(&self, py: Python<'_>) -> PyResult<&Py<Program>> {
        if let Some(made) = self.primal.get() {
            return Ok(made);
        }
        let made = self.derived_by(py, Transform::Primal, By { names: Vec::new(), bare: false })?;
        Ok(self.primal.get_or_init(|| made))
    }
}

/// `inspect.Signature` of a program.
pub(crate) fn signature(py: Python<'_>, inputs: &[Port], outputs: &[Port]) -> PyResult<Py<PyAny>> {
    let of = |ports: &[Port]| -> Vec<(String, String, usize)> {
        ports.iter().map(|p| (p.name.clone(), p.describe(), p.shape.len())).collect()
    };
    let made = py.import("adc._names")?.getattr("signature")?;
    Ok(made.call1((of(inputs), of(outputs)))?.unbind())
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(&self, args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        self.run(args.py())?.get().__call__(args, kwargs)
    }

    /// The gradient of the single real result.
    #[pyo3(signature = (wrt = None))]
    fn grad(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::Grad, wrt, py)
    }

    /// Value and gradient of the single real result.
    #[pyo3(signature = (wrt = None))]
    fn value_and_grad(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::ValueAndGrad, wrt, py)
    }

    /// Value and cotangents of the parameters, for a cotangent `y_bar` of each result `y` (`out_bar` of a single one).
    #[pyo3(signature = (wrt = None))]
    fn vjp(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::Vjp, wrt, py)
    }

    /// Value and tangent of the results, for a tangent `x_dot` of each parameter `x` of `wrt`.
    #[pyo3(signature = (wrt = None))]
    fn jvp(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::Jvp, wrt, py)
    }

    /// The Jacobian: axes of the result, then those of the parameter. Of a complex parameter the pair (W, CW).
    #[pyo3(signature = (wrt = None))]
    fn jacobian(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::Jacobian, wrt, py)
    }

    /// The Jacobian as a matrix of `scipy.sparse`, axes of arrays flattened row by row. The pattern follows from the program.
    #[pyo3(signature = (wrt = None))]
    fn sparse_jacobian(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Sparse> {
        Sparse::new(py, &self.origin, By::new(&self.origin.function, wrt)?, false)
    }

    /// The second derivatives of the single real result as a matrix of `scipy.sparse`.
    #[pyo3(signature = (wrt = None))]
    fn sparse_hessian(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Sparse> {
        Sparse::new(py, &self.origin, By::new(&self.origin.function, wrt)?, true)
    }

    /// The second derivatives of the single real result.
    #[pyo3(signature = (wrt = None))]
    fn hessian(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::Hessian, wrt, py)
    }

    /// The Hessian times a direction `x_dot` for each parameter `x` of `wrt`.
    #[pyo3(signature = (wrt = None))]
    fn hvp(&self, wrt: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<Py<Program>> {
        self.derived(Transform::Hvp, wrt, py)
    }

    /// The function of a block of rows, whose values and gradients over all blocks add up to this one's: see `adc.rows`. It has two
    /// more parameters, `rows_total` and `rows_first`.
    fn by_rows(&self, rows: Vec<String>, py: Python<'_>) -> PyResult<Function> {
        let made = py.detach(|| self.origin.function.by_rows(rows.iter().map(String::as_str)));
        let function = made.map_err(|e| exception(py, e))?;
        let (model, options) = (self.origin.model.clone(), self.origin.options.clone());
        let request = Request { rows: Some(rows), ..self.origin.request.clone() };
        Ok(Function::of(Arc::new(Origin { model, function, options, request })))
    }

    /// A callable that returns the value at a point, and the derivative there as a linear map with `vjp` and `jvp`.
    fn linearize(&self) -> Linearizer {
        Linearizer::new(self.origin.clone())
    }

    /// The function itself as a program.
    fn program(&self, py: Python<'_>) -> PyResult<Py<Program>> {
        Ok(self.run(py)?.clone_ref(py))
    }

    /// The function over a leading axis: see `Program.batch`.
    #[pyo3(signature = (over = None))]
    fn batch(&self, over: Option<&Bound<'_, PyAny>>, py: Python<'_>) -> PyResult<crate::batch::Batch> {
        crate::batch::Batch::new(self.run(py)?.bind(py), over)
    }

    #[getter]
    fn __name__(&self) -> &str {
        self.origin.function.name()
    }

    #[getter(__doc__)]
    fn doc(&self) -> String {
        self.origin.doc(None)
    }

    #[getter(__signature__)]
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        signature(py, self.origin.function.inputs(), self.origin.function.outputs())
    }

    /// The dimensions, with their numbers where they are fixed.
    #[getter]
    fn dims(&self) -> HashMap<String, Option<i64>> {
        self.origin.function.dims().into_iter().collect()
    }

    /// Names and types of the parameters.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        ports(py, self.origin.function.inputs())
    }

    /// Names and types of the results.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        ports(py, self.origin.function.outputs())
    }

    /// The model that it is a function of.
    #[getter]
    fn model(&self) -> Model {
        Model::of(self.origin.model.clone())
    }

    fn __repr__(&self) -> String {
        let f = &self.origin.function;
        let list = |ports: &[Port]| ports.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let outputs: Vec<String> = f.outputs().iter().map(Port::describe).collect();
        format!("<adc {}({}) -> {}>", f.name(), list(f.inputs()), outputs.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let r = &self.origin.request;
        let made = py.import("adc._pickle")?.getattr("function")?;
        let tuple = |pairs: &[(String, i64)]| PyTuple::new(py, pairs.iter().cloned());
        let convention = if r.jax { "jax" } else { "adc" };
        let outputs = r.outputs.as_ref().map(|o| PyTuple::new(py, o)).transpose()?;
        let functions = PyTuple::new(py, r.functions.iter().cloned())?;
        let state = (
            self.model(),
            &r.name,
            tuple(&r.dims)?,
            outputs,
            functions,
            convention,
            r.opt,
            r.fuel,
            r.memory_limit,
            r.rows.as_ref().map(|rows| PyTuple::new(py, rows)).transpose()?,
        );
        Ok((made, state.into_pyobject(py)?.into_any()))
    }
}

fn ports<'py>(py: Python<'py>, ports: &[Port]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for port in ports {
        dict.set_item(crate::values::keyword(py, &port.name)?, port.describe())?;
    }
    Ok(dict)
}

/// The function that is asked for.
pub(crate) fn made(py: Python<'_>, model: &Arc<Shared>, request: Request) -> PyResult<Function> {
    let build = || -> Result<(adc::Function, Options), adc::Error> {
        let own = match request.functions.is_empty() {
            true => model.model.function(&request.name)?,
            false => {
                let (function, values) = (request.name.clone(), request.functions.clone());
                let given = adc::FnValues { function, values };
                let mut files = model.files.clone();
                let bound = adc::Model::parse_given(
                    &model.name,
                    &model.text,
                    &mut files,
                    std::slice::from_ref(&given),
                )?;
                bound.function(&given.name())?
            }
        };
        let dims = request.dims.iter().map(|(name, n)| (name.as_str(), *n));
        let mut f = own.with_dims(dims)?;
        if let Some(outputs) = &request.outputs {
            f = f.with_outputs(outputs.iter().map(String::as_str))?;
        }
        if request.jax {
            f = f.with_convention(Convention::Jax);
        }
        let level = [adc::OptLevel::O0, adc::OptLevel::O1, adc::OptLevel::O2, adc::OptLevel::O3];
        let opt = level.get(usize::from(request.opt)).copied().unwrap_or_default();
        let mut options = Options::default().with_opt(opt).with_externs(model.functions.externs().clone());
        if let Some(fuel) = request.fuel {
            options = options.with_fuel(fuel);
        }
        if let Some(bytes) = request.memory_limit {
            options = options.with_memory_limit(bytes);
        }
        Ok((f, options))
    };
    let (function, options) = py.detach(build).map_err(|e| exception(py, e))?;
    Ok(Function::of(Arc::new(Origin { model: model.clone(), function, options, request })))
}
