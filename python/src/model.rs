//! Models.

use crate::errors::{diagnostics, exception, misuse};
use crate::externs::Functions;
use crate::function::{Function, Request, made};
use crate::loader::{Files, Found, value};
use crate::report::{Report, Wanted};
use crate::values::object;
use adc::ir::Datum;
use adc::{Model as Parsed, Value};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A model with what it was made of.
pub(crate) struct Shared {
    pub(crate) model: Parsed,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) files: Files,
    pub(crate) functions: Functions,
}

/// A model: the functions of a file and the files it uses. Made by `adc.load` and `adc.parse`.
#[pyclass(frozen, weakref, module = "adc")]
pub(crate) struct Model {
    pub(crate) shared: Arc<Shared>,
    functions: Mutex<HashMap<Request, Py<Function>>>,
}

impl Model {
    pub(crate) fn of(shared: Arc<Shared>) -> Model {
        Model { shared, functions: Mutex::default() }
    }

    fn new(
        py: Python<'_>,
        name: String,
        text: String,
        mut files: Files,
        functions: Functions,
    ) -> PyResult<Model> {
        let parsed = py.detach(|| Parsed::parse_with(&name, &text, &mut files));
        let model = parsed.map_err(|d| diagnostics(py, "DiagnosticError", &d))?;
        files.open = false;
        let functions = functions.bound(py, model.module())?;
        Ok(Model::of(Arc::new(Shared { model, name, text, files, functions })))
    }
}

/// A model from a file. `externs` gives its extern functions: Python functions by name; `libs` shared libraries that have them.
#[pyfunction]
#[pyo3(signature = (path, *, externs = None, libs = None))]
pub(crate) fn load(
    py: Python<'_>,
    path: PathBuf,
    externs: Option<&Bound<'_, PyDict>>,
    libs: Option<Vec<PathBuf>>,
) -> PyResult<Model> {
    let name = path.to_string_lossy().into_owned();
    // Reads the text in the way that all files of models are read.
    let text = match adc::Loader::load(&mut adc::FileLoader, "", &name) {
        Ok((_, text)) => text,
        Err(e) => {
            let d = adc::ir::Diagnostic::error(adc::ir::Code::Io, format!("cannot read `{name}`: {e}"));
            let d = adc::Diagnostics::new(&[], d.help("check the path and its permissions"));
            return Err(diagnostics(py, "DiagnosticError", &d));
        }
    };
    Model::new(py, name, text, Files::from_disk(), Functions::given(py, externs, libs)?)
}

/// A model from text. `name` is its name in messages, beside which the files that it uses are looked up.
#[pyfunction]
#[pyo3(signature = (text, *, name = "model.dsl", externs = None, libs = None))]
pub(crate) fn parse(
    py: Python<'_>,
    text: String,
    name: &str,
    externs: Option<&Bound<'_, PyDict>>,
    libs: Option<Vec<PathBuf>>,
) -> PyResult<Model> {
    Model::new(py, name.to_string(), text, Files::from_disk(), Functions::given(py, externs, libs)?)
}

/// A source file, or an array, with who asked for it.
type Pickled<'py, T> = Vec<(String, String, T)>;

/// A model from what pickle carried.
#[pyfunction]
pub(crate) fn restore(
    py: Python<'_>,
    name: String,
    text: String,
    sources: Pickled<'_, (String, String)>,
    arrays: Pickled<'_, Bound<'_, PyAny>>,
    externs: &Bound<'_, PyDict>,
    libs: Vec<PathBuf>,
) -> PyResult<Model> {
    let sources = sources.into_iter().map(|(from, path, found)| Found { from, path, found }).collect();
    let array = |(from, path, found): (String, String, Bound<'_, PyAny>)| {
        Ok(Found { from, path, found: datum(&found)? })
    };
    let arrays = arrays.into_iter().map(array).collect::<PyResult<_>>()?;
    let files = Files { sources, arrays, open: false };
    Model::new(py, name, text, files, Functions::given(py, Some(externs), Some(libs))?)
}

/// An array that a model loads.
fn datum(found: &Bound<'_, PyAny>) -> PyResult<Datum> {
    macro_rules! any_of {
        ($($ty:ty)*) => {
            $(if let Ok(array) = found.cast::<PyArrayDyn<$ty>>() {
                let array = array.try_readonly().map_err(|e| misuse(found.py(), e.to_string()))?;
                return Ok(Value::from(array.as_array()).into_datum());
            })*
        };
    }
    any_of!(f64 i64 bool f32 numpy::Complex64 numpy::Complex32);
    Err(misuse(found.py(), "a pickled array has a type that models do not have"))
}

