//! Errors of the library's calls.

use crate::render::Diagnostics;
use adc_ir::RuntimeError;
use adc_jit::LibraryError;
use std::fmt;

/// The error of a library call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The model, or the request, is wrong; rendered with source lines.
    Diagnostics(Diagnostics),
    /// The model ran into a run-time error.
    Runtime {
        /// What happened and where.
        error: RuntimeError,
        /// The same as a message, with source lines.
        diagnostics: Diagnostics,
    },
    /// The library was called with something that does not fit the function.
    Usage(UsageError),
    /// A shared library could not be loaded.
    Library(LibraryError),
    /// A `.npy` file could not be read or written.
    #[cfg(feature = "npy")]
    Npy(crate::npy::Error),
}

/// Misuse of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsageError {
    /// No function of that name.
    UnknownFunction(String),
    /// No parameter of that name in the function.
    UnknownParameter {
        /// The function.
        function: String,
        /// The name asked for.
        name: String,
        /// The names it has.
        known: Vec<String>,
    },
    /// No result of that name in the function.
    UnknownResult {
        /// The function.
        function: String,
        /// The name asked for.
        name: String,
        /// The names it has.
        known: Vec<String>,
    },
    /// Differentiation of this function with respect to no parameter.
    NoParameter(String),
    /// Inputs that a call by name does not name.
    Missing(Vec<String>),
    /// An input or a result that is named twice.
    Twice(String),
    /// A wrong number of values.
    Arity {
        /// How many the function takes or gives.
        expected: usize,
        /// How many there were.
        found: usize,
    },
    /// A value of another type.
    ValueType {
        /// Which input.
        name: String,
        /// Its type.
        expected: String,
        /// The type of the value given.
        found: String,
    },
    /// A wrong number of elements for an array.
    Elements {
        /// The sizes of the array.
        shape: Vec<usize>,
        /// How many elements there were.
        found: usize,
    },
    /// No dimension of that name in the function.
    UnknownDimension {
        /// The function.
        function: String,
        /// The name asked for.
        name: String,
        /// The names it has.
        known: Vec<String>,
    },
    /// An input of many calls that lacks the same number of entries along its first axis.
    Rows {
        /// Which input.
        name: String,
        /// How many the first input has.
        rows: usize,
        /// What was given.
        found: String,
    },
    /// A result whose size differs from call to call, where memory for it is needed before, or one array for many calls.
    Ragged(String),
    /// A location for an array result that is not in standard layout.
    NotContiguous(String),
}

impl UsageError {
    /// The next step, if there is one.
    pub fn help(&self) -> Option<String> {
        let list = |what: &str, known: &[String]| {
            let names: Vec<String> = known.iter().map(|n| format!("`{n}`")).collect();
            Some(if known.is_empty() {
                format!("it has no {what}s")
            } else {
                format!("the {what}s are {}", names.join(", "))
            })
        };
        match self {
            UsageError::UnknownParameter { known, .. } => list("parameter", known),
            UsageError::UnknownResult { known, .. } => list("result", known),
            UsageError::UnknownDimension { known, .. } => list("dimension", known),
            UsageError::NotContiguous(_) => Some("give a row-major array, such as `Array::zeros(…)`".into()),
            UsageError::Rows { .. } => {
                Some("give every input one more axis in front, of the same length for all".into())
            }
            UsageError::Ragged(_) => Some("call the function once for each".into()),
            UsageError::NoParameter(_) => Some("`Wrt::All` stands for every real or complex one".into()),
            UsageError::UnknownFunction(_)
            | UsageError::Missing(_)
            | UsageError::Twice(_)
            | UsageError::Arity { .. }
            | UsageError::ValueType { .. }
            | UsageError::Elements { .. } => None,
        }
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UsageError::UnknownFunction(name) => write!(f, "no function called `{name}`"),
            UsageError::UnknownParameter { function, name, .. } => {
                write!(f, "`{function}` has no parameter called `{name}`")
            }
            UsageError::UnknownResult { function, name, .. } => {
                write!(f, "`{function}` has no result called `{name}`")
            }
            UsageError::NoParameter(function) => {
                write!(f, "no parameter of `{function}` is named to differentiate it by")
            }
            UsageError::Missing(names) => write!(f, "no value was given for `{}`", names.join("`, `")),
            UsageError::Twice(name) => write!(f, "`{name}` is named twice"),
            UsageError::Arity { expected, found } => write!(f, "expected {expected} values, found {found}"),
            UsageError::ValueType { name, expected, found } => {
                write!(f, "expected {expected} for `{name}`, found {found}")
            }
            UsageError::Elements { shape, found } => {
                write!(
                    f,
                    "expected {} elements for an array of shape {shape:?}, found {found}",
                    shape.iter().product::<usize>()
                )
            }
            UsageError::UnknownDimension { function, name, .. } => {
                write!(f, "`{function}` has no dimension called `{name}`")
            }
            UsageError::Rows { name, rows, found } => {
                write!(f, "expected `{name}` to have a leading axis of length {rows}, found {found}")
            }
            UsageError::Ragged(name) => write!(f, "the sizes of `{name}` differ from call to call"),
            UsageError::NotContiguous(name) => {
                write!(f, "the array for `{name}` is not in standard layout")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Diagnostics(d) | Error::Runtime { diagnostics: d, .. } => d.fmt(f),
            Error::Usage(u) => u.fmt(f),
            Error::Library(e) => e.fmt(f),
            #[cfg(feature = "npy")]
            Error::Npy(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for UsageError {}

/// The source is what is behind an error and not said by it: the run-time error without the model's lines, what the system says of
/// a file.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Runtime { error, .. } => Some(error),
            Error::Library(e) => e.source(),
            #[cfg(feature = "npy")]
            Error::Npy(e) => e.source(),
            Error::Diagnostics(_) | Error::Usage(_) => None,
        }
    }
}

impl From<Diagnostics> for Error {
    fn from(d: Diagnostics) -> Error {
        Error::Diagnostics(d)
    }
}

impl From<UsageError> for Error {
    fn from(u: UsageError) -> Error {
        Error::Usage(u)
    }
}

impl From<LibraryError> for Error {
    fn from(e: LibraryError) -> Error {
        Error::Library(e)
    }
}

#[cfg(feature = "npy")]
impl From<crate::npy::Error> for Error {
    fn from(e: crate::npy::Error) -> Error {
        Error::Npy(e)
    }
}
