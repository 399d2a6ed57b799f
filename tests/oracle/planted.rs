//! Planted errors: what is wrong is found.

use crate::oracle::survey::{check, every_mode, model};
use adc::{CheckOptions, Model, Status};
use adc_checker::{Entry, Order, Part, Report, Verdict};
use adc_ir::Mode;
use adc_ir::testing::cases;
use std::fmt::Write;

/// The planted relative error.
const ERROR: f64 = 1e-8;
/// Where the oracle claims to resolve this, it has to find [`ERROR`].
const RESOLVED: f64 = 1e-9;

/// What became of the entries that are wrong.
#[derive(Default)]
struct Found {
    found: usize,
    /// Too coarse to see it, as the report says.
    coarse: usize,
    missed: Vec<String>,
}

impl Found {
    fn add(&mut self, r: &Report, wrong: impl Fn(&Entry) -> bool) {
        assert!(!r.points.is_empty(), "{}: {:?}", r.name, r.diagnostics);
        for p in &r.points {
            for e in p.entries.iter().filter(|e| wrong(e)) {
                if e.status.failing() {
                    self.found += 1;
                } else if e.resolution.is_some_and(|x| x <= RESOLVED) {
                    self.missed.push(format!("{}: {} at {:?}: {e:?}", r.name, e.name(true), p.inputs));
                } else {
                    self.coarse += 1;
                }
            }
        }
    }

    fn conclude(&self, what: &str) {
        println!("{what}: {} found, {} too coarse", self.found, self.coarse);
        assert!(
            self.missed.is_empty(),
            "{what}: {} missed: {:#?}",
            self.missed.len(),
            &self.missed[..self.missed.len().min(5)]
        );
        assert!(
            self.found > 99 * self.coarse,
            "{what}: {} of {} too coarse",
            self.coarse,
            self.found + self.coarse
        );
    }
}

/// Every function of the corpus with an identity around it, or around its first argument, whose derivative is off.
fn corpus_with_errors() -> Model {
    let corpus = include_str!("../rules/corpus.dsl");
    let mut source = format!("{corpus}\n{}", include_str!("planted.dsl"));
    let plain = model("corpus.dsl", corpus);
    let signatures = corpus.lines().filter_map(|l| l.strip_prefix("fn ")?.split_once(" {"));
    for ((signature, _), f) in signatures.zip(plain.functions()) {
        let rest = &signature[signature.find('(').expect("parameters")..];
        let names: Vec<String> = f.ir().params.iter().map(|p| p.name.clone()).collect();
        let (name, number) = (f.name(), &f.name()[..4]);
        let call = format!("{name}({})", names.join(", "));
        let of_results = match f.ir().results[0].ty.scalar().is_complex() {
            true => &["off_re", "off_im"][..],
            false => &["off_real"],
        };
        for off in of_results {
            writeln!(source, "fn {number}_result_{off}{rest} {{ {off}({call}) }}")
                .expect("a string takes all");
        }
        let off = if f.ir().param_ty(0).scalar().is_complex() { "off_im" } else { "off_real" };
        let call = call.replacen(&format!("({}", names[0]), &format!("({off}({})", names[0]), 1);
        writeln!(source, "fn {number}_argument_{off}{rest} {{ {call} }}").expect("a string takes all");
    }
    model("planted.dsl", &source)
}

#[test]
fn one_part_in_1e8() {
    let model = corpus_with_errors();
    let mut options = every_mode();
    options.settings.points = Some(cases(2000).div_ceil(300));
    options.settings.modes = Some(vec![Mode::Slow, Mode::Forward]);
    let mut found = Found::default();
    let names: Vec<String> = model.functions().map(|f| f.name().to_string()).collect();
    for name in names.iter().filter(|n| n.contains("_off_")) {
        let wrong = |e: &Entry| {
            let part = if name.ends_with("im") { Part::Im } else { Part::Re };
            match name.contains("_result_") {
                true => e.output_part == Part::Whole || e.output_part == part,
                false => place(e) && (e.input_part == Part::Whole || e.input_part == part),
            }
        };
        // Of a result that is real, and of entries that are 0, there is nothing to be found.
        check(&model, name, &options).iter().for_each(|r| found.add(r, |e| wrong(e) && !zero(e)));
    }
    found.conclude("one part in 1e8");
}

