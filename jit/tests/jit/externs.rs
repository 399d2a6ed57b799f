//! Native functions: a library built from C, called by compiled code and by the interpreter.

use crate::jit::{interpret, parse, same};
use adc_ir::{Code, Const, FileId, FuncId, Module, RuntimeError, Span, Trap};
use adc_jit::{Externs, Options};
use num_complex::{Complex32, Complex64};
use std::path::PathBuf;
use std::process::Command;

const C: &str = r#"
#include <stdint.h>
int32_t every_type(uint8_t b, int64_t n, float x, double y, float zre, float zim, double wre, double wim,
                   uint8_t *ob, int64_t *on, float *ox, double *oy, float *oz, double *ow) {
    *ob = b ? 0 : 2; *on = n + 1; *ox = x * 2; *oy = y * 3;
    oz[0] = zim; oz[1] = zre; ow[0] = wim; ow[1] = wre;
    return 0;
}
int32_t twenty(double a0, double a1, double a2, double a3, double a4, double a5, double a6, double a7, double a8,
               double a9, int64_t b0, int64_t b1, int64_t b2, int64_t b3, int64_t b4, int64_t b5, int64_t b6,
               int64_t b7, float c0, float c1, double *out) {
    *out = a0 - a1 + 2*a2 - 3*a3 + 4*a4 - 5*a5 + 6*a6 - 7*a7 + 8*a8 - 9*a9 + b0 - b1 + 2*b2 - 3*b3 + 4*b4 - 5*b5
        + 6*b6 - 7*b7 + c0 - c1;
    return 0;
}
int32_t fails(double x, double *out) { *out = x; return x < 0 ? 42 : 0; }
int32_t nothing(void) { return 0; }
int32_t scale(int64_t n, int64_t m, const double *x, const uint8_t *keep, float zre, float zim, double *out, float *z,
              int64_t *count, uint8_t *kept) {
    *count = 0;
    for (int64_t i = 0; i < n; i++) {
        *count += keep[i];
        kept[i] = keep[i] ? 2 + i : 0;
        for (int64_t j = 0; j < m; j++) out[i * m + j] = keep[i] ? x[i * m + j] * zre : zim;
    }
    z[0] = zim; z[1] = n; z[2] = zre; z[3] = m;
    return n > 5 ? 7 : 0;
}
"#;

const MODULE: &str = r#"
extern "every_type" fn every(b: bool, n: i64, x: f32, y: f64, z: c64, w: c128) -> (bool, i64, f32, f64, c64, c128)
extern "twenty" fn twenty(a0: f64, a1: f64, a2: f64, a3: f64, a4: f64, a5: f64, a6: f64, a7: f64, a8: f64, a9: f64, b0: i64, b1: i64, b2: i64, b3: i64, b4: i64, b5: i64, b6: i64, b7: i64, c0: f32, c1: f32) -> f64
extern "fails" fn fails(x: f64) -> f64 @0:1..2
extern "nothing" fn nothing() -> ()
fn types(b: bool, n: i64, x: f32, y: f64, z: c64, w: c128) -> (bool, i64, f32, f64, c64, c128) {
  v0, v1, v2, v3, v4, v5 = call every(b, n, x, y, z, w)
  v6, v7, v8, v9, v10, v11 = call every(v0, v1, v2, v3, v4, v5)
  v12 = not v6
  return v12, v7, v8, v9, v10, v11
}
fn many(x: f64, n: i64, y: f32) -> f64 {
  v0 = f64 1.5
  v1 = i64 3
  v2 = call twenty(x, v0, x, x, v0, x, x, v0, v0, x, n, v1, n, n, v1, n, v1, v1, y, y)
  call nothing()
  return v2
}
fn guarded(x: f64) -> f64 {
  v0 = call fails(x) @0:7..9
  return v0
}
"#;

/// The library, built once per test process.
fn library() -> PathBuf {
    static BUILT: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    BUILT
        .get_or_init(|| {
            let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
            let (source, lib) = (dir.join("externs.c"), dir.join("libexterns.so"));
            std::fs::write(&source, C).unwrap();
            let built =
                Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&lib).arg(&source).status();
            assert!(built.expect("a C compiler is needed").success());
            lib
        })
        .clone()
}

