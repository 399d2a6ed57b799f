//! IR text: parsed, verified, interpreted and compiled.

use crate::{Outcome, damage};
use adc::{Error, Function, Model, OptLevel, Options, Value};
use adc_ir::testing::{Rng, array_inputs};
use adc_ir::{Datum, text};
use std::sync::OnceLock;

/// Pieces that damage IR in ways random bytes do not.
const PIECES: &[&str] = &[
    "v0",
    "v1",
    "v2",
    "v7",
    "v99",
    "f64",
    "f32",
    "i64",
    "bool",
    "c128",
    "f64[N]",
    "f64[v0]",
    "[2]",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "1e308",
    "nan",
    "inf",
    "add ",
    "mul ",
    "div ",
    "index ",
    "reduce sum ",
    "reduce max ",
    "loop ",
    "if ",
    "call f",
    "yield v1",
    "return v0",
    "build ",
    "const ",
    "{",
    "}",
    "(",
    ")",
    ",",
    " = ",
    "\n",
    ":",
    "->",
];

/// Longer texts take long, and are damaged in a small part of them only.
const MAX_TEXT: usize = 6000;

/// The damaged IR of a model, or of a gradient in it.
pub(crate) fn text(seed: u64) -> std::io::Result<String> {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    let texts = damage::once(&TEXTS, || {
        let models = damage::files("models", "dsl")?;
        let models = models.iter().filter_map(|source| Model::parse("-", source).ok());
        let both = models.flat_map(|m| {
            let gradients = m.functions().filter_map(|f| f.grad(adc::Wrt::All).ok());
            let gradients: Vec<String> = gradients.map(|g| text::print_module(g.module())).collect();
            std::iter::once(text::print_module(m.module())).chain(gradients)
        });
        Ok(both.filter(|t| t.len() < MAX_TEXT).collect())
    })?;
    Ok(damage::damaged(&mut Rng::new(seed), texts, PIECES, 0))
}

/// What passes the verifier means the same to the interpreter and to compiled code.
pub(crate) fn run(text: &str) -> Result<Outcome, String> {
    match Model::parse_ir("-", text) {
        Err(errors) if errors.items.is_empty() => Err("refused without an error".to_string()),
        Err(_) => Ok(Outcome::Refused),
        Ok(model) => {
            let functions: Vec<Function> = model.functions().collect();
            functions.into_iter().try_for_each(same)?;
            Ok(Outcome::Accepted)
        }
    }
}

fn same(f: Function) -> Result<(), String> {
    let (dims, values) = array_inputs(&mut Rng::new(1), f.ir(), false);
    let numbers = f.ir().dims.iter().map(|d| d.name.clone()).zip(dims);
    let given: Vec<(String, i64)> = numbers.filter(|(n, _)| f.dims().iter().any(|(d, _)| d == n)).collect();
    let Ok(f) = f.with_dims(given.iter().map(|(n, k)| (n.as_str(), *k))) else { return Ok(()) };
    let scalars = f.ir().params.iter().map(|p| f.ir().ty(p.value).scalar());
    let args: Vec<Value> = values.iter().zip(scalars).map(|(v, s)| Datum::from_val(v, s).into()).collect();
    let options = Options::default().with_opt(OptLevel::O0).with_fuel(100_000).with_memory_limit(64 << 20);
    let compiled = match f.compile(&options) {
        Ok(compiled) => compiled.call(&args),
        Err(e) => Err(e),
    };
    match (f.interpret(&options, &args), compiled) {
        (Ok(a), Ok(b)) if a.iter().map(bits).eq(b.iter().map(bits)) => Ok(()),
        // A limit of the compiler, or of the run.
        (Err(_), Err(_)) | (_, Err(Error::Diagnostics(_) | Error::Usage(_))) => Ok(()),
        (a, b) => Err(format!("{} differs: interpreted {a:?}, compiled {b:?}", f.name())),
    }
}

/// All bits of a value, one way of being NaN.
fn bits(value: &Value) -> String {
    format!("{value:?}")
}
