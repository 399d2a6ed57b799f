//! Rows: elements side by side that are stored at a distance, as the rows of a matrix with lanes over its first axis, or the parts of complex
//! numbers. With AVX-512, eight vectors are transposed and stored as eight rows; two that fill the memory between them are stored one lane
//! of each in turn. That takes half as long as storing lanes one by one, or less. Four elements side by side are loaded as eight rows of
//! four and transposed: three operations a vector where elements one by one take seven.

use super::encode::*;
use super::registers::Body;
use super::streams::NEAR;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// Elements of a row that are stored together: a vector.
pub(super) const ROW: usize = 8;
/// The parts of a complex number.
const PARTS: usize = 2;
/// Registers that must be there for a row: the vectors, and what the transposition takes.
pub(super) const ROOM: usize = 18;

/// Elements side by side that are loaded together, and how many of them are wanted, at least.
pub(super) const COLUMNS: usize = 4;
const WANTED: usize = 3;

/// Of two vectors ([`PAIRS`]): the first of each two pairs, and the second.
const EVERY_OTHER_PAIR: [u8; 2] = [0b10_00_10_00, 0b11_01_11_01];

/// By the last store of eight side by side, or of two: all of them, from the first element on.
pub(super) type Rows = Vec<Vec<V>>;

/// Which stores of a strip are of rows.
pub(super) fn rows(tier: X86, strip: &Strip, free: usize) -> Rows {
    if strip.loops() {
        return Vec::new();
    }
    let changing = |s: u16| strip.streams[s as usize].access == Access::RW;
    // What is read as well keeps its order.
    let place = |op: &SOp| match *op {
        SOp::Store(k, _) => {
            let s = &strip.streams[k as usize];
            match s.step {
                Step::Const(step) if step as usize == PARTS || !changing(k) => Some((s.base, step, s.off)),
                _ => None,
            }
        }
        _ => None,
    };
    // The parts of a complex number are stored together if nothing that changes is read in between.
    let read = |op: &SOp| matches!(*op, SOp::Load(s) if changing(s));
    let at_once = |some: &&[(u8, i32, i32, V)]| {
        let (a, b) = (some[0].3.min(some[1].3), some[0].3.max(some[1].3));
        !strip.ops[a as usize..b as usize].iter().any(read)
    };
    let all = strip.ops.iter().enumerate();
    let mut stores: Vec<(u8, i32, i32, V)> =
        all.filter_map(|(v, op)| place(op).map(|(base, step, off)| (base, step, off, v as V))).collect();
    stores.sort_unstable();
    if stores.windows(2).any(|w| (w[0].0, w[0].1, w[0].2) == (w[1].0, w[1].1, w[1].2)) {
        return Vec::new();
    }
    let wide = tier == X86::Avx512 && free >= ROOM;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((base, step, off, _)) = stores.get(from).copied() {
        let side_by_side = |n: usize| {
            let next = |(k, s): (usize, &(u8, i32, i32, V))| (s.0, s.1, s.2) == (base, step, off + k as i32);
            stores.get(from..from + n).filter(|some| some.iter().enumerate().all(next))
        };
        let row = match step as usize {
            PARTS => side_by_side(PARTS).filter(at_once),
            ROW.. if wide && step > 0 => side_by_side(ROW),
            _ => None,
        };
        found.extend(row.map(|some| some.iter().map(|s| s.3).collect()));
        from += row.map_or(1, |some| some.len());
    }
    found
}

