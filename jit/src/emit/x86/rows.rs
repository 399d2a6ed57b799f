//! Rows: elements side by side that are stored at a distance, as the rows of a matrix with lanes over its first axis. With AVX-512, eight
//! vectors are transposed and stored as eight rows, which takes half as long as storing their lanes one by one.

use super::encode::*;
use super::registers::Body;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// Elements of a row that are stored together: a vector.
const ROW: usize = 8;
/// Registers that must be there: the vectors, and what the transposition takes.
pub(super) const ROOM: usize = 18;

/// By the last store of eight side by side: all of them, from the first element on.
pub(super) type Rows = Vec<[V; ROW]>;

/// Which stores of a strip are of rows.
pub(super) fn rows(tier: X86, strip: &Strip, free: usize) -> Rows {
    if tier != X86::Avx512 || strip.loops() || free < ROOM {
        return Vec::new();
    }
    // What is read as well keeps its order.
    let place = |op: &SOp| match op {
        SOp::Store(s, _) => {
            let s = &strip.streams[*s as usize];
            match s.step {
                Step::Const(step) if s.access == Access::W && step >= ROW as i32 => {
                    Some((s.base, step, s.off))
                }
                _ => None,
            }
        }
        _ => None,
    };
    let all = strip.ops.iter().enumerate();
    let mut stores: Vec<(u8, i32, i32, V)> =
        all.filter_map(|(v, op)| place(op).map(|(base, step, off)| (base, step, off, v as V))).collect();
    stores.sort_unstable();
    if stores.windows(2).any(|w| (w[0].0, w[0].1, w[0].2) == (w[1].0, w[1].1, w[1].2)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(some) = stores.get(from..from + ROW) {
        let (base, step, off, _) = some[0];
        let next = |(k, s): (usize, &(u8, i32, i32, V))| (s.0, s.1, s.2) == (base, step, off + k as i32);
        if some.iter().enumerate().all(next) {
            found.push(std::array::from_fn(|k| some[k].3));
            from += ROW;
        } else {
            from += 1;
        }
    }
    found
}

impl Body<'_, '_> {
    /// The row that a store is of, if it is of one.
    pub fn row_of(&self, v: V) -> Option<[V; ROW]> {
        self.with.rows.iter().find(|row| row.contains(&v)).copied()
    }

    /// Stores what a row consists of, at the last of its stores.
    pub fn store_row(&mut self, row: [V; ROW]) {
        let parts = row.map(|v| match self.with.strip.ops[v as usize] {
            SOp::Store(s, x) => (s, x),
            _ => unreachable!("a row is of stores"),
        });
        if self.at().tail {
            parts.iter().for_each(|(s, x)| self.store(*s, *x));
        } else {
            self.store_transposed(parts);
        }
        parts.iter().for_each(|(_, x)| self.release(*x));
    }

    fn store_transposed(&mut self, parts: [(u16, V); ROW]) {
        let a = parts.map(|(_, x)| self.reg(x));
        let t: [Vreg; 6] = std::array::from_fn(|_| self.temporary());
        let stream = self.with.strip.streams[parts[0].0 as usize];
        let Step::Const(step) = stream.step else { unreachable!("rows are at a distance") };
        let (base, first) = self.first(&stream);
        let asm = self.asm();
        for (odd, of_two) in [EVEN, ODD].into_iter().enumerate() {
            let [u0, u1, u2, u3, x, y] = t;
            let pairs = |asm: &mut Assembler, to: Vreg, a: Vreg, b: Vreg, which: u8| {
                asm.vector(PAIRS, to, Some(a), Rm::Reg(b), Under::All, Some(which));
            };
            for (k, [low, high]) in [[u0, u1], [u2, u3]].into_iter().enumerate() {
                let of = &a[4 * k..4 * k + 4];
                asm.all(of_two, x, Some(of[0]), Rm::Reg(of[1]));
                asm.all(of_two, y, Some(of[2]), Rm::Reg(of[3]));
                // Pairs 0 and 1 of both; 2 and 3 of both.
                pairs(asm, low, x, y, 0b01_00_01_00);
                pairs(asm, high, x, y, 0b11_10_11_10);
            }
            for (k, [a, b]) in [[u0, u2], [u1, u3]].into_iter().enumerate() {
                // The first of each two pairs, and the second.
                for (half, which) in [0b10_00_10_00, 0b11_01_11_01].into_iter().enumerate() {
                    pairs(asm, x, a, b, which);
                    let lane = (4 * k + 2 * half + odd) as i32;
                    let mem = Mem::at(base, first + 8 * lane * step);
                    asm.all(STORE, x, None, Rm::Full(mem));
                }
            }
        }
    }
}
