//! Arrays that end where memory ends, full of special values: a lane too many is a crash, an operation that
//! takes NaN, −0, ∞ or a subnormal number for another is a difference.

use crate::strips::fuzz::{BASES, CYCLES, Memory, SUMS, back_ends, random, same};
use adc_ir::testing::{Rng, effort};
use adc_jit::strips::*;
use std::ptr;

/// Doubles that end at a page nobody may touch, in memory that processes share.
pub struct Guarded {
    map: *mut libc::c_void,
    size: usize,
    pub data: *mut f64,
}

impl Guarded {
    pub fn new(values: &[f64]) -> Guarded {
        // SAFETY: plain calls of the system; the page protected is the last of those mapped here.
        unsafe {
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let used = (8 * values.len()).next_multiple_of(page);
            let size = used + page;
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
            let map = libc::mmap(ptr::null_mut(), size, access, kind, -1, 0);
            assert!(map != libc::MAP_FAILED);
            assert_eq!(libc::mprotect(map.byte_add(used), page, libc::PROT_NONE), 0);
            let data = map.byte_add(used).cast::<f64>().sub(values.len());
            ptr::copy_nonoverlapping(values.as_ptr(), data, values.len());
            Guarded { map, size, data }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and nobody else knows of it.
        unsafe { libc::munmap(self.map, self.size) };
    }
}

pub fn special(rng: &mut Rng) -> f64 {
    let sign = rng.pick(&[1.0, -1.0]);
    let kinds =
        [f64::NAN, 0.0, f64::INFINITY, f64::from_bits(1), f64::MIN_POSITIVE / 4.0, 1.0, f64::MAX, 0.3];
    sign * rng.pick(&kinds)
}

/// How many elements each base needs: up to the last one any stream touches.
pub fn sizes(strip: &Strip, stride: i64, n: usize) -> Vec<usize> {
    let mut sizes = [vec![0; BASES], vec![PARTIALS; SUMS]].concat();
    // In loops a stream may go on a little.
    let far = if strip.loops() { 6 } else { 0 };
    for s in strip.streams.iter().filter(|s| s.step != Step::Own) {
        if s.step == Step::Cycle {
            sizes[s.base as usize] = CYCLES;
            continue;
        }
        let step = match s.step {
            Step::Unit => 1,
            Step::Const(k) => k as i64,
            Step::Scal(_) => stride,
            Step::Cycle | Step::Own => 0,
        };
        // The backward stream starts at element n.
        let start = s.off as i64 + if s.base == 1 { n as i64 } else { 0 };
        let far = if s.turns == [0; LEVELS] { 0 } else { far };
        let end = (start.max(start + step * (n as i64 - 1)) + 1 + far) as usize;
        sizes[s.base as usize] = sizes[s.base as usize].max(end);
    }
    sizes
}

#[test]
fn no_lane_too_many_and_special_values() {
    back_ends().iter_mut().for_each(|b| agrees(&mut **b));
}

fn agrees(back_end: &mut dyn StripBackend) {
    for seed in 1000..1000 + 80 * effort() as u64 {
        let mut rng = Rng::new(seed);
        let ops = rng.pick(&[6, 12, 25, 50, 100]);
        let strip = random(&mut rng, ops);
        if !back_end.supports(&strip) {
            continue;
        }
        let (meaning, code) = (Interp.compile(&strip).unwrap(), back_end.compile(&strip).unwrap());
        for n in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 25, 31, 33, 63, 65, 74] {
            let mut want = Memory::new(&mut rng, &strip, n, special);
            let stride = want.slots[1].to_bits() as i64;
            for (base, size) in want.bases.iter_mut().zip(sizes(&strip, stride, n)) {
                base.truncate(size);
            }
            let guarded: Vec<Guarded> = want.bases.iter().map(|b| Guarded::new(b)).collect();
            let mut pointers: Vec<*mut u8> = guarded.iter().map(|g| g.data.cast()).collect();
            pointers[1] = pointers[1].wrapping_add(8 * n);
            let mut slots = want.slots.clone();
            // SAFETY: as large as the streams need.
            let reached = unsafe { code.run(pointers.as_ptr(), slots.as_mut_ptr(), 0, n) };
            assert_eq!(want.run(&*meaning, 0, n), reached, "seed {seed}, n = {n}\n{strip}");
            for (g, base) in guarded.iter().zip(&want.bases) {
                // SAFETY: of that length, and nobody writes.
                let got = unsafe { std::slice::from_raw_parts(g.data, base.len()) };
                assert!(same(got, base), "seed {seed}, n = {n}\n{strip}");
            }
            assert!(same(&slots, &want.slots), "seed {seed}, n = {n}\n{strip}\n{slots:?}\n{:?}", want.slots);
        }
    }
}
