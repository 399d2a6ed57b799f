//! Identities of derivative programs that do not hold.

use super::{About, place, with_severity};
use crate::report::*;
use crate::settings::header;
use crate::text::number;
use adc_ir::*;

/// An identity that fails: no difference is involved, so one of the programs is at fault.
pub(crate) fn identity(about: &About, i: &Identity, point: &PointReport) -> Diagnostic {
    let name = &about.func.name;
    if i.kind == IdentityKind::Rerun {
        return Diagnostic::error(Code::Nondeterministic, format!("`{name}` gives other bits when it is run again"))
            .label(header(about.func), "")
            .note(place(about, point, 1))
            .note(format!("first {:?}, then {:?}", i.sides.0, i.sides.1))
            .note("a native function that keeps state is the usual reason; nothing can be said about the derivative")
            .help("make the native function depend on its arguments only");
    }
    let program = match i.order {
        Order::First => "",
        Order::Second => " of the gradient",
    };
    if i.status.info().code == Some(Code::LosesDigits) {
        let what = format!(
            "rounding does not explain how far the derivative programs{program} of `{name}` are apart"
        );
        return with_severity(i.status, Code::LosesDigits, what)
            .label(header(about.func), "")
            .note(place(about, point, 1))
            .note(sides(i))
            .note("without rounding the two sides are the same, and the programs as differentiation made them are closer")
            .help("this is a bug in adc's optimiser or compiler, not in the model: please report it");
    }
    let (code, what) = match i.kind {
        IdentityKind::Adjoint => {
            (Code::Inconsistent, format!("forward and reverse mode{program} of `{name}` disagree"))
        }
        IdentityKind::LinearVjp => {
            (Code::IdentityFails, format!("reverse mode{program} of `{name}` is not linear"))
        }
        IdentityKind::LinearJvp => {
            (Code::IdentityFails, format!("forward mode{program} of `{name}` is not linear"))
        }
        IdentityKind::ZeroVjp => (
            Code::IdentityFails,
            format!("reverse mode{program} of `{name}` does not give 0 for the cotangent 0"),
        ),
        IdentityKind::ZeroJvp => (
            Code::IdentityFails,
            format!("forward mode{program} of `{name}` does not give 0 for the tangent 0"),
        ),
        IdentityKind::Rerun => unreachable!("told above"),
        IdentityKind::Symmetry => (Code::IdentityFails, format!("the Hessian of `{name}` is not symmetric")),
        IdentityKind::Nesting => (
            Code::IdentityFails,
            format!("forward over reverse mode and reverse over forward mode of `{name}` disagree"),
        ),
    };
    Diagnostic::error(code, what)
        .label(header(about.func), "")
        .note(place(about, point, 1))
        .note(sides(i))
        .help("no difference is part of this: a hand-written rule is at fault, or adc")
}

/// `⟨v, J u⟩ = ⟨VJP(v), u⟩: 1.5 and 2.5, tolerance 1.2e-15`
pub(super) fn sides(i: &Identity) -> String {
    let (a, b) = i.sides;
    format!("{}: {} and {}, tolerance {:.1e}", i.kind.statement(), number(a), number(b), i.tol)
}
