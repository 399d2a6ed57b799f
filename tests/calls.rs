//! Calls by Rust's own numbers and in memory of their own give what `Compiled::call` gives, errors too.

use adc::{C64, C128, Compiled, Error, Model, Options, Value, Wrt};

fn compiled(source: &str) -> Compiled {
    let model = Model::parse("f.dsl", source).unwrap_or_else(|d| panic!("{d}"));
    model.function("f").expect("it is there").compile(&Options::default()).expect("it compiles")
}

fn gradient(source: &str, options: &Options) -> Compiled {
    let model = Model::parse("f.dsl", source).unwrap_or_else(|d| panic!("{d}"));
    let f = model.function("f").expect("it is there").value_and_grad(Wrt::All).expect("it has a gradient");
    f.compile(options).expect("it compiles")
}

#[test]
fn numbers_of_every_type() {
    let f = compiled(
        "fn f(b: bool, n: i64, s: f32, x: f64, w: c64, z: c128) -> (bool, i64, f32, f64, c64, c128) {
            (!b, n + 1, -s, 2*x, conj(w), 1i*z)
        }",
    );
    let given = (true, -7, 1.5f32, 0.25, C64::new(1.0, 2.0), C128::new(3.0, -4.0));
    let mut direct = f
        .direct::<(bool, i64, f32, f64, C64, C128), (bool, i64, f32, f64, C64, C128)>()
        .expect("these types");
    let found = direct.call(given).expect("it runs");
    assert_eq!(found, (false, -6, -1.5, 0.5, C64::new(1.0, -2.0), C128::new(4.0, 3.0)));
    let (b, n, s, x, w, z) = given;
    let values = [b.into(), n.into(), s.into(), x.into(), w.into(), z.into()];
    let mut fixed = f.fixed(&values).expect("these types");
    fixed.call().expect("it runs");
    assert_eq!(fixed.output::<bool>(0).expect("a bool"), [false]);
    assert_eq!(fixed.output::<C64>(4).expect("a c64"), [found.4]);
    assert_eq!(fixed.output::<C128>(5).expect("a c128"), [found.5]);
    fixed.input_mut::<bool>(0).expect("a bool")[0] = false;
    fixed.input_mut::<C128>(5).expect("a c128")[0] = C128::new(0.0, 1.0);
    fixed.call().expect("it runs");
    assert_eq!(fixed.output::<bool>(0).expect("a bool"), [true]);
    assert_eq!(fixed.output::<C128>(5).expect("a c128"), [C128::new(-1.0, 0.0)]);
}

/// The text of an error.
fn text<T>(found: Result<T, Error>) -> String {
    match found {
        Ok(_) => "no error".into(),
        Err(e) => e.to_string(),
    }
}

#[test]
fn errors_are_those_of_single_calls() {
    let source = "fn f(x: f64 in (0, INF), n: i64) -> f64 { assert n < 9, \"too large\"; log(x)/f64(n) + f64(div(6, n)) }";
    let f = compiled(source);
    let mut direct = f.direct::<(f64, i64), f64>().expect("these types");
    let mut fixed = f.fixed(&[1.0.into(), 1.into()]).expect("these types");
    for (x, n) in [(1.0, 2), (-1.0, 2), (1.0, 0), (2.0, 9), (3.0, 3)] {
        let expected = f.call(&[x.into(), n.into()]);
        match &expected {
            Ok(v) => assert_eq!(Value::from(direct.call((x, n)).expect("it runs")), v[0]),
            Err(e) => assert_eq!(text(direct.call((x, n))), e.to_string()),
        }
        fixed.input_mut::<f64>(0).expect("a real")[0] = x;
        fixed.input_mut::<i64>(1).expect("an integer")[0] = n;
        let found = fixed.call();
        match &expected {
            Ok(v) => assert_eq!(Value::from(fixed.output::<f64>(0).expect("a real")[0]), v[0]),
            Err(e) => assert_eq!(text(found), e.to_string()),
        }
    }
}

