//! Changes of a program that do not change what is right about its derivatives do not change the verdict, either.

use crate::oracle::survey::{check, check_program, generated, model};
use adc::{CheckOptions, Function, Model, Port};
use adc_checker::{Backends, Report, Status};
use adc_ir::testing::{Rng, cases, effort};
use adc_ir::{Body, Const, Datum, Kind, Module, Op, Param, ParamDomain, Region, Scalar};
use std::path::Path;

const CORPUS: &str = include_str!("../rules/corpus.dsl");

/// What is done to a function.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    /// It is called by another one.
    Call,
    /// Its parameters come in the opposite order.
    Permuted,
    /// Arguments and results go through `let`.
    Let,
    /// Arguments go through a loop of one iteration.
    Loop,
    /// Something that is 0, made of terms of the function's magnitude, is added.
    Zero,
    /// 2^a f(2^-b x), at the points 2^b x.
    Scaled(i32, i32),
}

fn scalar(p: &Port) -> Scalar {
    p.ty.scalar()
}

/// A power of two as the language has it.
fn power(k: i32) -> String {
    format!("{:?}", 2f64.powi(k))
}

fn domain(p: &Param, by: f64) -> String {
    let end = |x: f64| match x {
        f64::INFINITY => "INF".to_string(),
        f64::NEG_INFINITY => "-INF".to_string(),
        x => format!("{x:?}"),
    };
    match p.domain {
        None => String::new(),
        Some(ParamDomain::Interval { lo, hi, lo_closed, hi_closed }) => {
            let (open, close) = (if lo_closed { '[' } else { '(' }, if hi_closed { ']' } else { ')' });
            format!(" in {open}{}, {}{close}", end(lo * by), end(hi * by))
        }
        Some(ParamDomain::Annulus { r0: 0.0, r1 }) => format!(" in disk({})", end(r1 * by)),
        Some(ParamDomain::Annulus { r0, r1 }) => format!(" in annulus({}, {})", end(r0 * by), end(r1 * by)),
    }
}

/// The change of a function as a function called `changed`; `None` where it does not apply.
fn changed(f: &Function, change: Change) -> Option<String> {
    let (inputs, outputs) = (f.inputs(), f.outputs());
    let float = |p: &Port| scalar(p).is_float();
    let (out_by, in_by) = match change {
        Change::Scaled(a, b) => (a, b),
        _ => (0, 0),
    };
    if !outputs.iter().all(float) {
        return None;
    }
    let mut params: Vec<String> = (inputs.iter().zip(&f.ir().params))
        .map(|(p, own)| {
            let held = if own.nodiff { "#[nodiff] " } else { "" };
            format!("{held}{p}{}", domain(own, if float(p) { 2f64.powi(in_by) } else { 1.0 }))
        })
        .collect();
    if change == Change::Permuted {
        if params.len() < 2 {
            return None;
        }
        params.reverse();
    }
    let dims: Vec<String> = f.dims().into_iter().map(|(name, _)| name).collect();
    let dims = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
    let results = match outputs {
        [one] => one.describe(),
        many => {
            let list: Vec<String> =
                many.iter().enumerate().map(|(k, p)| format!("r{k}: {}", p.describe())).collect();
            format!("({})", list.join(", "))
        }
    };
    let names: Vec<String> = (0..outputs.len()).map(|k| format!("out{k}")).collect();
    let tuple = |list: &[String]| match list {
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    };
    let mut body = String::new();
    let argument = |(k, p): (usize, &Port)| match change {
        Change::Let | Change::Loop if float(p) => format!("p{k}"),
        Change::Scaled(_, b) if float(p) => format!("{}*{}", p.name, power(-b)),
        _ => p.name.clone(),
    };
    let args: Vec<String> = inputs.iter().enumerate().map(argument).collect();
    for (k, p) in inputs.iter().enumerate().filter(|(_, p)| float(p)) {
        body += &match change {
            Change::Let => format!("    let p{k} = {};\n", p.name),
            Change::Loop => format!("    var p{k} = -{};\n    for _ in 0..1 {{ p{k} = -p{k}; }}\n", p.name),
            _ => continue,
        };
    }
    body += &format!("    let {} = {}({});\n", tuple(&names), f.name(), args.join(", "));
    let values: Vec<String> = match change {
        Change::Scaled(..) => names.iter().map(|name| format!("{}*{name}", power(out_by))).collect(),
        Change::Zero => {
            let of = inputs.iter().find(|p| {
                float(p) && (outputs.iter()).all(|o| scalar(o).is_single() == scalar(p).is_single())
            })?;
            let sum = if of.ty.is_array() { format!("sum({})", of.name) } else { of.name.clone() };
            let real = if scalar(of).is_complex() { format!("re({sum})") } else { sum };
            body += &format!("    let s = {real};\n    let zero = sin(s)^2 + cos(s)^2 - 1;\n");
            names.iter().map(|name| format!("{name} + {name}*zero")).collect()
        }
        _ => names,
    };
    Some(format!(
        "\nfn changed{dims}({}) -> {results} {{\n{body}    {}\n}}\n",
        params.join(", "),
        tuple(&values)
    ))
}

