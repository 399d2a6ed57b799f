//! Numbers and arrays between Python and adc.

use crate::errors::misuse;
use adc::{Element, OutputRef, Port, Scalar, Type, Value};
use numpy::{
    Complex32, Complex64, IxDyn, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString};

/// An argument: a number, or an array that is borrowed while a program runs.
pub(crate) enum Arg<'py> {
    Number(Value<'static>),
    Bool(PyReadonlyArrayDyn<'py, bool>),
    I64(PyReadonlyArrayDyn<'py, i64>),
    F32(PyReadonlyArrayDyn<'py, f32>),
    F64(PyReadonlyArrayDyn<'py, f64>),
    C64(PyReadonlyArrayDyn<'py, Complex32>),
    C128(PyReadonlyArrayDyn<'py, Complex64>),
}

impl Arg<'_> {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Arg::Number(v) => v.clone(),
            Arg::Bool(a) => a.as_array().into(),
            Arg::I64(a) => a.as_array().into(),
            Arg::F32(a) => a.as_array().into(),
            Arg::F64(a) => a.as_array().into(),
            Arg::C64(a) => a.as_array().into(),
            Arg::C128(a) => a.as_array().into(),
        }
    }
}

/// An argument of a program as Python sees it.
pub(crate) struct Input {
    /// The keyword: the parameter's name, as Python writes it.
    pub(crate) keyword: Py<PyString>,
    /// The parameter's own name.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// The type with its sizes.
    declared: String,
}

impl Input {
    pub(crate) fn new(py: Python<'_>, port: &Port) -> PyResult<Input> {
        let keyword = keyword(py, &port.name)?;
        Ok(Input { keyword, name: port.name.clone(), ty: port.ty, declared: port.describe() })
    }

    pub(crate) fn same(&self, py: Python<'_>) -> Input {
        let (keyword, name, declared) =
            (self.keyword.clone_ref(py), self.name.clone(), self.declared.clone());
        Input { keyword, name, ty: self.ty, declared }
    }

    /// The same with one axis more in front.
    pub(crate) fn with_rows(&self, py: Python<'_>) -> Input {
        let ty = Type::Array(self.ty.scalar(), self.ty.rank() as u8 + 1);
        let declared = format!("{} with a leading axis", self.declared);
        Input { keyword: self.keyword.clone_ref(py), name: self.name.clone(), ty, declared }
    }

    /// Reads an argument. An array of the type itself in standard layout is not copied.
    pub(crate) fn read<'py>(&self, given: &Bound<'py, PyAny>) -> PyResult<Arg<'py>> {
        if !self.ty.is_array() {
            return self.number(given).map(Arg::Number);
        }
        Ok(match self.ty.scalar() {
            Scalar::Bool => Arg::Bool(self.array(given, "bool")?),
            Scalar::I64 => Arg::I64(self.array(given, "int64")?),
            Scalar::F32 => Arg::F32(self.array(given, "float32")?),
            Scalar::F64 => Arg::F64(self.array(given, "float64")?),
            Scalar::C64 => Arg::C64(self.array(given, "complex64")?),
            Scalar::C128 => Arg::C128(self.array(given, "complex128")?),
        })
    }

    fn number(&self, given: &Bound<'_, PyAny>) -> PyResult<Value<'static>> {
        let refused =
            |e: PyErr| if e.is_instance_of::<PyTypeError>(given.py()) { self.refuse(given) } else { e };
        if self.ty == Type::F64 && given.is_exact_instance_of::<PyFloat>() {
            return Ok(Value::F64(given.extract()?));
        }
        // NumPy converts an array of one element to a number, and drops imaginary parts.
        if let Ok(array) = given.cast::<PyUntypedArray>()
            && array.ndim() > 0
        {
            return Err(self.refuse(given));
        }
        let real = || {
            let complex = given.is_instance_of::<PyComplex>() || kind(given) == Some('c');
            if complex { Err(self.refuse(given)) } else { given.extract::<f64>().map_err(refused) }
        };
        let complex = || match given.is_instance_of::<PyString>() {
            true => Err(self.refuse(given)),
            false => {
                let z = given.py().get_type::<PyComplex>().call1((given,)).map_err(refused)?;
                let z = z.cast_into::<PyComplex>()?;
                Ok(Complex64::new(z.real(), z.imag()))
            }
        };
        Ok(match self.ty.scalar() {
            Scalar::F64 => Value::F64(real()?),
            Scalar::F32 => Value::F32(real()? as f32),
            Scalar::C128 => Value::C128(complex()?),
            Scalar::C64 => complex().map(|z| Value::C64(Complex32::new(z.re as f32, z.im as f32)))?,
            Scalar::I64 if given.is_instance_of::<PyBool>() => return Err(self.refuse(given)),
            Scalar::I64 => Value::I64(given.extract().map_err(refused)?),
            Scalar::Bool => match kind(given) {
                Some('b') => Value::Bool(given.is_truthy()?),
                _ => Value::Bool(given.cast::<PyBool>().map_err(|_| self.refuse(given))?.is_true()),
            },
        })
    }

    fn array<'py, T: numpy::Element>(
        &self,
        given: &Bound<'py, PyAny>,
        dtype: &str,
    ) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
        if let Ok(array) = given.cast::<PyArrayDyn<T>>()
            && array.is_c_contiguous()
            && array.ndim() == self.ty.rank()
            // Arrays that lie in messages of a network do not always begin where their numbers should.
            && array.data().is_aligned()
        {
            return self.borrowed(array);
        }
        // Other layouts, lists, and types that lose nothing.
        let py = given.py();
        let numpy = py.import("numpy")?;
        let found = numpy.call_method1("asarray", (given,)).map_err(|_| self.refuse(given))?;
        let own = given.cast::<PyUntypedArray>().is_ok();
        let number = |kind: Option<char>| matches!(kind, Some('b' | 'i' | 'u' | 'f' | 'c'));
        let safe = match own {
            true => numpy.call_method1("can_cast", (found.getattr("dtype")?, dtype, "safe"))?.is_truthy()?,
            // Python's own numbers have no precision that could be lost.
            false => {
                let empty = found.len().unwrap_or(1) == 0;
                let wanted = numpy.call_method1("dtype", (dtype,))?.getattr("kind")?.extract::<char>()?;
                let rank = |kind: char| "biufc".find(kind).map(|at| if at == 2 { 1 } else { at });
                let found = kind(&found);
                empty || (number(found) && found.and_then(rank) <= rank(wanted))
            }
        };
        let rank = found.getattr("ndim")?.extract::<usize>()?;
        if !safe || rank != self.ty.rank() {
            return Err(self.refuse(given));
        }
        let array = numpy.call_method1("require", (found, dtype, ["C_CONTIGUOUS", "ALIGNED"]))?;
        self.borrowed(array.cast::<PyArrayDyn<T>>()?)
    }

    fn borrowed<'py, T: numpy::Element>(
        &self,
        array: &Bound<'py, PyArrayDyn<T>>,
    ) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
        let busy =
            |_| misuse(array.py(), format!("the array for `{}` is written by another call", self.name));
        array.try_readonly().map_err(busy)
    }

    /// What is wrong with an argument.
    fn refuse(&self, given: &Bound<'_, PyAny>) -> PyErr {
        misuse(
            given.py(),
            format!("expected {} for `{}`, found {}", self.declared, self.name, described(given)),
        )
    }
}

