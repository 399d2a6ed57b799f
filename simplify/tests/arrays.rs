//! A simplified program with arrays and loops gives the bits of the original; so does one that was specialised first.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, StdMath, array_inputs, module};
use adc_ir::verify::assert_valid;
use adc_ir::{FuncId, Module, RuntimeError};
use adc_simplify::{OptLevel, canonicalise, inline, prepare, run};

const SEEDS: std::ops::Range<u64> = 0..200;

type Pass = (&'static str, fn(&mut Module));

const PASSES: [Pass; 4] = [
    ("canonicalise", canonicalise),
    ("inline", |m| inline(m, 40)),
    ("prepare", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        prepare(m, &roots)
    }),
    ("run", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        run(m, &roots, OptLevel::O2)
    }),
];

/// The results as text, every NaN alike.
fn call(m: &Module, f: FuncId, dims: &[i64], args: &[Val<f64>]) -> Result<String, RuntimeError> {
    let out = Interp::new(m, &StdMath, &NoExterns).call_with_dims(f, dims, args)?;
    Ok(out.iter().map(text).collect::<Vec<_>>().join("; "))
}

fn text(v: &Val<f64>) -> String {
    match v {
        Val::Array(a) => format!("{:?} {:?}", a.shape(), a.data()),
        Val::Bool(_) | Val::I64(_) | Val::Real(_) | Val::Complex(_) => format!("{v:?}"),
    }
}

fn agree(knobs: &Knobs) {
    for seed in SEEDS {
        let m = module(seed, knobs);
        let f = FuncId(m.funcs.len() as u32 - 1);
        let mut rng = Rng::new(seed);
        for special in [false, true] {
            let (dims, args) = array_inputs(&mut rng, m.func(f), special);
            let before = call(&m, f, &dims, &args);
            let mut instance = m.clone();
            let of_numbers = specialise(&mut instance, f, &dims).expect("small dimensions");
            for (name, pass) in PASSES {
                for (from, entry, dims) in [(&m, f, dims.as_slice()), (&instance, of_numbers, &[])] {
                    let mut simple = from.clone();
                    pass(&mut simple);
                    assert_valid(&simple, name);
                    let after = call(&simple, entry, dims, &args);
                    match (&before, &after) {
                        // A failing operation whose value is not needed may go unreported.
                        (Err(_), _) => {}
                        (a, b) => assert_eq!(a, b, "{name}, seed {seed}\n{from}\nbecame\n{simple}"),
                    }
                }
            }
        }
    }
}

#[test]
fn results_keep_their_bits() {
    agree(&Knobs::arrays());
}

#[test]
fn no_new_errors() {
    agree(&Knobs { traps: true, ..Knobs::arrays() });
}
