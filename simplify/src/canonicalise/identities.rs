//! Exact identities: the result has the same bits on every operand (NaN = NaN), the derivative is the same, and what
//! fails at run time still does.
//!
//! Not here because they are not exact: x + 0 (−0 + 0 = +0) unless x is seen not to be −0, x·0, x − x, z·(1 + 0i) (an infinite part times 0), −(a − b)
//! (sign of zero), integer −−x (hides an overflow).

use super::{Canon, Def};
use adc_ir::{Const, Op, Scalar, Span, Value, Values, ops};

/// What an op is the same as.
pub(super) enum Simpler {
    /// Nothing simpler.
    Keep,
    /// An operand or something computed before.
    Value(Value),
    /// A literal.
    Const(Const),
    /// Another op.
    Op(Op, Values),
}

use Simpler::Keep;

/// One step; the caller repeats it. Instructions that are needed besides are emitted with `span`.
#[rustfmt::skip]
pub(super) fn simpler(c: &mut Canon, op: Op, args: &[Value], span: Span) -> Simpler {
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(x);
    match op {
        Op::Neg => neg(c, x, span),
        Op::Add => add(c, x, y, span),
        Op::Sub => sub(c, x, y, span),
        Op::Mul => mul(c, x, y, span),
        Op::Div => div(c, x, y, span),
        Op::Idiv => match c.int(y) {
            Some(1) => Simpler::Value(x),
            Some(-1) => unary(Op::Neg, x),
            _ => Keep,
        },
        Op::Mod => match c.int(y) {
            Some(1 | -1) => Simpler::Const(Const::I64(0)),
            _ => Keep,
        },
        Op::Powi => powi(c, x, y, span),
        Op::Square => match c.operand_of(x, Op::Neg).or_else(|| c.operand_of(x, Op::Abs)) {
            // Both parts change their sign, so their products do not; |z|² is no square of z.
            Some(v) if c.scalar(v) == c.scalar(x) => unary(Op::Square, v),
            _ => Keep,
        },
        Op::Min | Op::Max if x == y => Simpler::Value(x),
        Op::Floor | Op::Ceil | Op::Round | Op::Trunc => match c.def(x) {
            Def::Op(Op::Floor | Op::Ceil | Op::Round | Op::Trunc, _) => Simpler::Value(x),
            Def::Op(..) | Def::Const(_) | Def::Opaque => Keep,
        },
        Op::Abs if c.scalar(x).is_real() => match (c.operand_of(x, Op::Neg), c.operand_of(x, Op::Abs)) {
            (Some(v), _) => unary(Op::Abs, v),
            (None, Some(_)) => Simpler::Value(x),
            (None, None) => Keep,
        },
        Op::Abs2 => abs2(c, x),
        Op::Conj => conj(c, x, span),
        Op::Re => re(c, x),
        Op::Im => im(c, x, span),
        Op::Complex => match (c.operand_of(x, Op::Re), c.operand_of(y, Op::Im)) {
            (Some(z), Some(w)) if z == w && c.scalar(z).is_complex() => Simpler::Value(z),
            _ => Keep,
        },
        Op::Lt | Op::Gt if x == y => Simpler::Const(Const::Bool(false)),
        Op::Le | Op::Ge | Op::Eq if x == y && !c.scalar(x).is_float() => Simpler::Const(Const::Bool(true)),
        Op::Ne if x == y && !c.scalar(x).is_float() => Simpler::Const(Const::Bool(false)),
        Op::Ne if x == y => unary(Op::IsNan, x),
        Op::And => logic(c, x, y, false),
        Op::Or => logic(c, x, y, true),
        Op::Not => not(c, x),
        Op::Select => select(c, x, y, args[2]),
        Op::ToF64 => conversion(c, op, Scalar::F64, x),
        Op::ToF32 => conversion(c, op, Scalar::F32, x),
        Op::ToI64 => conversion(c, op, Scalar::I64, x),
        Op::ToC => match c.scalar(x) {
            Scalar::C128 => conversion(c, op, Scalar::C64, x),
            Scalar::Bool | Scalar::I64 | Scalar::F32 | Scalar::F64 | Scalar::C64 => Keep,
        },
        Op::StopGradient if !c.scalar(x).is_float() || c.operand_of(x, Op::StopGradient).is_some() => {
            Simpler::Value(x)
        }
        ops!(Arith) | ops!(Elementary) | ops!(ElementaryInt) | ops!(Order) | ops!(Part) | ops!(Test) | ops!(Barrier) => Keep,
    }
}

