//! What a check does besides comparing: choices, points, tolerances, honest verdicts.

use crate::common;

use adc_checker::*;
use adc_ir::*;
use adc_jit::Externs;
use adc_simplify::OptLevel;
use common::*;

const PRODUCT: &str =
    "fn f(x: f64, y: f64) -> (a: f64, b: f64) { v0 = mul x, y v1 = square x v2 = add v1, y return v0, v2 }";

fn names(r: &Report) -> Vec<String> {
    let worst = r.worst.as_ref().expect("a point was checked");
    worst.entries.iter().filter(|e| e.order == Order::First).map(|e| e.name(true)).collect()
}

#[test]
fn wrt_outputs_nodiff() {
    let all = run(PRODUCT, |_, _| {}, |_| {});
    assert_eq!(names(&all), ["∂a/∂x", "∂a/∂y", "∂b/∂x", "∂b/∂y"]);
    let r = run(PRODUCT, |b, _| b.wrt = Some(vec![1]), |_| {});
    assert_eq!(names(&r), ["∂a/∂y", "∂b/∂y"]);
    let r = run(PRODUCT, |b, _| b.outputs = Some(vec![1]), |_| {});
    assert_eq!(names(&r), ["∂b/∂x", "∂b/∂y"]);
    let r = run(PRODUCT, |b, _| b.nodiff = vec![0], |_| {});
    assert_eq!(names(&r), ["∂a/∂y", "∂b/∂y"]);
    // Settings override the block.
    let r = run(PRODUCT, |b, _| b.wrt = Some(vec![1]), |s| s.wrt = Some(vec![0]));
    assert_eq!(names(&r), ["∂a/∂x", "∂b/∂x"]);
    let r = run("fn f(x: f64, #[nodiff] y: f64) -> f64 { v0 = mul x, y return v0 }", |_, _| {}, |_| {});
    assert_eq!(names(&r), ["∂out/∂x"]);
}

#[test]
fn requests_that_make_no_sense() {
    let integer = "fn f(n: i64, x: f64) -> (a: f64, m: i64) { return x, n }";
    let code = |r: &Report| (r.status, r.diagnostics[0].code);
    let r = run(integer, |b, _| b.wrt = Some(vec![0]), |_| {});
    assert_eq!(code(&r), (Status::Error, Code::NotDifferentiable));
    let r = run(integer, |b, _| b.outputs = Some(vec![1]), |_| {});
    assert_eq!(code(&r), (Status::Error, Code::NoOutput));
    let r = run(integer, |b, _| b.nodiff = vec![1], |_| {});
    assert_eq!(code(&r), (Status::Error, Code::NoOutput));
}

#[test]
fn reports_depend_on_the_seed_only() {
    let text = "fn f(x: f64, z: c128) -> f64 { v0 = abs2 z v1 = sin x v2 = mul v0, v1 return v2 }";
    let report = |seed| format!("{:?}", run(text, |_, _| {}, |s| s.seed = Some(seed)));
    assert_eq!(report(1), report(1));
    assert_ne!(report(1), report(2));
}

#[test]
fn what_cannot_be_tested_is_counted() {
    // A derivative of 1e-4 with an absolute tolerance of 1e-5.
    let slow = |text: &str| {
        run(
            text,
            |_, _| {},
            |s| {
                s.modes = Some(vec![Mode::Slow]);
                s.tolerance = Tolerance::Classic;
            },
        )
    };
    let text = "fn f(x: f64) -> f64 { v0 = f64 0.0001 v1 = mul v0, x return v1 }";
    let r = slow(text);
    passes(&r);
    assert_eq!((r.counts.points, r.counts.total.compared(), r.counts.total.untestable), (16, 16, 16));
    // Exactly 0 can be tested.
    let constant = "fn f(x: f64) -> f64 { v0 = f64 1.0 return v0 }";
    let r = slow(constant);
    assert_eq!((r.counts.total.compared(), r.counts.total.untestable), (16, 0));
    // An error below the tolerance passes with classic tolerances, and the count shows it.
    let wrong =
        "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = f64 1e-7 v1 = sin x v2 = mul v0, v1 return v2 }
        fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 0.0 return v0 }";
    let r = slow(wrong);
    passes(&r);
    assert_eq!(r.counts.total.untestable, 16);
    // Automatic tolerances test all of them.
    for right in [text, constant] {
        let r = in_modes(right, &[Mode::Slow]);
        passes(&r);
        assert_eq!(r.counts.total.untestable, 0);
    }
    fails_with(&in_modes(wrong, &[Mode::Slow]), Code::WrongDerivative);
}

