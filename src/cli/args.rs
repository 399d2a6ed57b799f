//! The flags. Everything `--help` says is here.

mod parse;

pub(crate) use parse::Seed;

use super::candidates::{functions, models};
use crate::convention::Convention;
use adc_ir::{FpMode, Mode};
use adc_simplify::OptLevel;
use clap::{Args, Parser, Subcommand, ValueEnum};
use parse::{bytes, dim, mode, opt_level, percent, positive, seed};
use std::path::PathBuf;

/// Differentiate, compile and check small numeric programs
#[derive(Parser)]
#[command(
    name = "adc",
    version,
    about,
    max_term_width = 110,
    after_help = "\
Examples:
  adc check model.dsl
  adc grad model.dsl --at 'x=1.5,y=0.25'
  adc emit model.dsl --emit=vjp

Derivatives of a real L with respect to z = x + iy are ∂L/∂x + i ∂L/∂y (PyTorch's convention).
Exit codes: 0 success, 1 a check failed, 2 the request could not be carried out, 101 a bug in adc, 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// When to use colours
    #[arg(long, value_enum, default_value_t = ColorWhen::Auto, global = true, value_name = "WHEN")]
    pub(crate) color: ColorWhen,
    /// Output format; json-lines (one line per function, as it finishes), sarif, junit and github are for `adc check` only
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    pub(crate) format: Format,
    /// Threads at most; all cores if not given. Results are the same with any number
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Print only failures and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also print notes, and each function's entries at its worst point
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    JsonLines,
    Sarif,
    Junit,
    Github,
}

