//! Points: the values of a function's inputs, as text (`x=1.5,z=0.3+0.4i`) or JSON.

use crate::function::Port;
use adc_ir::{Code, Const, Diagnostic, Scalar, Type};
use num_complex::Complex64;
use serde_json::Value as Json;

/// Values for some of the ports, by position; `None` where the text says nothing.
type Found = Vec<Option<Const>>;

/// Reads `x=1.5,z=0.3+0.4i`.
///
/// # Errors
/// [`Code::BadPoint`]: unknown or repeated names, values of another type.
pub fn parse_text(text: &str, ports: &[Port]) -> Result<Found, Diagnostic> {
    let mut found: Found = vec![None; ports.len()];
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(bad(format!("`{part}` is not of the form `name=value`"))
                .help("write a point as `x=1.5,z=0.3+0.4i`, or give JSON as `@file.json`"));
        };
        let (i, ty) = port(ports, name.trim())?;
        let value = value.trim();
        let read = scalar(value, ty.scalar()).ok_or_else(|| misfit(name.trim(), ty, value))?;
        set(&mut found, i, read, name.trim())?;
    }
    Ok(found)
}

/// Reads a JSON object of parameter name → value.
///
/// # Errors
/// As [`parse_text`].
pub fn parse_json(text: &str, ports: &[Port]) -> Result<Found, Diagnostic> {
    let json: Json = serde_json::from_str(text).map_err(|e| bad(format!("not JSON: {e}")))?;
    let Json::Object(object) = json else {
        return Err(bad("a point in JSON is an object, parameter name → value".to_string()));
    };
    let mut found: Found = vec![None; ports.len()];
    for (name, value) in &object {
        let (i, ty) = port(ports, name)?;
        set(&mut found, i, from_json(value, ty, name)?, name)?;
    }
    Ok(found)
}

/// Reads a JSON list of values, one for each port.
///
/// # Errors
/// As [`parse_text`], and a list of another length.
pub fn parse_json_list(text: &str, ports: &[Port]) -> Result<Vec<Const>, Diagnostic> {
    let json: Json = serde_json::from_str(text).map_err(|e| bad(format!("not JSON: {e}")))?;
    let Json::Array(list) = json else {
        return Err(bad("a JSON list with one value per output is expected here".to_string()));
    };
    if list.len() != ports.len() {
        let (n, m) = (ports.len(), list.len());
        return Err(bad(format!("one value for each of {n} outputs is expected, {m} were given")));
    }
    list.iter().zip(ports).map(|(v, p)| from_json(v, p.ty, &p.name)).collect()
}

/// All values, or an error that names the ones left out.
///
/// # Errors
/// [`Code::BadPoint`].
pub fn complete(found: Found, ports: &[Port]) -> Result<Vec<Const>, Diagnostic> {
    let missing: Vec<String> = found
        .iter()
        .zip(ports)
        .filter(|(v, _)| v.is_none())
        .map(|(_, p)| format!("`{}` ({})", p.name, p.ty))
        .collect();
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    let example: Vec<String> = ports
        .iter()
        .map(|p| format!("{}={}", p.name, if p.ty.scalar().is_complex() { "0.3+0.4i" } else { "1" }))
        .collect();
    Err(bad(format!("the point has no value for {}", missing.join(", ")))
        .help(format!("give every input: --at '{}'", example.join(","))))
}

/// A value as [`parse_text`] reads it; reading it back gives the same bits.
pub fn text(c: Const) -> String {
    let complex = |re: String, im: String| {
        let plus = if im.starts_with('-') { "" } else { "+" };
        format!("{re}{plus}{im}i")
    };
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(n) => n.to_string(),
        Const::F32(x) => format!("{x:?}").trim_end_matches(".0").to_string(),
        Const::F64(x) => real_text(x),
        Const::C64(z) => complex(text(Const::F32(z.re)), text(Const::F32(z.im))),
        Const::C128(z) => complex(real_text(z.re), real_text(z.im)),
    }
}

/// The shortest decimal that reads back to `x`.
pub fn real_text(x: f64) -> String {
    format!("{x:?}").trim_end_matches(".0").to_string()
}

/// A whole point, `x=1.5,z=0.3+0.4i`.
pub fn point_text<'a>(names: impl Iterator<Item = &'a str>, values: &[Const]) -> String {
    let parts: Vec<String> = names.zip(values).map(|(n, v)| format!("{n}={}", text(*v))).collect();
    parts.join(",")
}

fn bad(message: String) -> Diagnostic {
    Diagnostic::error(Code::BadPoint, message)
}

/// A value of another type than its name has.
fn misfit(name: &str, ty: Type, value: &str) -> Diagnostic {
    let form = match ty.scalar() {
        Scalar::Bool => "`true` or `false`",
        Scalar::I64 => "a whole number, like `-3`",
        Scalar::F32 | Scalar::F64 => "a real number, like `1.5`, `1e-3`, `inf`, `NaN`",
        Scalar::C64 | Scalar::C128 => "a complex number, like `0.3+0.4i`, `2i`, `1`",
    };
    bad(format!("`{name}` is {ty}, and `{value}` is not")).help(format!("give {form}"))
}

