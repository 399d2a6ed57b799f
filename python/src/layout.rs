//! Which of a program's results Python gets, and in what form.

use crate::errors::misuse;
use crate::values::keyword;
use adc::{Function, Port, Wrt};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// A transformation of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Transform {
    Primal,
    Grad,
    ValueAndGrad,
    Vjp,
    Jvp,
    Jacobian,
    Hessian,
    Hvp,
}

impl Transform {
    /// All that take `wrt`, with their names in Python.
    pub(crate) const NAMED: [(&str, Transform); 7] = [
        ("grad", Transform::Grad),
        ("value_and_grad", Transform::ValueAndGrad),
        ("vjp", Transform::Vjp),
        ("jvp", Transform::Jvp),
        ("jacobian", Transform::Jacobian),
        ("hessian", Transform::Hessian),
        ("hvp", Transform::Hvp),
    ];

    pub(crate) fn name(self) -> Option<&'static str> {
        Transform::NAMED.iter().find(|(_, t)| *t == self).map(|(name, _)| *name)
    }

    /// The program.
    pub(crate) fn of(self, f: &Function, wrt: &By) -> Result<Function, adc::Error> {
        let wrt = Wrt::of(wrt.names.clone());
        match self {
            Transform::Primal => Ok(f.clone()),
            Transform::Grad => f.grad(wrt),
            Transform::ValueAndGrad => f.value_and_grad(wrt),
            Transform::Vjp => f.vjp(wrt),
            Transform::Jvp => f.jvp(wrt),
            Transform::Jacobian => f.jacobian(wrt),
            Transform::Hessian => f.hessian(wrt),
            Transform::Hvp => f.hvp(wrt),
        }
    }
}

/// By which parameters a function is differentiated, in the function's order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct By {
    pub(crate) names: Vec<String>,
    /// Whether it was one name, whose derivative is then no dictionary.
    pub(crate) bare: bool,
}

impl By {
    /// From `wrt`: nothing, a name, or several.
    pub(crate) fn new(f: &Function, wrt: Option<&Bound<'_, PyAny>>) -> PyResult<By> {
        let floats = |p: &&Port| p.ty.is_differentiable();
        let Some(wrt) = wrt.filter(|w| !w.is_none()) else {
            let ir = f.ir();
            let all = ir.differentiable_params().into_iter().map(|i| ir.params[i].name.clone());
            return Ok(By { names: all.collect(), bare: false });
        };
        let py = wrt.py();
        let bare = wrt.is_instance_of::<PyString>();
        let given: Vec<String> = match bare {
            true => vec![wrt.extract()?],
            false => wrt.extract().map_err(|_| misuse(py, "`wrt` is the name of a parameter, or several"))?,
        };
        let mut positions = Vec::new();
        for name in &given {
            let at = position(py, f.inputs(), name)?.ok_or_else(|| {
                let known: Vec<String> = f.inputs().iter().filter(floats).map(|p| p.name.clone()).collect();
                let unknown = adc::UsageError::UnknownParameter {
                    function: f.name().into(),
                    name: name.clone(),
                    known,
                };
                crate::errors::usage(py, &unknown)
            })?;
            if positions.contains(&at) {
                return Err(misuse(py, format!("`{name}` is named twice")));
            }
            positions.push(at);
        }
        if positions.is_empty() {
            return Err(misuse(
                py,
                format!("no parameter of `{}` is named to differentiate it by", f.name()),
            ));
        }
        positions.sort_unstable();
        Ok(By { names: positions.into_iter().map(|i| f.inputs()[i].name.clone()).collect(), bare })
    }
}

