//! Arguments and results in memory of their own: a call checks nothing and copies nothing.

use super::data::Port;
use super::{Compiled, Line, Slice, SliceMut, Workspace};
use crate::cells::cells_of;
use adc_ir::{RuntimeError, Scalar};

// A scalar is read and written in its cell, of which smaller types take the low part.
const _: () = assert!(cfg!(target_endian = "little"));

/// The arguments and results of a compiled function whose sizes are all known, in memory that stays where it is.
#[derive(Debug)]
pub struct Slots {
    code: Compiled,
    /// Cells of all arguments, then of all results; those of arrays hold addresses in `_arrays`.
    cells: Vec<u64>,
    places: Vec<Place>,
    _arrays: Vec<Line>,
}

/// Elements of an array, or the one number of a scalar.
#[derive(Clone, Copy, Debug)]
struct Place {
    address: u64,
    elem: Scalar,
    len: usize,
}

impl Slots {
    /// Zeros for every argument and result; `None` if only a run tells the size of one.
    pub fn new(code: &Compiled) -> Option<Slots> {
        let ports = || code.shared.inputs.iter().chain(&code.shared.outputs);
        let len = |p: &Port| p.fixed.as_ref().map(|(_, count)| *count);
        let mut lines = Vec::new();
        for p in ports() {
            let bytes = if p.ty.is_array() { len(p)?.checked_mul(p.ty.scalar().bytes())? } else { 0 };
            lines.push(bytes.div_ceil(size_of::<Line>()));
        }
        let mut arrays = vec![Line([0; 8]); lines.iter().sum()];
        let mut cells = vec![0; code.input_cells + code.output_cells];
        let (first_line, first_cell) = (arrays.as_mut_ptr(), cells.as_mut_ptr());
        let (mut line, mut cell) = (0, 0);
        let mut places = Vec::new();
        for (p, count) in ports().zip(lines) {
            let address = match p.ty.is_array() {
                true => first_line.wrapping_add(line).expose_provenance(),
                // The format of a cell is that of the number in memory.
                false => first_cell.wrapping_add(cell).expose_provenance(),
            } as u64;
            if p.ty.is_array() {
                cells[cell] = address;
            }
            let len = if p.ty.is_array() { len(p)? } else { 1 };
            places.push(Place { address, elem: p.ty.scalar(), len });
            (line, cell) = (line + count, cell + cells_of(p.ty));
        }
        Some(Slots { code: code.clone(), cells, places, _arrays: arrays })
    }

    /// What is called.
    pub fn code(&self) -> &Compiled {
        &self.code
    }

    /// Argument `i`; a scalar is one element.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn input(&self, i: usize) -> Slice<'_> {
        assert!(i < self.code.inputs().len(), "argument {i} of `{}`", self.code.name());
        self.at(i)
    }

    /// As [`Self::input`], to be written.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn input_mut(&mut self, i: usize) -> SliceMut<'_> {
        assert!(i < self.code.inputs().len(), "argument {i} of `{}`", self.code.name());
        let Place { address, elem, len } = self.places[i];
        // SAFETY: there are so many elements, in memory that lives as long as `self`, which is borrowed exclusively.
        unsafe { SliceMut::at(address, elem, len) }
    }

    /// Result `i` of the last call; a scalar is one element.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn output(&self, i: usize) -> Slice<'_> {
        self.at(self.code.inputs().len() + i)
    }

    #[inline]
    fn at(&self, k: usize) -> Slice<'_> {
        let Place { address, elem, len } = self.places[k];
        // SAFETY: there are so many elements, in memory that lives as long as `self`, and is written by those only who have it
        // exclusively; generated code writes 0 or 1 for a `bool`.
        unsafe { Slice::at(address, elem, len) }
    }

    /// Calls the function on the arguments as they are. After an error the contents of results mean nothing.
    ///
    /// # Errors
    /// The run-time errors of the language.
    #[inline]
    pub fn call(&mut self, workspace: &mut Workspace) -> Result<(), RuntimeError> {
        let inputs = self.cells.as_mut_ptr();
        // SAFETY: `new` made as many cells as the function has, with the addresses of as many elements as the sizes say, and
        // `self` is borrowed exclusively.
        unsafe { self.code.run(workspace, inputs, inputs.add(self.code.input_cells)) }
    }
}
