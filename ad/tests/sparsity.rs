//! Sparsity patterns: of generated programs they contain every entry of the dense Jacobian that is not zero, and of known ones they
//! are what they have to be.

use adc_ad::{Pattern, expand_for, jvp, sparsity, vjp};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, StdMath, array_inputs, module};
use adc_ir::text::parse_module;
use adc_ir::{Datum, FuncId, Module, Scalar, Type};
use num_complex::Complex;

/// The numbers of a tangent that is 1 (or i) in one element.
fn basis(like: &Val<f64>, at: Option<usize>, imaginary: bool) -> Val<f64> {
    let one = |v: &Val<f64>, here: bool| {
        let x = if here { 1.0 } else { 0.0 };
        match v {
            Val::Real(_) => Val::Real(x),
            Val::Complex(_) if imaginary => Val::Complex(Complex::new(0.0, x)),
            Val::Complex(_) => Val::Complex(Complex::new(x, 0.0)),
            other => panic!("{other:?} has no tangent"),
        }
    };
    match like {
        Val::Array(a) => {
            let elements = a.data().iter().enumerate().map(|(k, v)| one(v, at == Some(k)));
            Val::array(a.shape(), elements.collect())
        }
        scalar => one(scalar, at == Some(0)),
    }
}

fn elements(v: &Val<f64>) -> Vec<Val<f64>> {
    match v {
        Val::Array(a) => a.data().to_vec(),
        scalar => vec![scalar.clone()],
    }
}

/// Compares the pattern with every entry of the Jacobian; the number of entries that are not zero, or `None` if a run fails.
fn contains_all(
    seed: u64,
    m: &mut Module,
    f: FuncId,
    args: &[Val<f64>],
    types: &[Type],
) -> Option<(usize, Pattern)> {
    let (wrt, results) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
    if wrt.is_empty() || results.is_empty() {
        return None;
    }
    let inputs: Vec<Datum> = args.iter().zip(types).map(|(v, ty)| Datum::from_val(v, ty.scalar())).collect();
    let pattern = sparsity(m, f, &wrt, &results, &inputs).ok()?;
    let forward = jvp(m, f, &wrt).ok()?;
    let outputs = m.func(f).results.len();
    let (mut column, mut found) = (0, 0);
    for (k, &i) in wrt.iter().enumerate() {
        for element in 0..elements(&args[i]).len() {
            for imaginary in [false, true] {
                let tangents = wrt.iter().enumerate().map(|(l, &j)| {
                    basis(&args[j], (l == k).then_some(element), imaginary && types[i].scalar().is_complex())
                });
                let all: Vec<Val<f64>> = args.iter().cloned().chain(tangents).collect();
                let out = Interp::new(m, &StdMath, &NoExterns).call(forward, &all).ok()?;
                let rows: Vec<Val<f64>> = out[outputs..].iter().flat_map(elements).collect();
                assert_eq!(rows.len(), pattern.rows(), "seed {seed}");
                for (row, x) in rows.iter().enumerate() {
                    // Where a factor is NaN or infinite, a tangent of 0 is not 0 any more.
                    let there = |x: f64| x != 0.0 && x.is_finite();
                    let entry = match x {
                        Val::Real(x) => there(*x),
                        Val::Complex(z) => (there(z.re) || there(z.im)) && z.is_finite(),
                        other => panic!("{other:?} is no tangent"),
                    };
                    if entry {
                        found += 1;
                        let there = pattern.row(row).contains(&(column as u32));
                        assert!(
                            there,
                            "seed {seed}: entry {row}, {column} = {x:?} is not in the pattern\n{m}"
                        );
                    }
                }
            }
            column += 1;
        }
    }
    assert_eq!(column, pattern.columns);
    Some((found, pattern))
}

