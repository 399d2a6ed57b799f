//! The result of a check, as data. The root renders it as text or JSON.

mod blame;

pub use blame::{
    Blame, BlamedKind, BlamedOp, BlamedRewrite, Counterfactual, Iteration, Mistake, MistakeKind, Stage,
};

use crate::coordinates::{Part, index_text};
use crate::nonfinite::root::Root;
use crate::points::Origin;
use crate::settings::Limits;
use crate::tally::{Resolution, Tally};
use crate::verdict::{Severity, Verdict};
use adc_ir::*;
use num_complex::Complex64;
use std::fmt;

/// The result for one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Everything agrees, or what the block expects happened.
    Ok,
    /// As [`Status::Ok`], kinks accepted at some points.
    Kink,
    /// As [`Status::Ok`], but a derivative loses more digits than it need.
    Warned,
    /// Differences are inconclusive about an entry.
    Unsure,
    /// Something disagrees, or nothing was compared, or an expectation was not met.
    Failed,
    /// The check was cancelled; nothing has failed by then, if anything was compared.
    Interrupted,
    /// The check could not be carried out; the diagnostics say why.
    Error,
}

impl Status {
    /// Whether the check passes. What is unsure passes unless `strict`.
    pub fn passes(self, strict: bool) -> bool {
        match self {
            Status::Ok | Status::Kink | Status::Warned => true,
            Status::Unsure => !strict,
            Status::Failed | Status::Interrupted | Status::Error => false,
        }
    }
}

/// Which derivative an entry belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// The derivative of the function.
    First,
    /// The derivative of F(x, v) = vᵀJ, the compiled VJP program.
    Second,
}

words! {
    /// An identity of derivative programs that needs no differences.
    IdentityKind {
        /// ⟨v, J u⟩ = ⟨VJP(v), u⟩.
        Adjoint "adjoint",
        /// VJP(v + 2w) = VJP(v) + 2 VJP(w).
        LinearVjp "linear_vjp",
        /// JVP(u + 2w) = JVP(u) + 2 JVP(w).
        LinearJvp "linear_jvp",
        /// VJP(0) = 0.
        ZeroVjp "zero_vjp",
        /// JVP(0) = 0.
        ZeroJvp "zero_jvp",
        /// The Hessian of vᵀf is symmetric.
        Symmetry "symmetry",
        /// Forward over reverse is reverse over forward.
        Nesting "nesting",
        /// The VJP program returns the function's value, too.
        ValueVjp "value_vjp",
        /// The JVP program returns the function's value, too.
        ValueJvp "value_jvp",
        /// Function and derivatives, run again at the same point, give the same bits.
        Rerun "rerun",
    }
}

impl IdentityKind {
    /// Its statement.
    pub fn statement(self) -> &'static str {
        match self {
            IdentityKind::Adjoint => "⟨v, J u⟩ = ⟨VJP(v), u⟩",
            IdentityKind::LinearVjp => "VJP(v + 2w) = VJP(v) + 2 VJP(w)",
            IdentityKind::LinearJvp => "JVP(u + 2w) = JVP(u) + 2 JVP(w)",
            IdentityKind::ZeroVjp => "VJP(0) = 0",
            IdentityKind::ZeroJvp => "JVP(0) = 0",
            IdentityKind::Symmetry => "the Hessian of vᵀf is symmetric",
            IdentityKind::Nesting => "forward over reverse = reverse over forward",
            IdentityKind::ValueVjp => "the value beside the VJP is the function's",
            IdentityKind::ValueJvp => "the value beside the JVP is the function's",
            IdentityKind::Rerun => "the same result when run again",
        }
    }
}

/// An identity at one point.
#[derive(Clone, Debug)]
pub struct Identity {
    /// First or second derivative.
    pub order: Order,
    /// Which one.
    pub kind: IdentityKind,
    /// Its two sides; if there are several numbers, those that are furthest apart.
    pub sides: (f64, f64),
    /// The largest difference that rounding explains. Beyond it, the identity is evaluated in double-double, and if it
    /// holds there, the programs are compared with their formulas.
    pub tol: f64,
    /// Whether it holds.
    pub status: Verdict,
}

