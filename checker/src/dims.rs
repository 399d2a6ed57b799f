//! The numbers that dimensions get for a check.

use crate::settings::{Settings, header};
use adc_ir::*;

/// Sizes for dimensions that nothing determines: small, and different from each other.
const SMALL: [i64; 8] = [3, 2, 4, 5, 6, 7, 8, 9];
/// If these do not fit, all grow by up to this much.
const LARGEST: i64 = 600;

/// A number for every dimension of the function to check: the caller's, else the block's, else that of the given points or
/// fixed arrays, else a small one that no other dimension got.
pub(crate) fn choose(func: &Func, block: &CheckBlock, s: &Settings) -> Result<Vec<i64>, Diagnostic> {
    let (dims, arrays) = said(func, block, s);
    let free: Vec<usize> = (0..dims.len()).filter(|&i| dims[i].is_none()).collect();
    let numbers = fill(func, &dims, &free).ok_or_else(|| {
        let names: Vec<&str> = free.iter().map(|&i| func.dims[i].name.as_str()).collect();
        Diagnostic::error(
            Code::BadUsage,
            format!("no small sizes fit the arrays of `{}`: give {} a value", func.name, names.join(", ")),
        )
        .label(header(func), "")
        .help(format!("write `check {}[{} = 8] {{ }}`, or use `--dims`", func.name, names[0]))
    })?;
    for (i, a) in &arrays {
        misfit(func, *i, a, &numbers)?;
    }
    Ok(numbers)
}

/// The dimensions that nothing determines, by position.
pub(crate) fn free(func: &Func, block: &CheckBlock, s: &Settings) -> Vec<usize> {
    let (dims, _) = said(func, block, s);
    (0..dims.len()).filter(|&i| dims[i].is_none()).collect()
}

