//! What is installed beside the program: completions, manual pages, and the archive that holds all of it.
#![cfg(unix)]

use crate::common;
use crate::pages;

use std::path::Path;
use std::process::Command;

fn bin() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_adc"))
}

/// What bash proposes for the last of these words.
fn bash(dir: &Path, words: &[&str]) -> Vec<String> {
    let script = format!(
        "source <(adc completions bash); COMP_WORDS=({}); COMP_CWORD={}; COMP_TYPE=9; \
         _clap_complete_adc adc '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        words.iter().map(|w| format!("'{w}'")).collect::<Vec<_>>().join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    let path = format!(
        "{}:{}",
        bin().parent().expect("a directory").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let out = Command::new("bash")
        .args(["-c", &script])
        .current_dir(dir)
        .env("PATH", path)
        .output()
        .expect("bash runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.lines().map(|l| l.trim().to_string()).filter(|l| !l.is_empty()).collect()
}

#[test]
fn bash_completes_flags_files_and_functions() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completions");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(dir.join("models")).expect("a directory");
    std::fs::write(
        dir.join("m.dsl"),
        "fn loss(x: f64) -> f64 { x }\nfn lost(x: f64) -> f64 {\nfn other() -> f64 { 1.0 }\n",
    )
    .expect("a file");
    std::fs::write(dir.join("notes.txt"), "").expect("a file");
    let found = bash(&dir, &["adc", "check", "m.dsl", "--fn", "lo"]);
    assert_eq!(found, ["loss", "lost"]);
    let found = bash(&dir, &["adc", "ch"]);
    assert_eq!(found, ["check"]);
    let found = bash(&dir, &["adc", "check", "--wa"]);
    assert_eq!(found, ["--watch"]);
    let found = bash(&dir, &["adc", "check", ""]);
    assert!(found.iter().any(|f| f == "m.dsl") && found.iter().any(|f| f.starts_with("models")), "{found:?}");
    assert!(!found.iter().any(|f| f.contains("notes")), "{found:?}");
    let found = bash(&dir, &["adc", "check", "--allow", "unused_v"]);
    assert_eq!(found, ["unused_variable"]);
}

#[test]
fn other_shells_have_scripts() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = common::adc(["completions", shell]);
        assert!(run.code == 0 && run.out.contains("adc"), "{shell}: {}", run.err);
    }
}

#[test]
fn the_archive() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let _ = std::fs::remove_dir_all(&out);
    let script = pages::root().join("release");
    let made = Command::new("bash").arg(script).arg(&out).env("ADC", bin()).output().expect("bash runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let sums = Command::new("sha256sum")
        .args(["--check", "SHA256SUMS"])
        .current_dir(&out)
        .output()
        .expect("sha256sum");
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stdout));
    let name = String::from_utf8_lossy(&made.stdout).trim().to_string();
    let unpacked =
        Command::new("tar").args(["xzf", &name, "--strip-components", "1"]).current_dir(&out).status();
    assert!(unpacked.is_ok_and(|s| s.success()));
    for file in [
        "share/man/man1/adc.1",
        "share/man/man1/adc-check.1",
        "share/bash-completion/completions/adc",
        "share/zsh/site-functions/_adc",
        "share/fish/vendor_completions.d/adc.fish",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "THIRD-PARTY.txt",
    ] {
        let size = std::fs::metadata(out.join(file)).map_or(0, |m| m.len());
        assert!(size > 100, "{file}: {size} bytes");
    }
    let licences = std::fs::read_to_string(out.join("THIRD-PARTY.txt")).expect("a list");
    assert!(licences.contains("cranelift-codegen") && licences.contains("clap"), "{licences}");
    let run = Command::new(out.join("bin/adc")).arg("--version").output().expect("it runs");
    assert!(String::from_utf8_lossy(&run.stdout).starts_with("adc "));
}
