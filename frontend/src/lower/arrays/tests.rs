//! Every function against plain Rust, with sizes known at compile time and at run time.

use super::elementwise::first;
use super::*;
use adc_ir::dims::{Dim, elements};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::StdMath;
use adc_ir::{Builder, Const, Module, Op, ReduceOp, Scalar, Span, Trap, Value, ValueData, Values};
use num_complex::Complex64 as C;

/// An argument: element type, sizes, elements.
type Arg = (Scalar, Vec<usize>, Vec<C>);

fn reals(shape: &[usize], data: &[f64]) -> Arg {
    (Scalar::F64, shape.to_vec(), data.iter().map(|x| C::new(*x, 0.0)).collect())
}

fn row(data: &[f64]) -> Arg {
    reals(&[data.len()], data)
}

fn of(elem: Scalar, arg: Arg) -> Arg {
    (elem, arg.1, arg.2)
}

fn complex(data: &[(f64, f64)]) -> Arg {
    (Scalar::C128, vec![data.len()], data.iter().map(|z| C::new(z.0, z.1)).collect())
}

fn val(a: &Arg) -> Val<f64> {
    let one = |z: &C| Val::from_const(Const::from_c128(*z, a.0));
    if a.1.is_empty() { one(&a.2[0]) } else { Val::array(&a.1, a.2.iter().map(one).collect()) }
}

