//! Messages about functions without a value where they are checked.

use super::nonfinite::born;
use crate::nonfinite::root::Birth;
use crate::settings::header;
use crate::text::enumeration;
use adc_ir::*;

/// Parameters that a help text names.
const NAMED: usize = 4;

/// A function without a value at most points. `why` is the result at one of them, `open` are the unspecified parameters.
pub(crate) fn at_most_points(
    func: &Func,
    (rejected, all): (usize, usize),
    error: Option<&RuntimeError>,
    birth: Option<&Birth>,
    open: &[usize],
) -> Diagnostic {
    let message = format!("`{}` has no finite value at {rejected} of {all} points", func.name);
    let mut d = Diagnostic::error(Code::NothingChecked, message).label(header(func), "");
    if let Some(e) = error {
        d = d.also(e.span, e.to_string());
    } else if let Some(b) = birth.filter(|b| !b.span.is_none()) {
        d = d.also(b.span, born(b, false));
    }
    d.help(advice(func, error.map(|e| &e.trap), open))
}

/// Advice on the inputs, so that there are values.
fn advice(func: &Func, trap: Option<&Trap>, open: &[usize]) -> String {
    let of = |float: bool| -> Vec<&str> {
        let list = open.iter().filter(|i| func.param_ty(**i).scalar().is_float() == float);
        list.take(NAMED).map(|i| func.params[*i].name.as_str()).collect()
    };
    let (numbers, integers) = (of(true), of(false));
    let lines =
        |names: &[&str], what: &str| names.iter().map(|n| format!("{n} {what}; ")).collect::<String>();
    let dims: Vec<String> =
        func.dims.iter().filter(|d| d.quotient.is_none()).map(|d| format!("{} = 8", d.name)).collect();
    let sizes = if dims.is_empty() { String::new() } else { format!("[{}]", dims.join(", ")) };
    let name = &func.name;
    match trap {
        Some(
            Trap::IndexOutOfRange { .. } | Trap::EmptyReduction | Trap::BadStep(_) | Trap::NegativeSize(_),
        ) => match (integers.is_empty(), sizes.is_empty()) {
            (false, _) => format!(
                "give the range of its integers: `check {name} {{ {}}}`",
                lines(&integers, "~ int(1, 2)")
            ),
            (true, false) => format!("give sizes that it is meant for: `check {name}{sizes} {{ }}`"),
            (true, true) => "clamp the index, or guard it with an `if`".into(),
        },
        Some(Trap::OutOfMemory) if !sizes.is_empty() => {
            format!("give smaller sizes: `check {name}{sizes} {{ }}`")
        }
        Some(Trap::Extern { .. }) => {
            format!(
                "give inputs that the native code accepts: `check {name} {{ {}}}`",
                lines(&numbers, "in [1, 2]")
            )
        }
        _ if !numbers.is_empty() => format!(
            "no inputs were found at which it has a value: give some, `check {name} {{ {}}}`, or declare a domain, `{}: {} in (0, INF)`",
            lines(&numbers, "in [1, 2]"),
            numbers[0],
            open.iter()
                .find(|i| func.params[**i].name == numbers[0])
                .map_or(Type::F64, |i| func.param_ty(*i)),
        ),
        _ if !integers.is_empty() => {
            format!("give the range of its integers: `check {name} {{ {}}}`", lines(&integers, "~ int(1, 2)"))
        }
        _ => {
            let said = (0..func.params.len()).filter(|i| !open.contains(i)).take(NAMED);
            let names: Vec<String> = said.map(|i| format!("`{}`", func.params[i].name)).collect();
            match names.is_empty() {
                true => format!("`{name}` has no inputs that could be chosen differently"),
                false => format!(
                    "change what its `check` block or its declaration says about {}",
                    enumeration(&names)
                ),
            }
        }
    }
}
