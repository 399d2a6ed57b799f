//! The table of double-double forms: for every op and operand types, how the pair of its result is computed.

use super::pair::Arith;
use super::{Pair, Shadowed};
use adc_ir::*;

/// Emits the pair of an op's result, given p of the result and the operands.
type Emit = fn(&mut Arith, Value, &[Shadowed]) -> Pair;

/// How an op gets its pair.
#[derive(Clone, Copy)]
pub(super) enum Row {
    /// It has none: booleans, integers, and results that the p side decides completely.
    Primal,
    /// Inline, without rounding: the result for exact operands is exact.
    Moves(Emit),
    /// Inline.
    Rounds(Emit),
    /// By [`super::natives`].
    Native,
}

/// The row of an op with operands of these types, which it takes.
pub(super) fn row(op: Op, args: &[Scalar]) -> Row {
    use Row::{Moves, Native, Primal, Rounds};
    let float = args.iter().any(|s| s.is_float());
    let complex = args.iter().any(|s| s.is_complex());
    let when_float = |row: Row| if float { row } else { Primal };
    match op {
        Op::Neg => when_float(Moves(|a, _, x| a.neg(x[0].pair()))),
        Op::Add => when_float(Rounds(|a, _, x| a.sum(Op::Add, x[0].pair(), x[1].pair()))),
        Op::Sub => when_float(Rounds(|a, _, x| a.sum(Op::Sub, x[0].pair(), x[1].pair()))),
        Op::Mul => when_float(Rounds(|a, _, x| a.mul(x[0].pair(), x[1].pair()))),
        Op::Div if args[1].is_complex() => Native,
        Op::Div => Rounds(|a, _, x| a.div(x[0].pair(), x[1].pair())),
        Op::Idiv => Primal,
        Op::Mod => when_float(Rounds(modulo)),
        Op::Recip if complex => Native,
        Op::Recip => Rounds(|a, _, x| {
            let one = Pair { hi: a.num(1.0), lo: None };
            a.div(one, x[0].pair())
        }),
        Op::Square => Rounds(|a, _, x| a.square(x[0].pair())),
        Op::Fma => Rounds(|a, _, x| {
            let [x, y, z] = [0, 1, 2].map(|k| x[k].pair());
            let product = a.mul(x, y);
            let sum = a.sum(Op::Add, product, z);
            // A product that overflows or underflows itself.
            let plain = a.three(Op::Fma, x.hi, y.hi, z.hi);
            a.beside(plain, sum)
        }),
        Op::Sqrt if complex => Native,
        Op::Sqrt => Rounds(|a, _, x| a.real_sqrt(x[0].pair())),
        Op::Powi => when_float(Native),
        ops!(Elementary) | ops!(ElementaryInt) | Op::Cis => Native,
        Op::Copysign => Moves(|a, _, x| {
            let (from, to) = (a.sign(x[0]), a.sign(x[1]));
            let factor = a.two(Op::Mul, from, to);
            a.each(x[0].pair(), |b, v| b.op(Op::Mul, &[v, factor]))
        }),
        Op::Min => when_float(Moves(|a, _, x| a.extremum(Op::Min, x[0], x[1]))),
        Op::Max => when_float(Moves(|a, _, x| a.extremum(Op::Max, x[0], x[1]))),
        Op::Clamp => when_float(Moves(|a, _, x| {
            let p = a.two(Op::Max, x[0].p, x[1].p);
            let pair = a.extremum(Op::Max, x[0], x[1]);
            a.extremum(Op::Min, Shadowed { p, pair: Some(pair) }, x[2])
        })),
        Op::Floor | Op::Ceil | Op::Round | Op::Trunc => Primal,
        Op::Abs if complex => Native,
        Op::Abs => when_float(Moves(|a, _, x| {
            let sign = a.sign(x[0]);
            a.each(x[0].pair(), |b, v| b.op(Op::Mul, &[v, sign]))
        })),
        Op::Sign if complex => Native,
        Op::Sign => Primal,
        Op::Abs2 => Rounds(|a, _, x| a.abs2(x[0].pair())),
        Op::Conj => Moves(|a, _, x| a.each(x[0].pair(), |b, v| b.op(Op::Conj, &[v]))),
        Op::Re => Moves(|a, _, x| a.part(Op::Re, x[0].pair())),
        Op::Im if complex => Moves(|a, _, x| a.part(Op::Im, x[0].pair())),
        Op::Im => Primal,
        Op::Arg if complex => Native,
        Op::Arg => Rounds(real_arg),
        Op::Complex => Moves(|a, _, x| a.complex(x[0].pair(), x[1].pair())),
        ops!(Test) | Op::And | Op::Or | Op::Not => Primal,
        Op::Select => when_float(Moves(|a, _, x| a.choose(x[0].p, x[1].pair(), x[2].pair()))),
        Op::ToF64 if args[0] == Scalar::F32 => Moves(|a, _, x| wide(a, Op::ToF64, x[0].pair())),
        Op::ToF64 => when_float(Moves(|_, _, x| x[0].pair())),
        Op::ToF32 => when_float(Rounds(|a, _, x| narrow(a, Op::ToF32, x[0].pair()))),
        Op::ToC if args[0] == Scalar::C64 => Moves(|a, _, x| wide(a, Op::ToC, x[0].pair())),
        Op::ToC => Rounds(|a, _, x| narrow(a, Op::ToC, x[0].pair())),
        Op::ToI64 => Primal,
        Op::StopGradient => when_float(Moves(|_, _, x| x[0].pair())),
    }
}

