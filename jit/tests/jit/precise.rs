//! The functions of double-doubles that every module may call.

use crate::{interpret, parse, same};
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

#[test]
fn functions_that_are_not_there() {
    for name in ["dd.sqrt", "dd.", "exp", "dd"] {
        let m = parse(&format!("extern \"{name}\" fn g(x: f64) -> f64"));
        assert!(Externs::new().bind(&m, &[m.find("g").unwrap()]).is_err(), "{name}");
    }
}
