//! Literals in emitted formulas: exact evaluation and the identities that keep every bit, so that `x^3` with a
//! literal exponent has no trace of a run-time exponent in its derivatives. Other ops are emitted as they are.

use crate::emit::Ex;
use adc_ir::interp::fold;
use adc_ir::{Const, Op, Scalar};
use smallvec::SmallVec;

/// What an op reduces to.
pub(crate) enum Shorter {
    /// An operand or a literal.
    Is(Ex),
    /// Another op of one operand.
    Op(Op, Ex),
}

/// A shorter form of an op with bit-identical result, if literals allow one; `ty` is its first operand's type.
pub(crate) fn simplified(op: Op, args: &[Ex], ty: Scalar) -> Option<Shorter> {
    if args.iter().all(|a| a.literal().is_none()) {
        return None;
    }
    let literals: Option<SmallVec<[Const; 3]>> = args.iter().map(|a| a.literal()).collect();
    let value = literals.and_then(|l| fold(op, &l));
    value.map(|c| Shorter::Is(Ex::Const(c))).or_else(|| identity(op, args, ty))
}

/// The value of a literal condition.
pub(crate) fn truth(x: Ex) -> Option<bool> {
    match x {
        Ex::Const(Const::Bool(b)) => Some(b),
        Ex::Const(_) | Ex::Val(_) => None,
    }
}

fn identity(op: Op, args: &[Ex], ty: Scalar) -> Option<Shorter> {
    let is = |x: Ex| Some(Shorter::Is(x));
    let commuted = || [(args[0], args[1]), (args[1], args[0])].into_iter();
    if op == Op::Mul {
        return commuted().find_map(|(a, x)| match a {
            _ if a.is(1.0) => is(x),
            _ if a.is(-1.0) => Some(Shorter::Op(Op::Neg, x)),
            _ => None,
        });
    }
    if op == Op::Div && args[1].is(1.0) {
        return is(args[0]);
    }
    if op == Op::Powi {
        return match args[1].literal()? {
            Const::I64(0) => is(Ex::Const(Const::real(1.0, ty))),
            Const::I64(1) => is(args[0]),
            Const::I64(2) => Some(Shorter::Op(Op::Square, args[0])),
            _ => None,
        };
    }
    if op == Op::And || op == Op::Or {
        return commuted()
            .find_map(|(a, x)| truth(a).and_then(|t| is(if t == (op == Op::And) { x } else { a })));
    }
    if op == Op::Select {
        return truth(args[0]).and_then(|t| is(args[if t { 1 } else { 2 }]));
    }
    None
}