fn unary(op: Op, x: Value) -> Simpler {
    Simpler::Op(op, Values::from_slice(&[x]))
}

fn binary(op: Op, x: Value, y: Value) -> Simpler {
    Simpler::Op(op, Values::from_slice(&[x, y]))
}

/// −−x = x, but for integers, where it may overflow.
fn neg(c: &mut Canon, x: Value, span: Span) -> Simpler {
    match c.negated(x, span) {
        Some(v) => Simpler::Value(v),
        None => Keep,
    }
}

/// x + (−0) = x, x + 0 = x if x cannot be −0; x + (−y) = x − y. Of a real and a complex operand likewise, part by part.
fn add(c: &mut Canon, x: Value, y: Value, span: Span) -> Simpler {
    for (x, y) in [(x, y), (y, x)] {
        if c.is_zero(y, true) && c.covers(x, y) {
            return Simpler::Value(x);
        }
        if c.is_zero(y, false) && c.covers(x, y) && c.scalar(x).is_real() && c.never_minus_zero(x, 4) {
            return Simpler::Value(x);
        }
        if let Some(v) = c.negated(y, span) {
            return binary(Op::Sub, x, v);
        }
    }
    Keep
}

/// x − (+0) = x; −0 − x = −x; x − (−y) = x + y; integer x − x = 0.
fn sub(c: &mut Canon, x: Value, y: Value, span: Span) -> Simpler {
    if c.is_zero(y, false) && c.covers(x, y) {
        return Simpler::Value(x);
    }
    if c.is_zero(x, true) && c.covers(y, x) {
        return unary(Op::Neg, y);
    }
    if let Some(v) = c.negated(y, span) {
        return binary(Op::Add, x, v);
    }
    if x == y && c.scalar(x) == Scalar::I64 { Simpler::Const(Const::I64(0)) } else { Keep }
}

/// x·1 = x, x·(−1) = −x for integer and real factors 1; (−x)(−y) = xy; xx = x²; integer x·0 = 0.
fn mul(c: &mut Canon, x: Value, y: Value, span: Span) -> Simpler {
    for (x, y) in [(x, y), (y, x)] {
        match c.number(y) {
            Some(1.0) => return Simpler::Value(x),
            Some(-1.0) => return unary(Op::Neg, x),
            Some(0.0) if c.scalar(y) == Scalar::I64 => return Simpler::Value(y),
            _ => {}
        }
    }
    if x == y && c.scalar(x).is_float() {
        return unary(Op::Square, x);
    }
    both(c, Op::Mul, x, y, span)
}

/// x/1 = x, x/(−1) = −x, 1/x = recip x; division by a power of two is multiplication by its inverse, which is exact.
fn div(c: &mut Canon, x: Value, y: Value, span: Span) -> Simpler {
    match c.number(y) {
        Some(1.0) => return Simpler::Value(x),
        Some(-1.0) => return unary(Op::Neg, x),
        Some(d) if is_power_of_two(d, c.scalar(y)) => {
            let inverse = Const::real(1.0 / d, c.scalar(y));
            let inverse = c.constant(inverse, None, span);
            return binary(Op::Mul, x, inverse);
        }
        _ => {}
    }
    if c.number(x) == Some(1.0) && c.scalar(y).is_real() {
        return unary(Op::Recip, y);
    }
    // Of complex quotients only the runtime knows whether they are symmetric to the bit.
    if c.scalar(y).is_real() { both(c, Op::Div, x, y, span) } else { Keep }
}

/// The op of x and y, if the operands are −x and −y.
fn both(c: &mut Canon, op: Op, x: Value, y: Value, span: Span) -> Simpler {
    if !c.is_negated(x) || !c.is_negated(y) {
        return Keep;
    }
    match (c.negated(x, span), c.negated(y, span)) {
        (Some(x), Some(y)) => binary(op, x, y),
        _ => Keep,
    }
}

/// ±2ᵏ whose inverse is a normal number too.
fn is_power_of_two(d: f64, ty: Scalar) -> bool {
    let (mantissa, smallest) = match ty.is_single() {
        true => (d.to_bits() << 12, f32::MIN_POSITIVE as f64),
        false => (d.to_bits() << 12, f64::MIN_POSITIVE),
    };
    mantissa == 0 && d.is_finite() && d.abs() >= smallest && (1.0 / d).abs() >= smallest
}