/// The point at which the changed function is what the function is at this one.
fn moved(point: &[Datum], change: Change) -> Vec<Datum> {
    let by = match change {
        Change::Scaled(_, b) => 2f64.powi(b),
        _ => 1.0,
    };
    let scaled = |x: &Datum| {
        let mut out = x.clone();
        if x.elem().is_float() {
            (0..x.len()).for_each(|i| out.set(i, Const::from_c128(x.get(i).to_c128() * by, x.elem())));
        }
        out
    };
    let mut point: Vec<Datum> = point.iter().map(scaled).collect();
    if change == Change::Permuted {
        point.reverse();
    }
    point
}

fn options() -> CheckOptions {
    let mut options = CheckOptions::default();
    options.settings.points = Some(2);
    options.settings.special = Some(0);
    options.settings.backends = Backends::None;
    options.settings.every_point = true;
    options.settings.no_blame = true;
    options
}

/// What is said of one function at some points.
fn verdict(source: &str, file: &Path, name: &str, at: Vec<Vec<Datum>>) -> Vec<Report> {
    let text = file.to_str().expect("names are UTF-8");
    let model =
        Model::parse_with(text, source, &mut adc::FileLoader).unwrap_or_else(|d| panic!("{d}\n{source}"));
    let mut options = options();
    options.settings.at = at;
    check(&model, name, &options)
}

/// Statuses, the worst first.
fn worst(reports: &[Report]) -> Option<Status> {
    reports.iter().map(|r| r.status).max()
}

/// Compares a function with some change of it; what is wrong.
fn compare(source: &str, file: &Path, model: &Model, f: &Function, rng: &mut Rng) -> Vec<String> {
    let mut options = options();
    options.settings.seed = Some(rng.bits() % 1000);
    let drawn = check(model, f.name(), &options);
    let Some(first) = drawn.first() else { return Vec::new() };
    let points: Vec<Vec<Datum>> = first.points.iter().map(|p| p.inputs.clone()).collect();
    if points.is_empty() {
        return Vec::new();
    }
    let single = f.inputs().iter().chain(f.outputs()).any(|p| scalar(p).is_single());
    let most = if single { 20 } else { 200 };
    let mut exponent = || rng.below(2 * most + 1) as i32 - most as i32;
    let (a, b) = (exponent(), exponent());
    let changes = [
        Change::Permuted,
        Change::Let,
        Change::Loop,
        Change::Zero,
        Change::Scaled(a, 0),
        Change::Scaled(0, b),
        Change::Scaled(a, b),
    ];
    let Some(plain) = changed(f, Change::Call) else { return Vec::new() };
    let of = |text: &str, change: Change| {
        let at = points.iter().map(|p| moved(p, change)).collect();
        verdict(&format!("{source}\n{text}"), file, "changed", at)
    };
    let before = of(&plain, Change::Call);
    let mut wrong = Vec::new();
    for change in [changes[rng.below(4)], changes[4 + rng.below(3)]] {
        let Some(text) = changed(f, change) else { continue };
        let after = of(&text, change);
        if worst(&before) != worst(&after) {
            let why: Vec<&str> =
                after.iter().flat_map(|r| &r.diagnostics).map(|d| d.message.as_str()).collect();
            wrong.push(format!(
                "{}: {:?} becomes {:?} under {change:?} at {points:?}: {}\n{text}",
                f.name(),
                worst(&before),
                worst(&after),
                why.join("; ")
            ));
        }
    }
    wrong
}

fn conclude(what: &str, count: usize, wrong: &[String]) {
    println!("{what}: {count} functions, {} verdicts changed", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(5)].join("\n"));
}

