//! What code in object files runs with: the memory of a call, the domains of arguments, the text of an error.
//!
//! Such code has no part of adc beside it. It works in memory of its caller, where a [`Context`] comes first; arrays that have no
//! place there come from the allocator of the C library. Those of the last call are kept for the next one: large blocks that come from the
//! system again and again cost more than what is computed in them.
//!
//! A caller who breaks the promises of the header (sizes, alignment, memory used by two calls at once) breaks these.

use crate::kernels::linear::Operands;
use crate::kernels::{Blocks, NO_MEMORY};
use num_complex::{Complex32, Complex64};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

/// Bytes for the text of an error, its end included.
pub const TEXT: usize = 512;

/// In texts of errors, what stands for a number of [`Context::numbers`], and for [`Context::extern_status`].
pub const NUMBERS: [u8; 2] = [1, 2];
/// See [`NUMBERS`].
pub const STATUS: u8 = 3;

/// What a call knows beside its arrays. Generated code writes `fuel`, `left`, and 0 to the three fields behind, when it begins.
#[repr(C)]
pub struct Context {
    /// Iterations that loops may still take.
    pub fuel: u64,
    /// What the error that ended the call tells: an index and a size, a step, a size.
    pub numbers: [i64; 2],
    /// What the extern function that failed returned.
    pub extern_status: i32,
    /// Bytes that blocks may still have.
    pub left: u64,
    /// The newest block that is taken.
    pub blocks: *mut Block,
    /// Blocks that may be taken again.
    pub free: *mut Block,
    /// Whether the blocks that were kept are among them: 1 from the first block on.
    pub begun: u64,
    /// The text of the last error that was asked for.
    pub text: [u8; TEXT],
}

/// What stands before the memory of a block, and fills a row of cache.
#[repr(C, align(64))]
pub struct Block {
    /// The next older one.
    older: *mut Block,
    /// Bytes, these included.
    bytes: u64,
}

const HEAD: u64 = size_of::<Block>() as u64;

impl Block {
    fn layout(bytes: u64) -> Option<Layout> {
        Layout::from_size_align(usize::try_from(bytes).ok()?, align_of::<Block>()).ok()
    }
}

/// Blocks that the last call left. Nobody has them: whoever wants them takes them all out, with one exchange.
static KEPT: AtomicPtr<Block> = AtomicPtr::new(null_mut());

/// Most bytes that are kept between calls.
const MOST_KEPT: u64 = 256 << 20;

/// Gives the blocks of a list back to the system.
///
/// # Safety
/// A list of blocks that nobody else has.
unsafe fn drop_all(mut block: *mut Block) {
    while !block.is_null() {
        // SAFETY: the caller's promise; the size is the one it was fetched with.
        unsafe {
            let Block { older, bytes } = block.read();
            if let Some(layout) = Block::layout(bytes) {
                dealloc(block.cast(), layout);
            }
            block = older;
        }
    }
}

/// Takes the first block out of a list for which `fits` says so.
///
/// # Safety
/// A list of live blocks that nobody else has.
unsafe fn unlink(mut link: *mut *mut Block, fits: impl Fn(*mut Block) -> bool) -> Option<NonNull<Block>> {
    // SAFETY: the caller's promise.
    unsafe {
        while let Some(block) = NonNull::new(*link) {
            if fits(block.as_ptr()) {
                *link = (*block.as_ptr()).older;
                return Some(block);
            }
            link = &raw mut (*block.as_ptr()).older;
        }
    }
    None
}

