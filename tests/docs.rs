//! The documents say what is: models in them compile, reference pages are what the tables print, links and
//! paths lead somewhere.

use crate::common;
use crate::pages;

use adc_frontend::{BUILTINS, Means, NAMED};
use adc_ir::{Code, Op};
use common::adc;
use pages::{blocks, pages, read, root};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Every `dsl` block is a whole model: it compiles, or is refused with the code behind its fence. Those that use or
/// load other files are tested by the commands of their page.
#[test]
fn models_compile() {
    for page in pages() {
        let alone = |text: &str| !text.contains("use \"") && !text.contains("load(");
        for block in blocks(&read(&page)).iter().filter(|b| b.lang == "dsl" && alone(&b.text)) {
            let place = format!("{}:{}", page.display(), block.line);
            let expected = Some(block.info.as_str()).filter(|info| info.starts_with("ADC"));
            match (adc::Model::parse("snippet.dsl", &block.text), expected) {
                (Ok(_), None) => {}
                (Ok(_), Some(code)) => panic!("{place}: {code} is expected, but it compiles"),
                (Err(d), None) => panic!("{place}:\n{d}"),
                (Err(d), Some(code)) => assert_eq!(d.items[0].code.to_string(), code, "{place}:\n{d}"),
            }
        }
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = read(Path::new("book/src/SUMMARY.md"));
    let mut all = Vec::new();
    pages::below(Path::new("book/src"), "md", &mut all);
    for page in all {
        let name = page.strip_prefix("book/src").expect("a page of the book").to_string_lossy().into_owned();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name} is not in SUMMARY.md"
        );
    }
}

/// Links between files lead to files, and `#anchors` to headings.
#[test]
fn links_lead_somewhere() {
    let mut all = pages();
    all.push("ARCHITECTURE.md".into());
    for page in all {
        for target in links(&read(&page)) {
            let (file, anchor) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let dir = page.parent().expect("a file has a directory");
            let path = if file.is_empty() { page.clone() } else { dir.join(file) };
            assert!(root().join(&path).exists(), "{}: `{target}` leads nowhere", page.display());
            if !anchor.is_empty() {
                let text = read(&path);
                let found = text.lines().filter(|l| l.starts_with('#')).any(|l| slug(l) == anchor);
                assert!(found, "{}: `{target}` has no such heading", page.display());
            }
        }
    }
}

/// The targets of `](target)` outside of code, but for those on the web.
fn links(markdown: &str) -> Vec<String> {
    let prose: String = markdown.split("\n```").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_string()).filter(|t| !t.starts_with("http")).collect()
}

/// The anchor of a heading line.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Paths in backquotes in the documents for contributors exist.
#[test]
fn paths_exist() {
    const ROOTS: [&str; 13] = [
        "ad/",
        "benches/",
        "book/",
        "checker/",
        "frontend/",
        "ir/",
        "jit/",
        "models/",
        "notation/",
        "runtime/",
        "schemas/",
        "simplify/",
        "src/",
    ];
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"] {
        for word in read(Path::new(page)).split('`').skip(1).step_by(2) {
            let is_path =
                ROOTS.iter().any(|r| word.starts_with(r)) || word.starts_with("tests/") || word == ".ci/run";
            if is_path && !word.contains(char::is_whitespace) {
                // `tests/files/` stands for that of each crate.
                let places =
                    ["", "frontend/", "ir/", "ad/", "simplify/", "checker/"].map(|dir| root().join(dir));
                let prefix = word.split('*').next().unwrap_or_default();
                let exists = |path: PathBuf| path.exists() || word.contains('*') && starts_a_name(&path);
                assert!(places.iter().any(|dir| exists(dir.join(prefix))), "{page}: `{word}` does not exist");
            }
        }
    }
}

