//! The functions of double-doubles that every module may call.

use crate::jit::{interpret, parse, same};
use adc_ir::Const;
use adc_jit::{Externs, Options};
use adc_runtime::dd::{self, Cdd, Dd};
use num_complex::Complex64;

const MODULE: &str = r#"
extern "dd.exp" fn exp(x.hi: f64, x.lo: f64) -> (f64, f64)
extern "dd.atan2" fn atan2(a.hi: f64, a.lo: f64, b.hi: f64, b.lo: f64) -> (f64, f64)
extern "dd.powi" fn powi(x.hi: f64, x.lo: f64, n: i64) -> (f64, f64)
extern "dd.cis" fn cis(x.hi: f64, x.lo: f64) -> (c128, c128)
extern "dd.cdiv" fn cdiv(a.hi: c128, a.lo: c128, b.hi: c128, b.lo: c128) -> (c128, c128)
extern "dd.cabs" fn cabs(x.hi: c128, x.lo: c128) -> (f64, f64)
extern "dd.cpowi" fn cpowi(x.hi: c128, x.lo: c128, n: i64) -> (c128, c128)
fn f(a: f64, b: f64, n: i64) -> (f64, f64, c128, c128, f64, f64) {
  v0, v1 = call exp(a, b)
  v2, v3 = call powi(v0, v1, n)
  v4, v5 = call atan2(v2, v3, a, b)
  v6, v7 = call cis(v4, v5)
  v8, v9 = call cis(v2, v3)
  v10, v11 = call cdiv(v6, v7, v8, v9)
  v12, v13 = call cpowi(v10, v11, n)
  v14, v15 = call cabs(v12, v13)
  return v4, v5, v12, v13, v14, v15
}
"#;

#[test]
fn scalars_and_complex_numbers() {
    let m = parse(MODULE);
    let f = m.find("f").unwrap();
    let externs = Externs::new();
    let compiled = adc_jit::compile(&m, &[f], &externs, &Options::default()).unwrap().remove(0);
    let bound = externs.bind(&m, &[f]).unwrap();
    for (a, b, n) in
        [(0.3, 1e-18, 3), (-2.0, 1e-17, -7), (700.0, 0.0, 2), (f64::NAN, 0.0, 1), (1.0, f64::NAN, 1)]
    {
        let x = Dd::new(a, b);
        let power = dd::powi(dd::exp(x), n);
        let angle = dd::atan2(power, x);
        let cis = |x: Dd| {
            let (sin, cos) = dd::sin_cos(x);
            Cdd::new(cos, sin)
        };
        let z = dd::complex::powi(dd::complex::div(cis(angle), cis(power)), n);
        let size = dd::complex::abs(z);
        let low = Complex64::new(z.re.lo, z.im.lo);
        let expected = vec![
            Const::F64(angle.hi),
            Const::F64(angle.lo),
            Const::C128(z.high()),
            Const::C128(low),
            Const::F64(size.hi),
            Const::F64(size.lo),
        ];
        let args = [Const::F64(a), Const::F64(b), Const::I64(n)];
        let got = compiled.call(&args);
        assert!(same(&got, &Ok(expected.clone())), "{got:?}, expected {expected:?}");
        let got = interpret(&m, f, &args, &bound);
        assert!(same(&got, &Ok(expected)), "interpreter {got:?}");
    }
}

/// Text could make them write where there is nothing.
#[test]
fn declarations_that_do_not_fit() {
    let fits = |text: &str| {
        let m = parse(text);
        let bound = Externs::new().bind(&m, &[m.find("g").unwrap()]).is_ok();
        let compiled =
            adc_jit::compile(&m, &[m.find("g").unwrap()], &Externs::new(), &Options::default()).is_ok();
        assert_eq!(bound, compiled, "{text}");
        bound
    };
    for (text, right) in [
        ("extern \"dd.exp\" fn g(x: f64, y: f64) -> (f64, f64)", true),
        ("extern \"dd.exp\" fn g(x: f64) -> (f64, f64)", false),
        ("extern \"dd.exp\" fn g(x: f64, y: f64) -> f64", false),
        ("extern \"dd.exp\" fn g(x: f64, y: f32) -> (f64, f64)", false),
        ("extern \"dd.exp\" fn g[N](x: f64, y: f64) -> (f64, f64)", false),
        ("extern \"dd.exp\" fn g(x: f64, y: f64) -> (c128, c128)", false),
        ("extern \"dd.powi\" fn g(n: i64, x: f64, y: f64) -> (f64, f64)", false),
        ("extern \"dd.inv\" fn g[N](x: f64[N, N], y: f64[N, N]) -> (f64[N, N], f64[N, N])", true),
        ("extern \"dd.inv\" fn g[N](x: f64[N, N], y: f64[N, 2]) -> (f64[N, N], f64[N, N])", false),
        ("extern \"dd.inv\" fn g[N](x: f64[N, N], y: f64[N, N]) -> (f64[N], f64[N])", false),
    ] {
        assert_eq!(fits(text), right, "{text}");
    }
}

