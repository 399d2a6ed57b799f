//! Native functions supplied by the host program or a library, for the `extern fn`s of a module.
//!
//! The C signature follows from the declaration: dimensions as `int64_t`, parameters in order (`bool` as `uint8_t`, `i64` as
//! `int64_t`, a complex scalar as two reals, an array as `const T*`, row-major), then one `T*` per result; it returns
//! `int32_t`, 0 for success.

use crate::call::{Compiled, Slice, SliceMut};
use crate::closures::{self, Closure};
use crate::precise;
use adc_ir::datum::Datum;
use adc_ir::interp::{ExternCalls, ResultType, Val};
use adc_ir::{Body, Code, Diagnostic, FuncId, Module, Scalar, Trap, Type};
use libloading::Library;
use num_complex::Complex64;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Native functions by name: closures and single functions given by the host program, and libraries to look names up in. Keeps the
/// libraries loaded; so does every function compiled with it.
#[derive(Clone, Default)]
pub struct Externs {
    functions: BTreeMap<String, Address>,
    closures: BTreeMap<String, Arc<Closure>>,
    libraries: Vec<Loaded>,
    /// What the interpreter calls, by symbol. Filled by [`Self::bind`].
    pub(crate) trampolines: BTreeMap<String, Compiled>,
}

/// A library and the file it is, links resolved.
#[derive(Clone)]
struct Loaded {
    library: Arc<Library>,
    file: PathBuf,
}

/// The address of a native function.
#[derive(Clone, Copy)]
struct Address(*const u8);

// SAFETY: the address of code is never written through, and `Externs::insert`'s contract says that the function
// may be called from several threads.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// Why a library could not be loaded.
#[derive(Clone, Debug)]
pub struct LibraryError {
    /// The file.
    pub path: PathBuf,
    /// What the system's loader said.
    cause: Arc<libloading::Error>,
}

impl LibraryError {
    /// The error as a diagnostic.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(Code::Library, self.to_string())
            .help("`--lib` takes a shared library (`cc -shared -fPIC -o libkernels.so kernels.c`)")
    }
}

impl fmt::Display for LibraryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot load `{}`: {}", self.path.display(), self.cause)
    }
}

impl std::error::Error for LibraryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.cause)
    }
}

