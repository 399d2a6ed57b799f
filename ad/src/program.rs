//! What can be asked for: derivative programs, and the names of their functions, by which they are found again.

use crate::storage::Policy;
use adc_ir::{Derivation, Func, FuncId, Module, Operator};

/// One or two functions that a session can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Primal and tangents of all differentiable results.
    Jvp { f: FuncId, wrt: Vec<usize> },
    /// Cotangents, and the primal results in front of them if `primal`.
    Vjp { f: FuncId, wrt: Vec<usize>, outputs: Vec<usize>, primal: bool },
    /// For calls: `fwd` with the residuals the caller cannot know, and `bwd`.
    Split { f: FuncId, wrt: Vec<usize>, outputs: Vec<usize> },
    /// For hosts: a forward function with all residuals, and the pullback.
    Linearize { f: FuncId, wrt: Vec<usize>, outputs: Vec<usize> },
    /// The transpose of a hand-written rule, linear in its parameters from `fixed` on.
    Transpose { rule: FuncId, fixed: usize },
}

impl Program {
    pub(crate) fn func(&self) -> FuncId {
        match self {
            Program::Jvp { f, .. }
            | Program::Vjp { f, .. }
            | Program::Split { f, .. }
            | Program::Linearize { f, .. }
            | Program::Transpose { rule: f, .. } => *f,
        }
    }

    pub(crate) fn wrt(&self, func: &Func) -> Vec<usize> {
        match self {
            Program::Jvp { wrt, .. }
            | Program::Vjp { wrt, .. }
            | Program::Split { wrt, .. }
            | Program::Linearize { wrt, .. } => wrt.clone(),
            Program::Transpose { fixed, .. } => (*fixed..func.params.len()).collect(),
        }
    }

    pub(crate) fn outputs(&self, func: &Func) -> Vec<usize> {
        match self {
            Program::Jvp { .. } | Program::Transpose { .. } => func.differentiable_results(),
            Program::Vjp { outputs, .. }
            | Program::Split { outputs, .. }
            | Program::Linearize { outputs, .. } => outputs.clone(),
        }
    }

    pub(crate) fn direction(&self) -> Direction {
        match self {
            Program::Jvp { .. } => Direction::Forward,
            Program::Vjp { .. }
            | Program::Split { .. }
            | Program::Linearize { .. }
            | Program::Transpose { .. } => Direction::Reverse,
        }
    }

    /// What its functions are.
    pub(crate) fn parts(&self) -> &'static [Derivation] {
        match self {
            Program::Jvp { .. } => &[Derivation::Operator(Operator::Jvp)],
            Program::Vjp { primal: false, .. } => &[Derivation::Operator(Operator::Vjp)],
            Program::Vjp { primal: true, .. } => &[Derivation::Operator(Operator::ValueAndVjp)],
            Program::Split { .. } => &[Derivation::Forward, Derivation::Backward],
            Program::Linearize { .. } => &[Derivation::Linearize, Derivation::Pullback],
            Program::Transpose { .. } => &[Derivation::Transpose],
        }
    }

    /// The names of its functions in a module.
    pub(crate) fn names(&self, m: &Module, policy: Policy) -> Vec<String> {
        let func = m.func(self.func());
        if let Program::Transpose { .. } = self {
            return vec![format!("{}.{}", func.name, Derivation::Transpose.word())];
        }
        let suffix = if self.direction() == Direction::Reverse { policy.suffix() } else { "" };
        let (wrt, outputs) = (self.wrt(func), self.outputs(func));
        self.parts().iter().map(|part| program_name(func, *part, &wrt, &outputs) + suffix).collect()
    }
}

/// `f.vjp` for every differentiable parameter and result, `f.vjp.w0_2.o1` (positions) otherwise.
pub(crate) fn program_name(f: &Func, part: Derivation, wrt: &[usize], outputs: &[usize]) -> String {
    let word = part.word();
    if wrt == f.differentiable_params() && outputs == f.differentiable_results() {
        return format!("{}.{word}", f.name);
    }
    let list = |positions: &[usize]| positions.iter().map(usize::to_string).collect::<Vec<_>>().join("_");
    format!("{}.{word}.w{}.o{}", f.name, list(wrt), list(outputs))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Reverse,
}
