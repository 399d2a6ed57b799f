//! Run-time errors: the right one, with the span of the instruction, from compiled code as from the interpreter.

use crate::jit::{compile, compile_cut, interpret, parse};
use adc_ir::interp::NoExterns;
use adc_ir::{Const, FileId, FuncId, RuntimeError, Span, Trap};

/// Runs `f` of `text`, whole and cut, and compares with the interpreter and with what is expected.
fn check(text: &str, args: &[Const], expected: Result<Const, (Trap, usize, usize)>) {
    let m = parse(text);
    let f = FuncId(m.funcs.len() as u32 - 1);
    let expected = expected
        .map(|c| vec![c])
        .map_err(|(trap, start, end)| RuntimeError { trap, span: Span::new(FileId(0), start, end) });
    assert_eq!(interpret(&m, f, args, &NoExterns), expected, "interpreter of {text} on {args:?}");
    for ops in [500, 1] {
        assert_eq!(compile_cut(&m, f, ops).call(args), expected, "{ops} ops a unit, {text} on {args:?}");
    }
}

/// `op` of integers at span 3..7.
fn check_int(op: &str, args: &[i64], expected: Result<i64, Trap>) {
    let names: Vec<String> = (0..args.len()).map(|i| format!("x{i}")).collect();
    let params: Vec<String> = names.iter().map(|n| format!("{n}: i64")).collect();
    let text = format!(
        "fn f({}) -> i64 {{\n v0 = {op} {} @0:3..7\n return v0\n}}",
        params.join(", "),
        names.join(", ")
    );
    let args: Vec<Const> = args.iter().map(|n| Const::I64(*n)).collect();
    check(&text, &args, expected.map(Const::I64).map_err(|trap| (trap, 3, 7)));
}

#[test]
fn integers() {
    const MIN: i64 = i64::MIN;
    const MAX: i64 = i64::MAX;
    let overflow = || Err(Trap::IntegerOverflow);
    let zero = || Err(Trap::DivisionByZero);
    check_int("add", &[MAX, 1], overflow());
    check_int("add", &[MAX, -1], Ok(MAX - 1));
    check_int("sub", &[MIN, 1], overflow());
    check_int("sub", &[-1, MIN], Ok(MAX));
    check_int("mul", &[1 << 32, 1 << 31], overflow());
    check_int("mul", &[-(1 << 32), 1 << 31], Ok(MIN));
    check_int("mul", &[MIN, -1], overflow());
    check_int("neg", &[MIN], overflow());
    check_int("neg", &[MAX], Ok(-MAX));
    check_int("abs", &[MIN], overflow());
    check_int("abs", &[-MAX], Ok(MAX));
    check_int("sign", &[MIN], Ok(-1));
    check_int("idiv", &[7, 0], zero());
    check_int("idiv", &[MIN, -1], overflow());
    check_int("idiv", &[MIN, 1], Ok(MIN));
    check_int("mod", &[7, 0], zero());
    check_int("mod", &[MIN, -1], Ok(0));
    for (a, b, q, r) in [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (-6, 3, -2, 0)] {
        check_int("idiv", &[a, b], Ok(q));
        check_int("mod", &[a, b], Ok(r));
    }
    check_int("powi", &[3, 39], Ok(4052555153018976267));
    check_int("powi", &[3, 40], overflow());
    check_int("powi", &[-2, 63], Ok(MIN));
    check_int("powi", &[2, 63], overflow());
    check_int("powi", &[-1, MAX], Ok(-1));
    check_int("powi", &[5, -1], overflow());
    check_int("powi", &[0, 0], Ok(1));
}