/// They are the same if they read the same.
impl PartialEq for LibraryError {
    fn eq(&self, other: &LibraryError) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Externs {
    /// No functions.
    pub fn new() -> Externs {
        Externs::default()
    }

    /// The functions of a shared library, not those of the libraries it depends on: `exp` is not found in everything
    /// that is linked with `-lm`. Loading runs its initialisers: load what you trust.
    ///
    /// # Errors
    /// A file that the system cannot load.
    pub fn load(path: impl AsRef<Path>) -> Result<Externs, LibraryError> {
        let path = path.as_ref();
        // A bare file name would be searched for in the system's directories instead of the current one.
        let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        // SAFETY: initialisers of the library run; that they do nothing wrong is up to whoever named the library,
        // as with the functions themselves.
        match unsafe { Library::new(&full) } {
            Ok(library) => {
                let loaded = Loaded { library: Arc::new(library), file: resolved(&full) };
                Ok(Externs { libraries: vec![loaded], ..Externs::default() })
            }
            Err(e) => Err(LibraryError { path: path.to_path_buf(), cause: Arc::new(e) }),
        }
    }

    /// Adds a function under the name models declare it by.
    ///
    /// # Safety
    /// `function` must have the C signature that every module using the name declares, stay callable as long as this value
    /// and everything compiled with it lives, be callable from several threads, write nothing but its results, and not unwind.
    pub unsafe fn insert(&mut self, name: impl Into<String>, function: *const ()) {
        let name = name.into();
        self.closures.remove(&name);
        self.functions.insert(name, Address(function.cast()));
    }

    /// Adds a Rust function or closure under the name models declare it by, with the types of its parameters and results, which
    /// a declaration must have (else ADC0803).
    ///
    /// It is called with the dimensions of the declaration, a slice for each argument and one for each result: arrays row-major,
    /// a scalar as one element. Results are 0 until they are written. An error is the status of a failed call, as a panic
    /// is ([`Trap::PANICKED`]); both end the run with ADC0506. It may be called from several threads at once, and is expected to
    /// give the same for the same arguments: calls may be left out, or made more often.
    ///
    /// ```
    /// use adc_ir::Type;
    /// use adc_jit::{Externs, Slice, SliceMut};
    ///
    /// let mut externs = Externs::new();
    /// let vector = Type::Array(adc_ir::Scalar::F64, 1);
    /// externs.define("scale", &[vector, Type::F64], &[vector], |_, args, results| {
    ///     let ([Slice::F64(x), Slice::F64(k)], [SliceMut::F64(y)]) = (args, results) else { unreachable!() };
    ///     y.iter_mut().zip(*x).for_each(|(y, x)| *y = k[0] * x);
    ///     Ok(())
    /// });
    /// ```
    pub fn define<F>(&mut self, name: impl Into<String>, params: &[Type], results: &[Type], function: F)
    where
        F: Fn(&[i64], &[Slice<'_>], &mut [SliceMut<'_>]) -> Result<(), i32> + Send + Sync + 'static,
    {
        let name = name.into();
        self.functions.remove(&name);
        let (params, results) = (params.to_vec(), results.to_vec());
        self.closures.insert(name, Arc::new(Closure { params, results, body: Box::new(function) }));
    }

    /// As [`Self::define`], of N `f64` parameters and one `f64` result: `externs.define_real("area", |[a, b]| a * b)`.
    pub fn define_real<const N: usize>(
        &mut self,
        name: impl Into<String>,
        function: impl Fn([f64; N]) -> f64 + Send + Sync + 'static,
    ) {
        let params = closures::repeated::<N>(Scalar::F64);
        self.define(name, &params, &[Type::F64], move |_, args, results| {
            let number = |k: usize| match args[k] {
                Slice::F64(x) => x[0],
                _ => unreachable!("the declaration was compared"),
            };
            if let [SliceMut::F64(y)] = results {
                y[0] = function(std::array::from_fn(number));
            }
            Ok(())
        });
    }

    /// As [`Self::define`], of N `c128` parameters and one `c128` result.
    pub fn define_complex<const N: usize>(
        &mut self,
        name: impl Into<String>,
        function: impl Fn([Complex64; N]) -> Complex64 + Send + Sync + 'static,
    ) {
        let params = closures::repeated::<N>(Scalar::C128);
        self.define(name, &params, &[Type::C128], move |_, args, results| {
            let number = |k: usize| match args[k] {
                Slice::C128(z) => z[0],
                _ => unreachable!("the declaration was compared"),
            };
            if let [SliceMut::C128(w)] = results {
                w[0] = function(std::array::from_fn(number));
            }
            Ok(())
        });
    }

    /// Adds everything `other` has; its functions replace ones of the same name, its libraries are searched last.
    pub fn extend(&mut self, other: Externs) {
        self.functions.retain(|name, _| !other.closures.contains_key(name));
        self.closures.retain(|name, _| !other.functions.contains_key(name));
        self.functions.extend(other.functions);
        self.closures.extend(other.closures);
        self.libraries.extend(other.libraries);
        self.trampolines.extend(other.trampolines);
    }

    /// Checks that the functions among `funcs` that are declared `extern` are here, closures with the types of the declaration.
    ///
    /// # Errors
    /// [`Code::Library`], with all that are missing, or the first that does not fit.
    pub fn check(&self, module: &Module, funcs: &[FuncId]) -> Result<(), Diagnostic> {
        let missing: Vec<_> = funcs
            .iter()
            .filter_map(|id| match &module.func(*id).body {
                Body::Extern(symbol) if !self.has(symbol) => Some((symbol, module.func(*id).span)),
                Body::Extern(_) | Body::Region(_) | Body::Derived(_) => None,
            })
            .collect();
        let Some((first, span)) = missing.first() else { return self.check_signatures(module, funcs) };
        let message = match missing.len() {
            1 => format!("there is no native function `{first}`"),
            n => {
                let names: Vec<String> = missing.iter().map(|(s, _)| format!("`{s}`")).collect();
                format!("there are no native functions for {n} `extern fn`s: {}", names.join(", "))
            }
        };
        let mut d = Diagnostic::error(Code::Library, message).label(*span, "declared here");
        for (_, span) in &missing[1..] {
            d = d.also(*span, "declared here");
        }
        Err(d
            .help("name the library that defines them with `--lib`, or give the function to the library API"))
    }

    /// A diagnostic for a closure, or a function that nobody gave, that is not what it is declared as: others are the business of
    /// who gave them.
    fn check_signatures(&self, module: &Module, funcs: &[FuncId]) -> Result<(), Diagnostic> {
        for func in funcs.iter().map(|id| module.func(*id)) {
            let Body::Extern(symbol) = &func.body else { continue };
            if let Some(closure) = self.closures.get(symbol) {
                if closure.fits(func) {
                    continue;
                }
                let message = format!("the Rust function given for `{symbol}` is `{closure}`");
                return Err(Diagnostic::error(Code::Library, message)
                    .label(func.span, "declared with other parameters or results")
                    .help(
                        "give the types of the declaration, as `Type::Array(element, rank)` those of arrays",
                    ));
            }
            if self.given(symbol).is_none() && !precise::fits(symbol, func) {
                let message = format!("the parameters or results of `{symbol}` differ from its declaration");
                return Err(Diagnostic::error(Code::Library, message).label(func.span, "declared here"));
            }
        }
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        self.closures.contains_key(name) || self.address(name).is_some()
    }

    /// The closure of a name.
    pub(crate) fn closure(&self, name: &str) -> Option<Arc<Closure>> {
        self.closures.get(name).cloned()
    }

    /// Where a function is: one that was given, or one of a library, or one of double-doubles, which are always there.
    pub(crate) fn address(&self, name: &str) -> Option<*const u8> {
        self.given(name).or_else(|| precise::address_of(name))
    }

    fn given(&self, name: &str) -> Option<*const u8> {
        let single = self.functions.get(name).map(|a| a.0);
        single.or_else(|| self.libraries.iter().find_map(|library| library.symbol(name)))
    }
}

impl Loaded {
    /// The address of a symbol that the library itself defines.
    fn symbol(&self, name: &str) -> Option<*const u8> {
        // SAFETY: the symbol is only taken for its address here, which whoever uses it keeps together with the
        // library; what is at it is called by generated code under the contract of `extern fn`.
        let found = unsafe { self.library.get::<unsafe extern "C" fn()>(name).ok()?.try_as_raw_ptr()? };
        let own = defined_in(found).is_none_or(|file| file == self.file);
        own.then_some(found.cast_const().cast())
    }
}

/// The file of the library that an address lies in, if the system can tell. Its own search for a symbol goes on in
/// the libraries that one depends on, whose functions have signatures of their own.
#[cfg(unix)]
fn defined_in(address: *const c_void) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: `dladdr` takes any address, and fills `info` where it does not return 0.
    let info = unsafe { (libc::dladdr(address, info.as_mut_ptr()) != 0).then(|| info.assume_init())? };
    // SAFETY: the name is a C string that the loader keeps while the library is loaded, which it is.
    let name = unsafe { std::ffi::CStr::from_ptr(info.dli_fname) };
    Some(resolved(Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()))))
}

