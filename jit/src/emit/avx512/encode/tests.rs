//! Every instruction, with random operands, is what a decoder of others' making reads.

use super::*;
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

/// What an instruction is decoded as, if it is all there is, and the constants behind it begin.
fn decoded(emit: impl FnOnce(&mut Assembler)) -> (Instruction, usize) {
    let mut asm = Assembler::default();
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

fn zmm(r: Zmm) -> Register {
    Register::ZMM0 + r.0 as u32
}

fn k(r: Kreg) -> Register {
    Register::K0 + r.0 as u32
}

/// Any register but rsp, which is no index.
fn index(rng: &mut Rng) -> Gpr {
    Gpr(rng.pick(&[0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]))
}

fn any_gpr(rng: &mut Rng) -> Gpr {
    Gpr(rng.below(16) as u8)
}

fn any_zmm(rng: &mut Rng) -> Zmm {
    Zmm(rng.below(32) as u8)
}

fn any_k(rng: &mut Rng) -> Kreg {
    Kreg(1 + rng.below(7) as u8)
}

/// A place in memory; `pool`: of an assembler that is asked for one there.
fn place(rng: &mut Rng, pool: bool) -> Mem {
    if pool && rng.one_in(4) {
        return Mem::Pool(64 * rng.below(3) as u32);
    }
    let index = if rng.one_in(2) { Some(index(rng)) } else { None };
    Mem::At { base: any_gpr(rng), index, disp: rng.pick(&DISPLACEMENTS) }
}

fn same_place(i: &Instruction, mem: Mem, constants: usize) {
    let (base, index, disp) = match mem {
        Mem::Pool(offset) => {
            assert!(i.is_ip_rel_memory_operand(), "{i}");
            assert_eq!(i.ip_rel_memory_address(), constants as u64 + offset as u64, "{i}");
            return;
        }
        Mem::At { base, index, disp } => (base, index.map(gpr), disp),
        Mem::Lanes { base, index, disp } => (base, Some(zmm(index)), disp),
    };
    assert_eq!((i.memory_base(), i.memory_index()), (gpr(base), index.unwrap_or(Register::None)), "{i}");
    assert!(index.is_none() || i.memory_index_scale() == 8, "{i}");
    assert_eq!(i.memory_displacement64() as i64, disp as i64, "{i}");
}

/// A vector instruction: its name, whether it has a second operand, what its last one may be, and whether a number follows.
struct Row(Evex, Mnemonic, bool, Last, bool);

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// A register, or eight doubles, or one for all lanes.
    Any,
    /// A register, or one double.
    One,
    /// A register, or a vector of so many doubles.
    Full(usize),
    /// A register.
    Reg,
    /// One double of a register of 128 bits, to or from memory.
    Memory,
}

const ROWS: [Row; 35] = {
    use Last::*;
    [
        Row(LOAD, Mnemonic::Vmovupd, false, Full(8), false),
        Row(MOVE, Mnemonic::Vmovapd, false, Reg, false),
        Row(BROADCAST, Mnemonic::Vbroadcastsd, false, One, false),
        Row(ADD, Mnemonic::Vaddpd, true, Any, false),
        Row(MUL, Mnemonic::Vmulpd, true, Any, false),
        Row(SUB, Mnemonic::Vsubpd, true, Any, false),
        Row(MIN, Mnemonic::Vminpd, true, Any, false),
        Row(DIV, Mnemonic::Vdivpd, true, Any, false),
        Row(MAX, Mnemonic::Vmaxpd, true, Any, false),
        Row(SQRT, Mnemonic::Vsqrtpd, false, Any, false),
        Row(AND, Mnemonic::Vandpd, true, Any, false),
        Row(OR, Mnemonic::Vorpd, true, Any, false),
        Row(XOR, Mnemonic::Vxorpd, true, Any, false),
        Row(ROUND, Mnemonic::Vrndscalepd, false, Any, true),
        Row(GET_MANT, Mnemonic::Vgetmantpd, false, Any, true),
        Row(GET_EXP, Mnemonic::Vgetexppd, false, Any, false),
        Row(BLEND, Mnemonic::Vblendmpd, true, Any, false),
        Row(TERNARY, Mnemonic::Vpternlogq, true, Any, true),
        Row(ALIGN, Mnemonic::Valignq, true, Any, true),
        Row(MUL_INT, Mnemonic::Vpmullq, true, Any, false),
        Row(INSERT_TWO, Mnemonic::Vinsertf64x2, true, Full(2), true),
        Row(INSERT_FOUR, Mnemonic::Vinsertf64x4, true, Full(4), true),
        Row(LOAD_LOW, Mnemonic::Vmovsd, false, Memory, false),
        Row(LOAD_HIGH, Mnemonic::Vmovhpd, true, Memory, false),
        Row(fma(Form::F132, false, false), Mnemonic::Vfmadd132pd, true, Any, false),
        Row(fma(Form::F213, false, false), Mnemonic::Vfmadd213pd, true, Any, false),
        Row(fma(Form::F231, false, false), Mnemonic::Vfmadd231pd, true, Any, false),
        Row(fma(Form::F132, false, true), Mnemonic::Vfmsub132pd, true, Any, false),
        Row(fma(Form::F213, false, true), Mnemonic::Vfmsub213pd, true, Any, false),
        Row(fma(Form::F231, false, true), Mnemonic::Vfmsub231pd, true, Any, false),
        Row(fma(Form::F132, true, false), Mnemonic::Vfnmadd132pd, true, Any, false),
        Row(fma(Form::F213, true, false), Mnemonic::Vfnmadd213pd, true, Any, false),
        Row(fma(Form::F231, true, false), Mnemonic::Vfnmadd231pd, true, Any, false),
        Row(fma(Form::F132, true, true), Mnemonic::Vfnmsub132pd, true, Any, false),
        Row(fma(Form::F231, true, true), Mnemonic::Vfnmsub231pd, true, Any, false),
    ]
};

