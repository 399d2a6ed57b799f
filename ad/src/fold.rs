//! Literals in emitted formulas: exact evaluation and the identities that keep every bit, so that `x^3` with a
//! literal exponent has no trace of a run-time exponent in its derivatives. Ops that are in none of the tables
//! here are emitted as they are.

use crate::emit::Ex;
use adc_ir::{Const, Op, Scalar};

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
    evaluated(op, args).map(|c| Shorter::Is(Ex::Const(c))).or_else(|| identity(op, args, ty))
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

/// Ops of literals whose value is the same in every implementation: IEEE arithmetic, comparisons, integers.
fn evaluated(op: Op, args: &[Ex]) -> Option<Const> {
    let literal = |i: usize| args[i].literal();
    match (literal(0)?, args.len()) {
        (Const::F64(a), 1) => (op == Op::Neg).then_some(Const::F64(-a)),
        (Const::F32(a), 1) => (op == Op::Neg).then_some(Const::F32(-a)),
        (Const::I64(n), 1) => conversion(op, n),
        (z @ (Const::C64(_) | Const::C128(_)), 1) => part(op, z),
        (Const::F64(a), 2) => match literal(1)? {
            Const::F64(b) => arithmetic(op, a, b).map(Const::F64).or_else(|| compared(op, a, b)),
            _ => None,
        },
        (Const::F32(a), 2) => match literal(1)? {
            Const::F32(b) => arithmetic(op, a, b).map(Const::F32).or_else(|| compared(op, a, b)),
            _ => None,
        },
        (Const::I64(a), 2) => match literal(1)? {
            Const::I64(b) => integer(op, a, b).map(Const::I64).or_else(|| compared(op, a, b)),
            _ => None,
        },
        _ => None,
    }
}

/// What some ops compute.
type Table<F, const N: usize> = [(Op, F); N];

/// The entry of a table.
fn entry<F: Copy>(table: &[(Op, F)], op: Op) -> Option<F> {
    table.iter().find(|(o, _)| *o == op).map(|(_, t)| *t)
}

fn arithmetic<T>(op: Op, a: T, b: T) -> Option<T>
where
    T: std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<Output = T>,
{
    let table: Table<fn(T, T) -> T, 3> =
        [(Op::Add, |a, b| a + b), (Op::Sub, |a, b| a - b), (Op::Mul, |a, b| a * b)];
    entry(&table, op).map(|f| f(a, b))
}

fn integer(op: Op, a: i64, b: i64) -> Option<i64> {
    let table: Table<fn(i64, i64) -> Option<i64>, 3> =
        [(Op::Add, i64::checked_add), (Op::Sub, i64::checked_sub), (Op::Max, |a, b| Some(a.max(b)))];
    entry(&table, op).and_then(|f| f(a, b))
}

fn conversion(op: Op, n: i64) -> Option<Const> {
    let table: Table<fn(i64) -> Const, 2> =
        [(Op::ToF64, |n| Const::F64(n as f64)), (Op::ToF32, |n| Const::F32(n as f32))];
    entry(&table, op).map(|f| f(n))
}

fn compared<T: PartialOrd>(op: Op, a: T, b: T) -> Option<Const> {
    let table: Table<fn(&T, &T) -> bool, 6> = [
        (Op::Lt, |a, b| a < b),
        (Op::Le, |a, b| a <= b),
        (Op::Gt, |a, b| a > b),
        (Op::Ge, |a, b| a >= b),
        (Op::Eq, |a, b| a == b),
        (Op::Ne, |a, b| a != b),
    ];
    entry(&table, op).map(|f| Const::Bool(f(&a, &b)))
}

fn part(op: Op, z: Const) -> Option<Const> {
    let table = [(Op::Re, z.to_c128().re), (Op::Im, z.to_c128().im)];
    entry(&table, op).map(|x| Const::real(x, z.scalar().real()))
}