/// Small powers in the order that `powi` multiplies: x² = x·x, x³ = x·x², x⁴ = (x²)², x⁻¹ = 1/x.
/// Single precision rounds once at the end, so that only one multiplication or division may be written out. Complex powers
/// start from 1 + 0i, which does not keep infinite parts: they stay. So does x⁻²: the derivative of 1/x² by steps, −1/x⁴·2x,
/// is infinite at 1e-80, that of the power is not.
fn powi(c: &mut Canon, x: Value, n: Value, span: Span) -> Simpler {
    let Some(n) = c.int(n) else { return Keep };
    let ty = c.scalar(x);
    match (ty, n) {
        (Scalar::I64 | Scalar::F32 | Scalar::F64, 0) => Simpler::Const(Const::real(1.0, ty)),
        (Scalar::I64 | Scalar::F32 | Scalar::F64, 1) => Simpler::Value(x),
        (Scalar::I64, 2) => binary(Op::Mul, x, x),
        (Scalar::F32 | Scalar::F64, 2) => unary(Op::Square, x),
        (Scalar::F32 | Scalar::F64, -1) => unary(Op::Recip, x),
        (Scalar::F64, 3 | 4) => {
            let square = c.op(Op::Square, Values::from_slice(&[x]), None, span);
            if n == 3 { binary(Op::Mul, x, square) } else { unary(Op::Square, square) }
        }
        _ => Keep,
    }
}

/// Parts of what is known to be real, a pair, a conjugate or a negative.
fn re(c: &Canon, x: Value) -> Simpler {
    match (c.operands_of(x, Op::Complex), c.operand_of(x, Op::Conj)) {
        _ if c.scalar(x).is_real() => Simpler::Value(x),
        (Some([a, _]), _) => Simpler::Value(a),
        (None, Some(z)) => unary(Op::Re, z),
        (None, None) => Keep,
    }
}

fn im(c: &mut Canon, x: Value, span: Span) -> Simpler {
    match (c.operands_of(x, Op::Complex), c.operand_of(x, Op::Conj)) {
        _ if c.scalar(x).is_real() => Simpler::Const(Const::zero(c.scalar(x))),
        (Some([_, b]), _) => Simpler::Value(b),
        (None, Some(z)) => {
            let im = c.op(Op::Im, Values::from_slice(&[z]), None, span);
            unary(Op::Neg, im)
        }
        (None, None) => Keep,
    }
}

fn conj(c: &mut Canon, x: Value, span: Span) -> Simpler {
    match (c.operands_of(x, Op::Complex), c.operand_of(x, Op::Conj)) {
        _ if c.scalar(x).is_real() => Simpler::Value(x),
        (Some([a, b]), _) => {
            let b = c.op(Op::Neg, Values::from_slice(&[b]), None, span);
            binary(Op::Complex, a, b)
        }
        (None, Some(z)) => Simpler::Value(z),
        (None, None) => Keep,
    }
}

fn abs2(c: &Canon, x: Value) -> Simpler {
    match c.operand_of(x, Op::Conj).or_else(|| c.operand_of(x, Op::Neg)) {
        _ if c.scalar(x).is_real() => unary(Op::Square, x),
        Some(z) => unary(Op::Abs2, z),
        None => Keep,
    }
}

/// `and` (false absorbs everything) and `or` (true does).
fn logic(c: &Canon, x: Value, y: Value, absorbing: bool) -> Simpler {
    for (x, y) in [(x, y), (y, x)] {
        match c.bool(y) {
            Some(b) if b == absorbing => return Simpler::Const(Const::Bool(b)),
            Some(_) => return Simpler::Value(x),
            None => {}
        }
    }
    if x == y { Simpler::Value(x) } else { Keep }
}

/// ¬¬x = x, ¬(a = b) is a ≠ b, and for integers, which are ordered, ¬(a < b) is a ≥ b.
fn not(c: &Canon, x: Value) -> Simpler {
    const OPPOSITES: [(Op, Op); 6] = [
        (Op::Eq, Op::Ne),
        (Op::Ne, Op::Eq),
        (Op::Lt, Op::Ge),
        (Op::Ge, Op::Lt),
        (Op::Gt, Op::Le),
        (Op::Le, Op::Gt),
    ];
    let Def::Op(inner, [a, b]) = c.def(x) else { return Keep };
    if inner == Op::Not {
        return Simpler::Value(a);
    }
    let total = matches!(inner, Op::Eq | Op::Ne) || c.scalar(a) == Scalar::I64;
    match OPPOSITES.iter().find(|(op, _)| *op == inner) {
        Some((_, opposite)) if total => binary(*opposite, a, b),
        Some(_) | None => Keep,
    }
}