impl Format {
    /// Whether only `check` prints it.
    pub(crate) fn of_check(self) -> bool {
        match self {
            Format::Text | Format::Json => false,
            Format::JsonLines | Format::Sarif | Format::Junit | Format::Github => true,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compare compiled derivatives with finite differences
    Check(CheckArgs),
    /// Print value and derivatives at a point
    Grad(GradArgs),
    /// Evaluate a function
    Run(RunArgs),
    /// Print an intermediate stage (AST, IR, derivative, difference program, CLIF, assembly)
    Emit(EmitArgs),
    /// Format source files
    Fmt(FmtArgs),
    /// Serve an editor: a language server on standard input and output
    Lsp(LspArgs),
    /// Measure the functions of `bench` blocks and their derivatives
    Bench(BenchArgs),
    /// Write an object file with a function and its derivatives, and a C header
    Build(BuildArgs),
    /// Answer the messages of GradBench, a benchmark of automatic differentiation
    Gradbench,
    /// Explain a diagnostic code, an op or a topic
    Explain(ExplainArgs),
    /// Plant mistakes into derivatives and see whether the checker finds them
    Selftest(SelftestArgs),
    /// Write a model to start with, a CI workflow and a hook for commits
    Init(InitArgs),
    /// Print a shell completion script
    Completions(CompletionsArgs),
    /// Write manual pages into a directory
    #[command(hide = true)]
    Man(ManArgs),
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  adc check models/
  adc check model.dsl --fn loss --mode slow --points 64
  adc check model.dsl --at 'z=0.3+0.4i,a=0.7' -v
  cat model.dsl | adc check -

A derivative passes if |ad - fd| <= tol. By default tol follows from error estimates of both: `adc explain check`.
With --eps, --atol, --rtol or --classic, steps are fixed, tol = atol + rtol |fd|, and --mode defaults to slow.
Flags override what `check` blocks say.")]
pub(crate) struct CheckArgs {
    /// Files, directories (all `.dsl` files below), or `-` for standard input
    #[arg(default_value = ".", value_name = "FILE|DIR|-", add = models())]
    pub(crate) paths: Vec<PathBuf>,
    /// Only this function
    #[arg(long = "fn", value_name = "NAME", add = functions())]
    pub(crate) function: Option<String>,
    /// Number of sampled points [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with = "at")]
    pub(crate) points: Option<u32>,
    /// Number of special points in addition: equal inputs, 0, ±1, bounds, cuts, large and tiny values [default: half as many]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000), conflicts_with = "at")]
    pub(crate) special: Option<u32>,
    /// If all agree, search up to N more points for the largest unexplained error
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000), conflicts_with = "at")]
    pub(crate) search: u32,
    /// Try up to N points to minimise a failing one: fewer inputs, smaller dimensions, zeros, fewer digits
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) shrink: u32,
    /// Check at this point instead of sampled ones (repeatable): `x=1,z=0.3+0.4i`, `@file.json`
    #[arg(long, value_name = "POINT")]
    pub(crate) at: Vec<String>,
    /// Check at the points in the rows of a file: columns `x`, `v[0]`, `z.re` of CSV, fields or columns of `.npy`
    #[arg(long, value_name = "FILE.csv|.npy", conflicts_with_all = ["at", "points", "special", "search", "suggest"])]
    pub(crate) data: Option<PathBuf>,
    /// Values of dimensions [default: the block's, or small ones]: `N=40,D=5`
    #[arg(long, value_name = "DIMS", value_delimiter = ',', value_parser = dim)]
    pub(crate) dims: Vec<(String, i64)>,
    /// Seed of the sampled points and directions, or `random` for a new one each run [default: 1]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(crate) seed: Option<Seed>,
    /// What to compare: slow, fast, forward, gradgrad [default: the block's, or all; with fixed steps slow]
    #[arg(long, value_name = "MODES", value_delimiter = ',', value_parser = mode)]
    pub(crate) mode: Vec<Mode>,
    /// Relative tolerance of fixed steps [default: 1e-3]
    #[arg(long, value_name = "TOL", value_parser = positive)]
    pub(crate) rtol: Option<f64>,
    /// Absolute tolerance of fixed steps [default: 1e-5]
    #[arg(long, value_name = "TOL", value_parser = positive)]
    pub(crate) atol: Option<f64>,
    /// Fixed step of the central difference [default: 1e-6]
    #[arg(long, value_name = "STEP", value_parser = positive)]
    pub(crate) eps: Option<f64>,
    /// Compare as PyTorch's gradcheck does: fixed step and tolerances (the three defaults above), whatever the block says
    #[arg(long, conflicts_with = "max_relative_error")]
    pub(crate) classic: bool,
    /// Accept a derivative if the largest |fd - ad| / |fd| (|fd| below 1e-3 counts as 1) is at most this
    #[arg(long, value_name = "TOL", value_parser = positive)]
    pub(crate) max_relative_error: Option<f64>,
    /// Step of the difference for --max-relative-error [default: 0.005]
    #[arg(long, value_name = "STEP", value_parser = positive, requires = "max_relative_error")]
    pub(crate) delta: Option<f64>,
    /// With --max-relative-error: compare each result on its own, not their sum
    #[arg(long, requires = "max_relative_error")]
    pub(crate) per_entry: bool,
    /// Only with respect to these parameters
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) wrt: Vec<String>,
    /// Only these results
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) output: Vec<String>,
    /// Treat these parameters as constants
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) nodiff: Vec<String>,
    /// Loop iterations one evaluation may take; points that need more are given up [default: 1048576, then 16 times as many as
    /// other points take]
    #[arg(long, value_name = "ITERATIONS")]
    pub(crate) fuel: Option<u64>,
    /// Bytes of arrays that one evaluation may use: `64MiB` [default: 1GiB]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// Optimisation level: 0 is the raw program; 1 keeps its bits; 2 rounds otherwise, within its bound; 3 searches longer
    #[arg(long, value_name = "N", value_parser = opt_level, default_value = "2")]
    pub(crate) opt: OptLevel,
    /// How functions that do not say `#[fp(…)]` may be rounded; none may be rounded more freely [default: as they say, else default]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) fp: Option<FpArg>,
    /// Which forms of a program are compared with each other: default (interpreter, raw and optimised code) or all (also
    /// without vector units, with checkpoints, on several threads)
    #[arg(long, value_enum, default_value_t = BackendsArg::Default)]
    pub(crate) backends: BackendsArg,
    /// Show at most this many failures in full
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max_failures: usize,
    /// Do not look for the cause of a failure
    #[arg(long)]
    pub(crate) no_blame: bool,
    /// Shared library with the model's extern functions
    #[arg(long, value_name = "FILE")]
    pub(crate) lib: Vec<PathBuf>,
    /// Convention for complex derivatives in the report: adc (∂L/∂x + i ∂L/∂y) or jax (its conjugate)
    #[arg(long, value_enum, default_value_t = ConventionArg::Adc)]
    pub(crate) convention: ConventionArg,
    /// Also exit with 1 if differences cannot tell whether a derivative is right, or if a domain was assumed
    #[arg(long)]
    pub(crate) strict: bool,
    /// Check nothing; print a `check` block for every function that has none, with inputs at which it has a value
    #[arg(long, conflicts_with_all = ["at", "report"])]
    pub(crate) suggest: bool,
    /// Also write the report as a web page, DIR/index.html: Jacobians, errors against steps, the source to blame
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Exit with 0 even if a derivative is wrong
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Do not report these lints, or `all`: unused_variable, unused_parameter, unused_function, shadowing, constant_condition,
    /// float_equality, unstable_formula
    #[arg(long, value_name = "LINTS", value_delimiter = ',', value_parser = lint_names(), hide_possible_values = true)]
    pub(crate) allow: Vec<String>,
    /// First change the files where what to write is certain, unless a verdict would change
    #[arg(long, conflicts_with_all = ["suggest"])]
    pub(crate) fix: bool,
    /// Check files again that have not changed since they passed
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Stay, and check again what changes, with the files it uses and loads; Ctrl-C ends with the last verdict
    #[arg(long, conflicts_with_all = ["suggest", "fix"])]
    pub(crate) watch: bool,
}

