//! The growing part of a workspace: memory for arrays whose size only the run knows.
//!
//! Blocks are kept when they are given back, and between calls, so that the steady state allocates nothing. Everything that
//! is not given back, as after an error, is free again when the next call begins.

#[cfg_attr(all(unix, feature = "guard"), path = "heap/guarded.rs")]
mod system;

use crate::lower::memory::padded;
use std::collections::BTreeMap;
use std::ptr::NonNull;

/// Whether blocks are kept when they are given back. Guarded ones are not, so that what uses one afterwards is caught.
const KEPT: bool = cfg!(not(feature = "guard"));

/// Memory by blocks, aligned to [`LINE`].
#[derive(Debug, Default)]
pub(crate) struct Heap {
    /// Every block, by address; whether it is taken.
    blocks: BTreeMap<usize, Block>,
    /// Blocks that are not taken, by size.
    free: BTreeMap<u64, Vec<usize>>,
    /// Bytes taken.
    used: u64,
    /// Bytes that may be taken.
    pub limit: u64,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    bytes: u64,
    taken: bool,
}

// SAFETY: the blocks belong to the heap alone; their addresses are plain numbers to whoever else sees them.
unsafe impl Send for Heap {}

impl Heap {
    /// Gives back everything.
    #[inline]
    pub fn reset(&mut self) {
        if self.used != 0 {
            self.give_all();
        }
    }

    #[cold]
    fn give_all(&mut self) {
        let taken: Vec<usize> = self.blocks.iter().filter(|(_, b)| b.taken).map(|(at, _)| *at).collect();
        taken.into_iter().for_each(|at| self.give(at));
    }

    /// A block of at least so many bytes; `None` beyond the limit, or if the system has none.
    pub fn take(&mut self, bytes: u64) -> Option<NonNull<u8>> {
        if bytes > self.limit {
            return None;
        }
        let bytes = padded(bytes);
        // A somewhat larger one will do.
        let fit = self.free.range_mut(bytes..=bytes.saturating_add(bytes / 4)).find(|(_, at)| !at.is_empty());
        let found = fit.and_then(|(bytes, at)| Some((*bytes, at.pop()?)));
        let (bytes, at) = match found {
            Some((bytes, at)) if self.used + bytes <= self.limit => (bytes, at),
            Some((bytes, at)) => {
                self.free.entry(bytes).or_default().push(at);
                return None;
            }
            None if self.used + bytes > self.limit => return None,
            None => (bytes, system::fetch(bytes)?),
        };
        self.used += bytes;
        self.blocks.insert(at, Block { bytes, taken: true });
        NonNull::new(std::ptr::with_exposed_provenance_mut(at))
    }

    /// Bytes of all blocks, taken or not.
    pub fn held(&self) -> u64 {
        self.blocks.values().map(|b| b.bytes).sum()
    }

    /// Gives a block back.
    pub fn give(&mut self, at: usize) {
        if let Some(b) = self.blocks.get_mut(&at).filter(|b| b.taken) {
            b.taken = false;
            let bytes = b.bytes;
            self.used -= bytes;
            if KEPT {
                self.free.entry(bytes).or_default().push(at);
            } else {
                self.blocks.remove(&at);
                // SAFETY: the block was fetched with this size, and nobody has it any more.
                unsafe { system::release(at, bytes) }
            }
        }
    }
}

impl adc_runtime::kernels::Blocks for Heap {
    fn take(&mut self, bytes: u64) -> Option<NonNull<u8>> {
        Heap::take(self, bytes)
    }

    fn give(&mut self, at: usize) {
        Heap::give(self, at);
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        for (at, b) in &self.blocks {
            // SAFETY: the block was fetched with this size, and is the heap's alone.
            unsafe { system::release(*at, b.bytes) }
        }
    }
}

#[cfg(all(test, not(feature = "guard")))]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_used_again() {
        let mut heap = Heap::default();
        heap.limit = 1 << 20;
        let a = heap.take(1000).unwrap();
        let b = heap.take(1).unwrap();
        assert!(a != b && a.addr().get() % 64 == 0);
        heap.give(a.addr().get());
        assert_eq!(heap.take(900), Some(a));
        assert_eq!(heap.take(1 << 20), None);
        heap.reset();
        assert_eq!((heap.used, heap.blocks.len()), (0, 2));
        assert!(heap.take(1000) == Some(a) && heap.take(64) == Some(b));
    }
}