/// A port by its own name, or the one Python gives it.
pub(crate) fn position(py: Python<'_>, ports: &[Port], name: &str) -> PyResult<Option<usize>> {
    if let Some(at) = ports.iter().position(|p| p.name == name) {
        return Ok(Some(at));
    }
    for (at, port) in ports.iter().enumerate() {
        if keyword(py, &port.name)?.to_str(py)? == name {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// The form of what a program returns.
pub(crate) enum Tree {
    /// A result, by its position.
    Leaf(usize),
    Tuple(Vec<Tree>),
    /// A named tuple of this class.
    Named(Py<PyAny>, Vec<Tree>),
    Dict(Vec<(Py<PyString>, Tree)>),
}

impl Tree {
    /// What a transformation of `f` returns.
    pub(crate) fn new(py: Python<'_>, f: &Function, transform: Transform, by: &By) -> PyResult<Tree> {
        let ir = f.ir();
        let all: Vec<usize> = (0..ir.results.len()).collect();
        let smooth = ir.differentiable_results();
        let mut next = 0;
        let mut leaf = || {
            next += 1;
            Tree::Leaf(next - 1)
        };
        Ok(match transform {
            Transform::Primal => Tree::results(py, f, &all, |_| Ok(leaf()))?,
            Transform::Grad | Transform::Hvp => Tree::by(py, by, |_| Ok(leaf()))?,
            Transform::ValueAndGrad | Transform::Vjp => {
                let value = Tree::results(py, f, &all, |_| Ok(leaf()))?;
                Tree::Tuple(vec![value, Tree::by(py, by, |_| Ok(leaf()))?])
            }
            Transform::Jvp => {
                let value = Tree::results(py, f, &all, |_| Ok(leaf()))?;
                Tree::Tuple(vec![value, Tree::results(py, f, &smooth, |_| Ok(leaf()))?])
            }
            Transform::Jacobian => {
                all.iter().for_each(|_| drop(leaf()));
                let complex =
                    |name: &str| f.inputs().iter().any(|p| p.name == name && p.ty.scalar().is_complex());
                Tree::results(py, f, &smooth, |_| {
                    Tree::by(py, by, |name| {
                        Ok(if complex(name) { Tree::Tuple(vec![leaf(), leaf()]) } else { leaf() })
                    })
                })?
            }
            Transform::Hessian => {
                all.iter().for_each(|_| drop(leaf()));
                Tree::by(py, by, |_| Tree::by(py, by, |_| Ok(leaf())))?
            }
        })
    }

    /// One for each of these results of `f`.
    pub(crate) fn results(
        py: Python<'_>,
        f: &Function,
        of: &[usize],
        mut tree: impl FnMut(usize) -> PyResult<Tree>,
    ) -> PyResult<Tree> {
        if let [one] = of {
            return tree(*one);
        }
        let names: Vec<&str> = of.iter().map(|i| f.outputs()[*i].name.as_str()).collect();
        let class =
            py.import("adc._names")?.getattr("results")?.call1((f.name(), PyTuple::new(py, names)?))?;
        Ok(Tree::Named(class.unbind(), of.iter().map(|i| tree(*i)).collect::<PyResult<_>>()?))
    }

    /// One for each parameter.
    pub(crate) fn by(
        py: Python<'_>,
        by: &By,
        mut tree: impl FnMut(&str) -> PyResult<Tree>,
    ) -> PyResult<Tree> {
        if by.bare {
            return tree(&by.names[0]);
        }
        let one = |name: &String| Ok((keyword(py, name)?, tree(name)?));
        Ok(Tree::Dict(by.names.iter().map(one).collect::<PyResult<_>>()?))
    }

    /// The results in it.
    pub(crate) fn leaves(&self, out: &mut Vec<usize>) {
        match self {
            Tree::Leaf(i) => out.push(*i),
            Tree::Tuple(all) | Tree::Named(_, all) => all.iter().for_each(|t| t.leaves(out)),
            Tree::Dict(all) => all.iter().for_each(|(_, t)| t.leaves(out)),
        }
    }

    /// The results in their form.
    pub(crate) fn build(&self, py: Python<'_>, results: &[Option<Py<PyAny>>]) -> PyResult<Py<PyAny>> {
        let of = |all: &[Tree]| all.iter().map(|t| t.build(py, results)).collect::<PyResult<Vec<_>>>();
        Ok(match self {
            Tree::Leaf(i) => results[*i].as_ref().expect("every leaf has a result").clone_ref(py),
            Tree::Tuple(all) => PyTuple::new(py, of(all)?)?.into_any().unbind(),
            Tree::Named(class, all) => class.bind(py).call1(PyTuple::new(py, of(all)?)?)?.unbind(),
            Tree::Dict(all) => {
                let dict = PyDict::new(py);
                for (name, tree) in all {
                    dict.set_item(name, tree.build(py, results)?)?;
                }
                dict.into_any().unbind()
            }
        })
    }
}
