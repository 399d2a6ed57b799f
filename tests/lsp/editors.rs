//! What editors get: the grammar, which is generated from the tables; and editors as clients: Neovim, and the extension of Visual
//! Studio Code under Node. They are skipped, with a word, where they are not installed.

use adc_frontend::syntax::ast::{DerivOp, ReduceOp};
use adc_frontend::syntax::{LINE_WORDS, attributes};
use adc_frontend::{BUILTINS, NAMED, distributions};
use adc_ir::{Expect, Mode, Scalar};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Words as alternatives, the longest first.
fn any<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    words.sort_by_key(|w| (std::cmp::Reverse(w.len()), *w));
    words.dedup();
    words.join("|")
}

/// The words of `text` as one pattern.
fn word(words: &str) -> String {
    format!(r"(?<![\p{{L}}\p{{Nd}}_])(?:{words})(?![\p{{L}}\p{{Nd}}_])")
}

/// The grammar of a source, from the tables of the compiler.
fn grammar() -> Json {
    let rule = |name: &str, pattern: String| json!({"name": name, "match": pattern});
    let name = r"[\p{L}_][\p{L}\p{M}\p{Nd}_₀-₉]*";
    let control = ["if", "else", "for", "while", "in", "use", "assert"];
    let declare = ["fn", "let", "var", "const", "extern"];
    let listed = control.iter().chain(&declare).chain(&["true", "false"]);
    assert!(
        adc_frontend::syntax::KEYWORDS.iter().all(|k| listed.clone().any(|l| l == k)),
        "a keyword has no colour"
    );
    let derivatives = any(DerivOp::ALL.iter().map(|o| o.text()));
    let builtins = any(BUILTINS.iter().map(|b| b.name).chain(ReduceOp::ALL.iter().map(|o| o.text())));
    let values = any(Mode::all()
        .map(Mode::name)
        .chain(Expect::all().map(Expect::name))
        .chain(["primal", "jvp", "vjp"]));
    json!({
        "name": "adc",
        "scopeName": "source.adc",
        "fileTypes": ["dsl"],
        "patterns": [
            {"include": "#comments"}, {"include": "#string"}, {"include": "#attribute"}, {"include": "#items"},
            {"include": "#lines"}, {"include": "#words"}, {"include": "#numbers"}, {"include": "#operators"},
        ],
        "repository": {
            "comments": {"patterns": [
                {"name": "comment.line.documentation.adc", "match": "///(?!/).*$"},
                {"name": "comment.line.double-slash.adc", "match": "//.*$"},
                {"name": "comment.block.adc", "begin": r"/\*", "end": r"\*/", "patterns": [{"include": "#nested"}]},
            ]},
            "nested": {"name": "comment.block.adc", "begin": r"/\*", "end": r"\*/", "patterns": [{"include": "#nested"}]},
            "string": {
                "name": "string.quoted.double.adc", "begin": "\"", "end": "\"|$",
                "patterns": [{"name": "constant.character.escape.adc", "match": r"\\."}],
            },
            "attribute": {
                "name": "meta.attribute.adc", "begin": r"#\[", "end": r"\]",
                "patterns": [
                    rule("entity.other.attribute-name.adc", word(&any(attributes().map(|(name, ..)| name)))),
                    {"include": "#numbers"},
                ],
            },
            "items": {"patterns": [
                {
                    "match": format!(r"(?<![\p{{L}}\p{{Nd}}_])(fn)\s+({name})"),
                    "captures": {"1": {"name": "storage.type.function.adc"}, "2": {"name": "entity.name.function.adc"}},
                },
                {
                    "match": format!(r"^\s*(rule)\s+(jvp|vjp|partial)\s+({name})"),
                    "captures": {
                        "1": {"name": "keyword.other.adc"}, "2": {"name": "keyword.other.adc"},
                        "3": {"name": "entity.name.function.adc"},
                    },
                },
                {
                    "match": format!(r"^\s*(check|bench)\s+({name})"),
                    "captures": {"1": {"name": "keyword.other.adc"}, "2": {"name": "entity.name.function.adc"}},
                },
            ]},
            "lines": {"patterns": [
                {
                    "match": format!(r"(?<=[{{;]|^)\s*({})(?=\s+[^\s=~:(\[]|\s*;)", any(LINE_WORDS.iter().copied())),
                    "captures": {"1": {"name": "keyword.other.adc"}},
                },
                {
                    "match": format!(r"(?<=[{{;]|^)\s*(dconj|d)\s+({name})\s*:"),
                    "captures": {"1": {"name": "keyword.other.adc"}, "2": {"name": "variable.parameter.adc"}},
                },
                {
                    "match": format!(r"(~)\s*({})(?=\s*\()", any(distributions().map(|(name, _)| name))),
                    "captures": {"1": {"name": "keyword.operator.adc"}, "2": {"name": "support.function.adc"}},
                },
                {
                    "match": format!(r"(?<=modes|expect|,)\s+({values})(?=\s*[,;])"),
                    "captures": {"1": {"name": "constant.language.adc"}},
                },
                {"match": r"(?<![\p{L}\p{Nd}_])(wrt|axis)\s*(?==[^=])", "captures": {"1": {"name": "keyword.other.adc"}}},
                {"match": r"(?<=\S\s)(step)(?=\s+[^\s=])", "captures": {"1": {"name": "keyword.control.adc"}}},
            ]},
            "words": {"patterns": [
                rule("keyword.control.adc", word(&any(control))),
                rule("storage.type.adc", word(&any(declare))),
                rule("constant.language.adc", word(&any(NAMED.iter().map(|(n, _)| *n).chain(["true", "false"])))),
                rule("support.type.adc", word(&any(Scalar::all().map(Scalar::name)))),
                rule("support.function.derivative.adc", word(&derivatives)),
                rule("support.function.adc", format!(r"{}(?=\s*\()", word(&builtins))),
                {"name": "entity.name.function.adc", "match": format!(r"{name}(?=\s*\()")},
                {"name": "variable.other.adc", "match": name},
            ]},
            "numbers": {"patterns": [rule(
                "constant.numeric.adc",
                r"[0-9][0-9_]*(?:\.(?![.\p{L}_])[0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?i?".to_string(),
            )]},
            "operators": {"patterns": [
                rule("keyword.operator.adc", r"->|\.\.|&&|\|\||[-+*/]=|[=!<>]=|[-+*/^@'=<>!~]".to_string()),
                rule("punctuation.adc", r"[\[\](){},;:]".to_string()),
            ]},
        },
    })
}