/// Beyond this the quotient has more digits than a pair.
pub(super) const QUOTIENT: f64 = 1e31;

/// a − b q with the integer q of p: for p's operands and result, q is (a − result) / b.
fn modulo(a: &mut Arith, p: Value, x: &[Shadowed]) -> Pair {
    let (exact, minus) = (Pair { hi: x[0].p, lo: None }, Pair { hi: p, lo: None });
    let multiple = a.real_sum(Op::Sub, exact, minus);
    let quotient = a.two(Op::Div, multiple.hi, x[1].p);
    let q = a.one(Op::Round, quotient);
    // Beyond 2⁵³ the integer is not representable as a double.
    let back = a.one(Op::Neg, q);
    let rest = a.three(Op::Fma, back, x[1].p, multiple.hi);
    let low = a.lo(multiple);
    let rest = a.two(Op::Add, rest, low);
    let rest = a.two(Op::Div, rest, x[1].p);
    let low = a.one(Op::Round, rest);
    let (n, d) = (x[0].pair(), x[1].pair());
    // All but the last digits of n cancel: each step is exact.
    let [n_hi, d_hi, q, low] = [n.hi, d.hi, q, low].map(|hi| Pair { hi, lo: None });
    let (most, more) = (a.real_mul(q, d_hi), a.real_mul(low, d_hi));
    let mut result = a.real_sum(Op::Sub, n_hi, Pair { hi: most.hi, lo: None });
    let lows = [most.lo.map(|lo| (Op::Sub, Pair { hi: lo, lo: None })), Some((Op::Sub, more))];
    let own = n.lo.map(|lo| (Op::Add, Pair { hi: lo, lo: None }));
    let others = d.lo.map(|lo| [q, low].map(|q| (Op::Sub, a.real_mul(q, Pair { hi: lo, lo: None }))));
    for (op, term) in lows.into_iter().chain([own]).flatten().chain(others.into_iter().flatten()) {
        result = a.real_sum(op, result, term);
    }
    let plain = a.two(Op::Mod, n.hi, d.hi);
    let (size, most) = (a.one(Op::Abs, quotient), a.num(QUOTIENT));
    let known = a.two(Op::Le, size, most);
    let result = a.choose(known, result, Pair { hi: plain, lo: None });
    // Also for an infinite b, since none of its multiples is 0.
    let none = a.two(Op::Eq, quotient, a.zero);
    let result = a.choose(none, n, result);
    a.beside(plain, result)
}

/// π − 3.141592653589793…, the lo of π.
const PI_LO: f64 = 1.224_646_799_147_353_2e-16;

/// 0 or π, which p is, rounded.
fn real_arg(a: &mut Arith, p: Value, _: &[Shadowed]) -> Pair {
    let negative = a.two(Op::Gt, p, a.zero);
    let lo = a.num(PI_LO);
    let lo = a.three(Op::Select, negative, lo, a.zero);
    Pair { hi: p, lo: Some(lo) }
}

/// From single to double precision. The lo may be larger than half a unit of hi, as for an opaque call.
fn wide(a: &mut Arith, op: Op, x: Pair) -> Pair {
    let x = a.each(x, |b, v| b.op(op, &[v]));
    let Some(lo) = x.lo else { return x };
    if op == Op::ToF64 {
        return a.normalised(x.hi, lo);
    }
    let (re, im) = a.parts(x);
    let (re_lo, im_lo) = (a.lo(re), a.lo(im));
    let (re, im) = (a.normalised(re.hi, re_lo), a.normalised(im.hi, im_lo));
    a.complex(re, im)
}

/// From double precision to single precision.
fn narrow(a: &mut Arith, op: Op, x: Pair) -> Pair {
    Pair { hi: a.one(op, x.hi), lo: None }
}
