//! The library as other programs use it: threads, memory, batches, errors.

use adc::{
    C128, Compiled, Convention, Error, Function, Linearization, Model, Options, UsageError, Value, Workspace,
    Wrt,
};

fn model(source: &str) -> Model {
    Model::parse("m.dsl", source).unwrap_or_else(|d| panic!("{d}"))
}

fn function(source: &str) -> Function {
    model(source).function("f").expect("it has an f")
}

#[test]
fn everything_can_be_shared_between_threads() {
    const fn shared<T: Send + Sync + Clone + 'static>() {}
    const fn movable<T: Send>() {}
    const {
        shared::<Model>();
        shared::<Function>();
        shared::<Compiled>();
        shared::<Linearization>();
        shared::<Options>();
        shared::<adc::CheckOptions>();
        shared::<Error>();
        movable::<Workspace>();
    }
}

/// A million calls of one function, by `call` and through bindings, give the bits of the first ones.
#[test]
fn one_compiled_function_serves_many_threads() {
    const THREADS: usize = 8;
    const CALLS: usize = 125_000;
    let f = function("fn f(x: f64, y: f64) -> f64 { exp(sin(x)*y) + lgamma(1 + x*x) }");
    let f = f.value_and_grad(Wrt::All).unwrap().compile(&Options::default()).unwrap();
    let at = |i: usize| [Value::F64(0.01 * i as f64), Value::F64(0.5)];
    let bits = |row: &[Value]| -> [u64; 3] {
        [0, 1, 2].map(|k| f64::try_from(row[k].clone()).expect("results are numbers").to_bits())
    };
    let expected: Vec<_> = (0..400).map(|i| bits(&f.call(&at(i)).unwrap())).collect();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            // The handle they were made from may go first.
            let (f, expected) = (f.clone(), &expected);
            scope.spawn(move || {
                let mut workspace = Workspace::default();
                let mut bound = f.bind(&mut workspace);
                let mut out = vec![Value::F64(0.0); 3];
                for i in 0..CALLS {
                    let k = i % expected.len();
                    if i % 2 == 0 {
                        bound.call_into(&at(k), &mut out).unwrap();
                    } else {
                        out = f.call(&at(k)).unwrap();
                    }
                    assert_eq!(bits(&out), expected[k]);
                }
            });
        }
    });
}

/// A call ends when another thread cancels it.
#[test]
fn calls_are_cancelled_from_other_threads() {
    let f = function("fn f(x: f64) -> f64 { var y = x; while y > 0 { y = sin(y) + 2; } y }");
    let f = f.value_and_grad(Wrt::All).unwrap().compile(&Options::default().with_fuel(u64::MAX)).unwrap();
    let (mut workspace, cancel) = (Workspace::default(), adc::Cancel::new());
    workspace.set_cancel(Some(cancel.clone()));
    let (say, heard) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            heard.recv().expect("the call begins");
            cancel.cancel();
        });
        let mut bound = f.bind(&mut workspace);
        say.send(()).expect("the thread waits");
        let ended = bound.call_into(&[1.0.into()], &mut [Value::F64(0.0), Value::F64(0.0)]);
        assert!(matches!(ended, Err(Error::Runtime { .. })), "{ended:?}");
    });
}

#[test]
fn a_linearisation_serves_many_threads() {
    let f = function("fn f(x: f64, y: f64) -> (p: f64, q: f64) { (x*y, exp(x)/y) }");
    let (_, linear) = f.linearize(&[1.0.into(), 2.0.into()]).unwrap();
    let expected = linear.vjp(&[1.0.into(), 3.0.into()]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(linear.vjp(&[1.0.into(), 3.0.into()]).unwrap(), expected);
                }
            });
        }
    });
}

#[test]
fn batches_are_the_calls_one_by_one() {
    let f = function(
        "fn f(x: f64 in (-INF, 4000], n: i64) -> (p: f64, even: bool) { (sqrt(x)*x, mod(n, 2) == 0) }",
    );
    let f = f.compile(&Options::default()).unwrap();
    for rows in [0, 1, 7, 3000] {
        let inputs: Vec<Value> = (0..rows).flat_map(|i| [Value::F64(i as f64), Value::I64(i)]).collect();
        let mut out = vec![Value::Bool(false); 2 * rows as usize];
        f.batch(&inputs, &mut out).unwrap();
        let expected: Vec<Value> = inputs.chunks(2).flat_map(|row| f.call(row).unwrap()).collect();
        assert_eq!(out, expected, "{rows} rows");
    }
    let mut out = vec![Value::Bool(false); 12000];
    // Rows 4001 and later are outside the domain: the first of them is the one told.
    let inputs: Vec<Value> = (0..6000).flat_map(|i| [Value::F64(i as f64), Value::I64(i)]).collect();
    assert_eq!(f.batch(&inputs, &mut out).unwrap_err(), f.call(&inputs[8002..8004]).unwrap_err());
    for (inputs, outputs) in [(3, 2), (4, 3), (4, 6), (0, 2)] {
        let error = f.batch(&vec![Value::F64(1.0); inputs], &mut vec![Value::F64(0.0); outputs]);
        assert!(
            matches!(error, Err(Error::Usage(UsageError::Arity { .. }))),
            "{inputs} {outputs}: {error:?}"
        );
    }
}

