//! Elements of streams: where they are, how they are read and written.

use super::encode::*;
use super::registers::{At, Body, Held};
use super::shared::*;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// Elements at most so far apart are taken out of whole vectors.
pub(super) const NEAR: i32 = 4;

impl Body<'_, '_> {
    /// The place of a stream's element in the turn at hand, so many bytes from a pointer; of an array of the elements' own, that of the
    /// vector at hand. `moved`: r15 holds a distance in bytes already.
    fn turned(&mut self, s: &Stream, moved: bool) -> (Gpr, i32) {
        let (base, unit, first) = match s.step {
            Step::Own => {
                let (vectors, bytes) = (self.ats.len(), self.tier().bytes());
                let first = self.with.own(s.base, vectors) + bytes * self.vector as i32;
                (RSP, bytes * vectors as i32, first)
            }
            _ => (self.with.base(s.base as u16), 8, 0),
        };
        let disp = first + unit * s.off;
        if s.turns == [0, 0] && !moved {
            return (base, disp);
        }
        let base_or_frame = (s.step != Step::Own).then_some(s.base as u16);
        let place = Held::Moved { base: base_or_frame, by: s.turns.map(|by| unit * by) };
        if !moved && self.held == Some(place) {
            return (R15, disp);
        }
        self.held = (!moved).then_some(place);
        let asm = &mut self.with.asm;
        match s.turns {
            [outer, inner] if !moved && inner != 0 && outer % inner == 0 => {
                if outer != 0 {
                    asm.mul_imm(R15, TURNS[0], outer / inner);
                    asm.add(R15, TURNS[1]);
                    asm.mul_imm(R15, R15, unit * inner);
                } else {
                    asm.mul_imm(R15, TURNS[1], unit * inner);
                }
            }
            turns => {
                let mut moved = moved;
                for (level, by) in turns.iter().enumerate().filter(|(_, by)| **by != 0) {
                    if moved {
                        // All other registers are in use.
                        asm.push(TURNS[level]);
                        asm.mul_imm(TURNS[level], TURNS[level], unit * by);
                        asm.add(R15, TURNS[level]);
                        asm.pop(TURNS[level]);
                    } else {
                        asm.mul_imm(R15, TURNS[level], unit * by);
                    }
                    moved = true;
                }
            }
        }
        asm.add(R15, base);
        (R15, disp)
    }

    /// Elements one after the other.
    pub fn unit(&mut self, s: &Stream) -> Mem {
        let ahead = self.at().ahead as i32;
        let (base, disp) = self.turned(s, false);
        Mem::At { base, index: Some(ELEMENT), disp: disp + 8 * ahead }
    }

    /// The same element for all lanes, or those of the lanes' own arrays.
    pub fn fixed(&mut self, s: &Stream) -> Mem {
        let (base, disp) = self.turned(s, false);
        Mem::at(base, disp)
    }

    /// The element at hand.
    fn only(&mut self, s: &Stream) -> Mem {
        match s.step {
            Step::Unit => self.unit(s),
            Step::Const(0) => self.fixed(s),
            Step::Const(_) | Step::Scal(_) | Step::Cycle | Step::Own => {
                let (base, disp) = self.first(s);
                Mem::at(base, disp)
            }
        }
    }

    /// The elements of a cycle.
    fn cycle(&mut self, s: &Stream) -> Mem {
        let At { ahead, main, .. } = self.at();
        let lanes = self.tier().lanes();
        if lanes == CYCLE as i64 {
            return self.fixed(s);
        }
        // Half of them. In the main loop, the first element is the first of a cycle.
        if main {
            let (base, disp) = self.turned(s, false);
            return Mem::at(base, disp + 8 * (ahead % CYCLE as i64) as i32);
        }
        let asm = self.asm();
        asm.address(R15, Mem::at(ELEMENT, ahead as i32));
        asm.and_imm(R15, lanes as i8);
        asm.shift_left(R15, 3);
        let (base, disp) = self.turned(s, true);
        Mem::at(base, disp)
    }