impl Identity {
    /// The distance of the sides, in units of the last place of the larger one.
    pub fn ulps(&self) -> f64 {
        let (a, b) = self.sides;
        let unit = f64::EPSILON * a.abs().max(b.abs());
        if a == b { 0.0 } else { (a - b).abs() / unit.max(f64::MIN_POSITIVE) }
    }
}

/// A small point with a failure.
#[derive(Clone, Debug)]
pub struct Small {
    /// The arguments.
    pub inputs: Vec<Datum>,
    /// Dimensions that had to be made smaller, with their numbers.
    pub dims: Vec<(String, i64)>,
    /// The parameters to differentiate with respect to, if it needs no others.
    pub wrt: Option<Vec<String>>,
    /// The entry that fails.
    pub entry: Entry,
}

/// What a check assumes because normal inputs, or the sizes that are tried first, give no value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Assumed {
    /// Parameters with their lines in a block: `("S", "~ lognormal(0, 1)")`.
    pub domains: Vec<(String, String)>,
    /// Dimensions that need certain sizes, with those of this check.
    pub dims: Vec<(String, i64)>,
    /// A summary: `S, K > 0; n >= 1`.
    pub words: String,
    /// The `check` block that states it.
    pub block: String,
}

/// A point where a derivative program of this order ended in a run-time error.
pub(crate) struct Ended {
    pub error: RuntimeError,
    pub order: Order,
    /// The point, without comparisons.
    pub point: Box<PointReport>,
}

/// One entry of a Jacobian, in real coordinates, at one point.
#[derive(Clone, Debug)]
pub struct Entry {
    /// First or second derivative; for the second, outputs are cotangents (`x_bar`) and inputs are the
    /// function's and the cotangents it is multiplied with (`out_bar`).
    pub order: Order,
    /// Name of the result.
    pub output: String,
    /// The indices of the entry of an array; empty for a scalar.
    pub output_index: Vec<usize>,
    /// Which part of it.
    pub output_part: Part,
    /// Name of the parameter.
    pub input: String,
    /// As [`Self::output_index`].
    pub input_index: Vec<usize>,
    /// Which part of it.
    pub input_part: Part,
    /// Row and column in its unit.
    pub(crate) place: (usize, usize),
    /// Position of the parameter in the function the entry belongs to (the VJP program for the second order).
    pub(crate) parameter: usize,
    /// Position of its result.
    pub(crate) result: usize,
    /// The entry by VJP.
    pub vjp: Option<f64>,
    /// The entry by JVP.
    pub jvp: Option<f64>,
    /// The difference quotient; `None` if it could not be evaluated.
    pub fd: Option<f64>,
    /// Error, tolerance and their quotient of the worst comparison that the entry is part of. The two parts of a complex
    /// number are compared together, by its modulus, and share these.
    pub abs_err: f64,
    /// See [`Self::abs_err`].
    pub tol: f64,
    /// See [`Self::abs_err`]; at most 1 is a pass.
    pub ratio: f64,
    /// The verdict.
    pub status: Verdict,
    /// Whether the tolerance is small enough compared with the entry to test it.
    pub testable: bool,
    /// Estimated error of the difference, under automatic tolerances.
    pub est: Option<f64>,
    /// The smallest relative error that would have been detected, under automatic tolerances; 0 for an entry that is 0.
    pub resolution: Option<f64>,
    /// The slopes to the left and to the right, at a kink.
    pub slopes: Option<(f64, f64)>,
    /// The value of the derivative's formula in double-double, where it was needed.
    pub exact: Option<f64>,
}

