//! Formulas of partial derivatives: small trees over an op's operands and result, built with ordinary
//! operators so that a row of the rule table reads like mathematics.

use adc_ir::Op;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::Arc;

/// A formula over the operands and the result of one op.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// An operand, by position.
    X(usize),
    /// The result.
    Y,
    /// A real number, in the precision of the op.
    Num(f64),
    /// An integer.
    Int(i64),
    /// The imaginary unit.
    I,
    /// The smallest positive normal number of the op's precision.
    Smallest,
    /// An integer as a real number in the precision of the op.
    Real(Arc<Formula>),
    /// The second formula if the first one holds, else the third; only the one that counts is evaluated.
    If(Arc<[Formula; 3]>),
    /// An op of the table.
    Op(Op, Arc<[Formula]>),
}

impl Formula {
    /// An op applied to formulas.
    pub fn op<const N: usize>(op: Op, args: [Formula; N]) -> Formula {
        debug_assert_eq!(op.arity(), N, "{op}");
        Formula::Op(op, Arc::new(args))
    }

    /// Adds what the formula reads of operands and result to `reads`.
    pub fn reads(&self, reads: &mut Reads) {
        match self {
            Formula::X(i) => reads.operands[*i] = true,
            Formula::Y => reads.result = true,
            Formula::Num(_) | Formula::Int(_) | Formula::I | Formula::Smallest => {}
            Formula::Real(f) => f.reads(reads),
            Formula::If(parts) => parts.iter().for_each(|f| f.reads(reads)),
            Formula::Op(_, args) => args.iter().for_each(|f| f.reads(reads)),
        }
    }

    /// The formula as text, operands being named `x`, or `a`, `b`, `c` if there are several, the result `y`.
    pub fn text(&self, arity: usize) -> String {
        let mut out = String::new();
        self.write(arity, 0, &mut out);
        out
    }

    /// Appends the text; in parentheses if it binds less tightly than `outer`.
    fn write(&self, arity: usize, outer: u8, out: &mut String) {
        let list = |args: &[Formula], out: &mut String| {
            for (i, f) in args.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                f.write(arity, 0, out);
            }
        };
        let infix = |level: u8, sign: &str, a: &Formula, b: &Formula, out: &mut String| {
            if level < outer {
                out.push('(');
            }
            a.write(arity, level, out);
            out.push_str(sign);
            b.write(arity, level + 1, out);
            if level < outer {
                out.push(')');
            }
        };
        match self {
            Formula::X(_) if arity == 1 => out.push('x'),
            Formula::X(i) => out.push(char::from(b'a' + *i as u8)),
            Formula::Y => out.push('y'),
            Formula::Num(v) => out.push_str(&v.to_string()),
            Formula::Int(n) if *n == i64::MAX - 1 => out.push_str("i64_max - 1"),
            Formula::Int(n) if *n == i64::MIN + 1 => out.push_str("i64_min + 1"),
            Formula::Int(n) => out.push_str(&n.to_string()),
            Formula::I => out.push('i'),
            Formula::Smallest => out.push_str("smallest"),
            Formula::If(parts) => {
                let [cond, then, other] = &**parts;
                out.push_str("(if ");
                cond.write(arity, 0, out);
                out.push_str(" then ");
                then.write(arity, 0, out);
                out.push_str(" else ");
                other.write(arity, 0, out);
                out.push(')');
            }
            Formula::Real(f) => f.write(arity, outer, out),
            Formula::Op(op, args) => match (op, &args[..]) {
                (Op::Add, [a, b]) => infix(1, " + ", a, b, out),
                (Op::Sub, [a, b]) => infix(1, " - ", a, b, out),
                (Op::Mul, [a, Formula::Op(Op::Recip, b)]) => infix(3, "/", a, &b[0], out),
                (Op::Mul, [a, b]) => infix(3, " ", a, b, out),
                (Op::Div, [a, b]) => infix(3, "/", a, b, out),
                (Op::Recip, [a]) => infix(3, "/", &Formula::Num(1.0), a, out),
                (Op::Neg, [a]) => {
                    out.push('-');
                    a.write(arity, 3, out);
                }
                (Op::Square, [a]) => {
                    a.write(arity, 4, out);
                    out.push_str("^2");
                }
                _ => {
                    out.push_str(op.name());
                    out.push('(');
                    list(args, out);
                    out.push(')');
                }
            },
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(2))
    }
}

