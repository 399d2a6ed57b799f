//! Real coordinates of parameters and results: the rows and columns of a Jacobian.

use adc_ir::*;

/// Which part of a number a real coordinate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The number itself, real.
    Whole,
    /// The real part of a complex number.
    Re,
    /// The imaginary part of a complex number.
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

    /// The parts of the numbers of a type; none if the type carries no derivative.
    pub(crate) fn of(ty: Type) -> &'static [Part] {
        match ty.scalar().coordinates() {
            0 => &[],
            1 => &[Part::Whole],
            _ => &[Part::Re, Part::Im],
        }
    }
}

/// One real coordinate of a list of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coordinate {
    /// Position of the parameter or result in its function.
    pub index: usize,
    /// Which entry of it, in row-major order; 0 of a scalar.
    pub entry: usize,
    /// Which part of that.
    pub part: Part,
}

/// The same part of every entry of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Position of the parameter or result in its function.
    pub index: usize,
    /// Which part of it.
    pub part: Part,
}

/// The blocks of the values at `positions`, in order, the real part of a complex one first.
pub(crate) fn blocks(positions: &[usize], ty: impl Fn(usize) -> Type) -> Vec<Block> {
    let block = |index: usize| Part::of(ty(index)).iter().map(move |&part| Block { index, part });
    positions.iter().flat_map(|&index| block(index)).collect()
}

/// The real coordinates of the values at `positions`: value by value, entry by entry, the real part of a complex one
/// first. `len` is the number of entries.
pub(crate) fn coordinates(
    positions: &[usize],
    ty: impl Fn(usize) -> Type,
    len: impl Fn(usize) -> usize,
) -> Vec<Coordinate> {
    let count = positions.iter().map(|&i| Part::of(ty(i)).len() * len(i)).sum();
    let mut out = Vec::with_capacity(count);
    for &index in positions {
        for entry in 0..len(index) {
            out.extend(Part::of(ty(index)).iter().map(|&part| Coordinate { index, entry, part }));
        }
    }
    out
}

/// The columns or rows of one part of a value: every second one if it is complex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub block: Block,
    pub first: usize,
    pub step: usize,
    pub len: usize,
}

impl Stretch {
    /// The column or row of an entry.
    pub(crate) fn at(&self, entry: usize) -> usize {
        self.first + entry * self.step
    }
}

/// The stretches of the values at `positions`.
pub(crate) fn stretches(
    positions: &[usize],
    ty: impl Fn(usize) -> Type,
    len: impl Fn(usize) -> usize,
) -> Vec<Stretch> {
    let mut first = 0;
    let mut out = Vec::new();
    for &index in positions {
        let parts = blocks(&[index], &ty);
        let (step, len) = (parts.len(), len(index));
        out.extend(parts.into_iter().enumerate().map(|(k, block)| Stretch {
            block,
            first: first + k,
            step,
            len,
        }));
        first += step * len;
    }
    out
}

/// The sizes of a value as numbers; `None` if they are only known at run time.
pub(crate) fn sizes(data: &ValueData) -> Option<Vec<usize>> {
    data.shape.iter().map(|d| d.as_const().and_then(|n| usize::try_from(n).ok())).collect()
}

/// The indices of an entry, given its row-major number; empty for a scalar.
pub(crate) fn indices(shape: &[usize], mut entry: usize) -> Vec<usize> {
    let mut out = vec![0; shape.len()];
    for (i, n) in out.iter_mut().zip(shape).rev() {
        *i = entry % n.max(&1);
        entry /= n.max(&1);
    }
    out
}

/// `[2, 3]`; nothing for a scalar.
pub fn index_text(index: &[usize]) -> String {
    if index.is_empty() {
        return String::new();
    }
    let list: Vec<String> = index.iter().map(usize::to_string).collect();
    format!("[{}]", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_indices() {
        assert_eq!(index_text(&indices(&[3, 4], 11)), "[2, 3]");
        assert_eq!(index_text(&indices(&[], 0)), "");
        let types = [Type::Scalar(Scalar::F64), Type::Array(Scalar::C128, 1), Type::I64];
        let list = coordinates(&[1, 0, 2], |i| types[i], |i| [1, 2, 1][i]);
        let names: Vec<String> =
            list.iter().map(|c| format!("{}.{}{}", c.index, c.entry, c.part.suffix())).collect();
        assert_eq!(names, ["1.0.re", "1.0.im", "1.1.re", "1.1.im", "0.0"]);
    }
}
