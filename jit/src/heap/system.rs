//! Blocks from the allocator of the process.

use crate::lower::memory::LINE;
use std::alloc::{Layout, alloc, dealloc};

/// The address of a new block, aligned to [`LINE`]; `bytes` is padded. `None` if the system has none.
pub(super) fn fetch(bytes: u64) -> Option<usize> {
    let layout = Layout::from_size_align(usize::try_from(bytes).ok()?, LINE as usize).ok()?;
    // SAFETY: the size is not 0: it was padded.
    let p = unsafe { alloc(layout) };
    (!p.is_null()).then(|| p.expose_provenance())
}

/// Gives a block back.
///
/// # Safety
/// It was fetched with this size, and is not used any more.
pub(super) unsafe fn release(at: usize, bytes: u64) {
    let layout = Layout::from_size_align(bytes as usize, LINE as usize).expect("it was one");
    // SAFETY: as the caller promises.
    unsafe { dealloc(std::ptr::with_exposed_provenance_mut(at), layout) }
}
