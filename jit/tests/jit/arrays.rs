//! Arrays and loops: interpreter = compiled code, bit for bit, errors included.

use crate::jit::parse;
use adc_ir::datum::Datum;
use adc_ir::interp::{Interp, Limits, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, array_inputs, module};
use adc_ir::{FuncId, Module, RuntimeError, Trap};
use adc_jit::{Compiled, Effort, Externs, Options, RuntimeMath, Simd, Workspace};

fn compile(m: &Module, f: FuncId, unit_ops: usize) -> Compiled {
    compile_with(m, f, (unit_ops, Options::default().strips, Effort::Full, Options::default().simd))
}

/// Size of units, the fewest iterations of strips, effort, vectors.
pub(super) type How = (usize, Option<u32>, Effort, Simd);

pub(super) fn compile_with(m: &Module, f: FuncId, how: How) -> Compiled {
    let mut options = Options::default();
    (options.unit_ops, options.strips, options.effort, options.simd) = how;
    adc_jit::compile(m, &[f], &Externs::new(), &options).expect("it compiles").remove(0)
}

pub(super) fn interpret(m: &Module, f: FuncId, args: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
    let args: Vec<Val<f64>> = args.iter().map(Datum::to_val).collect();
    let results = Interp::new(m, &RuntimeMath, &NoExterns).call(f, &args)?;
    Ok(results.iter().zip(&m.func(f).results).map(|(v, r)| Datum::from_val(v, r.ty.scalar())).collect())
}

pub(super) fn same(a: &Result<Vec<Datum>, RuntimeError>, b: &Result<Vec<Datum>, RuntimeError>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
        (Err(a), Err(b)) => a == b,
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

/// A generated program at random dimensions, whole and cut into small units, on two sets of arguments.
/// Loops run element by element, or several at once. Returns the number of loops that do.
fn check_program(seed: u64, knobs: &Knobs, units: &[usize]) -> usize {
    let mut m = module(seed, knobs);
    let f = FuncId(m.funcs.len() as u32 - 1);
    let mut rng = Rng::new(seed ^ 0x5eed);
    let (dims, _) = array_inputs(&mut rng, m.func(f), false);
    let f = specialise(&mut m, f, &dims).expect("it is small");
    check(seed, &m, f, units, |special| array_inputs(&mut rng, m.func(f), special).1)
}

/// The same with dimensions that are arguments, so that only the run knows the sizes.
fn check_sizes_at_run_time(seed: u64, knobs: &Knobs, units: &[usize]) -> usize {
    let symbolic = module(seed, knobs);
    let f = FuncId(symbolic.funcs.len() as u32 - 1);
    let mut m = symbolic.clone();
    for f in &mut m.funcs {
        let dim = |d: adc_ir::DimParam| adc_ir::Param {
            value: d.value,
            name: d.name,
            role: None,
            nodiff: true,
            linear: false,
            domain: None,
            span: d.span,
        };
        let dims: Vec<adc_ir::Param> = std::mem::take(&mut f.dims).into_iter().map(dim).collect();
        f.params.splice(0..0, dims);
    }
    let mut rng = Rng::new(seed ^ 0x5eed);
    check(seed, &m, f, units, |special| {
        let (dims, args) = array_inputs(&mut rng, symbolic.func(f), special);
        dims.into_iter().map(Val::I64).chain(args).collect()
    })
}

fn check(
    seed: u64,
    m: &Module,
    f: FuncId,
    units: &[usize],
    mut inputs: impl FnMut(bool) -> Vec<Val<f64>>,
) -> usize {
    let widest = Options::default().simd;
    let of_unit = |n: &usize| {
        let mut ways: Vec<How> = vec![(*n, None, Effort::Full, widest)];
        ways.extend(Simd::all_there().into_iter().map(|simd| (*n, Some(0), Effort::Full, simd)));
        ways.push((*n, Some(0), Effort::Quick, widest));
        ways
    };
    let ways: Vec<How> = units.iter().flat_map(of_unit).collect();
    let compiled: Vec<Compiled> = ways.iter().map(|how| compile_with(m, f, *how)).collect();
    let strips = compiled[1].stats().native_functions - compiled[0].stats().native_functions;
    let mut workspace = Workspace::new();
    for special in [false, true] {
        let args: Vec<Datum> = (inputs(special).iter().zip(&m.func(f).params))
            .map(|(v, p)| Datum::from_val(v, m.func(f).ty(p.value).scalar()))
            .collect();
        let expected = interpret(m, f, &args);
        for (how, compiled) in ways.iter().zip(&compiled) {
            let got = compiled.call_data(&mut workspace, &args);
            assert!(
                same(&expected, &got),
                "seed {seed}, {how:?}: {args:?}\ninterpreter {expected:?}\ncompiled {got:?}\n{m}"
            );
        }
    }
    strips
}

#[test]
fn generated_programs() {
    let knobs = |seed| Knobs { traps: seed % 3 == 0, ..Knobs::arrays() };
    let strips: usize = (0..more(150)).map(|seed| check_program(seed, &knobs(seed), &[500, 10])).sum();
    assert!(strips > 20, "{strips} strips were compared");
}

#[test]
fn sizes_at_run_time() {
    let knobs = |seed| Knobs { traps: seed % 3 == 0, ..Knobs::arrays() };
    let strips: usize =
        (0..more(80)).map(|seed| check_sizes_at_run_time(seed, &knobs(seed), &[500, 10])).sum();
    assert!(strips > 3, "{strips} strips were compared");
}

/// So many programs, times the effort asked for.
fn more(count: u64) -> u64 {
    count * adc_ir::testing::effort() as u64
}

#[test]
fn long_generated_programs() {
    for seed in 0..more(10) {
        check_program(seed, &Knobs { steps: 150, depth: 6, ..Knobs::arrays() }, &[500, 40]);
    }
}

/// Runs the last function of a module text.
fn run(text: &str, args: &[Datum]) -> (Result<Vec<Datum>, RuntimeError>, Result<Vec<Datum>, RuntimeError>) {
    let m = parse(text);
    let f = FuncId(m.funcs.len() as u32 - 1);
    (interpret(&m, f, args), compile(&m, f, 500).call_data(&mut Workspace::new(), args))
}

fn agrees(text: &str, args: &[Datum]) -> Result<Vec<Datum>, RuntimeError> {
    let (expected, got) = run(text, args);
    assert!(same(&expected, &got), "interpreter {expected:?}\ncompiled {got:?}\n{text}");
    got
}

#[test]
fn limits() {
    let m = parse(
        "fn f(n: i64) -> f64[n] {
           v1 = f64 1.5
           v2: f64[n] = fill v1
           return v2
         }",
    );
    let f = compile(&m, FuncId(0), 500);
    let n = |n: i64| [Datum::from(adc_ir::Const::I64(n))];
    let mut workspace = Workspace::with_limits(Limits { fuel: 10, bytes: 1 << 12 });
    let small = f.call_data(&mut workspace, &n(3)).unwrap();
    assert_eq!(small[0].shape(), [3]);
    let trap = |n: i64, w: &mut Workspace| {
        let n = [Datum::from(adc_ir::Const::I64(n))];
        f.call_data(w, &n).map(|_| ()).unwrap_err().trap
    };
    assert_eq!(trap(1000, &mut workspace), Trap::OutOfMemory);
    assert_eq!(trap(-2, &mut workspace), Trap::NegativeSize(-2));
    assert_eq!(trap(i64::MAX, &mut workspace), Trap::OutOfMemory);
}

