//! Rust closures behind `extern fn`s, called by compiled code and by the interpreter.

use crate::jit::{interpret, parse, same};
use adc_ir::datum::{Array, Buffer, Datum};
use adc_ir::interp::{Interp, Val};
use adc_ir::{Code, Const, Module, RuntimeError, Scalar, Trap, Type};
use adc_jit::{Externs, Options, RuntimeMath, Slice, SliceMut, Workspace};
use num_complex::{Complex32, Complex64};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MODULE: &str = r#"
extern "every" fn every(b: bool, n: i64, x: f32, y: f64, z: c64, w: c128) -> (bool, i64, f32, f64, c64, c128)
extern "hypotenuse" fn hypotenuse(x: f64, y: f64) -> f64
extern "turn" fn turn(z: c128) -> c128
extern "fails" fn fails(x: f64) -> f64
extern "nothing" fn nothing() -> ()
extern "scale" fn scale[n, m](x: f64[n, m], keep: bool[n], z: c64) -> (f64[n, m], c64[m + 1], i64, bool[n])
fn types(b: bool, n: i64, x: f32, y: f64, z: c64, w: c128) -> (bool, i64, f32, f64, c64, c128) {
  v0, v1, v2, v3, v4, v5 = call every(b, n, x, y, z, w)
  v6, v7, v8, v9, v10, v11 = call every(v0, v1, v2, v3, v4, v5)
  call nothing()
  return v6, v7, v8, v9, v10, v11
}
fn reals(x: f64) -> f64 {
  v0 = f64 4.0
  v1 = call hypotenuse(x, v0)
  v2 = call hypotenuse(v1, x)
  v3 = add v1, v2
  return v3
}
fn turned(z: c128) -> c128 {
  v0 = call turn(z)
  v1 = call turn(v0)
  return v1
}
"#;

fn externs() -> Externs {
    let mut e = Externs::new();
    let m = parse(MODULE);
    let every = m.func(m.find("every").expect("it is there"));
    let types: Vec<Type> = every.results.iter().map(|r| r.ty).collect();
    e.define("every", &types, &types, |dims, args, results| {
        assert!(dims.is_empty());
        let [Slice::Bool(b), Slice::I64(n), Slice::F32(x), Slice::F64(y), Slice::C64(z), Slice::C128(w)] =
            args
        else {
            unreachable!("these are its types")
        };
        let [
            SliceMut::Bool(ob),
            SliceMut::I64(on),
            SliceMut::F32(ox),
            SliceMut::F64(oy),
            SliceMut::C64(oz),
            SliceMut::C128(ow),
        ] = results
        else {
            unreachable!("these are its types")
        };
        (ob[0], on[0], ox[0], oy[0]) = (!b[0], n[0] + 1, x[0] * 2.0, y[0] * 3.0);
        (oz[0], ow[0]) = (z[0] * Complex32::i(), w[0] * Complex64::i());
        Ok(())
    });
    e.define_real("hypotenuse", |[x, y]| x.hypot(y));
    e.define_complex("turn", |[z]| z * Complex64::i());
    e.define("nothing", &[], &[], |_, _, _| Ok(()));
    e.define("fails", &[Type::F64], &[Type::F64], |_, args, _| {
        let [Slice::F64([x])] = args else { unreachable!("these are its types") };
        match *x {
            0.0 => Err(0),
            x if x < 0.0 => panic!("not that one: {x}"),
            x => Err(x as i32),
        }
    });
    let array = |s, rank| Type::Array(s, rank);
    e.define(
        "scale",
        &[array(Scalar::F64, 2), array(Scalar::Bool, 1), Type::Scalar(Scalar::C64)],
        &[array(Scalar::F64, 2), array(Scalar::C64, 1), Type::I64, array(Scalar::Bool, 1)],
        |dims, args, results| {
            let ([n, m], [Slice::F64(x), Slice::Bool(keep), Slice::C64(z)]) = (dims, args) else {
                unreachable!("these are its types")
            };
            let [SliceMut::F64(out), SliceMut::C64(row), SliceMut::I64(count), SliceMut::Bool(lost)] =
                results
            else {
                unreachable!("these are its types")
            };
            let sizes = [x.len(), keep.len(), out.len(), row.len(), lost.len()].map(|k| k as i64);
            assert_eq!(sizes, [n * m, *n, n * m, m + 1, *n]);
            for (i, keep) in keep.iter().enumerate() {
                count[0] += *keep as i64;
                lost[i] = !keep;
                let row = i * *m as usize..(i + 1) * *m as usize;
                if *keep {
                    out[row.clone()].iter_mut().zip(&x[row]).for_each(|(o, x)| *o = x * z[0].re as f64);
                }
            }
            // The rest is 0.
            row[*m as usize] = z[0];
            Ok(())
        },
    );
    e
}