/// The register of 512 bits of which a register is a part.
fn whole(r: Register) -> Register {
    r.full_register()
}

fn same_mask(i: &Instruction, under: Under) {
    let (mask, zero) = match under {
        Under::All => (Register::None, false),
        Under::Merge(m) => (k(m), false),
        Under::Zero(m) => (k(m), true),
    };
    assert_eq!((i.op_mask(), i.zeroing_masking()), (mask, zero), "{i}");
}

#[test]
fn vector_instructions() {
    let mut rng = Rng::new(1);
    for Row(op, name, second, last, number) in ROWS {
        for _ in 0..400 {
            let rng = &mut rng;
            let (dst, src) = (any_zmm(rng), second.then(|| any_zmm(rng)));
            let from = any_zmm(rng);
            let rm = match last {
                Last::Reg => Rm::Reg(from),
                Last::Memory => Rm::Full(place(rng, true)),
                _ if rng.one_in(3) => Rm::Reg(from),
                Last::Any if rng.one_in(2) => Rm::Broadcast(place(rng, true)),
                _ => Rm::Full(place(rng, true)),
            };
            let one = any_k(rng);
            let under = match last {
                Last::Memory => Under::All,
                _ => rng.pick(&[Under::All, Under::Merge(one), Under::Zero(one)]),
            };
            let imm = number.then(|| rng.below(16) as u8);
            let (i, constants) = decoded(|asm| asm.vector(op, dst, src, rm, under, imm));
            assert_eq!(i.mnemonic(), name, "{i}");
            same_mask(&i, under);
            assert_eq!(whole(i.op0_register()), zmm(dst), "{i}");
            let at = 1 + second as u32;
            if let Some(src) = src {
                assert_eq!(whole(i.op1_register()), zmm(src), "{i}");
            }
            assert_eq!(i.is_broadcast(), matches!(rm, Rm::Broadcast(_)), "{i}");
            match rm {
                Rm::Reg(r) => assert_eq!(whole(i.op_register(at)), zmm(r), "{i}"),
                Rm::Full(mem) | Rm::Broadcast(mem) => {
                    assert_eq!(i.op_kind(at), OpKind::Memory, "{i}");
                    let doubles = match (last, rm) {
                        (Last::Any, Rm::Full(_)) => 8,
                        (Last::Full(n), _) => n,
                        _ => 1,
                    };
                    assert_eq!(i.memory_size().size(), 8 * doubles, "{i}");
                    same_place(&i, mem, constants);
                }
            }
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
    for _ in 0..400 {
        let (from, mem, one) = (any_zmm(&mut rng), place(&mut rng, true), any_k(&mut rng));
        for (op, name, bytes, masks) in [
            (STORE, Mnemonic::Vmovupd, 64, true),
            (STORE_LOW, Mnemonic::Vmovsd, 8, false),
            (STORE_HIGH, Mnemonic::Vmovhpd, 8, false),
        ] {
            let under = if masks && rng.one_in(2) { Under::Merge(one) } else { Under::All };
            let (i, constants) = decoded(|asm| asm.vector(op, from, None, Rm::Full(mem), under, None));
            assert_eq!((i.mnemonic(), i.op0_kind()), (name, OpKind::Memory), "{i}");
            assert_eq!(whole(i.op1_register()), zmm(from), "{i}");
            assert_eq!(i.memory_size().size(), bytes, "{i}");
            same_mask(&i, under);
            same_place(&i, mem, constants);
        }
        let (to, part) = (any_zmm(&mut rng), rng.below(4) as u8);
        let (i, _) = decoded(|asm| asm.vector(EXTRACT_TWO, from, None, Rm::Reg(to), Under::All, Some(part)));
        assert_eq!(i.mnemonic(), Mnemonic::Vextractf64x2, "{i}");
        assert_eq!((whole(i.op0_register()), whole(i.op1_register())), (zmm(to), zmm(from)), "{i}");
        assert_eq!(i.immediate8(), part, "{i}");
    }
}

#[test]
fn gathers_and_scatters() {
    let mut rng = Rng::new(3);
    for _ in 0..400 {
        let [data, index] = loop {
            let two = [any_zmm(&mut rng), any_zmm(&mut rng)];
            if two[0] != two[1] {
                break two;
            }
        };
        let mem = Mem::Lanes { base: any_gpr(&mut rng), index, disp: rng.pick(&DISPLACEMENTS) };
        let under = Under::Merge(any_k(&mut rng));
        for (op, name) in [(GATHER, Mnemonic::Vgatherqpd), (SCATTER, Mnemonic::Vscatterqpd)] {
            let (i, constants) = decoded(|asm| asm.vector(op, data, None, Rm::Full(mem), under, None));
            assert_eq!(i.mnemonic(), name, "{i}");
            let register = if op == GATHER { i.op0_register() } else { i.op1_register() };
            assert_eq!(register, zmm(data), "{i}");
            same_mask(&i, under);
            same_place(&i, mem, constants);
        }
    }
}

#[test]
fn comparisons_and_masks() {
    let mut rng = Rng::new(4);
    for _ in 0..400 {
        let rng = &mut rng;
        let (to, a, b) = (any_k(rng), any_k(rng), any_k(rng));
        let (x, mem, predicate) = (any_zmm(rng), place(rng, true), rng.below(32) as u8);
        let register = any_zmm(rng);
        let rm = rng.pick(&[Rm::Reg(register), Rm::Full(mem), Rm::Broadcast(mem)]);
        let (i, constants) = decoded(|asm| asm.compare(to, x, rm, predicate));
        assert_eq!((i.mnemonic(), i.op0_register()), (Mnemonic::Vcmppd, k(to)), "{i}");
        assert_eq!((i.op1_register(), i.immediate8()), (zmm(x), predicate), "{i}");
        match rm {
            Rm::Reg(r) => assert_eq!(i.op2_register(), zmm(r), "{i}"),
            Rm::Full(mem) | Rm::Broadcast(mem) => same_place(&i, mem, constants),
        }
        for (op, name) in [
            (KAND, Mnemonic::Kandb),
            (KOR, Mnemonic::Korb),
            (KXNOR, Mnemonic::Kxnorb),
            (KXOR, Mnemonic::Kxorb),
        ] {
            let (i, _) = decoded(|asm| asm.mask(op, to, a, b));
            let registers = (i.op0_register(), i.op1_register(), i.op2_register());
            assert_eq!((i.mnemonic(), registers), (name, (k(to), k(a), k(b))), "{i}");
        }
        for (op, name) in [(KNOT, Mnemonic::Knotb), (KMOVE, Mnemonic::Kmovb), (KORTEST, Mnemonic::Kortestb)] {
            let (i, _) = decoded(|asm| asm.mask(op, to, a, b));
            assert_eq!((i.mnemonic(), i.op0_register(), i.op1_register()), (name, k(to), k(b)), "{i}");
        }
        let r = any_gpr(rng);
        let (i, _) = decoded(|asm| asm.mask_from(to, r));
        let low = i.op1_register().full_register();
        assert_eq!((i.mnemonic(), i.op0_register(), low), (Mnemonic::Kmovb, k(to), gpr(r)), "{i}");
        let (i, _) = decoded(|asm| asm.mask_to(r, a));
        let low = i.op0_register().full_register();
        assert_eq!((i.mnemonic(), low, i.op1_register()), (Mnemonic::Kmovb, gpr(r), k(a)), "{i}");
    }
}

#[test]
fn shifts_and_conversions() {
    let mut rng = Rng::new(5);
    for _ in 0..400 {
        let (to, from, n) = (any_zmm(&mut rng), any_zmm(&mut rng), rng.below(64) as u8);
        let (i, _) = decoded(|asm| asm.shift(to, from, n));
        let registers = (i.op0_register(), i.op1_register());
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Vpsllq, (zmm(to), zmm(from))), "{i}");
        assert_eq!(i.immediate8(), n, "{i}");
        let r = any_gpr(&mut rng);
        let (i, _) = decoded(|asm| asm.int_to_double(to, r));
        let registers = (whole(i.op0_register()), whole(i.op1_register()), i.op2_register());
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Vcvtsi2sd, (zmm(to), zmm(to), gpr(r))), "{i}");
        let (low, mem) = (Zmm(rng.below(8) as u8), place(&mut rng, false));
        let (i, constants) = decoded(|asm| asm.load_one(low, mem));
        assert_eq!((i.mnemonic(), whole(i.op0_register())), (Mnemonic::Vmovsd, zmm(low)), "{i}");
        same_place(&i, mem, constants);
        let (i, constants) = decoded(|asm| asm.store_one(mem, low));
        assert_eq!((i.mnemonic(), whole(i.op1_register())), (Mnemonic::Vmovsd, zmm(low)), "{i}");
        same_place(&i, mem, constants);
    }
}

