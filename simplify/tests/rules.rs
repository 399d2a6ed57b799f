//! Every rewrite keeps the promise of its class on its domain: in doubles as compiled code computes them, against more than 300
//! bits. Operands are all combinations of ordinary, special, tiny and huge numbers, both sides of cuts among them.
//!
//! * exact: the same bits, in both precisions (NaN = NaN).
//! * refining, guarded: what is finite stays finite, and |new − exact| ≤ the first-order error bound of the left side + 2 ulp; what
//!   is not finite stays so unless the exact value is; NaN operands give NaN where they did. A zero that comes from a zero
//!   keeps its sign, sums and differences apart.
//! * The bound itself does not grow at ordinary operands.
//! * each guard is necessary: without it, some operands break the promise.
//! * fast: one of these promises is broken somewhere, or the rule would be of a better class.
//! * All are true of numbers.

#[path = "rules/numbers.rs"]
mod numbers;
#[path = "rules/terms.rs"]
mod terms;

use adc_ir::Scalar;
use adc_simplify::rules::{Class, Guard, Rule, Sort, all};
use numbers::{holds, points, violating};
use std::collections::BTreeSet;
use terms::{Number, Sides};

/// The first operands at which a promise is broken, among those that satisfy the guards.
fn broken(rule: &Rule, guards: &[Guard], ty: Scalar) -> Option<String> {
    let sides = Sides::of(rule, ty);
    points(rule, ty)
        .filter(|p| guards.iter().all(|g| holds(*g, &p[sides.place(g.operand())])))
        .find_map(|p| sides.broken(&p, rule.class == Class::Exact).map(|why| format!("{p:?}: {why}")))
}

#[test]
fn promises_are_kept() {
    let mut wrong = Vec::new();
    for rule in all().iter().filter(|r| r.class != Class::Fast) {
        if let Some(why) = broken(rule, rule.guards, Scalar::F64) {
            wrong.push(format!("{}: {why}", rule.name));
        }
        if rule.class == Class::Exact
            && let Some(why) = broken(rule, rule.guards, Scalar::F32)
        {
            wrong.push(format!("{} in single precision: {why}", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn guards_are_necessary() {
    let mut wrong = Vec::new();
    for rule in all().iter().filter(|r| r.class == Class::Guarded) {
        let sides = Sides::of(rule, Scalar::F64);
        for (k, guard) in rule.guards.iter().enumerate() {
            let why = violating(rule, k).find_map(|p| sides.broken(&p, false).map(|w| format!("{p:?}: {w}")));
            match why {
                Some(why) => println!("{} needs that {guard}: {why}", rule.name),
                None => wrong.push(format!("{} does without: {guard}", rule.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first ordinary operands at which the error bound grows.
fn worse(rule: &Rule) -> Option<String> {
    let sides = Sides::of(rule, Scalar::F64);
    let ordinary = |x: &Number| {
        let (re, im) = x.parts();
        let moderate = |x: f64| (1e-6..1e6).contains(&x.abs());
        moderate(re) && (im == 0.0 || moderate(im))
    };
    let mut some = points(rule, Scalar::F64)
        .filter(|p| p.iter().all(ordinary))
        .filter(|p| rule.guards.iter().all(|g| holds(*g, &p[sides.place(g.operand())])));
    some.find(|p| sides.worse(p)).map(|p| format!("{p:?}"))
}

#[test]
fn error_bounds_do_not_grow() {
    let mut wrong = Vec::new();
    for rule in all() {
        match (rule.class, worse(rule)) {
            (Class::Exact | Class::Refining | Class::Guarded, Some(at)) => {
                wrong.push(format!("{} has a larger error bound at {at}", rule.name));
            }
            (Class::Fast, None) if broken(rule, &[], Scalar::F64).is_none() => {
                wrong.push(format!("{} is no worse than refining", rule.name));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_are_true() {
    let untrue = |r: &Rule| Sides::of(r, Scalar::F64).untrue().map(|why| format!("{}: {why}", r.name));
    let wrong: Vec<String> = all().iter().filter_map(untrue).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rows_are_well_formed() {
    let mut names = BTreeSet::new();
    for rule in all() {
        assert!(names.insert(rule.name), "{} is there twice", rule.name);
        assert_eq!(rule.guards.is_empty(), rule.class != Class::Guarded, "{}", rule.name);
        let (left, right) = rule.terms();
        let vars = left.vars();
        assert!(right.vars().iter().all(|v| vars.contains(v)), "{}", rule.name);
        assert!(rule.guards.iter().all(|g| vars.contains(&g.operand())), "{}", rule.name);
        assert_ne!(left, right);
        let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(rule.name.chars().all(kebab), "{}", rule.name);
    }
}

/// Every letter of a sort has points.
#[test]
fn there_are_points() {
    for rule in all() {
        let count = points(rule, Scalar::F64).count();
        assert!(count >= 20, "{}: {count}", rule.name);
        let kept = points(rule, Scalar::F64).filter(|p: &Vec<Number>| {
            let sides = Sides::of(rule, Scalar::F64);
            rule.guards.iter().all(|g| holds(*g, &p[sides.place(g.operand())]))
        });
        assert!(kept.count() >= 4, "{}: no operands satisfy the guards", rule.name);
    }
    assert_eq!(Sort::of('k'), Sort::Literal);
}
