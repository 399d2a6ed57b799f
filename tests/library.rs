//! The library as other programs use it: threads, memory, batches, errors.

use adc::{
    C128, Compiled, Convention, Error, Function, Model, Options, Pullback, UsageError, Value, Workspace,
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
        shared::<Pullback>();
        shared::<Options>();
        shared::<adc::CheckOptions>();
        shared::<Error>();
        movable::<Workspace>();
    }
}

#[test]
fn one_compiled_function_serves_many_threads() {
    let f = function("fn f(x: f64, y: f64) -> f64 { exp(sin(x)*y) + lgamma(1 + x*x) }");
    let f = f.value_and_grad(&[]).unwrap().compile(&Options::default()).unwrap();
    let at = |i: u32| [Value::F64(0.01 * f64::from(i)), Value::F64(0.5)];
    let expected: Vec<_> = (0..400).map(|i| f.call(&at(i)).unwrap()).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            // The handle they were made from may go first.
            let (f, expected) = (f.clone(), &expected);
            scope.spawn(move || {
                let mut workspace = Workspace::default();
                let mut bound = f.bind(&mut workspace);
                let mut out = vec![Value::F64(0.0); 3];
                for (i, row) in expected.iter().enumerate() {
                    bound.call_into(&at(i as u32), &mut out).unwrap();
                    assert_eq!(&out[..], &row[..]);
                }
            });
        }
    });
}

#[test]
fn a_pullback_serves_many_threads() {
    let f = function("fn f(x: f64, y: f64) -> (p: f64, q: f64) { (x*y, exp(x)/y) }");
    let (_, pullback) = f.linearize(&[1.0.into(), 2.0.into()]).unwrap();
    let expected = pullback.vjp(&[1.0.into(), 3.0.into()]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(pullback.vjp(&[1.0.into(), 3.0.into()]).unwrap(), expected);
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
fn the_convention_holds_for_pullbacks_too() {
    let f = function("fn f(z: c128) -> c128 { z*z*conj(z) }");
    let (z, g) = (C128::new(0.3, -0.7), C128::new(1.5, 0.25));
    for convention in [Convention::Adc, Convention::Jax] {
        let f = f.clone().with_convention(convention);
        let direct = f.vjp(&[]).unwrap().compile(&Options::default()).unwrap();
        let direct = direct.call(&[z.into(), g.into()]).unwrap().swap_remove(1);
        let (_, pullback) = f.linearize(&[z.into()]).unwrap();
        let Value::C128(direct) = direct else { panic!("{direct:?}") };
        let Value::C128(pulled) = pullback.vjp(&[g.into()]).unwrap()[0] else { panic!() };
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
    assert!(m.function("k").is_err() && f.with_output("z").is_err());
    for refused in [f.vjp(&["n"]), f.jvp(&["b"]), f.grad(&["q"]), f.hessian(&["n"]), f.vjp_of(&[], &["big"])]
    {
        let error = refused.expect_err("there is no such derivative");
        assert!(!error.to_string().is_empty());
    }
    let x = ["x", "x"];
    for twice in [f.grad(&x), f.vjp(&x), f.jvp(&x), f.jacobian(&x), f.hvp(&x)] {
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
        |s| s.at = vec![vec![adc::ir::Const::I64(1).into()]],
    ];
    for set in set {
        let mut options = adc::CheckOptions::default();
        set(&mut options.settings);
        let report = adc::check(&m, &options);
        assert_eq!(report.reports[0].status, adc::Status::Error, "{:?}", options.settings);
    }
}
