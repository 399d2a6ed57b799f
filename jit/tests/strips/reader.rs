//! The code of strips, read by a decoder of others' making: every instruction is of a list, of the machine's tier, and where the encoder
//! says; memory is reached through the pointers that the strip may use, and written only where the strip writes; upper halves of vectors
//! are zero where others' code runs.

use adc_jit::strips::*;
use adc_jit::{MachineCode, X86};
use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, FlowControl, Formatter, Instruction, InstructionInfoFactory,
    Mnemonic, NasmFormatter, OpAccess, OpKind, Register, UsedMemory,
};
use std::collections::BTreeMap;
use std::ops::Range;

/// What general registers are computed and compared with, and what moves about in the code.
const GENERAL: &[Mnemonic] = {
    use Mnemonic::*;
    &[
        Add, And, Bt, Call, Cmp, Imul, Ja, Jae, Jb, Jbe, Je, Jmp, Jne, Lea, Mov, Pop, Push, Ret, Shl, Sub,
        Tzcnt,
    ]
};

/// Instructions of vectors that both tiers have.
const VECTORS: &[Mnemonic] = {
    use Mnemonic::*;
    &[
        Vaddpd,
        Vandpd,
        Vbroadcastsd,
        Vcmppd,
        Vcvtsi2sd,
        Vdivpd,
        Vfmadd132pd,
        Vfmadd213pd,
        Vfmadd231pd,
        Vfmsub132pd,
        Vfmsub213pd,
        Vfmsub231pd,
        Vfnmadd132pd,
        Vfnmadd213pd,
        Vfnmadd231pd,
        Vfnmsub132pd,
        Vfnmsub213pd,
        Vfnmsub231pd,
        Vmaxpd,
        Vminpd,
        Vmovapd,
        Vmovhpd,
        Vmovsd,
        Vmovupd,
        Vmulpd,
        Vorpd,
        Vpaddq,
        Vpsllq,
        Vpsrlq,
        Vpsubq,
        Vsqrtpd,
        Vsubpd,
        Vunpckhpd,
        Vunpcklpd,
        Vxorpd,
        Vzeroupper,
    ]
};

/// Those of one.
fn own(tier: X86) -> &'static [Mnemonic] {
    use Mnemonic::*;
    match tier {
        X86::Avx2 => &[
            Vblendpd,
            Vblendvpd,
            Vextractf128,
            Vinsertf128,
            Vmaskmovpd,
            Vmovmskpd,
            Vpermpd,
            Vroundpd,
            Vtestpd,
        ],
        X86::Avx512 => &[
            Bzhi,
            Kandb,
            Kmovb,
            Knotb,
            Korb,
            Kortestb,
            Kxorb,
            Valignq,
            Vgatherqpd,
            Vblendmpd,
            Vbroadcastf64x4,
            Vextractf64x2,
            Vgetexppd,
            Vgetmantpd,
            Vinsertf64x2,
            Vinsertf64x4,
            Vpermt2pd,
            Vshuff64x2,
            Vpmullq,
            Vpternlogq,
            Vrangepd,
            Vrndscalepd,
            Vscalefpd,
            Vscatterqpd,
        ],
    }
}

/// What the machine has, as `Simd::is_there` asks.
fn features(tier: X86) -> &'static [CpuidFeature] {
    use CpuidFeature::*;
    match tier {
        X86::Avx2 => &[INTEL8086, INTEL386, X64, AVX, AVX2, FMA, BMI1],
        X86::Avx512 => &[INTEL8086, INTEL386, X64, AVX, AVX512F, AVX512DQ, AVX512VL, BMI1, BMI2],
    }
}

/// What a general register holds, as far as memory is concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holds {
    /// No pointer, or nobody knows which.
    Number,
    /// The table of bases, or of slots.
    Table,
    Slots,
    /// Somewhere into a base.
    Base(u64),
    /// The frame: the stack pointer, or the frame pointer.
    Stack,
    /// The constants, from this place on.
    Constants(usize),
    /// The place of a row of a table.
    Row(Width),
}

/// How many numbers a row of a table has: the power of 2.
type Width = u32;

