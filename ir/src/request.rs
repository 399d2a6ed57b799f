//! What a `check` or `bench` block asks for, as data. The front end fills it from the source, the root
//! overlays command-line flags, the checker carries it out.

use crate::datum::Datum;
use crate::diag::Span;
use crate::module::{Const, FuncId};

/// How a parameter's value is chosen; of an array, each entry by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Normal with mean and standard deviation; complex: independent real and imaginary parts.
    Normal(f64, f64),
    /// Uniform on an interval.
    Uniform(f64, f64),
    /// `exp` of a normal.
    Lognormal(f64, f64),
    /// A uniform integer, both ends included.
    Int(i64, i64),
    /// One of these, equally likely.
    Choice(Vec<Const>),
    /// Uniform on the disk |z| ≤ r.
    Disk(f64),
    /// Uniform on r0 ≤ |z| ≤ r1.
    Annulus(f64, f64),
    /// Uniform within r of x0 (complex: in the disk around it).
    Near(Const, f64),
    /// Uniform within r of the entry of this array. It says the dimensions that its parameter has as bare sizes.
    NearArray(Datum, f64),
    /// Always this.
    Fixed(Const),
    /// Always this array. It says the dimensions that its parameter has as bare sizes.
    Array(Datum),
}

words! {
    /// What a check does at each point.
    Mode {
        /// Every entry of the Jacobian by VJP against central differences.
        Slow "slow",
        /// Random projections of the VJP against differences along random directions.
        Fast "fast",
        /// JVP against the same differences.
        Forward "forward",
        /// Slow and fast checks of F(x, v) = vᵀJ.
        Gradgrad "gradgrad",
    }
}

words! {
    /// What a check block says should happen: a verdict by its name, or one of several.
    Expect {
        /// Everything agrees.
        Ok "ok",
        /// A failure, whatever it is.
        Fail "fail",
        /// Evaluation ends in a run-time error.
        Error "error",
        /// The one-sided slopes differ at a point, and the derivative lies between them.
        Kink "kink",
        /// The derivative's formula is right, but loses more digits than it need; it has six or more.
        Imprecise "imprecise",
        /// The derivative's formula is right, but loses more digits than it need, and has fewer than six.
        Unstable "unstable",
        /// The function has no value on one side of a point.
        OutOfDomain "out_of_domain",
        /// Differences know too few digits to say anything.
        Unsure "unsure",
        /// There is no difference to compare with.
        Unchecked "unchecked",
        /// Derivative and difference disagree.
        Wrong "wrong",
        /// Forward and reverse mode disagree, one of them with the difference.
        Inconsistent "inconsistent",
        /// The one-sided slopes differ at a point, and the derivative does not lie between them.
        BadKink "bad_kink",
        /// The value jumps at a point.
        Discontinuous "discontinuous",
        /// The same code gives other bits when run again.
        Nondeterministic "nondeterministic",
        /// A derivative is not finite.
        Nan "nan",
    }
}

/// A `check` block.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckBlock {
    /// The function to check.
    pub func: FuncId,
    /// Per dimension of the function: its number, if the block says it. Shorter lists say nothing of the rest.
    pub dims: Vec<Option<i64>>,
    /// Per parameter: how it is sampled, if the block says so. (Else: from its domain, else the default of its type.)
    pub params: Vec<Option<Distribution>>,
    /// Positions of the parameters to differentiate; `None`: every differentiable one.
    pub wrt: Option<Vec<usize>>,
    /// Positions of the parameters the derivative is compiled without.
    pub nodiff: Vec<usize>,
    /// Positions of the results to check; `None`: every differentiable one.
    pub outputs: Option<Vec<usize>>,
    /// What to do; `None`: fast, forward, gradgrad, and slow where inputs × outputs ≤ 4096.
    pub modes: Option<Vec<Mode>>,
    /// Number of points.
    pub points: Option<usize>,
    /// Seed of the points and directions.
    pub seed: Option<u64>,
    /// Whether special points are added: 0, ±0, bounds and ties of the declared domains.
    pub edge: bool,
    /// Step of the classic difference.
    pub eps: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Iterations of loops that one evaluation of the function may take.
    pub fuel: Option<u64>,
    /// Bytes of arrays that one evaluation may use.
    pub memory_limit: Option<u64>,
    /// What should happen, if not success.
    pub expect: Option<Expect>,
    /// The block in the source.
    pub span: Span,
}

impl CheckBlock {
    /// The block a function without one gets: every default.
    pub fn default_for(func: FuncId, params: usize, span: Span) -> CheckBlock {
        CheckBlock {
            func,
            dims: Vec::new(),
            params: vec![None; params],
            wrt: None,
            nodiff: Vec::new(),
            outputs: None,
            modes: None,
            points: None,
            seed: None,
            edge: false,
            eps: None,
            atol: None,
            rtol: None,
            fuel: None,
            memory_limit: None,
            expect: None,
            span,
        }
    }
}

/// A `bench` block.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchBlock {
    /// The function to measure.
    pub func: FuncId,
    /// As in [`CheckBlock::dims`].
    pub dims: Vec<Option<i64>>,
    /// As in [`CheckBlock::params`].
    pub params: Vec<Option<Distribution>>,
    /// As in [`CheckBlock::wrt`].
    pub wrt: Option<Vec<usize>>,
    /// As in [`CheckBlock::nodiff`].
    pub nodiff: Vec<usize>,
    /// `primal`, `jvp`, `vjp`, in the order given.
    pub modes: Vec<String>,
    /// Bound on the derivative's counted work over the primal's.
    pub max_ratio: Option<f64>,
    /// The block in the source.
    pub span: Span,
}
