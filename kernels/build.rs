//! Compiles the runtime as one object file. See `src/lib.rs`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).parent().unwrap().to_path_buf();
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    for input in ["runtime/src", "runtime/Cargo.toml", "Cargo.lock", "kernels/build.rs"] {
        println!("cargo::rerun-if-changed={}", root.join(input).display());
    }
    let object = out.join("kernels.o");
    let elf =
        env::var("CARGO_CFG_UNIX").is_ok() && env::var("CARGO_CFG_TARGET_VENDOR").as_deref() != Ok("apple");
    if !elf {
        return fs::write(object, b"").unwrap();
    }
    // What was fetched for the rest of adc is enough, unless adc is part of another project with other versions.
    let archive = compile(&root, &out, &["--offline"]).or_else(|_| compile(&root, &out, &[]));
    let archive = archive.unwrap_or_else(|log| panic!("the runtime was not compiled:\n{log}"));
    fs::write(object, member(&fs::read(archive).unwrap())).unwrap();
}

/// The runtime as an archive, or what the compiler said.
fn compile(root: &Path, out: &Path, flags: &[&str]) -> Result<PathBuf, String> {
    let target = env::var("TARGET").unwrap();
    let directory = out.join("target");
    let mut cargo = Command::new(env::var("CARGO").unwrap());
    cargo.current_dir(root).args(["rustc", "--manifest-path", "runtime/Cargo.toml", "--release", "--lib"]);
    cargo.args(["--crate-type", "staticlib", "--features", "object", "--target", &target, "--target-dir"]);
    cargo.arg(&directory).args(flags);
    // One object file of everything that is needed. Without unwinding, what may panic is small.
    for (name, value) in
        [("LTO", "fat"), ("CODEGEN_UNITS", "1"), ("PANIC", "abort"), ("DEBUG", "0"), ("OPT_LEVEL", "3")]
    {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
    }
    // Not the flags, wrappers and reports of the build that this is a part of: lints, coverage, sanitizers.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let own = ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_HTTP_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"];
        let foreign =
            ["CARGO_", "RUSTFLAGS", "RUSTC", "CLIPPY_", "RUSTDOC"].iter().any(|p| name.starts_with(p));
        let ours = own.iter().any(|p| name.starts_with(p)) || name.starts_with("CARGO_PROFILE_RELEASE_");
        if foreign && !ours {
            cargo.env_remove(name.as_ref());
        }
    }
    cargo.env("RUSTC", env::var("RUSTC").unwrap());
    if target.starts_with("x86_64") {
        cargo.env("RUSTFLAGS", "-Ctarget-cpu=x86-64-v3");
    }
    let output = cargo.output().map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(directory.join(target).join("release/libadc_runtime.a"))
}

/// The member of an archive that the runtime itself is, with all it was optimised together with: the one that has a section for
/// `adc_exp`. The others are the compiler's own functions, which any C compiler has, too.
fn member(archive: &[u8]) -> &[u8] {
    const MARK: &[u8] = b".text.adc_exp\0";
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().trim().parse::<usize>().unwrap();
    assert!(archive.starts_with(b"!<arch>\n"), "no archive");
    let mut at = 8;
    while at + 60 <= archive.len() {
        let (name, size) = (&archive[at..at + 16], number(&archive[at + 48..at + 58]));
        let body = &archive[at + 60..at + 60 + size];
        // The tables of symbols and of long names begin with a slash and a blank or a slash.
        let is_table = name.starts_with(b"/ ") || name.starts_with(b"//") || name.starts_with(b"/SYM64/");
        if !is_table && body.windows(MARK.len()).any(|w| w == MARK) {
            return body;
        }
        at += 60 + size.next_multiple_of(2);
    }
    panic!("the archive has no part with the runtime's functions");
}