#[test]
fn conversions() {
    let text = "fn f(x: f64) -> i64 {\n v0 = to_i64 x @0:1..2\n return v0\n}";
    let bad = || Err((Trap::BadConversion, 1, 2));
    for (x, expected) in [
        (2.9, Ok(2)),
        (-2.9, Ok(-2)),
        (-0.0, Ok(0)),
        (f64::NAN, bad()),
        (f64::INFINITY, bad()),
        (9.3e18, bad()),
        (9.223372036854776e18, bad()),
        (-9.223372036854776e18, Ok(i64::MIN)),
        (-9.4e18, bad()),
    ] {
        check(text, &[Const::F64(x)], expected.map(Const::I64));
    }
    check(&text.replace("f64", "f32"), &[Const::F32(f32::NAN)], Err((Trap::BadConversion, 1, 2)));
    check(&text.replace("f64", "f32"), &[Const::F32(-8.5)], Ok(Const::I64(-8)));
}

#[test]
fn assertions_in_callees_and_branches() {
    let text = r#"
fn positive(x: f64) -> f64 {
  v0 = f64 0.0
  v1 = gt x, v0
  assert v1, "x > 0" @0:10..15
  v2 = sqrt x
  return v2
}
fn f(x: f64, y: f64) -> f64 {
  v0 = f64 1.0
  v1 = lt x, v0
  v4 = if v1 {
    v2 = call positive(y) @0:30..40
    yield v2
  } else {
    v3 = ge y, v0
    assert_domain v3, "y in [1, inf)" @0:20..25
    yield y
  }
  return v4
}"#;
    let call = |x, y, expected| check(text, &[Const::F64(x), Const::F64(y)], expected);
    call(0.0, 4.0, Ok(Const::F64(2.0)));
    call(0.0, -4.0, Err((Trap::Assert("x > 0".into()), 10, 15)));
    call(0.0, f64::NAN, Err((Trap::Assert("x > 0".into()), 10, 15)));
    call(2.0, 1.0, Ok(Const::F64(1.0)));
    call(2.0, 0.5, Err((Trap::Domain("y in [1, inf)".into()), 20, 25)));
}

#[test]
fn api_misuse_panics() {
    let f = compile(&parse("fn f(x: f64) -> f64 {\n return x\n}"), "f");
    let panics = |call: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err();
    assert!(panics(&|| drop(f.call(&[Const::F32(1.0)]))));
    assert!(panics(&|| drop(f.call_cells(&mut adc_jit::Workspace::new(), &[], &mut [0]))));
    assert!(panics(&|| drop(f.call_cells(&mut adc_jit::Workspace::new(), &[0], &mut []))));
}

/// An index that is checked is not checked again, but where the check was not made: behind a branch, and behind a loop without turns.
#[test]
fn indices_are_checked_where_they_are_used() {
    let text = |inner: &str| {
        format!(
            "fn f(i: i64, n: i64, c: bool) -> f64 {{
               v0 = i64 0 v1 = i64 1 v2 = f64 0.5
               v3: f64[3, 2] = fill v2
               {inner}
               v20 = index v3, i, v1 @0:7..9
               v21 = index v3, i, v0 @0:11..13
               v22 = add v21, v20
               v23 = add v22, v9
               return v23
             }}"
        )
    };
    let branch = "v9 = if c { v8 = index v3, i, v0 @0:1..2 yield v8 } else { yield v2 }";
    let turns = "v9 = for v0, n, v1, v2 (v6, v7) { v8 = index v3, i, v0 @0:1..2 v10 = add v7, v8 yield v10 }";
    for inner in [branch, turns] {
        for (i, n, c) in
            [(2, 0, false), (2, 1, true), (3, 0, false), (3, 1, true), (-1, 0, false), (-1, 2, true)]
        {
            let (start, end) = if n > 0 { (1, 2) } else { (7, 9) };
            let expected = match i {
                2 => Ok(Const::F64(if n > 0 && inner == turns { 2.0 } else { 1.5 })),
                _ => Err((Trap::IndexOutOfRange { index: i, size: 3 }, start, end)),
            };
            check(&text(inner), &[Const::I64(i), Const::I64(n), Const::Bool(c)], expected);
        }
    }
}
