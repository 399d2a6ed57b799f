//! Checks whether the arguments of a call fit the function (number, types, sizes, domains), and finds the dimensions they
//! determine.

use crate::error::{Error, UsageError};
use crate::function::Function;
use crate::port::ports;
use crate::value::{Value, describe};
use adc_ir::{Code, Diagnostic, DimError, Func, Param, ParamDomain, RuntimeError, Trap, bind_sizes};
use adc_jit::Slice;

/// Checks the arguments and returns the function's dimensions for them.
pub(crate) fn check_inputs(f: &Function, inputs: &[Value]) -> Result<Vec<i64>, Error> {
    let dims = dims(f, inputs)?;
    for (p, v) in f.ir().params.iter().zip(inputs) {
        if let Some(error) = p.domain.and_then(|d| outside(p, d, v)) {
            return Err(f.failed(error));
        }
    }
    Ok(dims)
}

/// The function's dimensions for arguments of these types and sizes.
pub(crate) fn dims(f: &Function, inputs: &[Value]) -> Result<Vec<i64>, Error> {
    let ir = f.ir();
    check_types(ir, inputs)?;
    let shapes: Vec<&[usize]> = inputs.iter().map(Value::shape).collect();
    let int = |i: usize| if let Value::I64(n) = inputs[i] { Some(n) } else { None };
    bind_sizes(ir, f.given(), &shapes, int).map_err(|e| f.diagnostic(misfit(ir, inputs, &e)))
}

/// Checks number and types.
pub(crate) fn check_types(ir: &Func, inputs: &[Value]) -> Result<(), UsageError> {
    if inputs.len() != ir.params.len() {
        return Err(UsageError::Arity { expected: ir.params.len(), found: inputs.len() });
    }
    for (i, (v, p)) in inputs.iter().zip(&ir.params).enumerate() {
        let ty = ir.ty(p.value);
        if v.elem() != ty.scalar() || v.shape().len() != ty.rank() {
            let expected = ports(ir).0[i].describe();
            return Err(UsageError::ValueType { name: p.name.clone(), expected, found: v.describe() });
        }
    }
    Ok(())
}

/// Whether all numbers of an argument lie in a parameter's domain.
pub(crate) fn inside(domain: ParamDomain, v: &Value) -> bool {
    match v.elements() {
        Some(Slice::F64(x)) => domain.contains_all(x.iter().copied()),
        Some(Slice::F32(x)) => domain.contains_all(x.iter().map(|x| f64::from(*x))),
        Some(Slice::I64(n)) => domain.contains_all(n.iter().map(|n| *n as f64)),
        Some(Slice::C128(z)) => domain.contains_all_complex(z),
        Some(Slice::C64(_) | Slice::Bool(_)) | None => v.consts().all(|c| domain.contains(c.to_c128())),
    }
}

/// The first number of an argument outside the parameter's domain.
pub(crate) fn outside(p: &Param, domain: ParamDomain, v: &Value) -> Option<RuntimeError> {
    if inside(domain, v) {
        return None;
    }
    let i = v.consts().position(|c| !domain.contains(c.to_c128()))?;
    let entry = entry_name(&p.name, v.shape(), i);
    Some(RuntimeError { trap: Trap::Domain(format!("`{entry}` must lie in {domain}")), span: p.span })
}

/// `x[1, 2]`
pub(crate) fn entry_name(name: &str, shape: &[usize], mut i: usize) -> String {
    if shape.is_empty() {
        return name.to_string();
    }
    let mut indices = Vec::new();
    for n in shape.iter().rev() {
        indices.push((i % n).to_string());
        i /= n;
    }
    indices.reverse();
    format!("{name}[{}]", indices.join(", "))
}

/// Sizes that do not fit, with both places that determine them.
fn misfit(ir: &Func, inputs: &[Value], e: &DimError) -> Diagnostic {
    let param = |name: &str| ir.params.iter().position(|p| p.name == name).expect("a parameter's name");
    let declared = |i: usize| ports(ir).0[i].describe();
    match e {
        DimError::Unbound { dim } => {
            let message = format!("dimension `{dim}` of `{}` follows from no argument", ir.name);
            let span = ir.dims.iter().find(|d| d.name == *dim).map_or(ir.span, |d| d.span);
            Diagnostic::error(Code::BadShape, message)
                .label(span, "no parameter has it as a bare size")
                .help(format!("give it: `--dims {dim}=3`; in the library, `with_dims([(\"{dim}\", 3)])`"))
        }
        DimError::Rank { param: name, wanted, found } => {
            let i = param(name);
            let message =
                format!("`{name}` is {} and has {wanted} axes, but its argument has {found}", declared(i));
            Diagnostic::error(Code::BadShape, message).label(ir.params[i].span, "declared here")
        }
        DimError::Size { param: name, axis, dim, wanted, found, because } => {
            let i = param(name);
            let given = describe(inputs[i].elem(), inputs[i].shape());
            let number = wanted.map_or("too large".into(), |n| n.to_string());
            let fixed = dim.parse::<i64>().is_ok();
            let is = match fixed {
                true => format!("axis {axis} has size {number}"),
                false => format!("`{dim}` is {number}"),
            };
            let message = format!("`{name}` is {}, but {given} was given: {is}", declared(i));
            let d = Diagnostic::error(Code::BadShape, message)
                .label(ir.params[i].span, format!("axis {axis} of this argument has size {found}"));
            match because {
                Some((other, at)) => {
                    let j = param(other);
                    d.also(ir.params[j].span, format!("`{dim}` is {number} by axis {at} of this one"))
                        .help(format!("make axis {axis} of `{name}` as long as axis {at} of `{other}`"))
                }
                None if fixed => d.help(format!("give `{name}` with {number} along axis {axis}")),
                None => d.help(format!("give `{name}` with {number} along axis {axis}, or other dimensions")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_by_their_indices() {
        let names: Vec<String> = (0..6).map(|i| entry_name("x", &[2, 3], i)).collect();
        assert_eq!(names, ["x[0, 0]", "x[0, 1]", "x[0, 2]", "x[1, 0]", "x[1, 1]", "x[1, 2]"]);
        assert_eq!(entry_name("x", &[], 0), "x");
    }
}
