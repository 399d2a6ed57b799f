//! Points: the values of a function's inputs, as text (`x=1.5,z=0.3+0.4i,A=[[1,2],[3,4]],b=@b.npy`) or JSON.

use crate::npy;
use crate::port::Port;
pub(crate) use crate::text::{abbreviated, nested_text, text, value_text};
use crate::value::Value;
pub(crate) use adc_ir::numbers::real as real_text;
use adc_ir::{Array, Buffer, Code, Const, Diagnostic, Scalar};
use num_complex::Complex64;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Values for some of the ports, by position; `None` where the text has none.
type Found = Vec<Option<Value<'static>>>;

/// Reads `x=1.5,z=0.3+0.4i,A=[[1,2],[3,4]],b=@b.npy`.
///
/// # Errors
/// [`Code::BadPoint`]: unknown or repeated names, values of another type; [`Code::Io`].
pub fn parse_text(text: &str, ports: &[Port]) -> Result<Found, Diagnostic> {
    let (mut found, places): (Found, _) = (vec![None; ports.len()], places(ports));
    let count = |c: char| text.matches(c).count();
    if count('[') != count(']') {
        let (open, close) = (count('['), count(']'));
        return Err(bad(format!("the point has {open} `[` and {close} `]`")).help("close every list"));
    }
    for part in parts(text).into_iter().map(str::trim).filter(|p| !p.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(bad(format!("`{}` is not of the form `name=value`", shortened(part)))
                .help("write a point as `x=1.5,z=0.3+0.4i,v=[1,2],A=@a.npy`, or give JSON as `@file.json`"));
        };
        let (name, value) = (name.trim(), value.trim());
        let i = port(ports, &places, name)?;
        let read = match value.strip_prefix('@') {
            Some(path) => fitting(npy::read(path)?, &ports[i])?,
            None => from_text(value, &ports[i])?,
        };
        set(&mut found, i, read, name)?;
    }
    Ok(found)
}

/// A point's functions by parameter, and the point without them.
pub type Functions = (Vec<(String, String)>, String);

/// Takes the functions that a point in either form gives for these parameters (name and type) out of it.
///
/// # Errors
/// [`Code::BadPoint`]: a parameter without a function.
pub fn functions(text: &str, params: &[(String, String)]) -> Result<Functions, Diagnostic> {
    let is_param = |name: &str| params.iter().any(|(p, _)| p == name);
    let (found, rest) = match text.trim_start().starts_with('{').then(|| json(text)).transpose()? {
        Some(Json::Object(object)) => {
            let (fns, rest): (Vec<_>, Vec<_>) = object.into_iter().partition(|(name, _)| is_param(name));
            let name = |(p, v): (String, Json)| (p, v.as_str().map_or_else(|| v.to_string(), str::to_string));
            (fns.into_iter().map(name).collect(), Json::Object(rest.into_iter().collect()).to_string())
        }
        _ => {
            let named = |part: &&str| part.split_once('=').is_some_and(|(name, _)| is_param(name.trim()));
            let (fns, rest): (Vec<&str>, Vec<&str>) = parts(text).into_iter().partition(named);
            let split = |part: &str| part.split_once('=').map(|(p, f)| (p.trim().into(), f.trim().into()));
            (fns.into_iter().filter_map(split).collect::<Vec<(String, String)>>(), rest.join(","))
        }
    };
    let value = |(p, ty): &(String, String)| match found.iter().find(|(name, _)| name == p) {
        Some((_, f)) if f.chars().all(|c| c.is_alphanumeric() || c == '_') && !f.is_empty() => {
            Ok((p.clone(), f.clone()))
        }
        Some((_, f)) => {
            Err(bad(format!("`{p}` is {ty}, and `{}` is not the name of a function", shortened(f)))
                .help(format!("give a name, and nothing more: --at '{p}=sin'")))
        }
        None => Err(bad(format!("the point has no function for `{p}` ({ty})"))
            .help(format!("give the name of one, of the file or built in: --at '{p}=sin,…'"))),
    };
    Ok((params.iter().map(value).collect::<Result<_, _>>()?, rest))
}

/// Reads a JSON object of parameter name → value.
///
/// # Errors
/// As [`parse_text`].
pub fn parse_json(text: &str, ports: &[Port]) -> Result<Found, Diagnostic> {
    let Json::Object(object) = json(text)? else {
        return Err(bad("a point in JSON is an object, parameter name → value".to_string()));
    };
    let (mut found, places): (Found, _) = (vec![None; ports.len()], places(ports));
    for (name, value) in &object {
        let i = port(ports, &places, name)?;
        set(&mut found, i, from_json(value, &ports[i])?, name)?;
    }
    Ok(found)
}

