//! What a strip is: plain data, compared and hashed as such.

use super::text;
use adc_ir::Op;
use std::fmt;

/// A value: the position of the operation that gives it.
pub type V = u32;

/// A loop body over lanes: for each element `i` from 0 to n, its operations in order. All lanes are doubles.
///
/// How many elements are computed at once is nobody's business: element `i` reads and writes its own places
/// of the streams, and reductions are defined without regard to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Strip {
    /// The operations. Operands come before their uses.
    pub ops: Vec<SOp>,
    /// Where elements are read and written.
    pub streams: Vec<Stream>,
    /// Number of scalar slots: parameters, strides and results of reductions.
    pub scalars: u16,
    /// What is combined over all elements.
    pub reds: Vec<Red>,
    /// Rows of a second loop level. Reserved: always 1.
    pub rows: u32,
}

/// The elements `base[off + i step]`, in units of elements.
///
/// Streams of different bases have no element in common if one is written, nor have two of one base, unless they have the same
/// offset and step ([`Strip::check`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Index of the base pointer.
    pub base: u8,
    /// Where element 0 is.
    pub off: i32,
    /// From one element to the next.
    pub step: Step,
    /// What an element is.
    pub elem: Elem,
    /// Whether it is read or written.
    pub access: Access,
    /// Whether 64 bytes after the last element may be read, and written if the stream is.
    pub padded: bool,
}

impl Stream {
    /// Whether two streams of one base have all elements in common or none.
    fn is_apart(&self, other: &Stream) -> bool {
        let apart = match (self.step, other.step) {
            (Step::Const(a), Step::Const(b)) => a == b && self.off.abs_diff(other.off) < a.unsigned_abs(),
            _ => false,
        };
        apart || (self.off, self.step) == (other.off, other.step)
    }
}

/// A distance between elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The next element is the next in memory.
    Unit,
    /// So many elements. 0 is the same element again, which must not be written.
    Const(i32),
    /// So many elements as the scalar slot says, an integer by its bits.
    Scal(u16),
}

/// The type of a stream's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// A double.
    F64,
}

/// What is done to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Only read.
    R,
    /// Only written.
    W,
    /// Read and written.
    RW,
}

/// A reduction of a value over all elements.
///
/// * `Sum`: element `i` is added to partial `i mod 16`. Adding them up is left to who started them at 0.
/// * `Max`, `Min`: of the slot and all elements; NaN if one is, and −0 is below +0. The order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Red {
    /// How values are combined.
    pub op: RedOp,
    /// The value of each element.
    pub val: V,
    /// Of a sum: the base of its partials, which no stream has. Else the slot that holds the initial value and gets the result.
    pub out: u16,
}

/// How a reduction combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedOp {
    /// Addition.
    Sum,
    /// The larger.
    Max,
    /// The smaller.
    Min,
}

/// Partial sums of a [`RedOp::Sum`].
pub const PARTIALS: usize = 16;

/// An operation. Arithmetic is IEEE's, rounded once, to nearest even.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SOp {
    /// The number with these bits.
    Const(u64),
    /// A scalar slot.
    Scal(u16),
    /// The number of the element.
    Index,
    /// The element of a stream.
    Load(u16),
    /// Writes the element of a stream. Gives no value.
    Store(u16, V),
    /// Ends the run before this pair of elements (counted from the first of the run) if the mask holds for one of them. Gives no value, and
    /// comes before all stores.
    Exit(V),
    /// Of one number.
    Un(Un, V),
    /// Of two numbers.
    Bin(Bin, V, V),
    /// `±a b ± c`, rounded once.
    Fma {
        /// Whether the product is negated.
        neg_a: bool,
        /// Whether the summand is.
        neg_c: bool,
        /// A factor.
        a: V,
        /// A factor.
        b: V,
        /// The summand.
        c: V,
    },
    /// A comparison, which gives a mask.
    Cmp(Cc, V, V),
    /// Of two masks.
    Mask(MaskOp, V, V),
    /// The other lanes of a mask.
    Not(V),
    /// The second operand where the mask holds, else the third.
    Select(V, V, V),
    /// A native function, lane by lane, for what has no expansion.
    Call(Callee, V, Option<V>),
    /// A native function of the number `x` where the mask holds, else `y`. Lanes where it holds are hardly ever met.
    Rare {
        /// Where the function is called.
        mask: V,
        /// The function.
        f: Callee,
        /// Its operand.
        x: V,
        /// The value elsewhere.
        y: V,
    },
}