/// The lints, and `all` of them.
fn lint_names() -> clap::builder::PossibleValuesParser {
    let names = adc_frontend::syntax::ast::Lint::ALL.iter().map(|l| l.text());
    clap::builder::PossibleValuesParser::new(names.chain(["all"]))
}

/// Floating-point modes: [`FpMode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FpArg {
    Strict,
    Default,
    Fast,
}

impl From<FpArg> for FpMode {
    fn from(mode: FpArg) -> FpMode {
        match mode {
            FpArg::Strict => FpMode::Strict,
            FpArg::Default => FpMode::Default,
            FpArg::Fast => FpMode::Fast,
        }
    }
}

/// Forms of programs that `check` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BackendsArg {
    Default,
    All,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc grad f.dsl --at 'x=1.5,y=0.25'
  adc grad f.dsl --fn loss --wrt a --at @point.json --format json
  adc grad f.dsl --jacobian --at 'z=0.3+0.4i'
  adc grad f.dsl --mode fd --delta 1e-4 --at 'x=1,y=2'")]
pub(crate) struct GradArgs {
    #[command(flatten)]
    pub(crate) at: PointArgs,
    /// Only with respect to these parameters
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) wrt: Vec<String>,
    /// Reverse mode, forward mode, or finite differences
    #[arg(long, value_enum, default_value_t = GradMode::Vjp)]
    pub(crate) mode: GradMode,
    /// Cotangents, a JSON list with one entry per output: `@v.json` or the JSON itself
    #[arg(long, value_name = "@FILE|JSON", conflicts_with_all = ["tangent", "output"])]
    pub(crate) cotangent: Option<String>,
    /// Tangents, an object like a point, missing parameters are zero: `@dx.json`, JSON, or `x=1,y=0`
    #[arg(long, value_name = "@FILE|JSON|POINT")]
    pub(crate) tangent: Option<String>,
    /// The result to differentiate
    #[arg(long, value_name = "NAME")]
    pub(crate) output: Option<String>,
    /// Derivative of the gradient along a direction (as --tangent)
    #[arg(long, value_name = "@FILE|JSON|POINT", conflicts_with_all = ["tangent", "cotangent", "jacobian", "hessian"])]
    pub(crate) hvp: Option<String>,
    /// Every result with respect to every parameter
    #[arg(long, conflicts_with_all = ["tangent", "cotangent", "hessian"])]
    pub(crate) jacobian: bool,
    /// Second derivatives of the real result
    #[arg(long, conflicts_with_all = ["tangent", "cotangent"])]
    pub(crate) hessian: bool,
    /// With --jacobian or --hessian: only the entries that can be different from zero, as `row column value` of flattened axes; --out takes FILE.npz
    #[arg(long)]
    pub(crate) sparse: bool,
    /// Print ∂L/∂z and ∂L/∂z* of complex parameters (half of adc's cotangent) instead
    #[arg(long)]
    pub(crate) wirtinger: bool,
    /// Significant digits [default: as many as read back to the same bits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=17))]
    pub(crate) precision: Option<u8>,
    /// Step of the central difference of --mode fd
    #[arg(long, value_name = "STEP", value_parser = positive)]
    pub(crate) delta: Option<f64>,
    /// Convention for complex cotangents: adc (∂L/∂x + i ∂L/∂y) or jax (their conjugates)
    #[arg(long, value_enum, default_value_t = ConventionArg::Adc)]
    pub(crate) convention: ConventionArg,
}

