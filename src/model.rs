//! A parsed model: its functions, check blocks and sources.

use crate::error::UsageError;
use crate::files;
use crate::function::Function;
use crate::render::Diagnostics;
use adc_frontend::limits::MAX_FILE;
use adc_frontend::{FnValues, Loader, Program, SourceFile};
use adc_ir::{Code, Datum, Diagnostic, FuncId, Module};
use adc_jit::RuntimeMath;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A model: what one source file, and the files it uses, define. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) program: Arc<Program>,
    pub(crate) module: Arc<Module>,
}

impl Model {
    /// Parses, types and lowers `source`. `name` is its name in messages; `use "other.dsl"` is looked up beside it in the
    /// file system.
    ///
    /// # Errors
    /// Everything that is wrong with the source, several messages at once.
    ///
    /// ```
    /// let model = adc::Model::parse("half.dsl", "fn half(x: f64) -> f64 { x/2 }")?;
    /// let wrong = adc::Model::parse("wrong.dsl", "fn f(x: f64) -> f64 { sine(x) }").unwrap_err();
    /// assert!(wrong.to_string().contains("ADC0201"));
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn parse(name: &str, source: &str) -> Result<Model, Diagnostics> {
        Model::parse_with(name, source, &mut FileLoader)
    }

    /// The model in a file.
    ///
    /// # Errors
    /// As [`Model::parse`]; a file that cannot be read, or is not UTF-8 text.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, Diagnostics> {
        let name = path.as_ref().to_string_lossy();
        let read = File::open(&path).and_then(|file| files::text(file, MAX_FILE));
        let source = read.map_err(|e| {
            let d = Diagnostic::error(Code::Io, format!("cannot read `{name}`: {e}"));
            Diagnostics::new(&[], d.help("check the path and its permissions"))
        })?;
        Model::parse(&name, &source)
    }

    /// As [`Model::parse`], with another source of the files named by `use`.
    ///
    /// # Errors
    /// As [`Model::parse`].
    ///
    /// ```
    /// struct Constants;
    /// impl adc::Loader for Constants {
    ///     fn load(&mut self, _from: &str, path: &str) -> Result<(String, String), String> {
    ///         Ok((path.to_string(), "const LIMIT: f64 = 2;".to_string()))
    ///     }
    /// }
    /// let source = "use \"constants.dsl\"; fn f(x: f64) -> f64 { min(x, LIMIT) }";
    /// let model = adc::Model::parse_with("f.dsl", source, &mut Constants)?;
    /// assert_eq!(model.functions().count(), 1);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn parse_with(name: &str, source: &str, loader: &mut dyn Loader) -> Result<Model, Diagnostics> {
        Model::parse_given(name, source, loader, &[])
    }

    /// As [`Model::parse_with`], with functions for parameters that are functions: each value makes a function that takes the
    /// other parameters, called [`FnValues::name`].
    ///
    /// # Errors
    /// As [`Model::parse`], and names of functions that do not fit.
    ///
    /// ```
    /// let source = "fn twice(f: fn(f64) -> f64, x: f64) -> f64 { f(f(x)) }";
    /// let sine = adc::FnValues { function: "twice".into(), values: vec![("f".into(), "sin".into())] };
    /// let model = adc::Model::parse_given("twice.dsl", source, &mut adc::FileLoader, &[sine.clone()])?;
    /// let f = model.function(&sine.name())?.compile(&adc::Options::default())?;
    /// assert_eq!(f.call(&[0.5.into()])?, [0.5f64.sin().sin().into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn parse_given(
        name: &str,
        source: &str,
        loader: &mut dyn Loader,
        given: &[FnValues],
    ) -> Result<Model, Diagnostics> {
        match adc_frontend::compile_with(name, source, loader, &RuntimeMath, given) {
            Ok(mut program) => {
                let rules = adc_ad::check_rules(&program.module);
                if rules.has_errors() {
                    return Err(Diagnostics { files: program.files, items: rules.0 });
                }
                let module = Arc::new(std::mem::take(&mut program.module));
                Ok(Model { program: Arc::new(program), module })
            }
            Err(failure) => Err(Diagnostics { files: failure.files, items: failure.diagnostics.0 }),
        }
    }

    /// A model from IR in text form, as `adc emit --emit=ir` prints it.
    ///
    /// # Errors
    /// Text that is no IR, or does not pass the verifier.
    ///
    /// ```
    /// let text = "fn f[N](x: f64[N]) -> f64 {\n  v0 = i64 0\n  v1 = i64 1\n  v2 = reduce sum v0, N, v1 (v3) { v4 = index x, v3 yield v4 }\n  return v2\n}";
    /// let f = adc::Model::parse_ir("f.ir", text)?.function("f")?.compile(&adc::Options::default())?;
    /// assert_eq!(f.call(&[vec![1.0, 2.0, 3.5].into()])?, [6.5.into()]);
    /// # Ok::<(), adc::Error>(())
    /// ```
    pub fn parse_ir(name: &str, text: &str) -> Result<Model, Diagnostics> {
        let files = vec![SourceFile { name: name.to_string(), text: text.to_string() }];
        let module = match adc_ir::text::parse_module(text) {
            Ok(module) => module,
            Err(d) => return Err(Diagnostics { files, items: vec![d] }),
        };
        if let Err(errors) = adc_ir::verify::verify(&module) {
            let wrong = |e: &adc_ir::verify::VerifyError| Diagnostic::error(Code::IrSyntax, e.to_string());
            return Err(Diagnostics { files, items: errors.iter().map(wrong).collect() });
        }
        let rules: Vec<FuncId> = module.funcs.iter().flat_map(|f| &f.rules).map(|r| r.func).collect();
        let all = (0..module.funcs.len() as u32).map(FuncId);
        let functions = all.filter(|f| module.func(*f).region().is_some() && !rules.contains(f)).collect();
        let (checks, benches, warnings, lints, generics) = Default::default();
        let module_of = Module::default();
        let program =
            Program { module: module_of, files, functions, generics, checks, benches, warnings, lints };
        Ok(Model { program: Arc::new(program), module: Arc::new(module) })
    }

    /// A function by name: of the model's own file, of a file it uses, or an extern one.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn function(&self, name: &str) -> Result<Function, UsageError> {
        // Functions made by the front end have a dot in their names, as no source function has; one that has been given
        // functions is listed.
        let listed = |id: &FuncId| !name.contains('.') || self.program.functions.contains(id);
        let id = self.module.find(name).filter(listed);
        id.map(|id| self.at(id)).ok_or_else(|| UsageError::UnknownFunction(name.to_string()))
    }

    /// The functions of the model's own file, in source order.
    pub fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        self.program.functions.iter().map(|&id| self.at(id))
    }

    /// The IR of everything the model defines.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The model as the front end returned it: sources, check and bench blocks, warnings. Its module is [`Model::module`].
    pub fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn at(&self, id: FuncId) -> Function {
        Function::new(self.program.clone(), self.module.clone(), id)
    }
}

/// Looks up `use` paths in the file system, relative to the file that uses them.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileLoader;

impl Loader for FileLoader {
    fn load(&mut self, from: &str, path: &str) -> Result<(String, String), String> {
        let file = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        let text = files::regular(&file).and_then(|file| files::text(file, MAX_FILE));
        text.map(|text| (file.to_string_lossy().into_owned(), text)).map_err(|e| e.to_string())
    }

    fn array(&mut self, from: &str, path: &str) -> Result<Datum, String> {
        let file = Path::new(from).parent().unwrap_or(Path::new("")).join(path);
        array(&file)
    }
}

#[cfg(feature = "npy")]
fn array(file: &Path) -> Result<Datum, String> {
    crate::npy::read(file).map(crate::Value::into_datum).map_err(|e| e.to_string())
}

#[cfg(not(feature = "npy"))]
fn array(file: &Path) -> Result<Datum, String> {
    Err(format!("`{}` cannot be read: this program has adc without its feature `npy`", file.display()))
}