impl Blocks for Context {
    fn take(&mut self, bytes: u64) -> Option<NonNull<u8>> {
        if self.begun == 0 {
            self.begun = 1;
            self.free = KEPT.swap(null_mut(), Ordering::Acquire);
        }
        let bytes = bytes.max(1).checked_next_multiple_of(HEAD)?.checked_add(HEAD)?;
        if bytes - HEAD > self.left {
            return None;
        }
        // A somewhat larger one will do.
        let sizes = bytes..=bytes.saturating_add(bytes / 4);
        // SAFETY: the list is this call's, of live blocks.
        let found = unsafe { unlink(&raw mut self.free, |b| sizes.contains(&(*b).bytes)) };
        // SAFETY: as above.
        let found = found.filter(|b| unsafe { b.as_ref() }.bytes - HEAD <= self.left);
        let (block, bytes) = match found {
            // SAFETY: as above.
            Some(block) => (block, unsafe { block.as_ref() }.bytes),
            // SAFETY: the size is not 0.
            None => (NonNull::new(unsafe { alloc(Block::layout(bytes)?) })?.cast::<Block>(), bytes),
        };
        self.left -= bytes - HEAD;
        // SAFETY: the memory is this call's, aligned, and large enough for the head.
        unsafe { block.write(Block { older: self.blocks, bytes }) };
        self.blocks = block.as_ptr();
        // SAFETY: the block goes on behind its head.
        Some(unsafe { block.add(1) }.cast())
    }

    /// Gives the block at an address back, if it is one: code also asks for arrays that stay in the frame.
    fn give(&mut self, at: usize) {
        // SAFETY: the list is this call's, of live blocks.
        let found = unsafe { unlink(&raw mut self.blocks, |b| b.addr() + HEAD as usize == at) };
        if let Some(mut block) = found {
            // SAFETY: the block is in no list.
            let head = unsafe { block.as_mut() };
            self.left += head.bytes - HEAD;
            head.older = self.free;
            self.free = block.as_ptr();
        }
    }
}

/// The address of a block; null beyond the limit, or if the system has none.
///
/// # Safety
/// The context of the call that runs.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_take"))]
pub unsafe extern "C" fn take(context: *mut Context, bytes: u64) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { &mut *context }.take(bytes).map_or(null_mut(), |p| p.as_ptr())
}

/// Gives a block back.
///
/// # Safety
/// The context of the call that runs, which uses the block no more.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_give"))]
pub unsafe extern "C" fn give(context: *mut Context, block: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { &mut *context }.give(block.addr());
}

/// A block of the wanted size with the used bytes of another one, which is given back.
///
/// # Safety
/// The context of the call that runs; `block` has the used bytes, and is used no more.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_grow"))]
pub unsafe extern "C" fn grow(context: *mut Context, block: *mut u8, used: u64, wanted: u64) -> *mut u8 {
    // SAFETY: the caller's promise.
    let context = unsafe { &mut *context };
    let Some(new) = context.take(wanted) else { return null_mut() };
    // SAFETY: the used part is inside both blocks, which are different ones.
    unsafe { std::ptr::copy_nonoverlapping(block, new.as_ptr(), used as usize) };
    context.give(block.addr());
    new.as_ptr()
}

/// Gives all blocks back, at the end of a call, and keeps them for the next one.
///
/// # Safety
/// The context of the call that ends.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_release"))]
pub unsafe extern "C" fn release(context: *mut Context) {
    // SAFETY: the caller's promise.
    let context = unsafe { &mut *context };
    while !context.blocks.is_null() {
        context.give(context.blocks.addr() + HEAD as usize);
    }
    let (mut total, mut block) = (0, context.free);
    while !block.is_null() {
        // SAFETY: the list is this call's, of live blocks.
        let head = unsafe { &*block };
        (total, block) = (total + head.bytes, head.older);
    }
    let (kept, mut gone) =
        if total <= MOST_KEPT { (context.free, null_mut()) } else { (null_mut(), context.free) };
    context.free = null_mut();
    if !kept.is_null() {
        // Those of another thread that ended meanwhile.
        gone = KEPT.swap(kept, Ordering::AcqRel);
    }
    // SAFETY: nobody else has the list.
    unsafe { drop_all(gone) }
}

/// Linear algebra, see [`Operands::run`].
///
/// # Safety
/// As there; the context of the call that runs.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_linalg"))]
pub unsafe extern "C" fn linear_algebra(
    context: *mut Context,
    code: u64,
    out: *mut u8,
    a: *const u8,
    b: *const u8,
    n: u64,
    m: u64,
) -> i32 {
    if context.is_null() {
        return NO_MEMORY;
    }
    // SAFETY: the caller's promise.
    unsafe { Operands::run(&mut *context, code, [out, a.cast_mut(), b.cast_mut()], [n, m]) }
}