    /// With AVX-512: elements at a distance, for a gather or scatter under [`SCRATCH`]: their places. The index is in a temporary register.
    fn places(&mut self, s: &Stream) -> Mem {
        let index = self.temporary();
        let (base, disp) = self.first(s);
        let lanes = |step: i64| (0..8i64).flat_map(|l| (l * step).to_le_bytes()).collect::<Vec<u8>>();
        let asm = self.asm();
        let places = asm.constant(&lanes(if let Step::Const(step) = s.step { step as i64 } else { 1 }));
        asm.all(LOAD, index, None, Rm::Full(places));
        if let Step::Scal(slot) = s.step {
            let stride = Rm::Broadcast(Mem::at(SLOTS, 8 * slot as i32));
            asm.all(MUL_INT, index, Some(index), stride);
        }
        asm.mask_move(SCRATCH, ACTIVE);
        Mem::Lanes { base, index, disp }
    }

    /// The first of elements at a distance.
    pub fn first(&mut self, s: &Stream) -> (Gpr, i32) {
        let ahead = self.at().ahead as i32;
        let asm = self.asm();
        let disp = match s.step {
            Step::Scal(slot) => {
                asm.address(R15, Mem::at(ELEMENT, ahead));
                asm.load(RAX, Mem::at(SLOTS, 8 * slot as i32));
                asm.mul(R15, RAX);
                asm.shift_left(R15, 3);
                0
            }
            Step::Unit | Step::Const(_) | Step::Cycle | Step::Own => {
                let step = if let Step::Const(step) = s.step { step } else { 1 };
                asm.mul_imm(R15, ELEMENT, 8 * step);
                8 * ahead * step
            }
        };
        let (base, first) = self.turned(s, true);
        (base, disp + first)
    }

    /// The places of all lanes of elements at a distance, one after the other: gathers and scatters take several times as long.
    fn each(&mut self, s: &Stream, mut visit: impl FnMut(&mut Assembler, usize, Mem)) {
        let (base, first) = self.first(s);
        let asm = self.asm();
        if let Step::Scal(slot) = s.step {
            asm.load(RAX, Mem::at(SLOTS, 8 * slot as i32));
            asm.shift_left(RAX, 3);
        }
        for lane in 0..asm.tier.lanes() as usize {
            match s.step {
                Step::Scal(_) => {
                    visit(asm, lane, Mem::at(base, first));
                    asm.add(base, RAX);
                }
                Step::Const(step) => visit(asm, lane, Mem::at(base, first + 8 * lane as i32 * step)),
                Step::Unit | Step::Cycle | Step::Own => {
                    visit(asm, lane, Mem::at(base, first + 8 * lane as i32));
                }
            }
        }
    }

    pub fn load(&mut self, s: u16, to: Vreg) {
        let (tail, unmasked) = (self.at().tail, self.is_read_whole(s));
        let s = self.with.strip.streams[s as usize];
        if self.with.strip.serial && s.step != Step::Own {
            let mem = self.only(&s);
            return self.asm().all(BROADCAST, to, None, Rm::Full(mem));
        }
        match s.step {
            Step::Unit if !unmasked => {
                let active = self.active();
                let mem = Rm::Full(self.unit(&s));
                let asm = self.asm();
                match asm.tier {
                    X86::Avx512 => asm.vector(LOAD, to, None, mem, Under::Zero(active), None),
                    X86::Avx2 => asm.all(MASK_LOAD, to, Some(Vreg(active.0)), mem),
                }
            }
            Step::Unit => {
                let mem = self.unit(&s);
                self.asm().all(LOAD, to, None, Rm::Full(mem));
            }
            Step::Cycle | Step::Own => {
                let mem = self.fixed(&s);
                self.asm().all(LOAD, to, None, Rm::Full(mem));
            }
            Step::Const(0) => {
                let mem = self.fixed(&s);
                self.asm().all(BROADCAST, to, None, Rm::Full(mem));
            }
            Step::Const(_) | Step::Scal(_) => match (self.tier(), tail) {
                (X86::Avx512, true) => {
                    let mem = self.places(&s);
                    self.asm().vector(GATHER, to, None, Rm::Full(mem), Under::Merge(SCRATCH), None);
                }
                (X86::Avx512, false) if matches!(s.step, Step::Const(2..=NEAR)) => self.load_near(&s, to),
                (X86::Avx512, false) => {
                    let two = [to, self.temporary(), self.temporary(), self.temporary()];
                    self.load_each(&s, &two);
                    for (op, to, from) in [(INSERT_TWO, 0, 1), (INSERT_TWO, 2, 3), (INSERT_FOUR, 0, 2)] {
                        let (to, from) = (two[to], Rm::Reg(two[from]));
                        self.asm().vector(op, to, Some(to), from, Under::All, Some(1));
                    }
                }
                (X86::Avx2, true) => {
                    let zero = Rm::Reg(to);
                    let whole = self.with.apart(0);
                    self.asm().all(XOR, to, Some(to), zero);
                    self.asm().all(STORE, to, None, Rm::Full(whole));
                    self.each_active(&s, |asm, mem, part| {
                        asm.all(LOAD_LOW, to, None, Rm::Full(mem));
                        asm.all(STORE_LOW, to, None, Rm::Full(part));
                    });
                    self.asm().all(LOAD, to, None, Rm::Full(whole));
                }
                (X86::Avx2, false) if self.with.strip.is_part(&s) => self.load_part(&s, to),
                (X86::Avx2, false) => {
                    let two = [to, self.temporary()];
                    self.load_each(&s, &two);
                    self.asm().vector(INSERT_TWO, to, Some(to), Rm::Reg(two[1]), Under::All, Some(1));
                }
            },
        }
    }

