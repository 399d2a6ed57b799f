//! Every instruction, with random operands, is what a decoder of others' making reads.

use super::*;
use crate::emit::x86::tier::X86;
use adc_ir::testing::Rng;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// Displacements, among them those at which one byte begins or ends to be enough, counted in 1, 8 or 64 bytes.
const DISPLACEMENTS: [i32; 25] = [
    0,
    1,
    -1,
    7,
    8,
    -8,
    64,
    -64,
    127,
    128,
    -128,
    -129,
    8 * 127,
    8 * 128,
    -8 * 128,
    -8 * 129,
    64 * 127,
    64 * 128,
    -64 * 128,
    -64 * 129,
    64 * 128 + 8,
    1 << 20,
    -(1 << 20),
    i32::MAX,
    i32::MIN,
];

const TIERS: [X86; 2] = [X86::Avx2, X86::Avx512];

/// What an instruction is decoded as, if it is all there is, and where the constants behind it begin.
fn decoded(tier: X86, emit: impl FnOnce(&mut Assembler)) -> (Instruction, usize) {
    let mut asm = Assembler::new(tier);
    emit(&mut asm);
    let code = asm.finish();
    let i = Decoder::with_ip(64, &code.bytes, 0, DecoderOptions::NONE).decode();
    assert_ne!(i.code(), Code::INVALID, "{:02x?}", &code.bytes[..code.end]);
    assert_eq!((i.len(), &code.starts[..]), (code.end, &[0][..]), "{:02x?}", &code.bytes[..code.end]);
    (i, code.constants)
}

fn gpr(r: Gpr) -> Register {
    Register::RAX + r.0 as u32
}

/// The whole register, as [`whole`] gives it.
fn vreg(r: Vreg) -> Register {
    Register::ZMM0 + r.0 as u32
}

/// The register of which a register is a part.
fn whole(r: Register) -> Register {
    r.full_register()
}

fn k(r: Mask) -> Register {
    Register::K0 + r.0 as u32
}

/// Any register but rsp, which is no index.
fn index(rng: &mut Rng) -> Gpr {
    Gpr(rng.pick(&[0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]))
}

fn any_gpr(rng: &mut Rng) -> Gpr {
    Gpr(rng.below(16) as u8)
}

fn any_vreg(rng: &mut Rng, tier: X86) -> Vreg {
    Vreg(rng.below(tier.registers() as usize) as u8)
}

fn any_k(rng: &mut Rng) -> Mask {
    Mask(1 + rng.below(7) as u8)
}

/// A place in memory.
fn place(rng: &mut Rng, pool: bool) -> Mem {
    if pool && rng.one_in(4) {
        return Mem::Pool(64 * rng.below(3) as u32);
    }
    let index = if rng.one_in(2) { Some(index(rng)) } else { None };
    Mem::At { base: any_gpr(rng), index, disp: rng.pick(&DISPLACEMENTS) }
}

fn same_place(i: &Instruction, mem: Mem, constants: usize) {
    let (base, index, disp) = match mem {
        Mem::Table(_) => unreachable!("it is where the pool has it"),
        Mem::Pool(offset) => {
            assert!(i.is_ip_rel_memory_operand(), "{i}");
            assert_eq!(i.ip_rel_memory_address(), constants as u64 + offset as u64, "{i}");
            return;
        }
        Mem::At { base, index, disp } => (base, index.map(gpr), disp),
        Mem::Lanes { base, index, disp } => (base, Some(vreg(index)), disp),
    };
    let found = if i.is_vsib() { whole(i.memory_index()) } else { i.memory_index() };
    assert_eq!((i.memory_base(), found), (gpr(base), index.unwrap_or(Register::None)), "{i}");
    assert!(index.is_none() || i.memory_index_scale() == 8, "{i}");
    assert_eq!(i.memory_displacement64() as i64, disp as i64, "{i}");
}

