//! How code is generated.

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
        Options { verify: cfg!(debug_assertions), unit_ops: 500, strips: Some(8), effort: Effort::Full }
    }
}
