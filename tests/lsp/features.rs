//! What the server offers, feature by feature.

use super::client::{Client, place, position, uri};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

const MODEL: &str = "\
/// A soft maximum with 0.
fn soft(t: f64) -> f64 { if t > 0 { t + log1p(exp(-t)) } else { log1p(exp(t)) } }

fn nll[N, D](X: f64[N, D], y: f64[N], w: f64[D], lam: f64) -> f64 {
    let z = X @ w; // α 𝔸
    sum(soft(z[i]) - y[i]*z[i] for i)/f64(N) + 0.5*lam*sum(w[j]^2 for j)
}

check nll[N = 4, D = 2] { y ~ choice(0.0, 1.0); lam = 0.1; wrt w, lam; points 4; }
";

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder");
    dir
}

/// A server with one open document.
fn open(text: &str) -> (Client, &'static str) {
    let path = "/nowhere/model.dsl";
    let mut client = Client::start(&[]);
    client.open(path, text);
    (client, path)
}

fn labels(items: &Json) -> Vec<&str> {
    items.as_array().expect("a list").iter().filter_map(|i| i["label"].as_str()).collect()
}

#[test]
fn diagnostics_while_typing() {
    let (mut client, path) = open(MODEL);
    assert_eq!(client.diagnostics(path, 1), Vec::<Json>::new());
    // An incomplete line costs the rest nothing: the type error behind it is found, too.
    let text = "fn f(x: f64) -> f64 {\n    let y = si\n    let z = (x +\n    y\n}\nfn g(x: f64) -> c128 { sine(x) }\n";
    client.set(path, 2, text);
    let found = client.diagnostics(path, 2);
    assert!(found.len() >= 2, "{found:?}");
    assert!(
        found
            .iter()
            .all(|d| d["source"] == "adc" && d["code"].as_str().is_some_and(|c| c.starts_with("ADC")))
    );
    // A change of a range, behind characters of two and of four bytes.
    client.set(path, 3, MODEL);
    assert!(client.diagnostics(path, 3).is_empty());
    let at = MODEL.find("sum(soft").expect("it is there");
    let range = json!({"start": position(MODEL, at + 4), "end": position(MODEL, at + 8)});
    client.change(path, 4, json!([{"range": range, "text": "sofd"}]));
    let found = client.diagnostics(path, 4);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["range"], range);
    assert_eq!(found[0]["code"], "ADC0201");
    // Its quick fix gives back what was there.
    let params = json!({"textDocument": {"uri": uri(path)}, "range": range, "context": {"diagnostics": []}});
    let actions = client.request("textDocument/codeAction", params);
    let fix = &actions[0]["edit"]["changes"][uri(path)][0];
    assert_eq!((&fix["range"], &fix["newText"]), (&range, &json!("soft")), "{actions}");
    client.end();
}

/// Warnings as one writes, with what to write instead, and gone where the model says that it is meant.
#[test]
fn lints() {
    let text = "fn f(x: f64, y: f64) -> f64 {\n    let unused = 2*x;\n    if x == 0.5 { y } else { log(1 + x) } // ≤\n}\ncheck f { }\n";
    let (mut client, path) = open(text);
    let found = client.diagnostics(path, 1);
    let at = |needle: &str| {
        let start = text.find(needle).expect("it is there");
        json!({"start": position(text, start), "end": position(text, start + needle.len())})
    };
    let wanted = [("ADC1001", "unused"), ("ADC1006", "x == 0.5"), ("ADC1007", "log(1 + x)")];
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (d, (code, needle)) in found.iter().zip(wanted) {
        assert_eq!((&d["code"], &d["severity"], &d["range"]), (&json!(code), &json!(2), &at(needle)));
        // What is not used is grey.
        assert_eq!(d["tags"] == json!([1]), code == "ADC1001", "{d}");
    }
    let mut fixes = |range: Json| {
        let params =
            json!({"textDocument": {"uri": uri(path)}, "range": range, "context": {"diagnostics": []}});
        client.request("textDocument/codeAction", params).as_array().cloned().expect("a list")
    };
    let here = fixes(at("log(1 + x)"));
    let quick: Vec<&Json> = here.iter().filter(|a| a["kind"] == "quickfix").collect();
    assert_eq!(quick.len(), 1, "{here:?}");
    assert_eq!(
        (&quick[0]["isPreferred"], &quick[0]["diagnostics"][0]["code"]),
        (&json!(true), &json!("ADC1007"))
    );
    assert_eq!(
        quick[0]["edit"]["changes"][uri(path)][0],
        json!({"range": at("log(1 + x)"), "newText": "log1p(x)"})
    );
    // The comparison is a guess, so it is not among those that are made at once.
    let all = here.iter().find(|a| a["kind"] == "source.fixAll").expect("one for all");
    assert_eq!(all["edit"]["changes"][uri(path)].as_array().map(Vec::len), Some(2), "{all}");
    client.set(path, 2, &format!("#[allow(float_equality, unused_variable, unstable_formula)]\n{text}"));
    assert!(client.diagnostics(path, 2).is_empty());
    // With an error beside them, too.
    client.set(path, 3, &text.replace("{ y }", "{ z }"));
    let found = client.diagnostics(path, 3);
    assert!(found.iter().any(|d| d["severity"] == 1 && d["code"] == "ADC0201"), "{found:?}");
    client.end();
}