/// A vector instruction: its names with AVX2 and AVX-512, whether it has a second operand, what its last one may be, and whether a number
/// follows.
struct Row(Instr, Option<Mnemonic>, Option<Mnemonic>, bool, Last, bool);

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// A register, or a vector; with AVX-512, or one double for all lanes.
    Any,
    /// A register, or one double.
    One,
    /// A register, or a vector.
    Vector,
    /// A register, or so many doubles.
    Some(usize),
    /// A register.
    Reg,
    /// One double or both of a register of 128 bits, from memory.
    Low(usize),
}

const fn both(op: Instr, name: Mnemonic, second: bool, last: Last) -> Row {
    Row(op, Some(name), Some(name), second, last, false)
}

const ROWS: [Row; 47] = {
    use Last::*;
    use Mnemonic as M;
    [
        both(LOAD, M::Vmovupd, false, Vector),
        both(MOVE, M::Vmovapd, false, Reg),
        both(BROADCAST, M::Vbroadcastsd, false, One),
        both(ADD, M::Vaddpd, true, Any),
        both(MUL, M::Vmulpd, true, Any),
        both(SUB, M::Vsubpd, true, Any),
        both(MIN, M::Vminpd, true, Any),
        both(DIV, M::Vdivpd, true, Any),
        both(MAX, M::Vmaxpd, true, Any),
        both(SQRT, M::Vsqrtpd, false, Any),
        both(AND, M::Vandpd, true, Any),
        both(OR, M::Vorpd, true, Any),
        both(XOR, M::Vxorpd, true, Any),
        Row(ROUND, Option::Some(M::Vroundpd), Option::Some(M::Vrndscalepd), false, Any, true),
        Row(GET_MANT, None, Option::Some(M::Vgetmantpd), false, Any, true),
        Row(GET_EXP, None, Option::Some(M::Vgetexppd), false, Any, false),
        Row(TERNARY, None, Option::Some(M::Vpternlogq), true, Any, true),
        Row(RANGE, None, Option::Some(M::Vrangepd), true, Any, true),
        Row(SCALE, None, Option::Some(M::Vscalefpd), true, Any, false),
        Row(ALIGN, None, Option::Some(M::Valignq), true, Any, true),
        Row(MUL_INT, None, Option::Some(M::Vpmullq), true, Any, false),
        Row(INSERT_TWO, Option::Some(M::Vinsertf128), Option::Some(M::Vinsertf64x2), true, Some(2), true),
        both(EVEN, M::Vunpcklpd, true, Any),
        both(ODD, M::Vunpckhpd, true, Any),
        Row(PAIRS, None, Option::Some(M::Vshuff64x2), true, Any, true),
        Row(PERMUTE_TWO, None, Option::Some(M::Vpermt2pd), true, Any, false),
        Row(INSERT_FOUR, None, Option::Some(M::Vinsertf64x4), true, Some(4), true),
        Row(BLEND_LANES, Option::Some(M::Vblendpd), None, true, Vector, true),
        Row(PERMUTE, Option::Some(M::Vpermpd), None, false, Vector, true),
        both(ADD_INT, M::Vpaddq, true, Any),
        both(SUB_INT, M::Vpsubq, true, Any),
        Row(MASK_LOAD, Option::Some(M::Vmaskmovpd), None, true, Some(4), false),
        both(LOAD_LOW, M::Vmovsd, false, Low(1)),
        both(LOAD_TWO, M::Vmovupd, false, Low(2)),
        both(LOAD_HIGH, M::Vmovhpd, true, Low(1)),
        both(fma(Form::F132, false, false), M::Vfmadd132pd, true, Any),
        both(fma(Form::F213, false, false), M::Vfmadd213pd, true, Any),
        both(fma(Form::F231, false, false), M::Vfmadd231pd, true, Any),
        both(fma(Form::F132, false, true), M::Vfmsub132pd, true, Any),
        both(fma(Form::F213, false, true), M::Vfmsub213pd, true, Any),
        both(fma(Form::F231, false, true), M::Vfmsub231pd, true, Any),
        both(fma(Form::F132, true, false), M::Vfnmadd132pd, true, Any),
        both(fma(Form::F213, true, false), M::Vfnmadd213pd, true, Any),
        both(fma(Form::F231, true, false), M::Vfnmadd231pd, true, Any),
        both(fma(Form::F132, true, true), M::Vfnmsub132pd, true, Any),
        both(fma(Form::F213, true, true), M::Vfnmsub213pd, true, Any),
        both(fma(Form::F231, true, true), M::Vfnmsub231pd, true, Any),
    ]
};

