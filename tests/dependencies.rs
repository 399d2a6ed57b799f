//! What adc depends on: licences, sources and bans as in `deny.toml`. `cargo deny check bans licenses sources` says the same of every
//! platform; this needs nothing installed.

use crate::pages::root;
use serde_json::Value as Json;
use std::process::Command;

/// The quoted words of a list in `deny.toml`.
fn listed(toml: &str, start: &str) -> Vec<String> {
    let (_, rest) = toml.split_once(start).expect("the list is there");
    let (list, _) = rest.split_once("]\n").expect("it ends");
    list.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// Whether one of the alternatives of a licence expression needs allowed licences only.
fn permitted(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    // `AND` joins what is in parentheses, or two licences: each part has to be permitted.
    let parts = expression.split(" AND ").map(|part| part.trim_matches(['(', ')', ' ']));
    let mut each = parts.map(|part| part.split(" OR ").any(|l| allowed.iter().any(|a| a == l.trim())));
    each.all(|permitted| permitted)
}

#[test]
fn dependencies_are_as_permitted() {
    let toml = std::fs::read_to_string(root().join("deny.toml")).expect("it is there");
    let allowed = listed(&toml, "allow = [\n");
    let banned = listed(&toml, "\ndeny = [");
    assert!(allowed.len() > 4 && banned.len() > 2, "{allowed:?} {banned:?}");
    let target = listed(&toml, "targets = [")[0].clone();
    let run = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &target])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let metadata: Json = serde_json::from_slice(&run.stdout).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let text = |p: &Json, key: &str| p[key].as_str().unwrap_or_default().to_string();
    let (mut own, mut others) = (0, 0);
    for p in packages {
        let (name, licence) = (text(p, "name"), text(p, "license"));
        assert!(!banned.contains(&name), "`{name}` is banned");
        assert!(permitted(&licence, &allowed), "`{name}` has the licence `{licence}`");
        match p["source"].as_str() {
            None => own += 1,
            Some(source) => {
                assert!(source.starts_with("registry+"), "`{name}` comes from {source}");
                others += 1;
            }
        }
    }
    assert!(own > 10 && others > 100, "{own} and {others}");
}

#[test]
fn licences_are_read() {
    let allowed = ["MIT", "Unicode-3.0"].map(str::to_string);
    for yes in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
        assert!(permitted(yes, &allowed), "{yes}");
    }
    for no in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0 OR BSD-2-Clause"] {
        assert!(!permitted(no, &allowed), "{no}");
    }
}
