//! Mistakes in the machine code of strips are found. Each is made in strips of the fuzz, by changing bytes of instructions, until a run gives
//! other numbers than the interpreter, steps on a page that nobody may touch, or does not end. The decoder has nothing against the code, but
//! for what only it can see.

use crate::strips::fuzz::{Memory, of_seed, same};
use crate::strips::guard::{Guarded, sizes, special};
use crate::strips::reader::faults;
use adc_jit::strips::*;
use adc_jit::{MachineCode, X86};
use iced_x86::{ConstantOffsets, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use std::ptr;

/// Strips in which a mistake is made, at most.
const STRIPS: usize = 60;
/// Seconds after which a run does not end.
const SECONDS: u32 = 5;

/// An instruction, its bytes, and where its constants are in them.
struct Site<'a> {
    i: Instruction,
    bytes: &'a mut [u8],
    at: ConstantOffsets,
}

impl Site<'_> {
    /// Whether a vector goes from or to memory under the mask of a tail.
    fn masked(&self, store: bool) -> bool {
        let memory = if store { self.i.op_kinds().next() } else { self.i.op_kinds().last() };
        let mask = self.i.op_mask() == Register::K1 || self.i.mnemonic() == Mnemonic::Vmaskmovpd;
        mask && memory == Some(OpKind::Memory)
    }

    /// The same without a mask.
    fn unmask(&mut self) -> bool {
        if self.bytes[0] == 0x62 {
            self.bytes[3] &= 0x78;
        } else {
            // vmovupd has another map, no second operand, and opcodes of its own.
            self.bytes[1] = (self.bytes[1] & 0xe0) | 1;
            self.bytes[2] |= 0x78;
            self.bytes[3] = if self.bytes[3] == 0x2f { 0x11 } else { 0x10 };
        }
        true
    }

    /// The immediate becomes another one.
    fn number(&mut self, from: u8, to: u8) -> bool {
        let at = self.at.immediate_offset();
        let found = self.at.has_immediate() && self.bytes[at] == from;
        if found {
            self.bytes[at] = to;
        }
        found
    }

    fn is(&self, mnemonic: Mnemonic, register: Register) -> bool {
        self.i.mnemonic() == mnemonic && self.i.op0_register() == register
    }

    /// Where the opcode is: behind EVEX, or a prefix of three bytes or two.
    fn opcode(&self) -> usize {
        match self.bytes[0] {
            0x62 => 4,
            0xc4 => 3,
            _ => 2,
        }
    }
}

/// Makes a mistake in an instruction, if that is possible.
type Mistake = fn(&mut Site) -> bool;

/// Mistakes that only a run shows.
const MISTAKES: [(&str, Mistake); 15] = [
    ("a tail is loaded without its mask", |s| s.masked(false) && s.unmask()),
    ("a tail is stored without its mask", |s| s.masked(true) && s.unmask()),
    ("partial sums change places", |s| {
        let store = s.i.mnemonic() == Mnemonic::Vmovupd && s.i.op0_kind() == OpKind::Memory;
        // Those of registers that are pinned, into the partials.
        let register = s.i.op1_register().number();
        let pinned = store && s.i.memory_index() == Register::None && s.i.memory_base() != Register::RSP;
        let pinned = pinned && register >= if s.bytes[0] == 0x62 { 24 } else { 8 };
        if pinned {
            let modrm = s.opcode() + 1;
            s.bytes[modrm] ^= 8;
        }
        pinned
    }),
    ("there are eight partial sums", |s| s.is(Mnemonic::And, Register::R15) && s.number(15, 7)),
    ("the main loop begins with any partial sum", |s| s.is(Mnemonic::And, Register::RAX) && s.number(15, 0)),
    ("elements before the run are computed", |s| {
        let knot = s.i.mnemonic() == Mnemonic::Knotb && s.i.op0_register() == s.i.op1_register();
        let compared = s.i.mnemonic() == Mnemonic::Vcmppd && s.i.op0_register() == Register::YMM1;
        if knot {
            // korb k7, k7, k7
            s.bytes.copy_from_slice(&[0xc5, 0xc5, 0x45, 0xff]);
        }
        knot || (compared && s.number(0x12, 0x0f))
    }),
    ("vectors overlap by an element", |s| {
        let by = s.i.mnemonic() == Mnemonic::Add && s.i.op0_register() == Register::R13;
        let at = s.at.immediate_offset();
        let found = by && s.at.has_immediate() && s.bytes[at] > 1;
        if found {
            s.bytes[at] -= 1;
        }
        found
    }),
    ("an exit is rounded to four elements", |s| s.is(Mnemonic::And, Register::RAX) && s.number(0xfe, 0xfc)),
    ("a fused multiply-add multiplies others", |s| {
        let found = format!("{:?}", s.i.mnemonic()).contains("231pd");
        if found {
            let at = s.opcode();
            s.bytes[at] -= 0x10;
        }
        found
    }),
    ("the minimum is the maximum", |s| {
        let found = s.i.mnemonic() == Mnemonic::Vminpd;
        if found {
            let at = s.opcode();
            s.bytes[at] = 0x5f;
        }
        found
    }),
    ("less is less or equal", |s| s.i.mnemonic() == Mnemonic::Vcmppd && s.number(0x11, 0x12)),
    ("integers are rounded up", |s| {
        matches!(s.i.mnemonic(), Mnemonic::Vroundpd | Mnemonic::Vrndscalepd) && s.number(8, 0x0a)
    }),
    ("places of a table are half as far apart", |s| s.i.mnemonic() == Mnemonic::Vpsrlq && s.number(45, 46)),
    ("columns of a table change places", |s| {
        let found = s.i.mnemonic() == Mnemonic::Vunpcklpd;
        if found {
            let at = s.opcode();
            s.bytes[at] ^= 1;
        }
        found
    }),
    ("a power is raised too far", |s| s.i.mnemonic() == Mnemonic::Vpsllq && s.number(45, 46)),
];