/// A known condition, equal arms, a negated condition, booleans as arms.
fn select(c: &Canon, cond: Value, a: Value, b: Value) -> Simpler {
    match c.bool(cond) {
        Some(true) => return Simpler::Value(a),
        Some(false) => return Simpler::Value(b),
        None if a == b => return Simpler::Value(a),
        None => {}
    }
    if let Some(not) = c.operand_of(cond, Op::Not) {
        return Simpler::Op(Op::Select, Values::from_slice(&[not, b, a]));
    }
    if c.scalar(a) != Scalar::Bool {
        return Keep;
    }
    match (c.bool(a), c.bool(b)) {
        (Some(true), Some(false)) => Simpler::Value(cond),
        (Some(false), Some(true)) => unary(Op::Not, cond),
        (Some(true), None) => binary(Op::Or, cond, b),
        (None, Some(false)) => binary(Op::And, cond, a),
        _ => Keep,
    }
}

/// To the type it has, or to single precision and back from it.
fn conversion(c: &Canon, op: Op, to: Scalar, x: Value) -> Simpler {
    if c.scalar(x) == to {
        return Simpler::Value(x);
    }
    // What was single precision before it was made double is that number again.
    let back = if op == Op::ToF32 { Op::ToF64 } else { op };
    match c.operand_of(x, back) {
        Some(v) if c.scalar(v) == to && to.is_single() => Simpler::Value(v),
        _ => Keep,
    }
}

impl Canon<'_> {
    /// An integer or real literal as a number (large integers rounded).
    fn number(&self, v: Value) -> Option<f64> {
        match self.literal(v)? {
            Const::I64(n) => Some(n as f64),
            Const::F32(x) => Some(x as f64),
            Const::F64(x) => Some(x),
            Const::Bool(_) | Const::C64(_) | Const::C128(_) => None,
        }
    }

    pub(super) fn int(&self, v: Value) -> Option<i64> {
        match self.literal(v)? {
            Const::I64(n) => Some(n),
            Const::Bool(_) | Const::F32(_) | Const::F64(_) | Const::C64(_) | Const::C128(_) => None,
        }
    }

    /// Whether the value is the integer 0, or a literal whose parts are all zeros of this sign.
    fn is_zero(&self, v: Value, negative: bool) -> bool {
        let Some(c) = self.literal(v) else { return false };
        let part = |x: f64| x == 0.0 && x.is_sign_negative() == negative;
        match c {
            Const::Bool(_) => false,
            Const::I64(n) => n == 0,
            Const::F32(_) | Const::F64(_) => part(c.to_c128().re),
            Const::C64(_) | Const::C128(_) => part(c.to_c128().re) && part(c.to_c128().im),
        }
    }

    /// Whether a real value is seen not to be −0, looking `depth` ops back.
    fn never_minus_zero(&self, v: Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self.def(v) {
            Def::Const(_) => !self.is_zero(v, true),
            Def::Op(Op::Square | Op::Abs2 | Op::Abs | Op::Exp, _) => true,
            // −0 only if the operand is, or both are, or the first and +0 is the second.
            Def::Op(Op::Sqrt | Op::Sub, [x, ..]) => self.never_minus_zero(x, depth),
            Def::Op(Op::Add, [x, y]) => self.never_minus_zero(x, depth) || self.never_minus_zero(y, depth),
            // A factor below 1 could make a small negative number −0.
            Def::Op(Op::Mul, [x, y]) => [(x, y), (y, x)].into_iter().any(|(factor, x)| {
                self.number(factor).is_some_and(|k| k >= 1.0) && self.never_minus_zero(x, depth)
            }),
            Def::Op(..) | Def::Opaque => false,
        }
    }

    /// Whether the sum or difference of `x` and `y` has the type of `x`.
    fn covers(&self, x: Value, y: Value) -> bool {
        self.scalar(x).is_complex() || !self.scalar(y).is_complex()
    }
}