/// The recipe *Add an op* is how the ops came that there are: what of the sources names one of these the recipe names, and each of its
/// numbered places has it.
#[test]
fn the_recipe_of_an_op_is_whole() {
    const SOURCES: [&str; 10] =
        ["ad", "checker", "frontend", "ir", "jit", "notation", "runtime", "selftest", "simplify", "."];
    let text = read(Path::new("CONTRIBUTING.md"));
    let section = |title: &str| {
        let rest =
            text.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("no section {title}")).1;
        rest.split("\n## ").next().unwrap_or_default()
    };
    let paths = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).filter(|w| w.contains('/')).map(String::from).collect()
    };
    let recipe = section("Add an op");
    let titles = ["Add a rewrite", "Add an elementary function over lanes"];
    let named: Vec<String> = titles.map(section).iter().chain([&recipe]).flat_map(|s| paths(s)).collect();
    let mut sources = Vec::new();
    for dir in SOURCES {
        pages::below(&Path::new(dir).join("src"), "rs", &mut sources);
    }
    let is_word = |text: &str, word: &str| {
        let ends = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let mut found = text.match_indices(word);
        found.any(|(i, w)| ends(text[..i].chars().next_back()) && ends(text[i + w.len()..].chars().next()))
    };

    let mut missing = String::new();
    for op in [Op::Log1p, Op::J0, Op::Gamma] {
        let (variant, definition) = (format!("{op:?}"), format!("fn {}(", op.name()));
        for path in &sources {
            let text = read(path);
            let path = path.strip_prefix(".").unwrap_or(path);
            let has_it = is_word(&text, &variant) || text.contains(&definition);
            if has_it && !named.iter().any(|n| path.starts_with(n)) {
                let _ = writeln!(missing, "{} names `{variant}`, and no recipe names it", path.display());
            }
        }
        for step in recipe.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())) {
            let mut files = Vec::new();
            for path in paths(step) {
                match root().join(&path).is_dir() {
                    true => pages::below(Path::new(&path), "rs", &mut files),
                    false => files.push(path.into()),
                }
            }
            let has_it = |text: String| is_word(&text, &variant) || is_word(&text, op.name());
            if !files.iter().any(|f| has_it(read(f))) {
                let _ = writeln!(missing, "`{variant}` is not where the recipe says: {step}");
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
}

/// Whether the directory has an entry whose name starts like the last part of the path.
fn starts_a_name(path: &Path) -> bool {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return false };
    let starts =
        |e: &std::fs::DirEntry| e.file_name().to_string_lossy().starts_with(&*name.to_string_lossy());
    std::fs::read_dir(dir).is_ok_and(|entries| entries.flatten().any(|e| starts(&e)))
}

/// The page of verdicts has each with its row and its section, in order.
#[test]
fn every_verdict_is_explained() {
    let page = read(Path::new("book/src/verdicts.md"));
    let mut rest = page.as_str();
    for v in adc_checker::Verdict::ALL {
        let info = v.info();
        let row = format!("| `{}` | {} | {} |", info.word, info.shown, info.meaning);
        rest = rest.split_once(&row).unwrap_or_else(|| panic!("`{row}` is missing")).1;
    }
    for v in adc_checker::Verdict::ALL {
        let heading = format!("\n## {}\n", v.word());
        rest = rest.split_once(&heading).unwrap_or_else(|| panic!("`{}` has no section", v.word())).1;
    }
}

