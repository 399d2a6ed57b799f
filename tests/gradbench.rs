//! `adc gradbench`: messages with the outputs that `tests/gradbench/reference.py` expects of them, and messages that nobody should send.

use crate::common;
use crate::pages;

use common::adc_with_stdin;
use serde_json::{Value as Json, json};

/// The answers to messages, one a line.
fn answers(messages: &str) -> Vec<Json> {
    let run = adc_with_stdin(["gradbench"], messages);
    assert_eq!(run.code, 0, "{}", run.err);
    run.out.lines().map(|line| serde_json::from_str(line).expect("an answer is JSON")).collect()
}

/// Where two outputs differ in form, or by more than a part in 10⁹.
fn difference(wanted: &Json, got: &Json, at: &str) -> Option<String> {
    match (wanted, got) {
        (Json::Number(a), Json::Number(b)) => {
            let [a, b] = [a, b].map(|n| n.as_f64().expect("it is finite"));
            let near = (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3);
            (!near).then(|| format!("{at}: {b} instead of {a}"))
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| difference(a, b, &format!("{at}[{i}]")))
        }
        (Json::Object(a), Json::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(name, a)| difference(a, &b[name], &format!("{at}.{name}")))
        }
        _ => Some(format!("{at}: {got} instead of {wanted}")),
    }
}

#[test]
fn recorded_messages_get_the_expected_outputs() {
    let session = include_str!("gradbench/session.jsonl");
    let session: Vec<Json> = session.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let messages: Vec<String> = session.iter().map(|line| line["message"].to_string()).collect();
    let answers = answers(&messages.join("\n"));
    assert_eq!(answers.len(), session.len());
    let mut outputs = 0;
    for (line, answer) in session.iter().zip(&answers) {
        let message = &line["message"];
        assert_eq!(answer["id"], message["id"]);
        match message["kind"].as_str() {
            Some("start") => assert_eq!(answer["tool"], "adc"),
            Some("define") => assert_eq!(answer["success"], true),
            Some("evaluate") => {
                let what = format!("{}::{}", message["module"], message["function"]);
                assert_eq!(answer["success"], true, "{what}: {answer}");
                assert_eq!(difference(&line["output"], &answer["output"], &what), None);
                let timings = answer["timings"].as_array().expect("a list");
                let names: Vec<&str> = timings.iter().filter_map(|t| t["name"].as_str()).collect();
                assert_eq!(names, ["prepare", "evaluate"], "{what}");
                assert!(timings.iter().all(|t| t["nanoseconds"].is_u64()), "{answer}");
                outputs += 1;
            }
            _ => assert_eq!(*answer, json!({"id": message["id"]})),
        }
    }
    assert_eq!(outputs, 32);
}

#[test]
fn functions_run_as_often_as_they_are_asked_to() {
    let message = |runs: Json| {
        let mut input = json!({"x": [1.0, 2.0]});
        input.as_object_mut().unwrap().extend(runs.as_object().unwrap().clone());
        json!({"id": 1, "kind": "evaluate", "module": "lse", "function": "gradient", "input": input})
            .to_string()
    };
    let count = |runs: Json| answers(&message(runs))[0]["timings"].as_array().unwrap().len() - 1;
    assert_eq!(count(json!({})), 1);
    assert_eq!(count(json!({"min_runs": 7})), 7);
    let timed = &answers(&message(json!({"min_runs": 2, "min_seconds": 0.002})))[0]["timings"];
    let times: Vec<u64> =
        timed.as_array().unwrap()[1..].iter().map(|t| t["nanoseconds"].as_u64().unwrap()).collect();
    assert!(times.len() >= 2 && times.iter().sum::<u64>() >= 2_000_000, "{timed}");
}

#[test]
fn unknown_and_malformed_messages_are_refused() {
    let evaluate = |module: &str, function: &str, input: Json| {
        json!({"id": 9, "kind": "evaluate", "module": module, "function": function, "input": input})
            .to_string()
    };
    for (message, part) in [
        (r#"{"id": 9, "kind": "define", "module": "nothing"}"#.to_string(), "no module `nothing`"),
        (r#"{"id": 9, "kind": "define"}"#.to_string(), "names no module"),
        (r#"{"id": 9}"#.to_string(), "no kind"),
        (evaluate("nothing", "primal", json!({})), "no module `nothing`"),
        (evaluate("llsq", "hessian", json!({})), "no function `hessian`"),
        (evaluate("llsq", "primal", json!({"x": [1.0]})), "no `n`"),
        (evaluate("llsq", "primal", json!({"x": "many", "n": 3})), "x"),
        (evaluate("llsq", "primal", json!({"x": [1.0, [2.0]], "n": 3})), "x"),
        (evaluate("llsq", "primal", json!({"x": [1.0], "n": 3, "min_runs": -1})), "min_runs"),
        (evaluate("llsq", "primal", json!(3)), "no `x`"),
        (evaluate("lse", "primal", json!({"x": []})), "empty range"),
        (evaluate("det", "primal", json!({"A": [1.0, 2.0], "ell": 2})), "2 entries"),
        (evaluate("det", "primal", json!({"A": [], "ell": 1e300})), "ell"),
        (evaluate("ba", "objective", json!({"n": 0, "m": 1, "p": 1})), "no cameras"),
        (evaluate("ht", "objective", json!({"theta": []})), "no `data`"),
        (evaluate("saddle", "ff", json!({"start": [1.0]})), "start"),
    ] {
        let answer = &answers(&message)[0];
        assert_eq!((&answer["id"], &answer["success"]), (&json!(9), &json!(false)), "{message}: {answer}");
        assert!(answer["error"].as_str().unwrap().contains(part), "{message}: {answer}");
    }
    for line in ["", "{", "[1, 2]", "null", "\"kind\"", "{\"id\": 1, \"kind\": 3}", "\u{1}"] {
        let message = format!("{line}\n{}", r#"{"id": 4, "kind": "start", "eval": "hello"}"#);
        let all = answers(&message);
        assert_eq!(all.last().unwrap(), &json!({"id": 4, "tool": "adc"}));
        assert!(all.len() == 1 || all[0]["success"] == false, "{line}: {all:?}");
    }
}

/// The answers that the book shows.
#[test]
fn the_book_shows_a_session() {
    let page = pages::read("book/src/gradbench.md".as_ref());
    let blocks = pages::blocks(&page);
    let session = blocks.iter().find(|b| b.file() == Some("session.jsonl")).expect("a session");
    let shown = blocks.iter().find(|b| b.lang == "text").expect("its answers");
    assert_eq!(adc_with_stdin(["gradbench"], &session.text).out, shown.text);
}
