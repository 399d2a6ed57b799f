//! Hand-written rules: each kind, in both modes, in isolation, at second order, inside callers, and transposed.

use crate::common;

use adc_ad::{check_rules, jvp, rule_jvp, rule_vjp, vjp};
use adc_ir::interp::Val;
use adc_ir::testing::{Rng, StdMath};
use adc_ir::{FuncId, Module};
use common::*;

/// Constants of rules are double precision.
const TOLERANCE: f64 = 1e-14;

/// Pairs of functions with the same values: `plain` without a rule, `f` with rules that say the same.
const PAIRS: &[(&str, &str)] = &[
    (
        "real, every kind",
        "fn plain(x: f64, y: f64) -> f64 { sin(x)*y }
         fn f(x: f64, y: f64) -> f64 { sin(x)*y }
         rule jvp f(x, y; dx, dy) { cos(x)*y*dx + sin(x)*dy }
         rule vjp f(x, y; g) { (cos(x)*y*g, sin(x)*g) }
         rule partial f(x, y) { d x: cos(x)*y; d y: sin(x); }",
    ),
    (
        "U7: rules that use `out`",
        "fn plain(t: f64) -> f64 { 1/(1 + exp(-t)) }
         fn f(t: f64) -> f64 { 1/(1 + exp(-t)) }
         rule vjp f(t; g) { g*out*(1 - out) }
         rule jvp f(t; dt) { dt*out*(1 - out) }
         rule partial f(t) { d t: out - out*out; }",
    ),
    (
        "U5: complex, not holomorphic, with an integer",
        "fn plain(z: c128, n: i64, x: f64) -> c128 { z^n*conj(z)*x + x*1i }
         fn f(z: c128, n: i64, x: f64) -> c128 { z^n*conj(z)*x + x*1i }
         rule jvp f(z, n, x; dz, dx) { f64(n)*z^(n - 1)*conj(z)*x*dz + z^n*x*conj(dz) + (z^n*conj(z) + 1i)*dx }
         rule vjp f(z, n, x; g) {
             (conj(f64(n)*z^(n - 1)*conj(z)*x)*g + z^n*x*conj(g), re(conj(z^n*conj(z) + 1i)*g))
         }
         rule partial f(z, n, x) { d z: f64(n)*z^(n - 1)*conj(z)*x; dconj z: z^n*x; d x: z^n*conj(z) + 1i; }",
    ),
    (
        "holomorphic by omission, and a real result",
        "fn plain(z: c128, w: c128) -> f64 { re(exp(z)*w) }
         fn f(z: c128, w: c128) -> f64 { re(h(z, w)) }
         fn h(z: c128, w: c128) -> c128 { exp(z)*w }
         rule partial h(z, w) { d z: out; d w: exp(z); }
         rule partial f(z, w) { d z: exp(z)*w/2; dconj w: conj(exp(z))/2; }
         rule jvp f(z, w; dz, dw) { re(exp(z)*(w*dz + dw)) }",
    ),
    (
        "several results, branches on values, calls",
        "fn plain(x: f64, z: c128) -> (f64, c128) { if x > 0 { (x*abs2(z), x*z) } else { (sin(x), conj(z)) } }
         fn f(x: f64, z: c128) -> (f64, c128) { if x > 0 { (x*abs2(z), x*z) } else { (sin(x), conj(z)) } }
         fn twice(a: c128, k: f64) -> c128 { 2*k*a }
         rule jvp f(x, z; dx, dz) {
             let along = re(twice(conj(z)*dz, x));
             if x > 0 { (dx*abs2(z) + along, dx*z + x*dz) } else { (cos(x)*dx, conj(dz)) }
         }
         rule vjp f(x, z; bars) {
             let (g, h) = bars;
             if x > 0 { (g*abs2(z) + re(conj(z)*h), twice(z*g, x) + x*h) } else { (cos(x)*g, conj(h)) }
         }",
    ),
];

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

fn compile(text: &str) -> Module {
    match adc_frontend::compile("test.dsl", text, &mut NoFiles, &StdMath) {
        Ok(program) => program.module,
        Err(failure) => panic!("{:?}\n{text}", failure.diagnostics),
    }
}

fn find(m: &Module, name: &str) -> FuncId {
    m.find(name).unwrap_or_else(|| panic!("no function `{name}`"))
}

fn arguments(rng: &mut Rng, m: &Module, f: FuncId) -> Vec<V> {
    let func = m.func(f);
    let one = |i: usize| match func.param_ty(i) {
        adc_ir::Type::I64 => Val::I64(3),
        ty => random(rng, ty),
    };
    (0..func.params.len()).map(one).collect()
}

fn close(what: &str, a: &[V], b: &[V]) {
    let d = distance(a, b);
    assert!(d < TOLERANCE, "{what}: {d:e}\n{a:?}\n{b:?}");
}

#[test]
fn every_rule_alone_is_the_derivative_of_the_body() {
    for (name, text) in PAIRS {
        let mut m = compile(text);
        assert_eq!(check_rules(&m).0, [], "{name}");
        let (f, plain) = (find(&m, "f"), find(&m, "plain"));
        let (wrt, outputs) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
        let plain_jvp = jvp(&mut m, plain, &wrt).unwrap();
        let plain_vjp = vjp(&mut m, plain, &wrt, &outputs, true).unwrap();
        let mut rng = Rng::new(7);
        for k in 0..m.func(f).rules.len() {
            let (j, p) = (rule_jvp(&mut m, f, k).unwrap(), rule_vjp(&mut m, f, k).unwrap());
            for _ in 0..6 {
                let x = arguments(&mut rng, &m, f);
                let u: Vec<V> =
                    param_types(m.func(f), &wrt).into_iter().map(|t| random(&mut rng, t)).collect();
                let v: Vec<V> =
                    result_types(m.func(f), &outputs).into_iter().map(|t| random(&mut rng, t)).collect();
                for (program, reference, seeds) in [(j, plain_jvp, &u), (p, plain_vjp, &v)] {
                    let args = [&x[..], seeds].concat();
                    let what = format!("{name}, rule {k}, `{}`", m.func(program).name);
                    close(&what, &call(&m, reference, &args), &call(&m, program, &args));
                }
            }
        }
    }
}

