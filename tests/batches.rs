//! Many calls at once have the bits of single calls, whether they run in blocks of rows or one by one.

use adc::{Compiled, Function, Model, OptLevel, Options, Value, Wrt};

/// Rows enough for blocks, and some more than fill them.
const ROWS: usize = 20_000 + 37;

fn function(source: &str) -> Function {
    Model::parse("f.dsl", source).expect("it parses").function("f").expect("it is there")
}

/// Numbers between −2 and 2, and some that are none.
fn numbers(count: usize, odd: bool) -> Vec<f64> {
    let number = |k: usize| match k % 997 {
        3 if odd => f64::NAN,
        5 if odd => f64::INFINITY,
        7 => -0.0,
        11 => 1e-310,
        _ => (k as f64 * 0.618_033_988_749_895).fract() * 4.0 - 2.0,
    };
    (0..count).map(number).collect()
}

/// Sources of functions `f` of reals, and whether their bodies run in lanes.
const MODELS: [(&str, bool); 8] = [
    ("fn f(x: f64, y: f64) -> f64 { x*y + 1 }", true),
    ("fn f(a: f64, b: f64, c: f64) -> f64 { exp(a)*sin(b) + log(c^2 + 1)/(1 + a^2) }", true),
    ("fn f(x: f64, y: f64) -> f64 { if x > y { x^3 } else { if y > 0 { exp(y) } else { x - y } } }", true),
    (
        "fn f(x: f64, y: f64) -> f64 { var s = y; for i in 0..20 { s = 0.5*s + sin(x + f64(i))/f64(i + 1); } s }",
        true,
    ),
    ("fn f(x: f64, y: f64) -> f64 { let a = [x, y, x*y]; sum(exp(-a[i]^2) for i in 0..3) + max(a) }", true),
    ("fn f(x: f64, y: f64) -> f64 { assert y != 77, \"no\"; sqrt(x^2 + y^2) + atan2(y, x) }", true),
    // Turns that depend on the row.
    ("fn f(x: f64, y: f64) -> f64 { var s = abs(x) + 1; while s < 10 { s = 1.5*s + 0.01*y^2; } s }", false),
    ("fn f(x: f64, y: f64) -> f64 { det([[x, y], [y, 3]])*x }", false),
];