    /// With AVX-512: elements that are near each other, out of all that lie between the first and the last of them.
    fn load_near(&mut self, s: &Stream, to: Vreg) {
        let Step::Const(step) = s.step else { unreachable!("others are at no fixed distance") };
        let (lanes, step) = (self.tier().lanes() as i32, step);
        let order = self.temporary();
        let (base, first) = self.first(s);
        let asm = self.asm();
        asm.all(LOAD, to, None, Rm::Full(Mem::at(base, first)));
        for part in 1..step {
            // The last vector ends with the last element.
            let start = (part * lanes).min((lanes - 1) * (step - 1));
            // Where each lane comes from: what is there, or the new vector, which counts from 8.
            let from = |lane: i32| {
                let at = lane * step;
                match at - start {
                    new @ 0..8 if at >= part * lanes => lanes + new,
                    _ if part == 1 => at % lanes,
                    _ => lane,
                }
            };
            let lanes: Vec<u8> = (0..lanes).flat_map(|lane| (from(lane) as i64).to_le_bytes()).collect();
            let places = asm.constant(&lanes);
            asm.all(LOAD, order, None, Rm::Full(places));
            let rest = Rm::Full(Mem::at(base, first + 8 * start));
            asm.all(PERMUTE_TWO, to, Some(order), rest);
        }
    }

    /// With AVX2: the real or the imaginary parts, out of all complex numbers.
    fn load_part(&mut self, s: &Stream, to: Vreg) {
        let bytes = self.tier().bytes();
        let rest = self.temporary();
        let part = s.off.rem_euclid(2);
        let (base, first) = self.first(&Stream { off: s.off - part, ..*s });
        let asm = self.asm();
        asm.all(LOAD, to, None, Rm::Full(Mem::at(base, first)));
        asm.all(LOAD, rest, None, Rm::Full(Mem::at(base, first + bytes)));
        asm.all(if part == 0 { EVEN } else { ODD }, to, Some(to), Rm::Reg(rest));
        asm.vector(PERMUTE, to, None, Rm::Reg(to), Under::All, Some(0b_11_01_10_00));
    }

    /// Two lanes into each of some registers.
    fn load_each(&mut self, s: &Stream, two: &[Vreg]) {
        self.each(s, |asm, lane, mem| {
            let to = two[lane / 2];
            match lane % 2 {
                0 => asm.all(LOAD_LOW, to, None, Rm::Full(mem)),
                _ => asm.all(LOAD_HIGH, to, Some(to), Rm::Full(mem)),
            }
        });
    }

