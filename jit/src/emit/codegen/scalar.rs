//! What each op becomes, with the meaning `adc_ir::interp::eval` gives it.

use super::{Emit, Val, part_type};
use crate::emit::linker::Refusal;
use adc_ir::{Inst, Op, Scalar, ops};
use cranelift::prelude::InstBuilder;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self as clif, types};
use smallvec::SmallVec;

/// An operand by what it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum X {
    Bool(clif::Value),
    Int(clif::Value),
    Real(clif::Value),
    Complex(clif::Value, clif::Value),
}

/// What the functions of the other files need to know about an op beside its operands.
#[derive(Clone, Copy)]
pub(super) struct At<'i> {
    pub op: Op,
    pub inst: &'i Inst,
    /// Type of the operands' parts, if they are real or complex.
    pub single: bool,
    /// Type of the result.
    pub out: Scalar,
    /// Whether the result may be out of range, so that has to be tested.
    pub checked: bool,
}

impl Emit<'_, '_> {
    /// Generates an op.
    pub(super) fn op(&mut self, op: Op, inst: &Inst) -> Result<Val, Refusal> {
        let mut x: SmallVec<[X; 3]> = SmallVec::new();
        let mut single = false;
        for v in &inst.args {
            let ty = self.ty(*v);
            single |= ty.is_single();
            let val = self.val(*v);
            x.push(match (ty, val) {
                (Scalar::Bool, Val::One(v)) => X::Bool(v),
                (Scalar::I64, Val::One(v)) => X::Int(v),
                (Scalar::F32 | Scalar::F64, Val::One(v)) => X::Real(v),
                (Scalar::C64 | Scalar::C128, Val::Two(re, im)) => X::Complex(re, im),
                (ty, val) => panic!("{val:?} is not a value of type {ty}"),
            });
        }
        let checked = !self.plan.bounds.is_exact(op, inst);
        let at = At { op, inst, single, out: self.ty(inst.results[0]), checked };
        self.apply(at, &x)
    }

