//! The verifier. It runs after every pass in tests and debug builds; an error is a bug of adc, never of a user.
//!
//! What it checks, in every function:
//! * dimensions, parameters and results: distinct names, dimensions and parameters define values, domains fit their types
//!   and are not empty, the body yields the declared results, whose sizes the caller can tell;
//! * values: in range, defined once, used only after their definition and inside the region that defines them; as many
//!   sizes as axes, made of integers that are visible where the value is defined;
//! * instructions: types and sizes of operands and results; numbers of operands, results, regions; the parameters of
//!   regions and what they yield; nesting of at most [`MAX_DEPTH`]. Sizes are compared by their normal forms, as far
//!   as [`Known`](crate::dims::Known) knows the values in them;
//! * rules: one of a kind, their functions' parameters and results as [`RuleKind`] says;
//!
//! and of the module: distinct function names, calls of existing functions only, no function that calls itself,
//! not even through others, unless all of them have dimensions: that ends when the dimensions are numbers.
//!
//! It goes on behind an error, so that one run lists all of them.

mod func;
mod rules;

use crate::diag::Span;
use crate::module::*;
use rustc_hash::FxHashSet;
use std::fmt;

/// Regions nest to this depth at most, so that passes may recurse over them.
pub const MAX_DEPTH: usize = 512;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function.
    pub func: String,
    /// The instruction as text, without its regions; empty if the error is about the function itself.
    pub inst: String,
    /// What is wrong with it.
    pub message: String,
    /// The source expression the instruction (or function) comes from.
    pub span: Span,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inst.as_str() {
            "" => write!(f, "in `{}`: {}", self.func, self.message),
            inst => write!(f, "in `{}`, `{inst}`: {}", self.func, self.message),
        }
    }
}

impl std::error::Error for VerifyError {}

/// Checks a whole module.
pub fn verify(m: &Module) -> Result<(), Vec<VerifyError>> {
    let mut errors = Vec::new();
    let mut names = FxHashSet::default();
    for func in &m.funcs {
        if !names.insert(func.name.as_str()) {
            errors.push(about(func, "the name is taken by another function".into()));
        }
        errors.extend(verify_func(m, func).err().into_iter().flatten());
    }
    errors.extend(cycles(m));
    errors.extend(recursion(m));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks one function of a module (which gives the signatures of its callees).
pub fn verify_func(m: &Module, func: &Func) -> Result<(), Vec<VerifyError>> {
    let mut errors = func::check(m, func);
    errors.extend(rules::check(m, func).into_iter().map(|message| about(func, message)));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Panics with every error if the module is malformed: what debug builds do between passes.
///
/// # Panics
/// If [`verify`] finds something; `stage` names the pass that made the module.
#[track_caller]
pub fn assert_valid(m: &Module, stage: &str) {
    if let Err(errors) = verify(m) {
        let lines: Vec<String> = errors.iter().map(VerifyError::to_string).collect();
        panic!("{stage} made an invalid program:\n{}\n{m}", lines.join("\n"));
    }
}

/// An error about a function as a whole.
fn about(func: &Func, message: String) -> VerifyError {
    VerifyError { func: func.name.clone(), inst: String::new(), message, span: func.span }
}

/// One error per call that closes a cycle in which a function has no dimensions.
fn cycles(m: &Module) -> Vec<VerifyError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let callees: Vec<Vec<FuncId>> = m.funcs.iter().map(Func::callees).collect();
    let mut state = vec![State::New; m.funcs.len()];
    let mut errors = Vec::new();
    for root in 0..m.funcs.len() {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        // Functions whose calls are being followed, each with the position of the next call.
        let mut path = vec![(root, 0)];
        while let Some((f, next)) = path.last_mut() {
            let f = *f;
            let Some(callee) = callees[f].get(*next) else {
                state[f] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let callee = callee.0 as usize;
            match state.get(callee) {
                Some(State::New) => {
                    state[callee] = State::Open;
                    path.push((callee, 0));
                }
                Some(State::Open) => {
                    let from =
                        path.iter().position(|(g, _)| *g == callee).expect("open functions are on the path");
                    let recursive = |(g, _): &(usize, usize)| !m.funcs[*g].dims.is_empty();
                    if path[from..].iter().all(recursive) {
                        continue;
                    }
                    let names: Vec<&str> =
                        path[from..].iter().map(|(g, _)| m.funcs[*g].name.as_str()).collect();
                    let text =
                        format!("calls form a cycle: {} -> {}", names.join(" -> "), m.funcs[callee].name);
                    errors.push(about(&m.funcs[f], text));
                }
                Some(State::Done) | None => {}
            }
        }
    }
    errors
}

/// Functions without dimensions on cycles of functions with dimensions.
fn recursion(m: &Module) -> Vec<VerifyError> {
    let in_range = |f: &FuncId| (f.0 as usize) < m.funcs.len();
    if !m.funcs.iter().all(|f| f.callees().iter().all(in_range)) {
        return Vec::new();
    }
    // A cycle has a call against the order.
    let mut place = vec![0; m.funcs.len()];
    m.callees_first().iter().enumerate().for_each(|(i, f)| place[f.0 as usize] = i);
    let backward: Vec<(FuncId, FuncId)> = (m.iter())
        .flat_map(|(f, func)| func.callees().into_iter().map(move |g| (f, g)))
        .filter(|(f, g)| place[g.0 as usize] >= place[f.0 as usize] && !m.func(*f).dims.is_empty())
        .collect();
    let mut found = FxHashSet::default();
    for (f, g) in backward {
        let without = m.reachable(g).into_iter().filter(|h| m.func(*h).dims.is_empty());
        found.extend(without.filter(|h| m.reachable(*h).contains(&f)));
    }
    let mut found: Vec<FuncId> = found.into_iter().collect();
    found.sort();
    let text = "calls itself through others, and has no dimensions";
    found.into_iter().map(|f| about(m.func(f), text.into())).collect()
}