/// Reads a JSON list of values, one for each port.
///
/// # Errors
/// As [`parse_text`], and a list of another length.
pub fn parse_json_list(text: &str, ports: &[Port]) -> Result<Vec<Value<'static>>, Diagnostic> {
    let Json::Array(list) = json(text)? else {
        return Err(bad("a JSON list with one value per output is expected here".to_string()));
    };
    if list.len() != ports.len() {
        let (n, m) = (ports.len(), list.len());
        return Err(bad(format!("one value for each of {n} outputs is expected, {m} were given")));
    }
    list.iter().zip(ports).map(|(v, p)| from_json(v, p)).collect()
}

/// Reads JSON whose objects have every name once.
fn json(text: &str) -> Result<Json, Diagnostic> {
    let json = serde_json::from_str(text).map_err(|e| bad(format!("not JSON: {e}")))?;
    match repeated(text) {
        Some(name) => Err(bad(format!("`{}` is given twice", shortened(&name)))),
        None => Ok(json),
    }
}

/// A name that an object of this valid JSON has twice. (The parser keeps the last one.)
fn repeated(text: &str) -> Option<String> {
    // The names of each object around the current place; lists have none.
    let mut names: Vec<BTreeSet<String>> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '[', '}', ']', '"']) {
        let (c, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match c {
            b'{' | b'[' => names.push(BTreeSet::new()),
            b'}' | b']' => drop(names.pop()),
            _ => {
                let mut escaped = false;
                let end = after.find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                })?;
                rest = &after[end + 1..];
                if rest.trim_start().starts_with(':') {
                    let name: String = serde_json::from_str(&format!("\"{}\"", &after[..end])).ok()?;
                    if !names.last_mut()?.insert(name.clone()) {
                        return Some(name);
                    }
                }
            }
        }
    }
    None
}

/// All values, or an error that names the ones left out.
///
/// # Errors
/// [`Code::BadPoint`].
pub fn complete(found: Found, ports: &[Port]) -> Result<Vec<Value<'static>>, Diagnostic> {
    let missing: Vec<String> = found
        .iter()
        .zip(ports)
        .filter(|(v, _)| v.is_none())
        .map(|(_, p)| format!("`{}` ({})", p.name, p.describe()))
        .collect();
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    let example: Vec<String> = ports
        .iter()
        .map(|p| {
            let number = if p.ty.scalar().is_complex() { "0.3+0.4i" } else { "1" };
            let rank = p.ty.rank();
            format!("{}={}{number}{}", p.name, "[".repeat(rank), "]".repeat(rank))
        })
        .collect();
    Err(bad(format!("the point has no value for {}", missing.join(", ")))
        .help(format!("give every input: --at '{}'", example.join(","))))
}

/// Only commas outside of brackets separate.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (i, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// As [`value_text`] of up to 16 numbers, else [`abbreviated`]: for a line of a report.
pub fn brief(v: &Value) -> String {
    abbreviated(v, if v.consts().len() > 16 { 3 } else { usize::MAX })
}

/// A whole point, `x=1.5,z=0.3+0.4i`.
pub fn point_text<'a>(names: impl Iterator<Item = &'a str>, values: &[Value]) -> String {
    let parts: Vec<String> =
        names.zip(values).map(|(n, v)| format!("{n}={}", value_text(v).replace(", ", ","))).collect();
    parts.join(",")
}

fn bad(message: String) -> Diagnostic {
    Diagnostic::error(Code::BadPoint, message)
}

/// A value of another type than that of its parameter.
fn misfit(port: &Port, value: &str) -> Diagnostic {
    let (name, ty) = (&port.name, port.ty);
    let form = match ty.scalar() {
        Scalar::Bool => "`true` or `false`",
        Scalar::I64 => "a whole number, like `-3`",
        Scalar::F32 | Scalar::F64 => "a real number, like `1.5`, `1e-3`, `pi/2`, `inf`, `NaN`",
        Scalar::C64 | Scalar::C128 => "a complex number, like `0.3+0.4i`, `2i`, `pi/2`",
    };
    let form = match ty.rank() {
        0 => form.to_string(),
        n => {
            let (open, close) = ("[".repeat(n), "]".repeat(n));
            format!("`{open}…{close}` (nested lists, or `@file.npy`), each entry {form}")
        }
    };
    bad(format!("`{name}` is {}, and `{}` is not", port.describe(), shortened(value)))
        .help(format!("give {form}"))
}

/// A long text, shortened for a message.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Positions by name.
fn places(ports: &[Port]) -> BTreeMap<&str, usize> {
    ports.iter().enumerate().map(|(i, p)| (p.name.as_str(), i)).collect()
}

