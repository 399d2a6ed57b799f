//! Requests for derivatives: declared derivatives in what is differentiated are written first, what does not make sense is
//! refused, and the rest is made.

use crate::make::make;
use crate::method::Method;
use crate::operators::expand_for;
use crate::program::Program;
use crate::storage::Policy;
use adc_ir::{Code, Diagnostic, Func, FuncId, Inst, Kind, LinalgOp, Module, Region, Span};

/// `f.jvp`: parameters of `f`, then a tangent per position in `wrt`; results of `f`, then a tangent per
/// differentiable result. The same request gives the same function.
///
/// # Errors
/// [`Code::NotDifferentiable`] for discrete or `#[nodiff]` parameters, [`Code::NoOutput`] if no result could
/// carry a derivative, [`Code::NoRule`] at a call of an extern function without rules,
/// [`Code::NonLinearRule`] for a rule that has to be transposed and is not linear.
pub fn jvp(m: &mut Module, f: FuncId, wrt: &[usize]) -> Result<FuncId, Diagnostic> {
    Method::default().jvp(m, f, wrt)
}

/// `f.vjp`, or `f.value_and_vjp` if `primal`: parameters of `f`, then a cotangent per position in `outputs`; the
/// results of `f` if `primal`, then a cotangent per position in `wrt`.
///
/// # Errors
/// As [`jvp`]; also [`Code::NotDifferentiable`] for a discrete result in `outputs`.
pub fn vjp(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    outputs: &[usize],
    primal: bool,
) -> Result<FuncId, Diagnostic> {
    vjp_with(m, f, wrt, outputs, primal, Policy::default())
}

/// [`vjp`] that stores what a policy says. Programs of different policies give the same bits.
///
/// # Errors
/// As [`vjp`].
pub fn vjp_with(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    outputs: &[usize],
    primal: bool,
    policy: Policy,
) -> Result<FuncId, Diagnostic> {
    Method { policy, ..Method::default() }.vjp(m, f, wrt, outputs, primal)
}

/// A function split into its forward run and its pullback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linearized {
    /// Parameters of `f` to results of `f`, then residuals.
    pub forward: FuncId,
    /// Residuals, then a cotangent per output, to a cotangent per parameter asked for.
    pub pullback: FuncId,
    /// Number of residuals.
    pub residuals: usize,
}

/// `f.linearize` and `f.pullback`: one forward run whose residuals any number of pullbacks can use.
///
/// # Errors
/// As [`vjp`].
pub fn linearize(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    outputs: &[usize],
) -> Result<Linearized, Diagnostic> {
    Method::default().linearize(m, f, wrt, outputs)
}

impl Method<'_> {
    /// [`crate::jvp`] by this method. A program that the module has already is not made again, whatever it was made by.
    ///
    /// # Errors
    /// As there.
    pub fn jvp(self, m: &mut Module, f: FuncId, wrt: &[usize]) -> Result<FuncId, Diagnostic> {
        expand_for(m, f)?;
        validate(m, f, wrt, &m.func(f).differentiable_results())?;
        let program = Program::Jvp { f, wrt: wrt.to_vec() };
        Ok(make(m, self, &program)?[0])
    }

    /// [`crate::vjp`] by this method, likewise.
    ///
    /// # Errors
    /// As there.
    pub fn vjp(
        self,
        m: &mut Module,
        f: FuncId,
        wrt: &[usize],
        outputs: &[usize],
        primal: bool,
    ) -> Result<FuncId, Diagnostic> {
        expand_for(m, f)?;
        validate(m, f, wrt, outputs)?;
        let program = Program::Vjp { f, wrt: wrt.to_vec(), outputs: outputs.to_vec(), primal };
        Ok(make(m, self, &program)?[0])
    }

    /// [`crate::linearize`] by this method, likewise.
    ///
    /// # Errors
    /// As there.
    pub fn linearize(
        self,
        m: &mut Module,
        f: FuncId,
        wrt: &[usize],
        outputs: &[usize],
    ) -> Result<Linearized, Diagnostic> {
        expand_for(m, f)?;
        validate(m, f, wrt, outputs)?;
        let program = Program::Linearize { f, wrt: wrt.to_vec(), outputs: outputs.to_vec() };
        let funcs = make(m, self, &program)?;
        let residuals = m.func(funcs[1]).params.len() - outputs.len();
        Ok(Linearized { forward: funcs[0], pullback: funcs[1], residuals })
    }
}

/// Whether a request makes sense for a function.
fn validate(m: &Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> Result<(), Diagnostic> {
    let func = m.func(f);
    for (k, &i) in wrt.iter().enumerate() {
        let p = &func.params[i];
        let ty = func.param_ty(i);
        if p.nodiff || !ty.is_differentiable() {
            let why = if p.nodiff { "it is marked `#[nodiff]`".into() } else { format!("it is {ty}") };
            return Err(Diagnostic::error(
                Code::NotDifferentiable,
                format!("`{}` cannot be differentiated with respect to `{}`: {why}", func.name, p.name),
            )
            .label(p.span, "this parameter")
            .help("make it real or complex, or leave it out of `wrt`"));
        }
        if wrt[..k].contains(&i) {
            return Err(twice(func, "parameter", &p.name));
        }
    }
    if outputs.is_empty() {
        return Err(Diagnostic::error(
            Code::NoOutput,
            format!("`{}` has no result that could carry a derivative", func.name),
        )
        .label(func.span, "every result is an integer or a boolean")
        .help("convert a result with `f64(…)`, or differentiate another function"));
    }
    for (k, &o) in outputs.iter().enumerate() {
        let r = &func.results[o];
        if !r.ty.is_differentiable() {
            return Err(Diagnostic::error(
                Code::NotDifferentiable,
                format!("the result `{}` of `{}` carries no derivative: it is {}", r.name, func.name, r.ty),
            )
            .label(func.span, "in this function")
            .help("leave it out of the outputs"));
        }
        if outputs[..k].contains(&o) {
            return Err(twice(func, "result", &r.name));
        }
    }
    match m.reachable_from(&[f]).into_iter().find_map(|f| factors(m.func(f).region()?)) {
        Some(span) => Err(Diagnostic::error(Code::NotDifferentiable, "`lu` has no derivative")
            .label(span, "the simplifier made it from `solve`")
            .help("differentiate the program before it is simplified")),
        None => Ok(()),
    }
}

/// Where there are factors, which only simplified programs have.
fn factors(r: &Region) -> Option<Span> {
    let own = |i: &Inst| match i.kind {
        Kind::Linalg(op) if op == LinalgOp::Lu || op.is_of_factors() => Some(i.span),
        _ => i.regions.iter().find_map(factors),
    };
    r.insts.iter().find_map(own)
}

fn twice(func: &Func, what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(Code::BadUsage, format!("the {what} `{name}` of `{}` is asked for twice", func.name))
        .label(func.span, "in this function")
        .help("name it once")
}
