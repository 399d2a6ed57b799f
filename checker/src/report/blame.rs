//! The cause of a failure, as data.

use crate::report::Entry;
pub use adc_ir::interp::Iteration;
use adc_ir::*;

/// What is to blame for a wrong derivative. It was found by experiment: nothing is blamed without its counterfactual.
#[derive(Clone, Debug)]
pub struct Blame {
    /// The entry it was found for, as it was judged.
    pub entry: Entry,
    /// The first form of the derivative that is wrong.
    pub stage: Stage,
    /// The entry in every form, in order.
    pub stages: Vec<(Stage, f64)>,
    /// The op, rule or loop whose derivative is wrong.
    pub op: Option<BlamedOp>,
    /// The rewrite or pass that makes a right derivative wrong.
    pub rewrite: Option<BlamedRewrite>,
    /// The likely mistake.
    pub mistake: Option<Mistake>,
    /// The entry without it; `None` only if neither an op nor a rewrite is blamed.
    pub counterfactual: Option<Counterfactual>,
}

words! {
    /// A form of the derivative, with its word in reports.
    Stage {
        /// As differentiation made it, interpreted.
        Ad "ad",
        /// Simplified, before and after differentiation, interpreted.
        Simplify "simplify",
        /// Compiled.
        Jit "jit",
    }
}

impl Stage {
    /// Its name in messages.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Ad => "raw derivative",
            Stage::Simplify => "simplified",
            Stage::Jit => "compiled",
        }
    }
}

/// What is wrong about an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlamedKind {
    /// adc's rule of an op or of an instruction of arrays.
    Op,
    /// A hand-written rule.
    Rule(RuleKind),
    /// The derivative of a region whose contents have right derivatives.
    Region,
    /// How the contributions of several uses of one value are added up.
    Accumulation,
    /// The derivative of a call, although that of the function is right.
    Call,
}

impl BlamedKind {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            BlamedKind::Op => "op",
            BlamedKind::Rule(_) => "rule",
            BlamedKind::Region => "region",
            BlamedKind::Accumulation => "accumulation",
            BlamedKind::Call => "call",
        }
    }
}

/// An instruction whose derivative is wrong by itself, at values that the program reaches.
#[derive(Clone, Debug)]
pub struct BlamedOp {
    /// What is wrong about it.
    pub kind: BlamedKind,
    /// The op, the function with the rule, the word of the loop, or the value with several uses.
    pub name: String,
    /// The rule in the source; else the expression.
    pub span: Span,
    /// The first execution with the mistake: the loops around it, outermost first.
    pub iterations: Vec<Iteration>,
    /// Its operands there.
    pub inputs: Vec<Datum>,
    /// The worst entry of its own Jacobian there.
    pub entry: Entry,
    /// That entry by its rule.
    pub rule_value: f64,
    /// That entry by differences; `None` at a kink.
    pub fd_value: Option<f64>,
}

/// A rewrite of the simplifier, or one of its passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlamedRewrite {
    /// Its name.
    pub name: String,
    /// The expression that is rewritten, if known.
    pub span: Span,
    /// Its statement.
    pub says: String,
    /// Its condition, if it has one.
    pub domain: Option<String>,
}

/// A kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistakeKind {
    /// The whole derivative is multiplied by a number.
    Factor,
    /// Its sign is wrong.
    Sign,
    /// A conjugate is missing, or one too many.
    Conj,
    /// Rows and columns are exchanged.
    Transposed,
    /// A term is missing, or the whole derivative.
    DroppedTerm,
    /// The derivative of one operand is given to another one.
    Swapped,
    /// It has another power of an operand, or of the result, as a factor.
    Power,
}

impl MistakeKind {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            MistakeKind::Factor => "factor",
            MistakeKind::Sign => "sign",
            MistakeKind::Conj => "conj",
            MistakeKind::Transposed => "transposed",
            MistakeKind::DroppedTerm => "dropped_term",
            MistakeKind::Swapped => "swapped",
            MistakeKind::Power => "power",
        }
    }
}

/// The likely mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its kind.
    pub kind: MistakeKind,
    /// A description for the reader.
    pub text: String,
}

/// The experiment that shows what is to blame: only that is replaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counterfactual {
    /// The entry after the replacement.
    pub value: f64,
    /// Whether it is within its tolerance, or at least within the rounding that is excused.
    pub passes: bool,
}
