//! Malformed sources: seeded mutations of the file tests, and inputs made to be deep, long or odd. Whatever
//! comes in, the parser ends, keeps its promises about errors and spans, and does not overflow the 2 MiB
//! stack of a test thread.

use adc_frontend::syntax::{self, ast, walk};
use adc_ir::testing::Rng;
use adc_ir::{FileId, Severity};
use std::path::Path;

/// Rounds of mutation of each source; a few seconds in all.
const ROUNDS: usize = 150;

#[test]
fn mutated_sources() {
    let sources = sources();
    let tokens: Vec<String> = sources.iter().flat_map(|s| words(s)).collect();
    let mut random = Rng::new(1);
    for source in &sources {
        check(source);
        for round in 0..ROUNDS {
            let mut text = source.clone();
            for _ in 0..1 + round % 4 {
                text = mutate(&text, &tokens, &mut random);
            }
            check(&text);
        }
    }
}

#[test]
fn truncated_sources() {
    for source in sources() {
        let step = 1 + source.len() / 150;
        for end in (0..source.len()).step_by(step).filter(|&i| source.is_char_boundary(i)) {
            check(&source[..end]);
            check(&source[end..]);
        }
    }
}

#[test]
fn random_text() {
    let mut random = Rng::new(7);
    for size in [1, 10, 100, 1000, 20_000] {
        for _ in 0..20 {
            let bytes: Vec<u8> = (0..size).map(|_| random.below(256) as u8).collect();
            check(&String::from_utf8_lossy(&bytes));
            let ascii: String = (0..size).map(|_| (32 + random.below(95) as u8) as char).collect();
            check(&ascii);
            let marks: String = (0..size)
                .map(|_| random.pick(&['(', ')', '[', ']', '{', '}', ';', ',', '\n', 'x', '=']))
                .collect();
            check(&marks);
            check(&format!("fn f() -> f64 {{ {marks}"));
        }
    }
}

#[test]
fn deep_and_long() {
    const N: usize = 100_000;
    let inside = |body: String| format!("fn f(x: f64) -> f64 {{ {body} }}\nfn g() -> f64 {{ 1 }}");
    for opening in [
        "(",
        "[",
        "{",
        "-",
        "!",
        "+",
        "f(",
        "x[",
        "grad(",
        "if x {",
        "if ",
        "x^",
        "x^-",
        "[x for i in ",
        "sum(",
        "(x, ",
        "for i in 0..1 {",
        "while x { ",
        "let a = ",
        "let (",
        "fn g() -> f64 {",
        "#[",
        "a && ",
        "&",
        "*",
        "not ",
        "return ",
        "{ 1 } + ",
        "x = ",
    ] {
        check(&inside(opening.repeat(N)));
        check(&opening.repeat(N));
    }
    for (start, part) in [
        ("x", " + x"),
        ("x", "*x"),
        ("x", " < x"),
        ("x", "'"),
        ("x", "(x)"),
        ("x", "[0]"),
        ("x", "^x"),
        ("x", " && x"),
        ("if x { 1 }", " else if x { 1 }"),
        ("x", ";"),
        ("x", " x"),
        ("x", " % x"),
        ("", "let a = 1;"),
        ("", "let a = ;\n"),
        ("", "if x { 1 }"),
        ("f(x", ", x"),
        ("[x", ", x"),
        ("(x", ", x"),
        ("", "}"),
        ("", ")"),
        ("sum(x for i", ", j"),
        ("", "break "),
        ("", "return x; "),
        ("x", " ; x)"),
        ("", "\u{301}"),
        ("", "§"),
        ("", "e\u{301}"),
        ("x", ".y"),
    ] {
        check(&inside(format!("{start}{}", part.repeat(N))));
    }
    for part in [
        "fn f(x: (",
        "fn f(x: fn(",
        "fn f(x: f64[",
        "fn f(x: f64 in (",
        "check f {",
        "check f { x ~ n(",
        "rule vjp f(x; ",
        "rule partial f(z) { d z: ",
        "/*",
        "\"",
        "///\n",
        "use \"",
        "const A: f64 = ",
        "fn f(x: f64 -> ",
        "#[a(",
        "fn f[N](x: f64[N] -> f64, ",
        "fn ",
        "const ",
        "extern ",
    ] {
        check(&part.repeat(N));
    }
    check(&" ".repeat(N));
    check(&format!("fn f() -> f64 {{{}", "\n".repeat(N)));
}