#[test]
fn the_convention_holds_for_linearisations_too() {
    let f = function("fn f(z: c128) -> c128 { z*z*conj(z) }");
    let (z, g) = (C128::new(0.3, -0.7), C128::new(1.5, 0.25));
    for convention in [Convention::Adc, Convention::Jax] {
        let f = f.clone().with_convention(convention);
        let direct = f.vjp(Wrt::All).unwrap().compile(&Options::default()).unwrap();
        let direct = direct.call(&[z.into(), g.into()]).unwrap().swap_remove(1);
        let (_, linear) = f.linearize(&[z.into()]).unwrap();
        let Value::C128(direct) = direct else { panic!("{direct:?}") };
        let Value::C128(pulled) = linear.vjp(&[g.into()]).unwrap()[0] else { panic!() };
        assert!((direct - pulled).norm() < 1e-14, "{convention:?}: {direct} {pulled}");
    }
}

#[test]
fn what_a_function_does_not_have_is_an_error() {
    let m = model(
        "extern fn g(x: f64) -> f64;
         fn f(x: f64, n: i64, b: bool) -> (y: f64, big: bool) { (x*f64(n), b && x > 1) }
         fn h(x: f64) -> f64 { g(x) }",
    );
    let f = m.function("f").unwrap();
    assert!(m.function("k").is_err() && f.with_outputs(["z"]).is_err());
    for refused in [f.vjp("n"), f.jvp("b"), f.grad("q"), f.hessian("n"), f.grad(Wrt::Names(vec![]))] {
        let error = refused.expect_err("there is no such derivative");
        assert!(!error.to_string().is_empty());
    }
    let x = ["x", "x"];
    for twice in [f.grad(x), f.vjp(x), f.jvp(x), f.jacobian(x), f.hvp(x)] {
        assert!(twice.unwrap_err().to_string().contains("twice"));
    }
    let compiled = f.compile(&Options::default()).expect("it calls no extern function");
    for wrong in [&[][..], &[1.0, 1.0, 1.0].map(Value::F64), &[1.0.into(), Value::I64(1)]] {
        assert!(matches!(compiled.call(wrong), Err(Error::Usage(_))), "{wrong:?}");
        assert!(matches!(f.interpret(&Options::default(), wrong), Err(Error::Usage(_))), "{wrong:?}");
    }
    let point = [2.0.into(), Value::I64(3), true.into()];
    assert_eq!(compiled.call(&point), f.interpret(&Options::default(), &point));
    let unbound = m.function("h").unwrap();
    for refused in [
        unbound.compile(&Options::default()).err(),
        unbound.interpret(&Options::default(), &[1.0.into()]).err(),
    ] {
        assert!(refused.expect("`g` is nowhere").to_string().contains("ADC0803"));
    }
}

#[test]
fn settings_out_of_range_are_reported() {
    let m = model("fn f(x: f64) -> f64 { x*x }");
    let set: [fn(&mut adc::Settings); 4] = [
        |s| s.wrt = Some(vec![7]),
        |s| s.outputs = Some(vec![7]),
        |s| s.at = vec![vec![]],
        |s| s.at = vec![vec![adc_ir::Const::I64(1).into()]],
    ];
    for set in set {
        let mut options = adc::CheckOptions::default();
        set(&mut options.settings);
        let report = adc::check(&m, &options);
        assert_eq!(report.reports[0].status, adc::Status::Error, "{:?}", options.settings);
    }
}

