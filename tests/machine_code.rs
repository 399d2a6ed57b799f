//! The machine code of the loops of `models/bench`, in every tier of vectors that this machine has, does what they may: a decoder reads it.

use crate::costs::{BENCHES, Pair, bench_model};
use crate::strip_reader::faults;
use adc_jit::X86;
use adc_jit::strips::Strip;

/// The strips of a function's listing.
fn strips(listing: &str) -> Vec<Strip> {
    let parts = listing.split("\n\n").filter_map(|part| part.find("strip ").map(|at| &part[at..]));
    parts.filter_map(|text| text.parse().ok()).collect()
}

#[test]
fn code_of_the_models_is_what_strips_may_do() {
    let tiers: Vec<X86> = [X86::Avx2, X86::Avx512].into_iter().filter(|t| t.simd().is_there()).collect();
    if tiers.is_empty() {
        println!("skipped: this machine has no vectors of 256 bits");
        return;
    }
    let mut all: Vec<Strip> = Vec::new();
    for b in BENCHES {
        let pair = Pair::new(&bench_model(b.file), b.function, b.dims, b.wrt);
        for f in pair.m.reachable_from(&[pair.value, pair.tangent, pair.both]) {
            if pair.m.func(f).region().is_some() {
                let listing = adc_jit::emit_clif(&pair.m, f).expect("it compiles");
                all.extend(strips(&listing));
            }
        }
    }
    all.sort_by_key(ToString::to_string);
    all.dedup();
    // lotka has loops whose iterations need each other.
    let serial = adc_jit::Options::default().simd == adc_jit::Simd::Avx512;
    assert_eq!(all.iter().any(|s| s.serial), serial);
    let mut read = [0; 2];
    for strip in &all {
        for (tier, read) in tiers.iter().zip(&mut read) {
            let Some(code) = tier.machine_code(strip, false) else { continue };
            let faults = faults(*tier, strip, &code);
            assert!(faults.is_empty(), "{tier:?}: {faults:#?}\n{strip}");
            *read += 1;
        }
    }
    let narrow = adc_jit::Options::default().simd == adc_jit::Simd::Baseline;
    assert!(narrow || read[..tiers.len()].iter().all(|n| *n > 30), "{read:?} of {} strips", all.len());
}
