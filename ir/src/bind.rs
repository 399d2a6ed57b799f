//! Dimensions of an entry call, from the sizes of its arguments.

use crate::dims::Dim;
use crate::interp::Val;
use crate::module::*;
use crate::num::Real;
use std::fmt;

/// Why the sizes of arguments do not give the dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DimError {
    /// No parameter has the dimension as a bare size, and it was not given.
    Unbound {
        /// Its name.
        dim: String,
    },
    /// An argument has another number of axes than its parameter.
    Rank {
        /// The parameter.
        param: String,
        /// Its number of axes.
        wanted: usize,
        /// The argument's.
        found: usize,
    },
    /// A size is another one than the dimensions say.
    Size {
        /// The parameter.
        param: String,
        /// Which axis.
        axis: usize,
        /// The size as declared: `2*N-1`.
        dim: String,
        /// What that is; `None` if it is outside `i64`.
        wanted: Option<i64>,
        /// The argument's.
        found: usize,
        /// The parameter and axis that say so; `None`: it was given, or follows from several.
        because: Option<(String, usize)>,
    },
}

impl fmt::Display for DimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DimError::Unbound { dim } => {
                write!(f, "dimension `{dim}` follows from no argument and has to be given")
            }
            DimError::Rank { param, wanted, found } => {
                write!(f, "`{param}` has {wanted} axes, but its argument has {found}")
            }
            DimError::Size { param, axis, dim, wanted, found, because } => {
                write!(f, "axis {axis} of `{param}` is `{dim}`")?;
                match wanted {
                    Some(n) => write!(f, " = {n}")?,
                    None => write!(f, ", which is not an `i64`")?,
                }
                if let Some((param, axis)) = because {
                    write!(f, " (axis {axis} of `{param}`)")?;
                }
                write!(f, ", its argument's is {found}")
            }
        }
    }
}

impl std::error::Error for DimError {}

/// The dimensions of a call with these arguments.
pub fn bind_dims<R: Real>(func: &Func, args: &[Val<R>]) -> Result<Vec<i64>, DimError> {
    let empty: &[usize] = &[];
    let shapes: Vec<&[usize]> =
        args.iter().map(|v| if let Val::Array(a) = v { a.shape() } else { empty }).collect();
    let int = |i: usize| if let Val::I64(n) = args[i] { Some(n) } else { None };
    bind_sizes(func, &vec![None; func.dims.len()], &shapes, int)
}

/// The floor of a quotient, if there is one.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
    Some(if r != 0 && (r < 0) != (b < 0) { q - 1 } else { q })
}

/// The dimensions of a call: those given, then those that a parameter has as a bare size, the first one deciding; then
/// every size is checked. `shapes` has the sizes of each argument (none for a scalar), `int` the value of an argument
/// that is an integer.
pub fn bind_sizes(
    func: &Func,
    given: &[Option<i64>],
    shapes: &[&[usize]],
    int: impl Fn(usize) -> Option<i64>,
) -> Result<Vec<i64>, DimError> {
    // Each with the parameter and axis that said so.
    let mut bound: Vec<Option<i64>> = given.to_vec();
    let mut from: Vec<Option<(String, usize)>> = vec![None; given.len()];
    let sizes = || {
        func.params.iter().zip(shapes).flat_map(|(p, shape)| {
            let declared = func.shape(p.value);
            declared.iter().zip(*shape).enumerate().map(move |(axis, (dim, size))| (p, axis, dim, *size))
        })
    };
    for (p, shape) in func.params.iter().zip(shapes) {
        let wanted = func.shape(p.value).len();
        if wanted != shape.len() {
            return Err(DimError::Rank { param: p.name.clone(), wanted, found: shape.len() });
        }
    }
    for (p, axis, dim, size) in sizes() {
        let which = dim.as_var().and_then(|v| func.dims.iter().position(|d| d.value == v));
        if let Some(i) = which.filter(|i| bound[*i].is_none()) {
            (bound[i], from[i]) = (Some(size as i64), Some((p.name.clone(), axis)));
        }
    }
    let mut dims: Vec<i64> = Vec::with_capacity(bound.len());
    for (i, d) in func.dims.iter().enumerate() {
        if let Some((a, b)) = &d.quotient {
            let number = |d: &Dim| d.eval(|v| dims.get(v.0 as usize).copied().unwrap_or(0));
            // The size of no array, where there is no quotient.
            let n = number(a).zip(number(b)).and_then(|(a, b)| floor_div(a, b)).unwrap_or(-1);
            from[i] = None;
            dims.push(n);
            continue;
        }
        dims.push(bound[i].ok_or_else(|| DimError::Unbound { dim: d.name.clone() })?);
    }
    let value = |v: Value| match func.entry_position(v) {
        Some(i) if i < dims.len() => dims[i],
        Some(i) => int(i - dims.len()).unwrap_or(0),
        None => 0,
    };
    for (p, axis, dim, found) in sizes() {
        let wanted = dim.eval(value);
        if wanted != i64::try_from(found).ok() {
            let name = |v: Value| match func.entry_position(v) {
                Some(i) if i < dims.len() => func.dims[i].name.clone(),
                Some(i) => func.params[i - dims.len()].name.clone(),
                None => "?".into(),
            };
            let which = dim.as_var().and_then(|v| func.dims.iter().position(|d| d.value == v));
            let because = which.and_then(|i| from[i].clone());
            let (param, dim) = (p.name.clone(), dim.display(name));
            return Err(DimError::Size { param, axis, dim, wanted, found, because });
        }
    }
    Ok(dims)
}
