//! With respect to which parameters.

/// With respect to which parameters a function is differentiated. Methods take `impl Into<Wrt>`: a name or several stand for
/// [`Wrt::of`] them.
///
/// ```
/// use adc::Wrt;
/// let model = adc::Model::parse("f.dsl", "fn f(x: f64, y: f64) -> f64 { x^2*y }")?;
/// let f = model.function("f")?;
/// assert_eq!(f.grad(Wrt::All)?.outputs().len(), 2);
/// assert_eq!(f.grad(Wrt::of(["y"]))?.outputs().len(), 1);
/// assert_eq!(f.grad("y")?.outputs(), f.grad(["y"])?.outputs());
/// // A list without names is a mistake, not all of them.
/// assert!(f.grad(Wrt::Names(vec![])).is_err());
/// # Ok::<(), adc::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wrt {
    /// Every real or complex parameter, in order.
    #[default]
    All,
    /// The parameters of these names, in this order.
    Names(Vec<String>),
}

impl Wrt {
    /// The parameters of these names, in this order.
    pub fn of<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Wrt {
        Wrt::Names(names.into_iter().map(Into::into).collect())
    }

    /// As flags and blocks say it: without a name, all.
    #[cfg(feature = "cli")]
    pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> Wrt {
        if names.is_empty() { Wrt::All } else { Wrt::of(names.iter().map(|n| n.as_ref())) }
    }
}

impl From<&str> for Wrt {
    fn from(name: &str) -> Wrt {
        Wrt::of([name])
    }
}

impl<S: Into<String>, const N: usize> From<[S; N]> for Wrt {
    fn from(names: [S; N]) -> Wrt {
        Wrt::of(names)
    }
}

impl<S: AsRef<str>> From<&[S]> for Wrt {
    fn from(names: &[S]) -> Wrt {
        Wrt::of(names.iter().map(|n| n.as_ref()))
    }
}
