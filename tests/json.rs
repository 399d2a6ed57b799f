//! What `--format json` prints fits the schemas in `schemas/`, which name every field.

use crate::common;

use common::{Run, adc, adc_with_stdin};
use jsonschema::{Retrieve, Uri, Validator};
use serde_json::Value;

/// The schema of a document by its `schema` field, with every field that it does not name forbidden. (The files
/// themselves allow more: fields are added within a version.)
fn schema(name: &str) -> Validator {
    let schema = file(&format!("{}.json", name.replace('/', "-")));
    jsonschema::options()
        .with_base_uri("file:///schemas/")
        .with_retriever(Files)
        .build(&schema)
        .expect("a schema is a schema")
}

/// The schemas that others refer to.
struct Files;

impl Retrieve for Files {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Ok(file(uri.path().as_str().rsplit('/').next().unwrap_or_default()))
    }
}

fn file(name: &str) -> Value {
    let path = format!("{}/schemas/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut schema = serde_json::from_str(&text).expect("a schema is JSON");
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.get("properties").is_some_and(Value::is_object) && fields.contains_key("type") {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn valid(name: &str, text: &str) -> Value {
    let doc: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in\n{text}"));
    assert_eq!(doc["schema"], name, "{text}");
    let errors: Vec<String> =
        schema(name).iter_errors(&doc).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
    doc
}

fn on_model(args: &str, model: &str) -> Run {
    adc_with_stdin(args.split_whitespace().chain(["--format", "json"]), model)
}

#[test]
fn run_and_grad() {
    const MODEL: &str = "fn f(x: f64, z: c128, n: i64, y: f32) -> (a: f64, b: c128, c: bool) {
        (x*abs2(z) + f64(y), z^2*x, n > 0)
    }
    fn g(x: f64, z: c128) -> f64 { x^2*abs2(z) }
    fn h(x: f64, y: f64) -> f64 { x*y^2 }
    fn inf(x: f64) -> f64 { 1/x }";
    let f = "--fn f --at x=1.5,z=3+4i,n=2,y=0.1";
    let (g, h) = ("--fn g --at x=2,z=1-1i", "--fn h --at x=1,y=2");
    let cases = [
        ("run - ", f),
        ("run - --fn inf --at ", "x=0"),
        ("grad - ", g),
        ("grad - --wirtinger ", g),
        ("grad - --convention jax ", g),
        ("grad - --wrt x ", g),
        ("grad - --output a ", f),
        ("grad - --cotangent [1,\"1+1i\",false] ", f),
        ("grad - --mode jvp --tangent x=1,z=1i ", f),
        ("grad - --mode fd ", g),
        ("grad - --jacobian ", f),
        ("grad - --jacobian ", g),
        ("grad - --hessian ", h),
        ("grad - --hvp x=1 ", h),
        ("grad - --fn inf --at ", "x=0"),
    ];
    for (command, at) in cases {
        let args = format!("{command}{at}");
        let run = on_model(&args, MODEL);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args}");
        let name = if command.starts_with("run") { "adc.run/1" } else { "adc.grad/1" };
        valid(name, &run.out);
    }
}

#[test]
fn object_files() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("object-json");
    let model = "extern fn g(x: f64) -> f64; fn f(x: f64) -> f64 { g(x) }";
    let run = on_model(&format!("build - --modes primal -o {}", dir.join("f.o").display()), model);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let doc = valid("adc.build/1", &run.out);
    assert_eq!((&doc["symbols"], &doc["externs"]), (&serde_json::json!(["f_f"]), &serde_json::json!(["g"])));
}

