//! Calls of functions of doubles and arrays of doubles on slices.

use super::data::Port;
use super::{Compiled, Workspace};
use adc_ir::{RuntimeError, Scalar};

/// What is asked of a slice: its length, and whether it is an array or the one number of a scalar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    len: usize,
    array: bool,
}

/// What is asked of all slices, if every port is of doubles and of known size.
pub(super) fn rooms(ports: &[Port]) -> Option<Vec<Room>> {
    let room = |p: &Port| {
        let len = if p.ty.is_array() { p.fixed.as_ref()?.1 } else { 1 };
        (p.ty.scalar() == Scalar::F64).then_some(Room { len, array: p.ty.is_array() })
    };
    ports.iter().map(room).collect()
}

impl Compiled {
    /// Calls a function of doubles and arrays of doubles, which are read and written where they are; a scalar is a slice of one
    /// element. Allocates only if the workspace has to grow. After an error the contents of results mean nothing. `None` if there
    /// are other arguments or results, or other numbers of elements: then nothing ran.
    #[inline]
    pub fn call_reals(
        &self,
        workspace: &mut Workspace,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
    ) -> Option<Result<(), RuntimeError>> {
        self.call_reals_in(workspace, inputs.iter().map(|x| Some(*x)), outputs, |_, y| Some(y))
    }

    /// [`Self::call_reals`] of slices in something else: `elements` are those of a result, of which it gets the number. `None` where
    /// something holds no doubles.
    #[inline]
    pub fn call_reals_in<'i, T>(
        &self,
        workspace: &mut Workspace,
        inputs: impl ExactSizeIterator<Item = Option<&'i [f64]>>,
        outputs: &mut [T],
        elements: impl Fn(usize, &mut T) -> Option<&mut [f64]>,
    ) -> Option<Result<(), RuntimeError>> {
        let (arguments, results) = self.shared.reals.as_ref()?;
        if inputs.len() != arguments.len() || outputs.len() != results.len() {
            return None;
        }
        // A scalar and an address take one cell.
        workspace.inputs.resize(arguments.len(), 0);
        workspace.outputs.resize(results.len(), 0);
        for ((x, room), cell) in inputs.zip(arguments).zip(&mut workspace.inputs) {
            let x = x?;
            if x.len() != room.len {
                return None;
            }
            *cell = if room.array { x.as_ptr().expose_provenance() as u64 } else { x[0].to_bits() };
        }
        for (k, ((y, room), cell)) in outputs.iter_mut().zip(results).zip(&mut workspace.outputs).enumerate()
        {
            let y = elements(k, y)?;
            if y.len() != room.len {
                return None;
            }
            *cell = if room.array { y.as_mut_ptr().expose_provenance() as u64 } else { 0 };
        }
        let (from, to) = (workspace.inputs.as_ptr(), workspace.outputs.as_mut_ptr());
        // SAFETY: there are as many cells as the function has, and those of arrays hold the addresses of slices of the right lengths,
        // which are borrowed here, those of results exclusively, as parts of `outputs`. The cells stay where they are while the call runs.
        match unsafe { self.quick(workspace, from, to) } {
            Some(0) => {}
            Some(status) => return Some(Err(self.error(status, workspace))),
            // SAFETY: as above.
            None => match unsafe { self.run(workspace, from, to) } {
                Ok(()) => {}
                Err(e) => return Some(Err(e)),
            },
        }
        for (k, ((y, room), cell)) in outputs.iter_mut().zip(results).zip(&workspace.outputs).enumerate() {
            if !room.array
                && let Some([number]) = elements(k, y)
            {
                *number = f64::from_bits(*cell);
            }
        }
        Some(Ok(()))
    }
}
