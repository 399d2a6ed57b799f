//! The book as a site: built, its links followed, its pages opened in a browser; and the programs of its comparison.

use crate::common;
use crate::pages;
use crate::reports;

use adc_frontend::BUILTINS;
use common::adc;
use pages::{read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// mdBook: `MDBOOK`, or the one on the path. `None` on a machine without one, except where tests have to be complete (`CI`).
fn mdbook() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join("mdbook")).find(|p| p.is_file());
    let found = std::env::var_os("MDBOOK").map(PathBuf::from).or(found);
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "no mdBook to build the book with");
    if found.is_none() {
        println!("no mdBook on this machine: the site is not built");
    }
    found
}

#[test]
fn the_site() {
    let Some(mdbook) = mdbook() else { return };
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("site");
    let _ = std::fs::remove_dir_all(&out);
    let built = Command::new("bash")
        .arg(root().join("book/build"))
        .arg(&out)
        .env("MDBOOK", mdbook)
        .env("ADC", env!("CARGO_BIN_EXE_adc"))
        .output()
        .expect("bash runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut pages = Vec::new();
    html(&out, &mut pages);
    assert!(pages.len() > 25, "{pages:?}");
    links_lead_somewhere(&pages);
    for word in ["searchindex", "elasticlunr"] {
        let found = std::fs::read_dir(&out)
            .expect("a site")
            .any(|e| e.expect("a file").file_name().to_string_lossy().starts_with(word));
        assert!(found, "no search: {word}");
    }
    let Some(browser) = reports::browser::browser() else { return };
    for page in [
        "index.html",
        "language.html",
        "performance.html",
        "comparison.html",
        "gallery.html",
        "reference/codes.html",
        "lints.html",
    ] {
        for width in [390, 1280] {
            let seen = open(&browser, &out, page, width);
            let wide = seen["wide"].as_array().expect("a list");
            assert!(wide.is_empty(), "{page} at {width}: wider than the window: {wide:?}");
            let errors = seen["errors"].as_array().expect("a list");
            assert!(errors.is_empty(), "{page} at {width}: {errors:?}");
            if page == "language.html" {
                assert!(seen["coloured"].as_u64() > Some(20), "{seen}: adc's language has no colours");
            }
        }
    }
}

fn html(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            html(&path, found);
        } else if path.extension().is_some_and(|e| e == "html") {
            found.push(path);
        }
    }
}