/// Runs a function compiled, uncut and cut, and by the interpreter.
fn check(m: &Module, name: &str, args: &[Const], expected: Result<Vec<Const>, Trap>) {
    let externs = externs();
    let f = m.find(name).expect("it is there");
    let trap =
        |r: Result<Vec<Const>, RuntimeError>| r.map_err(|e| RuntimeError { span: adc_ir::Span::NONE, ..e });
    let expected = expected.map_err(|trap| RuntimeError { trap, span: adc_ir::Span::NONE });
    for ops in [500, 1] {
        let mut options = Options::default();
        options.unit_ops = ops;
        let compiled = adc_jit::compile(m, &[f], &externs, &options).expect("it compiles").remove(0);
        let got = trap(compiled.call(args));
        assert!(same(&got, &expected), "{name}: compiled {got:?}, expected {expected:?}");
    }
    let bound = externs.bind(m, &[f]).expect("they fit");
    drop(externs);
    let got = trap(interpret(m, f, args, &bound));
    assert!(same(&got, &expected), "{name}: interpreter {got:?}, expected {expected:?}");
}

#[test]
fn scalars_of_every_type() {
    let m = parse(MODULE);
    let args = [
        Const::Bool(true),
        Const::I64(-7),
        Const::F32(1.25),
        Const::F64(-0.5),
        Const::C64(Complex32::new(1.0, -2.0)),
        Const::C128(Complex64::new(3.0, -4.0)),
    ];
    let twice = [
        Const::Bool(true),
        Const::I64(-5),
        Const::F32(5.0),
        Const::F64(-4.5),
        Const::C64(Complex32::new(-1.0, 2.0)),
        Const::C128(Complex64::new(-3.0, 4.0)),
    ];
    check(&m, "types", &args, Ok(twice.to_vec()));
    check(&m, "reals", &[Const::F64(3.0)], Ok(vec![Const::F64(5.0 + 5f64.hypot(3.0))]));
    let z = |re, im| Const::C128(Complex64::new(re, im));
    check(&m, "turned", &[z(1.0, 2.0)], Ok(vec![z(-1.0, -2.0)]));
}

#[test]
fn failures_and_panics_are_errors() {
    let m = parse(MODULE);
    let failed = |status| Err(Trap::Extern { name: "fails".into(), status });
    check(&m, "fails", &[Const::F64(42.0)], failed(42));
    check(&m, "fails", &[Const::F64(0.0)], failed(Trap::UNNAMED));
    check(&m, "fails", &[Const::F64(-1.0)], failed(Trap::PANICKED));
    let trap = Trap::Extern { name: "fails".into(), status: Trap::PANICKED };
    let error = RuntimeError { trap, span: adc_ir::Span::NONE };
    let d = error.diagnostic();
    assert_eq!((d.code, &d.message[..]), (Code::ExternFailed, "extern function `fails` panicked"));
}

#[test]
fn arrays() {
    let m = parse(MODULE);
    let f = m.find("scale").expect("it is there");
    let array = |shape: &[usize], data| Datum::Array(Array { shape: shape.to_vec(), data });
    let z = Complex32::new(10.0, 1.0);
    for (n, m_) in [(2usize, 3usize), (1, 1), (0, 2), (3, 0)] {
        let x: Vec<f64> = (0..n * m_).map(|k| k as f64 + 1.0).collect();
        let keep: Vec<bool> = (0..n).map(|i| i % 2 == 0).collect();
        let args = [
            array(&[n, m_], Buffer::F64(x.clone())),
            array(&[n], Buffer::Bool(keep.clone())),
            Datum::Scalar(Const::C64(z)),
        ];
        let scaled = (0..n * m_).map(|k| if keep[k / m_] { x[k] * 10.0 } else { 0.0 }).collect();
        let row = (0..=m_).map(|k| if k == m_ { z } else { Complex32::default() }).collect();
        let count = keep.iter().filter(|k| **k).count() as i64;
        let expected = [
            array(&[n, m_], Buffer::F64(scaled)),
            array(&[m_ + 1], Buffer::C64(row)),
            Datum::Scalar(Const::I64(count)),
            array(&[n], Buffer::Bool(keep.iter().map(|k| !k).collect())),
        ];
        let dims = [n as i64, m_ as i64];
        let mut special = m.clone();
        let id = adc_ir::specialise::specialise(&mut special, f, &dims).expect("numbers fit");
        let g = adc_jit::compile(&special, &[id], &externs(), &Options::default());
        let g = g.expect("it compiles").remove(0);
        assert_eq!(g.call_data(&mut Workspace::new(), &args).expect("it runs"), expected, "{n} by {m_}");
        let bound = externs().bind(&m, &[f]).expect("they fit");
        let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
        let got = Interp::new(&m, &RuntimeMath, &bound).call_with_dims(f, &dims, &vals).expect("it runs");
        let got: Vec<Datum> =
            got.iter().zip(&m.func(f).results).map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect();
        assert_eq!(got, expected, "interpreted, {n} by {m_}");
    }
}

