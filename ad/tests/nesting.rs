//! Derivatives inside models: operators in functions that are differentiated themselves. No perturbation is confused with
//! another.

use crate::common;

use adc_ad::{expand, expand_for};
use adc_ir::Body;
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{Knobs, StdMath, module};
use adc_ir::verify::assert_valid;
use common::sample::Sample;
use common::*;

/// The functions of [`StdMath`] that these cases use are good to this.
const TOLERANCE: f64 = 1e-11;
/// Two programs for the same number lose a few bits of conditioning.
const EXACT: f64 = 1e-70;

/// Along random directions, of generated programs that call derivatives of each other: the JVP is the difference quotient, and
/// the VJP its adjoint.
#[test]
fn generated_programs() {
    let mut calls = 0;
    for seed in 0..120 {
        let knobs = Knobs {
            derived: true,
            single: false,
            smooth: true,
            stop_gradient: false,
            steps: 10,
            ..Knobs::arrays()
        };
        let mut m = module(seed, &knobs);
        m.funcs.iter_mut().flat_map(|f| &mut f.params).for_each(|p| p.nodiff = false);
        let entry = m.funcs.last().expect("there is one");
        calls += entry.callees().iter().filter(|f| matches!(m.func(**f).body, Body::Derived(_))).count();
        let mut s = Sample::new(seed, m);
        expand_for(&mut s.m, s.f).expect("differentiable");
        let (u, v) = (s.tangents(), s.cotangents());
        let all = s.m.func(s.f).differentiable_results();
        let expected = difference(&s.m, s.f, &s.args, &s.wrt, &u, &all);
        let pushed = s.push(&u);
        let far = distance(&expected, &pushed);
        assert!(far < TOLERANCE, "seed {seed}: {far:e}\n{}", s.m);
        let place = |o: &usize| all.iter().position(|a| a == o).expect("differentiable");
        let pushed: Vec<V> = s.outputs.iter().map(|o| pushed[place(o)].clone()).collect();
        let (a, b) = (inner(&v, &pushed), inner(&s.pull(&v), &u));
        let far = (a - b).to_f64().abs() / (1.0 + a.to_f64().abs());
        assert!(far < EXACT, "seed {seed}: {far:e}\n{}", s.m);
    }
    assert!(calls > 10, "{calls}");
}

struct NoFiles;

impl adc_frontend::Loader for NoFiles {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        Err(format!("no file `{path}`"))
    }
}

fn numbers(v: &Val<f64>) -> Vec<f64> {
    match v {
        Val::Real(x) => vec![*x],
        Val::Complex(z) => vec![z.re, z.im],
        Val::Array(a) => a.data().iter().flat_map(numbers).collect(),
        Val::Bool(_) | Val::I64(_) => panic!("{v:?} is not a real or complex number"),
    }
}

/// Compiles a source, expands it, and runs `f` at reals and arrays of reals (those in lists of one argument are scalars).
fn check(name: &str, source: &str, cases: &[(&[&[f64]], &[f64])]) {
    let compiled = adc_frontend::compile("case.dsl", source, &mut NoFiles, &StdMath);
    let mut m = compiled.unwrap_or_else(|e| panic!("{name}: {:?}", e.diagnostics)).module;
    expand(&mut m).unwrap_or_else(|d| panic!("{name}: {d:?}"));
    assert_valid(&m, "expansion");
    let f = m.find("f").expect("a case has a function `f`");
    let func = m.func(f);
    for (args, expected) in cases {
        let given = args.iter().zip(&func.params).map(|(x, p)| match func.ty(p.value).is_array() {
            true => Val::array(&[x.len()], x.iter().map(|x| Val::Real(*x)).collect()),
            false => Val::Real(x[0]),
        });
        let given: Vec<Val<f64>> = given.collect();
        let found = Interp::new(&m, &StdMath, &NoExterns).call(f, &given);
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        let found: Vec<f64> = found.iter().flat_map(numbers).collect();
        let close = |a: &f64, b: &f64| (a - b).abs() <= TOLERANCE * (1.0 + b.abs());
        let same = found.len() == expected.len() && found.iter().zip(*expected).all(|(a, b)| close(a, b));
        assert!(same, "{name} at {args:?}: {found:?} instead of {expected:?}\n{m}");
    }
}

