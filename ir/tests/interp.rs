//! The reference interpreter: op by op, and on programs that would overflow a recursive one.

use adc_ir::interp::{ArrayVal, Interp, Location, NoExterns, Val, Watch, eval};
use adc_ir::testing::StdMath;
use adc_ir::*;
use std::cell::RefCell;

fn b(x: bool) -> Const {
    Const::Bool(x)
}
fn i(n: i64) -> Const {
    Const::I64(n)
}
fn f(x: f64) -> Const {
    Const::F64(x)
}
fn s(x: f32) -> Const {
    Const::F32(x)
}
fn c(re: f64, im: f64) -> Const {
    Const::C128(num_complex::Complex64::new(re, im))
}

/// The op's result on literals, or the trap.
fn run(op: Op, args: &[Const]) -> Result<Const, Trap> {
    let tys: Vec<Type> = args.iter().map(|a| Type::Scalar(a.scalar())).collect();
    let ty = op.result_type(&tys).unwrap_or_else(|| panic!("`{op}` does not take {tys:?}")).scalar();
    let vals: Vec<Val<f64>> = args.iter().map(|a| Val::from_const(*a)).collect();
    eval(&StdMath, op, &vals.iter().collect::<Vec<_>>(), ty).map(|v| v.to_const(ty))
}

#[test]
fn ops() {
    let nan = f64::NAN;
    let inf = f64::INFINITY;
    let eps = f32::EPSILON;
    let cases: &[(Op, &[Const], Const)] = &[
        (Op::Neg, &[f(0.0)], f(-0.0)),
        (Op::Add, &[s(1.0), s(f32::EPSILON / 2.0)], s(1.0)),
        (Op::Add, &[f(1.0), c(2.0, -0.0)], c(3.0, -0.0)),
        (Op::Sub, &[f(1.0), c(2.0, 3.0)], c(-1.0, -3.0)),
        (Op::Sub, &[c(2.0, -0.0), f(1.0)], c(1.0, -0.0)),
        (Op::Mul, &[c(1.0, 2.0), c(3.0, -1.0)], c(5.0, 5.0)),
        (Op::Mul, &[f(2.0), c(inf, -0.0)], c(inf, -0.0)),
        (Op::Div, &[c(1.0, 2.0), f(2.0)], c(0.5, 1.0)),
        (Op::Div, &[s(1.0), s(3.0)], s(1.0 / 3.0)),
        (Op::Idiv, &[i(-7), i(2)], i(-4)),
        (Op::Idiv, &[i(7), i(-2)], i(-4)),
        (Op::Idiv, &[i(-6), i(-2)], i(3)),
        (Op::Mod, &[i(-7), i(2)], i(1)),
        (Op::Mod, &[i(7), i(-2)], i(-1)),
        (Op::Mod, &[i(i64::MIN), i(-1)], i(0)),
        (Op::Mod, &[f(-7.0), f(2.0)], f(1.0)),
        (Op::Powi, &[i(-2), i(63)], i(i64::MIN)),
        (Op::Powi, &[i(0), i(0)], i(1)),
        (Op::Powi, &[f(3.0), i(-2)], f(1.0 / 9.0)),
        (Op::Powi, &[c(0.0, 1.0), i(3)], c(-0.0, -1.0)),
        (Op::Recip, &[f(-0.0)], f(-inf)),
        (Op::Square, &[c(1.0, 2.0)], c(-3.0, 4.0)),
        // The product alone would round to 1 and to 0.
        (Op::Fma, &[f(1.0 + f64::EPSILON), f(1.0 - f64::EPSILON), f(-1.0)], f(-f64::EPSILON * f64::EPSILON)),
        (Op::Fma, &[f(1e-200), f(1e-200), f(-0.0)], f(0.0)),
        (Op::Fma, &[f(-0.0), f(1.0), f(-0.0)], f(-0.0)),
        // 1 + 3/2 ε − 2⁻⁷⁰ of single precision; in double precision it is the tie, which goes up.
        (Op::Fma, &[s(1.0 + eps), s((1.0 - eps) * (eps / 2.0)), s(1.0 + eps)], s(1.0 + eps)),
        (Op::Sqrt, &[s(2.0)], s(2f32.sqrt())),
        (Op::Sin, &[s(1.0)], s(1f64.sin() as f32)),
        (Op::Copysign, &[f(3.0), f(-0.0)], f(-3.0)),
        (Op::Min, &[f(0.0), f(-0.0)], f(-0.0)),
        (Op::Min, &[f(-0.0), f(0.0)], f(-0.0)),
        (Op::Max, &[f(0.0), f(-0.0)], f(0.0)),
        (Op::Max, &[f(-0.0), f(0.0)], f(0.0)),
        (Op::Max, &[f(nan), f(1.0)], f(nan)),
        (Op::Min, &[f(1.0), f(nan)], f(nan)),
        (Op::Min, &[i(2), i(-3)], i(-3)),
        (Op::Clamp, &[f(5.0), f(0.0), f(1.0)], f(1.0)),
        (Op::Clamp, &[i(5), i(3), i(1)], i(1)),
        (Op::Floor, &[f(-0.5)], f(-1.0)),
        (Op::Ceil, &[f(-0.5)], f(-0.0)),
        (Op::Round, &[f(2.5)], f(2.0)),
        (Op::Round, &[f(-0.5)], f(-0.0)),
        (Op::Trunc, &[f(-1.5)], f(-1.0)),
        (Op::Trunc, &[f(-0.0)], f(-0.0)),
        (Op::Abs, &[f(-0.0)], f(0.0)),
        (Op::Abs, &[c(3.0, -4.0)], f(5.0)),
        (Op::Sign, &[f(-0.0)], f(-0.0)),
        (Op::Sign, &[f(-3.0)], f(-1.0)),
        (Op::Sign, &[f(nan)], f(nan)),
        (Op::Sign, &[i(-3)], i(-1)),
        (Op::Sign, &[c(0.0, 2.0)], c(0.0, 1.0)),
        (Op::Abs2, &[c(1.0, 2.0)], f(5.0)),
        (Op::Abs2, &[f(-3.0)], f(9.0)),
        (Op::Conj, &[c(1.0, 0.0)], c(1.0, -0.0)),
        (Op::Conj, &[f(1.0)], f(1.0)),
        (Op::Re, &[c(1.0, 2.0)], f(1.0)),
        (Op::Im, &[f(-1.0)], f(0.0)),
        (Op::Arg, &[f(0.0)], f(0.0)),
        (Op::Arg, &[f(-0.0)], f(std::f64::consts::PI)),
        (Op::Arg, &[f(-1.0)], f(std::f64::consts::PI)),
        (Op::Complex, &[f(1.0), f(-0.0)], c(1.0, -0.0)),
        (Op::IsNan, &[c(0.0, nan)], b(true)),
        (Op::IsFinite, &[c(0.0, inf)], b(false)),
        (Op::IsInf, &[f(-inf)], b(true)),
        (Op::IsInf, &[f(nan)], b(false)),
        (Op::Lt, &[f(nan), f(1.0)], b(false)),
        (Op::Ge, &[f(0.0), f(-0.0)], b(true)),
        (Op::Eq, &[c(0.0, 1.0), c(-0.0, 1.0)], b(true)),
        (Op::Ne, &[f(nan), f(nan)], b(true)),
        (Op::Eq, &[b(true), b(false)], b(false)),
        (Op::Select, &[b(false), f(1.0), f(2.0)], f(2.0)),
        (Op::ToF32, &[i((1 << 60) + (1 << 36) + 1)], s(((1i64 << 60) + (1 << 36) + 1) as f32)),
        (Op::ToF64, &[b(true)], f(1.0)),
        (Op::ToF64, &[s(0.1)], f(0.1f32 as f64)),
        (Op::ToI64, &[f(-1.9)], i(-1)),
        (Op::ToI64, &[f(i64::MIN as f64)], i(i64::MIN)),
        (Op::StopGradient, &[f(-0.0)], f(-0.0)),
    ];
    for (op, args, want) in cases {
        let got = run(*op, args).unwrap_or_else(|t| panic!("{op} {args:?}: {t}"));
        assert!(got.same(*want), "{op} {args:?} = {got:?}, expected {want:?}");
    }
}