#[test]
fn same_verdict_of_the_104_functions() {
    let corpus = model("corpus.dsl", CORPUS);
    let functions: Vec<Function> = corpus.functions().collect();
    let mut rng = Rng::new(6);
    let few = cases(30);
    let mut wrong = Vec::new();
    for k in 0..few {
        let f =
            &functions[if few < functions.len() { rng.below(functions.len()) } else { k % functions.len() }];
        wrong.extend(compare(CORPUS, Path::new("corpus.dsl"), &corpus, f, &mut rng));
    }
    conclude("108 functions", few, &wrong);
}

#[test]
fn same_verdict_of_the_model_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("they are there").map(|e| e.expect("it is").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "dsl"));
    files.sort();
    let mut rng = Rng::new(7);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for _ in 0..cases(10).div_ceil(10) {
        for (k, file) in files.iter().enumerate() {
            let source = std::fs::read_to_string(file).expect("it can be read");
            let path = file.to_str().expect("names are UTF-8");
            let model =
                Model::parse_with(path, &source, &mut adc::FileLoader).unwrap_or_else(|d| panic!("{d}"));
            let functions: Vec<Function> = model.functions().collect();
            if effort() == 1 && k % 4 != 0 {
                continue;
            }
            let f = &functions[rng.below(functions.len())];
            count += 1;
            wrong.extend(compare(&source, file, &model, f, &mut rng));
        }
    }
    conclude("models", count, &wrong);
}

/// Operands of sums and products, swapped.
fn swap(region: &mut Region) {
    for inst in &mut region.insts {
        if matches!(inst.kind, Kind::Op(Op::Add | Op::Mul)) {
            inst.args.swap(0, 1);
        }
        inst.regions.iter_mut().for_each(swap);
    }
}

#[test]
fn same_verdict_of_generated_programs() {
    let options = options();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for seed in 0..cases(40) as u64 {
        let Some((mut m, f)) = generated(seed, 14, 2) else { continue };
        let verdict = |m: &Module| check_program(m, f, &options).status;
        let before = verdict(&m);
        for f in &mut m.funcs {
            if let Body::Region(region) = &mut f.body {
                swap(region);
            }
        }
        let after = verdict(&m);
        count += 1;
        if before != after {
            wrong.push(format!("seed {seed}: {before:?} becomes {after:?} with operands swapped\n{m}"));
        }
    }
    conclude("generated programs", count, &wrong);
}

/// Sums of exponentials with terms that a mask takes out, `MASK` being what it puts in their place.
fn masked(rng: &mut Rng) -> String {
    let which = ["i > 1", "i == 0", "mod(i, 2) == 1", "i < 3"][rng.below(4)];
    let of = ["x[i]", "x[i]*y[i]", "sin(x[i]) - y[i]^2", "0.5*x[i] + y[0]"][rng.below(4)];
    let use_of = [
        "logsumexp(s)",
        "dot(softmax(s), y)",
        "sum(exp(s))",
        "log(sum(exp(s)))",
        "sum(exp(s - logsumexp(s))*y)",
        "logaddexp(s[0], logaddexp(s[1], logaddexp(s[2], s[3])))",
        "{ let top = max(s); top + log(sum(exp(s - top))) }",
        "{ var run = MASK; for i in 0..4 { run = logaddexp(run, s[i]); } run }",
    ];
    format!(
        "fn f(x: f64[4], y: f64[4]) -> f64 {{\n    let s = [if {which} {{ MASK }} else {{ {of} }} for i in 0..4];\n    {}\n}}\n\
         check f {{ x ~ normal(0, 1); y ~ normal(0, 1); }}\n",
        rng.pick(&use_of)
    )
}

#[test]
fn same_verdict_of_masks() {
    let mut rng = Rng::new(8);
    let mut options = options();
    options.settings.special = None;
    let mut wrong = Vec::new();
    let count = cases(24);
    for _ in 0..count {
        let source = masked(&mut rng);
        let of = |mask: &str| worst(&check(&model("mask.dsl", &source.replace("MASK", mask)), "f", &options));
        let found = (of("(-1e30)"), of("(-INF)"));
        if found != (Some(Status::Ok), Some(Status::Ok)) {
            wrong.push(format!("{found:?} of -1e30 and -INF in\n{source}"));
        }
    }
    conclude("masks", count, &wrong);
}