fn vector(x: &[f64]) -> Datum {
    Datum::Array(adc_ir::datum::Array::new(vec![x.len()], x.to_vec()))
}

/// Carries that change places, keep old parts, or are collected before they change.
#[test]
fn carries_in_place() {
    let text = "fn f(x: f64[3], y: f64[3]) -> (f64[3], f64[3], f64[4, 3], f64[3]) {
           v0 = i64 0 v1 = i64 4 v2 = i64 1 v3 = f64 0.5
           v4, v5, v6, v7: f64[4, 3] = for v0, v1, v2, x, y, x collects 1 (v8, v9, v10, v11) {
             v12 = add_at v9, v3, v0
             v13 = index v10, v2
             v14 = update v11, v13, v0
             yield v10, v12, v14, v9
           }
           return v4, v5, v7, v6
         }";
    agrees(text, &[vector(&[1.0, 2.0, 3.0]), vector(&[4.0, 5.0, 6.0])]).unwrap();
}

/// Carries that are collected go from row to row: one that another carry takes over, one that is collected twice, one of a loop inside, whose
/// initial value is needed again. Loops that do not run.
#[test]
fn carries_in_rows() {
    let text = "fn f(x: f64[40], n: i64) -> (f64[40], f64[40], f64[40], f64[n, 40], f64[n, 40], f64[n, 40], f64[n, n, 40], f64[40]) {
           v0 = i64 0 v1 = i64 40 v2 = i64 1 v3 = f64 0.5 v50 = i64 39
           v4, v5, v6, v7: f64[n, 40], v60: f64[n, 40], v61: f64[n, 40], v62: f64[n, n, 40] = for v0, n, v2, x, x, x collects 4 (v8, v9, v10, v11) {
             v12: f64[40] = build (v13) {
               v14 = sub v50, v13
               v15 = index v9, v14 v16 = index v10, v13 v17 = fma v15, v3, v16
               yield v17
             }
             v18, v63: f64[n, 40] = for v0, n, v2, v11 collects 1 (v19, v20) {
               v21: f64[40] = build (v22) {
                 v23 = sub v50, v22
                 v24 = index v20, v23 v25 = index v12, v22 v26 = fma v24, v3, v25
                 yield v26
               }
               yield v21, v20
             }
             v27 = index v9, v2
             v28: f64[40] = build (v29) {
               v31 = index v18, v29 v32 = fma v31, v27, v3
               yield v32
             }
             yield v12, v9, v28, v9, v9, v11, v63
           }
           v30 = update v6, v3, v2
           return v4, v5, v6, v7, v60, v61, v62, v30
         }";
    let x: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.7).sin()).collect();
    for n in [0, 1, 2, 5] {
        agrees(text, &[vector(&x), adc_ir::Const::I64(n).into()]).unwrap();
    }
}