/// Common arguments of `run` and `grad`.
#[derive(Args)]
pub(crate) struct PointArgs {
    /// The model, or `-` for standard input
    #[arg(value_name = "FILE|-", add = models())]
    pub(crate) file: PathBuf,
    /// The function [default: the only one of the file]
    #[arg(long = "fn", value_name = "NAME", add = functions())]
    pub(crate) function: Option<String>,
    /// The point: `x=1.5,z=0.3+0.4i,v=[1,2],A=@a.npy`, `@file.json`, or `-` (JSON on standard input)
    #[arg(long, value_name = "POINT", default_value = "")]
    pub(crate) at: String,
    /// Dimensions that follow from no argument: `N=40,D=5`
    #[arg(long, value_name = "DIMS", value_delimiter = ',', value_parser = dim)]
    pub(crate) dims: Vec<(String, i64)>,
    /// Loop iterations one run may take
    #[arg(long, value_name = "ITERATIONS")]
    pub(crate) fuel: Option<u64>,
    /// Bytes of arrays one run may use; derivatives store less and compute more if they have to: `64MiB`
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// Write the result to this file; several results go to a file each, with the name before `.npy`
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) out: Option<PathBuf>,
    /// Shared library with the model's extern functions
    #[arg(long, value_name = "FILE")]
    pub(crate) lib: Vec<PathBuf>,
    /// Optimisation level: 0 is the raw program; 1 keeps its bits; 2 rounds otherwise, within its bound; 3 searches longer
    #[arg(long, value_name = "N", value_parser = opt_level, default_value = "2")]
    pub(crate) opt: OptLevel,
    /// How functions that do not say `#[fp(…)]` may be rounded; none may be rounded more freely [default: as they say, else default]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) fp: Option<FpArg>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc run f.dsl --at 'x=1.5,y=0.25'
  adc run f.dsl --fn loss --at @point.json --format json")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) at: PointArgs,
    /// Use the reference interpreter instead of compiled code
    #[arg(long)]
    pub(crate) interp: bool,
    /// Stop at the first operation that gives NaN or an infinity although everything it reads is finite
    #[arg(long)]
    pub(crate) trap_nan: bool,
    /// Print numbers as hexadecimal bits
    #[arg(long)]
    pub(crate) hex: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc bench models/bench/
  adc bench model.dsl --fn loss --no-time --format json
  adc bench model.dsl --save before.json
  adc bench model.dsl --compare before.json

