//! Real coordinates of parameters and results: what a Jacobian has rows and columns for.

use adc_ir::Type;

/// Which part of a value a real coordinate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The value itself, real.
    Whole,
    /// The real part of a complex value.
    Re,
    /// The imaginary part of a complex value.
    Im,
}

impl Part {
    /// What follows the value's name: nothing, `.re` or `.im`.
    pub fn suffix(self) -> &'static str {
        match self {
            Part::Whole => "",
            Part::Re => ".re",
            Part::Im => ".im",
        }
    }
}

/// One real coordinate of a list of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coordinate {
    /// Position of the parameter or result in its function.
    pub index: usize,
    /// Which part of it.
    pub part: Part,
}

/// The real coordinates of the values at `positions`, in order, the real part of a complex one first.
pub(crate) fn coordinates(positions: &[usize], ty: impl Fn(usize) -> Type) -> Vec<Coordinate> {
    let parts = |index: usize| -> &'static [Part] {
        match ty(index).scalar().coordinates() {
            0 => &[],
            1 => &[Part::Whole],
            _ => &[Part::Re, Part::Im],
        }
    };
    positions
        .iter()
        .flat_map(|&index| parts(index).iter().map(move |&part| Coordinate { index, part }))
        .collect()
}
