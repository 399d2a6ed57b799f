//! Properties of JVP, VJP and linearize on generated programs, over numbers so precise that rounding plays no part.

use crate::common;

use adc_ad::{jvp, linearize, vjp};
use adc_ir::Module;
use adc_ir::interp::Val;
use adc_ir::testing::{Knobs, module};
use common::sample::Sample;
use common::*;

const SEEDS: std::ops::Range<u64> = 0..600;
/// Rounding of constants like 2/√π to double precision is all that separates a derivative from a difference quotient.
const DIFFERENCE: f64 = 1e-14;
/// Two programs for the same number lose a few bits of conditioning.
const EXACT: f64 = 1e-80;

/// Generated smooth programs, each at a point where everything is finite; with `single` there is single precision too.
fn each(single: bool, test: impl Fn(&mut Sample)) {
    for seed in SEEDS {
        // A difference quotient sees through what a derivative leaves out.
        let mut m = module(seed, &Knobs { single, stop_gradient: false, ..Knobs::smooth() });
        m.funcs.iter_mut().flat_map(|f| &mut f.params).for_each(|p| p.nodiff = false);
        test(&mut Sample::new(seed, m));
    }
}

/// Generated programs of every kind: kinks, operands outside of domains, integers, `stop_gradient`, `#[nodiff]`.
fn each_wild(test: impl Fn(&mut Sample)) {
    for seed in SEEDS {
        let m = module(seed, &Knobs { steps: 20, ..Knobs::default() });
        test(&mut Sample::new(seed, m));
    }
}

#[test]
fn jvp_is_the_difference_quotient() {
    each(false, |s| {
        let u = s.tangents();
        let all = s.m.func(s.f).differentiable_results();
        let expected = difference(&s.m, s.f, &s.args, &s.wrt, &u, &all);
        let found = s.push(&u);
        let d = distance(&expected, &found);
        assert!(d < DIFFERENCE, "seed {}: {d:e}\n{expected:?}\n{found:?}\n{}", s.seed, s.m);
    });
}

#[test]
fn vjp_is_the_adjoint_of_jvp() {
    each(true, |s| {
        let (u, v) = (s.tangents(), s.cotangents());
        let all = s.m.func(s.f).differentiable_results();
        let pushed = s.push(&u);
        let pushed: Vec<V> =
            s.outputs.iter().map(|o| pushed[all.iter().position(|a| a == o).unwrap()].clone()).collect();
        let pulled = s.pull(&v);
        let d = (inner(&v, &pushed) - inner(&pulled, &u)).to_f64().abs();
        assert!(d < EXACT * (1.0 + inner(&v, &pushed).to_f64().abs()), "seed {}: {d:e}\n{}", s.seed, s.m);
    });
}

/// Where kinks, selections and singular points meet, no difference quotient can be taken, but both modes, and all four
/// nestings of them, are one linear map.
#[test]
fn both_modes_agree_on_wild_programs() {
    let compared = std::cell::Cell::new(0);
    each_wild(|s| {
        let (u, w, v) = (s.tangents(), s.tangents(), s.cotangents());
        let (n, k, results) = (s.args.len(), s.wrt.len(), s.m.func(s.f).results.len());
        let all = s.m.func(s.f).differentiable_results();
        let place: Vec<usize> = s.outputs.iter().map(|o| all.iter().position(|a| a == o).unwrap()).collect();
        let chosen: Vec<usize> = place.iter().map(|p| results + p).collect();
        let agree = |what: &str, a: adc_precise::Big, b: adc_precise::Big, m: &Module| {
            if a.is_finite() && b.is_finite() {
                let d = (a - b).to_f64().abs() / (1.0 + a.to_f64().abs());
                assert!(d < EXACT, "seed {}, {what}: {d:e}\n{m}", s.seed);
                compared.set(compared.get() + 1);
            }
        };
        let m = &mut s.m;
        let j = jvp(m, s.f, &s.wrt).unwrap();
        let p = vjp(m, s.f, &s.wrt, &s.outputs, false).unwrap();
        let along_u = [&s.args[..], &u[..]].concat();
        let seeded = [&s.args[..], &v[..]].concat();
        let pushed = call(m, j, &along_u);
        let pushed: Vec<V> = chosen.iter().map(|&r| pushed[r].clone()).collect();
        agree("first order", inner(&v, &pushed), inner(&call(m, p, &seeded), &u), m);

        let vj = vjp(m, j, &s.wrt, &chosen, false).unwrap();
        let jp = jvp(m, p, &s.wrt).unwrap();
        let with_seeds: Vec<usize> = s.wrt.iter().copied().chain(n..n + s.outputs.len()).collect();
        let pp = vjp(m, p, &with_seeds, &(0..k).collect::<Vec<_>>(), false).unwrap();
        let reverse_forward = inner(&call(m, vj, &[&along_u[..], &v[..]].concat()), &w);
        let forward_reverse = inner(&call(m, jp, &[&seeded[..], &w[..]].concat())[k..], &u);
        let reverse_reverse = call(m, pp, &[&seeded[..], &u[..]].concat());
        agree("second order", reverse_forward, forward_reverse, m);
        agree("second order, twice reverse", inner(&reverse_reverse[..k], &w), forward_reverse, m);
        agree("seeds", inner(&reverse_reverse[k..], &v), inner(&pushed, &v), m);
    });
    assert!(compared.get() > 1000, "{}", compared.get());
}

