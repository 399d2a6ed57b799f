//! What ops cost: latencies on the target, in cycles, which the op table has for real operands (`OpInfo::cycles`).
//! Complex functions are estimated from the real ones that they are made of. Two functions that share a
//! call (`jit`'s table of pairs) cost what that call costs.

use adc_ir::{Func, Kind, Op, Region, Scalar, Value, ops};
use rustc_hash::{FxHashMap, FxHashSet};

/// The latency of an op with this many complex operands and a result of type `ty`.
pub fn of(op: Op, complex: usize, ty: Scalar) -> u64 {
    if complex == 0 && !ty.is_complex() { real(op) } else { of_complex(op, complex).0 }
}

/// Of real operands.
fn real(op: Op) -> u64 {
    op.info().cycles.into()
}

/// Functions of one operand that share a call: `jit`'s table of pairs. The cost of both.
const PAIRS: [([Op; 2], u64); 3] =
    [([Op::Sin, Op::Cos], 71), ([Op::Tanh, Op::Sech2], 135), ([Op::Sigmoid, Op::DSigmoid], 119)];

/// The pair of functions that an op is half of, and which half, as a bit.
pub(crate) fn half(op: Op) -> Option<(u8, u8)> {
    PAIRS
        .iter()
        .enumerate()
        .find_map(|(pair, (ops, _))| ops.iter().position(|o| *o == op).map(|half| (pair as u8, 1 << half)))
}

/// What the halves of a pair cost together.
pub(crate) fn of_halves(pair: u8, halves: u8) -> u64 {
    let ([first, second], both) = PAIRS[pair as usize];
    match halves {
        0 => 0,
        1 => real(first),
        2 => real(second),
        _ => both,
    }
}

/// Of complex operands or a complex result: arithmetic by its real operations, which run side by side, functions by the
/// real ones that they are made of. The second number is that of its real operations; a function is one.
#[rustfmt::skip]
fn of_complex(op: Op, complex: usize) -> (u64, u64) {
    match op {
        Op::StopGradient | Op::Re | Op::Im | Op::Complex | Op::ToC => (0, 0),
        Op::Conj => (1, 0),
        Op::Neg => (2, 2),
        Op::Add | Op::Sub => if complex == 2 { (6, 2) } else { (3, 1) },
        // Four products, two sums; with a real factor two products.
        Op::Mul => if complex == 2 { (22, 6) } else { (8, 2) },
        Op::Square => (22, 6),
        Op::Abs2 => (11, 3),
        Op::Select => (8, 2),
        Op::Eq | Op::Ne | Op::IsNan | Op::IsFinite => (8, 1),
        Op::Div => if complex == 2 { (60, 10) } else { (30, 2) },
        Op::Recip => (50, 10),
        Op::Abs => (83, 1),
        Op::Sign => (113, 1),
        Op::Sqrt => (130, 1),
        Op::Powi => (100, 1),
        Op::Cis => (75, 1),
        Op::Arg => (105, 1),
        Op::Exp => (135, 1),
        Op::Log | Op::Log2 | Op::Log10 => (190, 1),
        Op::Pow | Op::Asin | Op::Acos | Op::Atan | Op::Asinh | Op::Acosh | Op::Atanh => (300, 1),
        Op::DSinc => (500, 1),
        ops!(Elementary) if op.info().sig.takes_complex() => (200, 1),
        // Not of complex numbers.
        ops!(Arith) | ops!(Elementary) | ops!(ElementaryInt) | ops!(Order) | ops!(Test) | ops!(Logic) | ops!(Convert) => (real(op), 1),
    }
}

/// The function that shares a call with this one, and what this one costs where that is computed.
pub(crate) fn beside(op: Op) -> Option<(Op, u64)> {
    let (pair, bit) = half(op)?;
    let [first, second] = PAIRS[pair as usize].0;
    let other = if bit == 1 { second } else { first };
    Some((other, of_halves(pair, 3) - real(other)))
}

