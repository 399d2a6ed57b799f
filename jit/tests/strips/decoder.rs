//! The code of all strips of the tests is what strips may do, and code that is not is found out.

use crate::strips::reader::faults;
use crate::strips::{fuzz, ops};
use adc_ir::testing::{Rng, effort};
use adc_jit::X86;
use adc_jit::strips::*;

/// Strips of all tests.
fn strips() -> Vec<(String, Strip)> {
    let mut list = Vec::new();
    for seed in 0..150 * effort() as u64 {
        list.push((format!("fuzz {seed}"), fuzz::of_seed(seed).1));
        list.push((format!("serial {seed}"), fuzz::serial(seed).1));
    }
    for seed in 1000..1000 + 80 * effort() as u64 {
        let mut rng = Rng::new(seed);
        let ops = rng.pick(&[6, 12, 25, 50, 100]);
        list.push((format!("guard {seed}"), fuzz::random(&mut rng, ops)));
    }
    for op in adc_ir::Op::ALL {
        list.extend((1..4).filter_map(|n| Some((format!("{op} of {n}"), ops::strip_of(*op, n)?))));
    }
    list.push(("many spilled".to_string(), fuzz::many_spilled()));
    list
}

#[test]
fn code_is_what_strips_may_do() {
    for tier in [X86::Avx2, X86::Avx512] {
        let mut instructions = 0;
        for (name, strip) in strips() {
            for direct in [false, true] {
                let Some(code) = tier.machine_code(&strip, direct) else { continue };
                let faults = faults(tier, &strip, &code);
                assert!(
                    faults.is_empty(),
                    "{tier:?}, {name}: {:#?}\n{strip}",
                    &faults[..faults.len().min(20)]
                );
                instructions += code.starts.len();
            }
        }
        assert!(instructions > 100_000, "{instructions} instructions were read");
    }
}

/// Code that does what it must not is found out.
#[test]
fn faults_are_found() {
    for tier in [X86::Avx2, X86::Avx512] {
        faults_are_found_in(tier);
    }
}

fn faults_are_found_in(tier: X86) {
    let strip: Strip = "strip 2\nstream 0 0 unit f64 r\nstream 1 0 unit f64 w\nv0 = load 0\nv1 = scal 0\n\
        v2 = add v0 v1\nv3 = store 1 v2\nmax v2 to 1"
        .parse()
        .expect("it is well formed");
    let code = tier.machine_code(&strip, false).expect("it is supported");
    assert_eq!(faults(tier, &strip, &code), [""; 0]);
    // The other tier's machine.
    let others = if tier == X86::Avx2 { X86::Avx512 } else { X86::Avx2 };
    let others = faults(others, &strip, &code).join("\n");
    assert!(others.contains("is for other machines") && others.contains("is not on the list"), "{others}");
    // The strip that was asked for differs from the one whose code it is.
    let other = |from: &str, to: &str| {
        let other = strip.to_string();
        assert!(other.contains(from), "{other}");
        faults(tier, &other.replacen(from, to, 1).parse().expect("it is well formed"), &code)
    };
    // Bytes that are others.
    let patched = |from: &[u8], to: &[u8]| {
        let mut code = code.clone();
        let at = code.bytes.windows(from.len()).position(|w| w == from).expect("the code has them");
        code.bytes[at..at + to.len()].copy_from_slice(to);
        faults(tier, &strip, &code)
    };
    let no_upper = patched(&[0xc5, 0xf8, 0x77], &[0x48, 0x89, 0xc0]);
    let end = patched(&[0x5d, 0xc3], &[0x0f, 0x0b]);
    let saved = patched(&[0x48, 0x8d, 0x65], &[0x48, 0x89, 0x65]);
    let mut short = code.clone();
    short.starts.pop();
    let mut constant = code.clone();
    constant.constants += 64;
    constant.bytes.extend([0; 64]);
    let cases = [
        (other("stream 1 0 unit f64 w", "stream 2 0 unit f64 w").join("\n"), "writes where"),
        (other("max v2 to 1", "min v2 to 0").join("\n"), "writes where"),
        (no_upper.join("\n"), "upper halves"),
        (end.join("\n"), "is not on the list"),
        (saved.join("\n"), "writes where"),
        (faults(tier, &strip, &short).join("\n"), "different instructions"),
        (faults(tier, &strip, &constant).join("\n"), "breakpoints"),
    ];
    for (k, (found, expected)) in cases.iter().enumerate() {
        assert!(found.contains(expected), "case {k}: {found:?}");
    }
}

#[test]
fn places_outside_tables_are_found() {
    for tier in [X86::Avx2, X86::Avx512] {
        for (column, width) in [("power", 1), ("log_low", 2)] {
            let strip: Strip = format!(
                "strip 0\nstream 0 0 unit f64 r\nstream 1 0 unit f64 w\nv0 = load 0\n\
                v1 = entry {column} v0\nv2 = store 1 v1"
            )
            .parse()
            .expect("it is well formed");
            let code = tier.machine_code(&strip, false).expect("it is supported");
            assert_eq!(faults(tier, &strip, &code), [""; 0]);
            let mut far = code.clone();
            let last = |lane: &&mut [u8]| **lane == (127u64 << width).to_le_bytes();
            let lanes = far.bytes[code.constants..].chunks_exact_mut(8).filter(last);
            lanes.for_each(|lane| lane[1] |= 2);
            let mut short = code.clone();
            short.bytes.pop();
            for wrong in [far, short] {
                let found = faults(tier, &strip, &wrong).join("\n");
                assert!(found.contains("reads what is not its own"), "{found}");
            }
        }
    }
}
