//! Object files in build scripts.

use super::{Build, Cpu, Program};
use crate::error::Error;
use crate::model::Model;
use crate::wrt::Wrt;
use adc_simplify::OptLevel;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// For a `build.rs`: makes a Rust module of a function in a model, and tells Cargo to link it.
///
/// ```no_run
/// // in `main` of build.rs
/// adc::build::Script::new("models/loss.dsl", "loss").with_dims([("N", 3)]).run();
/// ```
///
/// ```ignore
/// // src/main.rs
/// mod loss {
///     include!(concat!(env!("OUT_DIR"), "/loss.rs"));
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    file: PathBuf,
    function: String,
    dims: Vec<(String, i64)>,
    programs: Option<Vec<Program>>,
    wrt: Wrt,
    opt: OptLevel,
    cpu: Cpu,
}

impl Script {
    /// For a function of the model in this file, a path from the directory of the package.
    pub fn new(file: impl AsRef<Path>, function: &str) -> Script {
        let (dims, programs, wrt, opt, cpu) = Default::default();
        Script {
            file: file.as_ref().to_path_buf(),
            function: function.to_string(),
            dims,
            programs,
            wrt,
            opt,
            cpu,
        }
    }

    /// With these numbers for its dimensions.
    pub fn with_dims<'n>(mut self, dims: impl IntoIterator<Item = (&'n str, i64)>) -> Script {
        self.dims = dims.into_iter().map(|(name, n)| (name.to_string(), n)).collect();
        self
    }

    /// As [`Build::with_programs`].
    pub fn with_programs(mut self, programs: impl IntoIterator<Item = Program>) -> Script {
        self.programs = Some(programs.into_iter().collect());
        self
    }

    /// As [`Build::with_wrt`].
    pub fn with_wrt(mut self, wrt: impl Into<Wrt>) -> Script {
        self.wrt = wrt.into();
        self
    }

    /// As [`Build::with_opt`].
    pub fn with_opt(mut self, opt: OptLevel) -> Script {
        self.opt = opt;
        self
    }

    /// As [`Build::with_cpu`].
    pub fn with_cpu(mut self, cpu: Cpu) -> Script {
        self.cpu = cpu;
        self
    }

    /// Writes `FUNCTION.rs` and `libadc_FUNCTION.a` into `OUT_DIR`, and tells Cargo of them. Ends the process with a message if the
    /// model has a mistake, as Cargo expects it of a build script.
    pub fn run(&self) {
        if let Err(e) = self.try_run() {
            eprintln!("{e}");
            std::process::exit(1);
        }
    }

    /// As [`Self::run`], with the error returned.
    ///
    /// # Errors
    /// A model that does not compile, files that cannot be read or written, a build for another machine than this one.
    pub fn try_run(&self) -> Result<(), Box<dyn std::error::Error>> {
        let variable =
            |name: &str| env::var(name).map_err(|_| format!("{name} is not set: no build script runs"));
        let (out, target, host) = (variable("OUT_DIR")?, variable("TARGET")?, variable("HOST")?);
        let machine = |triple: &str| triple.split('-').next().unwrap_or_default().to_string();
        if machine(&target) != machine(&host) {
            return Err(format!("adc makes code for {host} only, not for {target}").into());
        }
        let lines = self.write(Path::new(&variable("CARGO_MANIFEST_DIR")?), Path::new(&out))?;
        lines.iter().for_each(|line| println!("cargo::{line}"));
        Ok(())
    }

    /// Writes the files for a package in a directory into another one; what Cargo is to be told of them.
    ///
    /// # Errors
    /// As [`Self::try_run`].
    pub fn write(&self, package: &Path, out: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let name = super::names::identifier(&self.function);
        let (text, archive, sources) = self.made(&package.join(&self.file), &name)?;
        fs::write(out.join(format!("{name}.rs")), text)?;
        fs::write(out.join(format!("libadc_{name}.a")), archive)?;
        let mut lines: Vec<String> = sources.iter().map(|file| format!("rerun-if-changed={file}")).collect();
        lines.push(format!("rustc-link-search=native={}", out.display()));
        lines.push(format!("rustc-link-lib=static=adc_{name}"));
        lines.push("rustc-link-lib=m".to_string());
        Ok(lines)
    }

    /// The module, the library, and the files that they are made of.
    fn made(&self, file: &Path, stem: &str) -> Result<(String, Vec<u8>, Vec<String>), Error> {
        let model = Model::load(file)?;
        let dims = || self.dims.iter().map(|(name, n)| (name.as_str(), *n));
        let function = model.function(&self.function)?.with_dims(dims())?;
        let mut build = Build::new(&function, &format!("adc_{stem}"));
        build = build.with_dims(dims()).with_wrt(self.wrt.clone()).with_opt(self.opt).with_cpu(self.cpu);
        if let Some(programs) = &self.programs {
            build = build.with_programs(programs.iter().copied());
        }
        let built = build.run()?;
        let sources = function.files().iter().map(|file| file.name.clone()).collect();
        Ok((built.rust()?, built.archive(), sources))
    }
}