#[test]
fn types_and_numbers_are_compared_when_a_call_is_made_ready() {
    let f = compiled("fn f(x: f64, y: f64) -> (f64, i64) { (x*y, 1) }");
    assert_eq!(text(f.direct::<f64, (f64, i64)>()), "expected 2 values, found 1");
    assert_eq!(text(f.direct::<(f64, i64), (f64, i64)>()), "expected f64 for `y`, found i64");
    assert_eq!(text(f.direct::<[f64; 2], [f64; 2]>()), "expected i64 for `out.1`, found f64");
    assert!(text(f.batch_reals(&[1.0, 2.0], &mut [0.0; 2])).contains("expected i64"));
    let g = compiled("fn f[N](x: f64[N]) -> f64[N] { x }");
    assert_eq!(text(g.direct::<f64, f64>()), "expected f64[N] for `x`, found f64");
    let fixed = g.fixed(&[[1.0, 2.0].into()]);
    let mut fixed = fixed.expect("these types");
    assert_eq!(text(fixed.input_mut::<i64>(0).map_err(Error::from)), "expected f64[N] for `x`, found i64");
    assert_eq!(text(fixed.output::<f64>(1).map_err(Error::from)), "expected 1 values, found 2");
    assert!(text(g.fixed(&[1.0.into()])).contains("expected f64[N]"));
    // A dimension that no argument gives.
    let h = compiled("fn f[N](k: f64) -> f64 { k*f64(N) }");
    assert!(text(h.direct::<f64, f64>()).contains("ADC0805"), "{}", text(h.direct::<f64, f64>()));
}

#[test]
fn a_dimension_that_is_given() {
    let model =
        Model::parse("f.dsl", "fn f[N](k: f64) -> f64 { sum(k*f64(i) for i in 0..N) }").expect("a model");
    let f = model.function("f").expect("it is there").with_dims([("N", 4)]).expect("it has it");
    let mut f =
        f.compile(&Options::default()).expect("it compiles").direct::<f64, f64>().expect("these types");
    assert_eq!(f.call(0.5).expect("it runs"), 3.0);
}

#[test]
fn arrays_in_place() {
    let source = "fn f[N](A: c128[N, N], x: f64[N], keep: bool[N]) -> f64 {
        sum(if keep[i] { abs2(sum(A[i, j]*x[j] for j)) } else { 0 } for i)
    }";
    let f = gradient(source, &Options::default());
    let a: Vec<C128> = (0..9).map(|k| C128::new(f64::from(k), 1.0 - f64::from(k))).collect();
    let a = Value::array(&[3, 3], a).expect("nine");
    let mut fixed = f.fixed(&[a.clone(), [0.0; 3].into(), [true; 3].into()]).expect("these types");
    for k in 0..4 {
        let (x, keep) = ([1.0, f64::from(k), -0.5], [k > 0, true, k == 2]);
        fixed.input_mut(1).expect("reals").copy_from_slice(&x);
        fixed.input_mut(2).expect("booleans").copy_from_slice(&keep);
        fixed.call().expect("it runs");
        let expected = f.call(&[a.clone(), x.into(), keep.into()]).expect("it runs");
        let real = |i: usize| fixed.output::<f64>(i).expect("reals").to_vec();
        assert_eq!(Value::from(real(0)[0]), expected[0]);
        let slope = fixed.output::<C128>(1).expect("complex numbers").to_vec();
        assert_eq!(Value::array(&[3, 3], slope).expect("nine"), expected[1]);
        assert_eq!(Value::from(real(2)), expected[2]);
    }
}

#[test]
fn a_derivative_that_runs_out_of_memory_stores_less() {
    let source = "fn f(x: f64, n: i64) -> f64 { var s = x; for i in 0..n { s = sin(s) + x; } s }";
    let all = gradient(source, &Options::default());
    let little = gradient(source, &Options::default().with_memory_limit(200_000));
    let expected = all.call(&[0.3.into(), 100_000.into()]).expect("it runs");
    let mut fixed = little.fixed(&[0.3.into(), 100_000.into()]).expect("these types");
    let mut direct = little.direct::<(f64, i64), (f64, f64)>().expect("these types");
    for _ in 0..2 {
        fixed.call().expect("it runs");
        let found = [0, 1].map(|i| Value::from(fixed.output::<f64>(i).expect("a real")[0]));
        assert_eq!(found[..], expected[..]);
        let (value, slope) = direct.call((0.3, 100_000)).expect("it runs");
        assert_eq!([Value::from(value), slope.into()][..], expected[..]);
    }
}

