//! Shell transcripts: `tests/cli/*.trycmd`, and every `console` block of README, CONTRIBUTING and the book.
//!
//! A page is run where its files are: a block whose first line is `// name.dsl`, or that has a file name behind
//! its fence, is written to that file first. `? 1` under a command is its exit code. `ADC_BLESS=1 cargo test`
//! rewrites what the commands print; read the diff.

use crate::common;
use crate::pages;

use common::{adc, adc_with_stdin};
use pages::{blocks, read, root};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn transcripts() {
    let bless = std::env::var_os("ADC_BLESS").is_some();
    // trycmd reads its mode from the environment: blessing runs this test once more with the mode set.
    if bless && std::env::var_os("TRYCMD").is_none() {
        let me = std::env::current_exe().expect("a test knows its executable");
        let again =
            Command::new(me).args(["--exact", "cli::transcripts"]).env("TRYCMD", "overwrite").output();
        let again = again.expect("the test runs again");
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        return;
    }
    let stage = Path::new(env!("CARGO_TARGET_TMPDIR")).join("transcripts");
    let _ = std::fs::remove_dir_all(&stage);
    let pages: Vec<(PathBuf, PathBuf)> = transcript_pages().filter_map(|page| staged(&stage, page)).collect();
    let cases = trycmd::TestCases::new();
    for (_, copy) in &pages {
        cases.case(copy);
    }
    cases
        .register_bin("adc", Path::new(env!("CARGO_BIN_EXE_adc")))
        .register_bin("cat", program("cat"))
        .register_bin("cc", program("cc"))
        .env("LC_ALL", "C.UTF-8")
        .env("COLUMNS", "100")
        .env("ADC_CACHE_DIR", "")
        .run();
    if bless {
        for (page, copy) in &pages {
            let text = std::fs::read_to_string(copy).expect("a staged page");
            if text != read(page) {
                std::fs::write(root().join(page), text).expect("the page can be written");
            }
        }
    }
}

fn transcript_pages() -> impl Iterator<Item = PathBuf> {
    let mut pages = pages::pages();
    pages::below(Path::new("tests/cli"), "trycmd", &mut pages);
    pages::below(Path::new("tests/cli"), "toml", &mut pages);
    pages.into_iter()
}

/// Copies a page to the stage and writes its files beside it; `None` if it shows no command.
fn staged(stage: &Path, page: PathBuf) -> Option<(PathBuf, PathBuf)> {
    let text = read(&page);
    let name = page.to_string_lossy().replace('/', "-");
    let copy = stage.join(&name);
    let dir = copy.with_extension("in");
    std::fs::create_dir_all(&dir).expect("the stage can be written");
    let blocks = if page.extension().is_some_and(|e| e == "toml") { Vec::new() } else { blocks(&text) };
    for block in &blocks {
        if let Some(file) = block.file() {
            let path = dir.join(file);
            std::fs::create_dir_all(path.parent().expect("a file in the stage"))
                .expect("the stage can be written");
            std::fs::write(path, &block.text).expect("the stage can be written");
        }
    }
    let commands: Vec<&str> =
        blocks.iter().filter(|b| b.lang == "console").flat_map(|b| b.commands()).collect();
    for command in &commands {
        // trycmd skips programs it does not know.
        let known = command.split(' ').next().is_some_and(|p| ["adc", "cat", "cc"].contains(&p));
        assert!(known, "{}: `{command}` cannot be run", page.display());
    }
    let shows_commands = page.extension().is_some_and(|e| e == "toml") || !commands.is_empty();
    shows_commands.then(|| {
        std::fs::write(&copy, &text).expect("the stage can be written");
        (page, copy)
    })
}

/// A program's full path.
fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|p| p.is_file())
        .unwrap_or_else(|| panic!("`{name}` is needed"))
}

/// What `adc emit` prints is IR: it parses and verifies. Functions that call themselves are differentiated with numbers for
/// their dimensions, those of integers not at all.
#[test]
fn emitted_programs_read_back() {
    let mut models = Vec::new();
    pages::below(Path::new("models"), "dsl", &mut models);
    for path in models {
        let model = adc::Model::parse(&path.to_string_lossy(), &read(&path)).expect("a model of the library");
        let file = root().join(&path);
        for f in model.functions() {
            for stage in ["ir", "jvp", "vjp", "fd"] {
                let file = file.to_str().expect("a UTF-8 path");
                let args = ["emit", file, "--fn", f.name(), "--emit", stage, "--with-spans"];
                let mut run = adc(args);
                if run.err.contains("ADC0211") {
                    let dims: Vec<String> =
                        f.dims().into_iter().map(|(name, _)| format!("{name}=3")).collect();
                    run = adc(args.into_iter().chain(["--dims", &dims.join(",")]));
                }
                if stage != "ir" && run.err.contains("ADC0705") {
                    continue;
                }
                assert_eq!(run.code, 0, "{}", run.err);
                let module = adc_ir::text::parse_module(&run.out)
                    .unwrap_or_else(|d| panic!("{}\n{}", d.message, run.out));
                adc_ir::verify::verify(&module).unwrap_or_else(|e| panic!("{}\n{}", e[0], run.out));
            }
        }
    }
}

/// `--at -` and `--tangent -` read JSON from standard input.
#[test]
fn points_on_standard_input() {
    let model = Path::new(env!("CARGO_TARGET_TMPDIR")).join("points_on_standard_input.dsl");
    std::fs::write(&model, "fn f(x: f64, z: c128) -> f64 { x*abs2(z) }").expect("a file");
    let model = model.to_str().expect("a UTF-8 path");
    let point = r#"{"x": 2, "z": {"re": 1, "im": -1}}"#;
    let run = adc_with_stdin(["run", model, "--at", "-"], point);
    assert_eq!((run.code, run.out.as_str()), (0, "f = 4\n"), "{}", run.err);
    let args = ["grad", model, "--at", "x=2,z=1-1i", "--mode", "jvp", "--tangent", "-"];
    let run = adc_with_stdin(args, point);
    assert_eq!((run.code, run.out.as_str()), (0, "f   = 4\nd f = 12\n"), "{}", run.err);
}

/// Colours change nothing but colours, and are never the only signal.
#[test]
fn colour_is_only_colour() {
    let model = "fn f(x: f64) -> f64 { x*x }\nrule vjp f(x; g) { g*x }\ncheck f { x in [1, 2]; points 2; }\n";
    let command = |when: &str| adc_with_stdin(["check", "-", "--color", when], model);
    let (plain, coloured) = (command("never"), command("always"));
    assert_eq!((plain.code, coloured.code), (1, 1), "{}", plain.err);
    assert!(coloured.out.contains("\u{1b}[") && !plain.out.contains('\u{1b}'));
    assert_eq!(without_colour(&coloured.out), plain.out);
}

fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}