/// Loads of elements side by side, with AVX-512: all that come between the same beginnings and ends of loops, by four. Some are in two
/// of these.
pub(super) fn columns(tier: X86, strip: &Strip) -> Vec<[V; COLUMNS]> {
    let mut found = Vec::new();
    if tier != X86::Avx512 {
        return found;
    }
    let mut begun = 0;
    let mut loads = Vec::new();
    for (v, op) in strip.ops.iter().enumerate() {
        match *op {
            SOp::Loop(_) | SOp::End => begun += 1,
            SOp::Load(k) => {
                let s = &strip.streams[k as usize];
                match s.step {
                    Step::Const(step) if step > NEAR && s.access == Access::R => {
                        loads.push(((begun, s.base, step, s.turns), s.off, v as V));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    loads.sort_unstable();
    loads.dedup_by_key(|(of, off, _)| (*of, *off));
    for near in loads.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
        let mut from = 0;
        while near.len() >= COLUMNS && near.len() - from >= WANTED {
            let four = &near[from.min(near.len() - COLUMNS)..][..COLUMNS];
            found.push(std::array::from_fn(|k| four[k].2));
            from = (from + COLUMNS).min(near.len());
        }
    }
    found
}

impl Body<'_, '_> {
    /// Loads what is side by side with an element in memory, and that; whether there is enough of it.
    pub fn load_columns(&mut self, v: V) -> bool {
        let wanted = |b: &Self, x: V| b.next_use(x).is_some() && !b.is_kept(x);
        let fits = |four: &&[V; COLUMNS]| {
            four.contains(&v) && four.iter().filter(|x| wanted(self, **x)).count() >= WANTED
        };
        let Some(four) = self.with.columns.iter().find(fits).copied().filter(|_| !self.at().tail) else {
            return false;
        };
        let SOp::Load(s) = self.with.strip.ops[four[0] as usize] else { unreachable!("columns are loaded") };
        let stream = self.with.strip.streams[s as usize];
        let Step::Const(step) = stream.step else { unreachable!("columns are of rows at a distance") };
        let (base, first) = self.first(&stream);
        let of = four.map(|x| Some(x).filter(|x| wanted(self, *x)));
        self.columns_of(of, |_, row| Mem::at(base, first + 8 * row as i32 * step));
        true
    }

    /// Columns of eight rows of four numbers: those that are values.
    pub fn columns_of(
        &mut self,
        of: [Option<V>; COLUMNS],
        mut row: impl FnMut(&mut Assembler, usize) -> Mem,
    ) {
        let [a, b, c, d, e]: [Vreg; 5] = std::array::from_fn(|_| self.temporary());
        let asm = self.asm();
        // Rows 0 and 2, 1 and 3, 4 and 6, 5 and 7.
        for (r, first) in [(a, 0), (b, 1), (c, 4), (d, 5)] {
            let low = row(asm, first);
            asm.all(BROADCAST_FOUR, r, None, Rm::Full(low));
            let high = row(asm, first + 2);
            asm.vector(INSERT_FOUR, r, Some(r), Rm::Full(high), Under::All, Some(1));
        }
        // Of four rows, a pair of each two: elements 0, 2, 0 and 2; and 1, 3, 1 and 3.
        asm.all(EVEN, e, Some(a), Rm::Reg(b));
        asm.all(ODD, a, Some(a), Rm::Reg(b));
        asm.all(EVEN, b, Some(c), Rm::Reg(d));
        asm.all(ODD, c, Some(c), Rm::Reg(d));
        let columns = [(0, d, [e, b]), (2, e, [e, b]), (1, b, [a, c]), (3, a, [a, c])];
        for (k, to, [x, y]) in columns {
            if let Some(v) = of[k] {
                self.asm().vector(PAIRS, to, Some(x), Rm::Reg(y), Under::All, Some(EVERY_OTHER_PAIR[k / 2]));
                self.hold(v, to);
            }
        }
    }

    /// The row that a store is of, if it is of one.
    pub fn row_of(&self, v: V) -> Option<Vec<V>> {
        self.with.rows.iter().find(|row| row.contains(&v)).cloned()
    }

    /// Stores what a row consists of, at the last of its stores.
    pub fn store_row(&mut self, row: &[V]) {
        let part = |v: &V| match self.with.strip.ops[*v as usize] {
            SOp::Store(s, x) => (s, x),
            _ => unreachable!("a row is of stores"),
        };
        let parts: Vec<(u16, V)> = row.iter().map(part).collect();
        match (self.at().tail, &parts[..]) {
            (false, [re, im]) => self.store_in_turn(re.0, [re.1, im.1]),
            (false, eight) => self.store_transposed(eight.try_into().expect("rows have two or eight")),
            (true, parts) => parts.iter().for_each(|(s, x)| self.store(*s, *x)),
        }
        parts.iter().for_each(|(_, x)| self.release(*x));
    }

    /// Stores the lanes of two vectors in turn, the first one's at the elements of the stream.
    fn store_in_turn(&mut self, s: u16, x: [V; PARTS]) {
        let [a, b] = x.map(|x| self.reg(x));
        let [s0, s1] = [(); 2].map(|()| self.temporary());
        let stream = self.with.strip.streams[s as usize];
        let (base, first) = self.first(&stream);
        let (lanes, bytes) = (self.tier().lanes(), self.tier().bytes());
        let asm = self.asm();
        match asm.tier {
            X86::Avx512 => {
                for half in 0..2 {
                    let order = |k: i64| half * lanes / 2 + k / 2 + k % 2 * lanes;
                    let order: Vec<u8> = (0..lanes).flat_map(|k| order(k).to_le_bytes()).collect();
                    let order = asm.constant(&order);
                    asm.all(LOAD, s1, None, Rm::Full(order));
                    asm.all(MOVE, s0, None, Rm::Reg(a));
                    asm.all(PERMUTE_TWO, s0, Some(s1), Rm::Reg(b));
                    asm.all(STORE, s0, None, Rm::Full(Mem::at(base, first + half as i32 * bytes)));
                }
            }
            X86::Avx2 => {
                let [even, odd] = [s0, s1];
                asm.all(EVEN, even, Some(a), Rm::Reg(b));
                asm.all(ODD, odd, Some(a), Rm::Reg(b));
                let half = self.temporary();
                let asm = self.asm();
                asm.vector(INSERT_TWO, half, Some(even), Rm::Reg(odd), Under::All, Some(1));
                asm.all(STORE, half, None, Rm::Full(Mem::at(base, first)));
                asm.vector(EXTRACT_TWO, even, None, Rm::Reg(half), Under::All, Some(1));
                asm.vector(BLEND_LANES, half, Some(odd), Rm::Reg(half), Under::All, Some(0b0011));
                asm.all(STORE, half, None, Rm::Full(Mem::at(base, first + bytes)));
            }
        }
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
                for (half, which) in EVERY_OTHER_PAIR.into_iter().enumerate() {
                    pairs(asm, x, a, b, which);
                    let lane = (4 * k + 2 * half + odd) as i32;
                    let mem = Mem::at(base, first + 8 * lane * step);
                    asm.all(STORE, x, None, Rm::Full(mem));
                }
            }
        }
    }
}