#[test]
fn arrays() {
    const MODEL: &str = "fn f[N](x: f64[N], z: c128[N], n: i64[N]) -> (a: f64, b: c128[N], c: bool[N]) {
        (sum(x[i]*abs2(z[i]) for i), x*z, [n[i] > 0 for i])
    }
    fn g[N](x: f64[N], z: c128[N]) -> f64 { sum(x[i]^2*abs2(z[i]) for i) }
    fn h[N](x: f64[N], y: f64) -> f64 { y*sum(x^3) }";
    let f = r#"--fn f --at {"x":[1,"inf"],"z":["1+2i",{"im":1}],"n":[1,-2]}"#;
    let (g, h) = ("--fn g --at x=[2,1],z=[1-1i,2]", "--fn h --at x=[1,2,3],y=2");
    let cases = [
        ("run - ", f),
        ("run - --interp ", f),
        ("grad - ", g),
        ("grad - --wirtinger ", g),
        ("grad - --output a ", f),
        ("grad - --cotangent [1,[0,1],[true,false]] ", f),
        ("grad - --mode jvp --tangent x=[1,0] ", f),
        ("grad - --mode fd ", g),
        ("grad - --jacobian ", g),
        ("grad - --jacobian ", f),
        ("grad - --hessian ", h),
        ("grad - --jacobian --sparse ", h),
        ("grad - --hessian --sparse ", h),
        ("grad - --hvp x=[1,0,0] ", h),
    ];
    for (command, at) in cases {
        let args = format!("{command}{at}");
        let run = on_model(&args, MODEL);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args}");
        let name = if command.starts_with("run") { "adc.run/1" } else { "adc.grad/1" };
        valid(name, &run.out);
    }
}