/// A domain of an argument: from `lo` to `hi`, of complex numbers their modulus.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Whether the ends belong to it: 1 for the lower one, plus 2 for the upper one.
    pub closed: u64,
    /// The type of the elements: 0 for `f32`, 1 for `f64`, 2 and 3 for the complex ones, 4 for `i64`.
    pub elem: u64,
    /// How many elements there are.
    pub count: u64,
}

/// The first element outside its domain, or −1.
///
/// # Safety
/// There are as many elements of that type as the domain says.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_outside"))]
pub unsafe extern "C" fn outside(domain: *const Domain, x: *const u8) -> i64 {
    // SAFETY: the caller's promise.
    let d = unsafe { &*domain };
    let modulus = |re: f64, im: f64| re.hypot(im);
    for i in 0..d.count as usize {
        // SAFETY: the element is one of the array.
        let x = unsafe {
            match d.elem {
                0 => f64::from(x.cast::<f32>().add(i).read_unaligned()),
                1 => x.cast::<f64>().add(i).read_unaligned(),
                2 => {
                    let z = x.cast::<Complex32>().add(i).read_unaligned();
                    modulus(z.re.into(), z.im.into())
                }
                3 => {
                    let z = x.cast::<Complex64>().add(i).read_unaligned();
                    modulus(z.re, z.im)
                }
                _ => x.cast::<i64>().add(i).read_unaligned() as f64,
            }
        };
        let above = x > d.lo || (d.closed & 1 != 0 && x == d.lo);
        let below = x < d.hi || (d.closed & 2 != 0 && x == d.hi);
        if !(above && below) {
            return i as i64;
        }
    }
    -1
}

/// The text of the error that a status stands for, in the context; empty for status 0. `table` has the number of texts and where each
/// begins, four bytes each, and then the texts, each ended by 0.
///
/// # Safety
/// The context of a call that is over, and a table of that form.
#[cfg_attr(feature = "object", unsafe(export_name = "adc_describe"))]
pub unsafe extern "C" fn describe(context: *mut Context, status: i32, table: *const u8) -> *const u8 {
    // SAFETY: the caller's promise.
    let context = unsafe { &mut *context };
    let number = |i: usize| {
        // SAFETY: the table begins with these numbers.
        unsafe { table.cast::<u32>().add(i).read_unaligned() }
    };
    let mut to = Text { text: &mut context.text, len: 0 };
    let known = usize::try_from(status).ok().filter(|s| *s <= number(0) as usize);
    match known {
        Some(0) => {}
        Some(status) => {
            let mut at = number(status) as usize;
            loop {
                // SAFETY: a text ends with 0.
                match unsafe { table.add(at).read() } {
                    0 => break,
                    c if c == NUMBERS[0] => to.number(context.numbers[0]),
                    c if c == NUMBERS[1] => to.number(context.numbers[1]),
                    STATUS => to.number(context.extern_status.into()),
                    c => to.push(c),
                }
                at += 1;
            }
        }
        None => b"not a status of this file".iter().for_each(|c| to.push(*c)),
    }
    to.end();
    context.text.as_ptr()
}

/// A text that ends where there is no more room.
struct Text<'t> {
    text: &'t mut [u8; TEXT],
    len: usize,
}

