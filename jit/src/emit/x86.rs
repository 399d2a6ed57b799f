//! Strips in machine code of our own, for which Cranelift has no vectors: eight lanes at a time with AVX-512, four with AVX2.
//!
//! Code is relocatable: constants lie behind it, and so do the addresses of native functions, unless it goes into a file, where it calls
//! them directly.
//!
//! `loops.rs` has the loops around the body, `body.rs` the operations, `arithmetic.rs`, `streams.rs` and `turns.rs` their parts,
//! `registers.rs` which registers they use, `encode.rs` and `vector.rs` the instructions. The tiers share all of it; where they differ, a
//! `match` says so.

mod arithmetic;
mod body;
mod encode;
mod loops;
mod registers;
mod rows;
mod shared;
mod streams;
mod tables;
mod tier;
mod turns;
mod vector;

pub use encode::MachineCode;
pub use tier::X86;

use super::x2;
use crate::lower::strips::*;
use crate::math;
use crate::options::Simd;
use adc_ir::Diagnostic;
use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_module::{FuncId as NativeId, Linkage, Module, ModuleError, ModuleReloc, ModuleRelocTarget};

/// Largest distance between elements, so that addresses fit into instructions.
const FARTHEST: u32 = 1 << 22;

impl X86 {
    /// The one for these vectors; `None` for those of Cranelift.
    pub(crate) fn of(simd: Simd) -> Option<X86> {
        match simd {
            Simd::Baseline => None,
            Simd::Avx2 => Some(X86::Avx2),
            Simd::Avx512 => Some(X86::Avx512),
        }
    }

    /// Its vectors.
    pub fn simd(self) -> Simd {
        match self {
            X86::Avx2 => Simd::Avx2,
            X86::Avx512 => Simd::Avx512,
        }
    }

    /// Whether a strip of at most so many elements is faster than with two lanes. Elements that do not fill a vector are computed under a
    /// mask, and what is written so is read again by the next loop only after it has reached the cache; what is computed at length does
    /// not care.
    pub(crate) fn is_worth_it(self, strip: &Strip, most: Option<i64>) -> bool {
        const LONG: usize = 24;
        const STRIDED: usize = 2;
        // Of `min` and `max`, which ask for NaN and the signs of zeros.
        const EXTREME: usize = 3;
        const PART: usize = 1;
        const CALL: usize = 100;
        let of = |wanted: fn(&SOp) -> bool| strip.ops.iter().filter(|op| wanted(op)).count();
        let arithmetic = of(|op| op.class() != Class::Nothing && op.operands().count() > 0);
        let extremes = of(|op| matches!(op, SOp::Bin(Bin::Min | Bin::Max, ..)));
        let saved = arithmetic + (EXTREME - 1) * extremes;
        // Elements at a distance are put together one by one, unless they are near each other, and calls are made one by one: that
        // costs so many operations.
        let cost = |op: &SOp| match op {
            SOp::Load(s) | SOp::Store(s, _) => match &strip.streams[*s as usize] {
                s if !loops::is_strided(s) => 0,
                s if strip.is_part(s) => PART,
                _ => STRIDED,
            },
            _ => 0,
        };
        let single: usize = strip.ops.iter().map(cost).sum();
        let lost = single + CALL * of(|op| matches!(op, SOp::Call(..)));
        let long = (arithmetic >= LONG || strip.loops()) && !X86::is_slow_under_masks(strip);
        let fills = most.is_none_or(|n| n >= 2 * self.lanes() || n % self.lanes() == 0);
        self.supports(strip)
            && (strip.loops() || saved >= lost)
            && (fills || (long && most.is_none_or(|n| n >= self.lanes() / 2)))
    }

