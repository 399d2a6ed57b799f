//! Numbers, values and names as reports write them.

use adc_ir::*;

/// The name a function has in the source: without the numbers of an instance.
pub(crate) fn base_name(name: &str) -> &str {
    name.split_once('[').map_or(name, |(base, _)| base)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn enumeration(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A number for reading: eleven digits.
pub(crate) fn number(x: f64) -> String {
    if !x.is_finite() {
        return if x.is_nan() { "NaN".into() } else { format!("{x}") };
    }
    let short = format!("{x:.10e}").parse::<f64>().expect("Rust reads what it writes");
    match x.abs() {
        a if a == 0.0 || (1e-4..1e15).contains(&a) => format!("{short}"),
        _ => format!("{short:e}"),
    }
}

/// The maximum number of entries of an array in a message.
const SHOWN: usize = 16;

/// A value as [`show`] writes it; long arrays abbreviated.
pub(crate) fn show_datum(d: &Datum) -> String {
    fn nested(d: &Datum, shape: &[usize], at: usize) -> String {
        let Some((n, inner)) = shape.split_first() else { return show(d.get(at)) };
        let stride: usize = inner.iter().product();
        let list: Vec<String> = (0..*n).map(|i| nested(d, inner, at + i * stride)).collect();
        format!("[{}]", list.join(", "))
    }
    if d.len() <= SHOWN {
        return nested(d, d.shape(), 0);
    }
    let first: Vec<String> = d.elements().take(SHOWN / 2).map(show).collect();
    let sizes: Vec<String> = d.shape().iter().map(usize::to_string).collect();
    format!("[{}, … ({} entries)]", first.join(", "), sizes.join("×"))
}

/// A value as `--at` reads it, to the last bit.
pub(crate) fn show(c: Const) -> String {
    let complex = |re: String, im: String| {
        let sign = if im.starts_with('-') { "" } else { "+" };
        format!("{re}{sign}{im}i")
    };
    let (single, double) = (adc_ir::numbers::single, adc_ir::numbers::real);
    match c {
        Const::Bool(b) => b.to_string(),
        Const::I64(n) => n.to_string(),
        Const::F32(x) => single(x),
        Const::F64(x) => double(x),
        Const::C64(z) => complex(single(z.re), single(z.im)),
        Const::C128(z) => complex(double(z.re), double(z.im)),
    }
}
