//! The Jacobian: by rows, a pullback for every element of the results, or by columns, a tangent for every element of the
//! parameters; whichever are fewer where that is known, else rows.

use crate::calls::entry;
use crate::emit::{Emitter, Ex};
use crate::program::program_name;
use crate::request::{Linearized, jvp, linearize, vjp};
use adc_ir::dims::elements;
use adc_ir::{
    Builder, Const, Derivation, Diagnostic, Dim, FuncId, Module, Op, Operator, Scalar, Value, ValueData,
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
    let values = em.b.call_of(m, f, &args);
    let mut out: Vec<(String, Value)> =
        func.results.iter().map(|r| r.name.clone()).zip(values.iter().copied()).collect();
    let inputs: Vec<Value> = wrt.iter().map(|&p| params[p]).collect();
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
            of_columns(m, &mut em, *pushforward, &args, &inputs, &results, &tangents)
        }
        Programs::Rows(pulls) => (results.iter().zip(pulls))
            .map(|(y, pull)| {
                let (pullback, known) = pull.begin(m, &mut em, &args, func.dims.len(), func.results.len());
                of_rows(m, &mut em, pullback, &known, &inputs, *y)
            })
            .collect(),
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
    /// Runs forward; the function to call for a row, and what it takes before the cotangent.
    fn begin(
        &self,
        m: &Module,
        em: &mut Emitter,
        args: &[Value],
        dims: usize,
        results: usize,
    ) -> (FuncId, Vec<Value>) {
        match self {
            Pull::Once(vjp) => (*vjp, args.to_vec()),
            Pull::Often(linear) => {
                let found = em.b.call_of(m, linear.forward, args);
                (linear.pullback, [&args[..dims], &found[results..]].concat())
            }
        }
    }
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

/// The blocks of one result, per parameter. `known`: what the pullback takes before the cotangent.
fn of_rows(
    m: &Module,
    em: &mut Emitter,
    pullback: FuncId,
    known: &[Value],
    inputs: &[Value],
    y: Value,
) -> Vec<Vec<Value>> {
    let data = em.b.data(y).clone();
    let elem = data.ty.scalar();
    let complex_input = |em: &Emitter, x: &Value| em.b.ty(*x).scalar().is_complex();
    let sizes: Vec<usize> = inputs.iter().map(|x| if complex_input(em, x) { 2 } else { 1 }).collect();
    let collected = em.collect(&data.shape, &mut |em, index| {
        let pull = |em: &mut Emitter, one: Value| {
            let seed = em.one_hot(&data, one, index);
            em.b.call_of(m, pullback, &[known, &[seed]].concat())
        };
        let one = em.constant(Const::real(1.0, elem));
        let along_one = pull(em, one);
        let along_i = elem.is_complex().then(|| {
            let i = unit_i(em, elem);
            pull(em, i)
        });
        let mut all = Vec::new();
        for (k, x) in inputs.iter().enumerate() {
            let complex = complex_input(em, x);
            all.extend(row_block(em, along_one[k], along_i.as_ref().map(|g| g[k]), complex, elem));
        }
        all
    });
    split(collected, &sizes)
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
    results: &[Value],
    tangents: &[usize],
) -> Vec<Vec<Vec<Value>>> {
    let mut blocks = vec![Vec::new(); results.len()];
    for (k, x) in inputs.iter().enumerate() {
        let data = em.b.data(*x).clone();
        let elem = data.ty.scalar();
        let collected = em.collect(&data.shape, &mut |em, index| {
            let push = |em: &mut Emitter, one: Value| -> Vec<Value> {
                let seeds = one_of(em, inputs, k, one, index);
                let found = em.b.call_of(m, pushforward, &[args, &seeds].concat());
                tangents.iter().map(|t| found[*t]).collect()
            };
            let one = em.constant(Const::real(1.0, elem));
            let along_one = push(em, one);
            let along_i = elem.is_complex().then(|| {
                let i = unit_i(em, elem);
                push(em, i)
            });
            let mut all = Vec::new();
            for (j, t1) in along_one.into_iter().enumerate() {
                all.extend(column_block(em, t1, along_i.as_ref().map(|t| t[j])));
            }
            all
        });
        let size = if elem.is_complex() { 2 } else { 1 };
        let per_result = split(collected, &vec![size; results.len()]);
        for ((block, values), y) in blocks.iter_mut().zip(per_result).zip(results) {
            let rows = em.b.data(*y).shape.len();
            block.push(values.into_iter().map(|v| turned(em, v, data.shape.len(), rows)).collect());
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

/// Tangents of the inputs: one-hot of input `k`, zero of the others.
pub(super) fn one_of(
    em: &mut Emitter,
    inputs: &[Value],
    k: usize,
    one: Value,
    index: &[Value],
) -> Vec<Value> {
    let data: Vec<ValueData> = inputs.iter().map(|x| em.b.data(*x).clone()).collect();
    let seed =
        |(j, data): (usize, &ValueData)| if j == k { em.one_hot(data, one, index) } else { em.zero(data) };
    data.iter().enumerate().map(seed).collect()
}

/// An array with its first `columns` axes behind the `rows` others.
pub(super) fn turned(em: &mut Emitter, x: Value, columns: usize, rows: usize) -> Value {
    if columns == 0 || rows == 0 {
        return x;
    }
    let mut data = em.b.data(x).clone();
    data.shape.rotate_left(columns);
    em.map(&data, |em, index| {
        let (row, column) = index.split_at(rows);
        em.at(x, &[column, row].concat())
    })
}

/// The complex number i of type `ty`.
fn unit_i(em: &mut Emitter, ty: Scalar) -> Value {
    let i = em.times_i(Ex::Const(Const::real(1.0, ty.real())));
    em.value(i)
}