#[test]
fn jvp_is_linear() {
    each_wild(|s| {
        let (u, w) = (s.tangents(), s.tangents());
        let three = adc_precise::Big::from(3.0);
        let sum: Vec<V> = u.iter().zip(&w).map(|(u, w)| plus(u, three, w)).collect();
        let (a, b, c) = (s.push(&u), s.push(&w), s.push(&sum));
        let expected: Vec<V> = a.iter().zip(&b).map(|(a, b)| plus(a, three, b)).collect();
        let d = distance(&expected, &c);
        assert!(d < EXACT || d == f64::INFINITY, "seed {}: {d:e}", s.seed);
    });
}

#[test]
fn primal_results_come_first_and_are_the_primal() {
    each(true, |s| {
        let (u, v) = (s.tangents(), s.cotangents());
        let expected = call(&s.m, s.f, &s.args);
        let j = jvp(&mut s.m, s.f, &s.wrt).unwrap();
        let p = vjp(&mut s.m, s.f, &s.wrt, &s.outputs, true).unwrap();
        for (program, seeds) in [(j, &u), (p, &v)] {
            let found = call(&s.m, program, &[&s.args, &seeds[..]].concat());
            assert_eq!(found[..expected.len()], expected, "seed {}", s.seed);
        }
    });
}

#[test]
fn linearize_pulls_back_like_vjp() {
    each(true, |s| {
        let v = s.cotangents();
        let expected = s.pull(&v);
        let lin = linearize(&mut s.m, s.f, &s.wrt, &s.outputs).unwrap();
        let forward = call(&s.m, lin.forward, &s.args);
        let results = s.m.func(s.f).results.len();
        assert_eq!(forward.len(), results + lin.residuals);
        let found = call(&s.m, lin.pullback, &[&forward[results..], &v[..]].concat());
        assert!(distance(&expected, &found) < EXACT, "seed {}", s.seed);
    });
}

#[test]
fn repeated_requests_give_the_same_function() {
    each(true, |s| {
        for _ in 0..2 {
            let before = (
                jvp(&mut s.m, s.f, &s.wrt).unwrap(),
                vjp(&mut s.m, s.f, &s.wrt, &s.outputs, true).unwrap(),
                linearize(&mut s.m, s.f, &s.wrt, &s.outputs).unwrap(),
            );
            let count = s.m.funcs.len();
            let after = (
                jvp(&mut s.m, s.f, &s.wrt).unwrap(),
                vjp(&mut s.m, s.f, &s.wrt, &s.outputs, true).unwrap(),
                linearize(&mut s.m, s.f, &s.wrt, &s.outputs).unwrap(),
            );
            assert_eq!(before, after);
            assert_eq!(count, s.m.funcs.len());
        }
    });
}

