//! Hard points of derivative compilers: `tests/cases/*.dsl`.
//!
//! A line `//= f(arguments) = results` says what a function gives; `~ t` behind it is a tolerance (relative to the largest
//! entry; 1e-12 otherwise), `error CODE` stands for results that there are none of, several results have `;` between them.
//! Each holds in the interpreter and compiled at every level, and with every loop under `#[checkpoint(sqrt)]`.

use adc::{Error, Function, Model, Options, Value};
use adc_ir::{Const, Datum, Scalar};
use adc_simplify::OptLevel;
use num_complex::Complex64;
use std::fmt::Write;

/// Relative to the largest entry of a result.
const TOLERANCE: f64 = 1e-12;

/// What a line says.
struct Case<'a> {
    line: usize,
    function: &'a str,
    args: Vec<Tree>,
    expected: Result<Vec<Tree>, &'a str>,
    tolerance: f64,
}

/// A number or a list.
#[derive(Clone, Debug)]
enum Tree {
    Number(Complex64),
    List(Vec<Tree>),
}

#[test]
fn hard_points() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let (mut wrong, mut count) = (String::new(), 0);
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let source = std::fs::read_to_string(&path).unwrap();
        let cases = cases(&source);
        assert!(!cases.is_empty(), "{name} has no cases");
        for (how, text) in [("", source.clone()), (" with checkpoints", checkpointed(&source))] {
            let model = Model::parse(name, &text).unwrap_or_else(|d| panic!("{d}"));
            for case in &cases {
                count += 1;
                let f = model.function(case.function).unwrap_or_else(|e| panic!("{name}:{}: {e}", case.line));
                for complaint in run(&f, case) {
                    writeln!(wrong, "{name}:{}: {}{how}, {complaint}", case.line, case.function).unwrap();
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 350, "{count}");
}

/// Every loop that is a statement with an attribute.
fn checkpointed(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source;
    let (mut fresh, mut open) = (true, Vec::new());
    while !rest.is_empty() {
        let word = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if fresh && ["for", "while"].contains(&word) && !out.trim_end().ends_with(']') {
            out += "#[checkpoint(sqrt)] ";
        }
        let next = if word.is_empty() { rest.chars().next().map_or(0, char::len_utf8) } else { word.len() };
        let (here, behind) = rest.split_at(next);
        match here {
            "{" | "(" | "[" => open.push(here),
            "}" | ")" | "]" => drop(open.pop()),
            _ => {}
        }
        // A statement begins at the start of a line, behind `{` or behind `;`. In other brackets, a `for` is a generator's.
        fresh = match here {
            " " => fresh,
            "\n" | "{" | ";" => open.last().is_none_or(|&b| b == "{"),
            _ => false,
        };
        out += here;
        rest = behind;
    }
    out
}

fn cases(source: &str) -> Vec<Case<'_>> {
    let case = |(i, line): (usize, &'static str)| -> Case<'static> {
        let bad = || -> ! { panic!("line {}: {line}", i + 1) };
        let Some((call, expected)) = line.split_once(") = ") else { bad() };
        let Some((function, args)) = call.split_once('(') else { bad() };
        let (expected, tolerance) = match expected.split_once(" ~ ") {
            Some((e, t)) => (e, t.trim().parse().unwrap_or_else(|_| bad())),
            None => (expected, TOLERANCE),
        };
        let expected = match expected.strip_prefix("error ") {
            Some(code) => Err(code.trim()),
            None => Ok(expected.split(';').map(|e| list(e).pop().unwrap_or_else(|| bad())).collect()),
        };
        Case { line: i + 1, function: function.trim(), args: list(args), expected, tolerance }
    };
    // The file lives as long as the test.
    let source: &'static str = Box::leak(source.to_string().into_boxed_str());
    let lines = source.lines().enumerate();
    lines.filter_map(|(i, l)| Some(case((i, l.trim().strip_prefix("//= ")?)))).collect()
}

/// Values with commas between them.
fn list(text: &str) -> Vec<Tree> {
    let mut open: Vec<Vec<Tree>> = vec![Vec::new()];
    let mut word = String::new();
    for c in text.chars().chain([',']) {
        match c {
            '[' => open.push(Vec::new()),
            ']' | ',' => {
                if !word.trim().is_empty() {
                    open.last_mut().unwrap().push(Tree::Number(number(word.trim())));
                }
                word.clear();
                if c == ']' {
                    let list = open.pop().unwrap();
                    open.last_mut().unwrap_or_else(|| panic!("{text}")).push(Tree::List(list));
                }
            }
            c => word.push(c),
        }
    }
    assert_eq!(open.len(), 1, "{text}");
    open.remove(0)
}

/// `1`, `-2.5`, `inf`, `nan`, `1-2i`.
fn number(text: &str) -> Complex64 {
    let real = |t: &str| t.parse::<f64>().unwrap_or_else(|_| panic!("a number: {text}"));
    let Some(body) = text.strip_suffix('i') else { return Complex64::new(real(text), 0.0) };
    // The sign between the parts is the last one that is not an exponent's.
    let mut signs = body.char_indices().filter(|(i, c)| *i > 0 && "+-".contains(*c));
    let at = signs.rfind(|(i, _)| !body[..*i].ends_with(['e', 'E'])).map_or(0, |(i, _)| i);
    Complex64::new(real(&body[..at]), real(&body[at..]))
}

/// A value of a type and, where they are known, sizes.
fn datum(tree: &Tree, elem: Scalar, rank: usize, sizes: &[Option<usize>]) -> Datum {
    fn shape(tree: &Tree, out: &mut Vec<usize>) {
        if let Tree::List(list) = tree {
            out.push(list.len());
            if let Some(first) = list.first() {
                shape(first, out);
            }
        }
    }
    fn numbers(tree: &Tree, out: &mut Vec<Complex64>) {
        match tree {
            Tree::Number(x) => out.push(*x),
            Tree::List(list) => list.iter().for_each(|t| numbers(t, out)),
        }
    }
    let (mut found, mut all) = (Vec::new(), Vec::new());
    shape(tree, &mut found);
    numbers(tree, &mut all);
    for k in found.len()..rank {
        found.push(sizes.get(k).copied().flatten().unwrap_or(0));
    }
    let mut datum = Datum::zeros(elem, &found);
    for (i, x) in all.into_iter().enumerate() {
        datum.set(i, Const::from_c128(x, elem));
    }
    datum
}

/// Runs a case every way there is; what is wrong.
fn run(f: &Function, case: &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let inputs = f.inputs();
    assert_eq!(inputs.len(), case.args.len(), "arguments of line {}", case.line);
    let args: Vec<Value> = (inputs.iter().zip(&case.args))
        .map(|(p, t)| {
            let sizes: Vec<Option<usize>> = p.shape.iter().map(|n| n.parse().ok()).collect();
            datum(t, p.ty.scalar(), p.ty.rank(), &sizes).into()
        })
        .collect();
    // What does not end is to be found out soon.
    let options = Options::default().with_fuel(1 << 18);
    let mut ways = vec![("interpreted".to_string(), f.interpret(&options, &args))];
    for opt in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3] {
        let options = options.clone().with_opt(opt);
        let found = f.compile(&options).and_then(|c| c.call(&args));
        ways.push((format!("compiled at {opt:?}"), found));
    }
    let outputs = f.outputs();
    for (how, found) in ways {
        match (&case.expected, found) {
            (Err(code), Err(Error::Runtime { error, .. }))
                if error.diagnostic().code.to_string() == *code => {}
            (Err(code), Ok(found)) => {
                let found: Vec<String> = found.iter().map(Value::to_string).collect();
                wrong.push(format!("{how}: {} instead of {code}", found.join("; ")));
            }
            (Err(code), Err(e)) => wrong.push(format!("{how}: instead of {code}\n{e}")),
            (Ok(_), Err(e)) => wrong.push(format!("{how}:\n{e}")),
            (Ok(expected), Ok(found)) => {
                assert_eq!(expected.len(), found.len(), "results of line {}", case.line);
                for ((e, v), port) in expected.iter().zip(&found).zip(outputs) {
                    let e = datum(e, port.ty.scalar(), port.ty.rank(), &sizes(v));
                    let e: Value = e.into();
                    if !close(&e, v, case.tolerance) {
                        wrong.push(format!("{how}: {v} instead of {e}"));
                    }
                }
            }
        }
    }
    wrong
}

fn sizes(v: &Value) -> Vec<Option<usize>> {
    v.shape().iter().map(|n| Some(*n)).collect()
}

fn close(expected: &Value, found: &Value, tolerance: f64) -> bool {
    if expected.shape() != found.shape() {
        return false;
    }
    let parts =
        |v: &Value| -> Vec<f64> { v.consts().flat_map(|c| [c.to_c128().re, c.to_c128().im]).collect() };
    let (e, f) = (parts(expected), parts(found));
    let largest = e.iter().filter(|x| x.is_finite()).fold(0.0f64, |m, x| m.max(x.abs()));
    let scale = if largest == 0.0 { 1.0 } else { largest };
    e.iter().zip(&f).all(|(e, f)| e == f || (e.is_nan() && f.is_nan()) || (e - f).abs() <= tolerance * scale)
}
