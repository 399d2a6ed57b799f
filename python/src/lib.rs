//! The Python package `adc`: models with NumPy arrays. Everything that is called often is here; what is written in Python itself is
//! in `python/adc`.

mod batch;
mod errors;
mod externs;
mod function;
mod interrupt;
mod layout;
mod linearize;
mod loader;
mod model;
mod program;
mod report;
mod sparse;
mod values;

use pyo3::prelude::*;

/// The native half of the package `adc`.
#[pymodule]
fn _adc(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<model::Model>()?;
    m.add_class::<function::Function>()?;
    m.add_class::<program::Program>()?;
    m.add_class::<batch::Batch>()?;
    m.add_class::<linearize::Linearizer>()?;
    m.add_class::<linearize::Linear>()?;
    m.add_class::<report::Report>()?;
    m.add_class::<sparse::Sparse>()?;
    m.add_function(wrap_pyfunction!(model::load, m)?)?;
    m.add_function(wrap_pyfunction!(model::parse, m)?)?;
    m.add_function(wrap_pyfunction!(model::restore, m)?)
}