impl Text<'_> {
    fn push(&mut self, c: u8) {
        if let Some(place) = self.text[..TEXT - 1].get_mut(self.len) {
            *place = c;
            self.len += 1;
        }
    }

    fn number(&mut self, n: i64) {
        if n < 0 {
            self.push(b'-');
        }
        let mut digits = [0; 20];
        let (mut rest, mut count) = (n.unsigned_abs(), 0);
        for digit in &mut digits {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        digits[..count].iter().rev().for_each(|c| self.push(*c));
    }

    /// Ends it with 0, and not within a character.
    fn end(&mut self) {
        if self.len == TEXT - 1 {
            while self.len > 0 && self.text[self.len - 1] & 0xc0 == 0x80 {
                self.len -= 1;
            }
            self.len = self.len.saturating_sub(usize::from(self.text[self.len - 1] >= 0xc0));
        }
        self.text[self.len] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        let (blocks, free, text) = (null_mut(), null_mut(), [0; TEXT]);
        let numbers = [-7, i64::MIN];
        Context { fuel: 0, numbers, extern_status: 3, left: 1000, blocks, free, begun: 0, text }
    }

    fn table(texts: &[&str]) -> Vec<u8> {
        let mut table = (texts.len() as u32).to_le_bytes().to_vec();
        let mut at = 4 + 4 * texts.len();
        for t in texts {
            table.extend((at as u32).to_le_bytes());
            at += t.len() + 1;
        }
        texts.iter().for_each(|t| table.extend([t.as_bytes(), &[0]].concat()));
        table
    }

    fn text(status: i32, table: &[u8]) -> String {
        let mut context = context();
        // SAFETY: the table is one.
        unsafe { describe(&mut context, status, table.as_ptr()) };
        std::ffi::CStr::from_bytes_until_nul(&context.text).unwrap().to_str().unwrap().to_string()
    }

    #[test]
    fn texts_of_errors() {
        let long = "é".repeat(TEXT);
        let table = table(&["index \u{1} of \u{2}", "status \u{3}", &long]);
        assert_eq!(text(1, &table), "index -7 of -9223372036854775808");
        assert_eq!(text(2, &table), "status 3");
        assert_eq!(text(3, &table), "é".repeat((TEXT - 1) / 2));
        assert_eq!(text(0, &table), "");
        assert_eq!([text(4, &table), text(-1, &table)], ["not a status of this file"; 2]);
    }

    #[test]
    fn blocks_are_limited_and_given_back() {
        let mut context = context();
        let (a, b) = (context.take(10).unwrap(), context.take(64).unwrap());
        assert_eq!((context.left, a.addr().get() % 64, b.addr().get() % 64), (1000 - 128, 0, 0));
        assert_eq!(context.take(900), None);
        assert_eq!(context.take(u64::MAX), None);
        context.give(a.addr().get());
        context.give(12);
        assert_eq!(context.left, 1000 - 64);
        // What was given back is taken again.
        assert_eq!(context.take(1), Some(a));
        // SAFETY: nobody uses the blocks that are left.
        unsafe { release(&mut context) };
        assert!(context.left == 1000 && context.blocks.is_null() && context.free.is_null());
        // Also by the next call; of a size that does not fit, there are none.
        let mut next = self::context();
        let [c, d, e] = [64, 64, 500].map(|n| next.take(n).unwrap());
        assert!([a, b].contains(&c) && [a, b].contains(&d) && ![a, b].contains(&e));
        // SAFETY: as above.
        unsafe { release(&mut next) };
    }

    #[test]
    fn domains() {
        let first = |d: Domain, x: &[f64]| {
            let count = if d.elem == 3 { x.len() / 2 } else { x.len() };
            // SAFETY: there are so many numbers.
            unsafe { outside(&Domain { count: count as u64, ..d }, x.as_ptr().cast()) }
        };
        let open = Domain { lo: 0.0, hi: 1.0, closed: 0, elem: 1, count: 0 };
        assert_eq!(first(open, &[0.5, 0.0]), 1);
        assert_eq!(first(Domain { closed: 1, ..open }, &[0.0, 0.5, 1.0]), 2);
        assert_eq!(first(Domain { closed: 3, ..open }, &[0.0, 1.0]), -1);
        assert_eq!(first(open, &[f64::NAN]), 0);
        let disk = Domain { lo: 0.0, hi: 5.0, closed: 3, elem: 3, count: 0 };
        assert_eq!(first(disk, &[3.0, 4.0, 3.0, 4.1]), 1);
    }
}