/// On other systems the search ends in the library.
#[cfg(not(unix))]
fn defined_in(_: *const c_void) -> Option<PathBuf> {
    None
}

/// A path without links; as it is if there is no such file (any more).
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Status for what [`Externs::bind`] was not asked to prepare.
const UNBOUND: i32 = -1;

impl ExternCalls<f64> for Externs {
    fn call(&self, name: &str, args: &[Val<f64>], results: &[ResultType]) -> Result<Vec<Val<f64>>, i32> {
        let trampoline = self.trampolines.get(name).ok_or(UNBOUND)?;
        let args: Vec<Datum> =
            args.iter().zip(trampoline.inputs()).map(|(a, ty)| Datum::from_val(a, ty.scalar())).collect();
        let mut results: Vec<Datum> = results.iter().map(|r| Datum::zeros(r.ty.scalar(), &r.shape)).collect();
        match trampoline.call_extern(&args, &mut results) {
            Ok(()) => Ok(results.iter().map(Datum::to_val).collect()),
            Err(e) => Err(match e.trap {
                Trap::Extern { status, .. } => status,
                Trap::IntegerOverflow
                | Trap::DivisionByZero
                | Trap::BadConversion
                | Trap::Domain(_)
                | Trap::Assert(_)
                | Trap::IndexOutOfRange { .. }
                | Trap::EmptyReduction
                | Trap::BadStep(_)
                | Trap::Singular
                | Trap::OutOfFuel
                | Trap::OutOfMemory
                | Trap::NegativeSize(_) => UNBOUND,
            }),
        }
    }
}

impl fmt::Debug for Externs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Externs")
            .field("functions", &self.functions.keys().collect::<Vec<_>>())
            .field("closures", &self.closures.keys().collect::<Vec<_>>())
            .field("libraries", &self.libraries.len())
            .finish()
    }
}