/// Operations of one number. Those not of IEEE arithmetic are defined by [`adc_runtime::lanes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Un {
    /// The other sign.
    Neg,
    /// The sign +.
    Abs,
    /// The square root.
    Sqrt,
    /// The nearest integer, ties to even.
    Rint,
    /// The next integer below.
    Floor,
    /// The next integer above.
    Ceil,
    /// The integer towards 0.
    Trunc,
    /// 2 to an integer.
    Pow2,
    /// The exponent.
    GetExp,
    /// The mantissa.
    GetMant,
}

/// Operations of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bin {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a b`
    Mul,
    /// `a / b`
    Div,
    /// `a < b ? a : b`
    MinX,
    /// `a > b ? a : b`
    MaxX,
    /// `|a|` with the sign of `b`
    Copysign,
    /// `a 2^b` for integers `b`
    Ldexp,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cc {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Equal.
    Eq,
    /// Not equal, or not comparable.
    Ne,
}

/// Operations of two masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskOp {
    /// Both.
    And,
    /// One of them.
    Or,
    /// One, but not both.
    Xor,
}

/// A native function of one or two real numbers: that of an op of the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callee(pub Op);

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A number per lane.
    Number,
    /// A truth value per lane.
    Mask,
    /// Nothing.
    Nothing,
}

impl SOp {
    /// What it gives.
    pub fn class(self) -> Class {
        match self {
            SOp::Store(..) | SOp::Exit(_) => Class::Nothing,
            SOp::Cmp(..) | SOp::Mask(..) | SOp::Not(_) => Class::Mask,
            SOp::Const(_)
            | SOp::Scal(_)
            | SOp::Index
            | SOp::Load(_)
            | SOp::Un(..)
            | SOp::Bin(..)
            | SOp::Fma { .. }
            | SOp::Select(..)
            | SOp::Call(..)
            | SOp::Rare { .. } => Class::Number,
        }
    }

    /// Its operands, and what each has to be.
    pub fn operands(self) -> impl Iterator<Item = (V, Class)> {
        use Class::{Mask, Number};
        let list = match self {
            SOp::Const(_) | SOp::Scal(_) | SOp::Index | SOp::Load(_) => [None, None, None],
            SOp::Store(_, a) | SOp::Un(_, a) | SOp::Call(_, a, None) => [Some((a, Number)), None, None],
            SOp::Bin(_, a, b) | SOp::Cmp(_, a, b) | SOp::Call(_, a, Some(b)) => {
                [Some((a, Number)), Some((b, Number)), None]
            }
            SOp::Fma { a, b, c, .. } => [Some((a, Number)), Some((b, Number)), Some((c, Number))],
            SOp::Mask(_, a, b) => [Some((a, Mask)), Some((b, Mask)), None],
            SOp::Not(a) | SOp::Exit(a) => [Some((a, Mask)), None, None],
            SOp::Select(m, a, b) => [Some((m, Mask)), Some((a, Number)), Some((b, Number))],
            SOp::Rare { mask, x, y, .. } => [Some((mask, Mask)), Some((x, Number)), Some((y, Number))],
        };
        list.into_iter().flatten()
    }

    /// The same operation with its operands renamed.
    pub fn map(self, mut f: impl FnMut(V) -> V) -> SOp {
        match self {
            SOp::Const(_) | SOp::Scal(_) | SOp::Index | SOp::Load(_) => self,
            SOp::Store(s, a) => SOp::Store(s, f(a)),
            SOp::Exit(a) => SOp::Exit(f(a)),
            SOp::Un(op, a) => SOp::Un(op, f(a)),
            SOp::Bin(op, a, b) => SOp::Bin(op, f(a), f(b)),
            SOp::Fma { neg_a, neg_c, a, b, c } => SOp::Fma { neg_a, neg_c, a: f(a), b: f(b), c: f(c) },
            SOp::Cmp(cc, a, b) => SOp::Cmp(cc, f(a), f(b)),
            SOp::Mask(op, a, b) => SOp::Mask(op, f(a), f(b)),
            SOp::Not(a) => SOp::Not(f(a)),
            SOp::Select(m, a, b) => SOp::Select(f(m), f(a), f(b)),
            SOp::Call(g, a, b) => SOp::Call(g, f(a), b.map(f)),
            SOp::Rare { mask, f: g, x, y } => SOp::Rare { mask: f(mask), f: g, x: f(x), y: f(y) },
        }
    }
}

