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
fn exact(op: Op, args: &[Const]) -> bool {
    let complex = |i: usize| args[i].scalar().is_complex();
    match op {
        Op::Div if complex(1) => false,
        Op::Recip | Op::Sqrt | Op::Abs | Op::Sign if complex(0) => false,
        Op::Mod | Op::Powi if args[0].scalar() != Scalar::I64 => false,
        ops!(Arith) | ops!(Order) | ops!(Test) | ops!(Logic) | ops!(Convert) | ops!(Barrier) => true,
        Op::Abs2 | Op::Conj | Op::Re | Op::Im | Op::Complex => true,
        ops!(Elementary) | ops!(ElementaryInt) | Op::Arg | Op::Cis => false,
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
    fn complex_int(&self, op: Op, _: i64, _: &Complex64) -> Complex64 {
        unreachable!("`{op}` is not folded")
    }
    fn complex_to_real(&self, op: Op, _: &Complex64) -> f64 {
        unreachable!("`{op}` is not folded")
    }
}