    /// Generates an op of these operands. Where an op is one instruction, real operands may be vectors.
    pub(super) fn apply(&mut self, at: At, x: &[X]) -> Result<Val, Refusal> {
        let op = at.op;
        let ill_typed = || -> ! { panic!("`{op}` does not take {x:?}") };
        let y = match op {
            Op::Neg => match x[0] {
                X::Int(n) => self.int_neg(at, n),
                a => self.each(a, |e, p| e.b.ins().fneg(p)),
            },
            Op::Add => match (x[0], x[1]) {
                (X::Int(a), X::Int(b)) => self.int_add(at, a, b),
                (a, b) => self.add(a, b),
            },
            Op::Sub => match (x[0], x[1]) {
                (X::Int(a), X::Int(b)) => self.int_sub(at, a, b),
                (a, b) => self.sub(a, b),
            },
            Op::Mul => match (x[0], x[1]) {
                (X::Int(a), X::Int(b)) => self.int_mul(at, a, b),
                (a, b) => self.mul(a, b),
            },
            Op::Div => match (x[0], x[1]) {
                (a @ (X::Real(_) | X::Complex(..)), X::Real(b)) => self.each(a, |e, p| e.b.ins().fdiv(p, b)),
                _ => self.elementary(at, x)?,
            },
            Op::Idiv => match (x[0], x[1]) {
                (X::Int(a), X::Int(b)) => self.int_div(at, a, b),
                _ => ill_typed(),
            },
            Op::Mod => match (x[0], x[1]) {
                (X::Int(a), X::Int(b)) => self.int_mod(at, a, b),
                _ => self.elementary(at, x)?,
            },
            Op::Powi => match (x[0], x[1]) {
                (X::Int(a), X::Int(n)) => self.int_power(at, a, n)?,
                (a, X::Int(n)) => self.elementary_int(at, n, a)?,
                _ => ill_typed(),
            },
            Op::Recip => match x[0] {
                X::Real(a) => {
                    let one = self.number(1.0, at.out);
                    Val::One(self.b.ins().fdiv(one, a))
                }
                _ => self.elementary(at, x)?,
            },
            Op::Square => self.mul(x[0], x[0]),
            Op::Fma => match (x[0], x[1], x[2]) {
                // A call of `fma` or `fmaf` where the machine has no such instruction.
                (X::Real(a), X::Real(b), X::Real(c)) => Val::One(self.b.ins().fma(a, b, c)),
                _ => ill_typed(),
            },
            Op::Sqrt => match x[0] {
                X::Real(a) => Val::One(self.b.ins().sqrt(a)),
                _ => self.elementary(at, x)?,
            },
            ops!(Elementary) | Op::Arg => self.elementary(at, x)?,
            ops!(ElementaryInt) => match (x[0], x[1]) {
                (X::Int(n), a) => self.elementary_int(at, n, a)?,
                _ => ill_typed(),
            },
            Op::Cis => {
                let z = self.widen(x[0]);
                self.elementary(at, &[z])?
            }
            Op::Copysign => match (x[0], x[1]) {
                (X::Real(a), X::Real(b)) => Val::One(self.b.ins().fcopysign(a, b)),
                _ => ill_typed(),
            },
            Op::Min => self.min(x[0], x[1]),
            Op::Max => self.max(x[0], x[1]),
            Op::Clamp => match (x[0], self.max(x[0], x[1])) {
                (X::Int(_), Val::One(v)) => self.min(X::Int(v), x[2]),
                (X::Real(_), Val::One(v)) => self.min(X::Real(v), x[2]),
                _ => ill_typed(),
            },
            Op::Floor => self.each(x[0], |e, p| e.b.ins().floor(p)),
            Op::Ceil => self.each(x[0], |e, p| e.b.ins().ceil(p)),
            Op::Round => self.each(x[0], |e, p| e.b.ins().nearest(p)),
            Op::Trunc => self.each(x[0], |e, p| e.b.ins().trunc(p)),
            Op::Abs => match x[0] {
                X::Int(n) => self.int_abs(at, n),
                X::Real(a) => Val::One(self.b.ins().fabs(a)),
                X::Complex(..) => self.elementary(at, x)?,
                X::Bool(_) => ill_typed(),
            },
            Op::Sign => match x[0] {
                X::Int(n) => self.int_sign(n),
                X::Real(a) => self.real_sign(at, a),
                X::Complex(..) => self.elementary(at, x)?,
                X::Bool(_) => ill_typed(),
            },
            Op::Abs2 => match x[0] {
                X::Complex(re, im) => {
                    let a = self.b.ins().fmul(re, re);
                    let b = self.b.ins().fmul(im, im);
                    Val::One(self.b.ins().fadd(a, b))
                }
                a => self.mul(a, a),
            },
            Op::Conj => match x[0] {
                X::Complex(re, im) => Val::Two(re, self.b.ins().fneg(im)),
                X::Real(a) => Val::One(a),
                X::Bool(_) | X::Int(_) => ill_typed(),
            },
            Op::Re => match x[0] {
                X::Complex(re, _) | X::Real(re) => Val::One(re),
                X::Bool(_) | X::Int(_) => ill_typed(),
            },
            Op::Im => match x[0] {
                X::Complex(_, im) => Val::One(im),
                X::Real(_) => Val::One(self.number(0.0, at.out)),
                X::Bool(_) | X::Int(_) => ill_typed(),
            },
            Op::Complex => match (x[0], x[1]) {
                (X::Real(a), X::Real(b)) => Val::Two(a, b),
                _ => ill_typed(),
            },
            Op::IsNan => match x[0] {
                X::Real(a) => self.fcmp(FloatCC::Unordered, a, a),
                X::Complex(re, im) => self.fcmp(FloatCC::Unordered, re, im),
                X::Bool(_) | X::Int(_) => ill_typed(),
            },
            Op::IsFinite => self.all_parts(x[0], |e, p| e.magnitude_is(FloatCC::LessThan, p)),
            Op::IsInf => self.all_parts(x[0], |e, p| e.magnitude_is(FloatCC::Equal, p)),
            Op::Lt => self.compare(x[0], x[1], IntCC::SignedLessThan, FloatCC::LessThan),
            Op::Le => self.compare(x[0], x[1], IntCC::SignedLessThanOrEqual, FloatCC::LessThanOrEqual),
            Op::Gt => self.compare(x[0], x[1], IntCC::SignedGreaterThan, FloatCC::GreaterThan),
            Op::Ge => self.compare(x[0], x[1], IntCC::SignedGreaterThanOrEqual, FloatCC::GreaterThanOrEqual),
            Op::Eq => match (x[0], x[1]) {
                (X::Complex(ar, ai), X::Complex(br, bi)) => {
                    let re = self.b.ins().fcmp(FloatCC::Equal, ar, br);
                    let im = self.b.ins().fcmp(FloatCC::Equal, ai, bi);
                    Val::One(self.b.ins().band(re, im))
                }
                (a, b) => self.compare(a, b, IntCC::Equal, FloatCC::Equal),
            },
            Op::Ne => match (x[0], x[1]) {
                (X::Complex(ar, ai), X::Complex(br, bi)) => {
                    let re = self.b.ins().fcmp(FloatCC::NotEqual, ar, br);
                    let im = self.b.ins().fcmp(FloatCC::NotEqual, ai, bi);
                    Val::One(self.b.ins().bor(re, im))
                }
                (a, b) => self.compare(a, b, IntCC::NotEqual, FloatCC::NotEqual),
            },
            Op::And => match (x[0], x[1]) {
                (X::Bool(a), X::Bool(b)) => Val::One(self.b.ins().band(a, b)),
                _ => ill_typed(),
            },
            Op::Or => match (x[0], x[1]) {
                (X::Bool(a), X::Bool(b)) => Val::One(self.b.ins().bor(a, b)),
                _ => ill_typed(),
            },
            Op::Not => match x[0] {
                X::Bool(a) => Val::One(self.b.ins().bxor_imm_u(a, 1)),
                _ => ill_typed(),
            },
            Op::Select => self.select(x[0], x[1], x[2]),
            Op::ToF64 | Op::ToF32 => match x[0] {
                X::Bool(a) => {
                    let n = self.b.ins().uextend(types::I64, a);
                    Val::One(self.b.ins().fcvt_from_sint(part_type(at.out), n))
                }
                X::Int(n) => Val::One(self.b.ins().fcvt_from_sint(part_type(at.out), n)),
                X::Real(a) => Val::One(self.convert(a, at.single, at.out)),
                X::Complex(..) => ill_typed(),
            },
            Op::ToI64 => match x[0] {
                X::Bool(a) => Val::One(self.b.ins().uextend(types::I64, a)),
                X::Int(n) => Val::One(n),
                X::Real(a) => self.int_from_real(at, a),
                X::Complex(..) => ill_typed(),
            },
            Op::ToC => self.each(x[0], |e, p| e.convert(p, at.single, at.out)),
            Op::StopGradient => match x[0] {
                X::Bool(a) | X::Int(a) | X::Real(a) => Val::One(a),
                X::Complex(re, im) => Val::Two(re, im),
            },
        };
        Ok(y)
    }