#[test]
fn traps() {
    let overflow = Trap::IntegerOverflow;
    let cases: &[(Op, &[Const], &Trap)] = &[
        (Op::Neg, &[i(i64::MIN)], &overflow),
        (Op::Abs, &[i(i64::MIN)], &overflow),
        (Op::Add, &[i(i64::MAX), i(1)], &overflow),
        (Op::Mul, &[i(1 << 40), i(1 << 40)], &overflow),
        (Op::Powi, &[i(2), i(63)], &overflow),
        (Op::Powi, &[i(1), i(-1)], &overflow),
        (Op::Idiv, &[i(1), i(0)], &Trap::DivisionByZero),
        (Op::Idiv, &[i(i64::MIN), i(-1)], &overflow),
        (Op::Mod, &[i(1), i(0)], &Trap::DivisionByZero),
        (Op::ToI64, &[f(f64::NAN)], &Trap::BadConversion),
        (Op::ToI64, &[f(9_223_372_036_854_775_808.0)], &Trap::BadConversion),
    ];
    for (op, args, want) in cases {
        assert_eq!(run(*op, args).as_ref(), Err(*want), "{op} {args:?}");
    }
}

fn call(m: &Module, f: FuncId, args: &[Const]) -> Result<Vec<Val<f64>>, RuntimeError> {
    let args: Vec<Val<f64>> = args.iter().map(|a| Val::from_const(*a)).collect();
    Interp::new(m, &StdMath, &NoExterns).call(f, &args)
}