impl Entry {
    /// The derivative with the larger error: by VJP, or by JVP.
    pub(crate) fn wrong_one(&self) -> f64 {
        let off = |x: f64| {
            self.fd.map_or(f64::INFINITY, |fd| if x.is_finite() { (x - fd).abs() } else { f64::INFINITY })
        };
        match (self.vjp, self.jvp) {
            (Some(v), Some(j)) if off(j) > off(v) => j,
            (Some(v), _) => v,
            (None, j) => j.unwrap_or(f64::NAN),
        }
    }

    /// `∂out.re/∂z.im`, `∂y[1]/∂W[2, 3]`; a real scalar result is left out unless `with_output`.
    pub fn name(&self, with_output: bool) -> String {
        let silent = !with_output && self.output_part == Part::Whole && self.output_index.is_empty();
        let output = if silent { "" } else { &self.output };
        let (row, column) = (index_text(&self.output_index), index_text(&self.input_index));
        let (of, by) = (self.output_part.suffix(), self.input_part.suffix());
        format!("∂{output}{row}{of}/∂{}{column}{by}", self.input)
    }
}

/// Central difference quotients of an entry with one step.
#[derive(Clone, Copy, Debug)]
pub struct Quotients {
    /// The step, in units of the input.
    pub step: f64,
    /// For the function in double precision, as a usual checker computes it; NaN where it cannot be evaluated.
    pub plain: f64,
    /// For its double-double version; NaN likewise, and without automatic tolerances.
    pub precise: f64,
}

/// Difference quotients of an entry for steps from the input's scale to its last place.
#[derive(Clone, Debug)]
pub struct StepCurve {
    /// The entry.
    pub entry: Entry,
    /// By falling step.
    pub steps: Vec<Quotients>,
}

/// The random direction of a [`Probe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Each real coordinate by 1 or −1, for a complex number in either part: the whole J·u by JVP.
    Signs,
    /// For one input: u_r ranges over its real parts, u_i over imaginary ones, both uniform on [0, 1) and of unit length:
    /// `real(g)·u_r + i·imag(g)·u_i`, g the VJP.
    Positive,
    /// Along u_r by JVP.
    PositiveReal,
    /// Along i·u_i by JVP.
    PositiveImaginary,
}

/// One comparison along the random directions of fast mode, at one point.
#[derive(Clone, Debug)]
pub struct Probe {
    /// First or second derivative.
    pub order: Order,
    /// The mode that it belongs to.
    pub mode: Mode,
    /// The direction.
    pub direction: Direction,
    /// With fixed steps, the parameter that the direction belongs to; else all parameters are displaced together.
    pub input: Option<String>,
    /// Name of the result.
    pub output: String,
    /// The indices of the entry of an array; empty for a scalar, and if all entries are compared together, each multiplied
    /// by its component of a random v.
    pub output_index: Vec<usize>,
    /// Whether re(f) or im(f) was probed; for [`Direction::PositiveReal`] and [`Direction::PositiveImaginary`] the
    /// displaced part of the input, f being probed as a whole.
    pub part: Part,
    /// The derivative along the direction.
    pub derivative: Complex64,
    /// The same from differences.
    pub fd: Complex64,
    /// `|derivative − fd|`
    pub abs_err: f64,
    /// The tolerance.
    pub tol: f64,
    /// At most 1 is a pass.
    pub ratio: f64,
    /// The verdict.
    pub status: Verdict,
    /// As in [`Entry::est`].
    pub est: Option<f64>,
    /// As in [`Entry::resolution`].
    pub resolution: Option<f64>,
}

impl Probe {
    /// `y[2] along u`; with fixed steps `out.re along u_x`, `y[2] along i·u_z.im`.
    pub fn name(&self) -> String {
        let (of, of_u, i) = match self.direction {
            Direction::Signs | Direction::Positive => (self.part.suffix(), "", ""),
            Direction::PositiveReal => ("", self.part.suffix(), ""),
            Direction::PositiveImaginary => ("", self.part.suffix(), "i·"),
        };
        let input = self.input.as_ref().map_or(String::new(), |x| format!("_{x}"));
        format!("{}{}{of} along {i}u{input}{of_u}", self.output, index_text(&self.output_index))
    }

