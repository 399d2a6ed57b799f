//! Arrays and dimensions as host programs meet them.

use adc::{C128, Error, Function, Model, Options, UsageError, Value, Workspace, Wrt};
use ndarray::{Array1, Array2, ArrayD, Axis, Slice, array};

/// k times the sum of x, and A times x.
const SUMS: &str =
    "fn f[N, M](x: f64[N], A: f64[M, N], k: f64) -> (total: f64, y: f64[M]) { (k*sum(x), A @ x) }";

fn function(source: &str) -> Function {
    let model = Model::parse("f.dsl", source).unwrap_or_else(|d| panic!("{d}"));
    model.function("f").expect("it has an f")
}

#[test]
fn arrays_go_in_and_come_out() {
    let f = function(SUMS).compile(&Options::default()).unwrap();
    let (x, a) = (array![1.0, 2.0, 3.0], array![[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]);
    let out = f.call(&[(&x).into(), a.view().into(), 2.0.into()]).unwrap();
    assert_eq!(out, [12.0.into(), vec![1.0, 5.0].into()]);
    // Columns first, every other one, a slice: all the same to the callee.
    let wide = Array2::from_shape_fn((2, 6), |(i, j)| if j % 2 == 0 { a[[i, j / 2]] } else { f64::NAN });
    let strided = wide.slice_axis(Axis(1), Slice::new(0, None, 2));
    let out = f.call(&[x.slice_axis(Axis(0), Slice::from(..)).into(), strided.into(), 2.0.into()]).unwrap();
    let y: Array1<f64> = out[1].clone().try_into().unwrap();
    assert_eq!(y, array![1.0, 5.0]);
    assert!(Array2::<f64>::try_from(out[1].clone()).is_err());
    assert!(Array1::<f32>::try_from(out[1].clone()).is_err());
    // Other sizes: other code, made once.
    for n in [0, 1, 5, 3, 5] {
        let (x, a) = (Array1::<f64>::ones(n), Array2::<f64>::ones((2, n)));
        let out = f.call(&[x.into(), a.into(), 1.0.into()]).unwrap();
        assert_eq!(out, [(n as f64).into(), vec![n as f64; 2].into()]);
    }
}

#[test]
fn sizes_that_do_not_fit_are_told_with_both_places() {
    let f = function(SUMS);
    let compiled = f.compile(&Options::default()).unwrap();
    let call = |x: usize, a: (usize, usize)| {
        let error =
            compiled.call(&[Array1::<f64>::zeros(x).into(), Array2::<f64>::zeros(a).into(), 1.0.into()]);
        error.unwrap_err().to_string()
    };
    let told = call(3, (2, 4));
    for part in ["ADC0805", "`A` is f64[M, N], but f64[2, 4] was given: `N` is 3", "axis 1", "axis 0 of `x`"]
    {
        assert!(told.contains(part), "{part} in {told}");
    }
    let fixed = f.with_dims([("N", 3), ("M", 2)]).unwrap();
    assert_eq!(fixed.inputs()[1].describe(), "f64[2, 3]");
    let told = fixed.compile(&Options::default()).unwrap().call(&[
        vec![0.0; 4].into(),
        Array2::<f64>::zeros((2, 3)).into(),
        1.0.into(),
    ]);
    assert!(told.unwrap_err().to_string().contains("`x` is f64[3], but f64[4] was given"));
    // A dimension given beside arguments that say something else.
    let given = f.with_dims([("N", 5)]).unwrap().compile(&Options::default()).unwrap();
    let told = given.call(&[vec![0.0; 4].into(), Array2::<f64>::zeros((2, 4)).into(), 1.0.into()]);
    assert!(told.unwrap_err().to_string().contains("`N` is 5"));
    let wrong = f.with_dims([("K", 5)]).unwrap_err();
    assert!(matches!(wrong, Error::Usage(UsageError::UnknownDimension { .. })), "{wrong}");
    for (inputs, expected) in [
        (vec![Value::F64(1.0), Value::F64(1.0), Value::F64(1.0)], "f64[N]"),
        (vec![vec![1i64].into(), Value::F64(1.0), Value::F64(1.0)], "f64[N]"),
        (vec![vec![1.0].into(), vec![1.0].into(), Value::F64(1.0)], "f64[M, N]"),
    ] {
        let told = compiled.call(&inputs).unwrap_err();
        assert!(told.to_string().contains(expected), "{told}");
    }
}

#[test]
fn a_dimension_that_no_argument_has_must_be_given() {
    let f = function("fn f[N](k: f64) -> f64[N] { fill(k, N) }");
    let told = f.compile(&Options::default()).unwrap().call(&[1.0.into()]).unwrap_err().to_string();
    assert!(told.contains("ADC0805") && told.contains("with_dims([(\"N\", 3)])"), "{told}");
    let f = f.with_dims([("N", 2)]).unwrap();
    assert_eq!(f.dims(), []);
    assert_eq!(f.compile(&Options::default()).unwrap().call(&[1.5.into()]).unwrap(), [vec![1.5; 2].into()]);
    assert_eq!(f.interpret(&Options::default(), &[1.5.into()]).unwrap(), [vec![1.5; 2].into()]);
}

#[test]
fn one_function_serves_threads_with_different_sizes() {
    let f = function(SUMS).compile(&Options::default()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let f = &f;
            scope.spawn(move || {
                let mut workspace = Workspace::default();
                let mut bound = f.bind(&mut workspace);
                let mut out = vec![Value::F64(0.0); 2];
                for round in 0..20 {
                    let n = (thread + round) % 5;
                    let (x, a) = (Array1::<f64>::ones(n), Array2::<f64>::ones((3, n)));
                    bound.call_into(&[(&x).into(), (&a).into(), 1.0.into()], &mut out).unwrap();
                    assert_eq!(out, [(n as f64).into(), vec![n as f64; 3].into()]);
                }
            });
        }
    });
}

