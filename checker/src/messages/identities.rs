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
        return Diagnostic::error(
            Code::Nondeterministic,
            format!("`{name}` gives different results for the same inputs"),
        )
        .label(header(about.func), "")
        .note(place(about, point, 1))
        .note(format!("first {:?}, then {:?}", i.sides.0, i.sides.1))
        .note("the usual cause is a native function that keeps state; its derivative cannot be checked")
        .help("make the native function depend on its arguments only");
    }
    let program = match i.order {
        Order::First => "",
        Order::Second => " of the gradient",
    };
    if i.status.info().code == Some(Code::LosesDigits) {
        let what =
            format!("the derivative programs{program} of `{name}` differ by more than rounding explains");
        return with_severity(i.status, Code::LosesDigits, what)
            .label(header(about.func), "")
            .note(place(about, point, 1))
            .note(sides(i))
            .note("but for rounding the two sides are equal, and before optimisation they are closer")
            .help("this is a bug in adc's optimiser or compiler, not in the model: please report it");
    }
    let linear = matches!(i.kind, IdentityKind::LinearJvp | IdentityKind::ZeroJvp);
    if linear && !about.claim.is_empty() {
        return super::not_linear(about, point, 1).note(sides(i)).help(super::NOT_LINEAR);
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
        IdentityKind::ValueVjp => (
            Code::IdentityFails,
            format!(
                "the reverse-mode program{program} of `{name}` returns another value beside the derivative"
            ),
        ),
        IdentityKind::ValueJvp => (
            Code::IdentityFails,
            format!(
                "the forward-mode program{program} of `{name}` returns another value beside the derivative"
            ),
        ),
        IdentityKind::Nesting => (
            Code::IdentityFails,
            format!("forward over reverse mode and reverse over forward mode of `{name}` disagree"),
        ),
    };
    Diagnostic::error(code, what)
        .label(header(about.func), "")
        .note(place(about, point, 1))
        .note(sides(i))
        .help("finite differences play no part in this: either a hand-written rule or adc itself is wrong")
}

/// `⟨v, J u⟩ = ⟨VJP(v), u⟩: 1.5 and 2.5, tolerance 1.2e-15`
pub(super) fn sides(i: &Identity) -> String {
    let (a, b) = i.sides;
    format!("{}: {} and {}, tolerance {:.1e}", i.kind.statement(), number(a), number(b), i.tol)
}