/// A type in messages: `float32[3, 2]`, `str`.
fn described(given: &Bound<'_, PyAny>) -> String {
    match given.cast::<PyUntypedArray>() {
        Ok(array) => {
            let sizes: Vec<String> = array.shape().iter().map(usize::to_string).collect();
            format!("an array {}[{}]", array.dtype(), sizes.join(", "))
        }
        Err(_) => match given.get_type().name() {
            Ok(name) => format!("a value of type `{name}`"),
            Err(_) => "something else".into(),
        },
    }
}

/// NumPy's letter for the kind of a number, if it is NumPy's.
fn kind(given: &Bound<'_, PyAny>) -> Option<char> {
    if given.is_exact_instance_of::<PyFloat>() || given.is_exact_instance_of::<PyInt>() {
        return None;
    }
    given.getattr("dtype").ok()?.getattr("kind").ok()?.extract().ok()
}

/// A name as Python writes it: normalised as identifiers are there, `lambda_` for `lambda`, `out0` for `out.0`.
pub(crate) fn keyword(py: Python<'_>, name: &str) -> PyResult<Py<PyString>> {
    static NAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = NAME.get_or_try_init(py, || {
        py.import("adc._names").and_then(|m| m.getattr("keyword")).map(Bound::unbind)
    })?;
    Ok(made.bind(py).call1((name,))?.cast_into::<PyString>()?.unbind())
}