fn same_mask(i: &Instruction, under: Under) {
    let (mask, zero) = match under {
        Under::All => (Register::None, false),
        Under::Merge(m) => (k(m), false),
        Under::Zero(m) => (k(m), true),
    };
    assert_eq!((i.op_mask(), i.zeroing_masking()), (mask, zero), "{i}");
}

/// Some operand in memory or a register.
fn last_operand(rng: &mut Rng, tier: X86, last: Last) -> Rm {
    let (register, mem) = (Rm::Reg(any_vreg(rng, tier)), place(rng, true));
    match last {
        Last::Reg => register,
        Last::Low(_) => Rm::Full(mem),
        // There is no such thing as a move under a mask between registers.
        Last::Some(4) if tier == X86::Avx2 => Rm::Full(mem),
        _ if rng.one_in(3) => register,
        Last::Any if tier == X86::Avx512 && rng.one_in(2) => Rm::Broadcast(mem),
        _ => Rm::Full(mem),
    }
}

/// The operand at a place of an instruction, of so many doubles if it is a vector.
fn same_operand(i: &Instruction, at: u32, rm: Rm, doubles: usize, constants: usize) {
    assert_eq!(i.is_broadcast(), matches!(rm, Rm::Broadcast(_)), "{i}");
    match rm {
        Rm::Reg(r) => assert_eq!(whole(i.op_register(at)), vreg(r), "{i}"),
        Rm::Full(mem) | Rm::Broadcast(mem) => {
            assert_eq!(i.op_kind(at), OpKind::Memory, "{i}");
            let doubles = if i.is_broadcast() { 1 } else { doubles };
            assert_eq!(i.memory_size().size(), 8 * doubles, "{i}");
            same_place(i, mem, constants);
        }
    }
}

#[test]
fn vector_instructions() {
    let mut rng = Rng::new(1);
    let lengths = [(X86::Avx2, false), (X86::Avx512, false), (X86::Avx512, true)];
    for (Row(op, avx2, avx512, second, last, number), (tier, half)) in
        ROWS.iter().flat_map(|row| lengths.map(|length| (row, length)))
    {
        let Some(name) = (if tier == X86::Avx2 { *avx2 } else { *avx512 }) else { continue };
        // Parts of vectors are of whole ones only.
        if half && matches!(last, Last::Some(_)) {
            continue;
        }
        let lanes = tier.lanes() as usize >> half as usize;
        for _ in 0..400 {
            let rng = &mut rng;
            let (dst, src) = (any_vreg(rng, tier), second.then(|| any_vreg(rng, tier)));
            let rm = last_operand(rng, tier, *last);
            let one = any_k(rng);
            let under = match last {
                Last::Low(_) => Under::All,
                _ if tier == X86::Avx2 => Under::All,
                _ => rng.pick(&[Under::All, Under::Merge(one), Under::Zero(one)]),
            };
            let imm = number.then(|| rng.below(16) as u8);
            let (i, constants) = decoded(tier, |asm| {
                asm.half = half;
                asm.vector(*op, dst, src, rm, under, imm);
            });
            assert_eq!(i.mnemonic(), name, "{i}");
            same_mask(&i, under);
            let bytes = if matches!(last, Last::Low(_)) { 16 } else { 8 * lanes };
            assert_eq!((whole(i.op0_register()), i.op0_register().size()), (vreg(dst), bytes), "{i}");
            if let Some(src) = src {
                assert_eq!(whole(i.op1_register()), vreg(src), "{i}");
            }
            let doubles = match last {
                Last::Any | Last::Vector | Last::Reg => lanes,
                Last::Some(n) | Last::Low(n) => *n,
                Last::One => 1,
            };
            let at = 1 + *second as u32;
            same_operand(&i, at, rm, doubles, constants);
            match imm {
                Some(n) => assert_eq!((i.op_count(), i.immediate8()), (at + 2, n), "{i}"),
                None => assert_eq!(i.op_count(), at + 1, "{i}"),
            }
        }
    }
}