fn port(ports: &[Port], places: &BTreeMap<&str, usize>, name: &str) -> Result<usize, Diagnostic> {
    match places.get(name) {
        Some(&i) => Ok(i),
        None => {
            let names: Vec<String> = ports.iter().map(|p| format!("`{}`", p.name)).collect();
            Err(bad(format!("there is no input called `{}`", shortened(name)))
                .help(format!("the inputs are {}", names.join(", "))))
        }
    }
}

fn set(found: &mut Found, i: usize, value: Value<'static>, name: &str) -> Result<(), Diagnostic> {
    match found[i].replace(value) {
        None => Ok(()),
        Some(_) => Err(bad(format!("`{name}` is given twice"))),
    }
}

/// A value of a file as one of the parameter's type. Only exact conversions: integers to real numbers that can hold them,
/// single to double precision, real to complex.
pub fn fitting(value: Value<'static>, port: &Port) -> Result<Value<'static>, Diagnostic> {
    let ty = port.ty;
    let wrong = |why: &str| {
        let held = value.describe();
        bad(format!("`{}` is {}, and the file holds {held}{why}", port.name, port.describe()))
    };
    if value.shape().len() != ty.rank() {
        return Err(wrong("").help("the number of axes must match: use `a.reshape(…)` in NumPy"));
    }
    if value.elem() == ty.scalar() {
        return Ok(value);
    }
    let converted: Option<Vec<Const>> = value.consts().map(|c| exact(c, ty.scalar())).collect();
    let converted = converted.ok_or_else(|| {
        let help = format!("convert it: `np.save(path, a.astype(np.{}))`", numpy(ty.scalar()));
        wrong(", which would lose something").help(help)
    })?;
    Ok(of_consts(value.shape().to_vec(), ty.scalar(), &converted))
}

/// The element type in NumPy.
fn numpy(s: Scalar) -> &'static str {
    match s {
        Scalar::Bool => "bool_",
        Scalar::I64 => "int64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        Scalar::C64 => "complex64",
        Scalar::C128 => "complex128",
    }
}

/// The same number in another type, if that type can hold it without loss.
fn exact(c: Const, to: Scalar) -> Option<Const> {
    let from = c.scalar();
    let widens = match (from, to) {
        (a, b) if a == b => true,
        (Scalar::I64, b) => b.is_float(),
        (Scalar::F32, Scalar::F64 | Scalar::C64 | Scalar::C128) => true,
        (Scalar::F64, Scalar::C128) | (Scalar::C64, Scalar::C128) => true,
        _ => false,
    };
    let out = Const::from_c128(c.to_c128(), to);
    let same = match c {
        Const::I64(n) => out.to_c128().re as i128 == n as i128,
        _ => true,
    };
    (widens && same).then_some(out)
}

/// An array of these elements; a scalar if there are no sizes.
pub(super) fn of_consts(shape: Vec<usize>, elem: Scalar, elements: &[Const]) -> Value<'static> {
    if shape.is_empty() {
        return elements[0].into();
    }
    let mut data = Buffer::zeros(elem, elements.len());
    elements.iter().enumerate().for_each(|(i, c)| data.set(i, *c));
    Value::Array(Array { shape, data })
}

/// Nested lists as an array of `ty`'s rank: sizes and entries. The error is the position of a list of another length, or of
/// an entry at the wrong depth.
fn nested<'t, T>(
    node: &'t T,
    rank: usize,
    list: impl Fn(&'t T) -> Option<&'t [T]> + Copy,
) -> Result<(Vec<usize>, Vec<&'t T>), String> {
    let mut shape = Vec::new();
    let mut level = vec![node];
    for axis in 0..rank {
        let mut next = Vec::new();
        let mut size = None;
        for (i, n) in level.iter().enumerate() {
            let Some(children) = list(n) else {
                let which =
                    if i == 0 { "its lists are nested only" } else { "some of its lists are nested only" };
                return Err(format!("{which} {axis} deep"));
            };
            match size {
                None => size = Some(children.len()),
                Some(s) if s != children.len() => {
                    return Err(format!(
                        "along axis {axis} one list has {s} entries, another {}",
                        children.len()
                    ));
                }
                Some(_) => {}
            }
            next.extend(children);
        }
        shape.push(size.unwrap_or(0));
        level = next;
    }
    Ok((shape, level))
}

fn array<'t, T>(
    node: &'t T,
    port: &Port,
    list: impl Fn(&'t T) -> Option<&'t [T]> + Copy,
    leaf: impl Fn(&'t T) -> Result<Const, Diagnostic>,
) -> Result<Value<'static>, Diagnostic> {
    let (shape, leaves) = nested(node, port.ty.rank(), list).map_err(|why| {
        bad(format!("`{}` is {}, but {why}", port.name, port.describe()))
            .help("give nested lists, row by row, as many levels as the type has axes")
    })?;
    let elements = leaves.into_iter().map(leaf).collect::<Result<Vec<_>, _>>()?;
    Ok(of_consts(shape, port.ty.scalar(), &elements))
}