    /// `f` of a real number, or of both parts of a complex one.
    fn each(&mut self, x: X, mut f: impl FnMut(&mut Self, clif::Value) -> clif::Value) -> Val {
        match x {
            X::Real(a) => Val::One(f(self, a)),
            X::Complex(re, im) => {
                let re = f(self, re);
                Val::Two(re, f(self, im))
            }
            X::Bool(_) | X::Int(_) => panic!("a real or complex operand was expected"),
        }
    }

    /// Whether `f` holds of a real number, or of both parts of a complex one.
    fn all_parts(&mut self, x: X, f: impl FnMut(&mut Self, clif::Value) -> clif::Value) -> Val {
        match self.each(x, f) {
            Val::One(a) => Val::One(a),
            Val::Two(re, im) => Val::One(self.b.ins().band(re, im)),
        }
    }

    fn fcmp(&mut self, cc: FloatCC, a: clif::Value, b: clif::Value) -> Val {
        Val::One(self.b.ins().fcmp(cc, a, b))
    }

    fn compare(&mut self, a: X, b: X, int: IntCC, float: FloatCC) -> Val {
        match (a, b) {
            (X::Int(a), X::Int(b)) | (X::Bool(a), X::Bool(b)) => Val::One(self.b.ins().icmp(int, a, b)),
            (X::Real(a), X::Real(b)) => self.fcmp(float, a, b),
            _ => panic!("{a:?} and {b:?} are not compared"),
        }
    }

    pub(super) fn min(&mut self, a: X, b: X) -> Val {
        match (a, b) {
            (X::Int(a), X::Int(b)) => Val::One(self.b.ins().smin(a, b)),
            (X::Real(a), X::Real(b)) => Val::One(self.b.ins().fmin(a, b)),
            _ => panic!("{a:?} and {b:?} have no order"),
        }
    }

    pub(super) fn max(&mut self, a: X, b: X) -> Val {
        match (a, b) {
            (X::Int(a), X::Int(b)) => Val::One(self.b.ins().smax(a, b)),
            (X::Real(a), X::Real(b)) => Val::One(self.b.ins().fmax(a, b)),
            _ => panic!("{a:?} and {b:?} have no order"),
        }
    }

    fn select(&mut self, cond: X, a: X, b: X) -> Val {
        let X::Bool(c) = cond else { panic!("{cond:?} is not a condition") };
        match (a, b) {
            (X::Complex(ar, ai), X::Complex(br, bi)) => {
                let re = self.b.ins().select(c, ar, br);
                Val::Two(re, self.b.ins().select(c, ai, bi))
            }
            (X::Bool(a), X::Bool(b)) | (X::Int(a), X::Int(b)) | (X::Real(a), X::Real(b)) => {
                Val::One(self.b.ins().select(c, a, b))
            }
            _ => panic!("{a:?} and {b:?} are not of one type"),
        }
    }
}