Work is counted: one for each floating-point operation, ten for each transcendental function. Times are informative only:
`--compare` exits with 1 if a count has grown.")]
pub(crate) struct BenchArgs {
    /// Files, directories (all `.dsl` files below), or `-` for standard input
    #[arg(default_value = ".", value_name = "FILE|DIR|-", add = models())]
    pub(crate) paths: Vec<PathBuf>,
    /// Only this function
    #[arg(long = "fn", value_name = "NAME", add = functions())]
    pub(crate) function: Option<String>,
    /// Count only: the output is the same on every machine
    #[arg(long)]
    pub(crate) no_time: bool,
    /// Also write the results to this file, as JSON: a baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Compare with a baseline; with two, compare them and measure nothing
    #[arg(long, value_name = "FILE[,FILE]", value_delimiter = ',')]
    pub(crate) compare: Vec<PathBuf>,
    /// Percent by which a count may grow over the baseline
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "0", requires = "compare")]
    pub(crate) max_regress: f64,
    /// Loop iterations one run may take
    #[arg(long, value_name = "ITERATIONS")]
    pub(crate) fuel: Option<u64>,
    /// Bytes of arrays one run may use
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
    /// Optimisation level: 0 is the raw program; 1 keeps its bits; 2 rounds otherwise, within its bound; 3 searches longer
    #[arg(long, value_name = "N", value_parser = opt_level, default_value = "2")]
    pub(crate) opt: OptLevel,
    /// How functions that do not say `#[fp(…)]` may be rounded; none may be rounded more freely [default: as they say, else default]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) fp: Option<FpArg>,
    /// Shared library with the model's extern functions
    #[arg(long, value_name = "FILE")]
    pub(crate) lib: Vec<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc emit f.dsl --emit=ir,vjp
  adc emit f.dsl --emit=vjp --with-spans
  adc emit f.dsl --emit=asm --fn loss -o out/
  adc emit f.dsl --diff=vjp,opt
  adc emit f.dsl --emit=opt --explain")]
pub(crate) struct EmitArgs {
    /// The model, or `-` for standard input
    #[arg(value_name = "FILE|-", add = models())]
    pub(crate) file: PathBuf,
    /// The stages to print
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',', required_unless_present = "diff")]
    pub(crate) emit: Vec<Stage>,
    /// Compare two stages line by line; `ir`, `jvp` and `vjp` are taken before optimisation
    #[arg(long, value_enum, value_name = "STAGE,STAGE", value_delimiter = ',',
        conflicts_with_all = ["emit", "out"])]
    pub(crate) diff: Vec<Stage>,
    /// Also print the rewrites that were applied, with the facts they needed
    #[arg(long, conflicts_with = "diff")]
    pub(crate) explain: bool,
    /// Only this function [default: all]
    #[arg(long = "fn", value_name = "NAME", add = functions())]
    pub(crate) function: Option<String>,
    /// Only with respect to these parameters
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) wrt: Vec<String>,
    /// Values of dimensions: `N=40,D=5`; `clif` and `asm` need all of them
    #[arg(long, value_name = "DIMS", value_delimiter = ',', value_parser = dim)]
    pub(crate) dims: Vec<(String, i64)>,
    /// The mode whose difference program `fd` prints: slow, fast, forward, gradgrad
    #[arg(long, value_name = "MODE", value_parser = mode, default_value = "slow")]
    pub(crate) mode: Mode,
    /// Optimisation level [default: 2; 3 for `opt`, `--diff` and `--explain`]
    #[arg(long, value_name = "N", value_parser = opt_level)]
    pub(crate) opt: Option<OptLevel>,
    /// How functions that do not say `#[fp(…)]` may be rounded; none may be rounded more freely [default: as they say, else default]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) fp: Option<FpArg>,
    /// Write the source beside each instruction
    #[arg(long)]
    pub(crate) with_spans: bool,
    /// Write one file per stage into this directory instead
    #[arg(short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// An intermediate stage. The one table of emit stages; [`super::emit`] produces each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Stage {
    /// The syntax tree
    Ast,
    /// The typed IR
    Ir,
    /// The forward-mode program
    Jvp,
    /// The reverse-mode program
    Vjp,
    /// The reverse-mode program at the highest optimisation level
    Opt,
    /// The finite-difference program of the checker
    Fd,
    /// Cranelift's intermediate form of the reverse-mode program
    Clif,
    /// Machine code of the reverse-mode program
    Asm,
    /// What the loops of the reverse-mode program store for each iteration
    Residuals,
    /// The function and its derivative as mathematics, in LaTeX
    Latex,
    /// The same in plain text
    Math,
}

