//! The traced operation is really the first one: its operands are finite and give the recorded result, and nothing before
//! it that the value depends on is not finite.

use super::*;
use adc_ir::testing::{Knobs, Rng, array_inputs, module};
use adc_jit::Externs;

/// Runs a function of scalars and arrays, and passes each element of its results to `see`.
fn each(m: &Module, f: FuncId, inputs: &[Val<f64>], see: &mut impl FnMut(&number::Log, Traced)) -> bool {
    let watcher = Watcher { ops: None, seen: RefCell::default(), first: false };
    let externs = Externs::new();
    let params = inputs.iter().zip(&m.func(f).params);
    let inputs: Vec<Datum> =
        params.map(|(v, p)| Datum::from_val(v, m.func(f).ty(p.value).scalar())).collect();
    let Ok(out) = run((m, &externs, Limits::default()), f, &inputs, &watcher) else { return false };
    let mut all = Vec::new();
    out.iter().for_each(|v| v.each(&mut |x| all.push(*x)));
    log(|l| all.into_iter().for_each(|x| see(l, x)));
    true
}

#[test]
fn what_is_traced_is_the_first() {
    let (mut runs, mut found) = (0, 0);
    for seed in 0..1000 {
        let m = module(seed, &Knobs::arrays());
        let f = FuncId(m.funcs.len() as u32 - 1);
        let mut rng = Rng::new(seed);
        let (dims, _) = array_inputs(&mut rng, m.func(f), false);
        let mut m = m;
        let Ok(f) = adc_ir::specialise::specialise(&mut m, f, &dims) else { continue };
        let inputs = array_inputs(&mut rng, m.func(f), true).1;
        runs += each(&m, f, &inputs, &mut |l, x| {
            if x.x.is_finite() {
                return;
            }
            let root = root(l, x, false, &FxHashSet::default()).expect("what is not finite has an root");
            let born = &root.born;
            let given = matches!(born.how, How::Literal | How::Input);
            assert!(given || born.operands.iter().all(|x| x.is_finite()), "seed {seed}: {born:?}");
            assert!(!born.result.is_finite(), "seed {seed}: {born:?}");
            if let Some(met) = &root.met {
                assert!(met.result.is_nan() && met.operands.iter().all(|x| !x.is_nan()), "{met:?}");
                assert!(met.operands.iter().any(|x| x.is_infinite()), "{met:?}");
            }
            found += 1;
        }) as usize;
    }
    assert!(runs > 500 && found > 100, "{runs} runs, {found} values");
}
