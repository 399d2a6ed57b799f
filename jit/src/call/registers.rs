//! Calls of functions of doubles whose arguments are in registers.

use super::{Compiled, Workspace};
use crate::context::Context;

/// Arguments that such a function has at most.
pub const MOST_REGISTERS: usize = 12;

// SAFETY: the code behind the addresses is never written, and belongs to `shared`, which any thread may have.
unsafe impl Send for Compiled {}
// SAFETY: as above.
unsafe impl Sync for Compiled {}

/// Calls a function with the arguments in `$x`, of which there are as many as one of the patterns has.
macro_rules! by_number {
    (@f64 $name:ident) => { f64 };
    ($code:expr, $areas:expr, $x:expr; $([$($name:ident)*])*) => {{
        let (context, none, out, frame) = $areas;
        match *$x {
            $([$($name),*] => {
                type Function = unsafe extern "C" fn(*mut Context, *const u64, *mut u64, *mut u64 $(, by_number!(@f64 $name))*) -> i32;
                // SAFETY: by the caller's promise the code has this signature.
                unsafe {
                    let f = std::mem::transmute::<*const u8, Function>($code);
                    f(context, none, out, frame $(, $name)*)
                }
            })*
            _ => unreachable!("code is made for {MOST_REGISTERS} arguments at most"),
        }
    }};
}

impl Compiled {
    /// Whether it was compiled for [`Self::call_registers`].
    pub fn has_registers(&self) -> bool {
        self.registers.is_some()
    }

    /// Calls a function of doubles, whose arguments do not pass through memory; whether that succeeded. If not, nothing is known of
    /// `outputs`, and [`Self::call_cells`] says why: the function fails, or was not compiled for it
    /// ([`crate::Options::registers`]).
    ///
    /// # Panics
    /// If the numbers of arguments and results are not those of the function: API misuse.
    #[inline]
    pub fn call_registers(&self, workspace: &mut Workspace, inputs: &[f64], outputs: &mut [u64]) -> bool {
        assert_eq!(inputs.len(), self.input_cells, "number of arguments");
        assert_eq!(outputs.len(), self.output_cells, "number of results");
        let Some(code) = self.registers else { return false };
        if !self.has_frame(workspace) || workspace.cancel.is_some() {
            return false;
        }
        let frames = workspace.frames.as_mut_ptr().cast::<u64>();
        let areas = (workspace.shell.context.get(), std::ptr::null(), outputs.as_mut_ptr(), frames);
        // By `Compiled::new`'s promise the code is alive and takes so many doubles, reads no cells, and writes the results, its frame, and
        // the numbers of an error in the context, which is the workspace's, borrowed exclusively.
        let status = by_number!(code, areas, inputs;
            []
            [a]
            [a b]
            [a b c]
            [a b c d]
            [a b c d e]
            [a b c d e f]
            [a b c d e f g]
            [a b c d e f g h]
            [a b c d e f g h i]
            [a b c d e f g h i j]
            [a b c d e f g h i j k]
            [a b c d e f g h i j k l]
        );
        status == 0
    }
}