impl Stage {
    /// As `--emit` names it.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |v| v.get_name().to_string())
    }

    /// The extension of the stage's file under `-o`.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Stage::Ast => "ast",
            Stage::Ir => "ir",
            Stage::Jvp => "jvp.ir",
            Stage::Vjp => "vjp.ir",
            Stage::Opt => "opt.ir",
            Stage::Fd => "fd.ir",
            Stage::Clif => "clif",
            Stage::Asm => "s",
            Stage::Residuals => "residuals",
            Stage::Latex => "tex",
            Stage::Math => "math",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GradMode {
    Vjp,
    Jvp,
    Fd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConventionArg {
    Adc,
    Jax,
}

impl ConventionArg {
    /// Whether complex cotangents are conjugated.
    pub(crate) fn is_jax(self) -> bool {
        self == ConventionArg::Jax
    }

    /// The formula in JSON documents.
    pub(crate) fn formula(self) -> &'static str {
        if self.is_jax() { "dL/dx - i dL/dy" } else { "dL/dx + i dL/dy" }
    }

    /// The formula in text.
    pub(crate) fn symbols(self) -> &'static str {
        if self.is_jax() { "∂L/∂x - i ∂L/∂y" } else { "∂L/∂x + i ∂L/∂y" }
    }
}