#[test]
fn functions_that_are_not_there() {
    for name in ["dd.sqrt", "dd.", "exp", "dd"] {
        let m = parse(&format!("extern \"{name}\" fn g(x: f64) -> f64"));
        assert!(Externs::new().bind(&m, &[m.find("g").unwrap()]).is_err(), "{name}");
    }
}

/// Matrices, whose sizes come first, and the real result of a complex one.
#[test]
fn matrices() {
    use adc_ir::datum::{Array, Datum};
    use adc_ir::interp::{Interp, Val};
    let m = parse(
        r#"extern "dd.solve" fn solve[N, R](a.hi: f64[N, N], a.lo: f64[N, N], b.hi: f64[N, R], b.lo: f64[N, R]) -> (f64[N, R], f64[N, R])
        extern "dd.matmul" fn matmul[M, K, N](a.hi: f64[M, K], a.lo: f64[M, K], b.hi: f64[K, N], b.lo: f64[K, N]) -> (f64[M, N], f64[M, N])
        extern "dd.clogdet" fn clogdet[N](a.hi: c128[N, N], a.lo: c128[N, N]) -> (f64, f64)
        extern "dd.ccholesky" fn ccholesky[N](a.hi: c128[N, N], a.lo: c128[N, N]) -> (c128[N, N], c128[N, N])
        fn f(a: f64[3, 3], a0: f64[3, 3], b: f64[3, 2], b0: f64[3, 2], z: c128[2, 2]) -> (f64[3, 2], f64[3, 2], f64[3, 2], f64, f64, c128[2, 2], c128[2, 2]) {
          v0 = i64 2
          v1 = i64 3
          v5, v6 = call solve(v1, v0, a, a0, b, b0)
          v7, v8 = call matmul(v1, v1, v0, a, a0, v5, v6)
          v9, v10 = call clogdet(v0, z, z)
          v11, v12 = call ccholesky(v0, z, z)
          return v5, v6, v7, v9, v10, v11, v12
        }"#,
    );
    let f = m.find("f").unwrap();
    let b = [1.0, -2.0, 0.5, 3.0, 0.25, 1.0];
    let z = |re: f64, im: f64| Complex64::new(re, im);
    let array = |shape: Vec<usize>, x: &[f64]| Datum::Array(Array::new(shape, x.to_vec()));
    let args = [
        array(vec![3, 3], &[2.0, 1.0, 0.0, 1.0, 3.0, 1.0, 0.0, 1.0, 7.0]),
        array(vec![3, 3], &[0.0; 9]),
        array(vec![3, 2], &b),
        array(vec![3, 2], &[0.0; 6]),
        Datum::Array(Array::new(vec![2, 2], vec![z(2.0, 0.0), z(9.0, 9.0), z(0.5, 1.0), z(3.0, 0.0)])),
    ];
    let externs = Externs::new();
    let compiled = adc_jit::compile(&m, &[f], &externs, &Options::default()).unwrap().remove(0);
    let got = compiled.call_data(&mut adc_jit::Workspace::new(), &args).unwrap();
    let bound = externs.bind(&m, &[f]).unwrap();
    let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
    let expected = Interp::new(&m, &adc_jit::RuntimeMath, &bound).call(f, &vals).unwrap();
    for ((g, e), r) in got.iter().zip(&expected).zip(&m.func(f).results) {
        assert!(g.same(&Datum::from_val(e, r.ty.scalar())), "{g:?} and {e:?}");
    }
    let numbers = |d: &Datum| -> Vec<Complex64> { d.elements().map(|c| c.to_c128()).collect() };
    // A x is b, and to the last bit so.
    assert!(numbers(&got[2]).iter().zip(b).all(|(g, b)| g.re == b), "{:?}", got[2]);
    // Some of the quotients are no doubles.
    assert!(numbers(&got[1]).iter().any(|x| x.re != 0.0));
    // The matrix is z + z, its upper triangle is not read, and |det| of [[4, 18+18i], [1+2i, 6]] is |42 - 54i|.
    let log = z(42.0, -54.0).norm().ln();
    assert!((numbers(&got[3])[0].re - log).abs() < 1e-14, "{:?}, {log}", got[3]);
    let l = numbers(&got[5]);
    assert_eq!(l[..3], [z(2.0, 0.0), z(0.0, 0.0), z(0.5, 1.0)]);
    assert!((l[3].re - 4.75f64.sqrt()).abs() < 1e-15 && l[3].im == 0.0);
}