#[test]
fn the_grammar_is_what_the_tables_say() {
    let path = root().join("editors/vscode/syntaxes/adc.tmLanguage.json");
    let expected = format!("{:#}\n", grammar());
    if std::env::var_os("ADC_BLESS").is_some() {
        std::fs::write(&path, &expected).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "the grammar is stale: ADC_BLESS=1 cargo test --test lsp editors:: rewrites it"
    );
}

/// The program of this name.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|p| p.is_file())
}

/// A folder with a model for an editor.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editors").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder");
    let model =
        "fn quad(x: f64)->f64 { x^2 }\n\nfn f(α: f64) -> f64 {\n    let y = quad(α);\n    y + ln(α)\n}\n";
    std::fs::write(dir.join("model.dsl"), model).expect("a model");
    dir
}

/// What an editor saw, which it prints as the last line.
fn seen(mut command: Command) -> Json {
    let run = command.output().expect("it runs");
    let text = [run.stdout, run.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
    let json =
        text.lines().rev().find_map(|l| serde_json::from_str::<Json>(l.trim()).ok().filter(Json::is_object));
    json.unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn neovim() {
    let Some(nvim) = program("nvim") else {
        eprintln!("skipped: Neovim is not installed");
        return;
    };
    let dir = folder("neovim");
    let mut command = Command::new(nvim);
    command
        .args(["--headless", "--clean", "-n", "-S"])
        .arg(root().join("tests/lsp/neovim.lua"))
        .current_dir(&dir);
    command.env("ADC", env!("CARGO_BIN_EXE_adc")).env("XDG_STATE_HOME", &dir);
    let seen = seen(command);
    assert_eq!(seen["error"], Json::Null, "{seen}");
    assert_eq!(seen["diagnostics"][0]["code"], "ADC0201", "{seen}");
    // Columns are bytes in Neovim.
    assert_eq!((&seen["diagnostics"][0]["lnum"], &seen["diagnostics"][0]["col"]), (&json!(4), &json!(8)));
    assert!(seen["hover"].as_str().is_some_and(|t| t.contains("fn quad(x: f64)->f64")), "{seen}");
    assert_eq!(seen["definition"], json!([0, 3]));
    // After the quick fix, a new name and formatting.
    let text = seen["text"].as_str().expect("a text");
    assert_eq!(
        text,
        "fn sq(x: f64) -> f64 { x^2 }\n\nfn f(α: f64) -> f64 {\n    let y = sq(α);\n    y + log(α)\n}"
    );
    assert_eq!(seen["left"], 0, "{seen}");
}

#[test]
fn visual_studio_code() {
    let extension = root().join("editors/vscode");
    let Some(node) =
        program("node").filter(|_| extension.join("node_modules/vscode-languageclient").exists())
    else {
        eprintln!("skipped: Node is not installed, or `npm ci` was not run in editors/vscode");
        return;
    };
    let dir = folder("vscode");
    let mut command = Command::new(node);
    command.arg(extension.join("test/client.js")).arg(env!("CARGO_BIN_EXE_adc")).arg(dir.join("model.dsl"));
    let seen = seen(command);
    assert_eq!(seen["error"], Json::Null, "{seen}");
    assert_eq!(seen["diagnostics"][0]["code"], "ADC0201", "{seen}");
    assert!(seen["hover"].as_str().is_some_and(|t| t.contains("quad")), "{seen}");
    assert!(seen["shown"]["text"].as_str().is_some_and(|t| t.contains('x')), "{seen}");
    assert_eq!(seen["check"]["passed"], true, "{seen}");
}