#[test]
fn inputs_by_name() {
    let f = function("fn f(x: f64, k: f64, z: c128) -> (p: f64, q: c128) { (k*x^2, x*z) }");
    let vjp = f.vjp(["z", "x"]).unwrap().compile(&Options::default()).unwrap();
    let (z, one) = (C128::new(0.5, -2.0), C128::new(1.0, 0.0));
    let named: [(&str, Value); 5] =
        [("q_bar", one.into()), ("p_bar", 2.0.into()), ("z", z.into()), ("k", 3.0.into()), ("x", 1.5.into())];
    let inputs: Vec<Value> = named.iter().rev().map(|(_, v)| v.clone()).collect();
    let [x, k, z, p_bar, q_bar] = &inputs[..] else { panic!("{inputs:?}") };
    let expected = vjp.call(&[x, k, z, p_bar, q_bar].map(Value::borrowed)).unwrap();
    assert_eq!(vjp.call_named(named.clone()).unwrap(), expected);
    let names: Vec<&str> = vjp.inputs().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["x", "k", "z", "p_bar", "q_bar"]);
    let jvp = f.jvp("k").unwrap();
    assert_eq!(jvp.inputs().last().unwrap().name, "k_dot");
    for (wrong, part) in [
        (&named[1..], "no value was given for `q_bar`"),
        (&[&named[..], &named[..1]].concat(), "`q_bar` is named twice"),
        (&[("y", 1.0.into())], "has no parameter called `y`"),
    ] {
        let error = vjp.call_named(wrong.iter().cloned()).unwrap_err();
        assert!(matches!(error, Error::Usage(_)) && error.to_string().contains(part), "{error}");
    }
}

#[test]
fn only_some_results() {
    let f = function("fn f(x: f64) -> (p: f64, n: i64, q: f64) { (x^2, 3, x^3) }");
    let options = Options::default();
    let one = f.with_outputs(["q"]).unwrap();
    assert_eq!(one.grad("x").unwrap().compile(&options).unwrap().call(&[2.0.into()]).unwrap(), [12.0.into()]);
    let two = f.with_outputs(["q", "n"]).unwrap();
    assert_eq!(two.outputs().iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["q", "n"]);
    let out = two.vjp(Wrt::All).unwrap().compile(&options).unwrap().call(&[2.0.into(), 0.5.into()]).unwrap();
    assert_eq!(out, [8.0.into(), Value::I64(3), 6.0.into()]);
    for refused in [
        f.grad("x"),
        f.with_outputs(["n"]).unwrap().grad("x"),
        f.with_outputs(["z"]),
        f.with_outputs(["q", "q"]),
    ] {
        assert!(refused.is_err());
    }
}

#[test]
fn values_become_vectors_and_slices_and_back() {
    let row: Value = (&[1.0, 2.0]).into();
    assert_eq!(
        [Value::from([1.0, 2.0]), vec![1.0, 2.0].into(), (&vec![1.0, 2.0]).into()],
        [(); 3].map(|()| row.clone())
    );
    assert_eq!(Vec::<f64>::try_from(row.clone()).unwrap(), [1.0, 2.0]);
    assert_eq!(<[f64; 2]>::try_from(row.clone()).unwrap(), [1.0, 2.0]);
    assert_eq!(<&[f64]>::try_from(&row).unwrap(), [1.0, 2.0]);
    assert_eq!(ndarray::ArrayView1::<f64>::try_from(&row).unwrap(), ndarray::array![1.0, 2.0]);
    assert!(ndarray::ArrayView2::<f64>::try_from(&row).is_err());
    assert!(<[f64; 3]>::try_from(row.clone()).is_err() && Vec::<f32>::try_from(row).is_err());
    for other in [Value::F64(1.0), Value::array(&[1, 2], vec![1.0, 2.0]).unwrap()] {
        assert!(
            Vec::<f64>::try_from(other.clone()).is_err() && <&[f64]>::try_from(&other).is_err(),
            "{other}"
        );
    }
}

#[test]
fn results_go_into_slices_of_as_many_numbers() {
    let f = function(
        "fn f[N](x: f64[N]) -> (y: f64[2, N], s: f64) { ([[x[j]*f64(i + 1) for j] for i in 0..2], sum(x)) }",
    );
    let f = f.compile(&Options::default()).unwrap();
    let mut workspace = Workspace::default();
    let mut bound = f.bind(&mut workspace);
    let (mut y, mut s) = (vec![0.0; 6], 0.0);
    bound.call_to(&[[1.0, 2.0, 3.0].into()], &mut [(&mut y).into(), (&mut s).into()]).unwrap();
    assert_eq!((&y[..], s), (&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0][..], 6.0));
    let (mut short, mut single, mut one) = ([0.0; 5], [0f32; 6], [0.0; 1]);
    for wrong in [(&mut short).into(), (&mut single).into()] {
        let error = bound.call_to(&[[1.0, 2.0, 3.0].into()], &mut [wrong, (&mut s).into()]);
        assert!(matches!(error, Err(Error::Usage(UsageError::ValueType { .. }))), "{error:?}");
    }
    let error = bound.call_to(&[[1.0, 2.0, 3.0].into()], &mut [(&mut y).into(), (&mut one).into()]);
    assert!(matches!(error, Err(Error::Usage(UsageError::ValueType { .. }))), "{error:?}");
}

