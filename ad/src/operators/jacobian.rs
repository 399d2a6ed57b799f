//! The Jacobian: by rows, a pullback for every element of the results, or by columns, a tangent for every element of the
//! parameters; whichever are fewer where that is known, else rows.

use super::directions::{Axes, along_all, unit_i};
use crate::calls::entry;
use crate::emit::Emitter;
use crate::program::program_name;
use crate::request::{Linearized, jvp, linearize, vjp};
use adc_ir::dims::elements;
use adc_ir::{
    Builder, Const, Derivation, Diagnostic, Dim, Func, FuncId, Module, Op, Operator, Scalar, Value, Values,
};

/// So many columns are thought fewer than rows whose number is not known.
const FEW: i64 = 4;

/// `f.jacobian`: all results of `f`, then for each of `outputs` and each of `wrt` the values of its [`crate::Block`], arrays with
/// the axes of the result, then of the parameter.
///
/// # Errors
/// As [`crate::vjp`].
pub fn jacobian(m: &mut Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> Result<FuncId, Diagnostic> {
    let name = program_name(m.func(f), Derivation::Operator(Operator::Jacobian), wrt, outputs);
    if let Some(done) = m.find(&name) {
        return Ok(done);
    }
    let programs = match by_columns(m, f, wrt, outputs) {
        true => Programs::Columns(jvp(m, f, wrt)?),
        false => Programs::Rows(outputs.iter().map(|&o| pull(m, f, wrt, o)).collect::<Result<_, _>>()?),
    };
    let func = m.func(f).clone();
    let (b, params) = Builder::like(&func, name);
    let mut em = Emitter::new(b);
    em.b.set_span(func.span);
    let args = entry(em.b.func());
    let inputs: Vec<Value> = wrt.iter().map(|&p| params[p]).collect();
    let ready: Vec<Ready> = match &programs {
        Programs::Columns(_) => Vec::new(),
        Programs::Rows(pulls) => pulls.iter().map(|pull| pull.begin(m, &mut em, &args, &func)).collect(),
    };
    // What gives the derivatives gives the results, too, if it runs once.
    let only = match (&programs, &inputs[..]) {
        (Programs::Columns(pushforward), [x])
            if !em.b.ty(*x).is_array() && em.b.ty(*x).scalar().is_real() =>
        {
            let one = em.constant(Const::real(1.0, em.b.ty(*x).scalar()));
            Some(em.b.call_of(m, *pushforward, &[&args[..], &[one]].concat()))
        }
        _ => None,
    };
    let run = || ready.iter().find_map(|r| r.values.clone());
    let values = match only.clone().or_else(run) {
        Some(values) => values,
        None => em.b.call_of(m, f, &args),
    };
    let mut out: Vec<(String, Value)> =
        func.results.iter().map(|r| r.name.clone()).zip(values.iter().copied()).collect();
    let results: Vec<Value> = outputs.iter().map(|&o| values[o]).collect();
    // Per result, per parameter: the values of the block.
    let blocks = match &programs {
        Programs::Columns(pushforward) => {
            let differentiable = func.differentiable_results();
            let place = |o: &usize| {
                let k = differentiable.iter().position(|d| d == o).expect("a differentiable result");
                func.results.len() + k
            };
            let tangents: Vec<usize> = outputs.iter().map(place).collect();
            match only {
                Some(found) => tangents.iter().map(|t| vec![vec![found[*t]]]).collect(),
                None => of_columns(m, &mut em, *pushforward, &args, &inputs, &tangents),
            }
        }
        Programs::Rows(_) => {
            let rows = |(y, ready): (&Value, &Ready)| of_rows(m, &mut em, ready, &inputs, *y);
            results.iter().zip(&ready).map(rows).collect()
        }
    };
    for (&o, row) in outputs.iter().zip(blocks) {
        for (&p, block) in wrt.iter().zip(row) {
            let label = |part: &str| format!("d{part}({})/d({})", func.results[o].name, func.params[p].name);
            match block.as_slice() {
                [d] => out.push((label(""), *d)),
                parts => out.extend(["W ", "CW "].iter().zip(parts).map(|(part, x)| (label(part), *x))),
            }
        }
    }
    Ok(super::add(m, (f, Operator::Jacobian), em.b.finish(out)))
}

/// What computes the derivatives.
enum Programs {
    /// The JVP.
    Columns(FuncId),
    /// One for each result.
    Rows(Vec<Pull>),
}

/// What gives the rows of a result.
enum Pull {
    /// The VJP, for the one row of a scalar.
    Once(FuncId),
    /// A forward run for all rows.
    Often(Linearized),
}

fn pull(m: &mut Module, f: FuncId, wrt: &[usize], output: usize) -> Result<Pull, Diagnostic> {
    Ok(match m.func(f).results[output].ty.is_array() {
        true => Pull::Often(linearize(m, f, wrt, &[output])?),
        false => Pull::Once(vjp(m, f, wrt, &[output], false)?),
    })
}

impl Pull {
    /// Runs forward, if all rows share that.
    fn begin(&self, m: &Module, em: &mut Emitter, args: &[Value], func: &Func) -> Ready {
        match self {
            Pull::Once(vjp) => Ready { pullback: *vjp, known: args.to_vec(), values: None },
            Pull::Often(linear) => {
                let found = em.b.call_of(m, linear.forward, args);
                let (values, residuals) = found.split_at(func.results.len());
                let known = [&args[..func.dims.len()], residuals].concat();
                Ready { pullback: linear.pullback, known, values: Some(Values::from_slice(values)) }
            }
        }
    }
}

/// What takes the cotangents of a result.
struct Ready {
    pullback: FuncId,
    /// What it takes before the cotangent.
    known: Vec<Value>,
    /// The results of the function, if a forward run has given them.
    values: Option<Values>,
}

/// Whether there are fewer columns than rows.
fn by_columns(m: &Module, f: FuncId, wrt: &[usize], outputs: &[usize]) -> bool {
    let func = m.func(f);
    let count = |shapes: &[(&[Dim], Scalar)]| -> Option<i64> {
        shapes.iter().try_fold(0i64, |sum, (shape, elem)| {
            let n = elements(shape)?.as_const()?;
            sum.checked_add(n.checked_mul(elem.coordinates() as i64)?)
        })
    };
    let inputs: Vec<(&[Dim], Scalar)> = (wrt.iter())
        .map(|&p| (func.shape(func.params[p].value).as_slice(), func.param_ty(p).scalar()))
        .collect();
    let results: Vec<(&[Dim], Scalar)> =
        outputs.iter().map(|&o| (func.results[o].shape.as_slice(), func.results[o].ty.scalar())).collect();
    let scalars = results.iter().all(|(shape, _)| shape.is_empty());
    match (count(&inputs), count(&results)) {
        (Some(columns), Some(rows)) => !scalars && columns < rows,
        (Some(columns), None) => columns <= FEW,
        (None, _) => false,
    }
}

/// The blocks of one result, per parameter.
fn of_rows(m: &Module, em: &mut Emitter, ready: &Ready, inputs: &[Value], y: Value) -> Vec<Vec<Value>> {
    let data = em.b.data(y).clone();
    let elem = data.ty.scalar();
    let complex_input = |em: &Emitter, x: &Value| em.b.ty(*x).scalar().is_complex();
    let sizes: Vec<usize> = inputs.iter().map(|x| if complex_input(em, x) { 2 } else { 1 }).collect();
    let mut collected = along_all(em, &[y], Axes::First, &mut |em, seeds| {
        let pull = |seed: &Vec<Value>| em.b.call_of(m, ready.pullback, &[&ready.known, &seed[..]].concat());
        let along: Vec<Values> = seeds.iter().map(pull).collect();
        let mut all = Vec::new();
        for (k, x) in inputs.iter().enumerate() {
            let complex = complex_input(em, x);
            all.extend(row_block(em, along[0][k], along.get(1).map(|g| g[k]), complex, elem));
        }
        all
    });
    split(collected.pop().expect("of one result"), &sizes)
}

fn split(values: Vec<Value>, sizes: &[usize]) -> Vec<Vec<Value>> {
    let mut values = values.into_iter();
    sizes.iter().map(|n| values.by_ref().take(*n).collect()).collect()
}

/// The block of a parameter by its cotangents for the seeds 1 and, of a complex result, i.
fn row_block(em: &mut Emitter, g1: Value, gi: Option<Value>, complex: bool, elem: Scalar) -> Vec<Value> {
    let half = |em: &mut Emitter| em.constant(Const::real(0.5, elem.real()));
    match (complex, gi) {
        (false, None) => vec![g1],
        // x̄(v) = Re(conj(v) D): the seeds 1 and i give Re D and Im D.
        (false, Some(gi)) => vec![em.each(Op::Complex, &[g1, gi])],
        // z̄(1) = 2·CW and W = conj(CW).
        (true, None) => {
            let half = half(em);
            let cw = em.each(Op::Mul, &[half, g1]);
            vec![em.each(Op::Conj, &[cw]), cw]
        }
        // z̄(1) = CW + conj(W), i·z̄(i) = CW − conj(W).
        (true, Some(gi)) => {
            let (half, i) = (half(em), unit_i(em, elem));
            let turned = em.each(Op::Mul, &[i, gi]);
            let sum = em.each(Op::Add, &[g1, turned]);
            let difference = em.each(Op::Sub, &[g1, turned]);
            let cw = em.each(Op::Mul, &[half, sum]);
            let conj_w = em.each(Op::Mul, &[half, difference]);
            vec![em.each(Op::Conj, &[conj_w]), cw]
        }
    }
}

/// The blocks of every result, per parameter. `tangents`: positions of the results' tangents among those of `pushforward`.
fn of_columns(
    m: &Module,
    em: &mut Emitter,
    pushforward: FuncId,
    args: &[Value],
    inputs: &[Value],
    tangents: &[usize],
) -> Vec<Vec<Vec<Value>>> {
    let collected = along_all(em, inputs, Axes::Last, &mut |em, seeds| {
        let push = |seeds: &Vec<Value>| em.b.call_of(m, pushforward, &[args, seeds].concat());
        let along: Vec<Values> = seeds.iter().map(push).collect();
        let block = |t: &usize| column_block(em, along[0][*t], along.get(1).map(|found| found[*t]));
        tangents.iter().flat_map(block).collect()
    });
    let mut blocks = vec![Vec::new(); tangents.len()];
    for (x, collected) in inputs.iter().zip(collected) {
        let size = if em.b.ty(*x).scalar().is_complex() { 2 } else { 1 };
        for (block, values) in blocks.iter_mut().zip(split(collected, &vec![size; tangents.len()])) {
            block.push(values);
        }
    }
    blocks
}

/// The block of a parameter by the tangents along 1 and, if it is complex, i.
fn column_block(em: &mut Emitter, t1: Value, ti: Option<Value>) -> Vec<Value> {
    let Some(ti) = ti else { return vec![t1] };
    let elem = em.b.ty(t1).scalar();
    let half = em.constant(Const::real(0.5, elem.real()));
    let (a, b) = (em.each(Op::Mul, &[half, t1]), em.each(Op::Mul, &[half, ti]));
    if !elem.is_complex() {
        let minus = em.each(Op::Neg, &[b]);
        return vec![em.each(Op::Complex, &[a, minus]), em.each(Op::Complex, &[a, b])];
    }
    // ẏ(1) = W + CW, i·ẏ(i) = CW − W.
    let i = unit_i(em, elem);
    let b = em.each(Op::Mul, &[i, b]);
    vec![em.each(Op::Sub, &[a, b]), em.each(Op::Add, &[a, b])]
}