#[pymethods]
impl Model {
    /// A function. `dims` fixes dimensions, `outputs` keeps only these results, `functions` names functions for parameters that
    /// are functions; `convention` is that of complex cotangents, "adc" or "jax".
    #[pyo3(signature = (name, *, dims = None, outputs = None, functions = None, convention = "adc", opt = 2, fuel = None, memory_limit = None))]
    #[allow(clippy::too_many_arguments)] // They are keywords.
    pub(crate) fn r#fn(
        &self,
        py: Python<'_>,
        name: String,
        dims: Option<HashMap<String, i64>>,
        outputs: Option<Vec<String>>,
        functions: Option<&Bound<'_, PyDict>>,
        convention: &str,
        opt: u8,
        fuel: Option<u64>,
        memory_limit: Option<u64>,
    ) -> PyResult<Py<Function>> {
        let jax = match convention {
            "adc" => false,
            "jax" => true,
            other => return Err(misuse(py, format!("the convention is \"adc\" or \"jax\", not {other:?}"))),
        };
        if opt > 3 {
            return Err(misuse(py, format!("levels of optimisation are 0 to 3, not {opt}")));
        }
        let mut dims: Vec<(String, i64)> = dims.unwrap_or_default().into_iter().collect();
        dims.sort();
        let functions = functions.map_or(Ok(Vec::new()), |f| f.items().extract())?;
        let request = Request { name, dims, outputs, functions, jax, opt, fuel, memory_limit, rows: None };
        let known = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&request) {
            return Ok(found.clone_ref(py));
        }
        let function = Py::new(py, made(py, &self.shared, request.clone())?)?;
        Ok(known().entry(request).or_insert(function).clone_ref(py))
    }

    /// Names of the functions of the model's own file.
    #[getter]
    fn functions(&self) -> Vec<String> {
        self.shared.model.functions().map(|f| f.name().to_string()).collect()
    }

    /// The text it was made of.
    #[getter]
    fn text(&self) -> &str {
        &self.shared.text
    }

    /// Its name in messages.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.name
    }

    /// Compares derivatives with differences: every `check` block and hand-written rule; without blocks, every function. `function`
    /// and `wrt` restrict it; `progress` says whether to show a bar, by default in a notebook and on a terminal.
    #[pyo3(signature = (function = None, *, wrt = None, dims = None, points = None, seed = None, strict = false, progress = None))]
    #[allow(clippy::too_many_arguments)] // They are keywords.
    fn check(
        &self,
        py: Python<'_>,
        function: Option<String>,
        wrt: Option<&Bound<'_, PyAny>>,
        dims: Option<HashMap<String, i64>>,
        points: Option<usize>,
        seed: Option<u64>,
        strict: bool,
        progress: Option<bool>,
    ) -> PyResult<Report> {
        let wrt = match wrt {
            None => None,
            Some(w) => Some(w.extract::<String>().map(|name| vec![name]).or_else(|_| w.extract())?),
        };
        let mut dims: Vec<(String, i64)> = dims.unwrap_or_default().into_iter().collect();
        dims.sort();
        Report::new(py, &self.shared, Wanted { function, wrt, dims, points, seed, strict, progress })
    }

    fn __repr__(&self) -> String {
        format!("<adc model {}: {}>", self.shared.name, self.functions().join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let files = &self.shared.files;
        let sources = files.sources.iter().map(|f| (&f.from, &f.path, (&f.found.0, &f.found.1)));
        let sources = PyTuple::new(py, sources.collect::<Vec<_>>())?;
        let array = |f: &Found<Datum>| -> PyResult<_> {
            Ok((f.from.clone(), f.path.clone(), object(py, value(&f.found))?))
        };
        let arrays = PyTuple::new(py, files.arrays.iter().map(array).collect::<PyResult<Vec<_>>>()?)?;
        let (externs, libs) = self.shared.functions.pickled(py)?;
        let made = py.import("adc._pickle")?.getattr("model")?;
        let state = (&self.shared.name, &self.shared.text, sources, arrays, externs, libs);
        Ok((made, state.into_pyobject(py)?.into_any()))
    }
}

impl From<&Shared> for adc::CheckOptions {
    fn from(shared: &Shared) -> adc::CheckOptions {
        adc::CheckOptions::default().with_externs(shared.functions.externs().clone())
    }
}

/// A name that the model does not have.
pub(crate) fn unknown(py: Python<'_>, name: &str) -> PyErr {
    exception(py, adc::UsageError::UnknownFunction(name.into()).into())
}