/// Runs a function compiled, and by the interpreter.
fn check(m: &Module, name: &str, args: &[Const], expected: Result<Vec<Const>, RuntimeError>) {
    let externs = Externs::load(library()).unwrap();
    let f = m.find(name).unwrap();
    for ops in [500, 1] {
        let mut options = Options::default();
        options.unit_ops = ops;
        let compiled = adc_jit::compile(m, &[f], &externs, &options).unwrap().remove(0);
        let got = compiled.call(args);
        assert!(same(&got, &expected), "{name}: compiled {got:?}, expected {expected:?}");
    }
    let bound = externs.bind(m, &[f]).unwrap();
    drop(externs);
    let got = interpret(m, f, args, &bound);
    assert!(same(&got, &expected), "{name}: interpreter {got:?}, expected {expected:?}");
}

#[test]
fn signatures() {
    let m = parse(MODULE);
    let args = [
        Const::Bool(true),
        Const::I64(i64::MIN),
        Const::F32(1.25),
        Const::F64(-0.5),
        Const::C64(Complex32::new(1.0, -2.0)),
        Const::C128(Complex64::new(3.0, -4.0)),
    ];
    let once = [
        Const::Bool(false),
        Const::I64(i64::MIN + 1),
        Const::F32(2.5),
        Const::F64(-1.5),
        Const::C64(Complex32::new(-2.0, 1.0)),
        Const::C128(Complex64::new(-4.0, 3.0)),
    ];
    check(&m, "every", &args, Ok(once.to_vec()));
    let mut twice = args;
    (twice[0], twice[1]) = (Const::Bool(false), Const::I64(i64::MIN + 2));
    (twice[2], twice[3]) = (Const::F32(5.0), Const::F64(-4.5));
    check(&m, "types", &args, Ok(twice.to_vec()));
    let (x, n, v0, v1) = (2.0, 5.0, 1.5, 3.0);
    let reals = x - v0 + 2.0 * x - 3.0 * x + 4.0 * v0 - 5.0 * x + 6.0 * x - 7.0 * v0 + 8.0 * v0 - 9.0 * x;
    let ints = n - v1 + 2.0 * n - 3.0 * n + 4.0 * v1 - 5.0 * n + 6.0 * v1 - 7.0 * v1;
    let args = [Const::F64(x), Const::I64(5), Const::F32(0.5)];
    check(&m, "many", &args, Ok(vec![Const::F64(reals + ints)]));
}

#[test]
fn failing_status() {
    let m = parse(MODULE);
    let failed = |start, end| RuntimeError {
        trap: Trap::Extern { name: "fails".into(), status: 42 },
        span: Span::new(FileId(0), start, end),
    };
    check(&m, "guarded", &[Const::F64(1.0)], Ok(vec![Const::F64(1.0)]));
    check(&m, "guarded", &[Const::F64(-1.0)], Err(failed(7, 9)));
    let entry = m.func(m.find("fails").unwrap()).span;
    check(&m, "fails", &[Const::F64(-1.0)], Err(failed(entry.start as usize, entry.end as usize)));
}

#[test]
fn functions_of_the_host_program() {
    extern "C" fn host(x: f64, out: *mut f64) -> i32 {
        // SAFETY: compiled code passes a writable, aligned place.
        unsafe { out.write(x + 1.0) };
        0
    }
    let m =
        parse("extern \"host\" fn g(x: f64) -> f64\nfn f(x: f64) -> f64 {\n v0 = call g(x)\n return v0\n}");
    let mut externs = Externs::new();
    // SAFETY: `host` has the signature `g` declares, and is a pure function of this program.
    unsafe { externs.insert("host", host as *const ()) };
    let f = adc_jit::compile(&m, &[FuncId(1)], &externs, &Options::default()).unwrap().remove(0);
    drop(externs);
    assert_eq!(f.call(&[Const::F64(1.0)]), Ok(vec![Const::F64(2.0)]));
}

#[test]
fn missing_functions_and_libraries_are_named() {
    let text = "extern \"nowhere\" fn g(x: f64) -> f64\nextern \"nothing\" fn h() -> ()\nextern \"lost\" fn k() -> ()
fn f(x: f64) -> f64 {\n v0 = call g(x)\n call h()\n call k()\n return v0\n}";
    let m = parse(text);
    let externs = Externs::load(library()).unwrap();
    for d in [
        externs.bind(&m, &[FuncId(3)]).unwrap_err(),
        adc_jit::compile(&m, &[FuncId(3)], &externs, &Options::default()).unwrap_err(),
    ] {
        assert_eq!(d.code, Code::Library);
        assert!(d.message.contains("`nowhere`") && d.message.contains("`lost`"), "{}", d.message);
        assert!(!d.message.contains("nothing"), "{}", d.message);
    }
    let error = Externs::load(PathBuf::from("no/such/lib.so")).unwrap_err();
    assert_eq!(error.diagnostic().code, Code::Library);
    assert!(error.to_string().contains("no/such/lib.so"), "{error}");
}

