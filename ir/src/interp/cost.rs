//! What a run does, counted: the same numbers on every machine.

use super::Val;
use crate::ops::Op;

/// Work of a run.
///
/// Floating-point operations only, a complex one as the real operations it is made of; integers, booleans and indices are
/// free. A sum, product or other reduction counts the operations that join its iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Arithmetic, comparisons, selections, roots.
    pub ops: u64,
    /// Elementary and special functions; complex ones count twice.
    pub transcendentals: u64,
    /// Bytes of arrays made or copied, and of single elements read and written.
    pub bytes: u64,
    /// Instructions run, of whatever kind.
    pub steps: u64,
}

impl Cost {
    /// Operations, each transcendental being as much as ten.
    pub fn work(self) -> u64 {
        self.ops + 10 * self.transcendentals
    }

    /// Adds an op with these operands.
    pub(super) fn op<R>(&mut self, op: Op, args: &[&Val<R>]) {
        let complex = args.iter().filter(|v| matches!(v, Val::Complex(_))).count() as u64;
        let real = args.iter().filter(|v| matches!(v, Val::Real(_))).count() as u64;
        if complex + real == 0 {
            return;
        }
        // Of a complex number and a real one only what is not trivial.
        let parts = if complex > 0 { 2 } else { 1 };
        match op {
            Op::Mul => self.ops += [1, 2, 6][complex as usize],
            Op::Div => self.ops += if complex == 0 { 1 } else { 2 + 8 * (complex - 1) },
            Op::Recip | Op::Square | Op::Sqrt => self.ops += if complex > 0 { 6 } else { 1 },
            Op::Fma => self.ops += 2,
            // By repeated squaring.
            Op::Powi => self.ops += if complex > 0 { 12 } else { 2 },
            Op::Neg | Op::Add | Op::Sub => self.ops += parts,
            Op::Idiv | Op::Mod => self.ops += 1,
            Op::Abs if complex > 0 => self.ops += 4,
            Op::Sign if complex > 0 => self.ops += 6,
            Op::Abs2 => self.ops += if complex > 0 { 3 } else { 1 },
            Op::Conj | Op::Re | Op::Im | Op::Complex => {}
            Op::Arg | Op::Cis => self.transcendentals += parts,
            Op::Hypot if real == 2 => self.ops += 4,
            ops!(Elementary) | ops!(ElementaryInt) => self.transcendentals += parts,
            ops!(Test) | Op::Select => self.ops += parts,
            Op::ToC => {}
            ops!(Order) | Op::And | Op::Or | Op::Not | Op::ToF64 | Op::ToF32 | Op::ToI64 => self.ops += 1,
            ops!(Barrier) => {}
        }
    }

    /// Adds `n` products, each added to a sum.
    pub(super) fn products(&mut self, n: u64, complex: bool) {
        self.ops += n * if complex { 8 } else { 2 };
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::interp::{Interp, NoExterns};
    use crate::testing::StdMath;
    use crate::text::parse_module;

    fn cost(text: &str, args: &[Val<f64>]) -> (u64, u64) {
        let m = parse_module(text).unwrap_or_else(|d| panic!("{}", d.message));
        let f = m.find("f").expect("it has an f");
        let (_, cost) = Interp::new(&m, &StdMath, &NoExterns).count(f, &[], args).expect("it runs");
        (cost.ops, cost.transcendentals)
    }

    #[test]
    fn counts() {
        let scalar =
            "fn f(x: f64, n: i64) -> f64 {\n  v0 = exp x\n  v1 = mul v0, x\n  v2 = add n, n\n  return v1\n}";
        assert_eq!(cost(scalar, &[Val::Real(1.0), Val::I64(3)]), (1, 1));
        let complex = "fn f(z: c128, x: f64) -> c128 {\n  v0 = mul z, z\n  v1 = mul v0, x\n  v2 = add v1, z\n  return v2\n}";
        let z = Val::Complex(num_complex::Complex::new(1.0, 2.0));
        assert_eq!(cost(complex, &[z, Val::Real(1.0)]), (6 + 2 + 2, 0));
    }
}
