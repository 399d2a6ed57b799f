//! What a strip is: plain data, compared and hashed as such.

use super::text;
use adc_ir::Op;
pub use adc_runtime::lanes::pow::{Column, ROWS};
use std::fmt;

/// A value: the position of the operation that gives it.
pub type V = u32;

/// Loops inside one another that a strip has at most.
pub const LEVELS: usize = 2;
/// Elements of a cycle ([`Step::Cycle`]).
pub const CYCLE: usize = 8;

/// A loop body over lanes: for each element `i` from 0 to n, its operations in order. All lanes are doubles.
///
/// There may be loops in it whose number of turns is the same for all elements ([`SOp::Loop`]).
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
    /// Arrays that each element has for itself, by their lengths. What they hold at first is not to be read.
    pub own: Vec<u32>,
    /// Whether at most four elements are left behind vectors of eight.
    pub few_left: bool,
    /// Whether each run is of one element: a loop inside stands for one whose iterations need each other. Nothing is reduced then.
    pub serial: bool,
}

/// The elements `base[off + i step + t turns]`, in units of elements, where t are the turns of the loops around.
///
/// Streams of different bases have no element in common if one is written, nor have two of one base, unless they have the same
/// offset and step, or say that they are apart ([`Strip::check`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Index of the base pointer; of [`Step::Own`], of the array.
    pub base: u8,
    /// Where element 0 is.
    pub off: i32,
    /// From one element to the next.
    pub step: Step,
    /// From one turn to the next of the loops around, the outer one first.
    pub turns: [i32; LEVELS],
    /// What an element is.
    pub elem: Elem,
    /// Whether it is read or written.
    pub access: Access,
    /// What may be done to the 64 bytes behind the last element. A strip with streams that have such room does all iterations, from the
    /// first to the last.
    pub room: Room,
    /// Whether no iteration has an element in common with another one's in a stream of its base that says so, too: who made it knows
    /// more than its numbers show. If none of these is written in turns, they have no element in common at all.
    pub apart: bool,
    /// Whether it is only added to, as others of its base that say so, with which it may have elements in common. Of those the one farthest
    /// on is added to first: so an element is added to in the order of the elements that do it, however many of these go together.
    pub added: bool,
}

impl Stream {
    /// A stream of doubles that is the same in all turns.
    pub fn new(base: u8, off: i32, step: Step, access: Access) -> Stream {
        let (turns, elem) = ([0; LEVELS], Elem::F64);
        Stream { base, off, step, turns, elem, access, room: Room::None, apart: false, added: false }
    }

    /// Whether elements of an array that all iterations share are written in other places from turn to turn. Those that streams of its
    /// base have in common are of one iteration: it reads and writes them in its order.
    pub(super) fn is_written_in_turns(&self) -> bool {
        let shared = !matches!(self.step, Step::Own | Step::Cycle);
        shared && self.access != Access::R && self.turns != [0; LEVELS]
    }

    /// Whether two streams of one base have all elements in common or none.
    pub(super) fn is_apart(&self, other: &Stream) -> bool {
        let told = (self.apart && other.apart) || (self.added && other.added);
        if told || (self.step == Step::Cycle && other.step == Step::Cycle) {
            return true;
        }
        if self.turns != [0; LEVELS] || other.turns != [0; LEVELS] {
            return false;
        }
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
    /// The next element is the next in memory, but of [`CYCLE`] elements only: element i has place i mod 8. Each element adds to its
    /// place ([`SOp::AddTo`]). Offsets and distances between turns are multiples of 8.
    Cycle,
    /// In an array of the element's own.
    Own,
}

/// How often a loop inside is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turns {
    /// So often.
    Const(u32),
    /// As often as the scalar slot says, a natural number by its bits.
    Scal(u16),
}

/// The type of a stream's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elem {
    /// A double.
    F64,
}

