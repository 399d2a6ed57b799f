//! File tests of names, types and lowering: `files/lower` shows the IR of programs (and what their blocks ask
//! for), `files/errors` the diagnostics of broken ones, `files/mistakes` those of what people write who come from
//! another language, `files/run` what the interpreter makes of every function without parameters. A line `//== other.dsl` starts another file of the
//! program, the first part is the main one.

use adc_frontend::{Failure, Loader, Program, SourceFile, compile, syntax::position::Positions};
use adc_ir::interp::{Interp, NoExterns, Val};
use adc_ir::testing::{StdMath, filetest};
use adc_ir::{Certainty, Const, Diagnostic, Diagnostics, FuncId, Scalar, Severity, Span, verify};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

#[test]
fn lower() {
    filetest::run(folder("lower"), "//", |case| match build(case.input) {
        Ok(p) => shown(&p),
        Err(f) => format!("UNEXPECTED\n{}", diagnostics(&f.diagnostics, &f.files)),
    });
}

#[test]
fn errors() {
    filetest::run(folder("errors"), "//", |case| match build(case.input) {
        Ok(_) => "UNEXPECTED: no error\n".into(),
        Err(f) => {
            assert_suggestions_help(case.name, case.input, &f);
            diagnostics(&f.diagnostics, &f.files)
        }
    });
}

#[test]
fn mistakes() {
    filetest::run(folder("mistakes"), "//", |case| match build(case.input) {
        Ok(_) => "no error\n".into(),
        Err(f) => {
            f.diagnostics.0.iter().for_each(|d| assert!(has_next_step(d), "{}: {}", case.name, d.message));
            assert_suggestions_help(case.name, case.input, &f);
            diagnostics(&f.diagnostics, &f.files)
        }
    });
}

/// The lints of each program; what is certain is done, and does not come back.
#[test]
fn lints() {
    filetest::run(folder("lints"), "//", |case| {
        let p = match build(case.input) {
            Ok(p) => p,
            Err(f) => return format!("UNEXPECTED\n{}", diagnostics(&f.diagnostics, &f.files)),
        };
        let main = &p.files[0].text;
        for d in &p.lints.0 {
            for s in &d.suggestions {
                let Some(text) = adc_ir::edited(main, &s.edits) else { panic!("{}: {s:?}", case.name) };
                let after = build(&format!("{text}{}", &case.input[main.len()..]));
                let Ok(after) = after else { panic!("{}: {s:?} breaks the program:\n{text}", case.name) };
                let left = after.lints.0.iter().filter(|o| (o.code, &o.message) == (d.code, &d.message));
                let before = p.lints.0.iter().filter(|o| (o.code, &o.message) == (d.code, &d.message));
                assert!(left.count() < before.count(), "{}: {s:?} does not help:\n{text}", case.name);
            }
        }
        diagnostics(&p.lints, &p.files)
    });
}

/// Models that are written well have no lints.
#[test]
fn models_have_no_lints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace");
    let mut found = String::new();
    for dir in ["models", "tests/field", "examples"] {
        for path in sources(&root.join(dir)) {
            let text = std::fs::read_to_string(&path).expect("a model can be read");
            let mut loader = Disk(path.clone());
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            // What needs more than a file (extern libraries, arrays) compiles all the same; what does not is tested elsewhere.
            if let Ok(p) = compile(&name, &text, &mut loader, &StdMath) {
                found += &diagnostics(&p.lints, &p.files).replace("error[", "warning[");
                p.lints.0.iter().for_each(|d| found += &format!("    in {name}: {}\n", d.code));
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}

/// The models below a directory.
fn sources(dir: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    paths.sort();
    let below = |p: std::path::PathBuf| match p.is_dir() {
        true => sources(&p),
        false => Vec::from_iter(p.extension().is_some_and(|e| e == "dsl").then_some(p)),
    };
    paths.into_iter().flat_map(below).collect()
}

/// Files beside a model.
struct Disk(std::path::PathBuf);

impl Loader for Disk {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        let path = self.0.with_file_name(path);
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
        Ok((path.display().to_string(), text))
    }

    fn array(&mut self, _: &str, _: &str) -> Result<adc_ir::datum::Datum, String> {
        Err("arrays are not loaded here".to_string())
    }
}

/// Whether a message says what to write.
fn has_next_step(d: &Diagnostic) -> bool {
    !d.help.is_empty()
        || d.labels.iter().any(|l| l.text.contains("did you mean") || l.text.starts_with("write"))
}

/// Each suggestion that is certain, made alone, leaves fewer errors or others behind it in the file.
fn assert_suggestions_help(case: &str, input: &str, f: &Failure) {
    let main = &f.files[0].text;
    let others = &input[main.len()..];
    for d in &f.diagnostics.0 {
        for s in d.suggestions.iter().filter(|s| s.edits.iter().all(|e| e.span.file.0 == 0)) {
            let Some(text) = adc_ir::edited(main, &s.edits) else { panic!("{case}: {s:?}") };
            let gone = match build(&format!("{text}{others}")) {
                Ok(_) => true,
                Err(after) => !after
                    .diagnostics
                    .0
                    .iter()
                    .any(|o| (o.code, &o.message) == (d.code, &d.message) && o.span() == d.span()),
            };
            assert!(gone || s.certainty == Certainty::Likely, "{case}: {s:?} does not help:\n{text}");
        }
    }
}

#[test]
fn run() {
    filetest::run(folder("run"), "//", |case| match build(case.input) {
        Ok(p) => p.functions.iter().map(|f| called(&p, *f)).collect(),
        Err(f) => format!("UNEXPECTED\n{}", diagnostics(&f.diagnostics, &f.files)),
    });
}

/// `f() = 1.0, true`, or the run-time error; nothing for functions with parameters.
fn called(p: &Program, f: FuncId) -> String {
    let func = p.module.func(f);
    if !func.params.is_empty() || !func.dims.is_empty() {
        return String::new();
    }
    let interp = Interp::new(&p.module, &StdMath, &NoExterns);
    match interp.call(f, &[]) {
        Ok(values) => {
            let shown = values.iter().zip(&func.results).map(|(v, r)| value(v, r.ty.scalar()));
            format!("{}() = {}\n", func.name, shown.collect::<Vec<_>>().join(", "))
        }
        Err(e) => format!("{}() fails: {e} at {}\n", func.name, place(e.span, &p.files)),
    }
}

/// A scalar, or the rows of an array.
fn value(v: &Val<f64>, ty: Scalar) -> String {
    fn rows(shape: &[usize], data: &[String]) -> String {
        let Some((n, inner)) = shape.split_first() else { return data[0].clone() };
        let size = inner.iter().product::<usize>();
        let parts: Vec<String> = (0..*n).map(|i| rows(inner, &data[i * size..(i + 1) * size])).collect();
        format!("[{}]", parts.join(", "))
    }
    let one = |c: Const| match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(n) => n.to_string(),
        Const::F32(x) => format!("{x:?}f32"),
        Const::F64(x) => format!("{x:?}"),
        Const::C64(z) => format!("({:?}, {:?})f32", z.re, z.im),
        Const::C128(z) => format!("({:?}, {:?})", z.re, z.im),
    };
    let data: Vec<String> = v.to_consts(ty).into_iter().map(one).collect();
    match v {
        Val::Array(a) => rows(a.shape(), &data),
        _ => data[0].clone(),
    }
}

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// The parts of a test's input behind the first, by name.
struct Parts(BTreeMap<String, String>);