#[test]
fn suggestions() {
    let model = "fn f(x: f64, y: f64) -> f64 { log(x)*y } fn g(x: f64) -> f64 { x } check g { }
        fn h[N](x: f64[N]) -> f64 { x[9] } fn none(x: f64) -> f64 { log(-1 - x^2) }";
    let run = on_model("check - --suggest", model);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let doc = valid("adc.suggest/1", &run.out);
    let list = doc["suggestions"].as_array().expect("a list");
    let of = |field: &str| list.iter().map(|s| s[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("function"), ["f", "h", "none"]);
    assert_eq!(of("works"), [true, true, false]);
    assert_eq!(list[0]["assumed"]["domains"]["x"], "~ lognormal(0, 1)");
    assert_eq!(list[1]["assumed"]["dims"]["N"], 10);
    assert!(list[2]["assumed"].is_null());
}

#[test]
fn bench() {
    let model = "fn f[N](x: f64[N]) -> f64 { sum(exp(x[i])*x[i] for i) }
        bench f[N = 10] { x ~ normal(0, 1); modes primal, jvp, vjp; max_ratio 5; }";
    let run = on_model("bench - --no-time", model);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let doc = valid("adc.bench/1", &run.out);
    assert_eq!(doc["results"][0]["transcendentals"], 10, "{}", run.out);
    let run = on_model("bench - --no-time", &model.replace("max_ratio 5", "max_ratio 0.5"));
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(valid("adc.bench/1", &run.out)["diagnostics"][0]["code"], "ADC0309");
    let run = on_model("bench -", model);
    assert!(valid("adc.bench/1", &run.out)["results"][0]["ns"].as_f64().is_some_and(|ns| ns > 0.0));
}

/// A baseline is compared with itself, with more work, and with another machine and level.
#[test]
fn bench_baselines() {
    let model = "fn f(x: f64) -> f64 { x*x } bench f { x = 2.0; modes primal, vjp; }";
    let folder = std::env::temp_dir().join(format!("adc-baselines-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (before, after) = (path("before.json"), path("after.json"));
    let saved = on_model(&format!("bench - --no-time --save {before}"), model);
    assert_eq!((saved.code, saved.err.as_str()), (0, ""));
    assert_eq!(
        valid("adc.bench/1", &std::fs::read_to_string(&before).expect("written")),
        valid("adc.bench/1", &saved.out)
    );
    let same = on_model(&format!("bench - --no-time --compare {before}"), model);
    assert_eq!(same.code, 0, "{}", same.out);
    assert_eq!(valid("adc.bench/1", &same.out)["comparison"]["grown"], 0);

    let more = model.replace("x*x", "x*x*sin(x)");
    let grown = on_model(&format!("bench - --no-time --compare {before} --save {after}"), &more);
    assert_eq!(grown.code, 1, "{}", grown.out);
    let doc = valid("adc.bench/1", &grown.out);
    assert_eq!(doc["comparison"]["programs"][0]["changes"][0]["count"], "work");
    let allowed = on_model(&format!("bench - --no-time --compare {before} --max-regress 100000"), &more);
    assert!(allowed.out.contains("work") && allowed.code == 1, "a count of 0 may not grow: {}", allowed.out);
    // Two files, and nothing is measured.
    let files = on_model(&format!("bench nothing.dsl --compare {before},{after}"), "");
    assert_eq!(valid("adc.bench/1", &files.out)["comparison"], doc["comparison"]);
    assert_eq!(files.code, 1);
    assert_eq!(on_model(&format!("bench - --compare {before},{after} --save {after}"), model).code, 2);
    assert_eq!(on_model("bench - --max-regress 5", model).code, 2);

    let level = on_model(&format!("bench - --no-time --opt 1 --compare {before}"), model);
    assert!(
        valid("adc.bench/1", &level.out)["comparison"]["notes"][0]
            .as_str()
            .is_some_and(|n| n.contains("opt"))
    );
    let text = std::fs::read_to_string(&before).expect("written").replace("-linux", "-elsewhere");
    std::fs::write(&after, text.replace("-macos", "-elsewhere").replace("-windows", "-elsewhere"))
        .expect("writable");
    let machine = on_model(&format!("bench - --no-time --compare {after}"), model);
    let notes = &valid("adc.bench/1", &machine.out)["comparison"]["notes"];
    assert!(notes[0].as_str().is_some_and(|n| n.contains("-elsewhere")), "{notes}");
    std::fs::write(&after, "{}").expect("writable");
    assert_eq!(on_model(&format!("bench - --compare {after}"), model).code, 2);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn check() {
    let models = [
        // Passes, with a second function that no block reaches.
        ("fn f(z: c128, x: f64) -> c128 { z^2*x } fn g(x: f64) -> f64 { x } check f { points 2; }", 0),
        // A wrong rule, called.
        (
            "fn r(t: f64) -> f64 { t^3 } rule vjp r(t; g) { g*t } fn f(x: f64) -> f64 { r(x) } check f { x in [1, 2]; }",
            1,
        ),
        // A derivative that is not finite, and one that is trusted.
        ("fn f(x: f64) -> f64 { x*sqrt(x) } check f { x = 0; }", 1),
        (
            "fn f(x: f64) -> f64 { x } #[check(trust)] rule vjp f(x; g) { 2*g } fn h(x: f64) -> f64 { f(x)*x } check h { }",
            0,
        ),
        // No value anywhere; an expectation; nothing to do; single precision; a type error.
        ("fn f(x: f64) -> f64 { log(x) } check f { x in [-2, -1]; }", 1),
        ("fn f(x: f64) -> f64 { assert x > 0, \"no\"; x } check f { x in [-2, -1]; expect error; }", 0),
        ("fn f(n: i64) -> i64 { n }", 1),
        // A loop without an end at some points, and at all.
        (
            "fn f(x: f64) -> f64 { var y = x; while y > 1 { y = y*1.5; } y } check f { x in [0, 1.2]; fuel 99; }",
            0,
        ),
        (
            "fn f(x: f64) -> f64 { var y = x; while y > -1 { y = y*0.5; } y } check f { x in [0, 1]; fuel 99; }",
            1,
        ),
        // A domain, sizes, or both have to be assumed.
        ("fn f(x: f64, y: f64) -> f64 { log(x)*sqrt(y) }", 0),
        ("fn f[N](x: f64[N], k: i64) -> f64 { assert N >= 5, \"long\"; x[k + 2]^2 }", 0),
        ("fn f(x: f32) -> f32 { x^2 }", 0),
        ("fn f(x: f64) -> f64 { tahn(x) }", 2),
        ("fn f(x: f64) -> f64 { (x }", 2),
    ];
    let flags = ["", "--mode fast", "--classic", "--max-relative-error 0.005 --per-entry", "--wrt y"];
    for (model, code) in models {
        for flags in flags {
            let run = on_model(&format!("check - {flags}"), model);
            let doc = valid("adc.check/1", &run.out);
            assert_eq!(doc["summary"]["exit_code"], run.code, "{}", run.out);
            assert!(flags == "--wrt y" || run.code == code, "{model} {flags}\n{}", run.out);
        }
    }
}

#[test]
fn check_line_by_line() {
    let model = "fn f(x: f64) -> f64 { x^2 } fn g(x: f64) -> f64 { log(x) } fn h(n: i64) -> i64 { n }
        check f { points 2; } check g { x in [-2, -1]; }";
    let run = adc_with_stdin(["check", "-", "--format", "json-lines"], model);
    let whole: Value = serde_json::from_str(&on_model("check -", model).out).expect("one document");
    let lines: Vec<Value> = run.out.lines().map(|line| valid("adc.check-line/1", line)).collect();
    let kinds: Vec<&str> = lines.iter().filter_map(|l| l["kind"].as_str()).collect();
    assert_eq!((run.code, &kinds[..]), (1, &["function", "function", "file", "summary"][..]), "{}", run.out);
    for (line, result) in lines.iter().zip(whole["results"].as_array().expect("results")) {
        assert_eq!(line["result"], *result);
    }
    assert_eq!(lines[1]["diagnostics"][0]["code"], "ADC0302");
    assert_eq!(lines[2]["not_checked"], whole["not_checked"]);
    assert_eq!((&lines[3]["summary"], &lines[3]["interrupted"]), (&whole["summary"], &Value::Bool(false)));
    let refused = adc_with_stdin(["check", "-", "--format", "json-lines"], "fn f(x: f64) -> f64 { (x }");
    let kinds = refused.out.lines().map(|line| valid("adc.check-line/1", line)["kind"].clone());
    assert_eq!((refused.code, kinds.collect::<Vec<_>>()), (2, vec!["file".into(), "summary".into()]));
}

#[test]
fn every_expectation_is_named() {
    for (expected, word) in adc_ir::Expect::ALL {
        let model = format!("fn f(x: f64) -> f64 {{ x^3 }} check f {{ points 1; expect {word}; }}");
        let doc = valid("adc.check/1", &on_model("check -", &model).out);
        assert_eq!((&doc["results"][0]["expected"], expected.name()), (&Value::from(*word), *word), "{doc}");
    }
}

#[test]
fn errors() {
    let model = "fn f(x: f64 in [0, 1]) -> f64 { x } fn t(x: f64) -> (f64, f64) { (x, x) }";
    let cases = [
        "run - --fn f --at x=2",
        "run - --fn f",
        "run - --fn none --at x=2",
        "grad - --fn t --at x=2",
        "run - --fn f --at x=one",
        "run no-such-file.dsl --at x=2",
        "emit - --emit=vjp --wrt y",
        "explain unheard-of",
    ];
    for args in cases {
        let run = on_model(args, model);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args}");
        valid("adc.error/1", &run.err);
    }
    let run = adc(["run", "-", "--format", "json", "--at", "x=1"]);
    valid("adc.error/1", &run.err);
}

#[test]
fn selftest() {
    let run = adc(["selftest", "--filter", "erf/r/x/negated", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let doc = valid("adc.selftest/1", &run.out);
    let mutants = doc["mutants"].as_array().expect("there are mutants");
    assert_eq!(mutants.len(), 2);
    assert!(mutants.iter().all(|m| m["fate"] == "killed" && m["verdict"].is_string()));
}