#[test]
fn only_reached_functions_are_needed() {
    let m = parse("extern \"nowhere\" fn g(x: f64) -> f64\nfn f(x: f64) -> f64 {\n return x\n}");
    let externs = Externs::new();
    for (root, found) in [(FuncId(0), false), (FuncId(1), true)] {
        assert_eq!(externs.bind(&m, &[root]).is_ok(), found);
        assert_eq!(adc_jit::compile(&m, &[root], &externs, &Options::default()).is_ok(), found);
    }
}

#[test]
fn functions_of_libraries_it_depends_on_are_not_taken() {
    // Defined by the C library, which every library depends on, with other signatures.
    let text = |name: &str| format!("extern \"{name}\" fn f(x: f64) -> f64");
    let externs = Externs::load(library()).unwrap();
    for (symbol, found) in [("fails", true), ("malloc", false), ("strlen", false)] {
        assert_eq!(externs.bind(&parse(&text(symbol)), &[FuncId(0)]).is_ok(), found, "{symbol}");
    }
    // The same library by way of a link.
    let link = library().with_file_name("linked.so");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(library(), &link).unwrap();
    let linked = Externs::load(link).unwrap();
    assert!(linked.bind(&parse(&text("fails")), &[FuncId(0)]).is_ok());
}

#[test]
fn two_types_for_one_function_are_refused() {
    let text = "extern \"nothing\" fn g() -> ()\nextern \"nothing\" fn h(x: f64) -> ()
fn f(x: f64) -> f64 {\n call g()\n call h(x)\n return x\n}";
    let externs = Externs::load(library()).unwrap();
    let d = adc_jit::compile(&parse(text), &[FuncId(2)], &externs, &Options::default()).unwrap_err();
    assert_eq!(d.code, Code::Unsupported);
    assert!(d.message.contains("`f`") && d.message.contains("`nothing`"), "{}", d.message);
}

/// Arrays in and out, with dimensions, which native code gets as numbers.
#[test]
fn arrays_and_dimensions() {
    use adc_ir::datum::{Array, Datum};
    use adc_ir::interp::{Interp, Val};
    let mut m = parse(
        "extern \"scale\" fn scale[N, M](x: f64[N, M], keep: bool[N], z: c64) -> (f64[N, M], c64[2], i64, bool[N])
         fn f[N](x: f64[N, 3], keep: bool[N], z: c64) -> (f64[N, 3], c64[2], i64, bool[N]) {
           v0 = i64 3
           v1, v2, v3, v7 = call scale(N, v0, x, keep, z)
           v4, v5, v6, v8 = call scale(N, v0, v1, v7, z)
           return v4, v2, v6, v8
         }",
    );
    let externs = Externs::load(library()).unwrap();
    for n in [0, 1, 5, 6] {
        let f = adc_ir::specialise::specialise(&mut m, FuncId(1), &[n]).unwrap();
        adc_ir::verify::assert_valid(&m, "specialised");
        let n = n as usize;
        let args = [
            Datum::Array(Array::new(vec![n, 3], (0..3 * n).map(|i| i as f64).collect::<Vec<f64>>())),
            Datum::Array(Array::new(vec![n], (0..n).map(|i| i % 2 == 0).collect::<Vec<bool>>())),
            Datum::Scalar(Const::C64(Complex32::new(2.5, -1.0))),
        ];
        let compiled = adc_jit::compile(&m, &[f], &externs, &Options::default()).unwrap().remove(0);
        let got = compiled.call_data(&mut adc_jit::Workspace::new(), &args);
        let bound = externs.bind(&m, &[f]).unwrap();
        let vals: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
        let expected = Interp::new(&m, &adc_jit::RuntimeMath, &bound).call(f, &vals);
        match (got, expected) {
            (Ok(got), Ok(expected)) => {
                let types = m.func(f).results.iter().map(|r| r.ty.scalar());
                for ((g, e), ty) in got.iter().zip(&expected).zip(types) {
                    assert!(g.same(&Datum::from_val(e, ty)), "{g:?} and {e:?}");
                }
                let sum: f64 = got[0].elements().map(|c| c.to_c128().re).sum();
                assert!(n == 0 || sum != 0.0);
            }
            (Err(got), Err(expected)) => {
                assert!(n > 5 && got.trap == expected.trap, "{got:?} and {expected:?}");
                assert_eq!(got.trap, Trap::Extern { name: "scale".into(), status: 7 });
            }
            (got, expected) => panic!("{got:?} and {expected:?}"),
        }
    }
}
