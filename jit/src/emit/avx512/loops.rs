//! The loops around the body: one vector, two one after the other, or some together, then what is left under a mask; exits; what is
//! reduced.

use super::Avx512;
use super::body::{ACTIVE, At, BASES, Body, ELEMENT, END, LANES, SAVED, SLOTS, Shared, extreme};
use super::encode::*;
use crate::lower::strips::*;

/// Numbers that an element has for itself, at most: so many vectors of each are on the stack.
const OWN: usize = 512;
/// Most registers for what is reduced.
const PINNED: usize = 8;
/// Registers that are kept for the caller, behind the frame pointer.
const SAVED_GPRS: [Gpr; 5] = [BASES, SLOTS, ELEMENT, END, R15];

/// Registers a reduction keeps through the loop, for each of the two vectors.
type Pinned = Vec<Option<[Zmm; 2]>>;

/// Bytes of a page of memory, of which the one below the stack is guarded.
const PAGE: i32 = 4096;

/// The machine code of a strip, and where the addresses of the native functions are in it; or the distances to them, if it calls them
/// directly.
pub(super) fn code(
    strip: &Strip,
    natives: &[(Callee, usize)],
    direct: bool,
) -> (MachineCode, Vec<(usize, Callee)>) {
    let natives = (natives, direct);
    let mut made = None;
    for together in togethers(strip) {
        let new = code_for(strip, natives, together, 0);
        // What is spilled in every turn costs more than vectors wait for each other.
        let fits = new.spilled_inside == 0 || together == 1;
        made = Some((together, new));
        if fits {
            break;
        }
    }
    let (together, made) = made.expect("one vector at a time is always possible");
    if made.frame < PAGE {
        return (made.code, made.places);
    }
    // How many values are spilled is known afterwards.
    let Made { code, places, .. } = code_for(strip, natives, together, made.frame);
    (code, places)
}

/// How many vectors may go through loops inside together: more hide how long an operation takes, if there are registers for them.
fn togethers(strip: &Strip) -> Vec<usize> {
    let one = !strip.loops() || strip.exits() || !strip.adds_once();
    let strided = Avx512::is_slow_under_masks(strip);
    let fits = |n: &usize| carried(strip) * n <= room(strip) && (*n <= 2 || !strided);
    let many = [4, 2].into_iter().filter(fits).filter(|n| own(strip) * n <= OWN);
    many.filter(|_| !one).chain([1]).collect()
}

/// Registers for what loops inside carry.
fn room(strip: &Strip) -> usize {
    (pin(strip).1 as usize).saturating_sub(super::body::COMPUTING as usize)
}

/// Numbers that loops inside one another carry, at most; those that become one another take registers, too.
fn carried(strip: &Strip) -> usize {
    let (mut open, mut most) = (Vec::new(), 0);
    for op in &strip.ops {
        match *op {
            SOp::Loop(_) => open.push(0),
            SOp::Carried(_) => *open.last_mut().expect("checked strips are well formed") += 1,
            SOp::Next(_, x) if matches!(strip.ops[x as usize], SOp::Carried(_)) => {
                *open.last_mut().expect("checked strips are well formed") += 1;
            }
            SOp::End => {
                most = most.max(open.iter().sum::<usize>());
                open.pop();
            }
            _ => {}
        }
    }
    most
}

/// Elements of arrays of the elements' own.
fn own(strip: &Strip) -> usize {
    strip.own.iter().map(|n| *n as usize).sum()
}

/// The code of a strip.
struct Made {
    frame: i32,
    spilled_inside: u32,
    code: MachineCode,
    places: Vec<(usize, Callee)>,
}