#[test]
fn rows_of_reals() {
    let f = gradient(
        "fn f(x: f64 in [0, 1000], y: f64) -> f64 { assert y != 77, \"no\"; x*sin(y) }",
        &Options::default(),
    );
    let rows = 1000;
    let mut points: Vec<f64> = (0..2 * rows).map(|k| k as f64 / 4.0).collect();
    let values: Vec<Value> = points.iter().map(|x| (*x).into()).collect();
    let (mut found, mut expected) = (vec![0.0; 3 * rows], vec![Value::F64(0.0); 3 * rows]);
    f.batch_reals(&points, &mut found).expect("it runs");
    f.batch(&values, &mut expected).expect("it runs");
    assert!(found.iter().zip(&expected).all(|(x, v)| Value::from(*x) == *v));
    // The error is that of the first row that fails, and rows before it have results.
    for (at, x, wrong) in [(2 * 700, -1.0, "must lie in"), (2 * 40 + 1, 77.0, "no")] {
        points[at] = x;
        let values: Vec<Value> = points.iter().map(|x| (*x).into()).collect();
        let (mut found, mut expected) = (vec![0.0; 3 * rows], vec![Value::F64(0.0); 3 * rows]);
        let error = text(f.batch_reals(&points, &mut found));
        assert!(error.contains(wrong), "{error}");
        assert_eq!(error, text(f.batch(&values, &mut expected)));
        let row = at / 2;
        assert!(found[..3 * row.min(39)].iter().zip(&expected).all(|(x, v)| Value::from(*x) == *v));
    }
    assert_eq!(text(f.batch_reals(&points[1..], &mut [0.0; 3])), "expected 1998 values, found 1999");
    f.batch_reals(&[], &mut []).expect("no rows");
    // Without arguments as many as there is room for.
    let (constant, mut found) = (compiled("fn f() -> f64 { 2.5 }"), [0.0; 3]);
    constant.batch_reals(&[], &mut found).expect("three rows");
    assert_eq!(found, [2.5; 3]);
}

#[test]
fn numbers_in_registers() {
    // Each number of arguments up to more than there are registers for; an array that is made on the way.
    let f = compiled("fn f() -> f64 { 2.5 }");
    assert_eq!(f.direct::<[f64; 0], f64>().expect("nothing").call([]).expect("it runs"), 2.5);
    macro_rules! sums {
        ($($n:literal)*) => {$({
            let params: Vec<String> = (0..$n).map(|i| format!("x{i}: f64")).collect();
            let terms: Vec<String> = (0..$n).map(|i| format!("{}*x{i}", i + 1)).collect();
            let (params, terms) = (params.join(", "), terms.join(" + "));
            let f = compiled(&format!("fn f({params}) -> (f64, f64) {{ let a = [x0, 2*x0]; ({terms}, sum(sin(a))) }}"));
            let mut f = f.direct::<[f64; $n], (f64, f64)>().expect("doubles");
            let x: [f64; $n] = std::array::from_fn(|i| i as f64 + 0.5);
            let expected: f64 = x.iter().enumerate().map(|(i, x)| (i + 1) as f64 * x).sum();
            for _ in 0..2 {
                assert_eq!(f.call(x).expect("it runs"), (expected, 0.5f64.sin() + 1f64.sin()));
            }
        })*};
    }
    sums!(1 2 3 7 8 9 12 13);
    // What goes wrong is what goes wrong in other calls, and later calls are right again.
    let f = compiled("fn f(x: f64 in [0, 9], y: f64) -> f64 { assert y != 7, \"no\"; x*y }");
    let mut direct = f.direct::<(f64, f64), f64>().expect("doubles");
    for (x, y) in [(2.0, 3.0), (-1.0, 3.0), (2.0, 7.0), (10.0, 7.0), (9.0, 0.5)] {
        match f.call(&[x.into(), y.into()]) {
            Ok(v) => assert_eq!(Value::from(direct.call((x, y)).expect("it runs")), v[0]),
            Err(e) => assert_eq!(text(direct.call((x, y))), e.to_string()),
        }
    }
    // Loops count their iterations in every call.
    let options = Options::default().with_fuel(10);
    let model = Model::parse("f.dsl", "fn f(x: f64) -> f64 { var i = 0.0; while i < x { i += 1; } i }");
    let f = model.expect("a model").function("f").expect("it is there").compile(&options);
    let mut f = f.expect("it compiles").direct::<f64, f64>().expect("doubles");
    for _ in 0..3 {
        assert_eq!(f.call(9.0).expect("it runs"), 9.0);
        assert!(text(f.call(1e9)).contains("iterations"), "{}", text(f.call(1e9)));
    }
}

