//! Properties of JVP and VJP on generated programs with arrays and loops, over numbers so precise that rounding plays no
//! part.

use crate::common;

use adc_ad::{jvp, vjp};
use adc_ir::testing::{Knobs, module};
use common::sample::Sample;
use common::*;

const SEEDS: std::ops::Range<u64> = 0..300;
/// Rounding of constants like 2/√π to double precision is all that separates a derivative from a difference quotient.
const DIFFERENCE: f64 = 1e-14;
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

#[test]
fn jvp_is_the_difference_quotient() {
    each(|s| {
        let u = s.tangents();
        let all = s.m.func(s.f).differentiable_results();
        let expected = difference(&s.m, s.f, &s.args, &s.wrt, &u, &all);
        let found = s.push(&u);
        let d = distance(&expected, &found);
        assert!(d < DIFFERENCE, "seed {}: {d:e}\n{expected:?}\n{found:?}\n{}", s.seed, s.m);
    });
}

#[test]
fn jvp_is_linear_and_keeps_the_primal() {
    each_wild(|s| {
        let (u, w) = (s.tangents(), s.tangents());
        let three = adc_precise::Big::from(3.0);
        let sum: Vec<V> = u.iter().zip(&w).map(|(u, w)| plus(u, three, w)).collect();
        let (a, b, c) = (s.push(&u), s.push(&w), s.push(&sum));
        let expected: Vec<V> = a.iter().zip(&b).map(|(a, b)| plus(a, three, b)).collect();
        if is_finite(&expected) {
            let d = distance(&expected, &c);
            assert!(d < EXACT, "seed {}: {d:e}", s.seed);
        }
        let j = jvp(&mut s.m, s.f, &s.wrt).expect("differentiable");
        let primal = call(&s.m, s.f, &s.args);
        let found = call(&s.m, j, &[&s.args, &u[..]].concat());
        assert_eq!(shown(&found[..primal.len()]), shown(&primal), "seed {}", s.seed);
    });
}

/// The second derivative along u and w does not depend on their order.
#[test]
fn jvp_of_jvp_is_symmetric() {
    each(|s| {
        let (u, w) = (s.tangents(), s.tangents());
        let j = jvp(&mut s.m, s.f, &s.wrt).expect("differentiable");
        let jj = jvp(&mut s.m, j, &s.wrt).expect("differentiable");
        let results = s.m.func(j).results.len();
        let second = |u: &[V], w: &[V]| call(&s.m, jj, &[&s.args[..], u, w].concat()).split_off(results);
        let (a, b) = (second(&u, &w), second(&w, &u));
        // The last ones are the tangents of tangents.
        let n = s.m.func(s.f).differentiable_results().len();
        let d = distance(&a[a.len() - n..], &b[b.len() - n..]);
        assert!(d < EXACT, "seed {}: {d:e}\n{}", s.seed, s.m);
    });
}

/// Where kinks, selections and singular points meet, no difference quotient can be taken, but ⟨v, D²f[u, w]⟩ is the same by
/// forward over reverse, reverse over forward and twice reverse.
#[test]
fn every_nesting_gives_the_same_second_derivative() {
    let compared = std::cell::Cell::new(0);
    each_wild(|s| {
        let (u, w, v) = (s.tangents(), s.tangents(), s.cotangents());
        let (n, k, results) = (s.args.len(), s.wrt.len(), s.m.func(s.f).results.len());
        let all = s.m.func(s.f).differentiable_results();
        let place = |o: &usize| results + all.iter().position(|a| a == o).expect("differentiable");
        let chosen: Vec<usize> = s.outputs.iter().map(place).collect();
        let (along_u, seeded) = ([&s.args[..], &u[..]].concat(), [&s.args[..], &v[..]].concat());
        let m = &mut s.m;
        let j = jvp(m, s.f, &s.wrt).expect("differentiable");
        let p = vjp(m, s.f, &s.wrt, &s.outputs, false).expect("differentiable");
        let vj = vjp(m, j, &s.wrt, &chosen, false).expect("differentiable");
        let jp = jvp(m, p, &s.wrt).expect("differentiable");
        let with_seeds: Vec<usize> = s.wrt.iter().copied().chain(n..n + s.outputs.len()).collect();
        let pp = vjp(m, p, &with_seeds, &(0..k).collect::<Vec<_>>(), false).expect("differentiable");
        let forward_reverse = call(m, jp, &[&seeded[..], &w[..]].concat()).split_off(k);
        let reverse_forward = call(m, vj, &[&along_u[..], &v[..]].concat());
        let twice = call(m, pp, &[&seeded[..], &u[..]].concat());
        let expected = inner(&forward_reverse, &u);
        for (what, found) in [("reverse over forward", &reverse_forward[..]), ("twice reverse", &twice[..k])]
        {
            if expected.is_finite() && is_finite(found) {
                let found = inner(found, &w);
                let d = (found - expected).to_f64().abs() / (1.0 + expected.to_f64().abs());
                assert!(d < EXACT, "seed {}, {what}: {d:e}\n{m}", s.seed);
                compared.set(compared.get() + 1);
            }
        }
    });
    assert!(compared.get() > 400, "{}", compared.get());
}