    /// Its name in messages.
    pub(crate) fn title(&self) -> String {
        format!("∂{}", self.name())
    }
}

/// W and CW of a result with respect to a parameter, from the VJP.
#[derive(Clone, Debug)]
pub struct Wirtinger {
    /// Name of the result.
    pub output: String,
    /// The indices of the entry of an array; empty for a scalar.
    pub output_index: Vec<usize>,
    /// Name of the parameter.
    pub input: String,
    /// As [`Self::output_index`].
    pub input_index: Vec<usize>,
    /// ∂f/∂z
    pub w: Complex64,
    /// ∂f/∂z*
    pub cw: Complex64,
    /// Whether CW vanishes within the tolerance: f is holomorphic in z there.
    pub holomorphic: bool,
}

/// Number of entries of a point that a report lists.
pub const MAX_LISTED: usize = 4096;

/// The results at one point.
#[derive(Clone, Debug)]
pub struct PointReport {
    /// Where the point comes from.
    pub origin: Origin,
    /// The function's arguments.
    pub inputs: Vec<Datum>,
    /// The function's results.
    pub value: Vec<Datum>,
    /// The cotangents v of the second-order check; empty if it was not run.
    pub cotangents: Vec<Datum>,
    /// The entries that were compared; if there are more than [`MAX_LISTED`], the most informative ones.
    pub entries: Vec<Entry>,
    /// How many entries were compared, but left out here.
    pub entries_omitted: usize,
    /// The directional comparisons, bounded likewise.
    pub probes: Vec<Probe>,
    /// The identities that need no differences, under automatic tolerances.
    pub identities: Vec<Identity>,
    /// For complex parameters and complex results, bounded likewise.
    pub wirtinger: Vec<Wirtinger>,
}

impl PointReport {
    /// A point without comparisons.
    pub(crate) fn bare(origin: Origin, inputs: &[Datum], value: Vec<Datum>) -> PointReport {
        PointReport {
            origin,
            inputs: inputs.to_vec(),
            value,
            cotangents: Vec::new(),
            entries: Vec::new(),
            entries_omitted: 0,
            probes: Vec::new(),
            identities: Vec::new(),
            wirtinger: Vec::new(),
        }
    }
}

/// Sums over all points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Points at which something was compared.
    pub points: usize,
    /// Special points besides them, at which the derivatives pass; nothing else of them is counted.
    pub special: usize,
    /// Points of the search for the worst case, likewise.
    pub searched: usize,
    /// Points given up because the value is not finite or a run-time error ended the evaluation.
    pub rejected: usize,
    /// Points given up because a loop did not end within the budget of an evaluation.
    pub given_up: usize,
    /// Points with a failing comparison.
    pub failed_points: usize,
    /// Points with a kink, accepted.
    pub kink_points: usize,
    /// All comparisons.
    pub total: Outcome,
    /// Points by their most severe verdict.
    pub points_by: Tally,
}

/// The results of the comparisons at one point, or at many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Entries and directions by verdict.
    pub verdicts: Tally,
    /// Identities by verdict.
    pub identities: Tally,
    /// Entries that were compared.
    pub entries: usize,
    /// Number of compared directions.
    pub directions: usize,
    /// How small an error the comparisons would have detected.
    pub resolution: Resolution,
    /// Entries and directions that agree but are too small compared with the absolute tolerance to be tested by it.
    pub untestable: usize,
    /// The largest quotient of error and tolerance.
    pub worst_ratio: f64,
    /// The score by which a search finds the worst case: the largest error beyond that of its difference, in units of the
    /// rounding that the largest entry is allowed. Tolerances would not do as units: they are wide where errors are large.
    pub(crate) score: f64,
}

impl Outcome {
    /// Entries and directions that were compared.
    pub fn compared(&self) -> usize {
        self.entries + self.directions
    }

