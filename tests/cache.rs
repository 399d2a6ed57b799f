//! Checks that are not repeated, and points from `.npy` files.

use crate::common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

fn check(dir: &Path, args: &[&str]) -> Output {
    let mut adc = Command::new(env!("CARGO_BIN_EXE_adc"));
    adc.arg("check").args(args).current_dir(dir).env("ADC_CACHE_DIR", dir.join("kept"));
    adc.output().expect("adc runs")
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(dir.join("kept")).map(|d| d.map(|e| e.expect("an entry").path()).collect());
    found.unwrap_or_default()
}

#[test]
fn what_passed_is_not_checked_again() {
    let dir = folder("cache");
    let file = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a file");
    file("a.dsl", "use \"lib.txt\";\nfn f(x: f64) -> f64 { twice(x) }\ncheck f { points 2; }\n");
    file("lib.txt", "fn twice(x: f64) -> f64 { 2*x }\n");
    file("b.dsl", "fn g(x: f64 in (0, 1)) -> f64 { log(1 + x) }\ncheck g { points 2; }\n");
    file(
        "c.dsl",
        "fn h(x: f64) -> f64 { x^2 }\nrule vjp h(x; t) { x*t }\ncheck h { x in [1, 2]; points 2; }\n",
    );
    file("d.dsl", "fn k(x: f64) -> f64 { sin(x) }\ncheck k { points 2; }\n");
    file("e.dsl", "fn e(x: f64) -> f64 {");
    // What is printed does not depend on what is kept: warnings, failures and broken files between others.
    let plain = check(&dir, &[".", "--no-cache"]);
    assert_eq!(entries(&dir).len(), 0);
    let first = check(&dir, &["."]);
    assert_eq!(entries(&dir).len(), 3, "the files that passed: a, b, d");
    let again = check(&dir, &["."]);
    let text = |o: &Output| String::from_utf8_lossy(&o.stdout).into_owned();
    assert_eq!(text(&plain), text(&first));
    assert_eq!(text(&plain), text(&again));
    assert_eq!([&plain, &first, &again].map(|o| o.status.code()), [Some(2); 3]);
    for name in ["a.dsl", "d.dsl", "b.dsl"] {
        assert_eq!(check(&dir, &[name]).status.code(), Some(0));
    }
    // That it was not checked again is seen by what is kept.
    for entry in entries(&dir) {
        let kept = std::fs::read_to_string(&entry).expect("an entry");
        std::fs::write(&entry, kept.replace("ok    ", "known ")).expect("an entry");
    }
    let known = |args: &[&str]| text(&check(&dir, args)).contains("known ");
    assert!(known(&["a.dsl"]) && known(&["d.dsl"]));
    // Other flags, another look, another form: another outcome.
    assert!(
        !known(&["a.dsl", "--no-cache"]) && !known(&["a.dsl", "--points", "3"]) && !known(&["a.dsl", "-v"])
    );
    assert!(!known(&["a.dsl", "--format", "json"]) && !known(&["a.dsl", "--seed", "2"]));
    // Another file, or one that it uses.
    file("d.dsl", "fn k(x: f64) -> f64 { cos(x) }\ncheck k { points 2; }\n");
    file("lib.txt", "fn twice(x: f64) -> f64 { x + x }\n");
    assert!(!known(&["a.dsl"]) && !known(&["d.dsl"]) && known(&["b.dsl"]));
    // An entry that is broken is none.
    entries(&dir).iter().for_each(|e| std::fs::write(e, "{").expect("an entry"));
    let broken = check(&dir, &["a.dsl"]);
    assert!(text(&broken).contains("ok     f"), "{}", text(&broken));
    let off = Command::new(env!("CARGO_BIN_EXE_adc"))
        .args(["check", "a.dsl"])
        .current_dir(&dir)
        .env("ADC_CACHE_DIR", "")
        .output()
        .expect("adc runs");
    assert_eq!(text(&off), text(&broken));
}

/// A `.npy` file of version 1 with this header and data.
fn npy(path: &Path, descr: &str, shape: &str, data: &[u8]) {
    let mut header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).expect("a file");
}

fn doubles(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn points_from_npy() {
    let dir = folder("npy_points");
    let path = |name: &str| dir.join(name).display().to_string();
    let model = path("m.dsl");
    let source = "fn f[N](x: f64, z: c128, v: f64[N], n: i64) -> f64 { x*abs2(z) + sum(v[i]^n for i) }\n";
    std::fs::write(&model, source).expect("a file");
    let points = |args: &[&str]| {
        let run = common::adc([&["check", &model, "--format", "json"], args].concat());
        assert_eq!(run.code, 0, "{}\n{}", run.out, run.err);
        let doc: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        (doc["results"][0]["counts"]["points"].as_u64(), doc["results"][0]["point"].clone())
    };
    // Columns in order: x, z in two, v in two, n.
    let rows = doubles(&[1.5, 0.3, 0.4, 1.0, 2.0, 3.0, -2.0, 1.0, 0.5, 0.25, -1.0, 2.0]);
    npy(&dir.join("table.npy"), "'<f8'", "(2, 6)", &rows);
    let (count, point) = points(&["--data", &path("table.npy"), "--dims", "N=2"]);
    assert_eq!(count, Some(2), "{point}");
    // Fields by name, in any order; an array is a field with a shape.
    let descr = "[('n', '<i4'), ('v', '<f8', (2,)), ('x', '<f4'), ('z', '<c16')]";
    let mut data = 3i32.to_le_bytes().to_vec();
    data.extend(doubles(&[1.0, 2.0]));
    data.extend(1.5f32.to_le_bytes());
    data.extend(doubles(&[0.3, 0.4]));
    npy(&dir.join("fields.npy"), descr, "(1,)", &data);
    let (count, point) = points(&["--data", &path("fields.npy")]);
    assert_eq!(count, Some(1));
    assert_eq!(point["n"], 3, "{point}");
    assert_eq!(point["v"], serde_json::json!([1.0, 2.0]), "{point}");
    let refused = |args: &[&str], what: &str| {
        let run = common::adc([&["check", &model], args].concat());
        assert!(run.code == 2 && (run.err + &run.out).contains(what), "{what}: {}", run.out);
    };
    refused(&["--data", &path("table.npy")], "whose size is not known");
    refused(
        &["--data", &path("table.npy"), "--dims", "N=3"],
        "its rows have 6 numbers, the function takes 7",
    );
    npy(&dir.join("half.npy"), "'<f8'", "(1, 6)", &doubles(&[1.5, 0.3, 0.4, 1.0, 2.0, 0.5]));
    refused(&["--data", &path("half.npy"), "--dims", "N=2"], "row 0: the numbers for `n` are no i64");
    npy(&dir.join("other.npy"), "[('x', '<f8'), ('y', '<f8')]", "(1,)", &doubles(&[1.0, 2.0]));
    refused(&["--data", &path("other.npy")], "no field for `z`");
    npy(&dir.join("short.npy"), "'<f8'", "(1000, 6)", &rows);
    refused(&["--data", &path("short.npy"), "--dims", "N=2"], "promises");
    npy(&dir.join("text.npy"), "[('x', '<U3')]", "(1,)", &[0; 12]);
    refused(&["--data", &path("text.npy")], "field `x`");
}