/// The same for so many vectors together; all pages of `frame` bytes are touched in order, so that none steps over the stack's guard
/// page.
fn code_for(
    strip: &Strip,
    (natives, direct): (&[(Callee, usize)], bool),
    together: usize,
    frame: i32,
) -> Made {
    let (pinned, free) = pin(strip);
    let saved = if natives.is_empty() { 0 } else { SAVED };
    let mut with = Shared::new(strip, 0..free, saved, together);
    let mut places = Vec::new();
    for (f, _) in natives.iter().filter(|_| !direct) {
        let offset = with.asm.reserve_address();
        with.natives.insert(*f, Mem::Pool(offset));
        places.push((offset as usize, *f));
    }
    // Of two vectors each has its own partial sums.
    let vectors = if pinned.iter().any(Option::is_some) { together.max(2) } else { together };
    let mut l = Loops { with, pinned, vectors: vectors as i32, together };
    l.emit(frame);
    let (frame, spilled_inside) = (l.with.frame(), l.with.spilled_inside);
    let direct = std::mem::take(&mut l.with.direct);
    let code = l.with.asm.finish();
    let start = code.constants;
    let places = places.into_iter().map(|(at, f)| (start + at, f)).chain(direct).collect();
    Made { frame, spilled_inside, code, places }
}

/// Which registers reductions get, from the last one down, and how many are left. Few sums are in registers, many in memory.
fn pin(strip: &Strip) -> (Pinned, u8) {
    let sums = strip.reds.iter().filter(|r| r.op == RedOp::Sum).count();
    let mut free = 32;
    let mut pinned = Vec::new();
    for red in &strip.reds {
        let kept = red.op != RedOp::Sum || 2 * sums <= PINNED;
        pinned.push(kept.then(|| {
            free -= 2;
            [Zmm(free), Zmm(free + 1)]
        }));
    }
    (pinned, free)
}

/// Whether there are registers enough for what is reduced and what loops carry, and room on the stack for what elements have for themselves.
pub(super) fn fits(strip: &Strip) -> bool {
    strip.reds.iter().filter(|r| r.op != RedOp::Sum).count() <= PINNED / 2
        && carried(strip) <= room(strip)
        && own(strip) <= OWN
}

struct Loops<'s> {
    with: Shared<'s>,
    pinned: Pinned,
    /// Vectors of an iteration of the main loop.
    vectors: i32,
    /// Those that are computed together.
    together: usize,
}