/// Whether an entry is by the first parameter.
fn place(e: &Entry) -> bool {
    ["x", "z", "a"].contains(&e.input.as_str())
}

fn zero(e: &Entry) -> bool {
    e.resolution == Some(0.0) || e.fd == Some(0.0)
}

fn function_names(model: &Model, with: impl Fn(&str) -> bool) -> Vec<String> {
    model.functions().map(|f| f.name().to_string()).filter(|n| with(n)).collect()
}

#[test]
fn mutants() {
    let model = model("mutants.dsl", include_str!("mutants.dsl"));
    let mut options = every_mode();
    options.settings.points = Some(cases(1000).div_ceil(100));
    options.settings.modes = None;
    for name in
        function_names(&model, |n| n.starts_with('m') && n != "m27_transposed" && n != "m29_at_equal_inputs")
    {
        for r in check(&model, &name, &options) {
            assert_eq!(r.status, Status::Failed, "{name} {:#?}", r.diagnostics);
            let alive: Vec<_> = r.points.iter().filter(|p| !failing(p)).collect();
            assert!(alive.is_empty(), "{name} survives at {:#?}", alive[0]);
        }
    }
}

fn failing(p: &adc_checker::PointReport) -> bool {
    p.entries.iter().any(|e| e.status.failing())
        || p.probes.iter().any(|p| p.status.failing())
        || p.identities.iter().any(|i| i.status.failing())
}

#[test]
fn second_derivatives() {
    let model = model("mutants.dsl", include_str!("mutants.dsl"));
    let mut options = every_mode();
    options.settings.points = Some(cases(1000).div_ceil(100));
    let mut found = Found::default();
    for name in function_names(&model, |n| n.contains("second_")) {
        for r in check(&model, &name, &options) {
            let first = |e: &&Entry| e.order == Order::First;
            let fine =
                r.points.iter().flat_map(|p| &p.entries).filter(first).all(|e| e.status == Verdict::Ok);
            assert!(fine, "{name}: the first derivative is right");
            // By the entry with respect to the point: some of them are off by the whole error.
            let off = |e: &Entry| match (e.vjp, e.fd) {
                (Some(g), Some(fd)) => {
                    e.order == Order::Second && (g - fd).abs() >= 0.5 * ERROR * fd.abs() && fd != 0.0
                }
                _ => false,
            };
            for p in &r.points {
                assert!(p.entries.iter().any(off), "{name}: the error is not in it");
            }
            found.add(&r, off);
        }
    }
    found.conclude("second derivatives");
}

/// One entry of a million, off by 1e-6, by fast mode as it is by default.
#[test]
fn one_entry_of_a_million() {
    let source = "
        fn dense(#[nodiff] A: f64[1000, 1000], x: f64[1000]) -> f64[1000] { A @ x }
        rule jvp dense(A, x; dx) { var y = A @ dx; y[417] += 1e-6*A[417, 802]*dx[802]; y }
        check dense { A in [0.5, 1.5]; x in [0.5, 1.5]; points 1; modes fast; }";
    let model = model("dense.dsl", source);
    for seed in 0..cases(2).min(100) as u64 {
        let mut options = CheckOptions::default();
        options.settings.seed = Some(seed);
        options.settings.every_point = true;
        for r in check(&model, "dense", &options) {
            assert!(r.points.iter().all(failing), "seed {seed}: {r:#?}");
            let e = &r.points[0].entries[..];
            assert!(e.len() == 1 && e[0].name(false) == "∂out[417]/∂x[802]", "seed {seed}: {e:#?}");
            assert_eq!(e[0].status, Verdict::Wrong);
        }
    }
}

/// A rule that is not linear in its cotangent does not get as far as a check.
#[test]
fn affine_rules_are_refused() {
    for body in ["g*cos(x) + 1e-9", "if g > 0 { g*cos(x) } else { 0 }", "g^2*cos(x)"] {
        let source = format!("fn f(x: f64) -> f64 {{ sin(x) }} rule vjp f(x; g) {{ {body} }}");
        let refused = Model::parse("affine.dsl", &source).expect_err("it is not linear").to_string();
        assert!(refused.contains("ADC0703"), "{refused}");
    }
}