#[test]
fn limits_are_exact() {
    let nested = |n: usize| format!("fn f(x: f64) -> f64 {{ {}x{} }}", "(".repeat(n), ")".repeat(n));
    // The function's block is the first level.
    assert!(errors(&nested(ast::MAX_NESTING - 1)).is_empty());
    assert_eq!(errors(&nested(ast::MAX_NESTING)), ["ADC0601"]);
    let chain = |n: usize| format!("fn f(x: f64) -> f64 {{ x{} }}", " + x".repeat(n));
    assert!(errors(&chain(ast::MAX_HEIGHT - 1)).is_empty());
    assert_eq!(errors(&chain(ast::MAX_HEIGHT)), ["ADC0601"]);
    let long = |n: usize| " ".repeat(n);
    assert!(errors(&long(syntax::MAX_FILE)).is_empty());
    assert_eq!(errors(&long(syntax::MAX_FILE + 1)), ["ADC0602"]);
    check(&long(syntax::MAX_FILE + 1));
    check(&"é".repeat(syntax::MAX_FILE));
}

fn errors(text: &str) -> Vec<String> {
    syntax::parse(FileId(0), text).1.0.iter().map(|d| d.code.to_string()).collect()
}

/// Reads `text` and checks what must hold of every answer.
fn check(text: &str) {
    let (file, diagnostics) = syntax::parse(FileId(3), text);
    for d in &diagnostics.0 {
        let what = || format!("{d:?}\nin\n{}", &text[..text.floor_char_boundary(2000)]);
        assert_eq!(d.severity, Severity::Error, "{}", what());
        assert!(!d.message.is_empty() && !d.help.is_empty() && !d.labels.is_empty(), "{}", what());
        assert!(d.labels[0].primary, "{}", what());
        for label in &d.labels {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            let inside = start < end && end <= text.len() && label.span.file == FileId(3);
            assert!(inside && text.is_char_boundary(start) && text.is_char_boundary(end), "{}", what());
            assert!(!label.text.is_empty(), "{}", what());
        }
    }
    let sorted = diagnostics.0.windows(2).all(|d| d[0].span().start <= d[1].span().start);
    assert!(sorted, "not in source order");
    if text.len() < 100_000 {
        syntax::dump::dump(&file, text);
    }
    for item in &file.items {
        match &item.kind {
            ast::ItemKind::Fn(_, body) => walk::block(body, &mut |e| nested_spans(e, text)),
            ast::ItemKind::Const(c) => nested_spans(&c.value, text),
            ast::ItemKind::Rule(r) => match &r.body {
                ast::RuleBody::Block(body) => walk::block(body, &mut |e| nested_spans(e, text)),
                ast::RuleBody::Partials(ps) => ps.iter().for_each(|p| nested_spans(&p.value, text)),
            },
            ast::ItemKind::ExternFn(_)
            | ast::ItemKind::Check(_)
            | ast::ItemKind::Bench(_)
            | ast::ItemKind::Use(_) => {}
        }
    }
}

/// The span of an expression covers its parts, and starts and ends between characters.
fn nested_spans(e: &ast::Expr, text: &str) {
    let (start, end) = (e.span.start as usize, e.span.end as usize);
    assert!(start < end && text.is_char_boundary(start) && text.is_char_boundary(end), "{:?}", e.span);
    walk::parts(&e.kind, &mut |part| {
        let inside = e.span.start <= part.span.start && part.span.end <= e.span.end;
        assert!(inside, "{:?} is not in {:?}: {}", part.span, e.span, &text[start..end.min(start + 200)]);
        nested_spans(part, text);
    });
}

/// The sources of the file tests.
fn sources() -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/parse");
    let mut paths: Vec<_> =
        std::fs::read_dir(dir).expect("test files").map(|e| e.expect("entry").path()).collect();
    paths.sort();
    let read = |p| std::fs::read_to_string(p).expect("readable test file");
    let lines = |text: String| text.lines().filter(|l| !l.starts_with("//>")).collect::<Vec<_>>().join("\n");
    paths.into_iter().map(|p| lines(read(p))).collect()
}

/// Words, marks and blanks of a source.
fn words(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match out.last_mut() {
            Some(last) if word && last.chars().all(|c| c.is_alphanumeric() || c == '_') => last.push(c),
            _ => out.push(c.to_string()),
        }
    }
    out
}

fn mutate(text: &str, tokens: &[String], random: &mut Rng) -> String {
    let mut parts = words(text);
    let at = random.below(parts.len());
    let other = random.below(parts.len());
    match random.below(8) {
        0 => drop(parts.remove(at)),
        1 => parts.insert(at, tokens[random.below(tokens.len())].clone()),
        2 => parts[at] = tokens[random.below(tokens.len())].clone(),
        3 => parts.swap(at, other),
        4 => parts.truncate(at),
        5 => drop(parts.drain(at.min(other)..at.max(other).min(at.min(other) + 20))),
        6 => {
            let mut bytes = text.as_bytes().to_vec();
            let at = random.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            if let Some(b) = bytes.get_mut(at) {
                *b = random.below(256) as u8;
            }
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        _ => {
            let again: Vec<String> = parts[at.min(other)..at.max(other)].iter().take(30).cloned().collect();
            parts.splice(at..at, again);
        }
    }
    parts.concat()
}