/// Carries that are needed while the next ones are made: the second is what the first was, the third is written over
/// where a loop inside left it, in one of two places. Loops that do not run.
#[test]
fn carries_in_turns() {
    let text = "fn f(x: f64[40], n: i64) -> (f64[40], f64[40], f64[40]) {
           v0 = i64 0 v1 = i64 40 v2 = i64 1 v3 = f64 0.5 v50 = i64 39
           v4, v5, v6 = for v0, n, v2, x, x, x (v8, v9, v10, v11) {
             v12: f64[40] = build (v13) {
               v14 = sub v50, v13
               v15 = index v9, v14 v16 = index v10, v13 v17 = fma v15, v3, v16
               yield v17
             }
             v18 = for v0, n, v2, v11 (v19, v20) {
               v21: f64[40] = build (v22) {
                 v23 = sub v50, v22
                 v24 = index v20, v23 v25 = index v12, v22 v26 = fma v24, v3, v25
                 yield v26
               }
               yield v21
             }
             v27 = index v9, v2
             v28 = update v18, v27, v0
             yield v12, v9, v28
           }
           v30 = update v6, v3, v2
           return v4, v5, v30
         }";
    let x: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.7).sin()).collect();
    for n in [0, 1, 2, 5] {
        agrees(text, &[vector(&x), adc_ir::Const::I64(n).into()]).unwrap();
    }
}

/// Collected rows of a loop whose number of iterations nobody knows, more than there is memory for at first.
#[test]
fn growing() {
    let text = "fn f(x: f64, n: i64) -> (i64, f64[v3, 2], f64) {
           v0 = f64 1.5
           v1 = i64 0
           v2: i64, v4: f64, v3: i64, v5: f64[v3, 2] = while v1, x collects 1 (v6, v7) {
             v8 = lt v6, n
             yield v8
           } do (v9, v10) {
             v11 = i64 1
             v12 = add v9, v11
             v13 = mul v10, v0
             v14 = pack v10, v13
             yield v12, v13, v14
           }
           v15 = i64 1
           v16 = reduce sum v1, v3, v15 (v17) {
             v18 = sub v3, v15
             v19 = sub v18, v17
             v20 = index v5, v19, v15
             yield v20
           }
           return v3, v5, v16
         }";
    for n in [0, 1, 15, 16, 17, 100] {
        agrees(text, &[adc_ir::Const::F64(0.1).into(), adc_ir::Const::I64(n).into()]).unwrap();
    }
}

/// Branches that write over arrays whose size only the run knows, or leave them as they are.
#[test]
fn branches_in_place() {
    let text = "fn f(n: i64, x: f64) -> (f64[n], f64[n, n], f64) {
           v0 = i64 0 v1 = i64 1 v2 = i64 3 v3: f64[n] = fill x
           v4, v5 = for v0, n, v1, v3, v3 (v6, v7, v8) {
             v9 = mod v6, v2 v10 = eq v9, v0
             v11, v12 = if v10 {
               v13 = index v8, v6 v14 = sin v13
               v15 = update v7, v14, v6
               v16 = for v0, v6, v1, v8 (v17, v18) { v19 = add_at v18, v14, v17 yield v19 }
               yield v15, v16
             } else {
               yield v7, v8
             }
             v20 = lt v6, v2
             v21, v22 = if v20 { yield v12, v11 } else { yield v11, v12 }
             yield v21, v22
           }
           v35 = sin x
           v23: f64[n, n] = build (v24) {
             v25: f64[n] = fill x
             v26 = mod v24, v2 v27 = eq v26, v0
             v28 = if v27 { v29 = update v25, v35, v24 yield v29 } else { yield v25 }
             yield v28
           }
           v30 = lt v2, n
           v31 = if v30 { v32 = update v5, x, v2 yield v32 } else { yield v5 }
           v33 = if v30 { v34 = index v5, v2 yield v34 } else { yield x }
           return v31, v23, v33
         }";
    let m = parse(text);
    for units in [500, 10, 3] {
        let f = compile(&m, FuncId(0), units);
        for n in [0, 1, 4, 20] {
            let args = [adc_ir::Const::I64(n).into(), adc_ir::Const::F64(0.3).into()];
            let expected = interpret(&m, FuncId(0), &args);
            assert!(expected.is_ok(), "{expected:?}");
            assert!(same(&expected, &f.call_data(&mut Workspace::new(), &args)), "{n}, units of {units}");
        }
    }
}

