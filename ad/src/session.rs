//! A module under differentiation: what the passes are told of a function, and the programs that exist.

use crate::activity::Activity;
use crate::method::Method;
use crate::program::Program;
use crate::rules::Rules;
use crate::storage::Policy;
use adc_ir::{Func, FuncId, Module, Value};
use rustc_hash::FxHashMap;

/// How an active call is differentiated.
#[derive(Clone, Debug)]
pub(crate) enum Treatment {
    /// By a program made from the callee's body.
    Derived(Program),
    /// By a function with the signature of a `jvp` rule (forward) or a `vjp` rule (reverse).
    Linear(LinearRule),
    /// By the callee itself, at the tangents in the place of its `#[linear]` arguments: forward mode only.
    Itself,
    /// By a `partial` rule.
    Partial { func: FuncId, holomorphic: Vec<bool> },
}

#[derive(Clone, Debug)]
pub(crate) enum LinearRule {
    Written(FuncId),
    Transposed(Program),
}

/// An active call: its treatment, and the positions of the parameters and results of the callee that take part.
#[derive(Clone, Debug)]
pub(crate) struct ActiveCall {
    pub(crate) treatment: Treatment,
    pub(crate) wrt: Vec<usize>,
    pub(crate) outputs: Vec<usize>,
}

/// A function about to be differentiated and what is known about it.
pub(crate) struct Prepared {
    /// The function, or a call of it if it has rules.
    pub(crate) func: Func,
    pub(crate) wrt: Vec<usize>,
    pub(crate) outputs: Vec<usize>,
    pub(crate) activity: Activity,
    /// By the first result of the call.
    pub(crate) calls: FxHashMap<Value, ActiveCall>,
}

/// A module with the programs made so far.
pub(crate) struct Session<'m> {
    pub(crate) m: &'m mut Module,
    names: FxHashMap<String, FuncId>,
    pub(crate) policy: Policy,
    pub(crate) rules: &'m Rules,
}

impl<'m> Session<'m> {
    pub(crate) fn new(m: &'m mut Module, Method { rules, policy }: Method<'m>) -> Session<'m> {
        let names = m.iter().map(|(id, f)| (f.name.clone(), id)).collect();
        Session { m, names, policy, rules }
    }

    pub(crate) fn add(&mut self, func: Func) {
        self.names.insert(func.name.clone(), FuncId(self.m.funcs.len() as u32));
        self.m.funcs.push(func);
    }

    /// The functions of a program that has been made.
    pub(crate) fn existing(&self, program: &Program) -> Option<Vec<FuncId>> {
        program.names(self.m, self.policy).iter().map(|n| self.names.get(n).copied()).collect()
    }

    /// The function that stands for a rule.
    pub(crate) fn rule_func(&self, rule: &LinearRule) -> FuncId {
        match rule {
            LinearRule::Written(f) => *f,
            LinearRule::Transposed(program) => self.existing(program).expect("made before its callers")[0],
        }
    }
}
