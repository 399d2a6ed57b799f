//! A simplified strict program with arrays and loops gives the bits of the original; so does one that was specialised first.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, Rng, StdMath, array_inputs, module};
use adc_ir::verify::assert_valid;
use adc_ir::{Builder, Dim, FpMode, FuncId, Kind, Module, Region, RuntimeError, Span, Value, kinds};
use adc_simplify::{OptLevel, canonicalise, inline, prepare, run};

const SEEDS: std::ops::Range<u64> = 0..200;

type Pass = (&'static str, fn(&mut Module));

const PASSES: [Pass; 4] = [
    ("canonicalise", canonicalise),
    ("inline", |m| inline(m, 40)),
    ("prepare", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        m.limit_fp(FpMode::Strict);
        prepare(m, &roots)
    }),
    ("run", |m| {
        let roots: Vec<FuncId> = m.iter().map(|(f, _)| f).collect();
        m.limit_fp(FpMode::Strict);
        run(m, &roots, OptLevel::O3)
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

/// A function called twice with the same arguments, and inlined, is computed once: whatever its loops define has other names in
/// the copies, and is found to be the same.
#[test]
fn twice_is_once() {
    // Written to in place where they stay apart, so of these there are two.
    fn apart(r: &Region) -> bool {
        let kept = |k: &Kind| matches!(k, Kind::Fill | kinds!(Write));
        r.insts.iter().any(|i| kept(&i.kind) || matches!(i.kind, Kind::If) || i.regions.iter().any(apart))
    }
    let (mut looked_at, mut same) = (0, 0);
    for seed in 0..1000 {
        let mut m = module(seed, &Knobs { funcs: 1, ..Knobs::arrays() });
        let f = FuncId(m.funcs.len() as u32 - 1);
        canonicalise(&mut m);
        let once = m.func(f).clone();
        if once.region().is_none_or(apart) {
            continue;
        }
        let mut b = Builder::new("twice", Span::NONE);
        let dims: Vec<Value> = once.dims.iter().map(|d| b.dim(d.name.clone())).collect();
        let params = once.params.iter().map(|p| {
            let data = once.data(p.value).clone();
            let outer = |v: Value| dims.get(once.entry_position(v)?).copied();
            let place = |d: &Dim| d.substitute(|v| Dim::var(outer(v).expect("sizes are of dimensions")));
            let shape = data.shape.iter().map(|d| place(d).expect("small")).collect();
            let mut of = data;
            of.shape = shape;
            b.param(p.name.clone(), of)
        });
        let params: Vec<Value> = params.collect();
        let args = [dims.as_slice(), &params].concat();
        let results: Vec<Value> = (0..2).flat_map(|_| b.call_of(&m, f, &args).to_vec()).collect();
        let names = results.into_iter().enumerate().map(|(i, v)| (format!("y{i}"), v)).collect();
        let twice = m.add(b.finish(names));
        m.funcs[f.0 as usize].inline = true;
        inline(&mut m, 1000);
        if m.func(twice).region().expect("a body").insts.iter().any(|i| matches!(i.kind, Kind::Call(_))) {
            continue;
        }
        canonicalise(&mut m);
        assert_valid(&m, "twice");
        looked_at += 1;
        same += (m.func(twice).inst_count() == once.inst_count()) as usize;
    }
    println!("{same} of {looked_at}");
    // What the first copy computes in a loop and then once more outside, the second finds outside.
    assert!(looked_at > 200 && same * 10 > looked_at * 9, "{same} of {looked_at}");
}