/// Lists as text.
enum Node<'t> {
    List(Vec<Node<'t>>),
    Leaf(&'t str),
}

impl Node<'_> {
    fn list(&self) -> Option<&[Self]> {
        if let Node::List(items) = self { Some(items) } else { None }
    }
}

/// Reads lists; lists nested deeper than any type are kept as text, to be refused as numbers.
fn node(text: &str, depth: usize) -> Option<Node<'_>> {
    let text = text.trim();
    match text.strip_prefix('[') {
        Some(rest) if depth <= adc_ir::MAX_RANK => {
            let body = rest.strip_suffix(']')?.trim();
            if body.is_empty() {
                return Some(Node::List(Vec::new()));
            }
            parts(body).into_iter().map(|p| node(p, depth + 1)).collect::<Option<_>>().map(Node::List)
        }
        _ => Some(Node::Leaf(text)),
    }
}

fn from_text(value: &str, port: &Port) -> Result<Value<'static>, Diagnostic> {
    let ty = port.ty;
    let number = |text: &str| scalar(text, ty.scalar()).ok_or_else(|| misfit(port, text));
    if !ty.is_array() {
        return number(value).map(Value::from);
    }
    let tree = node(value, 0).ok_or_else(|| misfit(port, value))?;
    if let Node::Leaf(_) = tree {
        return Err(misfit(port, value));
    }
    array(&tree, port, Node::list, |n| match n {
        Node::Leaf(text) => number(text),
        Node::List(_) => Err(misfit(port, value)),
    })
}

/// Reads a value of JSON.
///
/// # Errors
/// As [`parse_text`].
pub(crate) fn from_json(value: &Json, port: &Port) -> Result<Value<'static>, Diagnostic> {
    if let Json::Object(o) = value
        && let (1, Some(Json::String(path))) = (o.len(), o.get("npy"))
    {
        return fitting(npy::read(path)?, port);
    }
    if !port.ty.is_array() {
        return element(value, port).map(Value::from);
    }
    if !value.is_array() {
        return Err(misfit(port, &value.to_string()));
    }
    array(value, port, json_list, |v| element(v, port))
}

fn json_list(v: &Json) -> Option<&[Json]> {
    v.as_array().map(Vec::as_slice)
}

/// A number.
fn element(value: &Json, port: &Port) -> Result<Const, Diagnostic> {
    let s = port.ty.scalar();
    let wrong = || misfit(port, &value.to_string());
    match (value, s) {
        (Json::Bool(b), Scalar::Bool) => Ok(Const::Bool(*b)),
        (Json::Number(n), Scalar::I64) => n.as_i64().map(Const::I64).ok_or_else(wrong),
        (Json::Number(n), _) if s.is_float() => {
            let x = n.as_f64().ok_or_else(wrong)?;
            Ok(Const::from_c128(Complex64::new(x, 0.0), s))
        }
        (Json::String(text), _) => scalar(text, s).ok_or_else(wrong),
        (Json::Object(parts), _) if s.is_complex() && parts.keys().all(|k| k == "re" || k == "im") => {
            let part = |key: &str| -> Result<f64, Diagnostic> {
                match parts.get(key) {
                    None => Ok(0.0),
                    Some(Json::Number(n)) => n.as_f64().ok_or_else(wrong),
                    Some(Json::String(text)) => text.parse().map_err(|_| wrong()),
                    Some(_) => Err(wrong()),
                }
            };
            Ok(Const::from_c128(Complex64::new(part("re")?, part("im")?), s))
        }
        _ => Err(wrong()),
    }
}

/// A number of type `ty` as people write it: `1.5`, `-2`, `0.3+0.4i`, `1e-3i`, `NaN`, `inf`, `true`; or a small expression,
/// `pi/2`.
pub(super) fn scalar(text: &str, ty: Scalar) -> Option<Const> {
    let plain = match ty {
        Scalar::Bool => return text.parse().ok().map(Const::Bool),
        Scalar::I64 => text.parse().ok().map(Const::I64),
        // Parsed in its own precision: from f64 it would be rounded twice.
        Scalar::F32 => text.parse().ok().map(Const::F32),
        Scalar::F64 => text.parse().ok().map(Const::F64),
        Scalar::C64 | Scalar::C128 => complex(text).map(|z| Const::from_c128(z, ty)),
    };
    plain.or_else(|| {
        let z = super::point_expr::value(text)?;
        let whole = z.re.fract() == 0.0 && z.re.abs() <= 9007199254740992.0;
        match ty {
            Scalar::I64 => (whole && z.im == 0.0).then_some(Const::I64(z.re as i64)),
            _ if ty.is_complex() || z.im == 0.0 => Some(Const::from_c128(z, ty)),
            _ => None,
        }
    })
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
