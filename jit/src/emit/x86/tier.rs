//! Which instructions there are, and what follows from that.

/// Machine code of x86-64 for strips, by its vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum X86 {
    /// AVX2 and FMA: four lanes, sixteen registers, which hold masks as well.
    Avx2,
    /// AVX-512 F, DQ and VL: eight lanes, 32 registers, mask registers.
    Avx512,
}

impl X86 {
    /// Lanes of a vector.
    pub(super) fn lanes(self) -> i64 {
        match self {
            X86::Avx2 => 4,
            X86::Avx512 => 8,
        }
    }

    /// Bytes of a vector.
    pub(super) fn bytes(self) -> i32 {
        8 * self.lanes() as i32
    }

    /// Vector registers.
    pub(super) fn registers(self) -> u8 {
        match self {
            X86::Avx2 => 16,
            X86::Avx512 => 32,
        }
    }

    /// Registers that a loop inside leaves to what it computes, at least. An operation needs six at once.
    pub(super) fn computing(self) -> u8 {
        match self {
            X86::Avx2 => 7,
            X86::Avx512 => 12,
        }
    }
}