fn port(ports: &[Port], name: &str) -> Result<(usize, Type), Diagnostic> {
    match ports.iter().position(|p| p.name == name) {
        Some(i) => Ok((i, ports[i].ty)),
        None => {
            let names: Vec<String> = ports.iter().map(|p| format!("`{}`", p.name)).collect();
            Err(bad(format!("there is no input called `{name}`"))
                .help(format!("the inputs are {}", names.join(", "))))
        }
    }
}

fn set(found: &mut Found, i: usize, value: Const, name: &str) -> Result<(), Diagnostic> {
    match found[i].replace(value) {
        None => Ok(()),
        Some(_) => Err(bad(format!("`{name}` is given twice"))),
    }
}

fn from_json(value: &Json, ty: Type, name: &str) -> Result<Const, Diagnostic> {
    let s = ty.scalar();
    let wrong = || misfit(name, ty, &value.to_string());
    match (value, s) {
        (Json::Bool(b), Scalar::Bool) => Ok(Const::Bool(*b)),
        (Json::Number(n), Scalar::I64) => n.as_i64().map(Const::I64).ok_or_else(wrong),
        (Json::Number(n), _) if s.is_float() => {
            let x = n.as_f64().ok_or_else(wrong)?;
            Ok(Const::from_c128(Complex64::new(x, 0.0), s))
        }
        (Json::String(text), _) => scalar(text, s).ok_or_else(wrong),
        (Json::Object(parts), _) if s.is_complex() && parts.keys().all(|k| k == "re" || k == "im") => {
            let part = |key: &str| match parts.get(key) {
                None => Ok(0.0),
                Some(v) => from_json(v, Type::F64, name).map(|c| c.to_c128().re),
            };
            Ok(Const::from_c128(Complex64::new(part("re")?, part("im")?), s))
        }
        _ => Err(wrong()),
    }
}

/// A number of type `ty` as people write it: `1.5`, `-2`, `0.3+0.4i`, `1e-3i`, `NaN`, `inf`, `true`.
fn scalar(text: &str, ty: Scalar) -> Option<Const> {
    match ty {
        Scalar::Bool => text.parse().ok().map(Const::Bool),
        Scalar::I64 => text.parse().ok().map(Const::I64),
        // Parsed in its own precision: by way of f64 it would be rounded twice.
        Scalar::F32 => text.parse().ok().map(Const::F32),
        Scalar::F64 => text.parse().ok().map(Const::F64),
        Scalar::C64 | Scalar::C128 => complex(text).map(|z| Const::from_c128(z, ty)),
    }
}

fn complex(text: &str) -> Option<Complex64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(body) = text.strip_suffix('i') else {
        return text.parse().ok().map(|re| Complex64::new(re, 0.0));
    };
    // The imaginary part starts at the last sign that does not belong to an exponent.
    let bytes = body.as_bytes();
    let split = (1..bytes.len())
        .rev()
        .find(|&i| matches!(bytes[i], b'+' | b'-') && !matches!(bytes[i - 1], b'e' | b'E'));
    let (re, im) = match split {
        Some(i) => (body[..i].parse().ok()?, &body[i..]),
        None => (0.0, body),
    };
    let im = match im {
        "" | "+" => 1.0,
        "-" => -1.0,
        digits => digits.parse().ok()?,
    };
    Some(Complex64::new(re, im))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(re: f64, im: f64) -> Option<Complex64> {
        Some(Complex64::new(re, im))
    }

    #[test]
    fn complex_numbers_as_people_write_them() {
        let cases = [
            ("1.5", c(1.5, 0.0)),
            ("0.3+0.4i", c(0.3, 0.4)),
            ("-0.3 - 4i", c(-0.3, -4.0)),
            ("1e-3-2.5e+2i", c(1e-3, -250.0)),
            ("2i", c(0.0, 2.0)),
            ("-i", c(0.0, -1.0)),
            ("1+i", c(1.0, 1.0)),
            ("1-infi", c(1.0, f64::NEG_INFINITY)),
            ("", None),
            ("1+", None),
            ("x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(complex(text), expected, "{text}");
        }
    }

    #[test]
    fn values_read_back_to_the_same_bits() {
        for x in [0.1, -0.0, 1e300, 5e-324, f64::INFINITY, f64::NEG_INFINITY, 3.0, 1.0 / 3.0] {
            for value in [Const::F64(x), Const::F32(x as f32), Const::C128(Complex64::new(x, -x))] {
                assert_eq!(scalar(&text(value), value.scalar()), Some(value), "{}", text(value));
            }
        }
    }
}
