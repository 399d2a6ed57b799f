//! Object files of functions and their derivatives, with what calls them: a C header ([`Built::header`]), or a Rust module
//! ([`Built::rust`], and [`Script`] for build scripts).
//!
//! A file contains everything it needs but the C library: `cc main.c model.o -lm`. It works in memory that the caller gives, so several
//! threads can call it at once, and reports run-time errors as a status and a text.

mod header;
mod names;
mod rust;
mod script;

pub use script::Script;

use crate::error::Error;
use crate::function::Function;
use crate::port::Port;
use crate::render::line_column;
use crate::wrt::Wrt;
use adc_ir::interp::Limits;
use adc_ir::{Code, Diagnostic, FpMode, Module, RuntimeError};
pub use adc_jit::Cpu;
use adc_jit::{FileEntry, FileOptions};
use adc_simplify::OptLevel;
use std::fmt;
use std::io::Cursor;

/// A program that a file has of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// The function itself.
    Primal,
    /// Its forward mode, [`Function::jvp`].
    Jvp,
    /// Its reverse mode, [`Function::vjp`].
    Vjp,
}

impl Program {
    /// All of them.
    pub const ALL: [Program; 3] = [Program::Primal, Program::Jvp, Program::Vjp];

    /// What its symbol ends with.
    fn suffix(self) -> &'static str {
        match self {
            Program::Primal => "",
            Program::Jvp => "_jvp",
            Program::Vjp => "_vjp",
        }
    }
}

/// What is put into an object file, and how.
///
/// ```
/// use adc::build::{Build, Program};
/// let model = adc::Model::parse("f.dsl", "fn f[N](x: f64[N]) -> f64 { sum(x*x) }")?;
/// let f = model.function("f")?.with_dims([("N", 3)])?;
/// let built = Build::new(&f, "model").with_programs([Program::Vjp]).run()?;
/// assert!(built.header().contains("int32_t model_f_vjp(const double *x"));
/// assert!(built.object.starts_with(b"\x7fELF"));
/// # Ok::<(), adc::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    function: Function,
    /// The dimensions by name, for the header.
    dims: Vec<(String, i64)>,
    stem: String,
    programs: Option<Vec<Program>>,
    wrt: Wrt,
    opt: OptLevel,
    fp: Option<FpMode>,
    options: FileOptions,
}

impl Build {
    /// Of a function whose dimensions were all given by [`Function::with_dims`]. `stem` is what the names of its functions begin with;
    /// what no name in C can have becomes `_`.
    pub fn new(function: &Function, stem: &str) -> Build {
        let (function, stem) = (function.clone(), names::identifier(stem));
        let (dims, programs, wrt, opt, fp, options) = Default::default();
        Build { function, dims, stem, programs, wrt, opt, fp, options }
    }

