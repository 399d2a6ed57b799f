//! Constant folding of ops that the interpreter, compiled code and this machine agree on to the bit.

use super::{Val, eval};
use crate::module::Const;
use crate::num::Elementary;
use crate::ops::Op;
use crate::types::{Scalar, Type};
use num_complex::Complex64;
use smallvec::SmallVec;

/// The op's value of literals if IEEE arithmetic alone defines it. `None` where it fails at run time, and for operands
/// it does not take.
pub fn fold(op: Op, literals: &[Const]) -> Option<Const> {
    let tys: SmallVec<[Type; 3]> = literals.iter().map(|l| l.scalar().into()).collect();
    let ty = op.result_type(&tys)?.scalar();
    if !exact(op, literals) {
        return None;
    }
    let vals: SmallVec<[Val<f64>; 3]> = literals.iter().map(|l| Val::from_const(*l)).collect();
    let value = eval(&NoMath, op, &vals.iter().collect::<SmallVec<[_; 3]>>(), ty).ok()?.to_const(ty);
    Some(standard(value))
}

/// Sign and payload of a computed NaN differ between machines; programs must not.
fn standard(c: Const) -> Const {
    let part = |x: f64| if x.is_nan() { f64::NAN } else { x };
    match c {
        Const::Bool(_) | Const::I64(_) => c,
        Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => {
            let z = c.to_c128();
            Const::from_c128(Complex64::new(part(z.re), part(z.im)), c.scalar())
        }
    }
}

/// Whether the result needs no elementary function.
#[rustfmt::skip]
fn exact(op: Op, args: &[Const]) -> bool {
    let complex = |i: usize| args[i].scalar().is_complex();
    let integer = args[0].scalar() == Scalar::I64;
    match op {
        Op::Neg | Op::Add | Op::Sub | Op::Mul | Op::Square | Op::Fma | Op::Idiv | Op::Copysign | Op::Min | Op::Max | Op::Clamp
        | Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Abs2 | Op::Conj | Op::Re | Op::Im | Op::Complex | Op::IsNan
        | Op::IsFinite | Op::IsInf | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::And | Op::Or | Op::Not
        | Op::Select | Op::ToF64 | Op::ToF32 | Op::ToI64 | Op::ToC | Op::StopGradient => true,
        Op::Div => !complex(1),
        Op::Recip | Op::Sqrt | Op::Abs | Op::Sign => !complex(0),
        Op::Mod | Op::Powi => integer,
        Op::Pow | Op::Exp | Op::Expm1 | Op::Exp2 | Op::Log | Op::Log2 | Op::Log10 | Op::Log1p | Op::Cbrt | Op::Sin | Op::Cos
        | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Sinh | Op::Cosh | Op::Tanh | Op::Asinh | Op::Acosh | Op::Atanh
        | Op::Sinc | Op::Sigmoid | Op::Softplus | Op::LogSigmoid | Op::Logaddexp | Op::Erf | Op::Erfc | Op::Lgamma
        | Op::Digamma | Op::Polygamma | Op::Hypot | Op::Atan2 | Op::Arg | Op::Cis | Op::Sech2 | Op::DSigmoid
        | Op::DSinc => false,
    }
}

/// Elementary functions nobody asks for.
struct NoMath;

impl Elementary<f64> for NoMath {
    fn real(&self, op: Op, _: &[f64]) -> f64 {
        unreachable!("`{op}` is not folded")
    }
    fn real_int(&self, op: Op, _: i64, _: &f64) -> f64 {
        unreachable!("`{op}` is not folded")
    }
    fn complex(&self, op: Op, _: &[Complex64]) -> Complex64 {
        unreachable!("`{op}` is not folded")
    }
    fn complex_int(&self, _: i64, _: &Complex64) -> Complex64 {
        unreachable!("`powi` is not folded")
    }
    fn complex_to_real(&self, op: Op, _: &Complex64) -> f64 {
        unreachable!("`{op}` is not folded")
    }
}
