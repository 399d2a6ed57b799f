//! The loops around the body: one vector, some one after the other, or some together, then what is left under a mask; exits; what is
//! reduced.

use super::body::{CMP_GT, CMP_LE, extreme};
use super::encode::*;
use super::registers::{At, Body};
use super::shared::*;
use super::tier::X86;
use super::vector::*;
use crate::lower::strips::*;

/// Numbers that an element has for itself, at most: so many vectors of each are on the stack.
const OWN: usize = 512;
/// Operations of a strip whose vectors are computed two by two, at least.
const LONG: usize = 24;
/// Registers that chains of several vectors leave to what an operation takes.
const OTHERS: usize = 8;
/// Numbers for each register in long chains of one vector: it costs less to have many in memory than to wait.
const IN_MEMORY: usize = 3;
/// What an operation takes, about; how many begin in a cycle where two vectors are computed together, and how many at most.
const CYCLES: usize = 4;
const OPS_A_CYCLE: usize = 2;
const MOST_A_CYCLE: usize = 3;
/// Most registers for what is reduced.
const PINNED: usize = 8;
/// Most values that are taken from the element before.
const CARRIES: usize = 4;
/// Registers that are kept for the caller, behind the frame pointer.
const SAVED_GPRS: [Gpr; 5] = [BASES, SLOTS, ELEMENT, END, R15];

/// Registers a reduction keeps through the loop, for vectors in turn.
type Pinned = Vec<Option<Vec<Vreg>>>;

/// Bytes of a page of memory, of which the one below the stack is guarded.
const PAGE: i32 = 4096;