/// Every `href` and `src` to this site is a file, and every `#…` an element.
fn links_lead_somewhere(pages: &[PathBuf]) {
    let values = |text: &str, name: &str| -> Vec<String> {
        let before = format!("{name}=\"");
        let pieces = text.split(before.as_str()).skip(1);
        pieces.filter_map(|p| p.split_once('"')).map(|(v, _)| v.replace("&amp;", "&")).collect()
    };
    let texts: BTreeMap<PathBuf, String> =
        pages.iter().map(|p| (p.clone(), std::fs::read_to_string(p).expect("a page"))).collect();
    let ids: BTreeMap<&PathBuf, BTreeSet<String>> =
        texts.iter().map(|(p, t)| (p, values(t, "id").into_iter().collect())).collect();
    let mut wrong = BTreeSet::new();
    for (page, text) in &texts {
        // The page of everything has links of other places; the page for what is not found is at no place.
        if page.ends_with("print.html") || page.ends_with("404.html") {
            continue;
        }
        for target in [values(text, "href"), values(text, "src")].concat() {
            if target.contains("://") || target.starts_with("mailto:") || target.starts_with("data:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target.as_str(), ""));
            let dir = page.parent().expect("a page is in a directory");
            let to = if file.is_empty() { page.clone() } else { dir.join(file) };
            let Ok(to) = to.canonicalize() else {
                wrong.insert(format!("{}: {target}", page.display()));
                continue;
            };
            let there = anchor.is_empty()
                || ids
                    .iter()
                    .any(|(p, ids)| p.canonicalize().ok() == Some(to.clone()) && ids.contains(anchor));
            if !there {
                wrong.insert(format!("{}: {target} has no such place", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What a page says of itself in a frame of this width: elements that stick out, errors, how much of the code has colours.
fn open(browser: &Path, site: &Path, page: &str, width: usize) -> serde_json::Value {
    const PROBE: &str = r#"<script>
const errors = [];
addEventListener("error", e => errors.push(String(e.message || e.target.src || e.target.href)), true);
const complain = console.error; console.error = (...a) => { errors.push(a.join(" ")); complain(...a); };
console.warn = (...a) => errors.push(a.join(" "));
addEventListener("load", () => setTimeout(() => {
  const scrolls = e => { for (let s = e; s && s !== document.body; s = s.parentElement) {
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(s).overflowX)) return true; } return false; };
  const wide = [...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e));
  const coloured = document.querySelectorAll("code.language-dsl .hljs-keyword").length;
  parent.postMessage({wide: wide.slice(0, 5).map(e => e.outerHTML.slice(0, 80)), errors, coloured, width: innerWidth}, "*");
}, 300));
</script>"#;
    let path = site.join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let (probed, frame) = (path.with_extension("probe.html"), path.with_extension("frame.html"));
    std::fs::write(&probed, text.replacen("<head>", &format!("<head>{PROBE}"), 1)).expect("a copy");
    let name = probed.file_name().expect("a name").to_string_lossy();
    let outer = format!(
        "<body><iframe src=\"{name}\" style=\"width: {width}px; height: 3000px\"></iframe><script>\
         addEventListener('message', e => {{ const p = document.createElement('pre'); p.id = 'seen'; \
         p.textContent = JSON.stringify(e.data); document.body.append(p); }})</script></body>"
    );
    std::fs::write(&frame, outer).expect("a frame");
    let profile = site.join("profile");
    let out = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=8000",
            "--window-size=1400,3000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", frame.display()))
        .output()
        .expect("the browser runs");
    let dom = String::from_utf8_lossy(&out.stdout).into_owned();
    std::fs::remove_file(&probed).and(std::fs::remove_file(&frame)).expect("the copies are there");
    let found = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let Some((found, _)) = found else {
        panic!("{page} did not load:\n{dom}\n{}", String::from_utf8_lossy(&out.stderr))
    };
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&found).unwrap_or_else(|e| panic!("{e} in {found}"))
}

/// The words that are coloured are those of the tables. `ADC_BLESS=1` writes the built-in functions.
#[test]
fn coloured_words_are_those_of_the_language() {
    let path = root().join("book/theme/head.hbs");
    let text = std::fs::read_to_string(&path).expect("the head");
    let names: Vec<&str> = BUILTINS.iter().map(|b| b.name).collect();
    let (before, rest) = text.split_once("built_in: \"").expect("a list");
    let (_, after) = rest.split_once("\",").expect("its end");
    let expected = format!("{before}built_in: \"{}\",{after}", names.join(" "));
    if std::env::var_os("ADC_BLESS").is_some() {
        std::fs::write(&path, &expected).expect("it can be written");
    } else {
        assert_eq!(text, expected, "ADC_BLESS=1 cargo test");
    }
    for (name, _) in adc_frontend::NAMED {
        assert!(text.contains(&format!(" {name} ")) || text.contains(&format!(" {name}\"")), "{name}");
    }
}

/// The programs of the comparison compute what adc computes. Those whose package is not installed are skipped.
#[test]
fn programs_of_other_tools_agree() {
    let dir = root().join("book/compare");
    let has = |package: &str| {
        let import = Command::new("python3").args(["-c", &format!("import {package}")]).output();
        let there = import.is_ok_and(|o| o.status.success());
        if !there {
            println!("the Python package {package} is not installed: its programs are not run");
        }
        there
    };
    let tools: Vec<&str> = ["jax", "torch", "casadi"].into_iter().filter(|t| has(t)).collect();
    for (task, function) in [
        ("rosenbrock", "rosenbrock"),
        ("logistic", "nll"),
        ("complex", "misfit"),
        ("oscillator", "energy"),
        ("hessian", "along"),
    ] {
        let file = |ext: &str| dir.join(format!("{task}.{ext}")).display().to_string();
        let checked = adc(["check", &file("dsl"), "--points", "4"]);
        assert_eq!(checked.code, 0, "{}", checked.out);
        let point = format!("@{}", file("json"));
        let command = if task == "hessian" { "run" } else { "grad" };
        let wrt = if task == "complex" { vec!["--wrt", "z"] } else { Vec::new() };
        let run =
            adc([&[command, &file("dsl"), "--fn", function, "--at", &point, "--format", "json"], &wrt[..]]
                .concat());
        assert_eq!(run.code, 0, "{task}: {}", run.err);
        let doc: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let mut ours = Vec::new();
        doc["outputs"].as_array().expect("a list").iter().for_each(|o| numbers(&o["value"], &mut ours));
        numbers(&doc["gradients"], &mut ours);
        for tool in &tools {
            let out = Command::new("python3").arg(file(&format!("{tool}.py"))).output().expect("Python runs");
            assert!(out.status.success(), "{task} {tool}: {}", String::from_utf8_lossy(&out.stderr));
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            let theirs: Vec<f64> = text.split_whitespace().map(|x| x.parse().expect("a number")).collect();
            let close = |a: &f64, b: &f64| (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()));
            let same = ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| close(a, b));
            assert!(same, "{task}: adc gives {ours:?}, {tool} {theirs:?}");
        }
        // The page shows these very files.
        let page = read(Path::new("book/src/comparison.md"));
        assert!(page.contains(std::fs::read_to_string(file("dsl")).expect("a model").trim()), "{task}");
    }
}

fn numbers(doc: &serde_json::Value, out: &mut Vec<f64>) {
    match doc {
        serde_json::Value::Number(n) => out.extend(n.as_f64()),
        serde_json::Value::Array(list) => list.iter().for_each(|v| numbers(v, out)),
        serde_json::Value::Object(fields) => fields.values().for_each(|v| numbers(v, out)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::String(_) => {}
    }
}