/// A branch that yields an array twice: once into memory of the result's own, as the other branch's lies in memory of that branch
/// alone. That memory is used for something else while the second result is needed.
#[test]
fn branches_that_yield_an_array_twice() {
    for (results, yields) in [("v4, v5", "v7, x"), ("v5, v4", "x, v7")] {
        let text = format!(
            "fn f(n: i64, x: f64[3], c: bool) -> (f64, f64, f64) {{
               v0 = i64 0 v1 = f64 2.0 v2 = f64 3.0
               {results} = if c {{
                 v6: f64[n, 3] = fill x v7 = index v6, v0
                 yield {yields}
               }} else {{
                 v8 = sin v1 v9 = pack v8, v8, v8
                 yield v9, v9
               }}
               v10 = index v4, v0
               v11 = pack v2, v2, v2 v12 = index v11, v0
               v13 = index v5, v0
               return v10, v12, v13
             }}"
        );
        let m = parse(&text);
        for units in [500, 3] {
            let f = compile(&m, FuncId(0), units);
            for c in [false, true] {
                let args = [adc_ir::Const::I64(4).into(), vector(&[1.0; 3]), adc_ir::Const::Bool(c).into()];
                let expected = interpret(&m, FuncId(0), &args);
                assert!(expected.is_ok(), "{expected:?}");
                let got = f.call_data(&mut Workspace::new(), &args);
                assert!(same(&expected, &got), "{c}, units of {units}: {expected:?} {got:?}\n{text}");
            }
        }
    }
}

/// What loops and calls take from the heap goes back within the call, and the workspace keeps what a call needs.
#[test]
fn heap_memory_goes_back() {
    let m = parse(
        "fn g(n: i64, x: f64) -> (f64[n], f64) {
           v0 = i64 0
           v1: f64[n] = fill x
           v2 = i64 1
           v3: f64[n] = fill x
           v4 = add_at v3, x, v0
           v5 = index v4, v0
           return v1, v5
         }
         fn f(n: i64, x: f64) -> f64 {
           v0 = i64 0 v1 = i64 1 v2 = i64 2000
           v3 = for v0, v2, v1, x (v4, v5) {
             v6, v7 = call g(n, v5)
             v8 = lt v5, v7
             v9 = if v8 {
               v10: f64[n] = build (v11) { v12 = index v6, v11 v13 = mul v12, x yield v13 }
               yield v10
             } else {
               yield v6
             }
             v14 = update v9, x, v0
             v15 = index v14, v1
             yield v15
           }
           return v3
         }",
    );
    let f = compile(&m, FuncId(1), 500);
    let args = [adc_ir::Const::I64(100).into(), adc_ir::Const::F64(0.999).into()];
    let mut workspace = Workspace::new();
    let first = f.call_data(&mut workspace, &args);
    assert!(same(&interpret(&m, FuncId(1), &args), &first));
    let held = workspace.bytes();
    assert!(held < 20_000, "{held} bytes");
    f.call_data(&mut workspace, &args).unwrap();
    assert_eq!(workspace.bytes(), held);
}

/// Memory that ends right before a page that nobody may touch.
#[cfg(unix)]
struct Guarded {
    base: *mut libc::c_void,
    bytes: usize,
}

#[cfg(unix)]
impl Guarded {
    const PAGE: usize = 4096;