/// The machine code of a strip, and where the addresses of the native functions are in it; or the distances to them, if it calls them
/// directly.
pub(super) fn code(
    tier: X86,
    strip: &Strip,
    natives: &[(Callee, usize)],
    direct: bool,
) -> (MachineCode, Vec<(usize, Callee)>) {
    let natives = (natives, direct);
    let before = before(tier, strip);
    let togethers = togethers(tier, before.as_ref().map_or(strip, |b| &b.strip));
    let overlaps = before.is_none() && !strip.loops() && strip.ops.len() >= LONG;
    let overlapped = overlaps.then(|| strip.overlapped(numbers(tier, strip, togethers[0])));
    let (strip, before) = match &before {
        Some(b) => (&b.strip, Some(b)),
        None => (overlapped.as_ref().unwrap_or(strip), None),
    };
    let mut made = None;
    for together in togethers {
        let new = code_for(tier, (strip, before), natives, together, 0);
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
    let Made { code, places, .. } = code_for(tier, (strip, before), natives, together, made.frame);
    (code, places)
}

/// What is better taken from the element before than computed, if there are registers for it.
fn before(tier: X86, strip: &Strip) -> Option<Before> {
    let free = pin(tier, strip).1.saturating_sub(tier.computing() + 2) as usize;
    let near = !strip.serial && !strip.streams.iter().any(is_strided);
    strip.before(free.min(CARRIES)).filter(|_| near)
}

/// How many vectors may be computed together: more hide how long an operation takes, if there are registers for them. In loops inside,
/// eight do so where machines begin two operations in each cycle that take four.
fn togethers(tier: X86, strip: &Strip) -> Vec<usize> {
    if strip.serial {
        return vec![1];
    }
    if !strip.loops() {
        return if pairs(tier, strip) { vec![2] } else { vec![1] };
    }
    let one = strip.exits() || !strip.adds_once();
    let strided = strip.streams.iter().any(is_strided);
    let fits = |n: &usize| all_carried(strip) * n <= room(tier, strip) && (*n <= 2 || !strided);
    let many = [8, 4, 2].into_iter().filter(fits).filter(|n| own(strip) * n <= OWN);
    many.filter(|_| !one).chain([1]).collect()
}

/// Whether two vectors are computed together in a strip without loops. Machines look some hundred operations ahead: of short strips they
/// find the next vector themselves, and in long ones enough of the same vector, if its chains are short. Some values of long chains may be
/// in memory for it, but not those of one vector.
fn pairs(tier: X86, strip: &Strip) -> bool {
    let (live, free) = (strip.live(), pin(tier, strip).1 as usize);
    let apart = !strip.exits() && strip.adds_once();
    strip.ops.len() >= LONG && apart && (2 * live <= free || live <= free && waits(strip, OPS_A_CYCLE))
}

/// Numbers that are needed at a time, at most, where chains of so many vectors overlap.
fn numbers(tier: X86, strip: &Strip, together: usize) -> usize {
    let registers = tier.registers() as usize;
    match together {
        1 if waits(strip, MOST_A_CYCLE) => IN_MEMORY * registers,
        1 => registers,
        _ => (registers - OTHERS) / together,
    }
}

/// Whether the longest chain takes as long as all operations, if so many begin in a cycle.
fn waits(strip: &Strip, in_a_cycle: usize) -> bool {
    CYCLES * chain(strip) * in_a_cycle >= strip.ops.len()
}

/// Operations of the longest chain.
fn chain(strip: &Strip) -> usize {
    let mut chains = vec![0; strip.ops.len()];
    for (v, op) in strip.ops.iter().enumerate() {
        chains[v] = op.operands().map(|(x, _)| chains[x as usize] + 1).max().unwrap_or(0);
    }
    chains.into_iter().max().unwrap_or(0)
}

/// Whether elements are at a distance from each other.
pub(super) fn is_strided(s: &Stream) -> bool {
    match s.step {
        Step::Const(step) => step != 0,
        Step::Scal(_) => true,
        Step::Unit | Step::Cycle | Step::Own => false,
    }
}

/// Registers for what loops inside carry.
fn room(tier: X86, strip: &Strip) -> usize {
    pin(tier, strip).1.saturating_sub(tier.computing()) as usize
}

fn all_carried(strip: &Strip) -> usize {
    carried(strip, 0..strip.ops.len())
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
    tier: X86,
    (strip, before): (&Strip, Option<&Before>),
    (natives, direct): (&[(Callee, usize)], bool),
    together: usize,
    frame: i32,
) -> Made {
    let (pinned, free) = pin(tier, strip);
    let free = 0..free - before.map_or(0, |b| b.of.len() as u8);
    let mut with = Shared::new(strip, tier, free, !natives.is_empty(), together, before);
    let mut places = Vec::new();
    for (f, _) in natives.iter().filter(|_| !direct) {
        let offset = with.asm.reserve_address();
        with.natives.insert(*f, Mem::Pool(offset));
        places.push((offset as usize, *f));
    }
    // Each vector has registers of its own, and places of its own in cycles.
    let kept = pinned.iter().flatten().map(Vec::len).max().unwrap_or(1);
    let cycles = strip.streams.iter().any(|s| s.step == Step::Cycle);
    let halves = if cycles { CYCLE / tier.lanes() as usize } else { 1 };
    let vectors = together.max(kept).max(halves);
    let mut l = Loops { with, pinned, vectors: vectors as i32, together };
    l.emit(frame);
    let (frame, spilled_inside) = (l.with.frame(), l.with.spilled_inside);
    let direct = std::mem::take(&mut l.with.direct);
    let code = l.with.asm.finish();
    let start = code.constants;
    let places = places.into_iter().map(|(at, f)| (start + at, f)).chain(direct).collect();
    Made { frame, spilled_inside, code, places }
}

/// Which registers reductions get, from the last one down, and how many are left. Few sums are in registers, many in memory; so are, where
/// there are few registers, those of strips with loops inside.
fn pin(tier: X86, strip: &Strip) -> (Pinned, u8) {
    let of = |sum: bool| strip.reds.iter().filter(|r| (r.op == RedOp::Sum) == sum).count();
    let each = PARTIALS / tier.lanes() as usize;
    let most = match tier {
        X86::Avx512 => PINNED,
        X86::Avx2 if strip.loops() => 0,
        X86::Avx2 => PINNED.saturating_sub(2 * of(false)),
    };
    let sums = each * of(true) <= most;
    let mut free = tier.registers();
    let mut pinned = Vec::new();
    for red in &strip.reds {
        let few = tier == X86::Avx2 && strip.loops();
        let count = if red.op == RedOp::Sum { each } else { 2 - few as usize };
        pinned.push((red.op != RedOp::Sum || sums).then(|| {
            free -= count as u8;
            (free..free + count as u8).map(Vreg).collect()
        }));
    }
    (pinned, free)
}

/// Whether there are registers enough for what is reduced and what loops carry, and room on the stack for what elements have for themselves.
pub(super) fn fits(tier: X86, strip: &Strip) -> bool {
    strip.reds.iter().filter(|r| r.op != RedOp::Sum).count() <= PINNED / 2
        && all_carried(strip) <= room(tier, strip)
        && own(strip) <= OWN
}

/// Goes back by as many elements as rax says, and says in rax how many there are from there to the end.
fn reach(asm: &mut Assembler) {
    asm.sub(ELEMENT, RAX);
    asm.copy(RAX, END);
    asm.sub(RAX, ELEMENT);
}

struct Loops<'s> {
    with: Shared<'s>,
    pinned: Pinned,
    /// Vectors of an iteration of the main loop.
    vectors: i32,
    /// Those that are computed together.
    together: usize,
}

