//! What a function's author allows the optimiser to do to rounding.

use std::fmt;

/// The floating-point mode of a function, from the least permissive to the most.
///
/// It is a permission, so that code may always be treated as if its mode were a stricter one: a callee is inlined
/// into callers that are at most as permissive as itself. Derivatives inherit the mode of their primal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FpMode {
    /// Results keep their bits.
    Strict,
    /// Results stay within the rounding error that the program as written may have.
    #[default]
    Default,
    /// Whatever holds for real numbers is allowed.
    Fast,
}

impl FpMode {
    /// Every mode, the strictest first.
    pub const ALL: [FpMode; 3] = [FpMode::Strict, FpMode::Default, FpMode::Fast];

    /// Its word in sources and IR text.
    pub fn name(self) -> &'static str {
        match self {
            FpMode::Strict => "strict",
            FpMode::Default => "default",
            FpMode::Fast => "fast",
        }
    }

    /// The mode a word stands for.
    pub fn from_name(name: &str) -> Option<FpMode> {
        FpMode::ALL.into_iter().find(|m| m.name() == name)
    }
}

impl fmt::Display for FpMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
