//! Properties of JVP and VJP on generated programs with arrays and loops, over numbers so precise that rounding plays no
//! part.

mod common;

use adc_ad::jvp;
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