#[test]
fn slices_of_reals() {
    let source = "fn f[N](A: f64[N, N], x: f64[N], k: f64 in [0, 10]) -> (f64[N], f64) { assert x[0] != 7, \"no\"; (k*(A @ x), sum(x)) }";
    let f = compiled(source);
    let mut workspace = adc::Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let (a, x) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0]);
    let (mut y, mut s) = ([0.0; 2], [0.0]);
    // The sizes of a matrix are not known yet.
    let error = text(bound.call_reals(&[&a, &x, &[0.5]], &mut [&mut y, &mut s]));
    assert_eq!(error, "expected f64[N, N] for `A`, found f64[4]");
    let square = Value::array(&[2, 2], a.to_vec()).expect("four");
    let mut out = vec![Value::Bool(false); 2];
    bound.call_into(&[square, x.into(), 1.0.into()], &mut out).expect("it runs");
    bound.call_reals(&[&a, &x, &[0.5]], &mut [&mut y, &mut s]).expect("it runs");
    assert_eq!((y, s), ([8.5, 19.5], [11.0]));
    assert!(text(bound.call_reals(&[&a, &x, &[11.0]], &mut [&mut y, &mut s])).contains("must lie in"));
    assert!(text(bound.call_reals(&[&a, &[7.0, 1.0], &[1.0]], &mut [&mut y, &mut s])).contains("no"));
    assert_eq!(text(bound.call_reals(&[&a, &x], &mut [&mut y, &mut s])), "expected 3 values, found 2");
    assert_eq!(text(bound.call_reals(&[&a, &x, &[1.0]], &mut [&mut y])), "expected 2 values, found 1");
    for bad in [&x[..1], &a[..]] {
        assert_ne!(text(bound.call_reals(&[&a, bad, &[1.0]], &mut [&mut y, &mut s])), "no error");
        if bad.len() > 1 {
            assert_ne!(text(bound.call_reals(&[&a, &x, bad], &mut [&mut y, &mut s])), "no error");
        }
        let mut long = vec![0.0; bad.len()];
        assert_ne!(text(bound.call_reals(&[&a, &x, &[1.0]], &mut [&mut long, &mut s])), "no error");
    }

    // Vectors tell their sizes.
    let f = compiled(
        "fn f[N](t: f64, y: f64[N]) -> (f64[N], f64) { assert t != 7, \"no\"; ([t*sin(y[i]) for i in 0..N], t) }",
    );
    let mut workspace = adc::Workspace::default();
    let mut bound = f.bind(&mut workspace);
    for n in [2, 2, 5, 1, 0] {
        let y: Vec<f64> = (0..n).map(f64::from).collect();
        let (mut found, mut t) = (vec![0.0; y.len()], [0.0]);
        assert!(text(bound.call_reals(&[&[7.0], &y], &mut [&mut found, &mut t])).contains("no"));
        bound.call_reals(&[&[2.0], &y], &mut [&mut found, &mut t]).expect("it runs");
        assert_eq!(t, [2.0]);
        let expected = f.call(&[2.0.into(), y.as_slice().into()]).expect("it runs");
        assert_eq!(Value::from(found), expected[0]);
    }
    // How many iterations the last call took, whichever function it was of.
    let loops =
        compiled("fn f(x: f64) -> f64 { var s = x; var i = 0; while i < 3 { s += sin(s); i += 1; } s }");
    let [number, array] =
        ["fn f(x: f64) -> f64 { x + 1 }", "fn f(x: f64[2]) -> f64 { x[0] + x[1] }"].map(compiled);
    let mut workspace = adc::Workspace::default();
    let mut out = [Value::F64(0.0)];
    for _ in 0..2 {
        for (f, input, none) in [
            (&loops, 1.0.into(), false),
            (&number, 1.0.into(), true),
            (&loops, 1.0.into(), false),
            (&array, vec![1.0; 2].into(), true),
        ] {
            let mut bound = f.bind(&mut workspace);
            for _ in 0..2 {
                bound.call_into(std::slice::from_ref(&input), &mut out).expect("it runs");
            }
            assert_eq!(workspace.iterations() == 0, none, "{}", workspace.iterations());
        }
    }
    // Values that have room for the results already, of these sizes or others.
    let f = compiled(
        "fn f[N](t: f64 in (0, 9], y: f64[N]) -> (f64[N], f64) { assert t != 7, \"no\"; ([t*y[i] for i in 0..N], t) }",
    );
    let mut workspace = adc::Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let mut out = vec![Value::Bool(false); 2];
    for n in [2, 2, 2, 5, 5, 1, 0, 0, 2] {
        let y: Vec<f64> = (0..n).map(f64::from).collect();
        for t in [2.0, 0.0, 7.0, 9.0] {
            let found = bound.call_into(&[t.into(), (&y).into()], &mut out);
            match f.call(&[t.into(), (&y).into()]) {
                Ok(expected) => assert_eq!(found.map(|()| out.clone()).expect("it runs"), expected),
                Err(e) => assert_eq!(text(found), e.to_string()),
            }
        }
        let integers = bound.call_into(&[2.0.into(), vec![1i64; y.len()].into()], &mut out);
        assert!(text(integers).contains("found i64"));
        let mut swapped = [Value::F64(0.0), y.clone().into()];
        bound.call_into(&[1.0.into(), (&y).into()], &mut swapped).expect("results replace what is there");
        assert_eq!(swapped, [y.into(), 1.0.into()]);
    }
    let other = compiled("fn f(n: i64) -> f64 { f64(n) }");
    let mut workspace = adc::Workspace::default();
    let error = text(other.bind(&mut workspace).call_reals(&[&[1.0]], &mut [&mut [0.0]]));
    assert_eq!(error, "expected i64 for `n`, found f64");
}