#[test]
fn a_linearisation_goes_to_other_points_and_sizes() {
    let f = function("fn f[N](x: f64[N], k: f64) -> f64 { k*sum(x*x) }");
    let (_, first) = f.linearize(&[vec![1.0, 2.0].into(), 3.0.into()]).unwrap();
    for x in [vec![3.0, -1.0], vec![1.0, 2.0, 3.0], vec![0.5, 0.25]] {
        let (y, there) = first.at(&[(&x).into(), 2.0.into()]).unwrap();
        let squares: f64 = x.iter().map(|x| x * x).sum();
        assert_eq!(y, [(2.0 * squares).into()]);
        let slopes: Vec<f64> = x.iter().map(|x| 4.0 * x).collect();
        assert_eq!(there.vjp(&[1.0.into()]).unwrap(), [slopes.into(), squares.into()]);
        assert_eq!(there.jvp(&[vec![0.0; x.len()].into(), 1.0.into()]).unwrap(), [squares.into()]);
    }
    assert_eq!(first.vjp(&[1.0.into()]).unwrap(), [vec![6.0, 12.0].into(), 5.0.into()]);
}

/// Of a function with dimensions, too, whose code is made when it is called.
#[test]
fn externs_are_missed_when_a_function_is_compiled() {
    let m = model(
        "extern fn g(x: f64) -> f64;
         rule vjp g(x; d) { 2*x*d }
         fn f[N](x: f64[N]) -> f64 { sum(g(x[i]) for i) }
         fn unused[N](x: f64[N]) -> f64 { let y = g(x[0]); sum(x) }",
    );
    let f = m.function("f").unwrap();
    let mut externs = adc::Externs::new();
    let missed = |f: &Function, externs: &adc::Externs| {
        f.compile(&Options::default().with_externs(externs.clone())).err().map(|e| e.to_string())
    };
    for f in [f.clone(), f.vjp("x").unwrap()] {
        assert!(missed(&f, &externs).is_some_and(|e| e.contains("ADC0803") && e.contains("m.dsl:1")));
    }
    externs.define_complex("g", |[z]| z);
    assert!(missed(&f, &externs).is_some_and(|e| e.contains("(c128) -> c128")));
    externs.define_real("g", |[x]| x * x);
    assert_eq!(missed(&f, &externs), None);
    // What the program does not need does not have to be there.
    assert_eq!(missed(&m.function("unused").unwrap(), &adc::Externs::new()), None);
}

/// `?` takes every error of the library, and what is behind it is its source.
#[test]
fn errors_come_together() {
    fn first(path: &str) -> Result<(), Error> {
        let x = adc::npy::read(path)?;
        let f = Model::parse("f.dsl", "fn f(x: f64) -> i64 { i64(x) }")?.function("f")?;
        f.compile(&Options::default().with_externs(adc::Externs::load(path)?))?.call(&[x])?;
        Ok(())
    }
    let source = |e: &Error| std::error::Error::source(e).map(|e| e.to_string());
    let error = first("/no/such.npy").unwrap_err();
    assert!(matches!(&error, Error::Npy(e) if e.diagnostic().code == adc::ir::Code::Io));
    assert!(error.to_string().contains("cannot read `/no/such.npy`"));
    assert!(source(&error).is_some_and(|e| e.contains("No such file")), "{error:?}");
    let path = std::env::temp_dir().join(format!("adc-errors-{}.npy", std::process::id()));
    adc::npy::write(&path, &f64::NAN.into()).unwrap();
    let error = first(&path.to_string_lossy()).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(&error, Error::Library(_)) && source(&error).is_some(), "{error:?}");
    let f = function("fn f(x: f64) -> i64 { i64(x) }").compile(&Options::default()).unwrap();
    let error = f.call(&[f64::NAN.into()]).unwrap_err();
    let Error::Runtime { error: inner, .. } = &error else { panic!("{error:?}") };
    assert_eq!(source(&error), Some(inner.to_string()));
    // Nothing is behind these.
    let usage: Error = UsageError::Ragged("y".into()).into();
    let wrong: Error = Model::parse("f.dsl", "fn").unwrap_err().into();
    assert_eq!((source(&usage), source(&wrong)), (None, None));
}
