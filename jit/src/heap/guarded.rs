//! Blocks between pages that nobody may touch, for tests (feature `guard`): whatever reads or writes outside of an array ends the
//! process. A block lies at the end of its pages or, in turn, at their start.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a page.
fn page() -> u64 {
    // SAFETY: a question without arguments that matter.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// The address of a new block, aligned to a line of cache; `bytes` is padded. `None` if the system has none.
pub(super) fn fetch(bytes: u64) -> Option<usize> {
    static AT_START: AtomicBool = AtomicBool::new(false);
    let page = page();
    let room = bytes.next_multiple_of(page);
    let all = usize::try_from(room + 2 * page).ok()?;
    // SAFETY: a new mapping, and the part of it between the outer pages.
    let first = unsafe {
        let map =
            libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        if map == libc::MAP_FAILED {
            return None;
        }
        let first = map.byte_add(page as usize);
        if libc::mprotect(first, room as usize, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(map, all);
            return None;
        }
        first.expose_provenance()
    };
    let at_start = AT_START.fetch_not(Ordering::Relaxed);
    Some(if at_start { first } else { first + (room - bytes) as usize })
}

/// Gives a block back.
///
/// # Safety
/// It was fetched with this size, and is not used any more.
pub(super) unsafe fn release(at: usize, bytes: u64) {
    let page = page();
    let room = bytes.next_multiple_of(page);
    let first = at - at % page as usize;
    // SAFETY: the mapping made in `fetch`, which added less than a page to the address of one.
    unsafe {
        libc::munmap(ptr::with_exposed_provenance_mut(first - page as usize), (room + 2 * page) as usize)
    };
}
