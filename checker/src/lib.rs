//! adc's gradient checker: compiled derivatives against compiled differences.
//!
//! Differences are taken of the function's shadow, its double-double version. So they have nearly all digits of the
//! derivative, and an estimate of their own error. [`check`] samples points, compares derivatives with differences there,
//! entry by entry and along random directions, and returns a [`Report`]: plain data, rendered by the root, with a
//! [`Verdict`] for every comparison. [`plan`] lists what there is to check in a file. [`Prepared`] is a check with
//! everything compiled, for callers that choose the points themselves. Fixed steps and tolerances ([`Tolerance::Classic`],
//! whose difference program is [`fd_program`]) are available on request.
//!
//! Conventions (*Gradcheck mechanics*): the cotangent of a real L with respect to z = x + iy is 2·CW = ∂L/∂x + i ∂L/∂y. A
//! complex output counts as the two real functions re(f) and im(f), through the cotangents 1 and i. Directions have ±1 in
//! every real coordinate, for a complex number in either part. With fixed steps, fast mode compares s = re(g)·u_r +
//! i·im(g)·u_i for each output and each input, where g is the VJP, u_r ranges over a real input or the real parts of a
//! complex one and u_i over its imaginary parts, uniform on [0, 1) and of unit length.
//!
//! Invariants:
//! * Difference programs are never simplified and know no domain facts: they stay independent of what they check.
//! * Nothing non-finite, trapped or not evaluated is ever a pass; what could not be compared is counted.
//! * A report depends on module, block and settings only.
//!
//! Absent on purpose: terminals, JSON, files, the parsing of points and flags.

mod assume;
mod backends;
mod blame;
mod budget;
mod check;
mod compare;
mod constants;
mod coordinates;
mod derivatives;
mod differentiated;
mod dims;
mod entry;
mod exact;
mod extent;
mod findings;
mod fixed_steps;
mod freeze;
mod judge;
mod margins;
mod messages;
mod nonfinite;
mod numeric;
mod observe;
mod oracle;
mod passes;
mod plan;
mod points;
mod prepare;
mod promote;
mod quasi;
mod slots;

mod evaluate;
mod random;
mod report;
mod rounding;
mod rules;
mod runner;
mod running;
mod sample;
mod settings;
mod shadow;
mod shrink;
mod sites;
mod special;
mod sums;
mod sweeps;
mod tally;
mod text;
mod underflow;
mod unit;
mod verdict;
mod watch;

pub use adc_jit::Cancel;
pub use assume::{Suggestion, check_block, suggest};
pub use budget::FIRST_FUEL;
pub use check::{check, check_observed};

pub use coordinates::{Part, index_text};
pub use derivatives::{Derivatives, Precise};
pub use fixed_steps::fd_program;
pub use messages::nonfinite::diagnostic as nonfinite_diagnostic;
pub use nonfinite::first_nonfinite;
pub use nonfinite::root::{Birth, How, Root, Zero};
pub use numeric::{Fd, numerical_gradient};
pub use observe::signature;
pub use passes::{Own, Passes};
pub use plan::{Plan, plan};
pub use points::Origin;
pub use prepare::Prepared;
pub use report::{
    Assumed, Blame, BlamedKind, BlamedOp, BlamedRewrite, ComparedAt, Counterfactual, Counts, Direction,
    Endless, Entry, Hole, Identity, IdentityKind, Iteration, MAX_LISTED, Means, Mistake, MistakeKind, Named,
    Order, PointReport, Probe, Quotients, Report, Site, Small, Stage, Status, StepCurve, Wirtinger,
};
pub use running::rounding_bounds;
pub use sample::{bench_lines, sample_point};
pub use settings::{
    Backends, Context, DEFAULT_POINTS, DEFAULT_SEED, Limits, SLOW_LIMIT, Settings, Tolerance,
};
pub use tally::{Resolution, Tally};
pub use verdict::{About, Severity, Verdict, VerdictInfo};
pub use watch::{Observer, Progress, Unobserved};
