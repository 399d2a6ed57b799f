//! The C header of an object file.

use super::{Built, Part, Program, names};
use crate::port::Port;
use adc_ir::{Func, Scalar};
use adc_jit::Cpu;
use std::fmt::Write;

pub(super) fn text(built: &Built) -> String {
    let guard = format!("ADC_{}_H", built.name.to_uppercase());
    let file = built.function.files().first().map_or("", |f| f.name.as_str());
    let mut out = String::new();
    let cpu = match built.cpu {
        Cpu::Baseline if cfg!(target_arch = "x86_64") => "x86-64 machines with AVX2 and FMA (x86-64-v3)",
        Cpu::Baseline => "all machines of this kind",
        Cpu::Host => "the machine it was made on, and those that have its instructions",
    };
    let link = if built.shared_runtime { " -ladc_runtime -lm" } else { " -lm" };
    let _ = writeln!(
        out,
        "/* {what}\n \
         * of {file}. Made by adc {version} for {cpu}: do not edit.\n \
         *\n \
         * Link the object file with{link}.\n \
         *\n \
         * Arguments and results are given by address, arrays row by row without gaps, complex numbers as C and C++\n \
         * have them. Results must not overlap arguments or each other. `workspace` is memory of the size that\n \
         * the function `…_workspace_size` tells, aligned as `malloc` aligns or less; nothing in it has to be kept\n \
         * between calls. Threads may call at the same time, each with a workspace of its own.\n \
         *\n \
         * Functions return 0, or the number of a run-time error: results then mean nothing, and\n \
         * `{error}(workspace, status)` tells the error, in memory of the workspace.\n \
         * A call may take {fuel} iterations of loops and {bytes} bytes of memory. */",
        what = comment(&built.describe(&built.function)),
        file = comment(file),
        version = env!("CARGO_PKG_VERSION"),
        error = built.error,
        fuel = built.limits.fuel,
        bytes = built.limits.bytes,
    );
    let _ = writeln!(
        out,
        "#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>"
    );
    let ports = built.parts.iter().flat_map(|p| p.function.inputs().iter().chain(p.function.outputs()));
    let externs = built.externs.iter().flat_map(|(f, _)| {
        let params = (0..f.params.len()).map(|i| f.param_ty(i).scalar());
        params.chain(f.results.iter().map(|r| r.ty.scalar()))
    });
    if ports.map(|p| p.ty.scalar()).chain(externs).any(Scalar::is_complex) {
        out.push_str(COMPLEX);
    }
    if !built.dims.is_empty() {
        out.push('\n');
        for (name, n) in &built.dims {
            let name = names::identifier(name);
            let _ = writeln!(out, "#define {}_{name} {n}", built.name.to_uppercase());
        }
    }
    out.push_str("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for part in &built.parts {
        function(&mut out, part);
    }
    let _ = writeln!(
        out,
        "\n/* The text of the error that `status` stands for, valid until the workspace is used again; empty for 0. */\n\
         const char *{}(void *workspace, int32_t status);",
        built.error
    );
    for (f, symbol) in &built.externs {
        extern_function(&mut out, f, symbol);
    }
    out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    out
}

const COMPLEX: &str = "
#ifndef ADC_COMPLEX
#define ADC_COMPLEX
#ifdef __cplusplus
#include <complex>
typedef std::complex<float> adc_c64;
typedef std::complex<double> adc_c128;
#else
typedef float _Complex adc_c64;
typedef double _Complex adc_c128;
#endif
#endif
";

fn function(out: &mut String, part: &Part) {
    let f = &part.function;
    let (inputs, outputs) = (f.inputs(), f.outputs());
    let what = match part.program {
        Program::Primal => "The function.",
        Program::Jvp => "Forward mode: `x_dot` is the tangent of `x`. Gives the results, and their tangents.",
        Program::Vjp => {
            "Reverse mode: `y_bar` is the cotangent of the result `y`. Gives the results, and the cotangent of each\n * \
             parameter; that of a complex one is the derivative along its real part plus i times that along its imaginary part."
        }
    };
    let one = match &part.ones[..] {
        [] => String::new(),
        ones => {
            let names: Vec<String> = ones.iter().map(|i| format!("`{}`", inputs[*i].name)).collect();
            format!("\n * {} may be NULL, for 1.", comment(&names.join(", ")))
        }
    };
    let _ = writeln!(out, "\n/* {what}{one} */");
    let all = inputs.iter().chain(outputs).map(|p| p.name.as_str());
    let names = names::parameters(all, names::C, &["workspace"]);
    let mut params: Vec<String> = Vec::new();
    for (i, (port, name)) in inputs.iter().chain(outputs).zip(&names).enumerate() {
        let constant = if i < inputs.len() { "const " } else { "" };
        let ty = c_type(port.ty.scalar());
        params.push(format!("{constant}{ty} *{name}{}", sizes(port, name)));
    }
    params.push("void *workspace".to_string());
    let _ = writeln!(out, "int32_t {}({});", part.symbol, params.join(",\n        "));
    let _ = writeln!(out, "size_t {}_workspace_size(void);", part.symbol);
}

/// ` /* [3][4] */`, with the name that it has in the model if it is another one.
fn sizes(port: &Port, name: &str) -> String {
    let sizes: Vec<String> = port.shape.iter().map(|n| format!("[{n}]")).collect();
    let own = if port.name == name { String::new() } else { comment(&port.name) };
    match (own.is_empty(), sizes.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(" /* {} */", sizes.concat()),
        (false, _) => format!(" /* {own}{} */", sizes.concat()),
    }
}

/// What the model calls, and the program has to have.
fn extern_function(out: &mut String, f: &Func, symbol: &str) {
    let mut params: Vec<String> =
        f.dims.iter().map(|d| format!("int64_t {}", names::identifier(&d.name))).collect();
    let all = f.params.iter().map(|p| p.name.as_str()).chain(f.results.iter().map(|r| r.name.as_str()));
    let taken: Vec<String> = f.dims.iter().map(|d| names::identifier(&d.name)).collect();
    let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
    let names = names::parameters(all, names::C, &taken);
    for (i, name) in names[..f.params.len()].iter().enumerate() {
        let (ty, scalar) = (f.param_ty(i), f.param_ty(i).scalar());
        match (ty.is_array(), scalar.is_complex()) {
            (true, _) => params.push(format!("const {} *{name}", c_type(scalar))),
            (false, true) => {
                let part = c_type(scalar.real());
                params.push(format!("{part} {name}_re, {part} {name}_im"));
            }
            (false, false) if scalar == Scalar::Bool => params.push(format!("uint8_t {name}")),
            (false, false) => params.push(format!("{} {name}", c_type(scalar))),
        }
    }
    for (r, name) in f.results.iter().zip(&names[f.params.len()..]) {
        params.push(format!("{} *{name}", c_type(r.ty.scalar())));
    }
    let _ = writeln!(
        out,
        "\n/* An extern function of the model, which the program has to define. It returns 0, or the status of a failure, and may be\n \
         * called from several threads. */\nint32_t {symbol}({});",
        params.join(", ")
    );
}

fn c_type(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool",
        Scalar::I64 => "int64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::C64 => "adc_c64",
        Scalar::C128 => "adc_c128",
    }
}

/// Text that does not end a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(|c: char| c.is_control(), " ")
}
