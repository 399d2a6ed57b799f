//! Reverse mode on generated programs with arrays and loops, over numbers so precise that rounding plays no part.

use crate::common;

use adc_ad::{Policy, jvp, vjp, vjp_with};
use adc_ir::specialise::specialise;
use adc_ir::testing::{Knobs, module};
use adc_ir::verify::assert_valid;
use adc_ir::{Body, Checkpoint, Kind, Region, bind_dims};
use common::sample::Sample;
use common::*;

const SEEDS: std::ops::Range<u64> = 0..300;
/// Two programs for the same number lose a few bits of conditioning.
const EXACT: f64 = 1e-80;

/// Generated smooth programs with arrays and loops.
fn each(test: impl Fn(&mut Sample)) {
    for seed in SEEDS {
        let knobs = Knobs { single: false, smooth: true, stop_gradient: false, ..Knobs::arrays() };
        let mut m = module(seed, &knobs);
        m.funcs.iter_mut().flat_map(|f| &mut f.params).for_each(|p| p.nodiff = false);
        test(&mut Sample::new(seed, m));
    }
}

/// Generated programs of every kind.
fn each_wild(test: impl Fn(&mut Sample)) {
    for seed in SEEDS {
        test(&mut Sample::new(seed, module(seed, &Knobs::arrays())));
    }
}

/// ⟨v, J u⟩ = ⟨Jᵀ v, u⟩
fn adjoint(s: &mut Sample) {
    let (u, v) = (s.tangents(), s.cotangents());
    let all = s.m.func(s.f).differentiable_results();
    let pushed = s.push(&u);
    let pushed: Vec<V> =
        s.outputs.iter().map(|o| pushed[all.iter().position(|a| a == o).unwrap()].clone()).collect();
    let pulled = s.pull(&v);
    if !is_finite(&pushed) || !is_finite(&pulled) {
        return;
    }
    let (a, b) = (inner(&v, &pushed), inner(&pulled, &u));
    let d = (a - b).to_f64().abs() / (1.0 + a.to_f64().abs());
    assert!(d < EXACT, "seed {}: {d:e}: {} {}\n{}", s.seed, a.to_f64(), b.to_f64(), s.m);
}

#[test]
fn vjp_is_the_adjoint_of_jvp() {
    each(adjoint);
}

#[test]
fn vjp_is_the_adjoint_of_jvp_of_wild_programs() {
    each_wild(adjoint);
}

/// The derivative of the gradient, both ways round.
#[test]
fn vjp_of_vjp_is_the_adjoint_of_jvp_of_vjp() {
    each(|s| {
        let v = s.cotangents();
        let policy = if s.seed % 3 == 0 { Policy::SMALL } else { Policy::default() };
        let p = vjp_with(&mut s.m, s.f, &s.wrt, &s.outputs, false, policy).expect("differentiable");
        let outputs: Vec<usize> = (0..s.m.func(p).results.len()).collect();
        let forward = jvp(&mut s.m, p, &s.wrt).expect("differentiable");
        let reverse = vjp(&mut s.m, p, &s.wrt, &outputs, false).expect("differentiable");
        let args = [&s.args[..], &v].concat();
        let u = s.tangents();
        let w: Vec<V> = call(&s.m, p, &args).iter().map(|x| random_like(&mut s.rng, x)).collect();
        let pushed = call(&s.m, forward, &[&args[..], &u].concat()).split_off(outputs.len());
        let pulled = call(&s.m, reverse, &[&args[..], &w].concat());
        if !is_finite(&pushed) || !is_finite(&pulled) {
            return;
        }
        let (a, b) = (inner(&w, &pushed), inner(&pulled, &u));
        let d = (a - b).to_f64().abs() / (1.0 + a.to_f64().abs());
        assert!(d < EXACT, "seed {}: {d:e}: {} {}\n{}", s.seed, a.to_f64(), b.to_f64(), s.m);
    });
}

/// What is stored and what is computed again changes no bit.
#[test]
fn policies_agree_bit_by_bit() {
    each_wild(|s| {
        let v = s.cotangents();
        let args = [&s.args[..], &v].concat();
        let mut at = |policy: Policy| {
            let p = vjp_with(&mut s.m, s.f, &s.wrt, &s.outputs, true, policy).expect("differentiable");
            shown(&call(&s.m, p, &args))
        };
        assert_eq!(at(Policy::default()), at(Policy::SMALL), "seed {}\n{}", s.seed, s.m);
    });
}

/// So do the attributes of single loops.
#[test]
fn attributes_agree_bit_by_bit() {
    fn set(r: &mut Region, checkpoint: Checkpoint) {
        for inst in &mut r.insts {
            if let Kind::For(l) | Kind::While(l) = &mut inst.kind {
                l.checkpoint = Some(checkpoint);
            }
            inst.regions.iter_mut().for_each(|r| set(r, checkpoint));
        }
    }
    for seed in SEEDS {
        let mut found = Vec::new();
        for checkpoint in [Checkpoint::All, Checkpoint::None, Checkpoint::Sqrt, Checkpoint::Revolve(2)] {
            let mut m = module(seed, &Knobs::arrays());
            for f in &mut m.funcs {
                if let Body::Region(r) = &mut f.body {
                    set(r, checkpoint);
                }
            }
            let mut s = Sample::new(seed, m);
            let v = s.cotangents();
            found.push(shown(&s.pull(&v)));
        }
        assert!(found.iter().all(|f| *f == found[0]), "seed {seed}");
    }
}

/// A pullback with open dimensions does what it does for numbers.
#[test]
fn symbolic_is_specialised() {
    each_wild(|s| {
        let v = s.cotangents();
        let args = [&s.args[..], &v].concat();
        let p = vjp(&mut s.m, s.f, &s.wrt, &s.outputs, true).expect("differentiable");
        let Ok(dims) = bind_dims(s.m.func(p), &args) else { return };
        let instance = specialise(&mut s.m, p, &dims).expect("small");
        assert_valid(&s.m, "specialising a pullback");
        assert_eq!(shown(&call(&s.m, p, &args)), shown(&call(&s.m, instance, &args)), "seed {}", s.seed);
    });
}