/// A source with `{A}` and `{B}` replaced by every pair of ways to the derivative of a function of one number.
fn in_every_mode(name: &str, source: &str, cases: &[(&[&[f64]], &[f64])]) {
    // `grad` is reverse mode, `jvp` forward.
    let apply = |mode: bool, f: &str, at: &str| match mode {
        true => format!("jvp({f})({at}; 1.0)"),
        false => format!("grad({f})({at})"),
    };
    for modes in 0..4 {
        let mut text = source.to_string();
        for (place, mode) in [("A", modes & 1 == 1), ("B", modes & 2 == 2)] {
            while let Some(start) = text.find(&format!("{place}[")) {
                let end = start + text[start..].find(']').expect("it is closed");
                let (f, at) = text[start + 2..end].split_once(" @ ").expect("a function at a point");
                let call = apply(mode, f, at);
                text.replace_range(start..=end, &call);
            }
        }
        check(&format!("{name}, modes {modes:02b}"), &text, cases);
    }
}

#[test]
fn perturbations_are_not_confused() {
    in_every_mode(
        "N1: d/dx [x d/dy (x + y)]",
        "fn inner(y: f64, x: f64) -> f64 { x + y }\n\
         fn at(x: f64) -> f64 { x*jvp(inner, wrt = y)(1.0, x; 1.0) }\n\
         fn other(x: f64) -> f64 { x*grad(inner, wrt = y)(1.0, x) }\n\
         fn f(x: f64) -> (f64, f64) { (A[at @ x], B[other @ x]) }\n",
        &[(&[&[1.0]], &[1.0, 1.0])],
    );
    in_every_mode(
        "N2: d/dx [x d/dy (x y)]",
        "fn inner(y: f64, x: f64) -> f64 { x*y }\n\
         fn at(x: f64) -> f64 { x*jvp(inner, wrt = y)(1.0, x; 1.0) }\n\
         fn other(x: f64) -> f64 { x*grad(inner, wrt = y)(1.0, x) }\n\
         fn f(x: f64) -> (f64, f64) { (A[at @ x], B[other @ x]) }\n",
        &[(&[&[4.0]], &[8.0, 8.0])],
    );
    in_every_mode(
        "N3: (m m) m with m = x, sin(x)^3",
        "fn cube(x: f64) -> f64 { let m = x; (m*m)*m }\n\
         fn s(x: f64) -> f64 { sin(x)^3 }\n\
         fn c1(x: f64) -> f64 { A[cube @ x] }\n\
         fn s1(x: f64) -> f64 { A[s @ x] }\n\
         fn f(x: f64) -> (f64, f64) { (B[c1 @ x], B[s1 @ x]) }\n",
        &[(
            &[&[0.7]],
            &[4.2, {
                let (s, c) = (0.7f64.sin(), 0.7f64.cos());
                6.0 * s * c * c - 3.0 * s * s * s
            }],
        )],
    );
}

#[test]
fn operators_of_scalars() {
    check(
        "a third derivative of a built-in",
        "fn f(x: f64) -> f64 { grad(grad(grad(sin)))(x) }\n",
        &[(&[&[0.3]], &[-(0.3f64.cos())])],
    );
    check(
        "Hessian, Jacobian, products",
        "fn g(x: f64, y: f64) -> f64 { x^2*y }\n\
         fn h(x: f64, y: f64) -> (f64, f64) { (x*y, x/y) }\n\
         fn f(x: f64, y: f64) -> (f64, f64, f64, f64, f64, f64) {\n\
           let (a, b) = hvp(g)(x, y; 1.0, 0.0);\n\
           let (v, (p, q)) = value_and_grad(g)(x, y);\n\
           let (u, w) = vjp(h)(x, y; 1.0, 2.0);\n\
           (a + v, b, p, q, u, w)\n}\n",
        &[(&[&[3.0], &[2.0]], &[4.0 + 18.0, 6.0, 12.0, 9.0, 2.0 + 1.0, 3.0 - 1.5])],
    );
    check(
        "N8: inside a function with a rule, the rule's derivative counts",
        "fn g(x: f64) -> f64 { x^3 }\n\
         rule jvp g(x; dx) { 10.0*x*dx }\n\
         fn h(x: f64) -> f64 { x*grad(g)(x) }\n\
         fn f(x: f64) -> f64 { grad(h)(x) }\n",
        &[(&[&[2.0]], &[40.0])],
    );
    check(
        "N10: mixed sets of parameters, a Lagrangian's equation of motion",
        "fn lagrangian(q: f64, v: f64) -> f64 { 0.5*v^2*(1.0 + q^2) - q^4 }\n\
         fn momentum(q: f64, v: f64) -> f64 { grad(lagrangian, wrt = v)(q, v) }\n\
         fn f(q: f64, v: f64) -> f64 {\n\
           let force = grad(lagrangian, wrt = q)(q, v);\n\
           let (mass, drift) = (grad(momentum, wrt = v)(q, v), grad(momentum, wrt = q)(q, v));\n\
           (force - drift*v)/mass\n}\n",
        &[(&[&[0.5], &[2.0]], &[-2.0])],
    );
}