/// The four ways to a second derivative: ⟨v, D²f[u, w]⟩ by differences of the JVP, and by all nestings.
#[test]
fn every_nesting_gives_the_same_second_derivative() {
    each(false, |s| {
        let (u, w, v) = (s.tangents(), s.tangents(), s.cotangents());
        let (n, k) = (s.args.len(), s.wrt.len());
        let all = s.m.func(s.f).differentiable_results();
        let results = s.m.func(s.f).results.len();
        let chosen: Vec<usize> =
            s.outputs.iter().map(|o| results + all.iter().position(|a| a == o).unwrap()).collect();

        let j = jvp(&mut s.m, s.f, &s.wrt).unwrap();
        let along_u = [&s.args[..], &u[..]].concat();
        let expected = inner(&v, &difference(&s.m, j, &along_u, &s.wrt, &w, &chosen));
        let check = |name: &str, found: adc_precise::Big| {
            let d = (found - expected).to_f64().abs() / (1.0 + expected.to_f64().abs());
            assert!(d < DIFFERENCE, "seed {}, {name}: {d:e}\n{}", s.seed, s.m);
        };

        // Forward over forward: tangents of the tangents, with respect to the primal parameters only.
        let mut m = s.m.clone();
        let jj = jvp(&mut m, j, &s.wrt).unwrap();
        let out = call(&m, jj, &[&along_u[..], &w[..]].concat());
        // Results of `jj`: those of `j`, then the tangents of the differentiable ones among them.
        let j_results = m.func(j).results.len();
        let tangents: Vec<V> = m
            .func(j)
            .differentiable_results()
            .into_iter()
            .zip(&out[j_results..])
            .filter(|(r, _)| chosen.contains(r))
            .map(|(_, t)| t.clone())
            .collect();
        check("jvp of jvp", inner(&v, &tangents));

        // Reverse over forward.
        let vj = vjp(&mut m, j, &s.wrt, &chosen, false).unwrap();
        let out = call(&m, vj, &[&along_u[..], &v[..]].concat());
        check("vjp of jvp", inner(&out, &w));

        // Forward over reverse.
        let p = vjp(&mut m, s.f, &s.wrt, &s.outputs, false).unwrap();
        let jp = jvp(&mut m, p, &s.wrt).unwrap();
        let seeded = [&s.args[..], &v[..]].concat();
        let out = call(&m, jp, &[&seeded[..], &w[..]].concat());
        check("jvp of vjp", inner(&out[k..], &u));

        // Reverse over reverse, with respect to the parameters and to the cotangents.
        let with_seeds: Vec<usize> = s.wrt.iter().copied().chain(n..n + s.outputs.len()).collect();
        let pp = vjp(&mut m, p, &with_seeds, &(0..k).collect::<Vec<_>>(), false).unwrap();
        let out = call(&m, pp, &[&seeded[..], &u[..]].concat());
        check("vjp of vjp", inner(&out[..k], &w));
        let pushed = call(&m, j, &along_u);
        let pushed: Vec<V> = chosen.iter().map(|&r| pushed[r].clone()).collect();
        assert!(distance(&out[k..], &pushed) < EXACT, "seed {}: the VJP of a VJP is the JVP", s.seed);
    });
}

/// N4: three nestings of exp(x)/√(sin³x + cos³x) at 1.5, in every combination of the modes.
#[test]
fn third_derivatives() {
    let ir = "fn f(x: f64) -> f64 {\n  v0 = i64 3\n  v1 = sin x\n  v2 = powi v1, v0\n  v3 = cos x\n  v4 = powi v3, v0\n  \
              v5 = add v2, v4\n  v6 = sqrt v5\n  v7 = exp x\n  v8 = div v7, v6\n  return v8\n}\n";
    let m = adc_ir::text::parse_module(ir).unwrap();
    let f = m.find("f").unwrap();
    let (x, one) = (Val::Real(adc_precise::Big::from(1.5)), Val::Real(adc_precise::Big::from(1.0)));
    for modes in 0..8 {
        let mut m = m.clone();
        let (mut g, mut args) = (f, vec![x.clone()]);
        for order in 0..3 {
            let expected =
                difference(&m, g, &args, &[0], std::slice::from_ref(&one), &[m.func(g).results.len() - 1]);
            let last = m.func(g).results.len() - 1;
            g = if modes >> order & 1 == 1 {
                vjp(&mut m, g, &[0], &[last], false).unwrap()
            } else {
                jvp(&mut m, g, &[0]).unwrap()
            };
            args.push(one.clone());
            let found = call(&m, g, &args);
            let d = distance(&expected, &found[found.len() - 1..]);
            assert!(d < DIFFERENCE, "order {order} of modes {modes:b}: {d:e}");
        }
    }
}