/// Where lanes exit, and the mask of those that do; which vector they are in, and where the code goes on.
struct Exiting {
    from: Label,
    mask: Mask,
    at: At,
    then: Label,
}

impl Loops<'_> {
    fn emit(&mut self, touched: i32) {
        let asm = &mut self.with.asm;
        let out = asm.label();
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
        self.with.load_bases();
        self.with.keep_constants();
        self.begin();
        let exits = match self.with.strip.serial {
            true => self.one_by_one(),
            false => self.in_vectors(),
        };
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

        for Exiting { from, mask, at, then } in exits {
            asm.here(from);
            // The pair of the first lane that exits is the new end; what comes before it is a tail.
            asm.mask_to(RAX, mask);
            asm.lowest_bit(RAX, RAX);
            asm.and_imm(RAX, -2);
            asm.add_imm(ELEMENT, at.ahead as i32);
            asm.add(RAX, ELEMENT);
            asm.copy(END, RAX);
            asm.jump(Jump::Always, then);
        }
        self.with.emit_rare();
        let size = self.with.frame();
        self.with.asm.code[frame..frame + 4].copy_from_slice(&size.to_le_bytes());
    }

    /// One element after the other, in all lanes of half a vector: a whole one takes twice as long where a machine computes 512 bits in two
    /// parts.
    fn one_by_one(&mut self) -> Vec<Exiting> {
        let next = self.with.asm.label();
        self.with.asm.half = self.with.tier == X86::Avx512;
        self.with.asm.here(next);
        self.body(&[At { ahead: 0, tail: false, main: false }]);
        let asm = &mut self.with.asm;
        asm.half = false;
        asm.add_imm(ELEMENT, 1);
        asm.cmp(ELEMENT, END);
        asm.jump(Jump::Below, next);
        Vec::new()
    }

    /// The main loop, and what it leaves.
    fn in_vectors(&mut self) -> Vec<Exiting> {
        let asm = &mut self.with.asm;
        let [again, main, flush, tail, single, masked, done] = [(); 7].map(|()| asm.label());
        let lanes = self.with.tier.lanes();
        let half = self.ends_in_half();
        let aligned = X86::begins_anywhere(self.with.strip) && !half;
        if aligned {
            // Vectors begin at multiples of their length: the first one may hold elements before the run.
            let asm = &mut self.with.asm;
            asm.copy(RAX, ELEMENT);
            asm.and_imm(RAX, lanes as i8 - 1);
            asm.jump(Jump::Equal, again);
            self.active(true);
            self.with.asm.jump(Jump::Always, masked);
        }
        let asm = &mut self.with.asm;
        asm.here(again);
        let step = self.vectors * lanes as i32;
        asm.address(RAX, Mem::at(ELEMENT, step));
        asm.cmp(RAX, END);
        asm.jump(Jump::Above, tail);
        if aligned && self.vectors > 1 && self.with.strip.adds_up() {
            // The main loop begins with the first of the partial sums, and of the places in cycles.
            let asm = &mut self.with.asm;
            asm.copy(RAX, ELEMENT);
            asm.and_imm(RAX, PARTIALS as i8 - 1);
            asm.jump(Jump::NotEqual, single);
        }
        Body::new(&mut self.with, &[At { ahead: 0, tail: false, main: false }]).begin_carries();
        self.partials(LOAD);
        self.with.asm.here(main);
        let exiting = |(from, mask), at, then| Exiting { from, mask, at, then };
        let mut exits = Vec::new();
        for first in (0..self.vectors as i64).step_by(self.together) {
            let at = |k: i64| At { ahead: (first + k) * lanes, tail: false, main: true };
            let ats: Vec<At> = (0..self.together as i64).map(at).collect();
            let left = self.body(&ats);
            exits.extend(left.into_iter().map(|e| exiting(e, ats[0], flush)));
        }
        let asm = &mut self.with.asm;
        asm.add_imm(ELEMENT, step);
        asm.address(RAX, Mem::at(ELEMENT, step));
        asm.cmp(RAX, END);
        asm.jump(Jump::BelowOrEqual, main);
        asm.here(flush);
        self.partials(STORE);

        // Whole vectors that are too few for the main loop: some together, then one at a time.
        self.with.asm.here(tail);
        let pairs = self.together == 2 && !self.with.strip.loops();
        for some in self.fewer() {
            let less = self.with.asm.label();
            if some == 1 {
                if pairs {
                    self.last_pair(if aligned { again } else { tail });
                }
                self.with.asm.here(single);
            }
            let asm = &mut self.with.asm;
            let step = some * lanes;
            asm.address(RAX, Mem::at(ELEMENT, step as i32));
            asm.cmp(RAX, END);
            asm.jump(Jump::Above, less);
            let ats: Vec<At> = (0..some).map(|k| At { ahead: k * lanes, tail: false, main: false }).collect();
            let left = self.body(&ats);
            exits.extend(left.into_iter().map(|e| exiting(e, ats[0], tail)));
            let asm = &mut self.with.asm;
            asm.add_imm(ELEMENT, step as i32);
            if some == 1 {
                asm.jump(Jump::Always, if aligned { again } else { tail });
            }
            asm.here(less);
        }
        let asm = &mut self.with.asm;
        asm.cmp(ELEMENT, END);
        asm.jump(Jump::AboveOrEqual, done);
        asm.copy(RAX, END);
        asm.sub(RAX, ELEMENT);
        self.active(false);
        self.with.asm.here(masked);
        let at = At { ahead: 0, tail: true, main: false };
        self.with.asm.half = half;
        let left = self.body(&[at]);
        exits.extend(left.into_iter().map(|e| exiting(e, at, tail)));
        let asm = &mut self.with.asm;
        asm.half = false;
        asm.add_imm(ELEMENT, lanes as i32 >> half as i32);
        asm.jump(Jump::Always, if aligned { again } else { tail });

        asm.here(done);
        exits
    }

    /// Whether elements that do not fill a vector are computed four by four.
    fn ends_in_half(&self) -> bool {
        let strip = self.with.strip;
        let one = self.together == 1 && self.with.before.is_none();
        self.with.tier == X86::Avx512 && strip.few_left && one && X86::has_halves(strip)
    }

    /// How many vectors are computed together behind the main loop, the most first: each number halves what may be left.
    fn fewer(&self) -> Vec<i64> {
        let halves = std::iter::successors(Some(self.together as i64), |n| Some(n / 2).filter(|n| *n > 0));
        halves.filter(|n| *n < self.vectors as i64).collect()
    }

    /// The last two vectors together, if one is whole and the other is not.
    fn last_pair(&mut self, then: Label) {
        let lanes = self.with.tier.lanes();
        let asm = &mut self.with.asm;
        let none = asm.label();
        asm.copy(RAX, END);
        asm.sub(RAX, ELEMENT);
        asm.cmp_imm(RAX, lanes as i32);
        asm.jump(Jump::BelowOrEqual, none);
        asm.cmp_imm(RAX, 2 * lanes as i32);
        asm.jump(Jump::AboveOrEqual, none);
        asm.sub_imm(RAX, lanes as i32);
        self.active(false);
        let at = |k: i64| At { ahead: k * lanes, tail: k > 0, main: false };
        self.body(&[at(0), at(1)]);
        let asm = &mut self.with.asm;
        asm.add_imm(ELEMENT, 2 * lanes as i32);
        asm.jump(Jump::Always, then);
        asm.here(none);
    }

    /// The lanes of a tail of as many elements as rax says; or of the first vector, of which it says how many lanes come before the run.
    fn active(&mut self, first: bool) {
        let half = self.ends_in_half();
        let asm = &mut self.with.asm;
        let lanes = asm.tier.lanes() as i32;
        match asm.tier {
            X86::Avx512 => {
                if first {
                    asm.set(R15, 0xff);
                    asm.low_bits(R15, R15, RAX);
                    asm.mask_from(SCRATCH, R15);
                    asm.mask_not(SCRATCH, SCRATCH);
                    reach(asm);
                }
                let all = asm.label();
                asm.set(R15, if half { 0xf } else { 0xff });
                if first {
                    asm.cmp_imm(RAX, lanes);
                    asm.jump(Jump::AboveOrEqual, all);
                }
                asm.low_bits(R15, R15, RAX);
                asm.here(all);
                asm.mask_from(ACTIVE, R15);
                if first {
                    asm.mask(MASK_AND, ACTIVE, ACTIVE, SCRATCH);
                }
            }
            X86::Avx2 => {
                let (r, before) = (Vreg(0), Vreg(1));
                let numbers: Vec<u8> = (0..4).flat_map(|l| f64::from(l).to_le_bytes()).collect();
                let numbers = Rm::Full(asm.constant(&numbers));
                let all = |asm: &mut Assembler, r: Vreg| {
                    asm.int_to_double(r, RAX);
                    asm.all(BROADCAST, r, None, Rm::Reg(r));
                };
                if first {
                    all(asm, before);
                    asm.compare(Mask(before.0), before, numbers, CMP_LE);
                    reach(asm);
                }
                all(asm, r);
                asm.compare(Mask(r.0), r, numbers, CMP_GT);
                if first {
                    asm.all(AND, r, Some(r), Rm::Reg(before));
                }
                let place = self.with.active(0);
                self.with.asm.all(STORE, r, None, Rm::Full(place));
            }
        }
    }

    fn body(&mut self, ats: &[At]) -> Vec<(Label, Mask)> {
        let (strip, lanes, pinned) = (self.with.strip, self.with.tier.lanes(), &self.pinned);
        Body::new(&mut self.with, ats).emit(|body, r, vector, x| {
            let red = strip.reds[r];
            let which = (ats[vector].ahead / lanes) as usize;
            let kept = pinned[r].as_ref().map(|p| p[which % p.len()]);
            match red.op {
                RedOp::Sum => body.add_to(kept, red.out, x),
                op => body.extreme(op, kept.expect("extremes are in registers"), x),
            }
        })
    }

    /// Extremes begin with what their slots hold.
    fn begin(&mut self) {
        for (red, pinned) in self.with.strip.reds.iter().zip(&self.pinned) {
            if let (RedOp::Max | RedOp::Min, Some(kept)) = (red.op, pinned) {
                for r in kept {
                    let slot = Rm::Full(Mem::at(SLOTS, 8 * red.out as i32));
                    self.with.asm.all(BROADCAST, *r, None, slot);
                }
            }
        }
    }

    /// Partial sums from memory or into it.
    fn partials(&mut self, op: Instr) {
        let bytes = self.with.tier.bytes();
        for (red, pinned) in self.with.strip.reds.iter().zip(&self.pinned) {
            if let (RedOp::Sum, Some(kept)) = (red.op, pinned) {
                let base = self.with.base(red.out);
                for (k, r) in kept.iter().enumerate() {
                    let at = Rm::Full(Mem::at(base, bytes * k as i32));
                    self.with.asm.all(op, *r, None, at);
                }
            }
        }
    }

    /// Extremes of all lanes into their slots.
    fn end(&mut self) {
        for (red, pinned) in self.with.strip.reds.iter().zip(&self.pinned) {
            let (RedOp::Max | RedOp::Min, Some(kept)) = (red.op, pinned) else { continue };
            let (mut best, other) = (kept[0], Vreg(3));
            let asm = &mut self.with.asm;
            let free = [1, 2].map(Vreg);
            // What is found is in one of two registers in turn.
            let mut found = [Vreg(0), Vreg(4)].into_iter().cycle();
            let mut take = |asm: &mut Assembler, best: &mut Vreg, x: Vreg| {
                let y = found.next().expect("it never ends");
                extreme(asm, red.op, y, [*best, x], free);
                *best = y;
            };
            for more in &kept[1..] {
                take(asm, &mut best, *more);
            }
            match asm.tier {
                X86::Avx512 => {
                    for distance in [4, 2, 1] {
                        asm.vector(ALIGN, other, Some(best), Rm::Reg(best), Under::All, Some(distance));
                        take(asm, &mut best, other);
                    }
                }
                // The halves, and then the neighbours, changed over.
                X86::Avx2 => {
                    for order in [0b_01_00_11_10, 0b_10_11_00_01] {
                        asm.vector(PERMUTE, other, None, Rm::Reg(best), Under::All, Some(order));
                        take(asm, &mut best, other);
                    }
                }
            }
            asm.store_one(Mem::at(SLOTS, 8 * red.out as i32), best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many chains of so many operations, all of one number.
    fn chains(count: usize, length: usize) -> Strip {
        let mut text = "strip 0\nstream 0 0 unit f64 r\nstream 1 0 unit f64 w\nv0 = load 0\n".to_string();
        for v in 1..count * length + 1 {
            let from = if (v - 1) % length == 0 { 0 } else { v - 1 };
            text += &format!("v{v} = mul v{from} v{from}\n");
        }
        text += &format!("v{} = store 1 v{}\n", count * length + 1, count * length);
        text.parse().expect("it is well formed")
    }

    #[test]
    fn long_chains_may_keep_numbers_in_memory() {
        for tier in [X86::Avx2, X86::Avx512] {
            let registers = tier.registers() as usize;
            assert_eq!(numbers(tier, &chains(10, 60), 1), IN_MEMORY * registers);
            assert_eq!(numbers(tier, &chains(40, 15), 1), registers);
            assert_eq!(numbers(tier, &chains(10, 60), 2), (registers - OTHERS) / 2);
        }
    }
}