#[test]
fn what_goes_into_memory() {
    let mut rng = Rng::new(2);
    for (tier, _) in TIERS.into_iter().flat_map(|t| (0..400).map(move |n| (t, n))) {
        let (from, mem, one) = (any_vreg(&mut rng, tier), place(&mut rng, true), any_k(&mut rng));
        for (op, name, bytes) in [
            (STORE, Mnemonic::Vmovupd, tier.bytes() as usize),
            (STORE_LOW, Mnemonic::Vmovsd, 8),
            (STORE_HIGH, Mnemonic::Vmovhpd, 8),
        ] {
            let masks = bytes == 64 && rng.one_in(2);
            let under = if masks { Under::Merge(one) } else { Under::All };
            let (i, constants) = decoded(tier, |asm| asm.vector(op, from, None, Rm::Full(mem), under, None));
            assert_eq!((i.mnemonic(), i.op0_kind()), (name, OpKind::Memory), "{i}");
            assert_eq!(whole(i.op1_register()), vreg(from), "{i}");
            assert_eq!(i.memory_size().size(), bytes, "{i}");
            same_mask(&i, under);
            same_place(&i, mem, constants);
        }
        let to = any_vreg(&mut rng, tier);
        let part = rng.below(tier.lanes() as usize / 2) as u8;
        let (i, _) =
            decoded(tier, |asm| asm.vector(EXTRACT_TWO, from, None, Rm::Reg(to), Under::All, Some(part)));
        let name = if tier == X86::Avx2 { Mnemonic::Vextractf128 } else { Mnemonic::Vextractf64x2 };
        assert_eq!((i.mnemonic(), i.immediate8()), (name, part), "{i}");
        assert_eq!((whole(i.op0_register()), whole(i.op1_register())), (vreg(to), vreg(from)), "{i}");
        if tier == X86::Avx2 {
            let mask = any_vreg(&mut rng, tier);
            let (i, constants) = decoded(tier, |asm| asm.all(MASK_STORE, from, Some(mask), Rm::Full(mem)));
            let registers = (whole(i.op1_register()), whole(i.op2_register()));
            assert_eq!((i.mnemonic(), registers), (Mnemonic::Vmaskmovpd, (vreg(mask), vreg(from))), "{i}");
            assert_eq!(i.memory_size().size(), 32, "{i}");
            same_place(&i, mem, constants);
        }
    }
}

#[test]
fn gathers_and_scatters() {
    let (mut rng, tier) = (Rng::new(3), X86::Avx512);
    for _ in 0..400 {
        let [data, index] = loop {
            let two = [any_vreg(&mut rng, tier), any_vreg(&mut rng, tier)];
            if two[0] != two[1] {
                break two;
            }
        };
        let mem = Mem::Lanes { base: any_gpr(&mut rng), index, disp: rng.pick(&DISPLACEMENTS) };
        let under = Under::Merge(any_k(&mut rng));
        for (op, name) in [(GATHER, Mnemonic::Vgatherqpd), (SCATTER, Mnemonic::Vscatterqpd)] {
            let (i, constants) = decoded(tier, |asm| asm.vector(op, data, None, Rm::Full(mem), under, None));
            assert_eq!(i.mnemonic(), name, "{i}");
            let register = if op == GATHER { i.op0_register() } else { i.op1_register() };
            assert_eq!(register, vreg(data), "{i}");
            same_mask(&i, under);
            same_place(&i, mem, constants);
        }
    }
}