/// What is known before an instruction.
#[derive(Clone, Debug, PartialEq)]
struct State {
    registers: [Holds; 16],
    /// Whether upper halves of vectors may be other than zero.
    dirty: bool,
    /// The vector register whose lanes are places of rows, as integers: numbers of a table in front of them.
    places: Option<(Register, Width)>,
    /// Bytes of the frame that hold them, one place behind the other.
    stored: Option<(Range<i64>, Width)>,
}

/// Rows of a table.
const ROWS: usize = 128;

impl State {
    fn entry() -> State {
        let mut registers = [Holds::Number; 16];
        registers[Register::RSP.number()] = Holds::Stack;
        registers[Register::RDI.number()] = Holds::Table;
        registers[Register::RSI.number()] = Holds::Slots;
        State { registers, dirty: false, places: None, stored: None }
    }

    fn of(&self, r: Register) -> Holds {
        if r.is_gpr64() { self.registers[r.number()] } else { Holds::Number }
    }

    /// What is known if one or the other is.
    fn join(&mut self, other: &State) {
        for (a, b) in self.registers.iter_mut().zip(&other.registers) {
            if a != b {
                *a = Holds::Number;
            }
        }
        self.dirty |= other.dirty;
        if self.places != other.places {
            self.places = None;
        }
        if self.stored != other.stored {
            self.stored = None;
        }
    }

    /// What a general register holds that is loaded from the frame.
    fn stored_at(&self, disp: i64) -> Holds {
        match &self.stored {
            Some((bytes, width)) if bytes.contains(&disp) && (disp - bytes.start) % 8 == 0 => {
                Holds::Row(*width)
            }
            _ => Holds::Number,
        }
    }
}

const NOT_ITS_OWN: &str = "reads what is not its own";

/// Bytes from the frame pointer to the lowest register that is saved there.
const SAVED: i64 = 40;

struct Reader<'a> {
    tier: X86,
    strip: &'a Strip,
    code: &'a MachineCode,
    /// Bytes of the frame.
    frame: i64,
    infos: InstructionInfoFactory,
    faults: Vec<String>,
}

/// What is wrong with the code of a strip.
pub fn faults(tier: X86, strip: &Strip, code: &MachineCode) -> Vec<String> {
    let mut list = BTreeMap::new();
    let mut faults = Vec::new();
    let mut decoder = Decoder::with_ip(64, &code.bytes[..code.end], 0, DecoderOptions::NONE);
    while decoder.can_decode() {
        let i = decoder.decode();
        list.insert(i.ip(), i);
    }
    if !list.keys().copied().eq(code.starts.iter().map(|at| *at as u64)) {
        faults.push("the encoder and the decoder count different instructions".to_string());
    }
    if code.bytes[code.end..code.constants].iter().any(|b| *b != 0xcc) || !code.constants.is_multiple_of(64) {
        faults.push("no breakpoints up to a cache line in front of the constants".to_string());
    }
    let frame = list.values().find(|i| i.mnemonic() == Mnemonic::Sub && i.op0_register() == Register::RSP);
    let frame = frame.map_or(0, |i| i.immediate32to64());
    let mut reader = Reader { tier, strip, code, frame, infos: InstructionInfoFactory::new(), faults };
    list.values().for_each(|i| reader.is_listed(i));
    // What is known before each instruction, until nothing changes any more.
    let mut before: BTreeMap<u64, State> = BTreeMap::from([(0, State::entry())]);
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        let Some(i) = list.get(&at) else {
            reader.faults.push(format!("{at:#x} is run, and is no instruction"));
            continue;
        };
        let after = reader.step(i, before[&at].clone(), false);
        let next = match i.flow_control() {
            FlowControl::Return => vec![],
            FlowControl::UnconditionalBranch => vec![i.near_branch_target()],
            FlowControl::ConditionalBranch => vec![i.near_branch_target(), i.next_ip()],
            _ => vec![i.next_ip()],
        };
        for to in next {
            let known = before.get(&to).cloned();
            let mut joined = known.clone().unwrap_or_else(|| after.clone());
            joined.join(&after);
            if known.as_ref() != Some(&joined) {
                before.insert(to, joined);
                open.push(to);
            }
        }
    }
    // Loops without turns are never reached.
    for (at, state) in before {
        if let Some(i) = list.get(&at) {
            reader.step(i, state, true);
        }
    }
    reader.faults
}

