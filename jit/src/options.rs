//! How code is generated.

use crate::lower::strips::Fault;
use std::sync::OnceLock;

/// How code is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Runs Cranelift's verifier on everything generated. On in debug builds.
    pub verify: bool,
    /// About how many operations a native function gets before an IR function is cut into several. Compile time
    /// grows with its square where many values are live, the cost of the cuts with its inverse.
    pub unit_ops: usize,
    /// How many iterations an innermost loop has at least that runs over several elements at once, where it can; a loop whose iterations
    /// are not known runs so, too. `None`: no loop does. The bits are the same.
    pub strips: Option<u32>,
    /// What code generation may cost. The bits are the same.
    pub effort: Effort,
    /// The widest vectors of loops over several elements at once. The bits are the same.
    pub simd: Simd,
    /// Whether elements that do not fill a vector of 512 bits are computed in half of one, if half is enough. The bits are the same.
    pub halves: bool,
    /// Whether functions of few doubles take them in registers, too ([`crate::Compiled::call_registers`]): their code is then made twice.
    pub registers: bool,
    /// A mistake in every strip that has a place for it, the place with this number, for tests of what finds such mistakes.
    pub fault: Option<(Fault, usize)>,
}

/// Vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Simd {
    /// Vectors of 128 bits.
    Baseline,
    /// Those of 256 bits of x86-64 (AVX2 and FMA).
    Avx2,
    /// Those of 512 bits of x86-64 (AVX-512 F, DQ and VL).
    Avx512,
}

impl Simd {
    /// Whether this machine has the instructions.
    pub fn is_there(self) -> bool {
        match self {
            Simd::Baseline => true,
            #[cfg(all(target_arch = "x86_64", unix))]
            Simd::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
                    && std::arch::is_x86_feature_detected!("bmi1")
            }
            #[cfg(all(target_arch = "x86_64", unix))]
            Simd::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("bmi1")
                    && std::arch::is_x86_feature_detected!("bmi2")
            }
            #[cfg(not(all(target_arch = "x86_64", unix)))]
            Simd::Avx2 | Simd::Avx512 => false,
        }
    }

    /// Whether this machine computes 512 bits in two parts, so that half a vector takes half the time. On others it takes longer than a whole
    /// one: of their two units for 512 bits, one computes vectors of 256 bits.
    fn is_in_two_parts() -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::__cpuid;
            let vendor = __cpuid(0);
            let is_amd =
                [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).concat() == b"AuthenticAMD";
            let signature = __cpuid(1).eax;
            let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
            is_amd && family == ZEN_4
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// The variable that names one.
    pub const VARIABLE: &str = "ADC_SIMD";

    /// All of them, the narrowest first.
    pub const ALL: [Simd; 3] = [Simd::Baseline, Simd::Avx2, Simd::Avx512];

    /// Those that this machine has.
    pub fn all_there() -> Vec<Simd> {
        Simd::ALL.into_iter().filter(|s| s.is_there()).collect()
    }

    /// What the variable `ADC_SIMD` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Simd::Baseline => "baseline",
            Simd::Avx2 => "avx2",
            Simd::Avx512 => "avx512",
        }
    }

    /// What the variable `ADC_SIMD` names, `baseline`, `avx2` or `avx512`; without it, the widest this machine has.
    ///
    /// # Errors
    /// It names something else, or what this machine has not.
    pub fn chosen() -> Result<Simd, String> {
        match std::env::var(Simd::VARIABLE).ok().as_deref() {
            None | Some("") => Ok(Simd::all_there().pop().unwrap_or(Simd::Baseline)),
            Some(name) => match Simd::ALL.into_iter().find(|s| s.name() == name) {
                Some(simd) if simd.is_there() => Ok(simd),
                Some(Simd::Avx512) => Err("this machine has no AVX-512".to_string()),
                Some(_) => Err("this machine has no AVX2 with FMA".to_string()),
                None => Err(format!("`{name}` is none of `baseline`, `avx2` and `avx512`")),
            },
        }
    }
}

/// The family of processors by AMD that have AVX-512 and units of 256 bits.
#[cfg(target_arch = "x86_64")]
const ZEN_4: u32 = 0x19;

/// The machine that an object file is for.
#[cfg(feature = "object")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cpu {
    /// What most machines have; of x86-64 those of its third level (AVX2, FMA).
    #[default]
    Baseline,
    /// This one.
    Host,
}

/// How much work goes into code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// As much as makes it run fast.
    #[default]
    Full,
    /// For code that runs a few times only: no optimisation, registers in a single pass. Compiles in less than half the time,
    /// and its time stays linear in the number of operations of a unit, however many values are live.
    Quick,
}

impl Default for Options {
    fn default() -> Options {
        // Found out once: programs do not change their mind in the middle.
        static FOUND: OnceLock<(Simd, bool)> = OnceLock::new();
        let find = || (Simd::chosen().unwrap_or(Simd::Baseline), Simd::is_in_two_parts());
        let (simd, halves) = *FOUND.get_or_init(find);
        Options {
            verify: cfg!(debug_assertions),
            unit_ops: 500,
            strips: Some(8),
            effort: Effort::Full,
            simd,
            halves,
            registers: false,
            fault: None,
        }
    }
}