#[test]
fn comparisons_and_masks() {
    let mut rng = Rng::new(4);
    for (tier, _) in TIERS.into_iter().flat_map(|t| (0..400).map(move |n| (t, n))) {
        let rng = &mut rng;
        let avx2 = tier == X86::Avx2;
        let mut any_mask = || if avx2 { Mask(any_vreg(rng, tier).0) } else { any_k(rng) };
        let [to, a, b] = [(); 3].map(|()| any_mask());
        let mask = |m: Mask| if avx2 { vreg(Vreg(m.0)) } else { k(m) };
        let (x, y, predicate) = (any_vreg(rng, tier), any_vreg(rng, tier), rng.below(32) as u8);
        let rm = last_operand(rng, tier, Last::Any);
        let (i, constants) = decoded(tier, |asm| asm.compare(to, x, rm, predicate));
        assert_eq!((i.mnemonic(), whole(i.op0_register())), (Mnemonic::Vcmppd, mask(to)), "{i}");
        assert_eq!((whole(i.op1_register()), i.immediate8()), (vreg(x), predicate), "{i}");
        same_operand(&i, 2, rm, tier.lanes() as usize, constants);
        let (i, constants) = decoded(tier, |asm| asm.blend(y, x, rm, to));
        let name = if avx2 { Mnemonic::Vblendvpd } else { Mnemonic::Vblendmpd };
        let by = if avx2 { whole(i.op3_register()) } else { i.op_mask() };
        assert_eq!((i.mnemonic(), by), (name, mask(to)), "{i}");
        assert_eq!((whole(i.op0_register()), whole(i.op1_register())), (vreg(y), vreg(x)), "{i}");
        same_operand(&i, 2, rm, tier.lanes() as usize, constants);
        for (op, names) in [
            (MASK_AND, [Mnemonic::Kandb, Mnemonic::Vandpd]),
            (MASK_OR, [Mnemonic::Korb, Mnemonic::Vorpd]),
            (MASK_XOR, [Mnemonic::Kxorb, Mnemonic::Vxorpd]),
        ] {
            let (i, _) = decoded(tier, |asm| asm.mask(op, to, a, b));
            let registers = [i.op0_register(), i.op1_register(), i.op2_register()].map(whole);
            assert_eq!((i.mnemonic(), registers), (names[avx2 as usize], [to, a, b].map(mask)), "{i}");
        }
        let (i, constants) = decoded(tier, |asm| asm.mask_not(to, a));
        let registers = (whole(i.op0_register()), whole(i.op1_register()));
        let name = if avx2 { Mnemonic::Vxorpd } else { Mnemonic::Knotb };
        assert_eq!((i.mnemonic(), registers), (name, (mask(to), mask(a))), "{i}");
        if avx2 {
            same_place(&i, Mem::Pool(0), constants);
        }
        let (i, _) = decoded(tier, |asm| asm.any_lane(a));
        let registers = (whole(i.op0_register()), whole(i.op1_register()));
        let name = if avx2 { Mnemonic::Vtestpd } else { Mnemonic::Kortestb };
        assert_eq!((i.mnemonic(), registers), (name, (mask(a), mask(a))), "{i}");
        let r = any_gpr(rng);
        let (i, _) = decoded(tier, |asm| asm.mask_to(r, a));
        let registers = (whole(i.op0_register()), whole(i.op1_register()));
        let name = if avx2 { Mnemonic::Vmovmskpd } else { Mnemonic::Kmovb };
        assert_eq!((i.mnemonic(), registers), (name, (gpr(r), mask(a))), "{i}");
        if avx2 {
            continue;
        }
        let (i, _) = decoded(tier, |asm| asm.mask_from(to, r));
        let registers = (i.op0_register(), whole(i.op1_register()));
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Kmovb, (k(to), gpr(r))), "{i}");
        let (i, _) = decoded(tier, |asm| asm.mask_move(to, a));
        let registers = (i.op0_register(), i.op1_register());
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Kmovb, (k(to), k(a))), "{i}");
    }
}