/// What of an op's operands and result something reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Per operand.
    pub operands: [bool; 3],
    /// The result.
    pub result: bool,
}

/// The notation of the rule table.
pub(crate) mod notation {
    use super::*;

    /// The only operand.
    pub const X: Formula = Formula::X(0);
    /// The first operand of several.
    pub const A: Formula = Formula::X(0);
    /// The second operand.
    pub const B: Formula = Formula::X(1);
    /// The third operand.
    pub const C: Formula = Formula::X(2);
    /// The result.
    pub const Y: Formula = Formula::Y;
    /// The imaginary unit.
    pub const I: Formula = Formula::I;

    pub const fn num(x: f64) -> Formula {
        Formula::Num(x)
    }

    pub const fn int(n: i64) -> Formula {
        Formula::Int(n)
    }

    /// An integer formula as a real number.
    pub fn real(f: Formula) -> Formula {
        Formula::Real(Arc::new(f))
    }

    /// `then` if `cond` holds, else `other`, each evaluated only when it counts.
    pub fn either(cond: Formula, then: Formula, other: Formula) -> Formula {
        Formula::If(Arc::new([cond, then, other]))
    }

    macro_rules! functions {
        ($($name:ident $op:ident ($($arg:ident),*);)*) => {
            $(pub fn $name($($arg: impl Into<Formula>),*) -> Formula {
                Formula::op(Op::$op, [$($arg.into()),*])
            })*
        };
    }

    functions! {
        recip Recip(x); square Square(x); sqrt Sqrt(x); exp Exp(x); log Log(x); pow Pow(a, b); powi Powi(a, n);
        sin Sin(x); cos Cos(x); sinh Sinh(x); cosh Cosh(x); tanh Tanh(x); sech2 Sech2(x); sigmoid Sigmoid(x);
        dsigmoid DSigmoid(x); dsinc DSinc(n, x); digamma Digamma(x); polygamma Polygamma(n, x);
        j0 J0(x); j1 J1(x); y0 Y0(x); y1 Y1(x); jn Jn(n, x); yn Yn(n, x); isnan IsNan(x);
        hypot Hypot(a, b); sign Sign(x); abs Abs(x); abs2 Abs2(x); re Re(x); im Im(x); complex Complex(a, b);
        copysign Copysign(a, b); round Round(x); max Max(a, b); min Min(a, b); select Select(c, a, b);
        eq Eq(a, b); lt Lt(a, b); gt Gt(a, b); ge Ge(a, b); and And(a, b); or Or(a, b);
    }
}

impl From<f64> for Formula {
    fn from(x: f64) -> Formula {
        Formula::Num(x)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl $trait for Formula {
            type Output = Formula;
            fn $method(self, o: Formula) -> Formula {
                Formula::op(Op::$op, [self, o])
            }
        }
        impl $trait<f64> for Formula {
            type Output = Formula;
            fn $method(self, o: f64) -> Formula {
                Formula::op(Op::$op, [self, Formula::Num(o)])
            }
        }
        impl $trait<Formula> for f64 {
            type Output = Formula;
            fn $method(self, o: Formula) -> Formula {
                Formula::op(Op::$op, [Formula::Num(self), o])
            }
        }
    )*};
}

operators! { Add add Add; Sub sub Sub; Mul mul Mul; Div div Div; }

impl Neg for Formula {
    type Output = Formula;
    fn neg(self) -> Formula {
        Formula::op(Op::Neg, [self])
    }
}

#[cfg(test)]
mod tests {
    use super::notation::*;
    use super::*;

    #[test]
    fn text_has_the_parentheses_it_needs() {
        let cases = [
            (recip(2.0 * Y), 1, "1/(2 y)"),
            (-(Y * recip(B)), 2, "-y/b"),
            (1.0 + square(Y), 1, "1 + y^2"),
            (A - (B - 1.0), 2, "a - (b - 1)"),
            (B * pow(A, B - 1.0), 2, "b pow(a, b - 1)"),
            (I * Y, 1, "i y"),
        ];
        for (formula, arity, text) in cases {
            assert_eq!(formula.text(arity), text);
        }
    }

    #[test]
    fn reads_are_those_of_the_leaves() {
        let mut reads = Reads::default();
        (Y * recip(B)).reads(&mut reads);
        assert_eq!(reads, Reads { operands: [false, true, false], result: true });
    }
}