#[test]
fn results_go_where_the_host_wants_them() {
    let f = function(SUMS).compile(&Options::default()).unwrap();
    let (x, a) = (array![1.0, 2.0], array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    let (mut total, mut y) = (0.0, Array1::<f64>::zeros(3));
    let mut workspace = Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let inputs = [(&x).into(), (&a).into(), 2.0.into()];
    bound.call_to(&inputs, &mut [(&mut total).into(), y.view_mut().into()]).unwrap();
    assert_eq!((total, &y), (6.0, &array![1.0, 2.0, 3.0]));
    let mut matrix = Array2::<f64>::zeros((2, 3));
    bound.call_to(&inputs, &mut [(&mut total).into(), matrix.row_mut(1).into()]).unwrap();
    assert_eq!(matrix, array![[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
    let mut short = Array1::<f64>::zeros(2);
    let refused = bound.call_to(&inputs, &mut [(&mut total).into(), (&mut short).into()]);
    assert!(matches!(refused, Err(Error::Usage(UsageError::ValueType { .. }))), "{refused:?}");
    let mut columns = Array2::<f64>::zeros((3, 2));
    let refused = bound.call_to(&inputs, &mut [(&mut total).into(), columns.column_mut(0).into()]);
    assert!(matches!(refused, Err(Error::Usage(UsageError::NotContiguous(_)))), "{refused:?}");
}

#[test]
fn a_batch_of_arrays() {
    let f = function(SUMS).compile(&Options::default()).unwrap();
    let a = array![[1.0, 1.0]];
    let rows: Vec<Array1<f64>> = (0..100).map(|i| array![f64::from(i), 1.0]).collect();
    let inputs: Vec<Value> = rows.iter().flat_map(|x| [x.into(), (&a).into(), 1.0.into()]).collect();
    let mut out = vec![Value::F64(0.0); 200];
    f.batch(&inputs, &mut out).unwrap();
    for i in 0..100 {
        assert_eq!(out[2 * i..2 * i + 2], [(i as f64 + 1.0).into(), vec![i as f64 + 1.0].into()]);
    }
}

#[test]
fn every_element_type() {
    let f = function(
        "fn f[N](b: bool[N], n: i64[N], s: f32[N], x: f64[N], c: c64[N], z: c128[N]) -> (bool[N], i64[N], f32[N], f64[N], c64[N], c128[N]) { (b, n, s, x, c, z) }",
    );
    let f = f.compile(&Options::default()).unwrap();
    let inputs: Vec<Value> = vec![
        vec![true, false].into(),
        vec![1i64, i64::MIN].into(),
        vec![1.5f32, f32::NAN].into(),
        vec![-0.0, f64::INFINITY].into(),
        vec![adc::C64::new(1.0, -2.0), adc::C64::new(0.5, 0.0)].into(),
        vec![C128::new(1.0, -2.0), C128::new(0.5, 0.0)].into(),
    ];
    assert_eq!(f.call(&inputs).unwrap(), inputs);
    assert_eq!(ArrayD::<f64>::try_from(inputs[3].clone()).unwrap().shape(), [2]);
}

#[test]
fn forward_derivatives_of_arrays() {
    let f = function("fn f[N](x: f64[N], y: f64[N]) -> f64 { sum(x[i]*x[i]*y[i] for i) }");
    let jvp = f.jvp("x").unwrap();
    assert_eq!(jvp.inputs().last().unwrap().describe(), "f64[N]");
    let jvp = jvp.compile(&Options::default()).unwrap();
    for n in [1, 3] {
        let (x, y) = (Array1::<f64>::from_elem(n, 2.0), Array1::<f64>::from_elem(n, 5.0));
        let out = jvp.call(&[(&x).into(), (&y).into(), Array1::<f64>::ones(n).into()]).unwrap();
        assert_eq!(out, [(20.0 * n as f64).into(), (20.0 * n as f64).into()]);
    }
}

#[test]
fn gradients_of_arrays() {
    let f = function("fn f[N, M](A: f64[M, N], x: f64[N]) -> f64 { sum(tanh((A @ x)[i])^2 for i) }");
    let vjp = f.value_and_grad(Wrt::All).unwrap().compile(&Options::default()).unwrap();
    for (m, n) in [(1, 1), (3, 2), (2, 5)] {
        let a = Array2::from_shape_fn((m, n), |(i, j)| 0.1 * (i as f64 - 2.0 * j as f64) + 0.3);
        let x = Array1::from_shape_fn(n, |i| 0.2 * i as f64 - 0.5);
        let out = vjp.call(&[(&a).into(), (&x).into()]).unwrap();
        let u = a.dot(&x).mapv(f64::tanh);
        let du = u.mapv(|t| 2.0 * t * (1.0 - t * t));
        let near = |found: &Value, expected: ArrayD<f64>| {
            let found: ArrayD<f64> = found.clone().try_into().unwrap();
            assert_eq!(found.shape(), expected.shape());
            assert!((&found - &expected).iter().all(|e| e.abs() < 1e-12), "{found} {expected}");
        };
        let outer = du.view().insert_axis(Axis(1)).dot(&x.view().insert_axis(Axis(0)));
        near(&out[1], outer.into_dyn());
        near(&out[2], a.t().dot(&du).into_dyn());
        // The pullback does the same any number of times, and the tangent goes the other way.
        let (_, linear) = f.linearize(&[(&a).into(), (&x).into()]).unwrap();
        for _ in 0..2 {
            near(&linear.vjp(&[1.0.into()]).unwrap()[1], a.t().dot(&du).into_dyn());
        }
        let tangent = linear.jvp(&[Array2::<f64>::zeros((m, n)).into(), (&x).into()]).unwrap();
        let expected = du.dot(&a.dot(&x));
        assert!(matches!(tangent[0], Value::F64(t) if (t - expected).abs() < 1e-12));
    }
}

#[test]
fn limits_end_a_run() {
    let f = function("fn f(n: i64) -> f64 { var s = 0.0; for i in 0..n { s += f64(i); } s }");
    let few = f.compile(&Options::default().with_fuel(100)).unwrap();
    assert_eq!(few.call(&[50i64.into()]).unwrap(), [1225.0.into()]);
    let told = few.call(&[1000i64.into()]).unwrap_err().to_string();
    assert!(told.contains("ADC0511"), "{told}");
    let g = function("fn f[N](x: f64) -> f64 { let a = fill(x, N); var y = a; y[0] = 1; sum(cumsum(y)) }");
    let g =
        g.with_dims([("N", 10000)]).unwrap().compile(&Options::default().with_memory_limit(1000)).unwrap();
    let told = g.call(&[1.0.into()]).unwrap_err().to_string();
    assert!(told.contains("ADC0512"), "{told}");
}

#[test]
fn a_derivative_beyond_the_memory_limit_stores_less() {
    let f = function("fn f(x: f64, n: i64) -> f64 { var s = x; for i in 0..n { s = sin(s) + 0.5*x; } s }");
    let g = f.value_and_grad("x").unwrap();
    let point = [0.3.into(), 1_000_000i64.into()];
    let wide = g.compile(&Options::default()).unwrap().call(&point).unwrap();
    let narrow = g.compile(&Options::default().with_memory_limit(1 << 20)).unwrap();
    for _ in 0..2 {
        assert_eq!(narrow.call(&point).unwrap(), wide);
    }
    let (mut value, mut slope) = (0.0, 0.0);
    let mut workspace = Workspace::default();
    narrow.bind(&mut workspace).call_to(&point, &mut [(&mut value).into(), (&mut slope).into()]).unwrap();
    let again = g.compile(&Options::default().with_memory_limit(1 << 20)).unwrap();
    let mut out = vec![Value::Bool(false); 2];
    let mut bound = again.bind(&mut workspace);
    for _ in 0..2 {
        bound.call_into(&point, &mut out).unwrap();
        assert_eq!(out, wide);
    }
    assert_eq!([Value::F64(value), Value::F64(slope)], wide[..]);
    // The function itself has nothing to leave out, and less than one iteration's state is too little.
    let least = g.compile(&Options::default().with_memory_limit(64)).unwrap().call(&point);
    assert!(least.unwrap_err().to_string().contains("ADC0512"));
}

#[test]
fn numerical_gradients_of_arrays() {
    let f = function("fn f[N](x: f64[N], z: c128[N]) -> f64 { sum(x[i]^2*abs2(z[i]) for i) }");
    let point = [vec![1.0, -2.0].into(), vec![C128::new(1.0, 1.0), C128::new(0.0, 2.0)].into()];
    let exact = f.grad(Wrt::All).unwrap().compile(&Options::default()).unwrap().call(&point).unwrap();
    for (name, exact) in ["x", "z"].into_iter().zip(&exact) {
        let found = f.numerical_gradient(&point, name, "out", adc::Fd::Central { delta: 1e-4 }).unwrap();
        assert_eq!(found.shape(), exact.shape());
        for (a, b) in found.consts().zip(exact.consts()) {
            assert!((a.to_c128() - b.to_c128()).norm() < 1e-6, "{name}: {found} {exact}");
        }
    }
}

#[test]
fn many_calls_along_a_leading_axis() {
    let f = function(SUMS).compile(&Options::default()).unwrap();
    let x = Array2::from_shape_fn((300, 3), |(i, j)| i as f64 + j as f64);
    let a = ndarray::Array3::<f64>::ones((300, 2, 3));
    let k = Array1::from_shape_fn(300, |i| i as f64);
    let out = f.call_many(&[(&x).into(), (&a).into(), (&k).into()]).unwrap();
    assert_eq!(out[0].describe(), "f64[300]");
    assert_eq!(out[1].describe(), "f64[300, 2]");
    for i in [0, 17, 299] {
        let one = f.call(&[x.row(i).into(), a.index_axis(Axis(0), i).into(), k[i].into()]).unwrap();
        assert_eq!(out[0].view::<f64>().unwrap()[[i]], x.row(i).sum() * k[i]);
        assert_eq!(Value::from(out[1].view::<f64>().unwrap().index_axis(Axis(0), i)), one[1]);
    }
    let short = Array1::<f64>::ones(7);
    let refused = f.call_many(&[(&x).into(), (&a).into(), (&short).into()]).unwrap_err();
    assert!(refused.to_string().contains("expected `k` to have a leading axis of length 300"), "{refused}");
    let refused = f.call_many(&[(&x).into(), (&a).into(), 1.0.into()]).unwrap_err();
    assert!(matches!(refused, Error::Usage(UsageError::Rows { .. })), "{refused}");
}