/// What a function computes, counted in its text: what is in a loop counts once, of the branches of an `if` the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Ops on floats, complex arithmetic as the real one that it is made of.
    pub ops: u64,
    /// Their latencies, functions that share a call together.
    pub latency: u64,
    /// Calls of functions that every run makes; those that share one, and a power and the logarithm of its base, count once.
    pub functions: u64,
}

impl Count {
    /// Of a function; nothing if it has no instructions.
    pub fn of(f: &Func) -> Count {
        let mut only_fma = vec![true; f.values.len()];
        if let Some(r) = f.region() {
            note_uses(r, &mut only_fma);
            return region(f, r, &only_fma);
        }
        Count::default()
    }

    fn plus(self, o: Count) -> Count {
        Count {
            ops: self.ops + o.ops,
            latency: self.latency + o.latency,
            functions: self.functions + o.functions,
        }
    }
}

/// Calls of functions that a region makes, as [`Count::functions`].
pub(crate) fn functions(f: &Func, r: &Region) -> u64 {
    region(f, r, &vec![false; f.values.len()]).functions
}

/// By value: whether all of its uses are as operands of an `fma`.
fn note_uses(r: &Region, only_fma: &mut [bool]) {
    for inst in &r.insts {
        for v in &inst.args {
            only_fma[v.0 as usize] &= inst.kind == Kind::Op(Op::Fma);
        }
        inst.regions.iter().for_each(|r| note_uses(r, only_fma));
    }
    r.yields.iter().for_each(|v| only_fma[v.0 as usize] = false);
}

/// Functions dearer than this are calls.
const CALL: u64 = 50;

/// The real operations that an op with this many complex operands and a result of type `ty` is made of; a function is one.
fn real_ops(op: Op, complex: usize, ty: Scalar) -> u64 {
    if complex == 0 && !ty.is_complex() { (real(op) > 0) as u64 } else { of_complex(op, complex).1 }
}

fn region(f: &Func, r: &Region, only_fma: &[bool]) -> Count {
    let mut sum = Count::default();
    let mut pairs: FxHashMap<(u8, Value), u8> = FxHashMap::default();
    // Powers and logarithms by base.
    let mut bases: FxHashSet<Value> = FxHashSet::default();
    for inst in &r.insts {
        let inner: Vec<Count> = inst.regions.iter().map(|r| region(f, r, only_fma)).collect();
        sum = sum.plus(match inst.kind {
            Kind::If => {
                let largest = inner.iter().copied().max_by_key(|c| c.latency).unwrap_or_default();
                let functions = inner.iter().map(|c| c.functions).min().unwrap_or_default();
                Count { functions, ..largest }
            }
            _ => inner.into_iter().fold(Count::default(), Count::plus),
        });
        let (Kind::Op(op), Some(result)) = (&inst.kind, inst.results.first()) else { continue };
        let scalar = |v: &Value| f.ty(*v).scalar();
        let floats = inst.args.iter().chain([result]).any(|v| scalar(v).is_float());
        // The machine changes signs in the `fma`.
        if !floats || (*op == Op::Neg && only_fma[result.0 as usize]) {
            continue;
        }
        let complex = inst.args.iter().filter(|v| scalar(v).is_complex()).count();
        sum.ops += real_ops(*op, complex, scalar(result));
        let x = inst.args[0];
        match half(*op).filter(|_| scalar(&x).is_real()) {
            Some((pair, half)) => {
                let halves = pairs.entry((pair, x)).or_default();
                sum.functions += (*halves == 0) as u64;
                let before = of_halves(pair, *halves);
                *halves |= half;
                sum.latency += of_halves(pair, *halves) - before;
            }
            None => {
                let latency = of(*op, complex, scalar(result));
                sum.latency += latency;
                let arithmetic = matches!(op, Op::Mul | Op::Div | Op::Recip | Op::Abs | Op::Hypot);
                let shares = matches!(op, Op::Pow | Op::Log) && !bases.insert(x);
                sum.functions += (latency > CALL && !arithmetic && !shares) as u64;
            }
        }
    }
    sum
}