/// The stated dimensions, and the arrays that determine some. Quotients of others are not chosen: they count as stated.
fn said<'a>(
    func: &Func,
    block: &'a CheckBlock,
    s: &'a Settings,
) -> (Vec<Option<i64>>, Vec<(usize, &'a Datum)>) {
    let number = |i: usize, list: &[Option<i64>]| list.get(i).copied().flatten();
    let mut dims: Vec<Option<i64>> =
        (0..func.dims.len()).map(|i| number(i, &s.dims).or_else(|| number(i, &block.dims))).collect();
    let fixed = block.params.iter().enumerate().filter_map(|(i, d)| match d {
        Some(Distribution::Array(a) | Distribution::NearArray(a, _)) => Some((i, a)),
        _ => None,
    });
    // Given points replace the block's lines.
    let arrays: Vec<(usize, &Datum)> = match s.at.first() {
        Some(point) => point.iter().enumerate().collect(),
        None => fixed.collect(),
    };
    for (i, a) in &arrays {
        bind(func, *i, a, &mut dims);
    }
    for (d, n) in func.dims.iter().zip(&mut dims) {
        *n = if d.quotient.is_some() { Some(-1) } else { *n };
    }
    (dims, arrays)
}

/// Derives dimensions from the sizes of an argument.
fn bind(func: &Func, param: usize, a: &Datum, dims: &mut [Option<i64>]) {
    let Some(p) = func.params.get(param) else { return };
    for (dim, size) in func.shape(p.value).iter().zip(a.shape()) {
        let which = dim.as_var().and_then(|v| func.dims.iter().position(|d| d.value == v));
        if let Some(i) = which.filter(|i| dims[*i].is_none()) {
            dims[i] = Some(*size as i64);
        }
    }
}

/// The dimensions that are not the size of any parameter: arguments do not determine them.
pub(crate) fn unbound(func: &Func) -> Vec<String> {
    let said = |d: &DimParam| {
        func.params.iter().flat_map(|p| func.shape(p.value)).any(|size| size.as_var() == Some(d.value))
    };
    func.dims.iter().filter(|d| d.quotient.is_none() && !said(d)).map(|d| d.name.clone()).collect()
}

/// The free dimensions, chosen so that neither a parameter nor a result is empty, if small numbers can do that.
fn fill(func: &Func, dims: &[Option<i64>], free: &[usize]) -> Option<Vec<i64>> {
    let mut list: Vec<i64> = SMALL.into_iter().filter(|n| !dims.contains(&Some(*n))).collect();
    list.extend((10..).filter(|n| !dims.contains(&Some(*n))).take(free.len()));
    let with = |numbers: &mut dyn Iterator<Item = i64>| -> Vec<i64> {
        let numbers = dims.iter().map(|d| d.unwrap_or_else(|| numbers.next().unwrap_or(2))).collect();
        with_quotients(func, numbers)
    };
    // Ascending and descending ones suit differences of dimensions.
    let mut sorted = list[..free.len()].to_vec();
    sorted.sort_unstable();
    let orders = [list[..free.len()].to_vec(), sorted.clone(), sorted.into_iter().rev().collect()];
    let mut candidates = (0..LARGEST).flat_map(|more| orders.iter().map(move |o| (more, o)));
    let some = !dims.is_empty() && !free.is_empty();
    if !some {
        return Some(with(&mut std::iter::empty()));
    }
    candidates.find_map(|(more, order)| {
        let numbers = with(&mut order.iter().map(|n| n + more));
        sizes_are_positive(func, &numbers).then_some(numbers)
    })
}

/// The dimensions with those that are quotients of others, computed from these.
pub(crate) fn with_quotients(func: &Func, mut dims: Vec<i64>) -> Vec<i64> {
    for (i, d) in func.dims.iter().enumerate() {
        if let Some((a, b)) = &d.quotient {
            let number = |d: &Dim| d.eval(|v| dims.get(v.0 as usize).copied().unwrap_or(0));
            let quotient = number(a).zip(number(b)).filter(|(_, b)| *b > 0);
            dims[i] = quotient.map_or(-1, |(a, b)| a.div_euclid(b));
        }
    }
    dims
}

/// Whether every axis of every parameter and result has an entry.
pub(crate) fn sizes_are_positive(func: &Func, dims: &[i64]) -> bool {
    let params = func.params.iter().flat_map(|p| func.shape(p.value));
    let results = func.results.iter().flat_map(|r| &r.shape);
    // Sizes that depend on arguments cannot be chosen.
    let known = |d: &Dim| d.vars().all(|v| func.dims.iter().any(|x| x.value == v));
    params.chain(results).filter(|d| known(d)).all(|d| size(func, d, dims).is_some_and(|n| n >= 1))
}

pub(crate) fn size(func: &Func, d: &Dim, dims: &[i64]) -> Option<i64> {
    d.eval(|v| func.entry_position(v).and_then(|i| dims.get(i)).copied().unwrap_or(i64::MIN))
}

/// An argument that lacks the type or the sizes that the dimensions require.
fn misfit(func: &Func, param: usize, a: &Datum, dims: &[i64]) -> Result<(), Diagnostic> {
    let Some(p) = func.params.get(param) else { return Ok(()) };
    let (ty, shape) = (func.ty(p.value), func.shape(p.value));
    let sizes: Option<Vec<i64>> = shape.iter().map(|d| size(func, d, dims)).collect();
    let found = a.shape().iter().map(|n| *n as i64);
    if ty.rank() == a.shape().len() && sizes.as_ref().is_some_and(|s| s.iter().copied().eq(found)) {
        return Ok(());
    }
    let wanted = sizes.map_or("?".to_string(), |s| list(&s));
    let found: Vec<i64> = a.shape().iter().map(|n| *n as i64).collect();
    let mut d = Diagnostic::error(
        Code::BadUsage,
        format!("wrong sizes for `{}` of `{}`: expected {wanted}, found {}", p.name, func.name, list(&found)),
    )
    .label(p.span, "");
    if !dims.is_empty() {
        let all: Vec<String> = func.dims.iter().zip(dims).map(|(d, n)| format!("{} = {n}", d.name)).collect();
        d = d.note(format!("with {}", all.join(", ")));
    }
    Err(d)
}

fn list(sizes: &[i64]) -> String {
    let list: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("[{}]", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dims(signature: &str, block: &[Option<i64>]) -> Option<Vec<i64>> {
        let text = format!("fn f{signature} -> f64 {{ v0 = f64 0.0 return v0 }}");
        let m = text::parse_module(&text).unwrap_or_else(|d| panic!("{d:?}"));
        let func = m.func(FuncId(0));
        let mut b = CheckBlock::default_for(FuncId(0), func.params.len(), Span::NONE);
        b.dims = block.to_vec();
        choose(func, &b, &Settings::default()).ok()
    }

    #[test]
    fn small_distinct_sizes() {
        assert_eq!(dims("(x: f64)", &[]), Some(vec![]));
        assert_eq!(dims("[N, M](x: f64[N, M])", &[]), Some(vec![3, 2]));
        assert_eq!(dims("[N, M](x: f64[N, M])", &[Some(8)]), Some(vec![8, 3]));
        assert_eq!(dims("[N, M](x: f64[N, M])", &[None, Some(3)]), Some(vec![2, 3]));
        assert_eq!(dims("[N, M](x: f64[M-N])", &[]), Some(vec![2, 3]));
        assert_eq!(dims("[N](x: f64[N-5])", &[]), Some(vec![6]));
        assert_eq!(dims("[N](x: f64[N-100])", &[]), Some(vec![101]));
        assert_eq!(dims("[N](x: f64[N-1000])", &[]), None);
        assert_eq!(dims("[N](x: f64[N, 0])", &[]), None);
        assert_eq!(dims("[N, \"h\" = div(N, 2)](x: f64[N])", &[]), Some(vec![3, 1]));
    }

    #[test]
    fn arrays_say_dimensions() {
        let m =
            text::parse_module("fn f[N](x: f64[N], y: f64[N]) -> f64 { v0 = f64 0.0 return v0 }").unwrap();
        let func = m.func(FuncId(0));
        let mut b = CheckBlock::default_for(FuncId(0), 2, Span::NONE);
        b.params[1] = Some(Distribution::Array(Datum::zeros(Scalar::F64, &[7])));
        assert_eq!(choose(func, &b, &Settings::default()).unwrap(), [7]);
        b.dims = vec![Some(5)];
        assert_eq!(choose(func, &b, &Settings::default()).unwrap_err().code, Code::BadUsage);
    }
}