impl Loops<'_> {
    fn emit(&mut self, touched: i32) {
        let strip = self.with.strip;
        let bases = strip.bases();
        let asm = &mut self.with.asm;
        let [main, flush, tail, done, out] = [(); 5].map(|()| asm.label());
        asm.push(RBP);
        asm.copy(RBP, RSP);
        SAVED_GPRS.iter().for_each(|r| asm.push(*r));
        asm.sub_imm(RSP, 0);
        let frame = asm.code.len() - 4;
        asm.and_imm(RSP, -64);
        for page in 1..=touched / PAGE {
            asm.store(Mem::at(RBP, -PAGE * page), RAX);
        }
        let [table, slots, from, to] = [Gpr(7), Gpr(6), Gpr(2), Gpr(1)];
        for (to, from) in [(BASES, table), (SLOTS, slots), (ELEMENT, from), (END, to)] {
            asm.copy(to, from);
        }
        asm.cmp(ELEMENT, END);
        asm.jump(Jump::AboveOrEqual, out);
        self.with.load_bases(bases);
        self.begin();
        let asm = &mut self.with.asm;
        let step = self.vectors * LANES as i32;
        asm.address(RAX, Mem::at(ELEMENT, step));
        asm.cmp(RAX, END);
        asm.jump(Jump::Above, tail);
        self.partials(LOAD);
        self.with.asm.here(main);
        let mut exits = Vec::new();
        for first in (0..self.vectors as i64).step_by(self.together) {
            let at = |k: i64| At { ahead: (first + k) * LANES, tail: false };
            let ats: Vec<At> = (0..self.together as i64).map(at).collect();
            let left = self.body(&ats);
            exits.extend(left.into_iter().map(|e| (ats[0], e)));
        }
        let asm = &mut self.with.asm;
        asm.add_imm(ELEMENT, step);
        asm.address(RAX, Mem::at(ELEMENT, step));
        asm.cmp(RAX, END);
        asm.jump(Jump::BelowOrEqual, main);
        asm.here(flush);
        self.partials(STORE);

        let asm = &mut self.with.asm;
        asm.here(tail);
        asm.cmp(ELEMENT, END);
        asm.jump(Jump::AboveOrEqual, done);
        asm.copy(RAX, END);
        asm.sub(RAX, ELEMENT);
        asm.set(R15, 0xff);
        asm.low_bits(R15, R15, RAX);
        asm.mask_from(ACTIVE, R15);
        let at = At { ahead: 0, tail: true };
        let left = self.body(&[at]);
        exits.extend(left.into_iter().map(|e| (at, e)));
        let asm = &mut self.with.asm;
        asm.add_imm(ELEMENT, LANES as i32);
        asm.jump(Jump::Always, tail);

        asm.here(done);
        self.end();
        let asm = &mut self.with.asm;
        asm.copy(ELEMENT, END);
        asm.here(out);
        asm.copy(RAX, ELEMENT);
        asm.zero_upper();
        asm.address(RSP, Mem::at(RBP, -8 * SAVED_GPRS.len() as i32));
        SAVED_GPRS.iter().rev().for_each(|r| asm.pop(*r));
        asm.pop(RBP);
        asm.ret();

        for (at, (from, mask)) in exits {
            let asm = &mut self.with.asm;
            asm.here(from);
            // The pair of the first lane that exits is the new end; what comes before it is a tail.
            asm.mask_to(RAX, mask);
            asm.lowest_bit(RAX, RAX);
            asm.and_imm(RAX, -2);
            asm.add_imm(ELEMENT, at.ahead as i32);
            asm.add(RAX, ELEMENT);
            asm.copy(END, RAX);
            asm.jump(Jump::Always, if at.tail { tail } else { flush });
        }
        self.with.emit_rare(bases);
        let size = self.with.frame();
        self.with.asm.code[frame..frame + 4].copy_from_slice(&size.to_le_bytes());
    }

    fn body(&mut self, ats: &[At]) -> Vec<(Label, Kreg)> {
        let (strip, pinned) = (self.with.strip, &self.pinned);
        Body::new(&mut self.with, ats).emit(|body, r, vector, x| {
            let red = strip.reds[r];
            let half = (ats[vector].ahead / LANES % 2) as usize;
            match red.op {
                RedOp::Sum => body.add_to(pinned[r].map(|p| p[half]), red.out, x),
                op => body.extreme(op, pinned[r].expect("extremes are in registers")[half], x),
            }
        })
    }

    /// Extremes begin with what their slots hold.
    fn begin(&mut self) {
        for (red, pinned) in self.with.strip.reds.iter().zip(&self.pinned) {
            if let (RedOp::Max | RedOp::Min, Some(both)) = (red.op, pinned) {
                for r in both {
                    let slot = Rm::Full(Mem::at(SLOTS, 8 * red.out as i32));
                    self.with.asm.vector(BROADCAST, *r, None, slot, Under::All, None);
                }
            }
        }
    }

    /// Partial sums from memory or into it.
    fn partials(&mut self, op: Evex) {
        for (red, pinned) in self.with.strip.reds.iter().zip(&self.pinned) {
            if let (RedOp::Sum, Some(both)) = (red.op, pinned) {
                let base = self.with.base(red.out);
                for (half, r) in both.iter().enumerate() {
                    let at = Rm::Full(Mem::at(base, 64 * half as i32));
                    self.with.asm.vector(op, *r, None, at, Under::All, None);
                }
            }
        }
    }

    /// Extremes of all lanes into their slots.
    fn end(&mut self) {
        for (red, pinned) in self.with.strip.reds.iter().zip(&self.pinned) {
            let (RedOp::Max | RedOp::Min, Some([best, other])) = (red.op, *pinned) else { continue };
            let asm = &mut self.with.asm;
            let t = Zmm(0);
            extreme(asm, red.op, best, other, t, Under::All);
            for distance in [4, 2, 1] {
                asm.vector(ALIGN, other, Some(best), Rm::Reg(best), Under::All, Some(distance));
                extreme(asm, red.op, best, other, t, Under::All);
            }
            asm.vector(MOVE, t, None, Rm::Reg(best), Under::All, None);
            asm.store_one(Mem::at(SLOTS, 8 * red.out as i32), t);
        }
    }
}