/// What may be done behind the last element of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Room {
    /// Nothing.
    None,
    /// What is there may be read.
    Read,
    /// It may be written as well: it is nobody's.
    Write,
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
    /// Adds to the element of a cycle. Gives no value.
    AddTo(u16, V),
    /// Begins a loop: what comes before its `End` is run in turns. Gives no value.
    Loop(Turns),
    /// What the loop that begins here carries from turn to turn: the operand in the first one, then what `Next` says. Comes behind the
    /// `Loop` or another `Carried`.
    Carried(V),
    /// What the first operand, a `Carried` of this loop, is in the next turn: the second. Comes before the `End` or another `Next`.
    Next(V, V),
    /// Ends the turns of the innermost loop.
    End,
    /// What a `Carried` of a loop is behind its `End`, in the region around.
    Last(V),
    /// The turn of a loop around, the outer one being 0.
    Turn(u8),
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
    /// The number of a table at the place that the last bits of a number say.
    Entry(Column, V),
    /// A native function of the number `x`, or of two, where the mask holds, else `y`. Lanes where it holds are hardly ever met.
    Rare {
        /// Where the function is called.
        mask: V,
        /// The function.
        f: Callee,
        /// Its operand.
        x: V,
        /// The second one.
        z: Option<V>,
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
    /// The place of a mantissa in tables ([`adc_runtime::lanes::pow::place`]), as bits.
    Place,
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
    /// The smaller; NaN if one is, and −0 is below +0.
    Min,
    /// The larger, likewise.
    Max,
    /// `|a|` with the sign of `b`
    Copysign,
    /// `a 2^b`, rounded once; NaN if `a` is. To be asked of integers `b` for which `a 2^(b/2)` is exact, or of NaN and NaN.
    Ldexp,
    /// `a 2^⌊b / 128⌋` for integers `b` in the last bits ([`adc_runtime::lanes::pow::raise`])
    Raise,
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
            SOp::Store(..) | SOp::AddTo(..) | SOp::Exit(_) | SOp::Loop(_) | SOp::Next(..) | SOp::End => {
                Class::Nothing
            }
            SOp::Cmp(..) | SOp::Mask(..) | SOp::Not(_) => Class::Mask,
            SOp::Const(_)
            | SOp::Scal(_)
            | SOp::Index
            | SOp::Turn(_)
            | SOp::Load(_)
            | SOp::Carried(_)
            | SOp::Last(_)
            | SOp::Un(..)
            | SOp::Bin(..)
            | SOp::Fma { .. }
            | SOp::Select(..)
            | SOp::Call(..)
            | SOp::Entry(..)
            | SOp::Rare { .. } => Class::Number,
        }
    }

    /// Its operands, and what each has to be.
    pub fn operands(self) -> impl Iterator<Item = (V, Class)> {
        use Class::{Mask, Number};
        let none = [None; 4];
        let list = match self {
            SOp::Const(_) | SOp::Scal(_) | SOp::Index | SOp::Turn(_) | SOp::Load(_) => none,
            SOp::Loop(_) | SOp::End => none,
            SOp::Store(_, a)
            | SOp::AddTo(_, a)
            | SOp::Carried(a)
            | SOp::Last(a)
            | SOp::Un(_, a)
            | SOp::Entry(_, a)
            | SOp::Call(_, a, None) => [Some((a, Number)), None, None, None],
            SOp::Bin(_, a, b) | SOp::Cmp(_, a, b) | SOp::Next(a, b) | SOp::Call(_, a, Some(b)) => {
                [Some((a, Number)), Some((b, Number)), None, None]
            }
            SOp::Fma { a, b, c, .. } => [Some((a, Number)), Some((b, Number)), Some((c, Number)), None],
            SOp::Mask(_, a, b) => [Some((a, Mask)), Some((b, Mask)), None, None],
            SOp::Not(a) | SOp::Exit(a) => [Some((a, Mask)), None, None, None],
            SOp::Select(m, a, b) => [Some((m, Mask)), Some((a, Number)), Some((b, Number)), None],
            SOp::Rare { mask, x, z, y, .. } => {
                [Some((mask, Mask)), Some((x, Number)), z.map(|z| (z, Number)), Some((y, Number))]
            }
        };
        list.into_iter().flatten()
    }

    /// The same operation with its operands renamed.
    pub fn map(self, mut f: impl FnMut(V) -> V) -> SOp {
        match self {
            SOp::Const(_) | SOp::Scal(_) | SOp::Index | SOp::Turn(_) | SOp::Load(_) => self,
            SOp::Loop(_) | SOp::End => self,
            SOp::Store(s, a) => SOp::Store(s, f(a)),
            SOp::AddTo(s, a) => SOp::AddTo(s, f(a)),
            SOp::Carried(a) => SOp::Carried(f(a)),
            SOp::Next(a, b) => SOp::Next(f(a), f(b)),
            SOp::Last(a) => SOp::Last(f(a)),
            SOp::Exit(a) => SOp::Exit(f(a)),
            SOp::Un(op, a) => SOp::Un(op, f(a)),
            SOp::Bin(op, a, b) => SOp::Bin(op, f(a), f(b)),
            SOp::Fma { neg_a, neg_c, a, b, c } => SOp::Fma { neg_a, neg_c, a: f(a), b: f(b), c: f(c) },
            SOp::Cmp(cc, a, b) => SOp::Cmp(cc, f(a), f(b)),
            SOp::Mask(op, a, b) => SOp::Mask(op, f(a), f(b)),
            SOp::Not(a) => SOp::Not(f(a)),
            SOp::Select(m, a, b) => SOp::Select(f(m), f(a), f(b)),
            SOp::Call(g, a, b) => SOp::Call(g, f(a), b.map(f)),
            SOp::Entry(column, a) => SOp::Entry(column, f(a)),
            SOp::Rare { mask, f: g, x, z, y } => {
                SOp::Rare { mask: f(mask), f: g, x: f(x), z: z.map(&mut f), y: f(y) }
            }
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
    /// Number of base pointers.
    pub fn bases(&self) -> usize {
        let sums = self.reds.iter().filter(|r| r.op == RedOp::Sum).map(|r| r.out as usize);
        let streams = self.streams.iter().filter(|s| s.step != Step::Own).map(|s| s.base as usize);
        streams.chain(sums).map(|k| k + 1).max().unwrap_or(0)
    }

    /// Operations of numbers and masks, loads and stores: about its vector instructions. What is in a loop counts once.
    pub fn work(&self) -> usize {
        let idle = |op: &SOp| {
            matches!(
                op,
                SOp::Const(_)
                    | SOp::Scal(_)
                    | SOp::Turn(_)
                    | SOp::Loop(_)
                    | SOp::Carried(_)
                    | SOp::Next(..)
                    | SOp::End
                    | SOp::Last(_)
            )
        };
        self.ops.iter().filter(|op| !idle(op)).count() + self.reds.len()
    }

    /// Numbers of one element that are needed at the same time, at most, without those that are the same for all elements.
    pub fn live(&self) -> usize {
        let fixed = |op: &SOp| matches!(op, SOp::Const(_) | SOp::Scal(_));
        let mut ends: Vec<usize> = (0..self.ops.len()).collect();
        for (at, op) in self.ops.iter().enumerate() {
            op.operands().for_each(|(v, _)| ends[v as usize] = at);
        }
        self.reds.iter().for_each(|r| ends[r.val as usize] = self.ops.len());
        let mut ending = vec![0; self.ops.len() + 1];
        let (mut live, mut most) = (0, 0);
        for (v, op) in self.ops.iter().enumerate() {
            if !fixed(op) && op.class() == Class::Number {
                live += 1;
                ending[ends[v]] += 1;
            }
            most = live.max(most);
            live -= ending[v];
        }
        most
    }

    /// Whether there are loops inside.
    pub fn loops(&self) -> bool {
        self.ops.iter().any(|op| matches!(op, SOp::Loop(_)))
    }

    /// Whether something is added up, by the places of elements.
    pub fn adds_up(&self) -> bool {
        self.reds.iter().any(|r| r.op == RedOp::Sum) || self.streams.iter().any(|s| s.step == Step::Cycle)
    }

    /// Whether a stream has every second element of memory, the first or the second of two, and the others are read or written, too.
    /// Streams of which nothing is may be left over; they say nothing about memory.
    pub fn is_part(&self, s: &Stream) -> bool {
        let other = Stream { off: s.off ^ 1, ..*s };
        let uses = |op: &SOp| match *op {
            SOp::Load(k) | SOp::Store(k, _) => self.streams[k as usize] == other,
            _ => false,
        };
        s.step == Step::Const(2) && self.ops.iter().any(uses)
    }

    /// Whether a slot holds an integer: a distance, or a number of turns.
    pub fn is_integer(&self, slot: u16) -> bool {
        self.streams.iter().any(|s| s.step == Step::Scal(slot))
            || self.ops.contains(&SOp::Loop(Turns::Scal(slot)))
    }

    /// Whether what is added to cycles may be added for several neighbouring cycles of elements at once, turn by turn: no element adds
    /// to a place twice.
    pub fn adds_once(&self) -> bool {
        let cycles: Vec<&Stream> = self.streams.iter().filter(|s| s.step == Step::Cycle).collect();
        let mut open: Vec<Turns> = Vec::new();
        for op in &self.ops {
            match *op {
                SOp::Loop(turns) => open.push(turns),
                SOp::End => drop(open.pop()),
                SOp::AddTo(s, _) => {
                    let turns = self.streams[s as usize].turns;
                    let inner = match open.get(1) {
                        Some(Turns::Const(n)) => (turns[1] as i64).abs().checked_mul(*n as i64),
                        Some(Turns::Scal(_)) => None,
                        None => Some(0),
                    };
                    let moves = open.iter().zip(turns).all(|(_, d)| d != 0);
                    if !moves || inner.is_none_or(|n| n > (turns[0] as i64).abs()) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        let twice = self.ops.iter().enumerate().any(|(v, op)| {
            matches!(op, SOp::AddTo(s, _) if self.ops[..v].iter().any(|o| matches!(o, SOp::AddTo(t, _) if t == s)))
        });
        let apart = |a: &Stream, b: &Stream| {
            let inner = a.turns[1].abs();
            let near = if inner == 0 { a.turns[0].abs() } else { inner };
            let near = near == 0 || a.off.abs_diff(b.off) < near as u32;
            a.base != b.base || (a.turns == b.turns && a.off != b.off && near)
        };
        let pairs = cycles.iter().enumerate();
        !twice && pairs.clone().all(|(k, a)| cycles[..k].iter().all(|b| apart(a, b)))
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