    /// Comparisons and identities that fail.
    pub fn failed(&self) -> usize {
        self.verdicts.of_severity(Severity::Failure) + self.identities.of_severity(Severity::Failure)
    }

    /// Comparisons and identities with a warning.
    pub fn warned(&self) -> usize {
        self.verdicts.of_severity(Severity::Warning) + self.identities.of_severity(Severity::Warning)
    }

    /// Entries and directions whose difference could not be evaluated.
    pub fn unchecked(&self) -> usize {
        self.verdicts.of(Verdict::Unchecked)
    }

    /// Those about which differences are inconclusive.
    pub fn unsure(&self) -> usize {
        self.verdicts.of_severity(Severity::Unsure) - self.unchecked()
    }

    /// Those at a kink, accepted.
    pub fn kinks(&self) -> usize {
        self.verdicts.of(Verdict::Kink)
    }

    /// Whether second derivatives would show nothing new: first ones are wrong, or at a kink or an edge.
    pub(crate) fn ends_first_order(&self) -> bool {
        self.failed() + self.kinks() + self.verdicts.of(Verdict::OutOfDomain) > 0
    }

    /// Whether differences could decide none of the derivatives that were compared.
    pub(crate) fn is_undecided(&self) -> bool {
        self.unsure() > 0 && self.unsure() == self.compared()
    }

    /// The most severe verdict.
    pub fn verdict(&self) -> Verdict {
        self.verdicts.worst().max(self.identities.worst()).unwrap_or(Verdict::Ok)
    }

    fn merge(&mut self, other: &Outcome) {
        self.verdicts.merge(&other.verdicts);
        self.identities.merge(&other.identities);
        self.entries += other.entries;
        self.directions += other.directions;
        self.resolution.merge(&other.resolution);
        self.untestable += other.untestable;
        self.worst_ratio = self.worst_ratio.max(other.worst_ratio);
        self.score = self.score.max(other.score);
    }
}

impl Counts {
    /// Counts a point.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.points += 1;
        self.kink_points += usize::from(outcome.kinks() > 0);
        self.failed_points += usize::from(outcome.failed() > 0);
        self.points_by.add(outcome.verdict());
        self.total.merge(outcome);
    }

    /// Adds the counts of another check.
    pub fn merge(&mut self, other: &Counts) {
        self.points += other.points;
        self.given_up += other.given_up;
        self.special += other.special;
        self.searched += other.searched;
        self.rejected += other.rejected;
        self.failed_points += other.failed_points;
        self.kink_points += other.kink_points;
        self.points_by.merge(&other.points_by);
        self.total.merge(&other.total);
    }
}

/// How derivatives were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Means {
    /// Forward mode with differences.
    Jvp,
    /// Reverse mode with differences.
    Vjp,
    /// Forward and reverse mode with each other.
    Adjoint,
    /// Compiled code with the interpreter.
    Jit,
}

impl Means {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Means::Jvp => "jvp",
            Means::Vjp => "vjp",
            Means::Adjoint => "adjoint",
            Means::Jit => "jit",
        }
    }
}

/// A function without a double-double version: differences of it have no more digits than a double.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The op or extern function.
    pub name: String,
    /// Where it is called.
    pub span: Span,
}

/// A loop that did not end within the budget of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endless {
    /// The loop.
    pub span: Span,
    /// How many iterations the function was allowed; `None` for a derivative program, if the function itself had ended.
    pub fuel: Option<u64>,
}

/// The deciding op of a point: it is not smooth there.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The verdict on the point.
    pub verdict: Verdict,
    /// The op's name; for a comparison as it is written.
    pub op: &'static str,
    /// Its source expression.
    pub span: Span,
    /// The distance of its operands from where it is not smooth; 0 exactly there.
    pub margin: f64,
}

/// Parameter or result of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its sizes as they were checked; empty for a scalar, and for an array, too, if the check could not begin.
    pub shape: Vec<usize>,
    /// Its sizes as they are declared: `N`, `N-1`.
    pub declared: Vec<String>,
}

