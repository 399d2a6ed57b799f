//! Object files: functions under C names, with the code of the runtime that they call.
//!
//! A function in a file is called with addresses only: of its arguments in order, of its results, and of memory to work in, which
//! `wrap.rs` lays out. What it calls of the runtime comes from an object file of the runtime's C functions, of which `merge.rs` takes what
//! is needed; extern functions of the model are symbols that the linker has to find.
//!
//! The bits are those of compiled code in this process, if that is made for the same machine.

mod merge;
mod wrap;

pub use merge::archive;

use super::compile::{define, refused};
use super::linker::{Code as Place, Linker};
use super::owner::{EXTERN, file_target};
use crate::options::{Cpu, Options, Simd};
use adc_ir::interp::Limits;
use adc_ir::{Code, Diagnostic, FuncId, Module, RuntimeError, Trap};
use adc_runtime::object::{NUMBERS, STATUS, TEXT};
use cranelift_module::{DataDescription, DataId, Linkage, Module as _};
use cranelift_object::{ObjectBuilder, ObjectModule};
use rustc_hash::FxHashMap;

/// A function that a file has.
#[derive(Clone, Debug)]
pub struct FileEntry<'a> {
    /// Where it is.
    pub module: &'a Module,
    /// The function, without dimensions.
    pub func: FuncId,
    /// The name it is called by.
    pub symbol: String,
    /// The scalar parameters, by position, for which a null pointer stands for 1.
    pub ones: Vec<usize>,
}

/// What a file is for.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    /// The machine.
    pub cpu: Cpu,
    /// What a call may use.
    pub limits: Limits,
    /// Whether the functions of the runtime stay outside, to be linked: see [`archive`].
    pub shared_runtime: bool,
}

/// An object file.
#[derive(Clone, Debug)]
pub struct ObjectFile {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// By entry: bytes of memory one call works in.
    pub workspaces: Vec<u64>,
    /// The extern functions that it calls, in order.
    pub externs: Vec<String>,
}

/// The runtime as an object file.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The functions that it has.
    pub symbols: Vec<String>,
}

/// Puts functions into an object file. `error` is the name of the function there that tells the text of an error, which `message` writes
/// for every one that can occur. `runtime` is an object file of the runtime's C functions.
///
/// # Errors
/// Results whose size only a run tells; what [`crate::compile`] refuses; a platform whose object files are not ELF.
pub fn object_file(
    entries: &[FileEntry],
    error: &str,
    message: &dyn Fn(&RuntimeError) -> String,
    options: &FileOptions,
    runtime: &[u8],
) -> Result<ObjectFile, Diagnostic> {
    let code = Options {
        simd: match options.cpu {
            Cpu::Baseline if Simd::Avx2.is_there() => Simd::Avx2,
            Cpu::Baseline => Simd::Baseline,
            Cpu::Host => Options::default().simd,
        },
        ..Options::default()
    };
    let unsupported = |why: String| {
        Diagnostic::error(Code::Unsupported, format!("no object file can be written on this machine: {why}"))
    };
    let own = merge::symbols(runtime).map_err(unsupported)?;
    if let Some(name) = entries.iter().map(|e| e.symbol.as_str()).chain([error]).find(|n| own.contains(*n)) {
        let message = format!("`{name}` is the name of a function of adc's runtime");
        return Err(
            Diagnostic::error(Code::BadUsage, message).help("name the object file otherwise, with `-o`")
        );
    }
    let target = file_target(options.cpu, code.verify).map_err(unsupported)?;
    let builder = ObjectBuilder::new(target, "adc", cranelift_module::default_libcall_names());
    let builder = builder.map_err(|e| refused("the file", e))?;
    let mut linker = Linker::of(Place::Object(Box::new(ObjectModule::new(builder))), &code);
    let mut workspaces = Vec::with_capacity(entries.len());
    for entry in entries {
        let defined;
        (linker, defined) = define(entry.module, entry.func, linker, &code, &entry.symbol)?;
        let size = wrap::entry(&mut linker, entry, defined, options)?;
        workspaces.push(size);
    }
    let texts = texts(&linker.errors, message);
    wrap::error(&mut linker, error, texts).map_err(|e| refused(error, e))?;
    let Place::Object(module) = linker.code else { unreachable!("it was made for a file") };
    let natives = natives(&module);
    let mut object = module.finish().object;
    if object.format() != object::BinaryFormat::Elf {
        return Err(unsupported("its object files are not ELF".to_string()));
    }
    let externs = externs(&mut object, entries);
    if !options.shared_runtime {
        merge::into(&mut object, runtime).map_err(unsupported)?;
        let lacks = |name: &&String| {
            object.symbol_id(name.as_bytes()).is_some_and(|id| object.symbol(id).is_undefined())
        };
        if let Some(name) = natives.iter().find(lacks) {
            let message = format!("the runtime of object files lacks `{name}`");
            return Err(Diagnostic::error(Code::Internal, message));
        }
    }
    let bytes = object.write().map_err(|e| unsupported(e.to_string()))?;
    Ok(ObjectFile { bytes, workspaces, externs })
}