#[test]
fn every_certain_fix_at_once() {
    let text = "fn f(x: double) -> f64 { ln(x) + ln(2*x) }\n";
    let (mut client, path) = open(text);
    let whole = json!({"start": position(text, 0), "end": position(text, text.len())});
    let params = json!({"textDocument": {"uri": uri(path)}, "range": whole, "context": {"diagnostics": []}});
    let actions = client.request("textDocument/codeAction", params);
    let all = actions
        .as_array()
        .expect("a list")
        .iter()
        .find(|a| a["kind"] == "source.fixAll")
        .expect("one for all");
    let edits = all["edit"]["changes"][uri(path)].as_array().expect("edits");
    assert!(edits.iter().any(|e| e["newText"] == "f64"), "{edits:?}");
    client.end();
}

#[test]
fn hover() {
    let (mut client, path) = open(MODEL);
    let mut shown = |needle: &str, plus: usize| {
        let hover = client.at("textDocument/hover", path, MODEL, needle, plus);
        hover["contents"]["value"].as_str().unwrap_or_default().to_string()
    };
    let soft = shown("soft(z", 1);
    assert!(soft.contains("fn soft(t: f64) -> f64") && soft.contains("A soft maximum"), "{soft}");
    // The derivative as mathematics: of two branches.
    assert!(soft.contains("∂") || soft.contains('d'), "{soft}");
    assert!(soft.matches("```").count() >= 4, "{soft}");
    assert!(shown("z = X", 0).contains("z: f64[N]"));
    assert!(shown("z[i]", 0).contains("z: f64[N]"));
    assert!(shown("X @", 0).contains("X: f64[N, D]"));
    assert!(shown("log1p", 2).contains("log1p"));
    assert!(shown("for i)", 1).contains("loop"));
    assert!(shown("@ w", 0).contains("matrices"));
    client.end();
}