#[test]
fn shifts_and_conversions() {
    let mut rng = Rng::new(5);
    for (tier, _) in TIERS.into_iter().flat_map(|t| (0..400).map(move |n| (t, n))) {
        let (to, from) = (any_vreg(&mut rng, tier), any_vreg(&mut rng, tier));
        let n = rng.below(64) as u8;
        for (name, i) in [
            (Mnemonic::Vpsllq, decoded(tier, |asm| asm.shift(to, from, n)).0),
            (Mnemonic::Vpsrlq, decoded(tier, |asm| asm.shift_right(to, from, n)).0),
        ] {
            let registers = (whole(i.op0_register()), whole(i.op1_register()));
            assert_eq!((i.mnemonic(), registers), (name, (vreg(to), vreg(from))), "{i}");
            assert_eq!((i.immediate8(), i.op0_register().size()), (n, tier.bytes() as usize), "{i}");
        }
        let r = any_gpr(&mut rng);
        let (i, _) = decoded(tier, |asm| asm.int_to_double(to, r));
        let registers = (whole(i.op0_register()), whole(i.op1_register()), i.op2_register());
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Vcvtsi2sd, (vreg(to), vreg(to), gpr(r))), "{i}");
        let (low, mem) = (Vreg(rng.below(8) as u8), place(&mut rng, false));
        let (i, constants) = decoded(tier, |asm| asm.load_one(low, mem));
        assert_eq!((i.mnemonic(), whole(i.op0_register())), (Mnemonic::Vmovsd, vreg(low)), "{i}");
        same_place(&i, mem, constants);
        let (i, constants) = decoded(tier, |asm| asm.store_one(mem, low));
        assert_eq!((i.mnemonic(), whole(i.op1_register())), (Mnemonic::Vmovsd, vreg(low)), "{i}");
        same_place(&i, mem, constants);
    }
}

/// Instructions of the other tier are a bug.
#[test]
fn tiers_are_kept_apart() {
    let refused = |tier, op, rm, under| {
        let emit = move || Assembler::new(tier).vector(op, Vreg(1), Some(Vreg(2)), rm, under, None);
        std::panic::catch_unwind(emit).is_err()
    };
    let (register, slot) = (Rm::Reg(Vreg(3)), Mem::at(RAX, 8));
    assert!(refused(X86::Avx2, MUL_INT, register, Under::All));
    assert!(refused(X86::Avx2, ADD, register, Under::Merge(Mask(1))));
    assert!(refused(X86::Avx2, ADD, Rm::Broadcast(slot), Under::All));
    assert!(refused(X86::Avx512, PERMUTE, register, Under::All));
    assert!(!refused(X86::Avx2, ADD, register, Under::All));
    assert!(!refused(X86::Avx512, ADD, Rm::Broadcast(slot), Under::Merge(Mask(1))));
}