#[test]
fn general_registers() {
    let mut rng = Rng::new(6);
    for _ in 0..400 {
        let rng = &mut rng;
        let (a, b, n) = (any_gpr(rng), any_gpr(rng), rng.pick(&DISPLACEMENTS));
        let mem = place(rng, true);
        let two = |name: Mnemonic, emit: &dyn Fn(&mut Assembler)| {
            let (i, _) = decoded(emit);
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
            let (i, _) = decoded(emit);
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
            let (i, constants) = decoded(emit);
            assert_eq!((i.mnemonic(), i.op_register(register)), (name, gpr(a)), "{i}");
            assert_eq!(i.op_kind(1 - register), OpKind::Memory, "{i}");
            same_place(&i, mem, constants);
        };
        memory(Mnemonic::Mov, 0, &|asm| asm.load(a, mem));
        memory(Mnemonic::Mov, 1, &|asm| asm.store(mem, a));
        memory(Mnemonic::Lea, 0, &|asm| asm.address(a, mem));
        let c = any_gpr(rng);
        let (i, _) = decoded(|asm| asm.low_bits(a, b, c));
        let registers = (i.op0_register(), i.op1_register(), i.op2_register());
        assert_eq!((i.mnemonic(), registers), (Mnemonic::Bzhi, (gpr(a), gpr(b), gpr(c))), "{i}");
        for (name, i) in
            [(Mnemonic::Push, decoded(|asm| asm.push(a)).0), (Mnemonic::Pop, decoded(|asm| asm.pop(a)).0)]
        {
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
        (Jump::NotEqual, Mnemonic::Jne),
        (Jump::BelowOrEqual, Mnemonic::Jbe),
        (Jump::Above, Mnemonic::Ja),
    ] {
        for far in [0, 1, 200] {
            for back in [false, true] {
                let mut asm = Assembler::default();
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
    let (i, constants) = decoded(|asm| {
        let at = Mem::Pool(asm.reserve_address());
        asm.call(at);
    });
    assert_eq!((i.code(), i.ip_rel_memory_address()), (Code::Call_rm64, constants as u64), "{i}");
    let (i, _) = decoded(|asm| assert_eq!(asm.call_near(), 1));
    assert_eq!((i.code(), i.len()), (Code::Call_rel32_64, 5), "{i}");
    assert_eq!(decoded(|asm| asm.zero_upper()).0.mnemonic(), Mnemonic::Vzeroupper);
    assert_eq!(decoded(|asm| asm.ret()).0.mnemonic(), Mnemonic::Ret);
}