#[test]
fn completion() {
    let (mut client, path) = open(MODEL);
    let mut at = |text: &str, version: i64| {
        let i = text.find('|').expect("a place");
        let plain = text.replacen('|', "", 1);
        client.set(path, version, &plain);
        let params = json!({"textDocument": {"uri": uri(path)}, "position": position(&plain, i)});
        client.request("textDocument/completion", params)
    };
    let items = at(&MODEL.replace("0.5*lam", "0.5*l|"), 2);
    let names = labels(&items);
    for name in ["lam", "z", "N", "soft", "nll", "log1p", "PI", "grad", "let", "if", "f64"] {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    // Not what is not visible, and nothing twice.
    assert!(!names.contains(&"t"), "{names:?}");
    let exp = items.as_array().expect("a list").iter().find(|i| i["label"] == "exp").expect("it is there");
    assert!(exp["documentation"]["value"].as_str().is_some_and(|d| d.contains("exp")), "{exp}");
    assert_eq!(exp["insertTextFormat"], 2);
    let check = |line: &str| MODEL.replace("wrt w, lam;", line);
    let items = at(&check("|"), 3);
    assert!(["X", "lam", "wrt", "points", "expect"].iter().all(|n| labels(&items).contains(n)), "{items}");
    let items = at(&check("wrt |"), 4);
    assert_eq!(labels(&items), ["X", "y", "w", "lam"]);
    let items = at(&check("X ~ no|"), 5);
    assert!(labels(&items).contains(&"normal"));
    let items = at(&check("expect |"), 6);
    assert!(labels(&items).contains(&"kink"));
    let items = at(&format!("{MODEL}\nrule |"), 7);
    assert_eq!(labels(&items), ["jvp", "vjp", "partial"]);
    let items = at(&format!("#[|\n{MODEL}"), 8);
    assert!(labels(&items).contains(&"inline"));
    client.end();
}

#[test]
fn signature_help() {
    let text =
        MODEL.replace("let z = X @ w;", "let q = pow(lam, ); let z = jvp(soft)(lam; ); let r = nll(X, y, ;");
    let (mut client, path) = open(&text);
    let help = client.at("textDocument/signatureHelp", path, &text, "pow(lam, ", 9);
    assert_eq!((&help["signatures"][0]["label"], &help["activeParameter"]), (&json!("pow(a, b)"), &json!(1)));
    let help = client.at("textDocument/signatureHelp", path, &text, "(lam; ", 6);
    assert_eq!(help["signatures"][0]["label"], "jvp(soft)(t: f64; tangents)");
    let help = client.at("textDocument/signatureHelp", path, &text, "nll(X, y, ", 10);
    assert_eq!(help["activeParameter"], 2);
    assert_eq!(help["signatures"][0]["parameters"][2]["label"], "w: f64[D]");
    client.end();
}

#[test]
fn definitions_references_and_names_across_files() {
    let dir = folder("files");
    let main = dir.join("main.dsl").to_string_lossy().into_owned();
    let other = dir.join("other file.dsl").to_string_lossy().into_owned();
    let library = "const LIMIT: f64 = 2;\nfn clip(x: f64) -> f64 { min(x, LIMIT) }\n";
    let text = "use \"other file.dsl\";\nfn f(x: f64) -> f64 { let y = clip(x); clip(y) + LIMIT }\ncheck f { x = 1; }\n";
    std::fs::write(&main, text).expect("a file");
    std::fs::write(&other, library).expect("a file");
    let other_uri = uri(&other).replace(' ', "%20");
    let mut client = Client::start(&[&dir.to_string_lossy()]);
    client.open(&main, text);
    assert!(client.diagnostics(&main, 1).is_empty());
    let def = client.at("textDocument/definition", &main, text, "clip(y", 0);
    assert_eq!(
        (&def["uri"], &def["range"]["start"]),
        (&json!(other_uri), &json!({"line": 1, "character": 3}))
    );
    let def = client.at("textDocument/definition", &main, text, "other", 2);
    assert_eq!(def["uri"], other_uri);
    // The used file is open, too, and not saved: the buffer counts.
    let document = json!({"uri": other_uri, "languageId": "adc", "version": 1, "text": library.replace("x: f64", "x: f64, a: f64")});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
    let id = client.ask("textDocument/hover", place(&main, text, "clip(y", 1));
    let hover = client.answer(id).expect("an answer");
    assert!(hover["contents"]["value"].as_str().is_some_and(|t| t.contains("x: f64, a: f64")), "{hover}");
    let params =
        json!({"textDocument": {"uri": other_uri, "version": 2}, "contentChanges": [{"text": library}]});
    client.notify("textDocument/didChange", params);
    // From the library, uses in the file that uses it.
    let at = |needle: &str| {
        json!({"textDocument": {"uri": other_uri}, "position": position(library, library.find(needle).expect("it is there")),
            "context": {"includeDeclaration": true}})
    };
    let found = client.request("textDocument/references", at("LIMIT"));
    assert_eq!(found.as_array().map(Vec::len), Some(3), "{found}");
    let mut params = at("clip");
    params["newName"] = "cut".into();
    let edits = client.request("textDocument/rename", params.clone());
    assert_eq!(edits["changes"][&other_uri].as_array().map(Vec::len), Some(1), "{edits}");
    assert_eq!(edits["changes"][uri(&main)].as_array().map(Vec::len), Some(2), "{edits}");
    // Clashes with an item of the other file, with a variable that would hide it, and with a built-in that is used.
    for (new, why) in
        [("f", "twice"), ("y", "variable"), ("min", "cannot become"), ("let", "name"), ("1x", "name")]
    {
        params["newName"] = new.into();
        let refused = client.refused("textDocument/rename", params.clone());
        assert!(refused.contains(why), "{new}: {refused}");
    }
    client.end();
}

#[test]
fn names_of_parameters_reach_blocks_and_derivatives() {
    let text = "\
fn f(x: f64, a: f64) -> f64 { a*sin(x) }
fn g(x: f64) -> f64 { grad(f, wrt = x)(x, 2) }
rule vjp f(u, v; w) { (v*cos(u)*w, sin(u)*w) }
check f { x ~ normal(0, 1); wrt x; }
";
    let (mut client, path) = open(text);
    let mut params = place(path, text, "x: f64, a", 0);
    params["newName"] = "angle".into();
    let edits = client.request("textDocument/rename", params);
    // The parameter, its use, `wrt = x`, and two lines of the block; not the other function's.
    assert_eq!(edits["changes"][uri(path)].as_array().map(Vec::len), Some(5), "{edits}");
    let highlights = client.at("textDocument/documentHighlight", path, text, "u, v; w", 0);
    assert_eq!(highlights.as_array().map(Vec::len), Some(3), "{highlights}");
    client.end();
}

#[test]
fn outline_hints_colours_and_format() {
    let (mut client, path) = open(MODEL);
    let document = json!({"textDocument": {"uri": uri(path)}});
    let symbols = client.request("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["soft", "nll", "check nll"]);
    let mut params = document.clone();
    params["range"] = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = client.request("textDocument/inlayHint", params);
    assert_eq!(hints[0]["label"], ": f64[N]", "{hints}");
    let tokens = client.request("textDocument/semanticTokens/full", document.clone());
    let data: Vec<u64> =
        tokens["data"].as_array().expect("numbers").iter().filter_map(Json::as_u64).collect();
    assert!(data.len().is_multiple_of(5) && data.len() > 200, "{}", data.len());
    // Decoded, every token is on its line: the first ones are the comment, `fn` and `soft`.
    let (mut line, mut column) = (0, 0);
    let mut decoded = Vec::new();
    for t in data.chunks(5) {
        (line, column) = if t[0] == 0 { (line, column + t[1]) } else { (line + t[0], t[1]) };
        let text = MODEL.lines().nth(line as usize).unwrap_or_default();
        let units: Vec<u16> = text.encode_utf16().collect();
        let end = (column + t[2]) as usize;
        assert!(end <= units.len(), "{line}:{column}");
        decoded.push((String::from_utf16_lossy(&units[column as usize..end]), t[3]));
    }
    let first: Vec<(&str, u64)> = decoded.iter().take(5).map(|(t, k)| (t.as_str(), *k)).collect();
    assert_eq!(first, [("/// A soft maximum with 0.", 8), ("fn", 0), ("soft", 1), ("t", 3), (":", 9)]);
    assert!(
        decoded.iter().any(|(t, k)| t == "points" && *k == 0)
            && decoded.iter().any(|(t, k)| t == "N" && *k == 4)
    );
    let mut params = document.clone();
    params["options"] = json!({"tabSize": 4, "insertSpaces": true});
    assert_eq!(client.request("textDocument/formatting", params.clone()), json!([]));
    client.set(path, 2, "fn f(x:f64)->f64{x}");
    let edits = client.request("textDocument/formatting", params);
    assert_eq!(edits[0]["newText"], "fn f(x: f64) -> f64 { x }\n");
    client.end();
}

#[test]
fn lenses_check_and_show_derivatives() {
    let wrong = "\
fn f(x: f64) -> f64 { x^3 }
fn g(x: f64) -> f64 { sin(x) }
rule vjp g(x; u) { 2*u*cos(x) }
check g { x in [0.1, 1]; points 2; }
";
    let (mut client, path) = open(wrong);
    assert!(client.diagnostics(path, 1).is_empty());
    let lenses = client.request("textDocument/codeLens", json!({"textDocument": {"uri": uri(path)}}));
    let lens = |title: &str| {
        let found = lenses
            .as_array()
            .expect("a list")
            .iter()
            .find(|l| l["command"]["title"].as_str().is_some_and(|t| t.contains(title)));
        found.unwrap_or_else(|| panic!("{title}: {lenses}"))["command"].clone()
    };
    assert_eq!(lenses.as_array().map(Vec::len), Some(5));
    let shown = client.request("workspace/executeCommand", lens("derivative"));
    assert!(shown["text"].as_str().is_some_and(|t| t.contains('3') && t.contains('x')), "{shown}");
    let params = json!({"command": "adc.showDerivative", "arguments": [uri(path), "f", "program"]});
    let shown = client.request("workspace/executeCommand", params);
    assert_eq!(shown["language"], "adc-ir");
    let verdict = client.request("workspace/executeCommand", lens("check"));
    assert_eq!(verdict["passed"], true, "{verdict}");
    assert!(client.notified("window/showMessage")["message"].as_str().is_some_and(|m| m.starts_with("ok")));
    assert!(client.diagnostics(path, 1).is_empty());
    let params = json!({"command": "adc.check", "arguments": [uri(path), "g"]});
    let verdict = client.request("workspace/executeCommand", params);
    assert_eq!(verdict["passed"], false, "{verdict}");
    let found = client.diagnostics(path, 1);
    assert!(found.iter().any(|d| d["code"].as_str().is_some_and(|c| c.starts_with("ADC03"))), "{found:?}");
    // The next change takes them away.
    client.set(path, 2, &format!("{wrong}\n"));
    assert!(client.diagnostics(path, 2).is_empty());
    client.end();
}