impl Loader for Parts {
    fn load(&mut self, _: &str, path: &str) -> Result<(String, String), String> {
        let text = self.0.get(path).ok_or_else(|| "no such file".to_string())?;
        Ok((path.to_string(), text.clone()))
    }
}

fn build(input: &str) -> Result<Program, Failure> {
    let mut parts = input.split("//== ");
    let main = parts.next().unwrap_or_default();
    let mut files = Parts(BTreeMap::new());
    for part in parts {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        files.0.insert(name.trim().to_string(), text.to_string());
    }
    files.0.insert("main.dsl".into(), main.into());
    let built = compile("main.dsl", main, &mut files, &StdMath);
    if let Ok(p) = &built {
        verify::verify(&p.module).expect("the module verifies");
    }
    built
}

/// Notes, IR, blocks.
fn shown(p: &Program) -> String {
    let mut out = diagnostics(&p.warnings, &p.files);
    out += &adc_ir::text::print_module(&p.module);
    for c in &p.checks {
        writeln!(out, "\ncheck {} {}", p.module.func(c.func).name, block(format!("{c:?}"))).unwrap();
    }
    for b in &p.benches {
        writeln!(out, "\nbench {} {}", p.module.func(b.func).name, block(format!("{b:?}"))).unwrap();
    }
    out
}

/// The debug form of a block without what every block has.
fn block(debug: String) -> String {
    let inner = debug.split_once("{ ").map_or("", |(_, rest)| rest);
    let inner = inner.split_once(", ").map_or("", |(_, rest)| rest);
    inner.rsplit_once(", span").map_or(inner, |(rest, _)| rest).to_string()
}

/// ```text
/// error[ADC0204]: message
///   ^ 3:18-3:24 `abs(z)`: label          (- for secondary ones)
///   = help: …
/// ```
fn diagnostics(all: &Diagnostics, files: &[SourceFile]) -> String {
    let mut out = String::new();
    for d in &all.0 {
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        writeln!(out, "{severity}[{}]: {}", d.code, d.message).unwrap();
        for l in &d.labels {
            let mark = if l.primary { '^' } else { '-' };
            writeln!(out, "  {mark} {}: {}", place(l.span, files), l.text).unwrap();
        }
        d.notes.iter().for_each(|n| writeln!(out, "  = note: {n}").unwrap());
        d.help.iter().for_each(|h| writeln!(out, "  = help: {h}").unwrap());
        for s in &d.suggestions {
            let sure = match s.certainty {
                Certainty::Certain => "!",
                Certainty::Likely => "?",
            };
            let edits = s.edits.iter().map(|e| format!("{} -> `{}`", place(e.span, files), e.text));
            writeln!(out, "  {sure} {}: {}", s.title, edits.collect::<Vec<_>>().join(", ")).unwrap();
        }
    }
    out
}

fn place(span: Span, files: &[SourceFile]) -> String {
    let file = &files[span.file.0 as usize];
    let text = &file.text[span.start as usize..span.end as usize];
    let short = text.lines().next().unwrap_or_default();
    let more = if short.len() < text.len() { " …" } else { "" };
    let name = if span.file.0 == 0 { String::new() } else { format!("{}:", file.name) };
    format!("{name}{} `{short}{more}`", Positions::new(&file.text).range(span))
}