/// What is wrong with a strip. A bug of whoever made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "malformed strip: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

impl Strip {
    /// Whether all that back ends rely on holds: operands exist and are of the right class, slots and streams
    /// exist and are used as declared, slots hold either numbers or strides, and no stream that is written overlaps another.
    pub fn check(&self) -> Result<(), Malformed> {
        let fail = |what: String| Err(Malformed(what));
        if self.rows != 1 {
            return fail(format!("{} rows", self.rows));
        }
        let mut strides = vec![false; self.scalars as usize];
        for (k, s) in self.streams.iter().enumerate() {
            match s.step {
                Step::Scal(slot) if slot >= self.scalars => {
                    return fail(format!("stream {k} strides by no slot"));
                }
                Step::Scal(slot) => strides[slot as usize] = true,
                Step::Const(0) if s.access != Access::R => {
                    return fail(format!("stream {k} writes one place"));
                }
                Step::Const(_) | Step::Unit => {}
            }
        }
        for (k, a) in self.streams.iter().enumerate() {
            for (l, b) in self.streams.iter().enumerate().take(k) {
                let written = a.access != Access::R || b.access != Access::R;
                if a.base == b.base && written && !a.is_apart(b) {
                    return fail(format!("streams {l} and {k} overlap"));
                }
            }
        }
        for (v, op) in self.ops.iter().enumerate() {
            for (x, class) in op.operands() {
                if x as usize >= v || self.ops[x as usize].class() != class {
                    return fail(format!("v{v} takes v{x} as a {class:?}"));
                }
            }
            let access = |k: u16| self.streams.get(k as usize).map(|s| s.access);
            match *op {
                SOp::Scal(slot) if slot >= self.scalars || strides[slot as usize] => {
                    return fail(format!("v{v} reads slot {slot}, which is no number"));
                }
                SOp::Load(k) if !matches!(access(k), Some(Access::R | Access::RW)) => {
                    return fail(format!("v{v} reads stream {k}"));
                }
                SOp::Store(k, _) if !matches!(access(k), Some(Access::W | Access::RW)) => {
                    return fail(format!("v{v} writes stream {k}"));
                }
                _ => {}
            }
        }
        let stores = self.ops.iter().position(|op| matches!(op, SOp::Store(..))).unwrap_or(self.ops.len());
        if self.ops[stores..].iter().any(|op| matches!(op, SOp::Exit(_))) {
            return fail(format!("an exit after v{stores}, which stores"));
        }
        for (k, red) in self.reds.iter().enumerate() {
            let number = self.ops.get(red.val as usize).is_some_and(|op| op.class() == Class::Number);
            let sum = red.op == RedOp::Sum;
            let place = match sum {
                true => self.streams.iter().all(|s| s.base as u16 != red.out),
                false => red.out < self.scalars && !strides[red.out as usize],
            };
            let twice = self.reds[..k].iter().any(|r| r.out == red.out && (r.op == RedOp::Sum) == sum);
            if !number || !place || twice {
                let place = if sum { "base" } else { "slot" };
                return fail(format!("reduction {k} of v{} into {place} {}", red.val, red.out));
            }
        }
        Ok(())
    }

    /// Number of base pointers.
    pub fn bases(&self) -> usize {
        let sums = self.reds.iter().filter(|r| r.op == RedOp::Sum).map(|r| r.out as usize);
        self.streams.iter().map(|s| s.base as usize).chain(sums).map(|k| k + 1).max().unwrap_or(0)
    }

    /// Whether one can end before all its elements are done.
    pub fn exits(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, SOp::Exit(_)))
    }
}

impl fmt::Display for Strip {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        text::print(self, f)
    }
}

impl std::str::FromStr for Strip {
    type Err = Malformed;

    /// What [`fmt::Display`] prints, checked.
    fn from_str(s: &str) -> Result<Strip, Malformed> {
        text::parse(s)
    }
}