/// `ADC_BLESS=1 cargo test` writes the pages.
#[test]
fn reference_pages_are_what_the_tables_say() {
    let pages = [("codes", codes()), ("functions", functions()), ("limits", limits()), ("ops", ops())];
    for (name, text) in pages {
        let path = PathBuf::from(format!("book/src/reference/{name}.md"));
        let path = root().join(path);
        if std::env::var_os("ADC_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the page can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, text, "{} is not up to date: ADC_BLESS=1 cargo test", path.display());
    }
}

fn codes() -> String {
    let mut out = String::from("# Diagnostic codes\n\n`adc explain ADC0301` prints an entry of this page.\n");
    let topics = [
        (1, "Tokens and grammar"),
        (2, "Names and types"),
        (3, "Verdicts of the checker"),
        (4, "Kinks, jumps, domains and rounding"),
        (5, "Run-time errors of models"),
        (6, "Limits"),
        (7, "Differentiation"),
        (8, "Files, flags, points, libraries"),
        (9, "Bugs in adc"),
        (10, "Lints"),
    ];
    let _ = writeln!(out, "\n| code | meaning |\n|---|---|");
    for code in Code::ALL {
        let _ = writeln!(out, "| [{code}](#{}) | {} |", code.to_string().to_lowercase(), code.title());
    }
    for code in Code::ALL {
        let number = *code as u16;
        let first = Code::ALL.iter().find(|c| **c as u16 / 100 == number / 100) == Some(code);
        if first {
            let topic = topics.iter().find(|(n, _)| *n == number / 100).expect("every hundred has a topic").1;
            let _ = writeln!(out, "\n## {topic}");
        }
        let _ = writeln!(out, "\n### {code}\n\n{}.\n\n{}", capital(code.title()), code.explain());
    }
    out
}

fn functions() -> String {
    let mut out = String::from("# Built-in functions\n");
    let table = |out: &mut String, arrays: bool| {
        let _ = writeln!(out, "\n| function | what it computes |\n|---|---|");
        for f in
            BUILTINS.iter().filter(|f| matches!(f.means, Means::Array(_) | Means::Reduction(_)) == arrays)
        {
            let _ = writeln!(out, "| `{}` | {} |", f.name, f.doc.replace('|', "\\|"));
        }
    };
    table(&mut out, false);
    let names: Vec<String> = NAMED.iter().map(|(name, _)| format!("`{name}`")).collect();
    let _ = writeln!(out, "\nConstants: {}.", names.join(", "));
    let _ = writeln!(out, "\nOf [arrays](../arrays.md), on which those above work element by element:");
    table(&mut out, true);
    out
}

fn limits() -> String {
    use adc_ad::{MAX_MADE, MAX_TIMES};
    use adc_frontend::limits::*;
    use adc_ir::dims::{MAX_DEGREE, MAX_TERMS};
    use adc_ir::specialise::{MAX_ARRAY_BYTES, MAX_INSTANCES as MAX_SIZED, MAX_REPEATED};
    let run = adc::Limits::default();
    let mib = |bytes: usize| match bytes >> 20 {
        n if n % 1024 == 0 => format!("{} GiB", n / 1024),
        n => format!("{n} MiB"),
    };
    let derivatives = format!("{}, or {MAX_TIMES} times those of the program", spaced(&MAX_MADE.to_string()));
    let rows = [
        ("nesting of blocks, brackets and types", MAX_NESTING.to_string(), Some(Code::TooDeep)),
        ("height of an expression", MAX_HEIGHT.to_string(), Some(Code::TooDeep)),
        (
            "nesting of choices in a function (`if`, `else if`, `&&`, `\\|\\|`)",
            MAX_REGIONS.to_string(),
            Some(Code::TooDeep),
        ),
        (
            "places where one term is computed, of `max`, `min`, `logsumexp` and `norm` inside each other",
            MAX_COPIES.to_string(),
            Some(Code::TooDeep),
        ),
        ("size of a source file", mib(MAX_FILE), Some(Code::TooLarge)),
        ("files of a program", MAX_FILES.to_string(), Some(Code::TooLarge)),
        ("size of a program, all files together", mib(MAX_BYTES), Some(Code::TooLarge)),
        ("chain of files that use each other", MAX_USE_DEPTH.to_string(), Some(Code::TooLarge)),
        ("instructions of a program", MAX_INSTS.to_string(), Some(Code::TooMuchCode)),
        ("functions made for function arguments", MAX_INSTANCES.to_string(), Some(Code::TooMuchCode)),
        ("instructions that one call runs", MAX_WORK.to_string(), Some(Code::TooMuchCode)),
        ("functions made for numbers in place of dimensions", MAX_SIZED.to_string(), Some(Code::TooMuchCode)),
        (
            "instructions of these, beside the first of each function",
            MAX_REPEATED.to_string(),
            Some(Code::TooMuchCode),
        ),
        ("instructions of derivatives", derivatives, Some(Code::TooMuchCode)),
        ("axes of an array", MAX_RANK.to_string(), Some(Code::BadRank)),
        ("values of a tuple, with those of tuples in it", MAX_PARTS.to_string(), Some(Code::TooMuchCode)),
        ("factors of a term of a size", MAX_DEGREE.to_string(), Some(Code::NotADimension)),
        ("terms of a size", MAX_TERMS.to_string(), Some(Code::NotADimension)),
        ("entries of a constant array", MAX_ENTRIES.to_string(), Some(Code::ArrayTooLarge)),
        ("size of an array", mib(MAX_ARRAY_BYTES as usize), Some(Code::ArrayTooLarge)),
        ("turns of loops of a run, unless `--fuel` says", run.fuel.to_string(), Some(Code::OutOfFuel)),
        ("arrays of a run, unless `--memory-limit` says", mib(run.bytes as usize), Some(Code::OutOfMemory)),
        ("errors reported for a program", MAX_ERRORS.to_string(), None),
    ];
    let mut out = String::from("# Limits in numbers\n\n| what | at most | error |\n|---|---|---|\n");
    for (what, most, code) in rows {
        let code =
            code.map_or(String::new(), |c| format!("[{c}](codes.md#{})", c.to_string().to_lowercase()));
        let _ = writeln!(out, "| {what} | {} | {code} |", spaced(&most));
    }
    out
}

/// A long number with its thousands apart.
fn spaced(number: &str) -> String {
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return number.to_string();
    }
    let groups: Vec<&str> =
        number.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).expect("digits")).collect();
    groups.join(" ")
}

fn ops() -> String {
    let mut out = String::from(
        "# Ops and their derivatives\n\n\
         The ops of the IR; the language calls most of them by the same name. `x` is the operand, `a`, `b`, `c` are several, `y` is the\n\
         result. `D` is ∂y/∂x of real operands,\n\
         `W` and `CW` are ∂y/∂x and ∂y/∂x* of complex ones, `+ 0` turns a −0 into 0. `adc explain tanh` prints one of these pages.\n",
    );
    for op in Op::ALL {
        let run = adc(["explain", op.name()]);
        // A topic of the same name stands before the op.
        let page = run.out.rsplit("\n\n").next().unwrap_or_default();
        let (title, lines) = page.split_once('\n').expect("a title");
        let formula = title.split_once(": ").expect("name and formula").1;
        let _ = writeln!(out, "\n## {}\n\n`{formula}`", op.name());
        if !lines.is_empty() {
            out.push('\n');
        }
        for line in lines.lines() {
            let _ = writeln!(out, "* {}", line.trim_start());
        }
    }
    out
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_uppercase().collect::<String>() + chars.as_str())
}
