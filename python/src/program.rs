//! Compiled programs that Python calls.

use crate::batch::Batch;
use crate::errors::{exception, misuse};
use crate::function::Origin;
use crate::interrupt;
use crate::layout::{By, Transform, Tree};
use crate::values::{Arg, Input, Place, object};
use adc::{Caller, Cancel, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError};

// A compiled program: a function of a model, or a derivative of one. Arguments are given by name or in order. No `///`: the
// documentation is the model's own.
#[pyclass(frozen, weakref, module = "adc")]
pub(crate) struct Program {
    pub(crate) origin: Arc<Origin>,
    pub(crate) transform: Transform,
    pub(crate) by: By,
    pub(crate) compiled: adc::Compiled,
    pub(crate) inputs: Vec<Input>,
    pub(crate) tree: Tree,
    /// Which results are in the tree.
    used: Vec<bool>,
    /// Whether everything is a number.
    scalar: bool,
    /// Whether it has no loops: it is done before anybody could wait for it.
    quick: bool,
    /// What calls work in, while none does.
    idle: Mutex<Vec<Ready>>,
}

/// What a call works in.
struct Ready {
    caller: Caller,
    cancel: Cancel,
}

impl Program {
    pub(crate) fn new(
        py: Python<'_>,
        origin: &Arc<Origin>,
        transform: Transform,
        by: By,
    ) -> PyResult<Program> {
        let f = &origin.function;
        let made = py.detach(|| {
            let program = transform.of(f, &by)?;
            let compiled = program.compile(&origin.options)?;
            Ok((program, compiled))
        });
        let (program, compiled) = made.map_err(|e| exception(py, e))?;
        let inputs = program.inputs().iter().map(|p| Input::new(py, p)).collect::<PyResult<Vec<_>>>()?;
        let tree = Tree::new(py, f, transform, &by)?;
        let (mut leaves, mut used) = (Vec::new(), vec![false; program.outputs().len()]);
        tree.leaves(&mut leaves);
        leaves.into_iter().for_each(|i| used[i] = true);
        let scalar = program.inputs().iter().chain(program.outputs()).all(|p| !p.ty.is_array());
        let module = program.module();
        let reached = module.reachable(module.find(&program.ir().name).expect("it is in its module"));
        let quick = scalar && reached.iter().all(|f| module.func(*f).is_scalar());
        let (origin, idle) = (origin.clone(), Mutex::default());
        Ok(Program { origin, transform, by, compiled, inputs, tree, used, scalar, quick, idle })
    }

    /// The arguments in order.
    pub(crate) fn arguments<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<SmallVec<[Bound<'py, PyAny>; 8]>> {
        arguments(&self.inputs, self.origin.function.name(), args, kwargs)
    }

    fn take(&self) -> Ready {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| {
            let (mut caller, cancel) = (self.compiled.caller(), Cancel::new());
            caller.set_cancel(Some(cancel.clone()));
            Ready { caller, cancel }
        })
    }

    fn give(&self, ready: Ready) {
        if !ready.cancel.is_cancelled() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(ready);
        }
    }

    /// The exception for an error of a run, which may be that of a Python function that it called.
    pub(crate) fn failed(&self, py: Python<'_>, e: adc::Error) -> PyErr {
        self.origin.failed(py, e)
    }

    fn run(&self, py: Python<'_>, ready: &mut Ready, values: &[Value]) -> PyResult<Py<PyAny>> {
        let Ready { caller, cancel } = ready;
        let outputs = self.compiled.outputs();
        if self.scalar {
            let mut results: SmallVec<[Value<'static>; 8]> =
                outputs.iter().map(|_| Value::F64(0.0)).collect();
            let done = match self.quick {
                true => caller.call_into(values, &mut results),
                false => interrupt::run(py, cancel, || caller.call_into(values, &mut results))?,
            };
            done.map_err(|e| self.failed(py, e))?;
            let results = results.into_iter().zip(&self.used);
            let results = results.map(|(v, used)| if *used { object(py, v).map(Some) } else { Ok(None) });
            return self.tree.build(py, &results.collect::<PyResult<SmallVec<[_; 8]>>>()?);
        }
        // Code for new sizes takes a while.
        let shapes = match caller.is_ready(values) {
            true => caller.output_shapes(values),
            false => py.detach(|| caller.output_shapes(values)),
        };
        let mut places: SmallVec<[Place; 8]> = match shapes.map_err(|e| self.failed(py, e))? {
            Some(shapes) => {
                let all = shapes.iter().zip(outputs).zip(&self.used);
                let place = |((shape, port), used): ((&&[usize], &adc::Port), &bool)| match shape {
                    [] => Place::Value(Value::F64(0.0)),
                    _ if !used => Place::Value(Value::F64(0.0)),
                    shape => Place::array(py, port.ty.scalar(), shape),
                };
                all.map(place).collect()
            }
            None => outputs.iter().map(|_| Place::Value(Value::F64(0.0))).collect(),
        };
        let mut targets: SmallVec<[_; 8]> = places.iter_mut().map(Place::output).collect();
        let done = interrupt::run(py, cancel, || caller.call_to(values, &mut targets))?;
        drop(targets);
        done.map_err(|e| self.failed(py, e))?;
        let results = places.into_iter().zip(&self.used);
        let results = results.map(|(p, used)| if *used { p.object(py).map(Some) } else { Ok(None) });
        self.tree.build(py, &results.collect::<PyResult<SmallVec<[_; 8]>>>()?)
    }
}

