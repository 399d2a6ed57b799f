//! Inputs and outputs of a function.

use adc_ir::{Dim, Func, Type};
use std::fmt;

/// A named, typed input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name in the source; `x_dot`, `x_bar` for tangents and cotangents.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The sizes of an array as declared: `N`, `2*N-1`, `3`; none for a scalar.
    pub shape: Vec<String>,
}

impl Port {
    /// The type with the sizes: `f64[N, 3]`.
    pub fn describe(&self) -> String {
        match &self.shape[..] {
            [] => self.ty.scalar().to_string(),
            sizes => format!("{}[{}]", self.ty.scalar(), sizes.join(", ")),
        }
    }

    /// The sizes, where they are numbers.
    pub(crate) fn sizes(&self) -> Option<Vec<usize>> {
        self.shape.iter().map(|n| n.parse().ok()).collect()
    }
}

/// `x: f64[N, 3]`
impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.describe())
    }
}

/// Which of them has this name.
pub(crate) fn position(ports: &[Port], name: &str) -> Option<usize> {
    ports.iter().position(|p| p.name == name)
}

/// Inputs and outputs of a function, in order.
pub(crate) fn ports(f: &Func) -> (Vec<Port>, Vec<Port>) {
    let name = |v: adc_ir::Value| match f.entry_position(v) {
        Some(i) if i < f.dims.len() => f.dims[i].name.clone(),
        Some(i) => f.params[i - f.dims.len()].name.clone(),
        None => result_name(f, v),
    };
    let shape = |dims: &[Dim]| dims.iter().map(|d| d.display(name)).collect();
    let input =
        |p: &adc_ir::Param| Port { name: p.name.clone(), ty: f.ty(p.value), shape: shape(f.shape(p.value)) };
    let output = |r: &adc_ir::ResultDecl| Port { name: r.name.clone(), ty: r.ty, shape: shape(&r.shape) };
    (f.params.iter().map(input).collect(), f.results.iter().map(output).collect())
}

/// A size of a result.
fn result_name(f: &Func, v: adc_ir::Value) -> String {
    let at = f.region().and_then(|r| r.yields.iter().position(|y| *y == v));
    at.map_or("?".into(), |i| f.results[i].name.clone())
}
