//! File tests of the text form, the verifier and dead code elimination.

use adc_ir::specialise::specialise;
use adc_ir::testing::filetest::{self, Case};
use adc_ir::text::{PrintOptions, parse_module, print_func, print_module_with};
use adc_ir::verify::{assert_valid, verify};
use adc_ir::{Builder, Diagnostic, FileId, Module, Op, Span, Type, dce};

fn folder(name: &str) -> String {
    format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The code, the message, and what is said of which characters.
fn refusal(d: &Diagnostic, text: &str) -> String {
    let span = d.span();
    let marked = &text[span.start as usize..span.end as usize];
    format!("{}: {}\n`{marked}`: {}", d.code, d.message, d.labels[0].text)
}

fn read(case: &Case) -> Result<Module, String> {
    parse_module(case.input).map_err(|d| refusal(&d, case.input))
}

/// The program as it prints (with spans if the file says `spans`), after checking that it reads back.
fn text(case: &Case) -> String {
    let opts = PrintOptions { spans: case.options.contains("spans"), ..PrintOptions::default() };
    match read(case) {
        Err(refusal) => refusal,
        Ok(m) => {
            let printed = print_module_with(&m, &opts);
            let again = parse_module(&printed).unwrap_or_else(|d| panic!("{}", refusal(&d, &printed)));
            assert_eq!(print_module_with(&again, &opts), printed, "{} {}", case.file, case.name);
            printed
        }
    }
}

fn errors(case: &Case) -> String {
    match read(case).map(|m| verify(&m)) {
        Err(refusal) => refusal,
        Ok(Ok(())) => "valid".into(),
        Ok(Err(errors)) => errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn text_form() {
    filetest::run(folder("text"), ";", text);
}

#[test]
fn verifier() {
    filetest::run(folder("verify"), ";", errors);
}

#[test]
fn dead_code() {
    filetest::run(folder("dce"), ";", |case| {
        let mut m = read(case).unwrap_or_else(|refusal| panic!("{refusal}"));
        dce::run_module(&mut m);
        assert_valid(&m, "dce");
        m.to_string()
    });
}

/// The instances made for lines `; specialise f[3, 4]`.
#[test]
fn instances() {
    filetest::run(folder("specialise"), ";", |case| {
        let mut m = read(case).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_valid(&m, "the test");
        let before = m.clone();
        let mut out = String::new();
        for call in case.input.lines().filter_map(|l| l.strip_prefix("; specialise ")) {
            let (name, dims) = call.trim_end_matches(']').split_once('[').expect("name[numbers]");
            let dims: Vec<i64> =
                dims.split(',').filter(|n| !n.is_empty()).map(|n| n.trim().parse().unwrap()).collect();
            let f = m.find(name).expect("the function exists");
            match specialise(&mut m, f, &dims) {
                Ok(f) => out += &format!("{call} is `{}`\n", m.func(f).name),
                Err(d) => out += &format!("{call}: {}: {}\n", d.code, d.message),
            }
        }
        assert_valid(&m, "specialise");
        assert_eq!(m.funcs[..before.funcs.len()], before.funcs, "what was there stays");
        let instances = m.funcs[before.funcs.len()..].iter();
        instances.for_each(|f| out += &format!("\n{}", print_func(&m, f, &PrintOptions::default())));
        out
    });
}

#[test]
fn comments_show_the_source() {
    let source = "fn f(x: f64, y: f64) -> f64 {\n  x * sin(y)\n}";
    let at = |text: &str| {
        let start = source.find(text).unwrap();
        Span::new(FileId(0), start, start + text.len())
    };
    let mut b = Builder::new("f", at("fn f"));
    let (x, y) = (b.param("x", Type::F64), b.param("y", Type::F64));
    b.set_span(at("sin(y)"));
    let s = b.op(Op::Sin, &[y]);
    b.set_span(at("x * sin(y)"));
    let out = b.op(Op::Mul, &[x, s]);
    let mut m = Module::default();
    m.add(b.finish(vec![("out".into(), out)]));
    let sources = [("f.dsl", source)];
    let text = print_func(&m, &m.funcs[0], &PrintOptions { spans: false, sources: &sources });
    let want = "\
fn f(x: f64, y: f64) -> f64 {
  v0 = sin y     ; 2:7  sin(y)
  v1 = mul x, v0 ; 2:3  x * sin(y)
  return v1
}
";
    assert_eq!(text, want);
    assert!(parse_module(&text).is_ok());
}
