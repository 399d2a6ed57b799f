//! Tables of functions: rows of numbers, of which each lane says one. A row is loaded as a whole, and the rows of all lanes are transposed:
//! gathers of the columns, one by one, take half as long again, or twice as long (measured on Zen 4).

use super::encode::*;
use super::registers::Body;
use super::rows::COLUMNS;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

impl Body<'_, '_> {
    /// The numbers of a column, with those of other columns of the same rows that are needed later.
    pub fn entry(&mut self, v: V, column: Column, a: V) {
        // It may have come with another column.
        if self.is_kept(v) {
            return;
        }
        let table = column.table();
        let of: [Option<V>; COLUMNS] =
            std::array::from_fn(|k| self.same_rows(v, SOp::Entry(*table.get(k)?, a)));
        let a = self.reg(a);
        // All lanes, wherever the code computes in half a vector.
        let half = std::mem::take(&mut self.asm().half);
        let spill = self.new_spill();
        let places = self.put_places(a, row_width(table), spill);
        self.asm().address(RAX, Mem::Table(table[0]));
        let row = move |asm: &mut Assembler, lane: usize| {
            asm.load(R15, Mem::at(RSP, places + 8 * lane as i32));
            Mem::At { base: RAX, index: Some(R15), disp: 0 }
        };
        match (self.tier(), of) {
            (X86::Avx512, [first, second, None, None]) => self.two_columns([first, second], row),
            (X86::Avx512, of) => self.columns_of(of, row),
            (X86::Avx2, [first, second, third, fourth]) => {
                self.two_columns([first, second], row);
                self.two_columns([third, fourth], |asm, lane| row(asm, lane).behind(16));
            }
        }
        self.asm().half = half;
        self.with.spills[spill as usize] = false;
        // What r15 held before.
        self.held = None;
    }

    /// The operation itself if it is this one, or the next one like it in the same turn, if it is needed and not there yet.
    fn same_rows(&self, v: V, entry: SOp) -> Option<V> {
        let later = self.with.strip.ops[v as usize..].iter().zip(v..);
        let mut turn = later.take_while(|(op, _)| !matches!(op, SOp::Loop(_) | SOp::End));
        let w = turn.find(|(op, _)| **op == entry)?.1;
        let other = || self.next_use(w).is_some() && !self.is_kept(w) && !self.with.carries.contains_key(&w);
        (w == v || other()).then_some(w)
    }

    /// Puts the places of rows of so many numbers into memory, as indices of numbers, one lane's after the other: how far from rsp.
    fn put_places(&mut self, a: Vreg, width: usize, spill: u32) -> i32 {
        let index = self.temporary();
        let by = width.ilog2();
        let last = self.with.bits((ROWS - 1) << by);
        let mem = self.with.spilled(spill);
        let asm = self.asm();
        asm.shift(index, a, by as u8);
        asm.all(AND, index, Some(index), last);
        asm.all(STORE, index, None, Rm::Full(mem));
        let Mem::At { disp, .. } = mem else { unreachable!("spilled values are on the stack") };
        disp
    }

    /// Columns of rows of two numbers, which begin where `row` says: those that are values.
    fn two_columns(&mut self, of: [Option<V>; 2], row: impl Fn(&mut Assembler, usize) -> Mem) {
        if of == [None; 2] {
            return;
        }
        let [even, odd] = [(); 2].map(|()| self.temporary());
        let asm = self.asm();
        for lane in 0..asm.tier.lanes() as usize {
            let to = [even, odd][lane % 2];
            let mem = Rm::Full(row(asm, lane));
            match lane / 2 {
                0 => asm.all(LOAD_TWO, to, None, mem),
                pair => asm.vector(INSERT_TWO, to, Some(to), mem, Under::All, Some(pair as u8)),
            }
        }
        let first = if of[1].is_some() { self.temporary() } else { even };
        for (v, op, to) in [(of[0], EVEN, first), (of[1], ODD, odd)] {
            if let Some(v) = v {
                self.asm().all(op, to, Some(even), Rm::Reg(odd));
                self.hold(v, to);
            }
        }
    }
}
