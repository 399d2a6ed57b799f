//! What generated code and its callers share at run time.

use crate::heap::Heap;
use std::cell::UnsafeCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What generated code sees of a [`crate::Workspace`] beside the frames.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// Iterations that loops may still take. Generated code, which runs on one thread, has it as an ordinary number; it is atomic because
    /// another thread may set it to 0.
    pub fuel: AtomicU64,
    /// What the error that ended the call tells: an index and a size, a step, a size.
    pub numbers: [i64; 2],
    /// What the extern function that failed returned.
    pub extern_status: i32,
    /// Memory for arrays whose size only the run knows.
    pub heap: Heap,
}

/// A context at an address of its own, so that runs can be ended from other threads.
#[derive(Default)]
pub(crate) struct Shell {
    pub(crate) context: UnsafeCell<Context>,
    pub(crate) running: AtomicBool,
}

// SAFETY: other threads touch `fuel` only, which is atomic, and of which nobody has an exclusive reference; the rest belongs to the
// workspace that the shell is of, and to the code that runs in it.
unsafe impl Send for Shell {}
// SAFETY: as above.
unsafe impl Sync for Shell {}

impl Shell {
    /// Ends the run at the next loop that counts its iterations.
    pub(crate) fn exhaust(&self) {
        self.fuel().store(0, Ordering::Relaxed);
    }

    /// Whether a run has begun that is not over.
    pub(crate) fn is_running(&self) -> bool {
        self.running.load(Ordering::SeqCst)
    }

    pub(crate) fn fuel(&self) -> &AtomicU64 {
        // SAFETY: the address is valid, and whoever else has this field has it shared.
        unsafe { &(*self.context.get()).fuel }
    }
}

impl fmt::Debug for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shell").field("fuel", self.fuel()).finish_non_exhaustive()
    }
}

/// The signature of every generated function: context, argument cells, result cells, frame. Returns 0, or one
/// more than the index of the error in the module's table.
pub(crate) type Entry = unsafe extern "C" fn(*mut Context, *const u64, *mut u64, *mut u64) -> i32;
