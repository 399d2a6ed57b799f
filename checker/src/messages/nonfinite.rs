//! Messages about the origin of a NaN or an infinity.

use crate::nonfinite::root::{Birth, How, Root, Zero};
use crate::text::number;
use adc_ir::interp::Iteration;
use adc_ir::*;

/// `d` with the known origin of a derivative of `func` that is not finite.
pub(super) fn with_root(d: Diagnostic, func: &Func, root: &Root) -> Diagnostic {
    let mut labels: Vec<(Span, String)> = vec![(root.born.span, born(&root.born, root.reverse))];
    if let Some(b) = &root.met {
        let (span, text) = met(b, func);
        match labels[0].0 == span {
            true => labels[0].1 += &format!("; {text}"),
            false => labels.push((span, text)),
        }
    }
    let mut labels = labels.into_iter().filter(|(span, _)| !span.is_none());
    let d = match labels.next() {
        Some((span, text)) => labels.fold(d.label(span, text), |d, (span, text)| d.also(span, text)),
        None => d.label(crate::settings::header(func), ""),
    };
    match &root.rewrite {
        Some(text) => d.help(text.clone()),
        None => d,
    }
}

/// The message about the result of [`crate::first_nonfinite`].
pub fn diagnostic(b: &Birth) -> Diagnostic {
    let what = if b.result.is_nan() { "NaN" } else { "an infinity" };
    Diagnostic::error(Code::NotFinite, format!("this gives {what} from finite numbers"))
        .label(b.span, born(b, false))
}

/// The operation with the first result that is not finite.
pub(super) fn born(b: &Birth, reverse: bool) -> String {
    let result = number(b.result);
    let text = match (b.derivative_of, b.at.as_slice()) {
        (Some(op), [x]) => {
            format!("the derivative of `{op}` is {result} where its operand is {}", complex(*x))
        }
        (Some(op), [_, _, ..]) => {
            let at: Vec<String> = b.at.iter().map(|x| complex(*x)).collect();
            format!("the derivative of `{op}` is {result} where its operands are {}", at.join(", "))
        }
        (Some(op), []) => format!("the derivative of `{op}` is {result} here: {}", formula(b)),
        (None, _) => formula(b),
    };
    format!("{text}{}", iterations(&b.iterations, reverse))
}

/// Where that became a NaN, and how.
fn met(b: &Birth, func: &Func) -> (Span, String) {
    let formula = formula(b);
    let product = matches!(b.how, How::Mul | How::Fma) && b.operands.contains(&0.0);
    match (product, b.zero) {
        (true, Some(Zero::At(span))) => (span, format!("and is multiplied by this 0: {formula}")),
        (true, Some(Zero::Input(k))) => match func.params.get(k) {
            Some(p) => (b.span, format!("and is multiplied by `{}` = 0 here: {formula}", p.name)),
            None => (b.span, format!("and is multiplied by the direction's 0 here: {formula}")),
        },
        (true, None) => (b.span, format!("and is multiplied by 0 here: {formula}")),
        (false, _) => {
            let what = match b.how {
                How::Add | How::Sub => "and cancels another one here",
                How::Div => "and is divided by another one here",
                _ => "and becomes NaN here",
            };
            (b.span, format!("{what}: {formula}"))
        }
    }
}

/// `0.5/0 = inf`
fn formula(b: &Birth) -> String {
    let x: Vec<String> = b.operands.iter().map(|x| number(*x)).collect();
    let result = number(b.result);
    match (b.how, x.as_slice()) {
        (How::Add, [x, y]) => format!("{x} + {y} = {result}"),
        (How::Sub, [x, y]) => format!("{x} - {y} = {result}"),
        (How::Mul, [x, y]) => format!("{x} · {y} = {result}"),
        (How::Div, [x, y]) => format!("{x}/{y} = {result}"),
        (How::Fma, [x, y, z]) => format!("{x} · {y} + {z} = {result}"),
        (How::Function(op), _) => format!("{op}({}) = {result}", x.join(", ")),
        (How::Stored, [x]) => format!("{x} is {result} in single precision"),
        (How::Native, _) => format!("a native function gives {result}"),
        (How::Literal, _) => format!("the literal is {result}"),
        (How::Input, _) => format!("an argument is {result}"),
        (how, _) => format!("{}({}) = {result}", how.word(), x.join(", ")),
    }
}

/// `, at index 3 of the loop`
fn iterations(iterations: &[Iteration], reverse: bool) -> String {
    let indices: Vec<String> = iterations.iter().flat_map(|t| &t.indices).map(|i| i.to_string()).collect();
    let sweep = if reverse { " in reverse mode" } else { "" };
    match indices.len() {
        0 => String::new(),
        1 => format!(", at index {} of the loop{sweep}", indices[0]),
        _ => format!(", at indices {} of the loops{sweep}", indices.join(", ")),
    }
}

fn complex(z: num_complex::Complex64) -> String {
    match z.im {
        0.0 => number(z.re),
        im => {
            format!("{}{}{}i", number(z.re), if im.is_sign_negative() { "-" } else { "+" }, number(im.abs()))
        }
    }
}