    fn new() -> Guarded {
        let bytes = 5 * Guarded::PAGE;
        let (rw, anonymous) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, of which the last page is closed.
        let base = unsafe {
            let base = libc::mmap(std::ptr::null_mut(), bytes, rw, anonymous, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            assert_eq!(
                libc::mprotect(base.byte_add(bytes - Guarded::PAGE), Guarded::PAGE, libc::PROT_NONE),
                0
            );
            base
        };
        Guarded { base, bytes }
    }

    /// The last numbers before the closed page.
    fn end(&mut self, len: usize) -> &mut [f64] {
        let room = self.bytes - Guarded::PAGE;
        assert!(8 * len <= room);
        // SAFETY: inside the mapping, which lives as long as the slice and is borrowed by it alone.
        unsafe { std::slice::from_raw_parts_mut(self.base.byte_add(room - 8 * len).cast(), len) }
    }
}

#[cfg(unix)]
impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`.
        unsafe { libc::munmap(self.base, self.bytes) };
    }
}

/// Nothing beyond the ends of the host's arrays is touched.
#[cfg(unix)]
#[test]
fn ends_of_arrays() {
    let kernels = [
        "v1: f64[N] = build (v2) { v3 = index x, v2 v4 = mul v3, v3 yield v4 } return v1",
        "v1 = i64 0 v2 = i64 1 v3 = i64 N
         v4 = reduce sum v1, v3, v2 (v5) { v6 = index x, v5 yield v6 }
         v7: f64[N] = fill v4 return v7",
        "v1 = i64 0 v2 = f64 1.5 v3 = update x, v2, v1 return v3",
        "v1: f64[N, 1] = reshape x v2: f64[1, N] = reshape x v3 = matmul v1, v2 v4 = matmul v3, x return v4",
        "v1: f64[N, 1] = reshape x v2 = transpose v1 v3: f64[N] = reshape v2 return v3",
        // Both products of a large matrix in one pass.
        "v1: f64[N, N] = build (v2, v3) { v4 = index x, v2 v5 = square v4 v6 = index x, v3 v7 = mul v5, v6 yield v7 }
         v8 = matmul v1, x v9 = matmul x, v1
         v10: f64[N] = build (v11) { v12 = index v8, v11 v13 = index v9, v11 v14 = sub v12, v13 yield v14 } return v10",
    ];
    let (mut a, mut b) = (Guarded::new(), Guarded::new());
    for (k, body) in kernels.iter().enumerate() {
        for n in [1usize, 2, 3, 7, 8, 9, 16, 17, 40, 100] {
            let text = format!("fn f(x: f64[N]) -> f64[N] {{ {body} }}").replace('N', &n.to_string());
            let m = parse(&text);
            let f = compile(&m, FuncId(0), 500);
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 2.5).collect();
            a.end(n).copy_from_slice(&x);
            let out = b.end(n);
            let (from, to) = (adc_jit::Arg::Array((&*a.end(n)).into()), adc_jit::Out::Array(out.into()));
            f.call_into(&mut Workspace::new(), [from], [to]).unwrap();
            let expected = interpret(&m, FuncId(0), &[vector(&x)]).unwrap();
            let got = vector(b.end(n));
            assert!(expected[0].same(&got), "kernel {k}, size {n}: {expected:?} and {got:?}");
        }
    }
}

/// Loops of which a strip does a part: `body` for `v3` from 0 to the number that `sizes` says, with the arrays x, y (of 200 numbers) and A
/// (200 by 3). The first result says how many strips there were.
fn parts(text: &str, sizes: &[i64]) -> usize {
    let m = parse(text);
    let f = FuncId(0);
    let mut rng = Rng::new(5);
    let mut list = |n: usize| (0..n).map(|_| rng.real(-2.0, 2.0)).collect::<Vec<f64>>();
    let (x, mut y, matrix) = (list(200), list(200), list(600));
    // Where branches that are seldom taken are.
    for k in [37, 38, 90, 119, 199] {
        y[k] = f64::INFINITY;
    }
    let array = |shape: Vec<usize>, x: &[f64]| Datum::Array(adc_ir::datum::Array::new(shape, x.to_vec()));
    let of = |how| compile_with(&m, f, how);
    let widest = Options::default().simd;
    let all = Simd::all_there().into_iter().flat_map(|simd| [(Some(0), simd), (Some(8), simd)]);
    let ways: Vec<_> = [(None, widest)].into_iter().chain(all).collect();
    let of = |(strips, simd): &_| of((500, *strips, Effort::Full, *simd));
    let compiled: Vec<Compiled> = ways.iter().map(of).collect();
    for n in sizes {
        let n = Datum::from(adc_ir::Const::I64(*n));
        let args = [n, array(vec![200], &x), array(vec![200], &y), array(vec![200, 3], &matrix)];
        let expected = interpret(&m, f, &args);
        for (way, compiled) in ways.iter().zip(&compiled) {
            let got = compiled.call_data(&mut Workspace::new(), &args);
            assert!(same(&expected, &got), "{way:?}, {args:?}\n{expected:?}\n{got:?}\n{text}");
        }
    }
    compiled[1].stats().native_functions - compiled[0].stats().native_functions
}

/// What is left of rows behind whole vectors: what is there is read, what is behind it is not written, in whole vectors and in halves.
#[test]
fn rows_that_do_not_fill_vectors() {
    let number = |k: usize| ((7 * k) % 23) as f64 / 3.0 - 3.5;
    for n in [17usize, 20, 25, 28, 31, 32] {
        let text = format!(
            "fn f(x: f64[2, 32], y: f64[{n}], s: f64[3, 32]) -> (f64[3, 32], f64[{n}]) {{
               v0 = i64 0 v1 = i64 1 v2 = i64 2 v3 = i64 {n}
               v20, v21 = for v0, v3, v1, s collects 1 (v4, v5) {{
                 v6 = index x, v0, v4
                 v7 = index x, v1, v4
                 v8 = index y, v4
                 v9 = mul v6, v8
                 v10 = fma v7, v7, v9
                 v11 = add_at v5, v10, v1, v4
                 v12 = add_at v11, v9, v2, v4
                 v13 = sub v9, v7
                 yield v12, v13
               }}
               return v20, v21
             }}"
        );
        let m = parse(&text);
        let array = |shape: &[usize]| {
            let numbers = (0..shape.iter().product()).map(number).collect::<Vec<f64>>();
            Datum::Array(adc_ir::datum::Array::new(shape.to_vec(), numbers))
        };
        let args = [array(&[2, 32]), array(&[n]), array(&[3, 32])];
        let expected = interpret(&m, FuncId(0), &args);
        let widest = Options::default().simd;
        let plain = compile_with(&m, FuncId(0), (500, None, Effort::Full, widest)).stats().native_functions;
        for simd in Simd::all_there() {
            for halves in [false, true] {
                let mut options = Options::default();
                (options.simd, options.halves) = (simd, halves);
                let compiled =
                    adc_jit::compile(&m, &[FuncId(0)], &Externs::new(), &options).expect("it compiles");
                assert!(compiled[0].stats().native_functions > plain, "{n}: in lanes");
                let got = compiled[0].call_data(&mut Workspace::new(), &args);
                assert!(same(&expected, &got), "{n}, {simd:?}, {halves}:\n{expected:?}\n{got:?}");
            }
        }
    }
}

/// Indices that wrap around, or stay at the ends, in lanes but for a few iterations.
#[test]
fn indices_that_wrap_around() {
    for index in [
        "v8 = add v3, v1 v9 = mod v8, v99",
        "v8 = sub v3, v2 v9 = mod v8, v99",
        "v8 = add v3, v97 v9 = mod v8, v99",
        "v8 = mul v3, v2 v9 = mod v8, v99",
        "v8 = add v3, v1 v9 = min v8, v96",
        "v8 = sub v3, v2 v9 = max v8, v0",
        "v7 = add v3, v1 v8 = lt v7, v99 v9 = select v8, v7, v0",
        "v7 = sub v3, v1 v8 = ge v7, v0 v9 = if v8 { yield v7 } else { yield v96 }",
    ] {
        let text = format!(
            "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64, f64[v98]) {{
               v0 = i64 0 v1 = i64 1 v2 = i64 5 v96 = i64 199 v97 = i64 130 v99 = i64 200 v98 = min n, v99
               v20, v21 = for v0, v98, v1 sums 1 collects 1 (v3) {{
                 {index}
                 v10 = index x, v9
                 v11 = index A, v9, v1
                 v12 = mul v10, v11
                 yield v12, v10
               }}
               return v98, v20, v21
             }}"
        );
        // Behind an unknown end nobody knows which iterations most are.
        let text = text
            .replace("v20, v21 = for v0, v98, v1", "v20, v21 = for v0, v99, v1")
            .replace("f64[v98]", "f64[200]");
        assert_eq!(parts(&text, &SIZES), 1, "{text}");
    }
}

/// What comes to one element from several iterations comes in their order.
#[test]
fn additions_to_neighbours() {
    // And how many passes that takes.
    for (body, passes) in [
        ("v10 = add_at v4, v5, v3 v11 = add_at v10, v6, v8 v12 = add_at v11, v7, v9", 3),
        ("v10 = add_at v4, v5, v9 v11 = add_at v10, v6, v3 v12 = add_at v11, v5, v9", 2),
        // Where a condition holds.
        (
            "v14 = lt v5, v6 v10 = add_at v4, v7, v3
          v12 = if v14 { v11 = add_at v10, v6, v8 yield v11 } else { yield v10 }",
            2,
        ),
        // The neighbour in the row before, and in this one.
        ("v14 = sub v51, v1 v15 = add v51, v1 v10 = add_at v4, v5, v3 v12 = add_at v10, v6, v8", 2),
        // Elements that are read, or replaced, are not only added to.
        ("v10 = add_at v4, v5, v3 v11 = index v10, v8 v15 = mul v11, v6 v12 = add_at v10, v15, v9", 0),
        ("v10 = add_at v4, v5, v3 v12 = update v10, v6, v8", 0),
        (
            "v10 = add_at v4, v5, v3 v11 = add_at v10, v6, v8 v15 = index v11, v3 v16 = add v15, v7 v12 = update v11, v16, v3",
            0,
        ),
        // They do not go the same way.
        ("v14 = sub v96, v3 v10 = add_at v4, v5, v3 v12 = add_at v10, v6, v14", 0),
    ] {
        let text = format!(
            "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64[200], f64[v98]) {{
               v0 = i64 0 v1 = i64 1 v2 = i64 2 v96 = i64 150 v99 = i64 198 v98 = min n, v99 v51 = i64 7
               v20, v21 = for v0, v98, v1, x collects 1 (v3, v4) {{
                 v5 = index y, v3
                 v6 = index A, v3, v1
                 v7 = mul v5, v6
                 v8 = add v3, v1
                 v9 = add v3, v2
                 {body}
                 yield v12, v7
               }}
               return v98, v20, v21
             }}"
        );
        assert_eq!(parts(&text, &SIZES), passes, "{text}");
    }
}

/// What is the same in a row is assumed where most rows have it; other rows have no lanes.
#[test]
fn rows_of_which_most_are_alike() {
    for body in [
        // In the middle of a grid.
        "v5 = gt v3, v0
         v12 = if v5 { v6 = sub v3, v1 v7 = index A, v6, v1 v8 = index x, v4 v9 = mul v7, v8 yield v9 } else { yield v50 }",
        // An index that may be outside says nothing about that of another row.
        "v5 = ne v3, v96
         v12 = if v5 { v6 = add v3, v1 v7 = index y, v6 v8 = index x, v4 v9 = sub v7, v8 yield v9 } else { yield v50 }",
        "v5 = eq v3, v2
         v12 = if v5 { yield v50 } else { v7 = index y, v4 v8 = index x, v4 v9 = sub v7, v8 yield v9 }",
        "v5 = add v3, v2 v6 = mod v5, v99 v7 = index y, v6 v8 = index x, v4 v12 = mul v7, v8",
    ] {
        let text = format!(
            "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64[v98, 200]) {{
               v0 = i64 0 v1 = i64 1 v2 = i64 5 v96 = i64 199 v99 = i64 200 v98 = min n, v99 v50 = f64 0.5
               v20: f64[v98, 200] = build (v3, v4) {{
                 {body}
                 yield v12
               }}
               return v98, v20
             }}"
        );
        assert_eq!(parts(&text, &[0, 1, 2, 6, 200]), 1, "{text}");
    }
}

const SIZES: [i64; 12] = [0, 1, 2, 7, 16, 17, 36, 40, 64, 100, 121, 200];

/// A strip between iterations for which conditions on the index say otherwise.
#[test]
fn conditions_on_the_index() {
    // It holds in few iterations, or in most.
    for (cond, value) in [
        ("eq v3, v0", "index x, v0"),
        ("lt v3, v1", "index x, v3"),
        ("ge v3, v2", "index x, v0"),
        ("ne v3, v2", "index x, v3"),
    ] {
        let text = format!(
            "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64, f64[v98], f64[200]) {{
               v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = i64 5
               v20, v21, v22 = for v0, v98, v1, x sums 1 collects 1 (v3, v4) {{
                 v5 = {cond}
                 v12 = if v5 {{
                   v6 = {value}
                   yield v6
                 }} else {{
                   v7 = sub v3, v1
                   v60 = max v7, v0
                   v8 = idiv v60, v1
                   v9 = index y, v8
                   v10 = index A, v3, v1
                   v11 = mul v9, v10
                   yield v11
                 }}
                 v13 = add_at v4, v12, v3
                 yield v13, v12, v12
               }}
               return v98, v21, v22, v20
             }}"
        );
        // Scalar code computes quotients of integers ahead of the strip.
        assert_eq!(parts(&text, &SIZES), 1, "{text}");
        let text = text.replace("v8 = idiv v60, v1", "v8 = add v7, v1");
        assert_eq!(parts(&text, &SIZES), 1, "{text}");
    }
    // An index that is inside where the condition says so.
    let text = "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> f64[200] {
           v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = i64 200 v14 = f64 0.5
           v13: f64[200] = build (v3) {
             v5 = sub v3, v1
             v6 = ge v5, v0
             v7 = add v3, v1
             v8 = lt v7, v2
             v9 = and v6, v8
             v12 = if v9 {
               v10 = index x, v5
               v11 = index x, v7
               v15 = sub v10, v11
               yield v15
             } else {
               yield v14
             }
             yield v12
           }
           return v13
         }";
    assert_eq!(parts(text, &[0]), 1);
}

/// A strip that leaves pairs of iterations to scalar code: those that take a branch with an array, or fail.
#[test]
fn exits() {
    let text =
        "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64, f64, f64[v98], f64[200]) {
           v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = f64 0.0
           v20, v21, v22, v23 = for v0, v98, v1, x sums 2 collects 1 (v3, v4) {
             v5 = index y, v3
             v6 = isinf v5
             v7 = index A, v3, v0
             v17 = if v6 {
               v8: f64[v98] = fill v7
               v9 = reduce sum v0, v98, v1 (v10) {
                 v11 = index v8, v10
                 yield v11
               }
               yield v9
             } else {
               v12 = exp v5
               v13 = mul v12, v7
               yield v13
             }
             v14 = sin v17
             v15 = lt v14, v2
             v16 = if v15 {
               v18 = add_at v4, v14, v3
               yield v18
             } else {
               yield v4
             }
             yield v16, v14, v17, v7
           }
           return v98, v21, v22, v23, v20
         }";
    assert!(parts(text, &SIZES) >= 1);
    // A branch for what is hardly ever so, longer than its lanes are worth; beside one for what is usual.
    let long = "v30 = exp v7 v31 = sin v30 v32 = mul v31, v7 v33 = tanh v32 v34 = add v33, v30 v35 = atan v34
                v36 = mul v35, v31 v8 = add v36, v32";
    for (cond, rare) in [("isinf v5", 0), ("not v26", 1), ("and v25, v26", 0)] {
        let rarely = format!("{long} yield v8, v36");
        let mut sides = [rarely.as_str(), "v9 = cos v7 v10 = mul v9, v7 yield v9, v10"];
        sides.rotate_left(rare);
        let [yes, no] = sides;
        let text = format!(
            "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64, f64[v98], f64[200]) {{
               v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = f64 0.0
               v20, v21, v22 = for v0, v98, v1, x sums 1 collects 1 (v3, v4) {{
                 v5 = index y, v3
                 v25 = lt v5, v2
                 v26 = isinf v5
                 v6 = {cond}
                 v7 = index A, v3, v0
                 v16, v17 = if v6 {{ {yes} }} else {{ {no} }}
                 v18 = add_at v4, v17, v3
                 yield v18, v16, v17
               }}
               return v98, v21, v22, v20
             }}"
        );
        assert_eq!(parts(&text, &SIZES), 1, "{text}");
    }
    let failing = "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (i64, f64, f64[v98]) {
           v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99
           v20, v21 = for v0, v98, v1 sums 1 collects 1 (v3) {
             v5 = index y, v3
             v6 = isinf v5
             v7 = not v6
             assert v7, \"finite\"
             v8 = cos v5
             yield v8, v5
           }
           return v98, v20, v21
         }";
    assert_eq!(parts(failing, &SIZES), 1);
}

/// Rows of numbers, and elements at a distance that are written.
#[test]
fn rows_and_columns() {
    let text = "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> (f64[200, 2, 2], f64[200, 3]) {
           v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = i64 2
           v20: f64[200, 2, 2] = build (v3) {
             v4 = index x, v3
             v5 = index A, v3, v2
             v6 = mul v4, v5
             v7 = pack v4, v6
             v8 = pack v5, v4
             v9 = index v7, v1
             v10 = pack v8, v7
             yield v10
           }
           v21 = for v0, v98, v1, A (v11, v12) {
             v13 = index x, v11
             v14 = add_at v12, v13, v11, v2
             v15 = update v14, v13, v11, v0
             v16 = add_at v15, v13, v11, v2
             yield v16
           }
           return v20, v21
         }";
    assert_eq!(parts(text, &SIZES), 2);
    // Neighbours overlap: a strip if they are only added to.
    let overlap = "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> f64[200] {
           v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = i64 199
           v21 = for v0, v2, v1, x (v11, v12) {
             v13 = index y, v11
             v14 = add_at v12, v13, v11
             v15 = add v11, v1
             v16 = add_at v14, v13, v15
             yield v16
           }
           return v21
         }";
    assert_eq!(parts(overlap, &[0]), 2);
    assert_eq!(parts(&overlap.replace("v16 = add_at", "v16 = update"), &[0]), 0);
    // Other rows do not.
    let rows = "fn f(n: i64, x: f64[200], y: f64[200], A: f64[200, 3]) -> f64[2, 200] {
           v0 = i64 0 v1 = i64 1 v99 = i64 200 v98 = min n, v99 v2 = i64 200 v3 = f64 1.5
           v4: f64[2, 200] = fill v3
           v21 = for v0, v2, v1, v4 (v11, v12) {
             v13 = index y, v11
             v14 = add_at v12, v13, v0, v11
             v15 = index x, v11
             v16 = add_at v14, v15, v1, v11
             yield v16
           }
           return v21
         }";
    assert_eq!(parts(rows, &[0]), 1);
}