#[test]
fn patterns_of_generated_programs_contain_every_entry() {
    let (mut compared, mut second, mut sparse) = (0, 0, 0);
    for seed in 0..500 {
        let mut m = module(seed, &Knobs { steps: 14, funcs: 2, ..Knobs::arrays() });
        let f = FuncId(m.funcs.len() as u32 - 1);
        let (dims, args) = array_inputs(&mut Rng::new(seed), m.func(f), false);
        let Ok(f) = specialise(&mut m, f, &dims) else { continue };
        if expand_for(&mut m, f).is_err() {
            continue;
        }
        let types: Vec<Type> = (0..args.len()).map(|i| m.func(f).param_ty(i)).collect();
        let Some((found, pattern)) = contains_all(seed, &mut m, f, &args, &types) else { continue };
        compared += found;
        sparse += usize::from(pattern.entries.len() < pattern.rows() * pattern.columns);
        // Derivative programs have patterns, too: those of second derivatives.
        let (wrt, results) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
        let Ok(pull) = vjp(&mut m, f, &wrt, &results, false) else { continue };
        let mut rng = Rng::new(seed);
        let Ok(values) = Interp::new(&m, &StdMath, &NoExterns).call(f, &args) else { continue };
        let cotangents = results.iter().map(|r| {
            let mut datum = Datum::from_val(&values[*r], m.func(f).results[*r].ty.scalar());
            (0..datum.len())
                .for_each(|k| datum.set(k, adc_ir::Const::real(rng.real(-1.0, 1.0), datum.elem())));
            datum.to_val()
        });
        let all: Vec<Val<f64>> = args.iter().cloned().chain(cotangents.collect::<Vec<_>>()).collect();
        let types: Vec<Type> = (0..all.len()).map(|i| m.func(pull).param_ty(i)).collect();
        second += contains_all(seed, &mut m, pull, &all, &types).map_or(0, |(found, _)| found);
    }
    assert!(compared > 3000 && second > 3000 && sparse > 50, "{compared}, {second}, {sparse}");
}

fn pattern(text: &str, inputs: &[Datum]) -> String {
    let m = parse_module(text).expect("it is IR");
    let f = FuncId(m.funcs.len() as u32 - 1);
    let (wrt, results) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
    match sparsity(&m, f, &wrt, &results, inputs) {
        Ok(p) => (0..p.rows()).map(|i| format!("{:?}", p.row(i))).collect::<Vec<_>>().join(" "),
        Err(d) => d.code.to_string(),
    }
}

fn zeros(n: usize) -> Datum {
    Datum::zeros(Scalar::F64, &[n])
}

/// Of these all is known but the numbers.
#[test]
fn known_patterns() {
    let shift = "fn f(x: f64[4], k: i64) -> f64[4] {
  v0: f64[4] = build (v1) {
    v2 = i64 4
    v3 = add v1, k
    v4 = mod v3, v2
    v5 = index x, v4
    yield v5
  }
  return v0
}";
    let at = |k: i64| pattern(shift, &[zeros(4), Datum::Scalar(k.into())]);
    assert_eq!((at(0).as_str(), at(1).as_str()), ("[0] [1] [2] [3]", "[1] [2] [3] [0]"));
    // An index that depends on numbers may be any.
    let gather = "fn f(x: f64[3], t: f64) -> f64 {
  v0 = to_i64 t
  v1 = index x, v0
  return v1
}";
    assert_eq!(pattern(gather, &[zeros(3), Datum::Scalar(0.0.into())]), "[0, 1, 2]");
    // Of a loop that ends at an unknown time, what could flow anywhere does.
    let newton = "fn f(x: f64[3], y: f64[3]) -> f64[3] {
  v0: f64[3] = build (v1) {
    v2 = index x, v1
    v3 = while v2 (v4) {
      v5 = index y, v1
      v6 = lt v4, v5
      yield v6
    } do (v7) {
      v8 = index y, v1
      v9 = add v7, v8
      yield v9
    }
    yield v3
  }
  return v0
}";
    assert_eq!(pattern(newton, &[zeros(3), zeros(3)]), "[0, 3] [1, 4] [2, 5]");
}