#[test]
fn general_registers() {
    let mut rng = Rng::new(6);
    for _ in 0..400 {
        let rng = &mut rng;
        let (a, b, n) = (any_gpr(rng), any_gpr(rng), rng.pick(&DISPLACEMENTS));
        let mem = place(rng, true);
        let two = |name: Mnemonic, emit: &dyn Fn(&mut Assembler)| {
            let (i, _) = decoded(X86::Avx2, emit);
            let registers = (i.op0_register(), i.op1_register());
            assert_eq!((i.mnemonic(), registers), (name, (gpr(a), gpr(b))), "{i}");
        };
        two(Mnemonic::Mov, &|asm| asm.copy(a, b));
        two(Mnemonic::Add, &|asm| asm.add(a, b));
        two(Mnemonic::Sub, &|asm| asm.sub(a, b));
        two(Mnemonic::Cmp, &|asm| asm.cmp(a, b));
        two(Mnemonic::Imul, &|asm| asm.mul(a, b));
        two(Mnemonic::Tzcnt, &|asm| asm.lowest_bit(a, b));
        two(Mnemonic::Bt, &|asm| asm.bit(a, b));
        let number = |name: Mnemonic, n: i64, emit: &dyn Fn(&mut Assembler)| {
            let (i, _) = decoded(X86::Avx2, emit);
            let last = i.op_count() - 1;
            assert_eq!((i.mnemonic(), i.op0_register()), (name, gpr(a)), "{i}");
            assert_eq!(i.immediate(last) as i64, n, "{i}");
        };
        number(Mnemonic::Add, n as i64, &|asm| asm.add_imm(a, n));
        number(Mnemonic::Sub, n as i64, &|asm| asm.sub_imm(a, n));
        number(Mnemonic::Cmp, n as i64, &|asm| asm.cmp_imm(a, n));
        number(Mnemonic::Mov, n as i64, &|asm| asm.set(a, n));
        number(Mnemonic::Imul, n as i64, &|asm| asm.mul_imm(a, b, n));
        let small = n as i8;
        number(Mnemonic::And, small as i64, &|asm| asm.and_imm(a, small));
        let by = n as u8 % 64;
        number(Mnemonic::Shl, by as i64, &|asm| asm.shift_left(a, by));
        let memory = |name: Mnemonic, register: u32, emit: &dyn Fn(&mut Assembler)| {
            let (i, constants) = decoded(X86::Avx2, emit);
            assert_eq!((i.mnemonic(), i.op_register(register)), (name, gpr(a)), "{i}");
            assert_eq!(i.op_kind(1 - register), OpKind::Memory, "{i}");
            same_place(&i, mem, constants);
        };
        memory(Mnemonic::Mov, 0, &|asm| asm.load(a, mem));
        memory(Mnemonic::Mov, 1, &|asm| asm.store(mem, a));
        memory(Mnemonic::Lea, 0, &|asm| asm.address(a, mem));
        let (i, constants) = decoded(X86::Avx2, |asm| asm.cmp_zero(mem));
        assert_eq!((i.code(), i.immediate(1)), (Code::Cmp_rm64_imm8, 0), "{i}");
        same_place(&i, mem, constants);
        let c = any_gpr(rng);
        let (i, _) = decoded(X86::Avx2, |asm| asm.low_bits(a, b, c));
        let registers = (i.op0_register(), i.op1_register(), i.op2_register());
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Bzhi, (gpr(a), gpr(b), gpr(c))), "{i}");
        for (name, i) in [
            (Mnemonic::Push, decoded(X86::Avx2, |asm| asm.push(a)).0),
            (Mnemonic::Pop, decoded(X86::Avx2, |asm| asm.pop(a)).0),
        ] {
            assert_eq!((i.mnemonic(), i.op0_register()), (name, gpr(a)), "{i}");
        }
    }
}

#[test]
fn jumps_calls_and_ends() {
    for (when, name) in [
        (Jump::Always, Mnemonic::Jmp),
        (Jump::Below, Mnemonic::Jb),
        (Jump::AboveOrEqual, Mnemonic::Jae),
        (Jump::Equal, Mnemonic::Je),
        (Jump::NotEqual, Mnemonic::Jne),
        (Jump::BelowOrEqual, Mnemonic::Jbe),
        (Jump::Above, Mnemonic::Ja),
    ] {
        for far in [0, 1, 200] {
            for back in [false, true] {
                let mut asm = Assembler::new(X86::Avx2);
                let to = asm.label();
                if back {
                    asm.here(to);
                    (0..far).for_each(|_| asm.ret());
                }
                let at = asm.code.len();
                asm.jump(when, to);
                if !back {
                    (0..far).for_each(|_| asm.ret());
                    asm.here(to);
                }
                asm.ret();
                let code = asm.finish();
                let i = Decoder::with_ip(64, &code.bytes[at..], at as u64, DecoderOptions::NONE).decode();
                let target = if back { 0 } else { at + i.len() + far };
                assert_eq!((i.mnemonic(), i.near_branch_target()), (name, target as u64), "{i}");
            }
        }
    }
    let (i, constants) = decoded(X86::Avx2, |asm| {
        let at = Mem::Pool(asm.reserve_address());
        asm.call(at);
    });
    assert_eq!((i.code(), i.ip_rel_memory_address()), (Code::Call_rm64, constants as u64), "{i}");
    let (i, _) = decoded(X86::Avx2, |asm| assert_eq!(asm.call_near(), 1));
    assert_eq!((i.code(), i.len()), (Code::Call_rel32_64, 5), "{i}");
    assert_eq!(decoded(X86::Avx2, |asm| asm.zero_upper()).0.mnemonic(), Mnemonic::Vzeroupper);
    assert_eq!(decoded(X86::Avx2, |asm| asm.ret()).0.mnemonic(), Mnemonic::Ret);
}