#[test]
fn other_types_than_declared_are_refused() {
    let m = parse(MODULE);
    let f = m.find("reals").expect("it is there");
    let array = Type::Array(Scalar::F64, 1);
    let wrong: [(&[Type], &[Type], &str); 5] = [
        (&[Type::F64], &[Type::F64], "(f64) -> f64"),
        (&[Type::F64; 3], &[Type::F64], "(f64, f64, f64) -> f64"),
        (&[Type::F64, array], &[Type::F64], "(f64, f64[_]) -> f64"),
        (&[Type::F64; 2], &[Type::C128], "(f64, f64) -> c128"),
        (&[Type::F64; 2], &[], "(f64, f64) -> ()"),
    ];
    for (params, results, text) in wrong {
        let mut e = externs();
        e.define("hypotenuse", params, results, |_, _, _| unreachable!("it is never called"));
        for d in
            [e.bind(&m, &[f]).unwrap_err(), adc_jit::compile(&m, &[f], &e, &Options::default()).unwrap_err()]
        {
            assert_eq!(d.code, Code::Library);
            assert!(d.message.contains("`hypotenuse`") && d.message.contains(text), "{}", d.message);
        }
    }
}

#[test]
fn code_keeps_the_closure_and_gives_it_back() {
    let m = parse("extern \"g\" fn g(x: f64) -> f64\nfn f(x: f64) -> f64 {\n v0 = call g(x)\n return v0\n}");
    let calls = Arc::new(AtomicUsize::new(0));
    let mut e = Externs::new();
    let seen = calls.clone();
    e.define_real("g", move |[x]| {
        seen.fetch_add(1, Ordering::Relaxed);
        x + 1.0
    });
    let f = adc_jit::compile(&m, &[m.find("f").expect("it is there")], &e, &Options::default());
    let f = f.expect("it compiles").remove(0);
    drop(e);
    std::thread::scope(|s| {
        for k in 0..4 {
            let f = &f;
            s.spawn(move || {
                assert_eq!(f.call(&[Const::F64(k as f64)]), Ok(vec![Const::F64(k as f64 + 1.0)]))
            });
        }
    });
    assert_eq!(calls.load(Ordering::Relaxed), 4);
    assert_eq!(Arc::strong_count(&calls), 2);
    drop(f);
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn the_last_function_of_a_name_counts() {
    extern "C" fn host(x: f64, out: *mut f64) -> i32 {
        // SAFETY: compiled code passes a writable, aligned place.
        unsafe { out.write(x + 1.0) };
        0
    }
    let m = parse("extern \"g\" fn g(x: f64) -> f64");
    let f = m.find("g").expect("it is there");
    let give = |e: &Externs| {
        let f = adc_jit::compile(&m, &[f], e, &Options::default()).expect("it compiles").remove(0);
        f.call(&[Const::F64(1.0)])
    };
    let (mut e, mut native) = (Externs::new(), Externs::new());
    e.define_real("g", |[x]| 10.0 * x);
    assert_eq!(give(&e), Ok(vec![Const::F64(10.0)]));
    // SAFETY: `host` has the signature `g` declares, and is a pure function of this program.
    unsafe { native.insert("g", host as *const ()) };
    let closure = e.clone();
    e.extend(native);
    assert_eq!(give(&e), Ok(vec![Const::F64(2.0)]));
    e.extend(closure);
    assert_eq!(give(&e), Ok(vec![Const::F64(10.0)]));
}