#[test]
fn second_derivatives_differentiate_the_rule() {
    for (name, text) in PAIRS {
        let m = compile(text);
        let f = find(&m, "f");
        for k in 0..m.func(f).rules.len() {
            // `f` with that rule only.
            let mut m = m.clone();
            m.funcs[f.0 as usize].rules = vec![m.func(f).rules[k].clone()];
            let plain = find(&m, "plain");
            let (wrt, outputs) = (m.func(f).differentiable_params(), m.func(f).differentiable_results());
            let (n, r) = (m.func(f).params.len(), m.func(f).results.len());
            let mut rng = Rng::new(8);
            let x = arguments(&mut rng, &m, f);
            let u: Vec<V> = param_types(m.func(f), &wrt).into_iter().map(|t| random(&mut rng, t)).collect();
            let v: Vec<V> =
                result_types(m.func(f), &outputs).into_iter().map(|t| random(&mut rng, t)).collect();
            let mut of = |g: FuncId| -> Vec<Vec<V>> {
                let j = jvp(&mut m, g, &wrt).unwrap();
                let p = vjp(&mut m, g, &wrt, &outputs, false).unwrap();
                let seeds: Vec<usize> = wrt.iter().copied().chain(n..n + outputs.len()).collect();
                let tangents: Vec<usize> = (r..r + outputs.len()).collect();
                let all: Vec<usize> = (0..wrt.len()).collect();
                let jj = jvp(&mut m, j, &wrt).unwrap();
                let vj = vjp(&mut m, j, &wrt, &tangents, false).unwrap();
                let jv = jvp(&mut m, p, &wrt).unwrap();
                let vv = vjp(&mut m, p, &seeds, &all, false).unwrap();
                vec![
                    call(&m, jj, &[&x[..], &u, &u].concat()),
                    call(&m, vj, &[&x[..], &u, &v].concat()),
                    call(&m, jv, &[&x[..], &v, &u].concat()),
                    call(&m, vv, &[&x[..], &v, &u].concat()),
                ]
            };
            for (a, b) in of(plain).iter().zip(&of(f)) {
                close(&format!("{name}, rule {k}"), a, b);
            }
        }
    }
}

#[test]
fn callers_use_the_rules_and_nothing_of_the_body() {
    // The rule is wrong on purpose: what comes out is the rule.
    let text = "fn f(x: f64, y: f64) -> f64 { x*y }
         rule vjp f(x, y; g) { (7*g, 11*g) }
         fn g(x: f64, y: f64, k: bool) -> f64 { let t = if k { f(x, 2.0) + y } else { f(1.0, y) }; 3*t }";
    let mut m = compile(text);
    let g = find(&m, "g");
    let p = vjp(&mut m, g, &[0, 1], &[0], false).unwrap();
    let j = jvp(&mut m, g, &[0, 1]).unwrap();
    let num = |x: f64| Val::Real(adc_precise::Big::from(x));
    for (k, expected) in [(true, [21.0, 3.0]), (false, [0.0, 33.0])] {
        let args = [num(0.5), num(0.25), Val::Bool(k)];
        let found = call(&m, p, &[&args[..], &[num(1.0)]].concat());
        close("vjp", &found, &expected.map(num));
        let found = call(&m, j, &[&args[..], &[num(1.0), num(10.0)]].concat());
        close("jvp", &found[1..], &[num(expected[0] + 10.0 * expected[1])]);
    }
}

#[test]
fn a_choice_of_rules_is_made_by_mode() {
    let text = "fn f(x: f64) -> f64 { x }
         rule jvp f(x; dx) { 2*dx }
         rule vjp f(x; g) { 3*g }
         rule partial f(x) { d x: 5.0; }";
    let m = compile(text);
    let f = find(&m, "f");
    let num = |x: f64| Val::Real(adc_precise::Big::from(x));
    use adc_ir::RuleKind::*;
    // Which rules there are, and what forward and reverse mode give.
    let cases: [(&[adc_ir::RuleKind], f64, f64); 6] = [
        (&[Jvp, Vjp, Partial], 2.0, 3.0),
        (&[Jvp, Partial], 2.0, 5.0),
        (&[Vjp, Partial], 5.0, 3.0),
        (&[Jvp], 2.0, 2.0),
        (&[Vjp], 3.0, 3.0),
        (&[Partial], 5.0, 5.0),
    ];
    for (kinds, forward, reverse) in cases {
        let mut m = m.clone();
        m.funcs[f.0 as usize].rules.retain(|r| kinds.contains(&r.kind));
        let (j, p) = (jvp(&mut m, f, &[0]).unwrap(), vjp(&mut m, f, &[0], &[0], false).unwrap());
        close("forward", &call(&m, j, &[num(1.0), num(1.0)])[1..], &[num(forward)]);
        close("reverse", &call(&m, p, &[num(1.0), num(1.0)]), &[num(reverse)]);
    }
}