#[test]
fn points_without_a_finite_value_are_rejected_and_counted() {
    let log = "fn f(x: f64) -> f64 { v0 = log x return v0 }";
    let r = run(log, |b, _| b.params[0] = Some(Distribution::Uniform(-1.0, 3.0)), |_| {});
    passes(&r);
    assert!(r.counts.points == 16 && r.counts.rejected > 0, "{:?}", r.counts);
    let r = run(log, |b, _| b.params[0] = Some(Distribution::Uniform(-3.0, 1.0)), |_| {});
    fails_with(&r, Code::NothingChecked);
    assert!(r.counts.rejected > r.counts.points);
    // The same for a run-time error at the point.
    let trap = "fn f(x: f64) -> f64 { v0 = f64 5.0 v1 = lt v0, x assert v1, \"big\" return x }";
    let r = run(trap, |_, _| {}, |_| {});
    fails_with(&r, Code::NothingChecked);
    assert!(r.rejected_by.is_some());
}

#[test]
fn nothing_compared_is_no_pass() {
    // The value exists only at the point, not around it.
    let text =
        "fn f(x: f64) -> f64 { v0 = f64 0.5 v1 = eq x, v0 assert v1, \"x == 0.5\" v2 = square x return v2 }";
    let r = run(text, |_, _| {}, |s| s.at = vec![vec![real(0.5)]]);
    fails_with(&r, Code::NothingChecked);
    assert!(r.counts.total.unchecked() > 0 && r.counts.total.failed() == 0);
    // One input always has a difference, the other never.
    let text = "fn f(x: f64, y: f64) -> f64 { v0 = f64 0.5 v1 = eq x, v0 assert v1, \"x == 0.5\" v2 = mul x, y return v2 }";
    let r = run(
        text,
        |_, _| {},
        |s| {
            s.at = vec![vec![real(0.5), real(1.0)]];
            s.modes = Some(vec![Mode::Slow]);
        },
    );
    assert_eq!(
        (r.counts.total.compared(), r.counts.total.unchecked()),
        (1, 1),
        "entries are evaluated one by one"
    );
    fails_with(&r, Code::NothingChecked);
    assert!(r.diagnostics[0].message.contains("∂out/∂x"), "{}", describe(&r));
    // A step that does not change the input compares nothing.
    let r = run(
        "fn f(x: f64) -> f64 { return x }",
        |_, _| {},
        |s| {
            s.tolerance = Tolerance::Classic;
            s.at = vec![vec![real(1e150)]];
        },
    );
    fails_with(&r, Code::NothingChecked);
}

#[test]
fn a_derivative_that_is_not_finite_fails() {
    let text = "fn f(x: f64) -> f64 { v0 = sqrt x v1 = mul v0, x return v1 }";
    let r = run(text, |_, _| {}, |s| s.at = vec![vec![real(0.0)]]);
    fails_with(&r, Code::NonFinite);
    assert_eq!(r.worst_ratio, f64::INFINITY);
}

#[test]
fn expectations() {
    let wrong = "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = square x return v0 }
        fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = mul x, g return v0 }";
    let right = "fn f(x: f64) -> f64 { v0 = square x return v0 }";
    let nan = "fn f(x: f64 in [0, 0]) -> f64 { v0 = sqrt x return v0 }";
    let error = "fn f(x: f64) -> f64 { v0 = f64 50.0 v1 = lt v0, x assert v1, \"big\" return x }";
    let status =
        |text: &str, e: Expect| run(text, |b, _| b.expect = Some(e), |s| s.modes = Some(vec![Mode::Slow]));
    for (text, expect) in
        [(wrong, Expect::Fail), (right, Expect::Ok), (nan, Expect::Nan), (error, Expect::Error)]
    {
        let r = status(text, expect);
        assert_eq!((r.status, r.expected), (Status::Ok, Some(expect)), "{}", describe(&r));
    }
    for (text, expect) in
        [(right, Expect::Fail), (right, Expect::Nan), (right, Expect::Error), (wrong, Expect::Nan)]
    {
        fails_with(&status(text, expect), Code::ExpectationFailed);
    }
    assert_eq!(status(wrong, Expect::Ok).status, Status::Failed);
}