/// A place for an array result.
pub(crate) enum Place<'py> {
    /// Taken as it comes.
    Value(Value<'static>),
    Bool(PyReadwriteArrayDyn<'py, bool>),
    I64(PyReadwriteArrayDyn<'py, i64>),
    F32(PyReadwriteArrayDyn<'py, f32>),
    F64(PyReadwriteArrayDyn<'py, f64>),
    C64(PyReadwriteArrayDyn<'py, Complex32>),
    C128(PyReadwriteArrayDyn<'py, Complex64>),
}

/// A new array, which nobody else has yet.
fn fresh<'py, T: numpy::Element>(py: Python<'py>, shape: &[usize]) -> PyReadwriteArrayDyn<'py, T> {
    PyArrayDyn::<T>::zeros(py, IxDyn(shape), false).readwrite()
}

impl<'py> Place<'py> {
    pub(crate) fn array(py: Python<'py>, elem: Scalar, shape: &[usize]) -> Place<'py> {
        match elem {
            Scalar::Bool => Place::Bool(fresh(py, shape)),
            Scalar::I64 => Place::I64(fresh(py, shape)),
            Scalar::F32 => Place::F32(fresh(py, shape)),
            Scalar::F64 => Place::F64(fresh(py, shape)),
            Scalar::C64 => Place::C64(fresh(py, shape)),
            Scalar::C128 => Place::C128(fresh(py, shape)),
        }
    }

    pub(crate) fn output(&mut self) -> OutputRef<'_> {
        match self {
            Place::Value(v) => v.into(),
            Place::Bool(a) => a.as_array_mut().into(),
            Place::I64(a) => a.as_array_mut().into(),
            Place::F32(a) => a.as_array_mut().into(),
            Place::F64(a) => a.as_array_mut().into(),
            Place::C64(a) => a.as_array_mut().into(),
            Place::C128(a) => a.as_array_mut().into(),
        }
    }

    pub(crate) fn object(self, py: Python<'py>) -> PyResult<Py<PyAny>> {
        /// The array itself, no longer borrowed.
        fn free<T: numpy::Element>(a: PyReadwriteArrayDyn<'_, T>) -> Py<PyAny> {
            let array: &Bound<'_, PyArrayDyn<T>> = &a;
            array.clone().into_any().unbind()
        }
        Ok(match self {
            Place::Value(v) => return object(py, v),
            Place::Bool(a) => free(a),
            Place::I64(a) => free(a),
            Place::F32(a) => free(a),
            Place::F64(a) => free(a),
            Place::C64(a) => free(a),
            Place::C128(a) => free(a),
        })
    }
}

/// A result: `float`, `complex`, `int` or `bool`, NumPy's `float32` or `complex64`, or an array.
pub(crate) fn object(py: Python<'_>, v: Value<'static>) -> PyResult<Py<PyAny>> {
    /// The only element of an array without axes, which keeps NumPy's type.
    fn scalar<T: numpy::Element>(py: Python<'_>, x: T) -> PyResult<Py<PyAny>> {
        PyArray1::from_vec(py, vec![x]).get_item(0)?.into_py_any(py)
    }
    fn array<T: Element + numpy::Element>(py: Python<'_>, v: Value<'static>) -> PyResult<Py<PyAny>> {
        let shape = v.shape().to_vec();
        let array = ndarray::ArrayD::<T>::try_from(v).map_err(|e| misuse(py, e.to_string()))?;
        debug_assert_eq!(array.shape(), shape);
        PyArrayDyn::from_owned_array(py, array).into_py_any(py)
    }
    match v {
        Value::Bool(x) => x.into_py_any(py),
        Value::I64(x) => x.into_py_any(py),
        Value::F64(x) => x.into_py_any(py),
        Value::C128(z) => PyComplex::from_doubles(py, z.re, z.im).into_py_any(py),
        Value::F32(x) => scalar(py, x),
        Value::C64(z) => scalar(py, z),
        Value::Array(_) | Value::View(_) => match v.elem() {
            Scalar::Bool => array::<bool>(py, v),
            Scalar::I64 => array::<i64>(py, v),
            Scalar::F32 => array::<f32>(py, v),
            Scalar::F64 => array::<f64>(py, v),
            Scalar::C64 => array::<Complex32>(py, v),
            Scalar::C128 => array::<Complex64>(py, v),
        },
    }
}