/// The code with a mistake everywhere where it is possible; `None` if that is nowhere.
fn mistaken(code: &MachineCode, mistake: Mistake) -> Option<MachineCode> {
    let mut code = code.clone();
    let mut any = false;
    for at in code.starts.clone() {
        let mut decoder = Decoder::with_ip(64, &code.bytes[at..code.end], at as u64, DecoderOptions::NONE);
        let i = decoder.decode();
        let constants = decoder.get_constant_offsets(&i);
        let bytes = &mut code.bytes[at..at + i.len()];
        any |= mistake(&mut Site { i, bytes, at: constants });
    }
    any.then_some(code)
}

/// The code with one place of the frame used for another one, too.
fn shared_place(code: &MachineCode) -> Option<MachineCode> {
    let mut code = code.clone();
    // The place, and the bytes of the displacement that say so.
    let mut places: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut any = false;
    for at in code.starts.clone() {
        let mut decoder = Decoder::with_ip(64, &code.bytes[at..code.end], at as u64, DecoderOptions::NONE);
        let i = decoder.decode();
        let constants = decoder.get_constant_offsets(&i);
        let vector = matches!(i.mnemonic(), Mnemonic::Vmovupd) && i.memory_base() == Register::RSP;
        if !vector || !constants.has_displacement() {
            continue;
        }
        let place = at + constants.displacement_offset()..;
        let bytes = &mut code.bytes[place][..constants.displacement_size()];
        let disp = i.memory_displacement64();
        match places.iter().position(|(d, b)| *d == disp || b.len() != bytes.len()) {
            None if places.len() < 2 => places.push((disp, bytes.to_vec())),
            _ => {}
        }
        if let [(first, to), (second, _)] = &places[..]
            && *second == disp
            && first != second
        {
            bytes.copy_from_slice(to);
            any = true;
        }
    }
    any.then_some(code)
}

/// Code in pages of its own.
struct Executable {
    map: *mut libc::c_void,
    size: usize,
}

impl Executable {
    fn new(code: &[u8]) -> Executable {
        // SAFETY: plain calls of the system; as many bytes are mapped as are written.
        unsafe {
            let size = code.len().next_multiple_of(libc::sysconf(libc::_SC_PAGESIZE) as usize);
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let map = libc::mmap(ptr::null_mut(), size, access, kind, -1, 0);
            assert!(map != libc::MAP_FAILED);
            ptr::copy_nonoverlapping(code.as_ptr(), map.cast(), code.len());
            assert_eq!(libc::mprotect(map, size, libc::PROT_READ | libc::PROT_EXEC), 0);
            Executable { map, size }
        }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and nobody else knows of it.
        unsafe { libc::munmap(self.map, self.size) };
    }
}

