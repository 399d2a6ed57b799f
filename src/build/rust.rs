//! The Rust module of an object file.

use super::{Built, Part, Program, names};
use crate::error::Error;
use crate::port::Port;
use adc_ir::{Code, Diagnostic, Scalar};
use std::fmt::Write;

pub(super) fn text(built: &Built) -> Result<String, Error> {
    if let Some((f, symbol)) = built.externs.first() {
        let message = format!("`{}` calls the extern function `{symbol}`", built.function.name());
        let d = Diagnostic::error(Code::Unsupported, message)
            .label(f.span, "a Rust module has no code for it")
            .help("write the object file and its header with `adc build`, and link it yourself");
        return Err(built.function.diagnostic(d));
    }
    let mut out = String::new();
    let file = built.function.files().first().map_or("", |f| f.name.as_str());
    let _ = writeln!(
        out,
        "// `{}` of {}. Made by adc {}: do not edit.",
        line(&built.describe(&built.function)),
        line(file),
        env!("CARGO_PKG_VERSION")
    );
    for (name, n) in &built.dims {
        let _ = writeln!(
            out,
            "\n/// The dimension `{name}`.\n#[allow(dead_code, non_upper_case_globals)]\npub const {}: usize = {n};",
            names::parameters([name.as_str()], names::RUST, &[])[0]
        );
    }
    let bytes = built.parts.iter().map(|p| p.workspace).max().unwrap_or(0);
    out.push_str(&COMMON.replace("BYTES", &bytes.to_string()).replace("ERROR", &built.error));
    let own = names::identifier(built.function.name());
    for part in &built.parts {
        function(&mut out, part, &format!("{own}{}", part.program.suffix()));
    }
    Ok(out)
}

/// What every module has.
const COMMON: &str = r#"
/// A complex number.
#[allow(dead_code)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The number of the error.
    pub status: i32,
    /// What happened, and where in the model.
    pub message: String,
}

impl ::core::fmt::Display for Error {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.write_str(&self.message)
    }
}

impl ::std::error::Error for Error {}

/// Memory that calls work in. One is enough for any number of calls, one after the other.
#[derive(Clone)]
pub struct Workspace(Vec<u64>);

impl Workspace {
    /// As much as every function here needs.
    pub fn new() -> Workspace {
        Workspace(vec![0; BYTES_usize.div_ceil(8)])
    }

    fn address(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }

    #[cold]
    fn error(&mut self, status: i32) -> Error {
        unsafe extern "C" {
            fn ERROR(workspace: *mut u8, status: i32) -> *const ::core::ffi::c_char;
        }
        // SAFETY: the workspace is as large as functions need it; the text is in it, and ends with 0.
        let text = unsafe { ::core::ffi::CStr::from_ptr(ERROR(self.address(), status)) };
        Error { status, message: text.to_string_lossy().into_owned() }
    }
}

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace::new()
    }
}
"#;

fn function(out: &mut String, part: &Part, name: &str) {
    let f = &part.function;
    let (inputs, outputs) = (f.inputs(), f.outputs());
    let what = match part.program {
        Program::Primal => "The function.",
        Program::Jvp => "Forward mode: `x_dot` is the tangent of `x`. Gives the results, and their tangents.",
        Program::Vjp => {
            "Reverse mode: `y_bar` is the cotangent of the result `y`. Gives the results, and the cotangents of the parameters."
        }
    };
    let all = inputs.iter().chain(outputs).map(|p| p.name.as_str());
    let names = names::parameters(all, names::RUST, &["workspace", "status", "results", name]);
    let (given, made) = names.split_at(inputs.len());
    let mut params = vec!["workspace: &mut Workspace".to_string()];
    let mut native: Vec<String> = Vec::new();
    let mut passed: Vec<String> = Vec::new();
    for (port, name) in inputs.iter().zip(given) {
        let (reference, address) = match port.ty.is_array() {
            true => ("&", format!("::core::ptr::from_ref({name})")),
            false => ("", format!("&raw const {name}")),
        };
        params.push(format!("{name}: {reference}{}", rust_type(port)));
        native.push(format!("{name}: *const {}", rust_type(port)));
        passed.push(address);
    }
    let mut locals = String::new();
    let (mut types, mut values): (Vec<String>, Vec<&str>) = Default::default();
    for (port, name) in outputs.iter().zip(made) {
        native.push(format!("{name}: *mut {}", rust_type(port)));
        if port.ty.is_array() {
            params.push(format!("{name}: &mut {}", rust_type(port)));
            passed.push(format!("::core::ptr::from_mut({name})"));
        } else {
            let _ = writeln!(locals, "    let mut {name}: {} = Default::default();", rust_type(port));
            passed.push(format!("&raw mut {name}"));
            types.push(rust_type(port));
            values.push(name);
        }
    }
    let (ty, value) = match (&types[..], &values[..]) {
        ([ty], [value]) => (ty.clone(), value.to_string()),
        _ => (format!("({})", types.join(", ")), format!("({})", values.join(", "))),
    };
    let signature: Vec<String> = inputs.iter().map(Port::to_string).collect();
    let results: Vec<String> = outputs.iter().map(Port::to_string).collect();
    let _ = writeln!(
        out,
        "
/// {what}
///
/// `({}) -> ({})`; array results are written, numbers returned.
///
/// # Errors
/// The run-time errors of the model.
#[allow(dead_code, non_snake_case, clippy::too_many_arguments)]
pub fn {name}(
    {},
) -> Result<{ty}, Error> {{
    unsafe extern \"C\" {{
        #[allow(clashing_extern_declarations)]
        fn {}(
            {},
            workspace: *mut u8,
        ) -> i32;
    }}
{locals}    // SAFETY: the addresses are of arguments, results and a workspace of the sizes that the code was made for.
    let status = unsafe {{
        {}(
            {},
            workspace.address(),
        )
    }};
    match status {{
        0 => Ok({value}),
        status => Err(workspace.error(status)),
    }}
}}",
        line(&signature.join(", ")),
        line(&results.join(", ")),
        params.join(",\n    "),
        part.symbol,
        native.join(",\n            "),
        part.symbol,
        passed.join(",\n            "),
    );
}

/// `[[f64; 4]; 3]`
fn rust_type(port: &Port) -> String {
    let scalar = match port.ty.scalar() {
        Scalar::Bool => "bool",
        Scalar::I64 => "i64",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        Scalar::C64 => "Complex<f32>",
        Scalar::C128 => "Complex<f64>",
    };
    port.shape.iter().rev().fold(scalar.to_string(), |inner, n| format!("[{inner}; {n}]"))
}

/// Text that stays on its line.
fn line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
