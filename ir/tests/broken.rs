//! What is broken is refused, never a panic: mutated text, mutated programs, deep nesting.

use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Knobs, Rng, StdMath, inputs, module};
use adc_ir::text::{parse_module, print_module};
use adc_ir::verify::{MAX_DEPTH, verify};
use adc_ir::*;

#[test]
fn mutated_text_is_read_or_refused() {
    const SCRAPS: [&str; 16] = [
        "v0",
        "x",
        ",",
        "(",
        ")",
        "{",
        "}",
        "=",
        "if",
        "nan(",
        "\"",
        "@0:1..",
        "f64",
        "-",
        "é",
        "99999999999999999999",
    ];
    let knobs = Knobs { steps: 5, ..Knobs::default() };
    for seed in 0..200 {
        let text = print_module(&module(seed, &knobs));
        let mut rng = Rng::new(seed);
        for _ in 0..20 {
            let mut at = || {
                let mut i = rng.below(text.len());
                while !text.is_char_boundary(i) {
                    i -= 1;
                }
                i
            };
            let (a, b) = (at(), at());
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 20));
            let b = (b..).find(|i| text.is_char_boundary(*i)).unwrap();
            let broken = format!("{}{}{}", &text[..a], rng.pick(&SCRAPS), &text[b..]);
            match parse_module(&broken) {
                Ok(m) => drop(verify(&m)),
                Err(d) => assert!(broken.get(d.span().start as usize..d.span().end as usize).is_some()),
            }
        }
    }
}

/// Changes one thing somewhere in a region.
fn mutate(rng: &mut Rng, r: &mut Region, values: usize) {
    let value = |rng: &mut Rng| Value(rng.below(values + 1) as u32);
    if r.insts.is_empty() || rng.one_in(8) {
        if let Some(v) = r.yields.first_mut() {
            *v = value(rng);
        }
        return;
    }
    let i = rng.below(r.insts.len());
    let inst = &mut r.insts[i];
    if let Some(nested) = inst.regions.first_mut().filter(|_| rng.one_in(2)) {
        return mutate(rng, nested, values);
    }
    match rng.below(6) {
        0 => drop(r.insts.remove(i)),
        1 => inst.kind = Kind::Op(rng.pick(Op::ALL)),
        2 => inst.args.push(value(rng)),
        3 => inst.results.push(value(rng)),
        4 => inst.kind = Kind::Call(FuncId(rng.below(4) as u32)),
        _ => match inst.args.first_mut() {
            Some(v) => *v = value(rng),
            None => r.insts.swap(0, i),
        },
    }
}

#[test]
fn mutated_programs_are_refused_or_run() {
    let mut accepted = 0;
    for seed in 0..2000 {
        let mut m = module(seed, &Knobs { steps: 6, ..Knobs::default() });
        let mut rng = Rng::new(seed);
        let which = rng.below(m.funcs.len());
        let f = &mut m.funcs[which];
        let values = f.values.len();
        if let Body::Region(r) = &mut f.body {
            mutate(&mut rng, r, values);
        }
        let text = print_module(&m);
        if verify(&m).is_ok() {
            accepted += 1;
            let entry = m.funcs.last().unwrap();
            let args: Vec<Val<f64>> =
                inputs(&mut rng, entry, true).into_iter().map(Val::from_const).collect();
            let entry = FuncId(m.funcs.len() as u32 - 1);
            let _ = Interp::new(&m, &StdMath, &NoExterns).call(entry, &args);
            assert_eq!(parse_module(&text).expect("valid programs read back").to_string(), text);
        }
    }
    assert!((100..1900).contains(&accepted), "{accepted}");
}

fn nested(depth: usize) -> String {
    let (open, close) = ("if p { ".repeat(depth), "} else { } ".repeat(depth));
    format!("fn f(p: bool) -> () {{ {open}{close}return }}")
}

#[test]
fn nesting_is_bounded() {
    let m = parse_module(&nested(MAX_DEPTH)).expect("as deep as allowed");
    assert_eq!(verify(&m), Ok(()));
    assert_eq!(parse_module(&m.to_string()), Ok(m));
    for depth in [MAX_DEPTH + 1, 100_000] {
        assert_eq!(parse_module(&nested(depth)).unwrap_err().code, Code::TooDeep);
    }
}