/// Whether a run of some code in a process of its own, of elements `from` to `n`, is what the interpreter does.
fn is_right(strip: &Strip, code: &Executable, want: &mut Memory, from: usize, n: usize) -> bool {
    let stride = want.slots[1].to_bits() as i64;
    for (base, size) in want.bases.iter_mut().zip(sizes(strip, stride, n)) {
        base.truncate(size);
    }
    let guarded: Vec<Guarded> = want.bases.iter().map(|b| Guarded::new(b)).collect();
    let mut pointers: Vec<*mut u8> = guarded.iter().map(|g| g.data.cast()).collect();
    pointers[1] = pointers[1].wrapping_add(8 * n);
    let slots = Guarded::new(&want.slots);
    // The element that was reached, one more than it, in memory of both.
    let reached = Guarded::new(&[0.0]);
    type Run = unsafe extern "sysv64" fn(*const *mut u8, *mut f64, usize, usize) -> usize;
    // SAFETY: code of that signature, or what a mistake made of it. The child runs nothing else, and neither returns nor unwinds.
    let status = unsafe {
        let run = std::mem::transmute::<*mut libc::c_void, Run>(code.map);
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            libc::alarm(SECONDS);
            let to = run(pointers.as_ptr(), slots.data, from, n);
            *reached.data = to as f64 + 1.0;
            libc::_exit(0);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        status
    };
    let to = want.run(strip, from, n);
    // SAFETY: as long, and the child that wrote is gone.
    let read = |g: &Guarded, len| unsafe { std::slice::from_raw_parts(g.data, len) };
    status == 0
        && read(&reached, 1) == [to as f64 + 1.0]
        && same(read(&slots, want.slots.len()), &want.slots)
        && guarded.iter().zip(&want.bases).all(|(g, b)| same(read(g, b.len()), b))
}

/// Strips without calls, whose code needs no addresses, and their code.
fn strips(tier: X86) -> impl Iterator<Item = (u64, Strip, MachineCode)> {
    let calls = |s: &Strip| s.ops.iter().any(|op| matches!(op, SOp::Call(..) | SOp::Rare { .. }));
    let all = (0..).map(|seed| (seed, of_seed(seed).1)).filter(move |(_, s)| !calls(s));
    all.filter_map(move |(seed, s)| Some((seed, s.clone(), tier.machine_code(&s, false)?)))
}

/// The seed of the strip that gave a mistake away; `None` is for all code as it should be.
fn found(tier: X86, strips: usize, mistake: impl Fn(&MachineCode) -> Option<MachineCode>) -> Option<u64> {
    let with = self::strips(tier).filter_map(|(seed, s, code)| Some((seed, s, mistake(&code)?)));
    for (seed, strip, code) in with.take(strips) {
        let executable = Executable::new(&code.bytes);
        let mut rng = adc_ir::testing::Rng::new(seed);
        let runs = [1, 3, 5, 7, 9, 15, 17, 33, 47, 66].map(|n| (0, n)).into_iter();
        let later = [(3, 5), (1, 17), (13, 33), (5, 66)].into_iter().filter(|_| tier.begins_anywhere(&strip));
        let wrong = runs.chain(later).any(|(from, n)| {
            let number = if n % 4 == 1 { special } else { |rng: &mut _| crate::strips::fuzz::number(rng) };
            let mut want = Memory::new(&mut rng, &strip, n, number);
            !is_right(&strip, &executable, &mut want, from, n)
        });
        // They are mistakes that could be made, no nonsense.
        assert_eq!(faults(tier, &strip, &code), [""; 0], "seed {seed}");
        if wrong {
            return Some(seed);
        }
    }
    None
}

fn tiers() -> impl Iterator<Item = X86> {
    [X86::Avx2, X86::Avx512].into_iter().filter(|t| t.simd().is_there())
}

#[test]
fn right_code_is_right() {
    for tier in tiers() {
        assert_eq!(found(tier, 20, |code| Some(code.clone())), None, "{tier:?}");
    }
}

#[test]
fn mistakes_are_found() {
    for tier in tiers() {
        for (what, mistake) in MISTAKES {
            let seed = found(tier, STRIPS, |code| mistaken(code, mistake));
            assert!(seed.is_some(), "{tier:?}: nobody noticed that {what}");
        }
        let seed = found(tier, STRIPS, shared_place);
        assert!(seed.is_some(), "{tier:?}: nobody noticed that two values share a place");
    }
}

#[test]
fn upper_halves_that_are_not_zeroed_are_found() {
    for tier in tiers() {
        for (seed, strip, code) in strips(tier).take(10) {
            let mistake: Mistake = |s| {
                let found = s.i.mnemonic() == Mnemonic::Vzeroupper;
                if found {
                    // mov rax, rax
                    s.bytes.copy_from_slice(&[0x48, 0x89, 0xc0]);
                }
                found
            };
            let code = mistaken(&code, mistake).expect("all code ends");
            assert!(!faults(tier, &strip, &code).is_empty(), "{tier:?}, seed {seed}");
        }
    }
}
