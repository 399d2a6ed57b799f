//! A model that calls a C kernel whose derivative was written by hand, checked and used from Rust:
//! `cargo run --example native_kernel`. README.md beside this file shows the same on the command line.

use adc::{CheckOptions, Externs, Model, Options, Value};
use std::error::Error;
use std::path::Path;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/native_kernel");
    let externs = kernel(&here)?;
    for name in ["right.dsl", "wrong.dsl"] {
        let model = Model::parse(name, &std::fs::read_to_string(here.join(name))?)?;
        let options = CheckOptions::default().with_externs(externs.clone());
        let report = adc::check(&model, &options);
        println!("{name} {}", if report.passed() { "passes" } else { "fails" });
        for d in report.reports.iter().flat_map(|r| &r.diagnostics) {
            println!("  {}", d.message);
        }
    }
    // The right one, in use: how the misfit changes with the parameters of the potential.
    let model = Model::parse("right.dsl", &std::fs::read_to_string(here.join("right.dsl"))?)?;
    let misfit = model.function("misfit")?.value_and_grad(["depth", "width"])?;
    let misfit = misfit.compile(&Options::default().with_externs(externs))?;
    let atoms = vec![0.0, 1.1, 2.0, 3.2];
    let found = misfit.call(&[atoms.into(), 1.5.into(), 0.7.into(), Value::F64(3.5)])?;
    println!("misfit, d/ddepth, d/dwidth: {found:?}");
    Ok(())
}

/// Builds the C file and loads it. What is loaded stays, so the library's file may go at once.
fn kernel(here: &Path) -> Result<Externs, Box<dyn Error>> {
    let library = std::env::temp_dir().join(format!("libmorse-{}.so", std::process::id()));
    let built = Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(here.join("morse.c"))
        .arg("-lm")
        .status()?;
    if !built.success() {
        return Err("the C compiler failed".into());
    }
    let externs = Externs::load(&library);
    std::fs::remove_file(&library)?;
    Ok(externs?)
}