#[test]
fn the_relative_error_form() {
    let form = |max: f64| Tolerance::Relative { max_relative_error: max, delta: 0.005, per_entry: false };
    // Derivative -2, off by 1 %.
    let text = "#[rule(vjp, f.rule.vjp)] fn f(x: f64) -> f64 { v0 = f64 -2.0 v1 = mul v0, x return v1 }
        fn f.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = f64 -2.02 v1 = mul v0, g return v1 }";
    let run_with = |max: f64| {
        run(
            text,
            |_, _| {},
            |s| {
                s.tolerance = form(max);
                s.modes = Some(vec![Mode::Slow]);
            },
        )
    };
    fails_with(&run_with(0.005), Code::WrongDerivative);
    passes(&run_with(0.02));
    // Right, negative and nearly zero derivatives. The step shows: x³ has the difference 3x² + d².
    let cube = "fn f(x: f64) -> f64 { v0 = square x v1 = mul v0, x v2 = neg v1 return v2 }";
    let r = run(
        cube,
        |_, _| {},
        |s| {
            s.tolerance = form(0.005);
            s.modes = Some(vec![Mode::Slow]);
            s.at = vec![vec![real(0.01)], vec![real(2.0)]];
        },
    );
    passes(&r);
    assert_eq!(r.limits.eps, 0.005);
    let e = &r.worst.as_ref().unwrap().entries[0];
    assert!((e.fd.unwrap() - e.vjp.unwrap() + 2.5e-5).abs() < 1e-9, "{e:?}");
}

#[test]
fn trusted_rules_are_used_but_not_compared() {
    // A straight-through estimator: round with derivative 1.
    let text = "
fn f(x: f64, y: f64) -> f64 { v0 = mul x, y v1 = call st(v0) v2 = square v1 v3 = mul v2, y return v3 }
#[rule(vjp, st.rule.vjp, trust)] fn st(x: f64) -> f64 { v0 = round x return v0 }
fn st.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { return g }";
    let r = run(text, |_, _| {}, |_| {});
    passes(&r);
    assert_eq!(r.trusted, ["st"]);
    // Everything around it is still checked.
    let wrong = text.replace("v2 = square v1", "v2 = call sq(v1)")
        + "#[rule(vjp, sq.rule.vjp)] fn sq(x: f64) -> f64 { v0 = square x return v0 }
           fn sq.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { v0 = mul x, g return v0 }";
    let r = run(&wrong, |_, _| {}, |s| s.at = vec![vec![real(3.0), real(1.4)]]);
    fails_with(&r, Code::WrongDerivative);
    assert_eq!(blamed(&r).map(|b| b.name.as_str()), Some("sq"), "{}", describe(&r));
    // Without trust the rule itself is wrong.
    let r = run(&text.replace(", trust", ""), |_, _| {}, |_| {});
    fails_with(&r, Code::WrongDerivative);
    assert_eq!(blamed(&r).map(|b| b.name.as_str()), Some("st"));
}

fn blamed(r: &Report) -> Option<&BlamedOp> {
    r.blame.as_ref().and_then(|b| b.op.as_ref())
}

#[test]
fn the_rule_at_fault_is_named() {
    let rules = |spans: bool| {
        let at = |n: u32| if spans { format!(" @0:{}..{}", n, n + 5) } else { String::new() };
        format!(
            "fn f(x: f64) -> f64{} {{ v0 = call a(x) v1 = call b(v0) return v1 }}
             #[rule(vjp, a.rule.vjp)] fn a(x: f64) -> f64{} {{ v0 = sin x return v0 }}
             fn a.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) {{ v0 = cos x v1 = mul v0, g return v1 }}
             #[rule(vjp, b.rule.vjp)] fn b(x: f64) -> f64{} {{ v0 = call c(x) return v0 }}
             fn b.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) {{ v0 = f64 2.0 v1 = mul v0, x v2 = mul v1, g return v2 }}
             #[rule(vjp, c.rule.vjp)] fn c(x: f64) -> f64 {{ v0 = square x return v0 }}
             fn c.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) {{ v0 = f64 3.0 v1 = mul v0, x v2 = mul v1, g return v2 }}",
            at(0), at(10), at(20)
        )
    };
    // c's rule is wrong, but nothing uses it: b's rule replaces all of b.
    passes(&run(&rules(false), |_, _| {}, |_| {}));
    let wrong = rules(false).replace("v0 = f64 2.0", "v0 = f64 1.0");
    let r = run(&wrong, |_, _| {}, |s| s.at = vec![vec![real(0.5)]]);
    fails_with(&r, Code::WrongDerivative);
    // Now b and c both fail separately, but only b's rule is used.
    assert_eq!(blamed(&r).map(|b| b.name.as_str()), Some("b"), "{}", describe(&r));
    let only = wrong.replace("v0 = f64 3.0", "v0 = f64 2.0");
    let r = run(&only, |_, _| {}, |s| s.at = vec![vec![real(0.5)]]);
    let blame = blamed(&r).expect("one rule is wrong");
    assert_eq!((blame.name.as_str(), blame.kind), ("b", BlamedKind::Rule(RuleKind::Vjp)));
    let x = 0.5f64.sin();
    assert!((blame.inputs[0].get(0).to_c128().re - x).abs() < 1e-15, "at the value the program reaches");
    assert!((blame.entry.vjp.unwrap() - x).abs() < 1e-12 && (blame.entry.fd.unwrap() - 2.0 * x).abs() < 1e-8);
}