    /// With constants for these dimensions in what calls it.
    pub fn with_dims<'n>(mut self, dims: impl IntoIterator<Item = (&'n str, i64)>) -> Build {
        self.dims = dims.into_iter().map(|(name, n)| (name.to_string(), n)).collect();
        self
    }

    /// With these programs only. Without it, all there are: a function that cannot be differentiated has one.
    pub fn with_programs(mut self, programs: impl IntoIterator<Item = Program>) -> Build {
        let mut programs: Vec<Program> = programs.into_iter().collect();
        programs.sort();
        programs.dedup();
        self.programs = Some(programs);
        self
    }

    /// With derivatives with respect to these parameters.
    pub fn with_wrt(mut self, wrt: impl Into<Wrt>) -> Build {
        self.wrt = wrt.into();
        self
    }

    /// For this machine.
    pub fn with_cpu(mut self, cpu: Cpu) -> Build {
        self.options.cpu = cpu;
        self
    }

    /// At another level of optimisation.
    pub fn with_opt(mut self, opt: OptLevel) -> Build {
        self.opt = opt;
        self
    }

    /// In another floating-point mode, as [`crate::Options::with_fp`].
    pub fn with_fp(mut self, mode: FpMode) -> Build {
        self.fp = Some(mode);
        self
    }

    /// With other limits of a call.
    pub fn with_limits(mut self, limits: Limits) -> Build {
        self.options.limits = limits;
        self
    }

    /// Whether the functions of the runtime are left to [`runtime_archive`], which then has to be linked, too.
    pub fn with_shared_runtime(mut self, shared: bool) -> Build {
        self.options.shared_runtime = shared;
        self
    }

    fn simplifying(&self) -> crate::Options {
        crate::Options { fp: self.fp, ..crate::Options::default().with_opt(self.opt) }
    }

    /// Generates the code.
    ///
    /// # Errors
    /// Dimensions without a number, sizes that only a run knows, derivatives that there are not, too much code.
    pub fn run(&self) -> Result<Built, Error> {
        let f = &self.function;
        if let Some((dim, _)) = f.dims().first() {
            let d = Diagnostic::error(
                Code::BadShape,
                format!("dimension `{dim}` of `{}` has no number that fits", f.name()),
            );
            let d = d.label(f.header(), "code in a file is made for one set of sizes");
            return Err(f.diagnostic(d.help(format!("give every dimension: `--dims {dim}=3`"))));
        }
        let name = format!("{}_{}", self.stem, names::identifier(f.name()));
        let programs = self.programs.clone().unwrap_or_else(|| {
            let smooth = |ports: &[Port]| ports.iter().any(|p| p.ty.is_differentiable());
            let both = smooth(f.inputs()) && smooth(f.outputs());
            if both { Program::ALL.to_vec() } else { vec![Program::Primal] }
        });
        let mut parts = Vec::with_capacity(programs.len());
        let mut modules: Vec<(Module, adc_ir::FuncId)> = Vec::with_capacity(programs.len());
        for program in programs {
            let function = match program {
                Program::Primal => f.clone(),
                Program::Jvp => f.jvp(self.wrt.clone())?,
                Program::Vjp => f.vjp(self.wrt.clone())?,
            };
            modules.push(function.simplified(&self.simplifying())?);
            let symbol = format!("{name}{}", program.suffix());
            parts.push(Part { program, function, symbol, ones: Vec::new(), workspace: 0 });
        }
        for part in &mut parts {
            part.ones = self.ones(part);
        }
        let error = format!("{name}_error");
        let message = |e: &RuntimeError| self.message(e);
        let file = self.file(&parts, &mut modules, &error, &message)?;
        for (part, bytes) in parts.iter_mut().zip(file.workspaces) {
            part.workspace = bytes;
        }
        let externs = file.externs.into_iter().map(|symbol| {
            let declared = |(m, _): &(Module, adc_ir::FuncId)| {
                m.funcs.iter().find(|f| matches!(&f.body, adc_ir::Body::Extern(s) if *s == symbol)).cloned()
            };
            (modules.iter().find_map(declared).expect("it was called"), symbol)
        });
        Ok(Built {
            object: file.bytes,
            externs: externs.collect(),
            function: f.clone(),
            dims: self.dims.clone(),
            name,
            error,
            parts,
            limits: self.options.limits,
            shared_runtime: self.options.shared_runtime,
            cpu: self.options.cpu,
        })
    }

    /// The file; derivatives that work in more memory than they may are made once more, in the variant that needs the least.
    fn file(
        &self,
        parts: &[Part],
        modules: &mut [(Module, adc_ir::FuncId)],
        error: &str,
        message: &dyn Fn(&RuntimeError) -> String,
    ) -> Result<adc_jit::ObjectFile, Error> {
        let made = |modules: &[(Module, adc_ir::FuncId)]| {
            let entries: Vec<FileEntry> = (modules.iter().zip(parts))
                .map(|((module, func), part)| FileEntry {
                    module,
                    func: *func,
                    symbol: part.symbol.clone(),
                    ones: part.ones.clone(),
                })
                .collect();
            adc_jit::object_file(&entries, error, message, &self.options, adc_kernels::OBJECT)
        };
        match made(modules) {
            Err(d) if d.code == Code::TooMuchCode => {
                for (part, module) in parts.iter().zip(&mut *modules) {
                    if let Some(small) = part.function.small(&[]) {
                        *module = small?.simplified(&self.simplifying())?;
                    }
                }
                made(modules).map_err(|d| self.function.diagnostic(d))
            }
            other => other.map_err(|d| self.function.diagnostic(d)),
        }
    }

    /// The cotangent that is 1 if none is given: that of a single real number.
    fn ones(&self, part: &Part) -> Vec<usize> {
        let f = &self.function;
        let real = |i: usize| !f.outputs()[i].ty.is_array() && f.outputs()[i].ty.scalar().is_real();
        match f.ir().differentiable_results()[..] {
            [one] if part.program == Program::Vjp && real(one) => vec![f.inputs().len()],
            _ => Vec::new(),
        }
    }

    /// `model.dsl:4:5: index 7 is outside an axis of size 3 [ADC0504]`
    fn message(&self, e: &RuntimeError) -> String {
        let d = e.diagnostic();
        let place = self.function.files().get(e.span.file.0 as usize).map_or(String::new(), |file| {
            let (line, column) = line_column(&file.text, e.span.start);
            format!("{}:{line}:{column}: ", file.name)
        });
        format!("{place}{e} [{}]", d.code)
    }
}