impl Named {
    /// The type with its declared sizes: `f64[N, 2]`.
    pub fn symbolic(&self) -> String {
        match self.declared.as_slice() {
            [] => self.ty.scalar().to_string(),
            sizes => format!("{}[{}]", self.ty.scalar(), sizes.join(", ")),
        }
    }
}

/// The type with its sizes: `f64[3, 2]`.
impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape.len() == self.ty.rank() {
            true => write!(f, "{}{}", self.ty.scalar(), index_text(&self.shape)),
            false => write!(f, "{}", self.ty),
        }
    }
}

/// What is compared at only the first points of a large model, because of its budget of work: at how many points; `None` if
/// at all of them, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparedAt {
    /// Every entry of the Jacobian; at other points it is compared along directions.
    pub entries: Option<usize>,
    /// Every program with the interpreter; at other points the compiled forms are compared with each other.
    pub interpreter: Option<usize>,
}

/// Everything that a check of one function found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The function.
    pub func: FuncId,
    /// Its name.
    pub name: String,
    /// Its dimensions with the numbers they were given.
    pub dims: Vec<(String, i64)>,
    /// Its sets of sizes: one, unless reports were put [together](Self::together).
    pub sets: Vec<Vec<(String, i64)>>,
    /// Whether this is the check of the report before it at other sizes.
    pub further: bool,
    /// What is assumed because normal inputs give no value.
    pub assumed: Option<Assumed>,
    /// The dimensions that are the size of no parameter, so that arguments do not determine them.
    pub open_dims: Vec<String>,
    /// Its parameters.
    pub inputs: Vec<Named>,
    /// Its results.
    pub outputs: Vec<Named>,
    /// The verdict, expectations considered.
    pub status: Status,
    /// Whether the check was cancelled before it was complete: the report contains what was known by then.
    pub interrupted: bool,
    /// What the block expected, if anything.
    pub expected: Option<Expect>,
    /// The modes that were run.
    pub modes: Vec<Mode>,
    /// Step and tolerances used.
    pub limits: Limits,
    /// Seed of points and directions.
    pub seed: u64,
    /// Sums over all points.
    pub counts: Counts,
    /// The point to show: that of the first message about a wrong entry, else the one with the largest ratio of error and
    /// tolerance.
    pub worst: Option<PointReport>,
    /// A small point with the failure of [`Self::worst`], if [`crate::Settings::shrink`] asks for it.
    pub small: Option<Small>,
    /// All points, in order, if [`crate::Settings::every_point`] asks for them.
    pub points: Vec<PointReport>,
    /// Difference quotients of the worst entries of that point, for as many as [`crate::Settings::curves`] asks for.
    pub curves: Vec<StepCurve>,
    /// The ratio there; infinite if a derivative is not finite.
    pub worst_ratio: f64,
    /// The entry or probe that has it, by name.
    pub worst_entry: String,
    /// What was compared with what.
    pub means: Vec<Means>,
    /// The number of points at which it was compared, unless all.
    pub compared_at: ComparedAt,
    /// The functions that the oracle knows in double precision only.
    pub holes: Vec<Hole>,
    /// The ops that decide where the function is not smooth, each place once.
    pub sites: Vec<Site>,
    /// Functions whose trusted rules were used without comparing them.
    pub trusted: Vec<String>,
    /// Functions whose `#[nonlinear]` rules were not compared: the derivative of the body was used in their place.
    pub nonlinear: Vec<String>,
    /// The parameters of an extern function in which it was found to be linear, or not, as `#[linear]` claims.
    pub linear: Vec<String>,
    /// Functions through whose rules second derivatives were not compared: `#[check(first_order)]`.
    pub first_order: Vec<String>,
    /// What is to blame for the first wrong entry, if that was found.
    pub blame: Option<Blame>,
    /// The origin of the first derivative that is not finite.
    pub root: Option<Root>,
    /// Why forward mode was skipped, though it belongs to the default modes.
    pub forward_skipped: Option<Diagnostic>,
    /// Why reverse mode was skipped, likewise.
    pub reverse_skipped: Option<Diagnostic>,
    /// Why the second-order check was skipped, though it belongs to the default modes.
    pub gradgrad_skipped: Option<Diagnostic>,
    /// The first run-time error that made a point unusable.
    pub rejected_by: Option<RuntimeError>,
    /// The loop that did not end at the first point that was given up.
    pub given_up_by: Option<Endless>,
    /// The messages, the verdict's reason first.
    pub diagnostics: Vec<Diagnostic>,
}