/// What `f` gives for `args`: its elements. The sizes are literals if `fixed`, else dimensions, one for each number.
fn run_with(
    fixed: bool,
    args: &[Arg],
    f: &dyn Fn(&mut Builder, &[Value]) -> Value,
) -> Result<(Vec<usize>, Vec<C>), Trap> {
    let mut b = Builder::new("f", Span::NONE);
    let mut sizes: Vec<usize> = args.iter().flat_map(|a| a.1.clone()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let dims: Values = sizes.iter().filter(|_| !fixed).map(|n| b.dim(format!("N{n}"))).collect();
    let size = |n: &usize| match sizes.binary_search(n) {
        Ok(i) if !fixed => Dim::var(dims[i]),
        _ => Dim::constant(*n as i64),
    };
    let params: Vec<Value> = args
        .iter()
        .enumerate()
        .map(|(i, a)| b.param(format!("x{i}"), ValueData::array(a.0, a.1.iter().map(size).collect())))
        .collect();
    let out = f(&mut b, &params);
    let elem = b.ty(out).scalar();
    let func = b.finish(vec![("out".into(), out)]);
    let mut module = Module::default();
    let id = module.add(func);
    adc_ir::verify::assert_valid(&module, "an array built-in");
    let given: Vec<Val<f64>> = args.iter().map(val).collect();
    let dims: Vec<i64> = if fixed { Vec::new() } else { sizes.iter().map(|n| *n as i64).collect() };
    let values = Interp::new(&module, &StdMath, &NoExterns).call_with_dims(id, &dims, &given);
    let value = values.map_err(|e| e.trap)?.remove(0);
    let shape = if let Val::Array(a) = &value { a.shape().to_vec() } else { Vec::new() };
    Ok((shape, value.to_consts(elem).into_iter().map(Const::to_c128).collect()))
}

fn run(args: &[Arg], f: impl Fn(&mut Builder, &[Value]) -> Value) -> Result<(Vec<usize>, Vec<C>), Trap> {
    let fixed = run_with(true, args, &f);
    let bound = run_with(false, args, &f);
    assert_eq!(format!("{fixed:?}"), format!("{bound:?}"));
    fixed
}

/// A real result within rounding.
fn near(got: Result<(Vec<usize>, Vec<C>), Trap>, shape: &[usize], want: &[f64]) {
    let (s, data) = got.expect("no run-time error");
    assert_eq!(s, shape);
    assert_eq!(data.len(), want.len());
    for (x, y) in data.iter().zip(want) {
        let close = x.re == *y || (x.re - y).abs() <= 1e-14 * y.abs() || (x.re.is_nan() && y.is_nan());
        assert!(close && x.im == 0.0, "{data:?} is not {want:?}");
    }
}

fn exact(got: Result<(Vec<usize>, Vec<C>), Trap>, shape: &[usize], want: &[(f64, f64)]) {
    let (s, data) = got.expect("no run-time error");
    assert_eq!((s.as_slice(), data), (shape, want.iter().map(|z| C::new(z.0, z.1)).collect::<Vec<_>>()));
}

#[test]
fn reductions_of_everything() {
    let x = reals(&[2, 3], &[1.0, -2.0, 3.0, 4.0, 5.0, -6.0]);
    let all = |op| run(std::slice::from_ref(&x), move |b, v| reduce(b, op, v[0]));
    near(all(ReduceOp::Sum), &[], &[5.0]);
    near(all(ReduceOp::Prod), &[], &[720.0]);
    near(all(ReduceOp::Max), &[], &[5.0]);
    near(all(ReduceOp::Min), &[], &[-6.0]);
    near(run(std::slice::from_ref(&x), |b, v| mean(b, v[0])), &[], &[5.0 / 6.0]);
    let ints = of(Scalar::I64, x.clone());
    near(run(std::slice::from_ref(&ints), |b, v| reduce(b, ReduceOp::Sum, v[0])), &[], &[5.0]);
    near(run(&[ints], |b, v| reduce(b, ReduceOp::Max, v[0])), &[], &[5.0]);
    let v = row(&[2.0, 7.0, 7.0, -1.0]);
    near(run(std::slice::from_ref(&v), |b, v| reduce(b, ReduceOp::ArgMax, v[0])), &[], &[1.0]);
    near(run(&[v], |b, v| reduce(b, ReduceOp::ArgMin, v[0])), &[], &[3.0]);
    let flags = of(Scalar::Bool, row(&[0.0, 1.0]));
    near(run(std::slice::from_ref(&flags), |b, v| reduce(b, ReduceOp::Any, v[0])), &[], &[1.0]);
    near(run(&[flags], |b, v| reduce(b, ReduceOp::All, v[0])), &[], &[0.0]);
    let z = complex(&[(1.0, 2.0), (3.0, -4.0)]);
    exact(run(std::slice::from_ref(&z), |b, v| reduce(b, ReduceOp::Sum, v[0])), &[], &[(4.0, -2.0)]);
    exact(run(&[z], |b, v| mean(b, v[0])), &[], &[(2.0, -1.0)]);
}

#[test]
fn reductions_of_nothing() {
    let none = row(&[]);
    let all = |op| run(std::slice::from_ref(&none), move |b, v| reduce(b, op, v[0]));
    near(all(ReduceOp::Sum), &[], &[0.0]);
    near(all(ReduceOp::Prod), &[], &[1.0]);
    assert_eq!(all(ReduceOp::Max), Err(Trap::EmptyReduction));
    assert!(matches!(run(std::slice::from_ref(&none), |b, v| mean(b, v[0])), Err(Trap::Assert(_))));
    near(run(std::slice::from_ref(&none), |b, v| norm(b, v[0])), &[], &[0.0]);
    assert_eq!(run(std::slice::from_ref(&none), |b, v| logsumexp(b, v[0])), Err(Trap::EmptyReduction));
    near(run(std::slice::from_ref(&none), |b, v| cumsum(b, v[0])), &[0], &[]);
    near(run(std::slice::from_ref(&none), |b, v| flip(b, v[0])), &[0], &[]);
    near(run(&[none.clone(), none.clone()], |b, v| dot(b, v[0], v[1])), &[], &[0.0]);
    near(run(std::slice::from_ref(&none), |b, v| diag(b, v[0])), &[0, 0], &[]);
    near(run(&[none.clone(), row(&[1.0])], concat_all), &[1], &[1.0]);
    near(run(&[reals(&[2, 0], &[])], |b, v| reduce(b, ReduceOp::Sum, v[0])), &[], &[0.0]);
}

#[test]
fn norms_neither_overflow_nor_vanish() {
    let norm_of = |x: Arg| run(&[x], |b, v| norm(b, v[0]));
    near(norm_of(row(&[3.0, -4.0])), &[], &[5.0]);
    near(norm_of(reals(&[2, 2], &[1.0, 1.0, 1.0, 1.0])), &[], &[2.0]);
    near(norm_of(row(&[-7.0])), &[], &[7.0]);
    near(norm_of(row(&[0.0, -0.0])), &[], &[0.0]);
    near(norm_of(row(&[3e200, 4e200])), &[], &[5e200]);
    near(norm_of(row(&[3e-200, -4e-200])), &[], &[5e-200]);
    near(norm_of(row(&[f64::NEG_INFINITY, 1.0])), &[], &[f64::INFINITY]);
    near(norm_of(row(&[f64::NAN, 1.0])), &[], &[f64::NAN]);
    near(norm_of(complex(&[(3.0, 4.0), (0.0, 12.0)])), &[], &[13.0]);
    near(norm_of(of(Scalar::F32, row(&[3e30, 4e30]))), &[], &[5e30f32 as f64]);
    near(norm_of(of(Scalar::C64, complex(&[(3.0, 0.0), (0.0, 4.0)]))), &[], &[5.0]);
}

#[test]
fn exponentials_are_shifted() {
    let lse = |x: &[f64]| run(&[row(x)], |b, v| logsumexp(b, v[0]));
    near(lse(&[1000.0, 1000.0]), &[], &[1000.0 + 2f64.ln()]);
    near(lse(&[0.5]), &[], &[0.5]);
    near(lse(&[f64::NEG_INFINITY, 1.0]), &[], &[1.0]);
    near(lse(&[f64::NEG_INFINITY; 2]), &[], &[f64::NEG_INFINITY]);
    near(lse(&[f64::INFINITY, 1.0]), &[], &[f64::INFINITY]);
    near(lse(&[f64::NAN, 1.0]), &[], &[f64::NAN]);
    let soft = run(&[row(&[1e4, 1e4, -1e4])], |b, v| softmax(b, v[0]));
    near(soft, &[3], &[0.5, 0.5, 0.0]);
    near(run(&[of(Scalar::F32, row(&[3.0]))], |b, v| softmax(b, v[0])), &[1], &[1.0]);
}

#[test]
fn running_sums() {
    near(run(&[row(&[1.0, 2.0, -4.0])], |b, v| cumsum(b, v[0])), &[3], &[1.0, 3.0, -1.0]);
    for n in [0, 1, 2, 3, 5, 8, 13, 31] {
        let x: Vec<f64> =
            (0..n).map(|i| [2.0, -1.0, f64::NAN, 0.0, -0.0, f64::INFINITY][i * i % 17 % 6]).collect();
        let mut order: Vec<usize> = (0..n).collect();
        let key = |i: &usize| (x[*i].is_nan(), x[*i] + 0.0);
        order.sort_by(|i, j| key(i).partial_cmp(&key(j)).unwrap_or(std::cmp::Ordering::Equal));
        let sorted: Vec<f64> = order.iter().map(|i| x[*i]).collect();
        let order: Vec<f64> = order.iter().map(|i| *i as f64).collect();
        near(run(&[row(&x)], |b, v| argsort(b, v[0])), &[n], &order);
        near(run(&[row(&x)], |b, v| sort(b, v[0])), &[n], &sorted);
    }
    near(run(&[row(&[2.0, 0.0, 3.0])], |b, v| cumprod(b, v[0])), &[3], &[2.0, 0.0, 0.0]);
    let ints = of(Scalar::I64, row(&[5.0, 6.0]));
    near(run(&[ints], |b, v| cumprod(b, v[0])), &[2], &[5.0, 30.0]);
    exact(
        run(&[complex(&[(0.0, 1.0), (0.0, 1.0)])], |b, v| cumprod(b, v[0])),
        &[2],
        &[(0.0, 1.0), (-1.0, 0.0)],
    );
}

fn concat_all(b: &mut Builder, parts: &[Value]) -> Value {
    let total = parts.iter().fold(Dim::constant(0), |n, p| n.add(&first(b, *p)).unwrap());
    concat(b, parts, &total)
}

#[test]
fn forms() {
    let a = reals(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    near(run(std::slice::from_ref(&a), |b, v| adjoint(b, v[0])), &[3, 2], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    near(run(std::slice::from_ref(&a), |b, v| flip(b, v[0])), &[2, 3], &[4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    let z = complex(&[(1.0, 2.0)]);
    exact(run(std::slice::from_ref(&z), |b, v| adjoint(b, v[0])), &[1], &[(1.0, -2.0)]);
    near(
        run(&[a.clone(), reals(&[1, 3], &[7.0, 8.0, 9.0]), a.clone()], concat_all),
        &[5, 3],
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    );
    near(
        run(&[a.clone(), row(&[0.0, 1.0, 1.0, 0.0])], |b, v| {
            let idx = map_op(b, Op::ToI64, &[v[1]]);
            gather(b, v[0], idx)
        }),
        &[4, 3],
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0],
    );
    let bad = run(&[a.clone(), of(Scalar::I64, row(&[2.0]))], |b, v| gather(b, v[0], v[1]));
    assert_eq!(bad, Err(Trap::IndexOutOfRange { index: 2, size: 2 }));
    near(run(&[row(&[1.0, 2.0])], |b, v| diag(b, v[0])), &[2, 2], &[1.0, 0.0, 0.0, 2.0]);
    let s = reals(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    near(run(std::slice::from_ref(&s), |b, v| diag(b, v[0])), &[2], &[1.0, 4.0]);
    near(run(std::slice::from_ref(&s), |b, v| trace(b, v[0])), &[], &[5.0]);
    near(run(&[s], |b, v| b.pack(&[v[0], v[0]])), &[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    near(
        run(&[row(&[1.0, 2.0]), row(&[3.0, 4.0, 5.0])], |b, v| outer(b, v[0], v[1])),
        &[2, 3],
        &[3.0, 4.0, 5.0, 6.0, 8.0, 10.0],
    );
    near(
        run(&[a, row(&[2.0])], |b, v| {
            let two = b.num(2.0, Scalar::F64);
            map_op(b, Op::Mul, &[v[0], two])
        }),
        &[2, 3],
        &[2.0, 4.0, 6.0, 8.0, 10.0, 12.0],
    );
    near(run(&[], |b, _| eye(b, Scalar::F32, &Dim::constant(2))), &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    near(run(&[], |b, _| iota(b, &Dim::constant(3))), &[3], &[0.0, 1.0, 2.0]);
    near(run(&[], |b, _| filled(b, 1.0, Scalar::C64, &[Dim::constant(2)])), &[2], &[1.0, 1.0]);
}

#[test]
fn dot_conjugates_its_first() {
    let z = complex(&[(1.0, 2.0), (0.0, 1.0)]);
    exact(run(&[z.clone(), z.clone()], |b, v| dot(b, v[0], v[1])), &[], &[(6.0, 0.0)]);
    exact(run(&[z, row(&[1.0, 2.0])], |b, v| dot(b, v[0], v[1])), &[], &[(1.0, -4.0)]);
    let ints = of(Scalar::I64, row(&[2.0, 3.0]));
    near(run(&[ints.clone(), ints], |b, v| dot(b, v[0], v[1])), &[], &[13.0]);
}

#[test]
fn sums_of_arrays_whose_number_of_elements_is_no_polynomial() {
    let mut b = Builder::new("f", Span::NONE);
    let sum = |b: &mut Builder, n: usize| {
        let vars: Vec<Dim> = (0..n).map(|_| Dim::var(b.dim(format!("D{}", b.func().dims.len())))).collect();
        vars.iter().fold(Dim::constant(0), |s, d| s.add(d).unwrap())
    };
    let shape = vec![sum(&mut b, 9), sum(&mut b, 9)];
    assert_eq!(elements(&shape), None);
    let x = b.param("x", ValueData::array(Scalar::F64, shape));
    let s = mean(&mut b, x);
    let mut module = Module::default();
    let id = module.add(b.finish(vec![("out".into(), s)]));
    adc_ir::verify::assert_valid(&module, "a mean");
    let x = Val::array(&[9, 9], (0..81).map(|i| Val::Real(i as f64)).collect());
    let got = Interp::new(&module, &StdMath, &NoExterns).call_with_dims(id, &[1; 18], &[x]);
    assert_eq!(got, Ok(vec![Val::Real(40.0)]));
}