    /// With AVX2, in a tail: the lanes that are elements, with their places and those of the vector that is taken apart.
    fn each_active(&mut self, s: &Stream, mut visit: impl FnMut(&mut Assembler, Mem, Mem)) {
        let lanes = self.tier().lanes() as usize;
        let parts: Vec<(Mem, Mem)> =
            (0..lanes).map(|lane| (self.with.active(lane), self.with.apart(lane))).collect();
        self.each(s, |asm, lane, mem| {
            let over = asm.label();
            asm.cmp_zero(parts[lane].0);
            asm.jump(Jump::Equal, over);
            visit(asm, mem, parts[lane].1);
            asm.here(over);
        });
    }

    pub fn store(&mut self, s: u16, x: V) {
        let unmasked = self.is_written_whole(s);
        let s = self.with.strip.streams[s as usize];
        let from = self.reg(x);
        if self.with.strip.serial && s.step != Step::Own {
            let mem = self.only(&s);
            self.asm().all(STORE_LOW, from, None, Rm::Full(mem));
        } else if s.step == Step::Unit {
            let active = (!unmasked).then(|| self.active());
            let mem = self.unit(&s);
            self.write_under(mem, from, active);
        } else if s.step == Step::Own {
            let mem = self.fixed(&s);
            self.asm().all(STORE, from, None, Rm::Full(mem));
        } else if !self.at().tail {
            let part = self.temporary();
            self.each(&s, |asm, lane, mem| {
                let two = if lane < 2 { from } else { part };
                if lane % 2 == 0 && lane > 0 {
                    let lanes = Some(lane as u8 / 2);
                    asm.vector(EXTRACT_TWO, from, None, Rm::Reg(part), Under::All, lanes);
                }
                asm.all(if lane % 2 == 0 { STORE_LOW } else { STORE_HIGH }, two, None, Rm::Full(mem));
            });
        } else if self.tier() == X86::Avx512 {
            let mem = self.places(&s);
            self.asm().vector(SCATTER, from, None, Rm::Full(mem), Under::Merge(SCRATCH), None);
        } else {
            let (one, whole) = (self.temporary(), self.with.apart(0));
            self.asm().all(STORE, from, None, Rm::Full(whole));
            self.each_active(&s, |asm, mem, part| {
                asm.all(LOAD_LOW, one, None, Rm::Full(part));
                asm.all(STORE_LOW, one, None, Rm::Full(mem));
            });
        }
    }

    /// A vector into memory; of a tail, the lanes of the mask.
    pub fn write_under(&mut self, mem: Mem, from: Vreg, active: Option<Mask>) {
        let (asm, mem) = (self.asm(), Rm::Full(mem));
        match (asm.tier, active) {
            (_, None) => asm.all(STORE, from, None, mem),
            (X86::Avx512, Some(m)) => asm.vector(STORE, from, None, mem, Under::Merge(m), None),
            (X86::Avx2, Some(m)) => asm.all(MASK_STORE, from, Some(Vreg(m.0)), mem),
        }
    }

    /// Adds all vectors to the elements of a cycle.
    pub fn add_to_cycle(&mut self, v: usize, s: u16, x: V) {
        let stream = self.with.strip.streams[s as usize];
        // Vectors with the same places, one after the other.
        let apart = CYCLE / self.tier().lanes() as usize;
        for first in 0..apart.min(self.ats.len()) {
            self.begin(v, self.ats.len() - 1);
            let t = self.temporary();
            self.vector = first;
            // Operands may need the register of the place.
            let place = Rm::Full(self.cycle(&stream));
            self.asm().all(LOAD, t, None, place);
            for k in (first..self.ats.len()).step_by(apart) {
                self.vector = k;
                let rm = self.rm(x);
                match (self.tier(), self.at().tail) {
                    (_, false) => self.asm().all(ADD, t, Some(t), rm),
                    (X86::Avx512, true) => {
                        self.asm().vector(ADD, t, Some(t), rm, Under::Merge(ACTIVE), None);
                    }
                    (X86::Avx2, true) => {
                        let (sum, active) = (self.temporary(), self.active());
                        self.asm().all(ADD, sum, Some(t), rm);
                        self.asm().blend(t, t, Rm::Reg(sum), active);
                    }
                }
            }
            self.vector = first;
            let place = Rm::Full(self.cycle(&stream));
            self.asm().all(STORE, t, None, place);
        }
        for k in 0..self.ats.len() {
            self.vector = k;
            self.release(x);
        }
    }
}