#[test]
fn a_file_is_planned() {
    let m = module(
        "fn a(x: f64) -> f64 { v0 = call b(x) return v0 }
         #[rule(vjp, b.rule.vjp)] fn b(x: f64) -> f64 { return x }
         fn b.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { return g }
         fn lonely(x: f64) -> f64 { return x }
         fn discrete(n: i64) -> i64 { return n }
         #[rule(vjp, t.rule.vjp, trust)] fn t(x: f64) -> f64 { return x }
         fn t.rule.vjp(x: f64, out: f64, g: f64) -> (x_bar: f64) { return g }
         extern \"e\" fn e(x: f64) -> f64",
    );
    let id = |n: &str| m.find(n).unwrap();
    let functions: Vec<FuncId> = ["a", "b", "lonely", "discrete", "t", "e"].map(id).to_vec();
    let name = |f: &FuncId| m.func(*f).name.clone();
    let p = plan(&m, &functions, &[]);
    assert_eq!(p.checks.iter().map(|b| name(&b.func)).collect::<Vec<_>>(), ["a", "b", "lonely"]);
    assert_eq!(p.skipped.iter().map(|(f, _)| name(f)).collect::<Vec<_>>(), ["discrete", "t", "e"]);
    assert_eq!(p.trusted.iter().map(name).collect::<Vec<_>>(), ["t"]);
    let block = CheckBlock::default_for(id("a"), 1, Span::NONE);
    let p = plan(&m, &functions, std::slice::from_ref(&block));
    assert_eq!(p.checks.iter().map(|b| name(&b.func)).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(p.not_checked.iter().map(name).collect::<Vec<_>>(), ["lonely", "discrete", "e"]);
    // Rules are checked in every file.
    let p = plan(&m, &[id("a")], &[block]);
    assert_eq!(p.checks.iter().map(|b| name(&b.func)).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(p.trusted.iter().map(name).collect::<Vec<_>>(), ["t"]);
}

#[test]
fn the_numerical_gradient_by_itself() {
    let m = module(
        "fn f(x: f64, z: c128) -> (a: f64, b: c128) { v0 = abs2 z v1 = mul x, v0 v2 = square z v3 = mul v2, x return v1, v3 }",
    );
    let externs = Externs::new();
    let ctx = Context::new(&m, &externs, OptLevel::O1);
    let grad = |wrt, output| {
        numerical_gradient(
            &ctx,
            (m.find("f").unwrap(), &[]),
            &[real(2.0), c(0.5, 1.5)],
            (wrt, output),
            Fd::Central { delta: 0.005 },
            adc_ir::interp::Limits::default(),
        )
        .unwrap()
        .into_iter()
        .map(|d| d.get(0).to_c128())
        .map(|z| ((z.re * 1e9).round() / 1e9, (z.im * 1e9).round() / 1e9))
        .collect::<Vec<_>>()
    };
    assert_eq!(grad(0, 0), [(2.5, 0.0)]);
    assert_eq!(grad(1, 0), [(2.0, 6.0)]);
    assert_eq!(grad(0, 1), [(-2.0, 0.0), (1.5, 0.0)]);
    // 2 CW of re(2z²) is conj(4z), of im(2z²) i·conj(4z).
    assert_eq!(grad(1, 1), [(2.0, -6.0), (6.0, 2.0)]);
}

#[test]
fn prepared_checks_run_at_any_point() {
    let m = module(PRODUCT);
    let externs = Externs::new();
    let ctx = Context::new(&m, &externs, OptLevel::O1);
    let block = CheckBlock::default_for(m.find("f").unwrap(), 2, Span::NONE);
    let mut p = Prepared::new(&ctx, &block, &Settings::default()).unwrap();
    for k in 0..10 {
        let point = [real(k as f64 * 0.1), real(1.0)];
        let outcome = p.run_point(&point, k).unwrap();
        assert!(outcome.failed() == 0 && outcome.compared() > 0 && outcome.worst_ratio < 1.0, "{outcome:?}");
        assert_eq!(p.value(&point).unwrap().len(), 2);
    }
}

/// Exchanges the first two results, which are the function's, of one derivative program.
struct Exchanged {
    kind: IdentityKind,
    /// Of the function that the program is derived from.
    order: usize,
}

impl Exchanged {
    fn applies(&self, m: &Module, f: FuncId, kind: IdentityKind) -> bool {
        self.kind == kind && self.order == m.derivative_order(f)
    }

    fn exchange(m: &mut Module, program: FuncId) {
        let Body::Region(body) = &mut m.funcs[program.0 as usize].body else { panic!("a program") };
        body.yields.swap(0, 1);
    }
}

impl Passes for Exchanged {
    fn vjp(
        &self,
        m: &mut Module,
        f: FuncId,
        about: (&[usize], &[usize]),
        primal: bool,
        policy: adc_ad::Policy,
    ) -> Result<FuncId, Diagnostic> {
        let before = m.funcs.len();
        let program = Own.vjp(m, f, about, primal, policy)?;
        // A program is made once.
        if primal && program.0 as usize >= before && self.applies(m, f, IdentityKind::ValueVjp) {
            Exchanged::exchange(m, program);
        }
        Ok(program)
    }

    fn jvp(&self, m: &mut Module, f: FuncId, wrt: &[usize]) -> Result<FuncId, Diagnostic> {
        let before = m.funcs.len();
        let program = Own.jvp(m, f, wrt)?;
        if program.0 as usize >= before && self.applies(m, f, IdentityKind::ValueJvp) {
            Exchanged::exchange(m, program);
        }
        Ok(program)
    }
}

#[test]
fn derivative_programs_return_the_value() {
    let m = module(PRODUCT);
    let externs = Externs::new();
    let block = CheckBlock::default_for(m.find("f").unwrap(), 2, Span::NONE);
    let settings = || {
        let mut s = Settings::default();
        (s.backends, s.no_blame) = (Backends::None, true);
        s
    };
    for (kind, order) in
        [(IdentityKind::ValueVjp, 0), (IdentityKind::ValueJvp, 0), (IdentityKind::ValueJvp, 1)]
    {
        let passes = Exchanged { kind, order };
        let ctx = Context { passes: &passes, ..Context::new(&m, &externs, OptLevel::O1) };
        let r = check(&ctx, &block, &settings());
        fails_with(&r, Code::IdentityFails);
        let worst = r.worst.as_ref().expect("a point was checked");
        let of = [Order::First, Order::Second][order];
        let failing: Vec<_> = worst.identities.iter().filter(|i| i.status.failing()).collect();
        let right = failing.iter().all(|i| (i.kind, i.order) == (kind, of));
        assert!(right && !failing.is_empty(), "{failing:?}");
    }
    passes(&check(&Context::new(&m, &externs, OptLevel::O1), &block, &settings()));
}

/// At a special point a run may take no more iterations than the function took elsewhere; a derivative may take more, on any thread.
#[test]
fn derivatives_take_longer_than_functions_on_threads_too() {
    let text = "fn f(u: f64[60]) -> f64 {
           v1 = i64 0 v2 = i64 60 v3 = i64 1
           v4 = reduce sum v1, v2, v3 (v5) {
             v6 = index u, v5
             v7 = reduce sum v1, v2, v3 (v8) { v9 = index u, v8 v10 = mul v9, v6 v11 = sin v10 yield v11 }
             v12 = mul v7, v7
             yield v12
           }
           return v4
         }";
    let report = run(
        text,
        |_, _| {},
        |s| {
            (s.backends, s.points, s.special) = (Backends::All, Some(1), Some(4));
            s.modes = Some(vec![Mode::Fast]);
        },
    );
    passes(&report);
}