impl Reader<'_> {
    fn fault(&mut self, i: &Instruction, what: &str) {
        let mut text = String::new();
        NasmFormatter::new().format(i, &mut text);
        self.faults.push(format!("{:#x} {text}: {what}", i.ip()));
    }

    fn is_listed(&mut self, i: &Instruction) {
        let listed = [GENERAL, VECTORS, own(self.tier)];
        if !listed.iter().any(|list| list.contains(&i.mnemonic())) {
            self.fault(i, "is not on the list");
        }
        if i.cpuid_features().iter().any(|f| !features(self.tier).contains(f)) {
            self.fault(i, "is for other machines");
        }
    }

    /// What is known after an instruction; what is wrong with it is said if it is `judged`.
    fn step(&mut self, i: &Instruction, mut state: State, judged: bool) -> State {
        let info = self.infos.info(i);
        let (memory, registers) = (info.used_memory().to_vec(), info.used_registers().to_vec());
        let moves_stack =
            matches!(i.mnemonic(), Mnemonic::Push | Mnemonic::Pop | Mnemonic::Call | Mnemonic::Ret);
        if judged {
            if i.memory_base() == Register::None && i.op_kinds().any(|k| k == OpKind::Memory) {
                self.fault(i, "a place without a base");
            }
            for m in memory.iter().filter(|m| !(moves_stack && m.base() == Register::RSP)) {
                self.reaches(i, &state, m);
            }
            if matches!(i.mnemonic(), Mnemonic::Ret | Mnemonic::Call) && state.dirty {
                self.fault(i, "upper halves of vectors are not zero");
            }
        }
        let (a, b) = (state.of(i.op0_register()), state.of(i.op1_register()));
        let result = match i.mnemonic() {
            Mnemonic::Mov if i.op1_kind() == OpKind::Register => b,
            Mnemonic::Mov if i.op1_kind() == OpKind::Memory => {
                let whole = i.memory_index() == Register::None && i.memory_displacement64().is_multiple_of(8);
                match state.of(i.memory_base()) {
                    Holds::Table if whole => Holds::Base(i.memory_displacement64() / 8),
                    Holds::Stack if i.memory_base() == Register::RSP && whole => {
                        state.stored_at(i.memory_displacement64() as i64)
                    }
                    _ => Holds::Number,
                }
            }
            Mnemonic::Add if i.op1_kind() == OpKind::Register => match (a, b) {
                (pointer, Holds::Number | Holds::Row(_)) | (Holds::Number | Holds::Row(_), pointer) => {
                    pointer
                }
                _ => Holds::Number,
            },
            Mnemonic::Add => a,
            Mnemonic::Lea if i.is_ip_rel_memory_operand() => {
                Holds::Constants(i.ip_rel_memory_address() as usize)
            }
            _ => Holds::Number,
        };
        for r in &registers {
            let written = matches!(
                r.access(),
                OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
            );
            let r = r.register();
            if written && state.places.is_some_and(|(places, _)| places == r.full_register()) {
                state.places = None;
            }
            if written && r.is_gpr() {
                let r = r.full_register();
                let result = if r == Register::RSP { Holds::Stack } else { result };
                state.registers[r.number()] = result;
            }
        }
        let all_lanes = i.op_mask() == Register::None && !i.op0_register().is_xmm();
        if let (Mnemonic::Vandpd, true, Some(width)) = (i.mnemonic(), all_lanes, self.last_row(i)) {
            state.places = Some((i.op0_register().full_register(), width));
        }
        // Other bases do not reach the frame, but for the one that touches its pages at the beginning.
        let changed = |m: &UsedMemory, bytes: &Range<i64>| {
            let (from, size) = (m.displacement() as i64, m.memory_size().size() as i64);
            let apart = from >= bytes.end || from + size <= bytes.start;
            let written = !matches!(m.access(), OpAccess::Read | OpAccess::CondRead);
            let known = m.base() == Register::RSP && m.index() == Register::None && !moves_stack;
            written && state.of(m.base()) == Holds::Stack && !(known && apart)
        };
        if state.stored.as_ref().is_some_and(|(bytes, _)| memory.iter().any(|m| changed(m, bytes))) {
            state.stored = None;
        }
        let whole = i.memory_base() == Register::RSP && i.memory_index() == Register::None;
        if i.mnemonic() == Mnemonic::Vmovupd && i.op0_kind() == OpKind::Memory && whole {
            let from = i.memory_displacement64() as i64;
            let places = state.places.filter(|(r, _)| *r == i.op1_register().full_register());
            if let Some((_, width)) = places {
                state.stored = Some((from..from + i.memory_size().size() as i64, width));
            }
        }
        let wide = |k: u32| i.op_register(k).is_ymm() || i.op_register(k).is_zmm();
        state.dirty |= (0..i.op_count()).any(wide);
        match i.mnemonic() {
            Mnemonic::Vzeroupper => state.dirty = false,
            // Registers that a function need not keep.
            Mnemonic::Call => {
                use Register::*;
                for r in [RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11] {
                    state.registers[r.number()] = Holds::Number;
                }
            }
            _ => {}
        }
        state
    }

    /// How many numbers the rows have of which the last operand says the place of the last one, in all lanes.
    fn last_row(&self, i: &Instruction) -> Option<Width> {
        let at = i.ip_rel_memory_address() as usize;
        let bytes = self.code.bytes.get(at..at + i.memory_size().size()).unwrap_or_default();
        let says = |width: &Width| {
            let last = ((ROWS as u64 - 1) << width).to_le_bytes();
            i.is_ip_rel_memory_operand() && bytes.chunks(8).all(|lane| lane == last)
        };
        (0..3).find(says)
    }

    fn reaches(&mut self, i: &Instruction, state: &State, m: &UsedMemory) {
        let writes = !matches!(m.access(), OpAccess::Read | OpAccess::CondRead);
        let (disp, size) = (m.displacement() as i64, m.memory_size().size().max(8) as i64);
        let strip = self.strip;
        // Behind the instruction that says so.
        if m.base() == Register::RIP || (m.base() == Register::None && i.is_ip_rel_memory_operand()) {
            let at = i.ip_rel_memory_address() as usize;
            let inside = at >= self.code.constants && at + size as usize <= self.code.bytes.len();
            if writes || !inside {
                self.fault(i, "no constant is there");
            }
            return;
        }
        let lanes = if m.index() == Register::None { 0 } else { 8 * (CYCLE as i64 - 1) };
        let slot = m.index() == Register::None && disp % 8 == 0;
        let fine = match state.of(m.base()) {
            Holds::Number | Holds::Row(_) => false,
            Holds::Constants(at) => {
                let Holds::Row(width) = state.of(m.index()) else { return self.fault(i, NOT_ITS_OWN) };
                let row = 8 << width;
                let table = at >= self.code.constants && at + ROWS * row <= self.code.bytes.len();
                !writes && table && m.scale() == 8 && disp >= 0 && disp + size <= row as i64
            }
            Holds::Table => !writes && slot && disp / 8 < strip.bases() as i64,
            Holds::Slots => {
                let extreme = |r: &Red| r.op != RedOp::Sum && r.out as i64 == disp / 8;
                slot && disp / 8 < strip.scalars as i64 && (!writes || strip.reds.iter().any(extreme))
            }
            Holds::Base(k) => {
                let own = |s: &&Stream| s.step != Step::Own && s.base as u64 == k;
                let written = |s: &Stream| s.access != Access::R;
                let sum = strip.reds.iter().any(|r| r.op == RedOp::Sum && r.out as u64 == k);
                let mut streams = strip.streams.iter().filter(own);
                sum || if writes { streams.any(written) } else { streams.next().is_some() }
            }
            // Pages of the frame are touched from its top.
            Holds::Stack if m.base() == Register::RBP => {
                writes && m.index() == Register::None && disp + size <= -SAVED && -disp <= self.frame + SAVED
            }
            Holds::Stack => disp >= 0 && disp + lanes + size <= self.frame,
        };
        if !fine {
            let what = if writes { "writes where nothing is to be written" } else { NOT_ITS_OWN };
            self.fault(i, what);
        }
    }
}
