//! The Hessian by columns, and its diagonal: the derivative of the gradient along one-hot directions.

use super::directions::{Axes, along_all, one_of};
use super::{add, hvp};
use crate::calls::entry;
use crate::emit::Emitter;
use crate::program::program_name;
use adc_ir::{Builder, Code, Const, Derivation, Diagnostic, FuncId, Module, Operator, Value, ValueData};

/// `f.hessian`: all results of `f`, then ∂²L/∂xᵢ∂xⱼ for each pair of `wrt`, row by row, L being the real scalar result
/// `output`; of arrays with the axes of the one, then of the other. Forward over reverse, one direction per column.
///
/// # Errors
/// [`Code::NeedsScalar`] for complex parameters (their second derivatives are what [`crate::hvp`] gives); otherwise as
/// [`crate::grad`].
pub fn hessian(m: &mut Module, f: FuncId, wrt: &[usize], output: usize) -> Result<FuncId, Diagnostic> {
    second(m, f, wrt, output, Operator::Hessian, |m, em, hvp, args, inputs| {
        // Per column, per row.
        let columns = along_all(em, inputs, Axes::Last, &mut |em, seeds| {
            em.b.call_of(m, hvp, &[args, &seeds[0]].concat()).to_vec()
        });
        let all = (0..inputs.len()).flat_map(|i| (0..inputs.len()).map(move |j| (i, j)));
        all.map(|(i, j)| ((i, j), columns[j][i])).collect()
    })
}

/// `f.hess_diag`: all results of `f`, then for each of `wrt` the diagonal of its [`hessian`], like the parameter.
///
/// # Errors
/// As [`hessian`].
pub fn hess_diag(m: &mut Module, f: FuncId, wrt: &[usize], output: usize) -> Result<FuncId, Diagnostic> {
    second(m, f, wrt, output, Operator::HessDiag, |m, em, hvp, args, inputs| {
        let all: Vec<ValueData> = inputs.iter().map(|x| em.b.data(*x).clone()).collect();
        let diagonal = |(j, x): (usize, &Value)| {
            let data = em.b.data(*x).clone();
            let value = em.map(&data, |em, index| {
                let one = em.constant(Const::real(1.0, data.ty.scalar()));
                let directions = one_of(em, &all, j, one, index);
                let column = em.b.call_of(m, hvp, &[args, &directions].concat())[j];
                em.at(column, index)
            });
            ((j, j), value)
        };
        inputs.iter().enumerate().map(diagonal).collect()
    })
}

/// Pairs of positions in `wrt` with second derivatives.
type Entries = Vec<((usize, usize), Value)>;

fn second(
    m: &mut Module,
    f: FuncId,
    wrt: &[usize],
    output: usize,
    operator: Operator,
    entries: impl Fn(&Module, &mut Emitter, FuncId, &[Value], &[Value]) -> Entries,
) -> Result<FuncId, Diagnostic> {
    real_parameters(m, f, wrt)?;
    let name = program_name(m.func(f), Derivation::Operator(operator), wrt, &[output]);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let hvp = hvp(m, f, wrt, output)?;
    let func = m.func(f).clone();
    let (b, params) = Builder::like(&func, name);
    let mut em = Emitter::new(b);
    em.b.set_span(func.span);
    let args = entry(em.b.func());
    let values = em.b.call_of(m, f, &args);
    let mut out: Vec<(String, Value)> = func.results.iter().map(|r| r.name.clone()).zip(values).collect();
    let inputs: Vec<Value> = wrt.iter().map(|&p| params[p]).collect();
    for ((i, j), value) in entries(m, &mut em, hvp, &args, &inputs) {
        let (row, column) = (&func.params[wrt[i]].name, &func.params[wrt[j]].name);
        out.push((format!("d2({})/d({row})d({column})", func.results[output].name), value));
    }
    Ok(add(m, (f, operator), em.b.finish(out)))
}

fn real_parameters(m: &Module, f: FuncId, wrt: &[usize]) -> Result<(), Diagnostic> {
    let func = m.func(f);
    let Some(&p) = wrt.iter().find(|&&p| func.param_ty(p).scalar().is_complex()) else { return Ok(()) };
    let param = &func.params[p];
    Err(Diagnostic::error(
        Code::NeedsScalar,
        format!("`{}` is complex, and a Hessian is for real parameters", param.name),
    )
    .label(param.span, "complex")
    .help("use `hvp`, the derivative of the gradient along a direction"))
}