    /// The code of a strip, before addresses of native functions are filled in, if there is such: on any machine. `direct`: as for a file,
    /// which calls them over distances.
    pub fn machine_code(self, strip: &Strip, direct: bool) -> Option<MachineCode> {
        let natives = x2::callees(strip).filter(|_| self.has_code_for(strip))?;
        Some(loops::code(self, strip, &natives, direct).0)
    }

    fn has_code_for(self, strip: &Strip) -> bool {
        let near = |s: &Stream| {
            let step = match s.step {
                Step::Const(step) => step.unsigned_abs(),
                Step::Unit | Step::Scal(_) | Step::Cycle | Step::Own => 1,
            };
            let turns = s.turns.iter().all(|by| by.unsigned_abs() <= FARTHEST);
            step <= FARTHEST && turns && s.off.unsigned_abs() <= FARTHEST
        };
        strip.check().is_ok()
            && x2::callees(strip).is_some()
            && strip.streams.iter().all(near)
            && loops::fits(self, strip)
    }

    /// Whether a run may begin with any element. An exit is told in pairs from the first one on, so that vectors begin there, too.
    pub(crate) fn begins_anywhere(strip: &Strip) -> bool {
        !strip.exits()
    }

    /// Whether elements that do not fill a vector can be computed in half of one, which takes half the time where a machine computes 512 bits
    /// in two parts: each element is by itself, next to the one before.
    pub(crate) fn has_halves(strip: &Strip) -> bool {
        let near = |s: &Stream| s.step == Step::Unit || s.step == Step::Const(0);
        let plain = |op: &SOp| !matches!(op, SOp::Entry(..));
        !strip.loops()
            && !strip.exits()
            && strip.reds.is_empty()
            && strip.streams.iter().all(near)
            && strip.ops.iter().all(plain)
    }

    /// Whether elements under masks are slow: they are gathered and scattered. What turns loops does not care.
    pub(crate) fn is_slow_under_masks(strip: &Strip) -> bool {
        !strip.loops() && strip.streams.iter().any(loops::is_strided)
    }
}

impl StripBackend for X86 {
    fn begins_anywhere(&self, strip: &Strip) -> bool {
        X86::begins_anywhere(strip)
    }

    fn supports(&self, strip: &Strip) -> bool {
        self.simd().is_there() && self.has_code_for(strip)
    }

    fn compile(&mut self, strip: &Strip) -> Result<Box<dyn StripCode>, Diagnostic> {
        let tier = *self;
        x2::alone(self.supports(strip), false, |memory, id| {
            define(tier, memory.module(), id, strip).map(drop)
        })
    }
}

/// Generates the function of a strip, which [`StripBackend::supports`] took; its code comes back.
pub(crate) fn define(
    tier: X86,
    module: &mut dyn Module,
    id: NativeId,
    strip: &Strip,
) -> Result<Vec<u8>, Box<ModuleError>> {
    let natives = x2::callees(strip).unwrap_or_default();
    // Files have no addresses in their code.
    let in_file = module.isa().flags().is_pic();
    let (code, places) = loops::code(tier, strip, &natives, in_file);
    let (kind, addend) = if in_file { (Reloc::X86CallPCRel4, -4) } else { (Reloc::Abs8, 0) };
    let mut relocs = Vec::with_capacity(places.len());
    for (offset, f) in places {
        let row = math::real_row(f.0).expect("the strip is supported");
        let operands = natives.iter().find(|(g, _)| *g == f).map_or(1, |(_, n)| *n);
        let mut signature = Signature::new(module.isa().default_call_conv());
        signature.params = vec![AbiParam::new(types::F64); operands];
        signature.returns = vec![AbiParam::new(types::F64)];
        let native = module.declare_function(row.symbol, Linkage::Import, &signature)?;
        relocs.push(ModuleReloc {
            offset: offset as u32,
            kind,
            name: ModuleRelocTarget::user(0, native.as_u32()),
            addend,
        });
    }
    module.define_function_bytes(id, 64, &code.bytes, &relocs)?;
    Ok(code.bytes)
}
