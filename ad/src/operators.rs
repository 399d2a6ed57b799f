//! Derivative operators as functions of a module: gradient, Hessian-vector product, Jacobian, Hessian.
//! Each is a small wrapper that calls JVP and VJP programs; inlining and sharing make one program of it.

use crate::session::operator_name;
use adc_ir::{Builder, Code, Diagnostic, FuncId, Module, Op, Scalar, Type, Value};

/// What a column or row of a Jacobian looks like for one parameter and one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// One value, ∂f/∂x: real parameter (complex if the result is).
    D,
    /// Two values, W = ∂f/∂z and CW = ∂f/∂z*: complex parameter.
    Wirtinger,
}

impl Block {
    /// The form of the block for a parameter of type `param`.
    pub fn of(param: Type) -> Block {
        if param.scalar().is_complex() { Block::Wirtinger } else { Block::D }
    }

    /// Number of values in the block.
    pub fn len(self) -> usize {
        match self {
            Block::D => 1,
            Block::Wirtinger => 2,
        }
    }

    /// Never: a block has values.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// `f.grad`: the gradient of the real scalar result `output` with respect to `wrt`, preceded by all results
/// of `f` if `value`. A complex parameter's gradient is ∂L/∂x + i ∂L/∂y.
///
/// # Errors
/// [`Code::NeedsScalar`] if the result is complex or discrete; otherwise as [`crate::vjp`].
pub fn grad(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    output: usize,
    value: bool,
) -> Result<FuncId, Diagnostic> {
    let func = m.func(f);
    let result = &func.results[output];
    if !result.ty.scalar().is_real() {
        return Err(Diagnostic::error(
            Code::NeedsScalar,
            format!(
                "the gradient of `{}` needs a real result, but `{}` is {}",
                func.name, result.name, result.ty
            ),
        )
        .label(func.span, "declared here")
        .help("differentiate `re(…)`, `im(…)` or `abs2(…)` of it, or ask for a VJP or the Jacobian"));
    }
    let one_of = result.ty.scalar();
    let name = operator_name(func, if value { "value_and_grad" } else { "grad" }, wrt, &[output]);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let vjp = crate::vjp(m, f, wrt, &[output], value)?;
    let (mut b, mut args) = Builder::like(m.func(f), name);
    args.push(b.num(1.0, one_of));
    let results = b.call_of(m, vjp, &args);
    Ok(m.add(b.finish(m.func(vjp).results.iter().map(|r| r.name.clone()).zip(results).collect())))
}

/// `f.hvp`: the derivative of the gradient along `v`: parameters of `f`, then one direction per `wrt`; one
/// result per `wrt`. Forward over reverse.
///
/// # Errors
/// As [`grad`] and [`crate::jvp`].
pub fn hvp(m: &mut Module, f: FuncId, wrt: &[usize], output: usize) -> Result<FuncId, Diagnostic> {
    let name = operator_name(m.func(f), "hvp", wrt, &[output]);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let gradient = grad(m, f, wrt, output, false)?;
    let jvp = crate::jvp(m, gradient, wrt)?;
    let n = m.func(gradient).results.len();
    let (mut b, args) = Builder::like(m.func(jvp), name);
    let results = b.call_of(m, jvp, &args);
    let names: Vec<String> = m.func(gradient).results.iter().map(|r| r.name.clone()).collect();
    Ok(m.add(b.finish(names.into_iter().zip(results.into_iter().skip(n)).collect())))
}

/// `f.jacobian`: all results of `f`, then for each of `outputs` and each of `wrt` the values of its [`Block`].
///
/// # Errors
/// As [`crate::vjp`].
pub fn jacobian(m: &mut Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> Result<FuncId, Diagnostic> {
    let name = operator_name(m.func(f), "jacobian", wrt, outputs);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let pullbacks =
        outputs.iter().map(|&o| crate::vjp(m, f, wrt, &[o], false)).collect::<Result<Vec<_>, _>>()?;
    let func = m.func(f).clone();
    let (mut b, params) = Builder::like(&func, name);
    let values = b.call_of(m, f, &params);
    let mut out: Vec<(String, Value)> = func.results.iter().map(|r| r.name.clone()).zip(values).collect();
    for (&o, &pullback) in outputs.iter().zip(&pullbacks) {
        let result = &func.results[o];
        let ty = result.ty.scalar();
        let pull = |b: &mut Builder, seed: Value| b.call_of(m, pullback, &[&params[..], &[seed]].concat());
        let one = b.num(1.0, ty);
        let along_one = pull(&mut b, one);
        let along_i = ty.is_complex().then(|| {
            let i = unit_i(&mut b, ty);
            pull(&mut b, i)
        });
        for (k, &p) in wrt.iter().enumerate() {
            let param = &func.params[p];
            let complex_param = func.param_ty(p).scalar().is_complex();
            let g1 = along_one[k];
            let label = |part: &str| format!("d{part}({})/d({})", result.name, param.name);
            match (complex_param, &along_i) {
                (false, None) => out.push((label(""), g1)),
                // x̄(v) = Re(conj(v) D): the seeds 1 and i give Re D and Im D.
                (false, Some(gi)) => out.push((label(""), b.op(Op::Complex, &[g1, gi[k]]))),
                // z̄(1) = 2·CW and W = conj(CW).
                (true, None) => {
                    let half = b.num(0.5, ty.real());
                    let cw = b.op(Op::Mul, &[half, g1]);
                    out.push((label("W "), b.op(Op::Conj, &[cw])));
                    out.push((label("CW "), cw));
                }
                // z̄(1) = CW + conj(W), i·z̄(i) = CW − conj(W).
                (true, Some(gi)) => {
                    let half = b.num(0.5, ty.real());
                    let i = unit_i(&mut b, ty);
                    let turned = b.op(Op::Mul, &[i, gi[k]]);
                    let sum = b.op(Op::Add, &[g1, turned]);
                    let difference = b.op(Op::Sub, &[g1, turned]);
                    let cw = b.op(Op::Mul, &[half, sum]);
                    let conj_w = b.op(Op::Mul, &[half, difference]);
                    out.push((label("W "), b.op(Op::Conj, &[conj_w])));
                    out.push((label("CW "), cw));
                }
            }
        }
    }
    Ok(m.add(b.finish(out)))
}

/// `f.hessian`: all results of `f`, then ∂²L/∂xᵢ∂xⱼ for each pair of `wrt`, row by row, L being the real scalar
/// result `output`. Forward over reverse, one direction per column.
///
/// # Errors
/// [`Code::NeedsScalar`] for complex parameters (their second derivatives are what [`hvp`] gives); otherwise
/// as [`grad`].
pub fn hessian(m: &mut Module, f: FuncId, wrt: &[usize], output: usize) -> Result<FuncId, Diagnostic> {
    let func = m.func(f);
    if let Some(&p) = wrt.iter().find(|&&p| func.param_ty(p).scalar().is_complex()) {
        let param = &func.params[p];
        return Err(Diagnostic::error(
            Code::NeedsScalar,
            format!("`{}` is complex, and a Hessian is for real parameters", param.name),
        )
        .label(param.span, "complex")
        .help("use `hvp`, the derivative of the gradient along a direction"));
    }
    let name = operator_name(func, "hessian", wrt, &[output]);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let hvp = hvp(m, f, wrt, output)?;
    let func = m.func(f).clone();
    let (mut b, params) = Builder::like(&func, name);
    let values = b.call_of(m, f, &params);
    let mut out: Vec<(String, Value)> = func.results.iter().map(|r| r.name.clone()).zip(values).collect();
    let columns: Vec<_> = (0..wrt.len())
        .map(|j| {
            let mut args = params.clone();
            for (k, &p) in wrt.iter().enumerate() {
                args.push(b.num(f64::from(k == j), func.param_ty(p).scalar()));
            }
            b.call_of(m, hvp, &args)
        })
        .collect();
    for (i, &row) in wrt.iter().enumerate() {
        for (j, &column) in wrt.iter().enumerate() {
            let label = format!(
                "d2({})/d({})d({})",
                func.results[output].name, func.params[row].name, func.params[column].name
            );
            out.push((label, columns[j][i]));
        }
    }
    Ok(m.add(b.finish(out)))
}

/// The complex number i of type `ty`.
fn unit_i(b: &mut Builder, ty: Scalar) -> Value {
    let (zero, one) = (b.num(0.0, ty.real()), b.num(1.0, ty.real()));
    b.op(Op::Complex, &[zero, one])
}