#[test]
fn ten_thousand_calls_in_a_row() {
    let mut m = Module::default();
    let mut callee: Option<FuncId> = None;
    for n in 0..10_000 {
        let mut bld = Builder::new(format!("f{n}"), Span::NONE);
        let x = bld.param("x", Type::F64);
        let inner = match callee {
            Some(f) => bld.call(f, &[x], &[Type::F64])[0],
            None => x,
        };
        let one = bld.num(1.0, Scalar::F64);
        let y = bld.op(Op::Add, &[inner, one]);
        m.funcs.push(bld.finish(vec![("out".into(), y)]));
        callee = Some(FuncId(n));
    }
    assert_eq!(call(&m, callee.unwrap(), &[f(0.5)]), Ok(vec![Val::Real(10_000.5)]));
}

#[test]
fn only_the_taken_branch_runs() {
    let mut m = Module::default();
    let mut bld = Builder::new("f", Span::NONE);
    let cond = bld.param("p", Type::BOOL);
    let x = bld.param("x", Type::F64);
    bld.open();
    let no = bld.constant(b(false));
    bld.assert(Guard::Assert("never".into()), no);
    let then = bld.close(vec![x]);
    bld.open();
    let y = bld.op(Op::Square, &[x]);
    let other = bld.close(vec![y]);
    let out = bld.if_(cond, then, other)[0];
    let f0 = m.add(bld.finish(vec![("out".into(), out)]));
    assert_eq!(call(&m, f0, &[b(false), f(3.0)]), Ok(vec![Val::Real(9.0)]));
    let err = call(&m, f0, &[b(true), f(3.0)]).unwrap_err();
    assert_eq!(err.trap, Trap::Assert("never".into()));
}

/// Notes what it sees.
#[derive(Default)]
struct Notes(RefCell<Vec<String>>);

impl Watch<f64> for Notes {
    fn op(&self, at: Location<'_>, op: Op, args: &[&Val<f64>], result: &Val<f64>) {
        assert_eq!(at.inst.kind, Kind::Op(op));
        self.0.borrow_mut().push(format!("{}: {op} {args:?} = {result:?}", at.func.name));
    }

    fn extremum(&self, at: Location<'_>, op: ReduceOp, terms: &[Val<f64>]) {
        self.0.borrow_mut().push(format!("{}: {op} {terms:?}", at.func.name));
    }

    fn linalg(&self, at: Location<'_>, op: LinalgOp, matrix: &ArrayVal<f64>) {
        self.0.borrow_mut().push(format!("{}: {op} {:?}", at.func.name, matrix.shape()));
    }
}

#[test]
fn watched() {
    let text = "fn g(x: f64) -> f64 {
  v0 = neg x
  return v0
}
fn f(x: f64, n: i64, a: f64[2, 2]) -> (f64, i64, f64) {
  v0 = i64 0
  v1 = i64 1
  v2 = reduce max v0, n, v1 (v3) {
    v4 = to_f64 v3
    v5 = mul v4, x
    yield v5
  }
  v6 = reduce argmin v0, v1, v1 (v7) {
    yield x
  }
  v8 = reduce sum v0, v1, v1 (v9) {
    yield x
  }
  v10 = call g(v8)
  v11 = det a
  v12 = add v10, v11
  return v2, v6, v12
}
";
    let m = text::parse_module(text).unwrap_or_else(|d| panic!("{}", d.message));
    verify::assert_valid(&m, "test input");
    let a = datum::Datum::Array(datum::Array::new(vec![2, 2], vec![1.0, 0.0, 0.0, 3.0])).to_val();
    let args = [Val::Real(-2.0), Val::I64(3), a];
    let notes = Notes::default();
    let mut interp = Interp::new(&m, &StdMath, &NoExterns);
    let unwatched = interp.call(FuncId(1), &args).expect("nothing fails");
    interp.watch = Some(&notes);
    assert_eq!(interp.call(FuncId(1), &args), Ok(unwatched));
    let seen = [
        "f: to_f64 [I64(0)] = Real(0.0)",
        "f: mul [Real(0.0), Real(-2.0)] = Real(-0.0)",
        "f: to_f64 [I64(1)] = Real(1.0)",
        "f: mul [Real(1.0), Real(-2.0)] = Real(-2.0)",
        "f: to_f64 [I64(2)] = Real(2.0)",
        "f: mul [Real(2.0), Real(-2.0)] = Real(-4.0)",
        "f: max [Real(-0.0), Real(-2.0), Real(-4.0)]",
        "f: argmin [Real(-2.0)]",
        "g: neg [Real(-2.0)] = Real(2.0)",
        "f: det [2, 2]",
        "f: add [Real(2.0), Real(3.0)] = Real(5.0)",
    ];
    assert_eq!(notes.0.into_inner(), seen);
}