/// A program in a file.
#[derive(Clone, Debug)]
struct Part {
    program: Program,
    function: Function,
    symbol: String,
    /// Cotangents that may be left out.
    ones: Vec<usize>,
    /// Bytes of memory it works in.
    workspace: u64,
}

/// An object file, and how it is called.
#[derive(Clone)]
#[non_exhaustive]
pub struct Built {
    /// The object file.
    pub object: Vec<u8>,
    /// The extern functions that it calls, each as it was declared.
    externs: Vec<(adc_ir::Func, String)>,
    function: Function,
    dims: Vec<(String, i64)>,
    name: String,
    error: String,
    parts: Vec<Part>,
    limits: Limits,
    shared_runtime: bool,
    cpu: Cpu,
}

impl fmt::Debug for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Built").field("symbols", &self.symbols()).finish_non_exhaustive()
    }
}

impl Built {
    /// The names of the functions in the file.
    pub fn symbols(&self) -> Vec<&str> {
        self.parts.iter().map(|p| p.symbol.as_str()).collect()
    }

    /// The extern functions that have to be linked with it.
    pub fn externs(&self) -> Vec<&str> {
        self.externs.iter().map(|(_, symbol)| symbol.as_str()).collect()
    }

    /// The C header, for C++ as well.
    pub fn header(&self) -> String {
        header::text(self)
    }

    /// A Rust module with a safe function for each in the file.
    ///
    /// # Errors
    /// Extern functions of the model: the module would have nothing that defines them.
    pub fn rust(&self) -> Result<String, Error> {
        rust::text(self)
    }

    /// The object file in a static library.
    pub fn archive(&self) -> Vec<u8> {
        archive(&self.object, format!("{}.o", self.name))
    }

    /// `fn f(x: f64[3]) -> f64, N = 3`
    fn describe(&self, f: &Function) -> String {
        let list = |ports: &[Port]| ports.iter().map(Port::to_string).collect::<Vec<_>>().join(", ");
        let dims: Vec<String> = self.dims.iter().map(|(name, n)| format!(", {name} = {n}")).collect();
        format!("fn {}({}) -> ({}){}", f.name(), list(f.inputs()), list(f.outputs()), dims.concat())
    }
}

/// The functions of the runtime as a static library, for files made [with a shared runtime](Build::with_shared_runtime).
///
/// # Errors
/// Machines whose object files are not ELF.
pub fn runtime_archive() -> Result<Vec<u8>, Error> {
    let runtime = adc_jit::archive(adc_kernels::OBJECT).map_err(|why| {
        let d = Diagnostic::error(Code::Unsupported, format!("there is no runtime to write: {why}"));
        Error::Diagnostics(crate::Diagnostics { files: Vec::new(), items: vec![d] })
    })?;
    Ok(archive(&runtime.bytes, "adc_runtime.o".to_string()))
}

/// A static library of one object file.
fn archive(object: &[u8], name: String) -> Vec<u8> {
    use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
    let mut out = Cursor::new(Vec::new());
    let members = [NewArchiveMember::new(object, &DEFAULT_OBJECT_READER, name)];
    let written = write_archive_to_stream(&mut out, &members, ArchiveKind::Gnu, false, None);
    written.expect("memory takes everything, and the object file is one of ours");
    out.into_inner()
}