fn add_new<T: PartialEq + Clone>(to: &mut Vec<T>, from: &[T]) {
    for x in from {
        if !to.contains(x) {
            to.push(x.clone());
        }
    }
}

impl Report {
    /// Whether names of real results belong into entry names: there are several results.
    pub fn names_outputs(&self) -> bool {
        self.outputs.len() > 1
    }

    /// The reports of one check at several sizes as one: sums, the verdict and the point of the worst of them, and every
    /// message once.
    ///
    /// # Panics
    /// If there is none.
    pub fn together(reports: &[Report]) -> Report {
        let (first, others) = reports.split_first().expect("a check has a report");
        let mut all = first.clone();
        others.iter().for_each(|r| all.merge(r));
        all
    }

    /// Whether one of its messages is about the same thing at the same place.
    pub fn tells(&self, d: &Diagnostic) -> bool {
        let place = |d: &Diagnostic| d.labels.iter().find(|l| l.primary).map(|l| l.span);
        self.diagnostics.iter().any(|own| (own.code, place(own)) == (d.code, place(d)))
    }

    fn merge(&mut self, other: &Report) {
        let news: Vec<Diagnostic> = other.diagnostics.iter().filter(|d| !self.tells(d)).cloned().collect();
        // The numbers shown are those of one of them.
        let graver = (other.status, other.worst_ratio) > (self.status, self.worst_ratio);
        if self.worst.is_none() || graver {
            self.dims.clone_from(&other.dims);
            self.worst.clone_from(&other.worst);
            self.small.clone_from(&other.small);
            self.curves.clone_from(&other.curves);
            (self.worst_ratio, self.worst_entry) = (other.worst_ratio, other.worst_entry.clone());
            self.blame.clone_from(&other.blame);
            self.root.clone_from(&other.root);
            self.inputs.clone_from(&other.inputs);
            self.outputs.clone_from(&other.outputs);
            self.diagnostics.splice(0..0, news);
        } else {
            self.diagnostics.extend(news);
        }
        self.status = self.status.max(other.status);
        self.sets.extend(other.sets.iter().cloned());
        self.counts.merge(&other.counts);
        self.points.extend(other.points.iter().cloned());
        add_new(&mut self.means, &other.means);
        add_new(&mut self.holes, &other.holes);
        add_new(&mut self.sites, &other.sites);
        add_new(&mut self.trusted, &other.trusted);
        add_new(&mut self.nonlinear, &other.nonlinear);
        add_new(&mut self.linear, &other.linear);
        add_new(&mut self.first_order, &other.first_order);
        self.interrupted |= other.interrupted;
        self.given_up_by = self.given_up_by.or(other.given_up_by);
        for (to, from) in [
            (&mut self.forward_skipped, &other.forward_skipped),
            (&mut self.reverse_skipped, &other.reverse_skipped),
            (&mut self.gradgrad_skipped, &other.gradgrad_skipped),
        ] {
            *to = to.take().or(from.clone());
        }
        self.rejected_by = self.rejected_by.take().or(other.rejected_by.clone());
    }

    /// As [`Status::passes`]; `strict` accepts no assumptions.
    pub fn passes(&self, strict: bool) -> bool {
        self.status.passes(strict) && !(strict && self.assumed.is_some())
    }
}