/// The functions of the runtime that a module calls; others are the C library's.
fn natives(module: &ObjectModule) -> Vec<String> {
    let functions = module.declarations().get_functions().filter(|(_, f)| f.linkage == Linkage::Import);
    functions.map(|(id, f)| f.linkage_name(id).into_owned()).filter(|name| name.starts_with("adc_")).collect()
}

/// Gives extern functions their own names; these.
fn externs(object: &mut object::write::Object, entries: &[FileEntry]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        for f in entry.module.reachable(entry.func) {
            if let adc_ir::Body::Extern(symbol) = &entry.module.func(f).body
                && let Some(id) = object.symbol_id(format!("{EXTERN}{symbol}").as_bytes())
                && !names.contains(symbol)
            {
                object.symbol_mut(id).name = symbol.clone().into_bytes();
                names.push(symbol.clone());
            }
        }
    }
    names
}

/// What `adc_describe` reads: the number of texts, where each begins, and the texts. Numbers that only a call knows are marked.
fn texts(errors: &[RuntimeError], message: &dyn Fn(&RuntimeError) -> String) -> Vec<u8> {
    // Numbers that no message has of its own.
    const INDEX: [i64; 2] = [-8_877_665_544_332_211_001, -8_877_665_544_332_211_002];
    const RETURNED: i32 = -2_087_654_321;
    let text = |error: &RuntimeError| {
        let mut error = error.clone();
        match &mut error.trap {
            Trap::Extern { status, .. } => *status = RETURNED,
            Trap::IndexOutOfRange { index, size } => [*index, *size] = INDEX,
            Trap::BadStep(n) | Trap::NegativeSize(n) if *n == 0 => *n = INDEX[0],
            Trap::BadStep(_)
            | Trap::NegativeSize(_)
            | Trap::IntegerOverflow
            | Trap::DivisionByZero
            | Trap::BadConversion
            | Trap::Domain(_)
            | Trap::Assert(_)
            | Trap::EmptyReduction
            | Trap::Singular
            | Trap::OutOfFuel
            | Trap::OutOfMemory => {}
        }
        // What is marked below; `Domain` names elements so.
        let marked = |c: char| u32::from(c) <= u32::from(STATUS) && !matches!(error.trap, Trap::Domain(_));
        let text: String = message(&error).chars().map(|c| if marked(c) { ' ' } else { c }).collect();
        let mark = |text: String, number: String, c: u8| text.replace(&number, &char::from(c).to_string());
        let text = mark(text, INDEX[0].to_string(), NUMBERS[0]);
        let text = mark(text, INDEX[1].to_string(), NUMBERS[1]);
        mark(text, RETURNED.to_string(), STATUS)
    };
    let mut known: FxHashMap<String, u32> = FxHashMap::default();
    let mut places = Vec::with_capacity(errors.len());
    let mut bytes: Vec<u8> = Vec::new();
    let start = 4 + 4 * errors.len();
    for error in errors {
        let text = text(error);
        let at = *known.entry(text.clone()).or_insert_with(|| {
            let at = start + bytes.len();
            // Nothing longer than the room for it is ever told.
            bytes.extend(text.bytes().filter(|c| *c != 0).take(2 * TEXT));
            bytes.push(0);
            at as u32
        });
        places.push(at);
    }
    let mut table = (errors.len() as u32).to_le_bytes().to_vec();
    places.iter().for_each(|at| table.extend(at.to_le_bytes()));
    table.extend(bytes);
    table
}

/// Constant bytes in the file.
fn constant(linker: &mut Linker, name: &str, bytes: Vec<u8>) -> Result<DataId, super::linker::Refusal> {
    let module = linker.code.module();
    let id = module.declare_data(name, Linkage::Local, false, false)?;
    let mut data = DataDescription::new();
    data.define(bytes.into_boxed_slice());
    data.set_align(8);
    module.define_data(id, &data)?;
    Ok(id)
}