#[test]
fn operators_of_arrays() {
    check(
        "N5: a Hessian is symmetric, its products and its diagonal are its own",
        "fn g[N](x: f64[N]) -> f64 { sum(x[i]^2*x[N - 1 - i] for i in 0..N) + exp(x[0]) }\n\
         fn f[N](x: f64[N], v: f64[N]) -> f64 {\n\
           let h = hessian(g)(x);\n\
           let p = hvp(g)(x; v);\n\
           let d = hess_diag(g)(x);\n\
           sum(abs(h[i, j] - h[j, i]) for i in 0..N, j in 0..N)\n\
             + sum(abs(p[i] - sum(h[i, j]*v[j] for j in 0..N)) + abs(d[i] - h[i, i]) for i in 0..N)\n}\n",
        &[(&[&[0.5, -1.0, 2.0], &[1.0, 2.0, 3.0]], &[0.0])],
    );
    check(
        "N6: twice reverse is reverse and forward",
        "fn g[N](x: f64[N]) -> f64 { let m = max(x[i] for i in 0..N); m + log(sum(exp(x[i] - m) for i in 0..N)) }\n\
         fn slope[N](x: f64[N], v: f64[N]) -> f64 { let d = grad(g)(x); sum(d[i]*v[i] for i in 0..N) }\n\
         fn f[N](x: f64[N], v: f64[N]) -> f64 {\n\
           let a = grad(slope, wrt = x)(x, v);\n\
           let b = jvp(grad(g))(x; v);\n\
           sum(abs(a[i] - b[i]) for i in 0..N)\n}\n",
        &[(&[&[0.5, -1.0, 2.0], &[1.0, 2.0, 3.0]], &[0.0])],
    );
    check(
        "N7: through the minimum that a loop of gradient steps finds",
        "fn loss(y: f64, a: f64) -> f64 { (y - a^2)^2 }\n\
         fn best(a: f64) -> f64 {\n\
           var y = 0.0;\n\
           for k in 0..60 { y = y - 0.25*grad(loss, wrt = y)(y, a); }\n\
           y\n}\n\
         fn f(a: f64) -> (f64, f64, f64) { (best(a), grad(best)(a), grad(grad(best))(a)) }\n",
        &[(&[&[3.0]], &[9.0, 6.0, 2.0])],
    );
    check(
        "N9: a Laplacian in three dimensions",
        "fn g(x: f64[3]) -> f64 { x[0]^2*x[1] + sin(x[2])*x[0] }\n\
         fn f(x: f64[3]) -> f64 { sum(hess_diag(g)(x)) }\n",
        &[(&[&[1.0, 2.0, 0.5]], &[4.0 - 0.5f64.sin()])],
    );
    check(
        "a derivative inside a comprehension inside a derivative",
        "fn g(x: f64, y: f64) -> f64 { sin(x*y) }\n\
         fn h[N](x: f64[N]) -> f64 { sum([grad(g, wrt = x)(x[i], x[0]) for i in 0..N]) }\n\
         fn f[N](x: f64[N]) -> f64[N] { grad(h)(x) }\n",
        &[(
            &[&[0.5, 2.0]],
            &[0.25f64.cos() - 0.5 * 0.25f64.sin() + 1f64.cos() - 1f64.sin(), -0.25 * (1.0f64).sin()],
        )],
    );
    check(
        "a Jacobian of arrays, by rows and by columns",
        "fn tall(t: f64) -> f64[3] { [sin(t), t^2, 1.0] }\n\
         fn wide(x: f64[3]) -> f64[2] { [x[0]*x[1], x[2]] }\n\
         fn f(x: f64[3]) -> (f64[3], f64[2, 3]) { (jacobian(tall)(x[0]), jacobian(wide)(x)) }\n",
        &[(&[&[0.5, 2.0, 3.0]], &[0.5f64.cos(), 1.0, 0.0, 2.0, 0.5, 0.0, 0.0, 0.0, 1.0])],
    );
}