impl From<ConventionArg> for Convention {
    fn from(c: ConventionArg) -> Convention {
        match c {
            ConventionArg::Adc => Convention::Adc,
            ConventionArg::Jax => Convention::Jax,
        }
    }
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// A diagnostic code (`ADC0301`), an op (`tanh`), a rewrite (`mul-conj`) or a topic (`check`, `complex`, `point`)
    #[arg(required_unless_present = "list")]
    pub(crate) topic: Option<String>,
    /// List all codes, ops, rewrites and topics
    #[arg(long)]
    pub(crate) list: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc selftest
  adc selftest --filter loop
  adc selftest --filter sin/r --order first

Each mutant is planted twice: in all derivatives, which the first-order check has to find, and in derivatives of
derivatives only, which the second-order check has to find. The exit code is 1 if one survives.")]
pub(crate) struct SelftestArgs {
    /// Only mutants of these families, or with one of these texts in their name or description
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    pub(crate) filter: Vec<String>,
    /// Print the mutants instead of running them
    #[arg(long)]
    pub(crate) list: bool,
    /// Which derivatives the mistakes are planted in
    #[arg(long, value_enum, default_value_t = OrderArg::Both)]
    pub(crate) order: OrderArg,
    /// Number of points of each check
    #[arg(long, value_name = "N", default_value_t = adc_selftest::DEFAULT_POINTS as u32, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) points: u32,
    /// Plant one of N mutants, chosen by its name
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sample: u32,
}

/// `adc selftest --order`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OrderArg {
    /// All derivatives, found by the first-order check
    First,
    /// Derivatives of derivatives only, found by the second-order check
    Second,
    /// One after the other
    Both,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc fmt models/
  adc fmt --check .
  adc fmt - < model.dsl

Files are written in place, those with syntax errors are left alone. Exit codes: 1 if `--check` or `--diff` found a file to
format, 2 if one could not be read.")]
pub(crate) struct FmtArgs {
    /// Files, directories (all `.dsl` files below), or `-` for standard input, printed to standard output
    #[arg(default_value = ".", value_name = "FILE|DIR|-")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing; list the files that are not formatted
    #[arg(long)]
    pub(crate) check: bool,
    /// Write nothing; print what would change
    #[arg(long)]
    pub(crate) diff: bool,
}

#[derive(Args)]
#[command(after_help = "How to set up an editor is in the book, on the page about editors.")]
pub(crate) struct LspArgs {
    /// What many clients say; there is no other way
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc build model.dsl --fn loss --dims N=3
  adc build model.dsl --fn loss --dims N=3 --modes vjp --target-cpu host -o build/loss.o
  cc main.c model.o -lm

`model.o` has the functions `model_loss`, `model_loss_vjp` and `model_loss_jvp`; `model.h` says how they are called.")]
pub(crate) struct BuildArgs {
    /// The model, or `-` for standard input
    #[arg(value_name = "FILE|-")]
    pub(crate) file: PathBuf,
    /// The function [default: the only one of the file]
    #[arg(long = "fn", value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// The numbers of all dimensions: `N=40,D=5`
    #[arg(long, value_name = "DIMS", value_delimiter = ',', value_parser = dim)]
    pub(crate) dims: Vec<(String, i64)>,
    /// The programs: the function itself, forward mode, reverse mode [default: all there are]
    #[arg(long, value_enum, value_name = "MODES", value_delimiter = ',')]
    pub(crate) modes: Vec<BuildMode>,
    /// Derivatives with respect to these parameters only
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) wrt: Vec<String>,
    /// The machine the code is for: most of its kind (x86-64-v3: AVX2, FMA), or this one
    #[arg(long, value_enum, value_name = "CPU", default_value_t = TargetCpu::Baseline)]
    pub(crate) target_cpu: TargetCpu,
    /// Optimisation level: 0 is the raw program; 1 keeps its bits; 2 rounds otherwise, within its bound; 3 searches longer
    #[arg(long, value_name = "N", value_parser = opt_level, default_value = "2")]
    pub(crate) opt: OptLevel,
    /// How functions that do not say `#[fp(…)]` may be rounded; none may be rounded more freely [default: as they say, else default]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) fp: Option<FpArg>,
    /// The object file [default: the model's name, in this directory]; the functions are called by its name
    #[arg(short, value_name = "FILE.o")]
    pub(crate) out: Option<PathBuf>,
    /// The header [default: beside the object file]
    #[arg(long, value_name = "FILE.h")]
    pub(crate) header: Option<PathBuf>,
    /// Leave adc's numeric functions out of the object file, and write a library of them, libadc_runtime.a, into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) runtime: Option<PathBuf>,
    /// Loop iterations one call may take
    #[arg(long, value_name = "ITERATIONS")]
    pub(crate) fuel: Option<u64>,
    /// Bytes of arrays one call may use; derivatives store less and compute more if they have to: `64MiB`
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
}

/// `adc build --modes`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum BuildMode {
    Primal,
    Jvp,
    Vjp,
}

/// `adc build --target-cpu`
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TargetCpu {
    Baseline,
    Host,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  adc init
  adc init my-models

Nothing is overwritten: if one of the files is there, none is written.")]
pub(crate) struct InitArgs {
    /// The directory, made if it is not there
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) dir: PathBuf,
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// The directory, made if it is not there
    pub(crate) dir: PathBuf,
}

#[derive(Args)]
#[command(after_help = "\
The script asks adc at each completion, so flags, files and functions are those of the adc that is installed.

Examples:
  source <(adc completions bash)                                    this shell
  adc completions bash > ~/.local/share/bash-completion/completions/adc
  adc completions fish > ~/.config/fish/completions/adc.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