/// Two lanes are not worth it.
fn has_lanes() -> bool {
    adc_jit::Options::default().simd != adc_jit::Simd::Baseline
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Compares rows of numbers, and columns, with single calls.
fn compare(f: &Compiled, lanes: Option<bool>, what: &str) {
    let (n, m) = (f.inputs().len(), f.outputs().len());
    let points = numbers(n * ROWS, true);
    let before = f.stats().lane_loops;
    let mut found = vec![0.0; m * ROWS];
    f.batch_reals(&points, &mut found).expect(what);
    let lanes = lanes.map(|lanes| lanes && has_lanes());
    assert!(lanes.is_none_or(|lanes| lanes == (f.stats().lane_loops > before)), "{what}");
    let values: Vec<Value> = points.iter().map(|x| (*x).into()).collect();
    let mut others = vec![Value::F64(0.0); m * ROWS];
    f.batch(&values, &mut others).expect(what);
    let column = |k: usize| Value::from(points.iter().skip(k).step_by(n).copied().collect::<Vec<f64>>());
    let columns = f.call_many(&(0..n).map(column).collect::<Vec<_>>()).expect(what);
    let columns: Vec<_> = columns.iter().map(|c| c.view::<f64>().expect("reals").to_owned()).collect();
    for i in 0..ROWS {
        let one = f.call(&values[i * n..(i + 1) * n]).expect(what);
        for (k, y) in one.into_iter().enumerate() {
            let y: f64 = y.try_into().expect("a real");
            let place = format!("{what}: row {i}, {:?}, result {k}", &points[i * n..(i + 1) * n]);
            assert!(same(found[i * m + k], y), "{place}: {} and {y}", found[i * m + k]);
            assert!(same(others[i * m + k].clone().try_into().expect("a real"), y), "{place}");
            assert!(same(columns[k][i], y), "{place}: {} and {y}", columns[k][i]);
        }
    }
}

#[test]
fn rows_have_the_bits_of_single_calls() {
    for (source, lanes) in MODELS {
        for (opt, lanes) in [(OptLevel::O1, None), (OptLevel::O2, Some(lanes))] {
            let options = Options::default().with_opt(opt);
            let f = function(source);
            compare(&f.compile(&options).expect("it compiles"), lanes, source);
            let gradient =
                f.value_and_grad(Wrt::All).expect("it has one").compile(&options).expect("it compiles");
            compare(&gradient, lanes, &format!("the gradient of {source}"));
        }
    }
    // Raw code runs row by row.
    let raw = function(MODELS[0].0).compile(&Options::default().with_opt(OptLevel::O0)).expect("it compiles");
    compare(&raw, Some(false), "raw");
}

#[test]
fn columns_of_arrays_and_what_is_the_same_in_all_rows() {
    let source = "fn f[N](x: f64[N], a: f64[2, N], k: f64) -> (f64, f64[N]) {
        let r = [sum(a[j, i]*x[i] for i in 0..N) for j in 0..2];
        (k*sum(r^2), [exp(-x[i]^2)*r[mod(i, 2)] for i in 0..N])
    }";
    let f = function(source).compile(&Options::default()).expect("it compiles");
    for (n, over) in [
        (3, [true, true, true]),
        (3, [true, false, true]),
        (5, [true, true, false]),
        (40, [true, false, false]),
    ] {
        let array = |rows: bool, shape: &[usize]| {
            let shape = [if rows { &[ROWS][..] } else { &[] }, shape].concat();
            match shape.iter().product() {
                1 if shape.is_empty() => Value::F64(0.75),
                len => Value::array(&shape, numbers(len, false)).expect("as many"),
            }
        };
        let inputs = [array(over[0], &[n]), array(over[1], &[2, n]), array(over[2], &[])];
        let found = f.call_many_over(&inputs, &over, None).expect("it runs");
        let (sums, rows) = (found[0].view::<f64>().expect("reals"), found[1].view::<f64>().expect("reals"));
        assert_eq!(rows.shape(), [ROWS, n]);
        for i in (0..ROWS).step_by(61).chain(ROWS - 40..ROWS) {
            let row = |v: &Value, over: bool| match over {
                true => {
                    let v = v.view::<f64>().expect("reals");
                    let part = v.index_axis(ndarray::Axis(0), i).to_owned();
                    match part.ndim() {
                        0 => part.first().copied().map(Value::F64).expect("one"),
                        _ => part.into(),
                    }
                }
                false => v.clone().into_owned(),
            };
            let one: Vec<Value> = inputs.iter().zip(over).map(|(v, o)| row(v, o)).collect();
            let one = f.call(&one).expect("it runs");
            assert_eq!(Value::F64(sums[i]), one[0], "{n}, {over:?}, row {i}");
            assert_eq!(
                Value::from(rows.index_axis(ndarray::Axis(0), i).to_owned()),
                one[1],
                "{n}, {over:?}, row {i}"
            );
        }
    }
}

#[test]
fn the_first_row_that_fails_is_told() {
    let source = "fn f(x: f64 in [-3, 3], y: f64) -> f64 { assert y < 2.5, \"too large\"; x*exp(y) }";
    let f = function(source).compile(&Options::default()).expect("it compiles");
    let points = numbers(2 * ROWS, false);
    let mut expected = vec![0.0; ROWS];
    f.batch_reals(&points, &mut expected).expect("it runs");
    assert_eq!(f.stats().lane_loops > 0, has_lanes());
    for (row, k, x, wrong) in
        [(5_000, 0, 4.0, "must lie in"), (63, 1, 3.0, "too large"), (ROWS - 1, 1, 3.0, "too large")]
    {
        let mut points = points.clone();
        points[2 * row + k] = x;
        // Another one behind it says something else.
        if row + 1 < ROWS {
            points[2 * row + 3 - k] = 7.0;
        }
        let mut found = vec![0.0; ROWS];
        let error = f.batch_reals(&points, &mut found).expect_err("a row fails").to_string();
        assert!(error.contains(wrong), "{error}");
        let single = f.call(&[points[2 * row].into(), points[2 * row + 1].into()]).expect_err("it fails");
        assert_eq!(error, single.to_string());
        let column = |k: usize| Value::from(points.iter().skip(k).step_by(2).copied().collect::<Vec<f64>>());
        assert_eq!(f.call_many(&[column(0), column(1)]).expect_err("a row fails").to_string(), error);
    }
}