/// The arguments in the order of the inputs.
pub(crate) fn arguments<'py>(
    inputs: &[Input],
    function: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<SmallVec<[Bound<'py, PyAny>; 8]>> {
    let py = args.py();
    if args.len() > inputs.len() {
        let (expected, found) = (inputs.len(), args.len());
        return Err(misuse(py, format!("`{function}` takes {expected} arguments, but {found} were given")));
    }
    let mut all: SmallVec<[Bound<'py, PyAny>; 8]> = args.iter_borrowed().map(|a| a.to_owned()).collect();
    let mut named = 0;
    let mut missing = Vec::new();
    for input in &inputs[args.len()..] {
        match kwargs.map(|k| k.get_item(&input.keyword)).transpose()?.flatten() {
            Some(given) => {
                named += 1;
                all.push(given);
            }
            None => missing.push(input),
        }
    }
    if missing.is_empty() && named == kwargs.map_or(0, |k| k.len()) {
        return Ok(all);
    }
    // What is wrong: a name that is not there, one that is given twice, one that is missing.
    let mut known = Vec::new();
    for input in inputs {
        known.push(input.keyword.to_str(py)?.to_string());
    }
    for name in kwargs.into_iter().flat_map(|k| k.keys()) {
        let name: String = name.extract()?;
        match known.iter().position(|k| *k == name) {
            None => {
                let list: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
                let text = format!(
                    "`{function}` has no parameter called `{name}`\n  = help: they are {}",
                    list.join(", ")
                );
                return Err(misuse(py, text));
            }
            Some(at) if at < args.len() => return Err(misuse(py, format!("`{name}` is given twice"))),
            Some(_) => {}
        }
    }
    let names: Vec<String> = missing.iter().map(|i| i.keyword.to_string()).collect();
    let seed = |name: &String| name.ends_with("_dot") || name.ends_with("_bar");
    let help = if names.iter().any(seed) {
        "\n  = help: `x_dot` is the tangent or direction of a parameter `x`, `y_bar` the cotangent of a result `y`"
    } else {
        ""
    };
    Err(misuse(py, format!("no value was given for `{}`{help}", names.join("`, `"))))
}

#[pymethods]
impl Program {
    #[pyo3(signature = (*args, **kwargs))]
    pub(crate) fn __call__(
        &self,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let given = self.arguments(args, kwargs)?;
        let held = given.iter().zip(&self.inputs).map(|(given, input)| input.read(given));
        let held = held.collect::<PyResult<SmallVec<[Arg; 8]>>>()?;
        let values: SmallVec<[Value; 8]> = held.iter().map(Arg::value).collect();
        let mut ready = self.take();
        let result = self.run(args.py(), &mut ready, &values);
        self.give(ready);
        result
    }

    /// The sizes of the results for these arguments, without running it; `None` if only a run tells them.
    #[pyo3(signature = (*args, **kwargs))]
    fn shapes<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Vec<Bound<'py, PyTuple>>>> {
        let py = args.py();
        let given = self.arguments(args, kwargs)?;
        let held = given.iter().zip(&self.inputs).map(|(given, input)| input.read(given));
        let held = held.collect::<PyResult<SmallVec<[Arg; 8]>>>()?;
        let values: SmallVec<[Value; 8]> = held.iter().map(Arg::value).collect();
        let mut ready = self.take();
        let found = py.detach(|| {
            ready
                .caller
                .output_shapes(&values)
                .map(|s| s.map(|s| s.iter().map(|s| s.to_vec()).collect::<Vec<_>>()))
        });
        self.give(ready);
        let shapes = found.map_err(|e| self.failed(py, e))?;
        shapes.map(|all| all.into_iter().map(|s| PyTuple::new(py, s)).collect()).transpose()
    }

    /// The program for many points at once: each input named in `over`, by default every one, has one more axis in front.
    #[pyo3(signature = (over = None))]
    fn batch(slf: &Bound<'_, Program>, over: Option<&Bound<'_, PyAny>>) -> PyResult<Batch> {
        Batch::new(slf, over)
    }

    /// Name of the function, with that of the transformation: `loss.value_and_grad`.
    #[getter]
    fn __name__(&self) -> String {
        let name = self.origin.function.name();
        self.transform.name().map_or(name.to_string(), |t| format!("{name}.{t}"))
    }

    #[getter(__doc__)]
    fn doc(&self) -> String {
        self.origin.doc(self.transform.name())
    }

    #[getter(__signature__)]
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        crate::function::signature(py, self.compiled.inputs(), self.compiled.outputs())
    }

    /// With respect to which parameters it differentiates.
    #[getter]
    fn wrt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match (self.transform, self.by.bare) {
            (Transform::Primal, _) => Ok(PyTuple::empty(py).into_any()),
            (_, true) => Ok(pyo3::types::PyString::new(py, &self.by.names[0]).into_any()),
            (_, false) => Ok(PyTuple::new(py, &self.by.names)?.into_any()),
        }
    }

    /// Sizes of the compiled code so far: `ir_ops`, `code_bytes`, `stack_bytes`.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (stats, dict) = (self.compiled.stats(), PyDict::new(py));
        dict.set_item("ir_ops", stats.ir_ops)?;
        dict.set_item("code_bytes", stats.code_bytes)?;
        dict.set_item("stack_bytes", stats.stack_bytes)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let inputs: Vec<String> = self.compiled.inputs().iter().map(ToString::to_string).collect();
        format!("<adc {}({})>", self.__name__(), inputs.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let made = py.import("adc._pickle")?.getattr("program")?;
        let function = crate::function::Function::of(self.origin.clone()).into_pyobject(py)?;
        Ok((made, (function, self.transform.name(), self.wrt(py)?).into_pyobject(py)?.into_any()))
    }
}
